//! The choices of kernels for GPUs.

use aesmith_arrange as arrange;
use aesmith_arrange::{Choice, Dimension, Variant, choices, numbered};
use aesmith_cipher::Task;

choices! {
    Technique "technique" { Table "table" }
    Tables "tables" { Four "4", Two "2" }
    Replicas "replicas" { All "32", Sixteen "16", Eight "8", Four "4" }
    Threads "threads" { Thousand "1024", Half "512", Quarter "256", Eighth "128" }
    Counter "counter" { Each "each", Cached "cached" }
    Blocks "blocks" { One "1", Two "2" }
}

/// All of them.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>("SubBytes, ShiftRows and MixColumns by look-ups in shared memory", |_| true),
    Dimension::of::<Tables>(
        "whether four tables stand in shared memory, or two, whose words are rotated by 16 bits for the others",
        |_| true,
    ),
    Dimension::of::<Replicas>(
        "copies of each word: with 32 each lane has a bank of its own, and time does not depend on data",
        |_| true,
    ),
    Dimension::of::<Threads>("threads of a block, which share tables", |_| true),
    Dimension::of::<Counter>(
        "whether what 256 counters share of the first two rounds is made once for eight blocks of a thread, or each block is computed whole",
        |v| v.problem.task == Task::Ctr,
    ),
    Dimension::of::<Blocks>("blocks of text that a thread works on side by side", |v| !v.is(Counter::Cached)),
]);

/// How a round is computed.
pub fn technique(_: &Variant) -> arrange::Technique {
    arrange::Technique::Table
}

impl Replicas {
    /// How many.
    pub fn count(self) -> i32 {
        self.number()
    }
}

impl Threads {
    /// How many.
    pub fn count(self) -> i32 {
        self.number()
    }
}

impl Blocks {
    /// How many.
    pub fn count(self) -> i32 {
        self.number()
    }
}
