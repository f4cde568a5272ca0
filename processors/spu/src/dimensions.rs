//! The dimensions of kernels for the SPU.

use aesmith_arrange as arrange;
use aesmith_arrange::{Dimension, Earlier, Variant, choices, numbered};
use aesmith_cipher::Task;
use aesmith_vectors::messages::begins_ahead;

choices! {
    Technique "technique" { Vperm "vperm" }
    Blocks "blocks" { Sixteen "16", Eight "8", Four "4", One "1" }
    Group "group" { Four "4", Two "2", One "1" }
    Together "together" { Four "4", One "1" }
    Begun "begun" { None "0", One "1", Two "2" }
    Counter "counter" { Each "each", Cached "cached" }
    ShiftRows "shiftrows" { Shuffled "shuffled", Fixsliced "fixsliced" }
    Nibbles "nibbles" { Odd "odd", Even "even" }
    Columns "columns" { Odd "odd", Even "even" }
}

fn is_block(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ecb(_))
}

/// All dimensions.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>(
        "SubBytes by look-ups of nibbles with permutations of bytes, in a tower field",
        |_| true,
    ),
    Dimension::of::<Blocks>("how many blocks a call takes", is_block),
    Dimension::of::<Group>("how many blocks are written side by side", |v| is_block(v) && !v.is(Blocks::One)),
    Dimension::of::<Together>("how many blocks of a message are worked on side by side", |v| {
        v.problem.has_iv() && !matches!(v.problem.task, Task::CbcEncrypt { .. })
    }),
    Dimension::of::<Counter>(
        "whether what 256 counters share of the first two rounds is made once, or each block is computed whole",
        |v| v.problem.task == Task::Ctr && v.is(Together::Four),
    ),
    Dimension::of::<Begun>(
        "how many rounds of the next blocks are begun while these end: AddRoundKey of the first key is one, and so are the two rounds that counters share",
        |v| begins_ahead(v.problem.task, v.is(Counter::Cached)),
    ),
    Dimension::of::<ShiftRows>(
        "whether ShiftRows is done, or left out and made good in MixColumns (fixslicing)",
        |v| v.problem.is_message(),
    )
    .formerly(&[
        Earlier::new("rows=shifted", &["shiftrows=shuffled"]),
        Earlier::new("rows=fixed", &["shiftrows=fixsliced"]),
    ]),
    Dimension::of::<Nibbles>(
        "the pipe in which upper nibbles are moved down: a shift of the register, or one of half words",
        |_| true,
    ),
    Dimension::of::<Columns>(
        "the pipe in which columns are rotated: a shuffle, or a rotation of words",
        |_| true,
    ),
]);

/// The technique of a round.
pub fn technique(_: &Variant) -> arrange::Technique {
    arrange::Technique::Vperm
}
