//! The dimensions of kernels in ARM state.

use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};

use aesmith_arrange as arrange;
use aesmith_arrange::{Dimension, Earlier, Variant, choices, numbered};

choices! {
    Schedule "schedule" { Before "before", Fly "fly" }
    Keys "keys" { Two "two", One "one" }
    Technique "technique" { Table "table", Bytewise "bytewise", Bitsliced "bitsliced" }
    Sbox "sbox" { LookUp "look-up", Circuit "circuit" }
    Rounds "rounds" { Unrolled "unrolled", Looped "looped" }
    Body "body" { Two "two", One "one" }
    Last "last" { Sbox "sbox", Table "table" }
    Counter "counter" { Cached "cached", Each "each" }
    Registers "registers" { All "all", Few "few" }
    Layout "layout" { Stated "stated", Found "found" }
}

fn encrypts(variant: &Variant) -> bool {
    !matches!(variant.problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt | Task::KeySchedule(_))
}

fn schedules(variant: &Variant) -> bool {
    matches!(variant.problem.task, Task::KeySchedule(_))
}

fn is_ecb(variant: &Variant) -> bool {
    matches!(variant.problem.task, Task::Ecb(_))
}

fn looks_up(variant: &Variant) -> bool {
    variant.is(Technique::Table)
}

/// The dimensions, ordered by their dependencies.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>(
        "look-ups in a T-table; in an S-box, with MixColumns in plain code; or two blocks as bit slices, in constant time. \
         For key schedules: the technique that reads the round keys",
        |v| is_ecb(v) || !v.is(Technique::Bytewise),
    )
    .formerly(&[
        Earlier::new("state=bytes", &["technique=table,bytewise"]),
        Earlier::new("state=sliced", &["technique=bitsliced"]),
        Earlier::beside("technique=table", "state", &["technique=table,bitsliced"]),
        Earlier::new("technique=sbox", &["technique=bytewise"]),
    ]),
    Dimension::of::<Schedule>(
        "round keys made before and read, or made from the cipher key as rounds go",
        // T-table decryption would apply InvMixColumns to every round key during the rounds.
        |v| {
            let encrypts = v.problem.task == Task::Ecb(Direction::Encrypt);
            let decrypts = v.problem.task == Task::Ecb(Direction::Decrypt);
            !v.is(Technique::Bitsliced) && (encrypts || decrypts && v.is(Technique::Bytewise))
        },
    ),
    Dimension::of::<Rounds>(
        "all rounds in a row, or a loop; on the fly, rounds of the larger keys differ from each other",
        |v| {
            let encrypts128 = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
            v.is(Schedule::Before) || v.problem == encrypts128
        },
    ),
    Dimension::of::<Sbox>(
        "the S-box of a key schedule's loop: looked up, or a circuit of gates in constant time",
        |v| schedules(v) && v.is(Rounds::Looped),
    ),
    Dimension::of::<Body>(
        "what a loop holds: two rounds, left in the middle, or one and moves of the state",
        |v| v.is(Rounds::Looped) && v.is(Schedule::Before) && !schedules(v) && looks_up(v),
    ),
    Dimension::of::<Last>(
        "the last round's bytes from an S-box of 256 bytes, or from the T-table, which has them too",
        |v| encrypts(v) && v.is(Schedule::Before) && looks_up(v),
    ),
    Dimension::of::<Counter>(
        "what the first two rounds share while only the counter's last byte changes is kept, or not",
        |v| v.problem.task == Task::Ctr && looks_up(v),
    ),
    Dimension::of::<Registers>(
        "all registers, and round keys loaded four words at a time, or so few that six are saved, and words loaded one by \
         one",
        |v| {
            is_ecb(v) && looks_up(v) && v.is(Schedule::Before) && v.is(Rounds::Unrolled)
        },
    ),
]);

/// The technique of a round.
pub fn technique(variant: &Variant) -> arrange::Technique {
    match variant.choice() {
        Some(Technique::Bitsliced) => arrange::Technique::Bitsliced,
        Some(Technique::Bytewise) => arrange::Technique::Bytewise,
        Some(Technique::Table) | None => arrange::Technique::Table,
    }
}
