//! The spaces of this table: all variants of a problem with a technique, the subspace of Manley, Magrath and Gregg
//! (2010), and their exact sizes.

use super::rules::{has_value, most_cached};
use super::{Dim, space};
use aesmith_arrange::{Axis, Dimension, Space, Variant};
use aesmith_cipher::{Problem, Task};
use std::ops::ControlFlow;

/// True if searches may give a dimension a value, for a technique on registers of at most `lanes` blocks (1, 2 or 4).
pub(super) fn offers(dimension: &Dimension, value: u16, plain: &Variant, lanes: usize) -> bool {
    let technique = plain.technique;
    match Dim::of(dimension) {
        Dim::Width if technique.record().only_lanes.is_some() => {
            Some(1 << value) == technique.record().only_lanes
        }
        Dim::Width => 1usize << value <= lanes,
        // A block on words fills the general registers; at most two fit.
        Dim::Interleave if technique.on_words() => value <= 2,
        dim if !has_value(plain.problem, dim, value) => false,
        Dim::Cached => value <= most_cached(technique, technique.record().caches_slices),
        _ => true,
    }
}

/// The paper's CTR subspace as counted here, 221,184 variants on one register width: keys in registers 0-15 (always the
/// first n), interleave factor 0-15, interleave distance 0-17, prefetch, restrict, streaming, and four choices of
/// counter and text folding.
pub(super) fn paper(problem: Problem, lanes: usize) -> Option<Space> {
    if problem.task != Task::Ctr {
        return None;
    }
    let mut space = space(problem, lanes);
    for axis in &mut space.axes {
        axis.values = match Dim::of(axis.dimension) {
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

/// The exact number of variants of a space, not counting orders of instructions: the number that [`Space::each`]
/// visits. Dimensions whose ranges depend on each other are enumerated, the others multiply.
pub(super) fn count(space: &Space) -> u128 {
    let layouts = values(space, Dim::Layout);
    if layouts.len() > 1 {
        return layouts
            .into_iter()
            .map(|layout| {
                let mut part = space.clone();
                for axis in &mut part.axes {
                    match Dim::of(axis.dimension) {
                        Dim::Layout => axis.values = vec![layout],
                        Dim::Cached if layout == 1 && !Dim::Cached.idle_in(space.plain.technique, true) => {
                            axis.values.retain(|&v| v != 1);
                        }
                        Dim::Cached if layout == 0 => {
                            axis.values.retain(|&v| v <= most_cached(space.plain.technique, false));
                        }
                        dim if dim.idle_in(space.plain.technique, layout == 1) => {
                            axis.values.retain(|&v| v == axis.dimension.default);
                        }
                        _ => {}
                    }
                }
                part.count()
            })
            .sum();
    }
    let factor = if has(space, Dim::Interleave) { Dim::Interleave } else { Dim::Unroll };
    let dependent: &[Dim] = if has(space, Dim::Prefetch) {
        &[factor, Dim::Prefetch, Dim::Source, Dim::Ahead]
    } else if has(space, Dim::Tables) {
        &[Dim::Tables, Dim::Last, Dim::RoundKeys, Dim::Extract]
    } else {
        &[]
    };
    let (coupled, free): (Vec<&Axis>, Vec<&Axis>) =
        space.axes.iter().partition(|a| dependent.contains(&Dim::of(a.dimension)));
    let free: u128 = free.iter().map(|a| a.values.len() as u128).product();
    let mut fixed = space.clone();
    for axis in &mut fixed.axes {
        if !coupled.iter().any(|c| c.dimension.place == axis.dimension.place) {
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

fn values(space: &Space, dim: Dim) -> Vec<u16> {
    space.axes.iter().find(|a| a.dimension.place == dim).map_or_else(Vec::new, |a| a.values.clone())
}

fn has(space: &Space, dim: Dim) -> bool {
    space.axes.iter().any(|a| a.dimension.place == dim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dimensions::TABLE;
    use aesmith_arrange::Technique;
    use aesmith_cipher::KeySize;

    #[test]
    fn the_count_is_what_enumeration_visits() {
        let problem = Problem::new(KeySize::Aes128, Task::Ctr);
        let mut space = super::super::space(problem, 1);
        for axis in &mut space.axes {
            match Dim::of(axis.dimension) {
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
            let mut space = TABLE.space_by(problem, technique, 1);
            for axis in &mut space.axes {
                if narrowed.contains(&Dim::of(axis.dimension)) {
                    axis.values.truncate(2);
                }
                if axis.dimension.place == Dim::Source || axis.dimension.place == Dim::Ahead {
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
        assert_eq!(paper(problem, 4).unwrap().count(), 221_184);
        assert!(super::super::space(problem, 4).count() > 1_000_000_000);
    }
}
