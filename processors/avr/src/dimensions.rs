//! The choices of AVR's kernels.

use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};

use aesmith_arrange::{Dimension, Earlier, choices, numbered};

choices! {
    Sbox "sbox" { Ram "ram", Flash "flash" }
    Doubling "doubling" { Table "table", Branch "branch", Mask "mask" }
    Rounds "rounds" { Unrolled "unrolled", Threes "threes", Looped "looped", Compact "compact", Steps "steps", Joined "joined" }
    Convention "convention" { C "c", Registers "registers" }
    Schedule "schedule" { Before "before", Fly "fly" }
    Counter "counter" { Each "each", Cached "cached" }
    Keys "keys" { Own "own", Forward "forward" }
}

/// The dimensions, ordered by their dependencies.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Sbox>("where the S-box lies: ld takes 2 cycles, lpm 3", |_| true),
    Dimension::of::<Doubling>(
        "xtime by a table in RAM, by lsl and brcc (3 cycles either way), or by lsl and a mask",
        |_| true,
    ),
    Dimension::of::<Rounds>(
        "all rounds in a row, three in a loop's body, or one; one loop in which each step is written once, or in which \
         the key is added where bytes are looked up and the last key behind it; or loops over the bytes of a state, or \
         the words of a key schedule, in memory",
        |_| true,
    ),
    Dimension::of::<Convention>(
        "a C function by itself, or one around a function on a block in registers, which is exported as well",
        |v| matches!(v.problem.task, Task::Ecb(_)) && !v.is(Rounds::Compact),
    ),
    Dimension::of::<Schedule>("round keys made before, or from the cipher key as rounds go", |v| {
        v.problem == Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt)) && v.is(Rounds::Compact)
    })
    .formerly(&[Earlier::new("schedule=onthefly", &["schedule=fly"])]),
    Dimension::of::<Counter>(
        "what 256 counters share of the first two rounds: made for each block, or kept on the stack",
        |v| v.problem.task == Task::Ctr && v.is(Rounds::Unrolled),
    )
    .formerly(&[
        Earlier::new("caching=none", &["counter=each"]),
        Earlier::new("caching=first", &["counter=cached"]),
    ]),
    Dimension::of::<Keys>(
        "round keys of decryption, InvMixColumns applied; or those of encryption, used backwards",
        |v| {
            matches!(v.problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt)
                && !v.is(Rounds::Compact)
        },
    ),
]);
