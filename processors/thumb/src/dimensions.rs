//! The choices of kernels for the Cortex-M.

use aesmith_cipher::problem::{Direction, Task};

use aesmith_arrange::choices::Dimension;

/// Of ARMv7-M, in the order in which they depend on each other.
pub static V7M: &[Dimension] = &[
    Dimension {
        name: "technique",
        values: &["tables", "fixsliced"],
        about: "look-ups in a T-table, or two blocks as bit slices in constant time; for key schedules, whose round keys",
        applies: |v| {
            let forward = Direction::Encrypt;
            [Task::Ecb(forward), Task::KeySchedule(forward)].contains(&v.problem.task)
        },
    },
    Dimension {
        name: "rounds",
        values: &["unrolled", "looped"],
        about: "all rounds in a row, or a loop of one",
        applies: |v| matches!(v.problem.task, Task::Ecb(_)),
    },
    Dimension {
        name: "counter",
        values: &["cached", "each"],
        about: "what 256 counters share of the first two rounds kept, or every block as any other",
        applies: |v| v.problem.task == Task::Ctr,
    },
];

/// Of ARMv6-M.
pub static V6M: &[Dimension] = &[Dimension {
    name: "rounds",
    values: &["unrolled", "looped"],
    about: "all rounds in a row, or a loop of one",
    applies: |v| !matches!(v.problem.task, Task::KeySchedule(_)),
}];
