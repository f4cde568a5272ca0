//! Cycles below which no kernel by look-ups in T-tables can run.

use aesmith_cipher::problem::Task;

use aesmith_arrange::choices::Variant;

const ABOUT: &str = "a block's look-ups (extract, load, add; the highest bytes of the last round are indices as \
they are), words of text and round keys loaded four at a time, the first key's additions and the result's \
stores, one cycle each where nothing waits; saved registers, call and return are not counted";

const CACHED: &str = "a block's look-ups from the third round on, five before it, what those are added to, \
round keys and text loaded four words at a time, the text's additions and the result's stores";

/// Of one block, where a load costs `load` cycles and four words at once cost `four`.
pub fn bound(variant: &Variant, load: u32, four: u32) -> Option<(f64, &'static str)> {
    if matches!(variant.problem.task, Task::KeySchedule(_))
        || variant.is("state", "sliced")
        || variant.is("technique", "sbox")
        || variant.is("schedule", "fly")
    {
        return None;
    }
    let rounds = variant.problem.key.rounds() as u32;
    let whitening = four + four + 4;
    let inner = (rounds - 1) * (four + 16 * (2 + load));
    let last = four + 16 * (2 + load) - 4;
    // Four words stored take as long as four loaded, less the one cycle a load ends with (5 on ARM7TDMI).
    let stores = if load > 1 { four - 1 } else { four };
    if variant.problem.task == Task::Ctr && !variant.is("counter", "each") {
        // What is kept: 6 words; one byte of the first round, four of the second; the others in full.
        let kept = four + 2 + 1 + 5 * (2 + load);
        let text = four + 4 + stores;
        return Some((f64::from(kept + (rounds - 3) * (four + 16 * (2 + load)) + last + text), CACHED));
    }
    // Messages add the text to a chain or to what was encrypted.
    let chain = if matches!(variant.problem.task, Task::Ecb(_)) { 0 } else { 4 };
    Some((f64::from(whitening + inner + last + stores + chain), ABOUT))
}
