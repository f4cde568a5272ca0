//! The dimensions of kernels for i386.

use aesmith_arrange as arrange;
use aesmith_arrange::{Dimension, Variant, choices, numbered};
use aesmith_cipher::Task;

choices! {
    Technique "technique" { Table "table" }
    Tables "tables" { Overlapping "overlapping", Four "four" }
    Bytes "bytes" { Registers "registers", Memory "memory" }
    Counter "counter" { Each "each", Cached "cached" }
}

/// All dimensions.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>("look-ups of SubBytes and MixColumns together in tables of words", |_| true),
    Dimension::of::<Tables>(
        "one table of 2 KiB whose entries are of 8 bytes, read at the byte where a row's column begins, or four of 1 KiB",
        |_| true,
    ),
    Dimension::of::<Bytes>(
        "of the two words of the state that registers do not hold, whether they come back to registers, or their bytes are loaded from the stack",
        |v| !matches!(v.problem.task, Task::KeySchedule(_)),
    ),
    Dimension::of::<Counter>(
        "whether what 256 counters share of the first two rounds is made once, or each block is computed whole",
        |v| v.problem.task == Task::Ctr,
    ),
]);

/// The technique of a round.
pub fn technique(_: &Variant) -> arrange::Technique {
    arrange::Technique::Table
}
