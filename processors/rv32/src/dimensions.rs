//! The choices of kernels of RV32 processors.

use aesmith_cipher::problem::{Direction, Task};

use aesmith_arrange::choices::{Dimension, Variant};

fn schedules(v: &Variant) -> bool {
    matches!(v.problem.task, Task::KeySchedule(_))
}

fn ecb(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ecb(_))
}

fn counters(v: &Variant) -> bool {
    v.problem.task == Task::Ctr && v.is("rounds", "unrolled")
}

fn sliced(v: &Variant) -> bool {
    v.is("state", "sliced")
}

const STATE: Dimension = Dimension {
    name: "state",
    values: &["bytes", "sliced"],
    about: "one block as bytes in words, or two as bit slices, in constant time",
    applies: ecb,
};

const KEYS: Dimension = Dimension {
    name: "keys",
    values: &["plain", "sliced"],
    about: "round keys as FIPS-197 has them, or bit slices for two blocks",
    applies: |v| schedules(v) && v.is("rounds", "unrolled"),
};

const TABLES: Dimension = Dimension {
    name: "technique",
    values: &["tables", "table", "sbox"],
    about: "SubBytes and MixColumns from four tables of a KiB, from one that is rotated, or from the S-box and shifts",
    applies: |v| !schedules(v) && !sliced(v),
};

const INSTRUCTIONS: Dimension = Dimension {
    name: "technique",
    values: &["aes", "tables", "table", "sbox"],
    about: "custom instructions, or those of Zkne and Zknd; four tables of a KiB, one that is rotated, or the S-box and shifts",
    applies: |v| !sliced(v),
};

const ROUNDS: Dimension = Dimension {
    name: "rounds",
    values: &["unrolled", "paired", "looped"],
    about: "all rounds in a row, a loop of two that is left in the middle, or a loop of one",
    applies: |_| true,
};

const SCHEDULE: Dimension = Dimension {
    name: "schedule",
    values: &["before", "fly"],
    about: "round keys made before and read, or made from the cipher key as rounds go",
    applies: |v| ecb(v) && v.is("rounds", "unrolled") && !sliced(v),
};

const LAST: Dimension = Dimension {
    name: "last",
    values: &["bytes", "words"],
    about: "the last round from an S-box, or its inner bytes from two more tables of a KiB",
    applies: |v| !schedules(v) && !sliced(v) && v.is("technique", "tables"),
};

const BYTES: Dimension = Dimension {
    name: "bytes",
    values: &["sbox", "tables"],
    about: "the S-box of the last round a table of its own, or read from the four tables, which hold it",
    applies: |v| {
        let encrypts =
            matches!(v.problem.task, Task::Ecb(Direction::Encrypt) | Task::Ctr | Task::CbcEncrypt { .. });
        encrypts && !sliced(v) && v.is("technique", "tables") && v.is("last", "bytes")
    },
};

const COUNTER: Dimension = Dimension {
    name: "counter",
    values: &["plain", "cached"],
    about: "what of the first two rounds counters share is computed for each, or kept",
    applies: |v| counters(v) && !v.is("technique", "sbox"),
};

/// Where it depends on the instructions whether a byte is added by itself.
const TABLE_COUNTER: Dimension = Dimension {
    applies: |v| counters(v) && (v.is("technique", "tables") || v.is("technique", "table")),
    ..COUNTER
};

const CODE: Dimension = Dimension {
    name: "code",
    values: &["wide", "compressed"],
    about: "instructions of 32 bits, or of 16 where there are",
    applies: |_| true,
};

/// Of cores without compressed instructions.
pub static PLAIN: &[Dimension] = &[STATE, TABLES, ROUNDS, KEYS, SCHEDULE, LAST, BYTES, COUNTER];
/// Of cores with them.
pub static COMPRESSED: &[Dimension] = &[STATE, TABLES, ROUNDS, KEYS, SCHEDULE, LAST, BYTES, COUNTER, CODE];
/// Of cores with AES instructions.
pub static ZKN: &[Dimension] = &[STATE, INSTRUCTIONS, ROUNDS, KEYS, SCHEDULE, LAST, BYTES, COUNTER, CODE];
/// Of cores with an extension's instructions.
pub static EXTENDED: &[Dimension] =
    &[STATE, INSTRUCTIONS, ROUNDS, KEYS, SCHEDULE, LAST, BYTES, TABLE_COUNTER];
/// Of such cores with compressed instructions.
pub static EXTENDED_COMPRESSED: &[Dimension] =
    &[STATE, INSTRUCTIONS, ROUNDS, KEYS, SCHEDULE, LAST, BYTES, TABLE_COUNTER, CODE];
