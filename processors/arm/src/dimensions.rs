//! The choices of kernels in ARM state.

use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};

use aesmith_arrange::choices::{Dimension, Variant};

fn encrypts(variant: &Variant) -> bool {
    !matches!(variant.problem.task, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt | Task::KeySchedule(_))
}

fn schedules(variant: &Variant) -> bool {
    matches!(variant.problem.task, Task::KeySchedule(_))
}

fn looks_up(variant: &Variant) -> bool {
    variant.is("state", "bytes") && variant.is("technique", "table")
}

/// In the order in which they depend on each other.
pub static DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "state",
        values: &["bytes", "sliced"],
        about: "a block's bytes, or two blocks as slices of bits, in constant time",
        applies: |v| {
            matches!(v.problem.task, Task::Ecb(Direction::Encrypt) | Task::KeySchedule(Direction::Encrypt))
        },
    },
    Dimension {
        name: "technique",
        values: &["table", "sbox"],
        about: "look-ups in a T-table, or in an S-box with MixColumns in plain code",
        applies: |v| matches!(v.problem.task, Task::Ecb(_)) && v.is("state", "bytes"),
    },
    Dimension {
        name: "schedule",
        values: &["before", "fly"],
        about: "round keys made before and read, or made from the cipher key as rounds go",
        // Decryption by T-tables would pass every round key through InvMixColumns on the way.
        applies: |v| {
            let encrypts = v.problem.task == Task::Ecb(Direction::Encrypt);
            let decrypts = v.problem.task == Task::Ecb(Direction::Decrypt);
            v.is("state", "bytes") && (encrypts || decrypts && v.is("technique", "sbox"))
        },
    },
    Dimension {
        name: "rounds",
        values: &["unrolled", "looped"],
        about: "all rounds in a row, or a loop; on the fly, rounds of the larger keys differ from each other",
        applies: |v| {
            let encrypts128 = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
            v.is("schedule", "before") || v.problem == encrypts128
        },
    },
    Dimension {
        name: "body",
        values: &["two", "one"],
        about: "what a loop holds: two rounds, left in the middle, or one and moves of the state",
        applies: |v| v.is("rounds", "looped") && v.is("schedule", "before") && !schedules(v) && looks_up(v),
    },
    Dimension {
        name: "last",
        values: &["sbox", "table"],
        about: "the last round's bytes from an S-box of 256 bytes, or from the T-table, which has them too",
        applies: |v| encrypts(v) && v.is("schedule", "before") && looks_up(v),
    },
    Dimension {
        name: "counter",
        values: &["cached", "each"],
        about: "what the first two rounds share while only the counter's last byte changes is kept, or not",
        applies: |v| v.problem.task == Task::Ctr,
    },
];
