//! The space of one problem: its exact size, and the subspace of Manley, Magrath and Gregg (2010).

use crate::dimensions::{Dim, Dimension, dimensions};
use crate::variant::{Variant, most_cached};
use aesmith_cipher::{Problem, Task};
use aesmith_dataflow::Technique;
use std::ops::ControlFlow;

/// The search space of one problem: dimensions, each with the values it may take.
#[derive(Clone, Debug)]
pub struct Space {
    /// What is computed.
    pub problem: Problem,
    /// How a round is computed.
    pub technique: Technique,
    /// The dimensions and the values that each may take here, in table order. A dimension with
    /// one value is fixed.
    pub axes: Vec<Axis>,
}

/// One dimension and the values it may take in a space.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The dimension.
    pub dimension: &'static Dimension,
    /// The values allowed, ascending.
    pub values: Vec<u16>,
}

impl Space {
    /// Everything that `problem` has with AES instructions: see [`Space::of`].
    pub fn new(problem: Problem, lanes: usize) -> Space {
        Space::of(problem, Technique::default(), lanes)
    }

    /// Everything that `problem` has with a technique, but for register widths above `lanes` blocks
    /// (1, 2 or 4), and without wiping, which is asked for and not searched.
    pub fn of(problem: Problem, technique: Technique, lanes: usize) -> Space {
        let axes = dimensions(problem, technique)
            .map(|dimension| {
                let values = (0..dimension.values.count()).map(|i| dimension.values.at(i));
                let values = values.filter(|&v| match dimension.dim {
                    Dim::Width if technique.record().only_lanes.is_some() => {
                        Some(1 << v) == technique.record().only_lanes
                    }
                    Dim::Width => 1usize << v <= lanes,
                    // A block on words fills the general registers; two are the most that fit.
                    Dim::Interleave if technique.on_words() => v <= 2,
                    Dim::Cached => v <= most_cached(technique, technique.record().caches_slices),
                    Dim::Wipe => v == 0,
                    _ => true,
                });
                Axis { dimension, values: values.collect() }
            })
            .collect();
        Space { problem, technique, axes }
    }

    /// The paper's CTR subspace as counted here, 221,184 variants on one register width: keys in
    /// registers 0-15 (as the first so many), interleave factor 0-15, interleave distance 0-17,
    /// prefetch, restrict, streaming, and four choices of counter and text folding.
    pub fn paper(problem: Problem, lanes: usize) -> Option<Space> {
        if problem.task != Task::Ctr {
            return None;
        }
        let mut space = Space::new(problem, lanes);
        for axis in &mut space.axes {
            axis.values = match axis.dimension.dim {
                Dim::Width => vec![lanes.ilog2() as u16],
                Dim::Keys => (0..16u32).map(|n| ((1u32 << n) - 1).min(0x7fff) as u16).collect(),
                Dim::Interleave => (0..16).collect(),
                Dim::Distance => (0..18).collect(),
                Dim::Prefetch => vec![0, 1, 2],
                Dim::Restrict | Dim::Streaming | Dim::Fold => vec![0, 1],
                Dim::Counter => vec![0, 1],
                _ => vec![axis.dimension.default],
            };
        }
        Some(space)
    }

    /// The exact number of variants, orders of instructions not counted: what [`Space::each`]
    /// visits. Dimensions whose ranges depend on each other are enumerated, the others multiply.
    pub fn count(&self) -> u128 {
        let layouts = self.values(Dim::Layout);
        if layouts.len() > 1 {
            return layouts
                .into_iter()
                .map(|layout| {
                    let mut part = self.clone();
                    for axis in &mut part.axes {
                        match axis.dimension.dim {
                            Dim::Layout => axis.values = vec![layout],
                            Dim::Cached if layout == 1 && !Dim::Cached.idle_in(self.technique, true) => {
                                axis.values.retain(|&v| v != 1);
                            }
                            Dim::Cached if layout == 0 => {
                                axis.values.retain(|&v| v <= most_cached(self.technique, false));
                            }
                            dim if dim.idle_in(self.technique, layout == 1) => {
                                axis.values.retain(|&v| v == axis.dimension.default);
                            }
                            _ => {}
                        }
                    }
                    part.count()
                })
                .sum();
        }
        let factor = if self.has(Dim::Interleave) { Dim::Interleave } else { Dim::Unroll };
        let dependent: &[Dim] = if self.has(Dim::Prefetch) {
            &[factor, Dim::Prefetch, Dim::Source, Dim::Ahead]
        } else if self.has(Dim::Tables) {
            &[Dim::Tables, Dim::Last, Dim::RoundKeys, Dim::Extract]
        } else {
            &[]
        };
        let (coupled, free): (Vec<&Axis>, Vec<&Axis>) =
            self.axes.iter().partition(|a| dependent.contains(&a.dimension.dim));
        let free: u128 = free.iter().map(|a| a.values.len() as u128).product();
        let mut fixed = self.clone();
        for axis in &mut fixed.axes {
            if !coupled.iter().any(|c| c.dimension.dim == axis.dimension.dim) {
                axis.values.truncate(1);
            }
        }
        let mut together = 0u128;
        fixed.each(|_| {
            together += 1;
            ControlFlow::Continue(())
        });
        free * together
    }

    fn values(&self, dim: Dim) -> Vec<u16> {
        self.axes.iter().find(|a| a.dimension.dim == dim).map_or_else(Vec::new, |a| a.values.clone())
    }

    fn has(&self, dim: Dim) -> bool {
        self.axes.iter().any(|a| a.dimension.dim == dim)
    }

    /// Calls `visit` with each variant, in a fixed order, until it says to stop.
    pub fn each(&self, mut visit: impl FnMut(Variant) -> ControlFlow<()>) {
        let mut digits = vec![0usize; self.axes.len()];
        loop {
            let mut variant = Variant::plain(self.problem, self.technique);
            for (axis, &digit) in self.axes.iter().zip(&digits) {
                variant.set(axis.dimension.dim, axis.values[digit]);
            }
            if variant.check().is_ok() && visit(variant).is_break() {
                return;
            }
            let Some(place) = (0..digits.len()).rev().find(|&i| digits[i] + 1 < self.axes[i].values.len())
            else {
                return;
            };
            digits[place] += 1;
            digits[place + 1..].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::KeySize;

    #[test]
    fn the_count_is_what_enumeration_visits() {
        let problem = Problem::new(KeySize::Aes128, Task::Ctr);
        let mut space = Space::new(problem, 1);
        for axis in &mut space.axes {
            match axis.dimension.dim {
                Dim::Interleave | Dim::Prefetch | Dim::Source | Dim::Ahead | Dim::Counter => {}
                _ => axis.values.truncate(1),
            }
        }
        let mut seen = 0u128;
        space.each(|_| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(seen, space.count());
    }

    #[test]
    fn other_techniques_are_counted_exactly_too() {
        let problem = Problem::new(KeySize::Aes128, Task::Ctr);
        for (technique, narrowed) in [
            (Technique::Table, &[Dim::Align, Dim::Loop][..]),
            (Technique::Gfni, &[Dim::Keys, Dim::Distance, Dim::Interval, Dim::Interleave, Dim::Prefetch]),
        ] {
            let mut space = Space::of(problem, technique, 1);
            for axis in &mut space.axes {
                if narrowed.contains(&axis.dimension.dim) {
                    axis.values.truncate(2);
                }
                if axis.dimension.dim == Dim::Source || axis.dimension.dim == Dim::Ahead {
                    axis.values.truncate(1);
                }
            }
            let mut seen = 0u128;
            space.each(|_| {
                seen += 1;
                ControlFlow::Continue(())
            });
            assert_eq!(seen, space.count(), "{technique}");
        }
    }

    #[test]
    fn the_papers_subspace() {
        let problem = Problem::new(KeySize::Aes256, Task::Ctr);
        assert_eq!(Space::paper(problem, 4).unwrap().count(), 221_184);
        assert!(Space::new(problem, 4).count() > 1_000_000_000);
    }
}
