//! The dimensions of kernels for PowerPC.

use aesmith_arrange as arrange;
use aesmith_arrange::{Dimension, Earlier, Variant, choices, numbered};
use aesmith_cipher::Task;
use aesmith_vectors::messages::begins_ahead;

choices! {
    Technique "technique" { Table "table", Vperm "vperm" }
    Tables "tables" { Four "4", One "1" }
    Pointers "pointers" { None "0", Two "2", Three "3", Four "4", Five "5", Six "6", Eight "8" }
    Counter "counter" { Each "each", Cached "cached" }
    Ahead "ahead" { No "no", Yes "yes" }
    Group "group" { Four "4", One "1" }
    Begun "begun" { None "0", One "1", Two "2" }
    ShiftRows "shiftrows" { Fixsliced "fixsliced", Shuffled "shuffled" }
    Columns "columns" { Permuted "permuted", Rotated "rotated" }
    Nibbles "nibbles" { Second "second", Masked "masked", Third "third", Permuted "permuted" }
    Constants "constants" { Twelve "12", Eight "8", Ten "10", Eleven "11", Thirteen "13", Fourteen "14", Fifteen "15", Sixteen "16", Seventeen "17", Eighteen "18" }
    Kept "kept" { None "0", One "1", Two "2", Three "3", Four "4", Five "5", Six "6", Seven "7", Eight "8" }
}

fn looks_up(v: &Variant) -> bool {
    !v.is(Technique::Vperm)
}

/// True if counters may share rounds; vectors do so for groups of four.
fn counts(v: &Variant) -> bool {
    v.problem.task == Task::Ctr && (looks_up(v) || v.is(Group::Four))
}

fn permutes_blocks(v: &Variant) -> bool {
    v.is(Technique::Vperm) && v.problem.is_message()
}

/// All dimensions.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>(
        "look-ups of SubBytes and MixColumns together in tables of words, or of nibbles with AltiVec's permutations, in a tower field",
        |_| true,
    ),
    Dimension::of::<Tables>("tables of 1 KiB, one for each row; with one, its entries are turned", looks_up),
    Dimension::of::<Pointers>(
        "registers that hold the tables' address, into which an index is inserted, while the load has the table's distance; with none, an index is added to the address of each table",
        |v| looks_up(v) && !matches!(v.problem.task, Task::KeySchedule(_)),
    ),
    Dimension::of::<Group>(
        "how many blocks are worked on side by side; without a chain value, a call takes as many",
        |v| permutes_blocks(v) && !matches!(v.problem.task, Task::CbcEncrypt { .. }),
    ),
    Dimension::of::<Counter>(
        "whether what 256 counters share of the first two rounds is made once, or each block is computed whole",
        counts,
    ),
    Dimension::of::<Ahead>(
        "whether a block makes the next one's state after two rounds, so that its end and the next beginning overlap",
        // If the counter's last byte wraps, the precomputed state is discarded; until then its look-up is one
        // in the table before its own, and there must be one.
        |v| looks_up(v) && counts(v) && v.is(Counter::Cached) && v.is(Tables::Four),
    ),
    Dimension::of::<Begun>(
        "how many rounds of the next blocks are begun while these end: AddRoundKey of the first key is one, and so are the two rounds that counters share",
        |v| v.is(Technique::Vperm) && begins_ahead(v.problem.task, v.is(Counter::Cached)),
    ),
    Dimension::of::<Kept>("how many words of the round keys stay in registers from block to block", |v| {
        looks_up(v) && v.problem.has_iv()
    }),
    Dimension::of::<ShiftRows>(
        "whether ShiftRows is done, or left out and made good in MixColumns (fixslicing)",
        permutes_blocks,
    )
    .formerly(&[
        Earlier::new("rows=fixed", &["shiftrows=fixsliced"]),
        Earlier::new("rows=shifted", &["shiftrows=shuffled"]),
    ]),
    Dimension::of::<Columns>(
        "the unit by which columns are rotated: that of permutations, or that of operations on elements",
        |v| v.is(Technique::Vperm),
    ),
    Dimension::of::<Nibbles>(
        "how lower nibbles are cut out: by masks, or all, every second or every third by a permutation",
        |v| v.is(Technique::Vperm),
    ),
    Dimension::of::<Constants>(
        "how many tables and other constants stay in vector registers throughout a call",
        permutes_blocks,
    ),
]);

/// The technique of a round.
pub fn technique(v: &Variant) -> arrange::Technique {
    if v.is(Technique::Vperm) { arrange::Technique::Vperm } else { arrange::Technique::Table }
}

impl Nibbles {
    /// One of this many bytes is extracted by a permutation; 0 for none.
    pub fn permuted(self) -> usize {
        match self {
            Nibbles::Masked => 0,
            Nibbles::Second => 2,
            Nibbles::Third => 3,
            Nibbles::Permuted => 1,
        }
    }
}
