//! The dimensions of kernels for MicroBlaze.

use aesmith_cipher::firmware::sum_of;
use aesmith_cipher::{Direction, Task};

use aesmith_arrange as arrange;
use aesmith_arrange::{Dimension, Earlier, Variant, choices, numbered};

choices! {
    Technique "technique" { Table "table", Bytewise "bytewise", Bitsliced "bitsliced" }
    Barrel "barrel" { Yes "yes", No "no" }
    Tables "tables" { Four "4", Two "2", One "1" }
    Rounds "rounds" { Unrolled "unrolled", Looped "looped" }
    Sbox "sbox" { LookUp "look-up", Circuit "circuit" }
    Keys "keys" { Plain "plain", Sliced "sliced" }
    Schedule "schedule" { Before "before", Fly "fly" }
    Extract "extract" { Shifts "shifts", Memory "memory" }
    Join "join" { Stores "stores", Shifts "shifts" }
    Last "last" { Bytes "bytes", Words "words" }
    Counter "counter" { Each "each", Cached "cached" }
    Remade "remade" { None "0", One "1", Two "2", Three "3" }
    Inverse "inverse" { Steps "steps", Tables "tables" }
    Saved "saved" { Eight "8", Seven "7", Nine "9", Ten "10", Eleven "11", Twelve "12", Thirteen "13" }
}

fn has_rounds(v: &Variant) -> bool {
    !matches!(v.problem.task, Task::KeySchedule(_))
}

fn inverts(v: &Variant) -> bool {
    v.problem.task == Task::KeySchedule(Direction::Decrypt)
}

fn slices(v: &Variant) -> bool {
    v.is(Technique::Bitsliced)
}

fn shifts(v: &Variant) -> bool {
    v.is(Barrel::Yes) && !v.is(Sbox::Circuit) && !slices(v)
}

/// True if a kernel is written in the word operations that processors share.
pub fn is_of_words(v: &Variant) -> bool {
    if !v.is(Rounds::Unrolled) {
        return false;
    }
    if !has_rounds(v) {
        return !inverts(v) || v.is(Inverse::Tables);
    }
    v.is(Technique::Table) && !v.is(Schedule::Fly)
}

/// True if such a kernel has rounds, in a message or not.
fn looks_up_words(v: &Variant) -> bool {
    has_rounds(v) && is_of_words(v)
}

/// All dimensions.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>(
        "look-ups of SubBytes and MixColumns together in tables of words, or of SubBytes alone in 256 bytes with MixColumns computed on words; or two blocks as bit slices in a loop of rounds, in constant time",
        has_rounds,
    )
    .formerly(&[
        Earlier::new("technique=sbox", &["technique=bytewise"]),
        Earlier::new("technique=sliced", &["technique=bitsliced"]),
    ]),
    Dimension::of::<Barrel>(
        "whether the processor has the barrel shifter; without it, bytes are reached through memory",
        |_| true,
    ),
    Dimension::of::<Tables>("tables of 1 KiB, one for each row; with fewer, words are rotated", |v| {
        has_rounds(v) && v.is(Technique::Table)
    }),
    Dimension::of::<Rounds>("rounds, or those of the key schedule, one after another or as a loop", |v| {
        !slices(v)
    }),
    Dimension::of::<Sbox>(
        "the S-box of a key schedule's loop: looked up, or a circuit of gates in constant time",
        |v| !has_rounds(v) && v.is(Rounds::Looped),
    ),
    Dimension::of::<Keys>("round keys that a loop makes: as they are, or as slices of two blocks", |v| {
        !has_rounds(v) && v.is(Rounds::Looped)
    }),
    Dimension::of::<Schedule>("round keys read from memory, or made from the cipher key on the way", |v| {
        v.problem.task == Task::Ecb(Direction::Encrypt) && v.is(Rounds::Unrolled) && !slices(v)
    })
    .formerly(&[
        Earlier::new("schedule=stored", &["schedule=before"]),
        Earlier::new("schedule=onthefly", &["schedule=fly"]),
    ]),
    Dimension::of::<Extract>("bytes of a word by shift and mask, or stored and loaded", shifts),
    Dimension::of::<Join>(
        "a word of four looked-up bytes: stored as bytes and loaded, or shifted together",
        shifts,
    ),
    Dimension::of::<Last>(
        "the last round's bytes from the S-box, or those in the midst of a word from two tables of a KiB of words",
        looks_up_words,
    ),
    Dimension::of::<Counter>(
        "whether each block of a counter is computed whole, or what 256 counters share of the first two rounds is made once",
        |v| v.problem.task == Task::Ctr && looks_up_words(v),
    ),
    Dimension::of::<Remade>(
        "in how many columns a round key's words are made of those before it instead of loaded",
        // The sum of words in the middle of the round keys.
        |v| looks_up_words(v) && sum_of(v.problem, 9).is_some(),
    ),
    Dimension::of::<Inverse>(
        "InvMixColumns of a key schedule in shifts and sums of words, or by four tables of a KiB of what a byte contributes",
        |v| inverts(v) && v.is(Rounds::Unrolled),
    ),
    Dimension::of::<Saved>(
        "how many of r19 to r31 may be used, each of which is saved and restored; what does not fit is put off to the stack; loops may use all, and so may messages and tables of InvMixColumns",
        |v| {
            let takes_all = v.problem.has_iv() && is_of_words(v) || v.is(Inverse::Tables);
            v.is(Rounds::Unrolled) && !slices(v) && !takes_all
        },
    ),
]);

/// The technique of a round.
pub fn technique(variant: &Variant) -> arrange::Technique {
    match variant.choice() {
        Some(Technique::Bytewise) => arrange::Technique::Bytewise,
        Some(Technique::Bitsliced) => arrange::Technique::Bitsliced,
        _ => arrange::Technique::Table,
    }
}
