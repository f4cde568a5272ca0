//! What "Optimization of AES in Software" measured on a MicroBlaze with caches, and what the same
//! optimization does here.

use crate::counted::CountedProfile;
use crate::memory::Memory;
use crate::{Combination, Step};
use serde::Serialize;

/// A figure of the report, before and after an optimization. Those of functions are cycles, the
/// last is bytes of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The function, or the size of the code.
    pub what: &'static str,
    /// Its step.
    pub step: Option<Step>,
    /// The optimization.
    pub by: &'static str,
    /// Which combination has it and no other; all four for the size.
    pub on: Combination,
    /// Before and after.
    pub figures: (u64, u64),
}

const NONE: Combination = Combination { unrolled: false, looked_up: false, inlined: false, words: false };

/// The report's figures.
pub const PUBLISHED: [Published; 4] = [
    Published {
        what: "AddRoundKey",
        step: Some(Step::AddRoundKey),
        by: "words",
        on: Combination { words: true, ..NONE },
        figures: (21_812, 13_528),
    },
    Published {
        what: "SubBytes",
        step: Some(Step::SubBytes),
        by: "unrolled",
        on: Combination { unrolled: true, ..NONE },
        figures: (17_739, 6_097),
    },
    Published {
        what: "MixColumns",
        step: Some(Step::MixColumns),
        by: "look-up",
        on: Combination { looked_up: true, ..NONE },
        figures: (41_524, 23_643),
    },
    Published {
        what: "text, bytes",
        step: None,
        by: "all",
        on: Combination { unrolled: true, looked_up: true, inlined: true, words: true },
        figures: (28_892, 12_302),
    },
];

/// Cycles of ExpandKey in the report, which none of its optimizations changed.
pub const EXPAND_KEY: u64 = 160_376;

/// The report's figure and ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The function, or the size of the code.
    pub what: &'static str,
    /// The optimization.
    pub by: &'static str,
    /// In the report, before and after.
    pub published: (u64, u64),
    /// Here with everything in local memory.
    pub local: (u64, u64),
    /// Here with caches, as in the report.
    pub cached: (u64, u64),
}

/// What is left of a figure by an optimization, in per cent.
pub fn left(figures: (u64, u64)) -> f64 {
    100.0 * figures.1 as f64 / figures.0.max(1) as f64
}

/// The report's figures beside ours.
pub fn compare(profiles: &[CountedProfile]) -> Vec<Comparison> {
    let find = |combination: Combination| profiles.iter().find(|p| p.combination == combination);
    let figure = |profile: Option<&CountedProfile>, step: Option<Step>, memory: Memory| {
        let Some(profile) = profile else { return 0 };
        match step {
            Some(step) => profile.runs.iter().find(|r| r.memory == memory).map_or(0, |run| run.of(step)),
            None => profile.sizes.text,
        }
    };
    let compared = |p: &Published| {
        let ours = |memory| (figure(find(NONE), p.step, memory), figure(find(p.on), p.step, memory));
        let (local, cached) = (ours(Memory::Local), ours(Memory::Cached));
        Comparison { what: p.what, by: p.by, published: p.figures, local, cached }
    };
    PUBLISHED.iter().map(compared).collect()
}
