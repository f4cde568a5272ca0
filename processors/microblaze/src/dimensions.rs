//! The choices of kernels for MicroBlaze.

use aesmith_cipher::{Direction, Task};

use aesmith_arrange::choices::{Dimension, Variant};

fn has_rounds(v: &Variant) -> bool {
    !matches!(v.problem.task, Task::KeySchedule(_))
}

fn shifts(v: &Variant) -> bool {
    v.is("barrel", "yes")
}

/// All of them.
pub const DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "technique",
        values: &["table", "sbox"],
        about: "look-ups of SubBytes and MixColumns together in tables of words, or of SubBytes alone in 256 bytes with MixColumns computed on words",
        applies: has_rounds,
    },
    Dimension {
        name: "barrel",
        values: &["yes", "no"],
        about: "whether the processor has the barrel shifter; without it, bytes are reached through memory",
        applies: |_| true,
    },
    Dimension {
        name: "tables",
        values: &["4", "2", "1"],
        about: "tables of 1 KiB, one for each row; with fewer, words are rotated",
        applies: |v| has_rounds(v) && v.is("technique", "table"),
    },
    Dimension {
        name: "rounds",
        values: &["unrolled", "looped"],
        about: "rounds, or those of the key schedule, one after another or as a loop",
        applies: |_| true,
    },
    Dimension {
        name: "schedule",
        values: &["stored", "onthefly"],
        about: "round keys read from memory, or made from the cipher key on the way",
        applies: |v| v.problem.task == Task::Ecb(Direction::Encrypt) && v.is("rounds", "unrolled"),
    },
    Dimension {
        name: "extract",
        values: &["shifts", "memory"],
        about: "bytes of a word by shift and mask, or stored and loaded",
        applies: shifts,
    },
    Dimension {
        name: "join",
        values: &["stores", "shifts"],
        about: "a word of four looked-up bytes: stored as bytes and loaded, or shifted together",
        applies: shifts,
    },
    Dimension {
        name: "saved",
        values: &["8", "7", "9", "10", "11", "12", "13"],
        about: "how many of r19 to r31 may be used, each of which is saved and restored; what does not fit is put off to the stack; loops may use all",
        applies: |v| v.is("rounds", "unrolled"),
    },
];
