//! The choices of AVR's kernels.

use aesmith_cipher::problem::Task;

use crate::variant::Dimension;

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
        values: &["unrolled", "threes", "looped"],
        about: "all rounds in a row, three in a loop's body, or one",
        applies: |_| true,
    },
    Dimension {
        name: "form",
        values: &["function", "registers"],
        about: "a C function, or one that calls a subroutine on a block in registers, which is exported",
        applies: |v| matches!(v.problem.task, Task::Ecb(_)),
    },
];
