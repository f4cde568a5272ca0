//! The choices of kernels in ARM state.

use aesmith_cipher::problem::{Direction, Task};

use crate::variant::{Dimension, Variant};

fn encrypts(variant: &Variant) -> bool {
    !matches!(variant.problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt | Task::KeySchedule(_))
}

/// In the order in which they depend on each other.
pub static DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "rounds",
        values: &["unrolled", "two", "one"],
        about: "all rounds in a row, two in a loop that is left in its middle, or one with the state moved back",
        applies: |_| true,
    },
    Dimension {
        name: "last",
        values: &["sbox", "table"],
        about: "the last round's bytes from an S-box of 256 bytes, or from the T-table, which has them too",
        applies: encrypts,
    },
];
