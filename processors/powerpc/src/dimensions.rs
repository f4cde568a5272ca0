//! The choices of kernels for PowerPC.

use aesmith_arrange as arrange;
use aesmith_arrange::{Choice, Dimension, Variant, choices, numbered};
use aesmith_cipher::Task;

choices! {
    Technique "technique" { Table "table" }
    Tables "tables" { Four "4", One "1" }
    Pointers "pointers" { None "0", Two "2", Three "3", Four "4", Five "5", Six "6", Eight "8" }
    Counter "counter" { Each "each", Cached "cached" }
    Ahead "ahead" { No "no", Yes "yes" }
    Kept "kept" { None "0", One "1", Two "2", Three "3", Four "4", Five "5", Six "6", Seven "7", Eight "8" }
}

fn counts(v: &Variant) -> bool {
    v.problem.task == Task::Ctr
}

fn is_message(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ctr | Task::CbcDecrypt | Task::CbcEncrypt { .. })
}

/// All of them.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>("look-ups of SubBytes and MixColumns together in tables of words", |_| true),
    Dimension::of::<Tables>("tables of 1 KiB, one for each row; with one, its entries are turned", |_| true),
    Dimension::of::<Pointers>(
        "registers that hold the tables' address, into which an index is inserted, while the load has the table's distance; with none, an index is added to the address of each table",
        |v| !matches!(v.problem.task, Task::KeySchedule(_)),
    ),
    Dimension::of::<Counter>(
        "whether what 256 counters share of the first two rounds is made once, or each block is computed whole",
        counts,
    ),
    Dimension::of::<Ahead>(
        "whether a block makes the next one's state after two rounds, so that its end and the next beginning overlap",
        // Where the counter's last byte wraps, the state ahead is thrown away; until then its look-up is one in the
        // table before its own, and there must be one.
        |v| counts(v) && v.is(Counter::Cached) && v.is(Tables::Four),
    ),
    Dimension::of::<Kept>(
        "how many words of the round keys stay in registers from block to block",
        is_message,
    ),
]);

/// How a round is computed.
pub fn technique(_: &Variant) -> arrange::Technique {
    arrange::Technique::Table
}

impl Tables {
    /// How many tables.
    pub fn number(self) -> u8 {
        [4, 1][self as usize]
    }
}

impl Pointers {
    /// How many registers.
    pub fn registers(self) -> u8 {
        self.text().parse().expect("a number, as the table of choices says")
    }
}

impl Kept {
    /// How many words.
    pub fn words(self) -> u8 {
        self.text().parse().expect("a number, as the table of choices says")
    }
}
