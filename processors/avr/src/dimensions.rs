//! The choices of AVR's kernels.

use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};

use aesmith_arrange::choices::Dimension;

/// In the order in which they depend on each other.
pub static DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "sbox",
        values: &["ram", "flash"],
        about: "where the S-box lies: ld takes 2 cycles, lpm 3",
        applies: |_| true,
    },
    Dimension {
        name: "doubling",
        values: &["table", "branch", "mask"],
        about: "xtime by a table in RAM, by lsl and brcc (3 cycles either way), or by lsl and a mask",
        applies: |_| true,
    },
    Dimension {
        name: "rounds",
        values: &["unrolled", "threes", "looped", "compact"],
        about: "all rounds in a row, three in a loop's body, or one; or loops over the bytes of a state in memory",
        applies: |_| true,
    },
    Dimension {
        name: "form",
        values: &["function", "registers"],
        about: "a C function, or one that calls a subroutine on a block in registers, which is exported",
        applies: |v| matches!(v.problem.task, Task::Ecb(_)) && !v.is("rounds", "compact"),
    },
    Dimension {
        name: "schedule",
        values: &["before", "onthefly"],
        about: "round keys made before, or from the cipher key as rounds go",
        applies: |v| {
            v.problem == Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt))
                && v.is("rounds", "compact")
        },
    },
    Dimension {
        name: "caching",
        values: &["none", "first"],
        about: "what 256 counters share of the first two rounds: made for each block, or kept on the stack",
        applies: |v| v.problem.task == Task::Ctr && v.is("rounds", "unrolled"),
    },
];
