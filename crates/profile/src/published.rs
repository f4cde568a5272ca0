//! Figures that "Optimization of AES in Software" measured on a MicroBlaze with caches, beside the effect of the same
//! optimization here.

use crate::counted::CountedProfile;
use crate::memory::Memory;
use crate::{Combination, Sizes, Step};
use serde::Serialize;

/// Cycles of a function in the report, before and after an optimization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The function.
    pub step: Step,
    /// The optimization.
    pub by: &'static str,
    /// The combination with this optimization alone.
    pub on: Combination,
    /// Cycles before and after.
    pub figures: (u64, u64),
}

const NONE: Combination = Combination { unrolled: false, looked_up: false, inlined: false, words: false };

/// The report's cycles.
pub const PUBLISHED: [Published; 3] = [
    Published {
        step: Step::AddRoundKey,
        by: "words",
        on: Combination { words: true, ..NONE },
        figures: (21_812, 13_528),
    },
    Published {
        step: Step::SubBytes,
        by: "unrolled",
        on: Combination { unrolled: true, ..NONE },
        figures: (17_739, 6_097),
    },
    Published {
        step: Step::MixColumns,
        by: "look-up",
        on: Combination { looked_up: true, ..NONE },
        figures: (41_524, 23_643),
    },
];

/// Bytes of code in the report with one optimization alone. The report numbers the optimizations and does not measure
/// the program with all four. We assume that it numbers them in our order, because only the look-up is named beside its
/// size.
pub(crate) const TEXTS: [(&str, Combination, u64); 4] = [
    ("Opt 1", Combination { unrolled: true, ..NONE }, 29_236),
    ("look-up", Combination { looked_up: true, ..NONE }, 12_302),
    ("Opt 3", Combination { inlined: true, ..NONE }, 28_892),
    ("Opt 4", Combination { words: true, ..NONE }, 12_622),
];

/// Cycles of ExpandKey in the report, which none of its optimizations changes.
pub const EXPAND_KEY: u64 = 160_376;

/// A pair of figures of the report beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The function.
    pub what: &'static str,
    /// The optimization.
    pub by: &'static str,
    /// Cycles in the report, before and after.
    pub published: (u64, u64),
    /// Cycles here with everything in local memory.
    pub local: (u64, u64),
    /// Cycles here with caches, as in the report.
    pub cached: (u64, u64),
}

/// The part of a figure that remains after an optimization, in per cent.
pub fn left(figures: (u64, u64)) -> f64 {
    100.0 * figures.1 as f64 / figures.0.max(1) as f64
}

/// The size of a program in the report and here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SizeComparison {
    /// The report's name for the optimization.
    pub by: &'static str,
    /// The combination with this optimization alone.
    pub combination: Combination,
    /// Bytes of code in the report. Its data and bss sizes are not known here.
    pub published_text: u64,
    /// Code, data and bss here, in bytes.
    pub sizes: Sizes,
}

fn find(profiles: &[CountedProfile], combination: Combination) -> Option<&CountedProfile> {
    profiles.iter().find(|p| p.combination == combination)
}

/// The report's cycles beside ours.
pub fn compare(profiles: &[CountedProfile]) -> Vec<Comparison> {
    let figure = |combination: Combination, step: Step, memory: Memory| {
        let run = find(profiles, combination).and_then(|p| p.runs.iter().find(|r| r.memory == memory));
        run.map_or(0, |run| run.of(step))
    };
    let compared = |p: &Published| {
        let ours = |memory| (figure(NONE, p.step, memory), figure(p.on, p.step, memory));
        let (local, cached) = (ours(Memory::Local), ours(Memory::Cached));
        Comparison { what: p.step.name(), by: p.by, published: p.figures, local, cached }
    };
    PUBLISHED.iter().map(compared).collect()
}

/// The report's sizes beside ours.
pub(crate) fn compare_sizes(profiles: &[CountedProfile]) -> Vec<SizeComparison> {
    let compared = |&(by, combination, published_text): &(&'static str, Combination, u64)| {
        let sizes = find(profiles, combination)?.sizes;
        Some(SizeComparison { by, combination, published_text, sizes })
    };
    TEXTS.iter().filter_map(compared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(combination: Combination, text: u64) -> CountedProfile {
        CountedProfile { combination, sizes: Sizes { text, data: 2, bss: 3 }, runs: Vec::new() }
    }

    #[test]
    fn sizes_are_compared_of_programs_with_one_optimization() {
        let profiles: Vec<_> = Combination::all().zip(100..).map(|(c, text)| profile(c, text)).collect();
        let compared = compare_sizes(&profiles);
        // The bits of a combination's number are its optimizations: each of these has one bit.
        let ours: Vec<u64> = compared.iter().map(|c| c.sizes.text).collect();
        assert_eq!(ours, [101, 102, 104, 108]);
        let look_up = compared.iter().find(|c| c.combination.looked_up).expect("a row");
        assert_eq!((look_up.by, look_up.published_text), ("look-up", 12_302));
        assert!(compare_sizes(&[profile(NONE, 1)]).is_empty());
    }
}
