//! The space of one problem: its exact size, and the subspace of Manley, Magrath and Gregg (2010).

use crate::dimensions::{Dim, Dimension, dimensions};
use crate::variant::Variant;
use aesmith_cipher::{Problem, Task};

/// The search space of one problem: dimensions, each with the values it may take.
#[derive(Clone, Debug)]
pub struct Space {
    /// What is computed.
    pub problem: Problem,
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
    /// Everything that `problem` has, but for register widths above `lanes` blocks (1, 2 or 4),
    /// and without wiping, which is asked for and not searched.
    pub fn new(problem: Problem, lanes: usize) -> Space {
        let axes = dimensions(problem)
            .map(|dimension| {
                let values = (0..dimension.values.count()).map(|i| dimension.values.at(i));
                let values = values.filter(|&v| match dimension.dim {
                    Dim::Width => 1usize << v <= lanes,
                    Dim::Wipe => v == 0,
                    _ => true,
                });
                Axis { dimension, values: values.collect() }
            })
            .collect();
        Space { problem, axes }
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

    /// The exact number of variants, orders of instructions not counted. `source` and `ahead`
    /// run to the interleave or unroll factor where there is prefetch, and are fixed where not.
    pub fn count(&self) -> u128 {
        let has = |dim| self.axes.iter().any(|a| a.dimension.dim == dim);
        let independent: u128 = self
            .axes
            .iter()
            .filter(|a| {
                !matches!(
                    a.dimension.dim,
                    Dim::Interleave | Dim::Unroll | Dim::Prefetch | Dim::Source | Dim::Ahead
                )
            })
            .map(|a| a.values.len() as u128)
            .product();
        if !has(Dim::Prefetch) {
            return independent;
        }
        let values = |dim| {
            self.axes.iter().find(|a| a.dimension.dim == dim).map_or_else(Vec::new, |a| a.values.clone())
        };
        let factors = if has(Dim::Interleave) { values(Dim::Interleave) } else { values(Dim::Unroll) };
        let mut dependent = 0u128;
        for &factor in &factors {
            for &prefetch in &values(Dim::Prefetch) {
                let most = if prefetch == 0 { 1 } else { factor.max(1) };
                let sources = values(Dim::Source).iter().filter(|&&s| s <= most).count() as u128;
                let aheads = values(Dim::Ahead).iter().filter(|&&a| a < most).count() as u128;
                dependent += sources * aheads;
            }
        }
        independent * dependent
    }

    /// Calls `visit` with each variant, in a fixed order, until it says to stop.
    pub fn each(&self, mut visit: impl FnMut(Variant) -> std::ops::ControlFlow<()>) {
        let mut digits = vec![0usize; self.axes.len()];
        loop {
            let mut variant = Variant::baseline(self.problem);
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
    use std::ops::ControlFlow;

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
    fn the_papers_subspace() {
        let problem = Problem::new(KeySize::Aes256, Task::Ctr);
        assert_eq!(Space::paper(problem, 4).unwrap().count(), 221_184);
        assert!(Space::new(problem, 4).count() > 1_000_000_000);
    }
}
