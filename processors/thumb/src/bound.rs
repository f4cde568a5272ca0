//! Lower bounds on the cycles of kernels with T-table look-ups.

use crate::dimensions;
use aesmith_cipher::problem::Task;
use aesmith_isa::timing::Timing;

use aesmith_arrange::Variant;

const ABOUT_V7M: &str = "a block's look-ups (extract, load, add), words of text and round keys, the first key's \
additions and the result's stores, one cycle each as in endless runs of loads, and a second run of loads a round, \
as 14 registers do not hold 16 indices; the T-table's address, saved registers, call and return are not counted";

const ABOUT_PAIRS: &str = "a block's look-ups (extract, load, add), words of text and round keys, the first key's \
additions and the result's stores, two instructions a cycle; the T-table's address, saved registers, call, return and \
results that are waited for are not counted";

const ABOUT_V6M: &str = "a block's look-ups (two instructions for an index, of bytes at the ends of a word in the \
last round one, a load of two cycles, an addition), three rotations or shifts a column, words of text and round \
keys loaded four at a time in five cycles; moves between low and high registers, saved registers, call and return \
are not counted";

/// True if a variant processes one block with a T-table.
fn looks_up_columns(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ecb(_)) && v.is(dimensions::Technique::Table)
}

/// The bound for one block on ARMv7-M.
pub(crate) fn v7m(variant: &Variant, timing: &Timing) -> Option<(f64, &'static str)> {
    if !looks_up_columns(variant) {
        return None;
    }
    let rounds = variant.problem.key.rounds() as u32;
    let (alu, store) = (timing.cycles("alu"), timing.cycles("store"));
    // The cost of a load in a run, and the extra cost of the first load.
    let (load, first) = (timing.least("load"), timing.cycles("load") - timing.least("load"));
    let round = 16 * (2 * alu + load) + 4 * load + 2 * first;
    // Text and the first round key in a run, its additions, the result.
    let outer = 2 * 4 * load + first + 4 * alu + 4 * store;
    Some((f64::from(rounds * round + outer), ABOUT_V7M))
}

/// The bound for one block on ARMv7-M with two instructions per cycle.
pub(crate) fn v7m_in_pairs(variant: &Variant, timing: &Timing) -> Option<(f64, &'static str)> {
    let all = instructions(variant)?;
    Some((f64::from(all) / f64::from(timing.issue.width), ABOUT_PAIRS))
}

/// The number of instructions: look-ups of three instructions, loads of round keys and text, additions of the
/// first key, stores.
fn instructions(variant: &Variant) -> Option<u32> {
    if !looks_up_columns(variant) {
        return None;
    }
    Some(variant.problem.key.rounds() as u32 * (16 * 3 + 4) + 2 * 4 + 4 + 4)
}

/// The bound for one block on ARMv6-M.
pub fn v6m(variant: &Variant, timing: &Timing) -> Option<(f64, &'static str)> {
    if matches!(variant.problem.task, Task::KeySchedule(_)) || !variant.is(dimensions::Technique::Table) {
        return None;
    }
    let rounds = variant.problem.key.rounds() as u32;
    let (alu, load) = (timing.cycles("alu"), timing.cycles("load"));
    let (four, stores) = (timing.cycles_of("loads", 4), timing.cycles_of("stores", 4));
    // Look-ups; of their results, 12 are added to others, 12 rotated, 4 added to the key.
    let round = 16 * (2 * alu + load) + (12 + 12 + 4) * alu + four;
    let last = round - 8 * alu;
    let outer = 2 * four + 4 * alu + stores;
    Some((f64::from((rounds - 1) * round + last + outer), ABOUT_V6M))
}
