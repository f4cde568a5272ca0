//! Lower bounds on the cycles of kernels with T-table look-ups.

use crate::dimensions;
use aesmith_cipher::problem::Task;
use aesmith_isa::timing::Timing;

use aesmith_arrange::Variant;

const ABOUT: &str = "a block's look-ups (extract, load, add; the highest bytes of the last round are indices as \
they are), words of text and round keys loaded four at a time, the first key's additions and the result's \
stores, one cycle each where nothing waits; saved registers, call and return are not counted";

const CACHED: &str = "a block's look-ups from the third round on, five before it, what those are added to, \
round keys and text loaded four words at a time, the text's additions and the result's stores";

/// The bound for one block.
pub fn bound(variant: &Variant, timing: &Timing) -> Option<(f64, &'static str)> {
    if matches!(variant.problem.task, Task::KeySchedule(_))
        || variant.is(dimensions::Technique::Bitsliced)
        || variant.is(dimensions::Technique::Bytewise)
        || variant.is(dimensions::Schedule::Fly)
    {
        return None;
    }
    let rounds = variant.problem.key.rounds() as u32;
    let add = timing.cycles("alu");
    let look_up = 2 * add + timing.cycles("load");
    let four = timing.cycles_of("load of several", 4);
    let stores = timing.cycles_of("store of several", 4);
    let whitening = four + four + 4 * add;
    let inner = (rounds - 1) * (four + 16 * look_up);
    // Four bytes need no extraction.
    let last = four + 16 * look_up - 4 * add;
    if variant.problem.task == Task::Ctr && !variant.is(dimensions::Counter::Each) {
        // Cached values: 6 words. One byte of the first round and four of the second are looked up, the other
        // rounds in full.
        let kept = timing.cycles_of("load of several", 6) + add + 5 * look_up;
        let text = four + 4 * add + stores;
        return Some((f64::from(kept + (rounds - 3) * (four + 16 * look_up) + last + text), CACHED));
    }
    // Messages add the text to a chaining value or to the cipher output.
    let chain = if matches!(variant.problem.task, Task::Ecb(_)) { 0 } else { 4 * add };
    Some((f64::from(whitening + inner + last + stores + chain), ABOUT))
}
