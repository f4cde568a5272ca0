//! The dimensions of kernels for the Cortex-M.

use aesmith_cipher::problem::Task;

use aesmith_arrange as arrange;
use aesmith_arrange::{Dimension, Earlier, Variant, choices, numbered};

choices! {
    Technique "technique" { Table "table", Bytewise "bytewise", Bitsliced "bitsliced" }
    Keys "keys" { Plain "plain", Sliced "sliced" }
    Rounds "rounds" { Unrolled "unrolled", Looped "looped" }
    Sbox "sbox" { LookUp "look-up", Circuit "circuit" }
    Counter "counter" { Cached "cached", Each "each", Copied "copied" }
    Last "last" { Row "row", Columns "columns" }
    Tail "tail" { Own "own", Shared "shared" }
    Memory "memory" { Ram "ram", Flash "flash" }
}

const SBOX: Dimension = Dimension::of::<Sbox>(
    "the S-box of key schedules: looked up, all steps in a row, or a circuit of gates in constant time, in a loop",
    |v| matches!(v.problem.task, Task::KeySchedule(_)),
);

const IN_MEMORY: &str = "where a loop of rounds has its table: in RAM, or in flash, which is taken to answer as fast as at \
clocks without wait states";

const EARLIER: &[Earlier] = &[
    Earlier::new("technique=tables", &["technique=table,bytewise"]),
    Earlier::new("technique=fixsliced", &["technique=bitsliced"]),
    Earlier::new("technique=sliced", &["technique=bitsliced"]),
    Earlier::new("entries=columns", &["technique=table,bitsliced"]),
    Earlier::new("entries=bytes", &["technique=bytewise"]),
];

/// The dimensions of ARMv7-M, ordered by their dependencies.
pub(crate) static V7M: &[Dimension] = &numbered([
    Dimension::of::<Technique>(
        "columns looked up in a T-table of a KiB; bytes in an S-box, with MixColumns computed on words; or two blocks as \
         bit slices without ShiftRows (fixslicing), in constant time. For key schedules: the technique that reads the \
         round keys",
        |v| matches!(v.problem.task, Task::Ecb(_)) || !v.is(Technique::Bytewise),
    )
    .formerly(EARLIER),
    Dimension::of::<Rounds>("all rounds in a row, or a loop of one", |v| {
        matches!(v.problem.task, Task::Ecb(_)) || v.problem.has_iv() && v.is(Technique::Bitsliced)
    }),
    SBOX,
    Dimension::of::<Counter>(
        "what 256 counters share of the first two rounds kept, beside a copy of the later round keys on the stack or \
         not, or every block as any other",
        |v| v.problem.task == Task::Ctr && v.is(Technique::Table),
    ),
    Dimension::of::<Last>(
        "the last round of a loop of rounds by a T-table: in a row, or a loop of its columns",
        |v| small(v) && v.is(Technique::Table),
    ),
    Dimension::of::<Tail>(
        "the last round of a loop of rounds by bytes: look-ups of its own, or those of the loop, which is entered in its \
         midst",
        |v| small(v) && v.is(Technique::Bytewise),
    ),
    Dimension::of::<Memory>(IN_MEMORY, small),
]);

/// True if a variant processes one block with look-ups in a loop, for small flash and RAM. Unrolled rounds are
/// for few cycles, which tables in flash with wait states would cost again.
fn small(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ecb(_)) && looks_up(v) && v.is(Rounds::Looped)
}

/// True if a variant is a cipher with look-ups.
fn looks_up(v: &Variant) -> bool {
    !matches!(v.problem.task, Task::KeySchedule(_)) && !v.is(Technique::Bitsliced)
}

/// The dimensions of ARMv6-M.
pub(crate) static V6M: &[Dimension] = &numbered([
    Dimension::of::<Technique>(
        "columns looked up in a T-table of a KiB; bytes in an S-box, with MixColumns computed on words; or two blocks as \
         bit slices in a loop of rounds, in constant time",
        |v| !matches!(v.problem.task, Task::KeySchedule(_)),
    )
    .formerly(EARLIER),
    Dimension::of::<Rounds>("all rounds in a row, or a loop of one", looks_up),
    SBOX,
    Dimension::of::<Keys>("round keys of a circuit: as they are, or as slices of two blocks", |v| {
        v.is(Sbox::Circuit)
    }),
    Dimension::of::<Memory>(IN_MEMORY, |v| looks_up(v) && v.is(Rounds::Looped)),
]);

/// The technique of a round.
pub fn technique(variant: &Variant) -> arrange::Technique {
    match variant.choice() {
        Some(Technique::Bitsliced) => arrange::Technique::Bitsliced,
        Some(Technique::Bytewise) => arrange::Technique::Bytewise,
        Some(Technique::Table) | None => arrange::Technique::Table,
    }
}
