//! The dimensions of kernels for RV32 processors.

use aesmith_cipher::firmware::sum_of;
use aesmith_cipher::problem::{Direction, Task};

use aesmith_arrange as arrange;
use aesmith_arrange::dimension::Place;
use aesmith_arrange::{Dimension, Variant, choices, numbered};

choices! {
    State "state" { Bytes "bytes", Sliced "sliced" }
    Keys "keys" { Plain "plain", Sliced "sliced" }
    Technique "technique" { Aes "aes", Tables "tables", Table "table", Sbox "sbox", Halves "halves" }
    Sbox "sbox" { LookUp "look-up", Circuit "circuit" }
    Rounds "rounds" { Unrolled "unrolled", Paired "paired", Looped "looped" }
    Schedule "schedule" { Before "before", Fly "fly" }
    Last "last" { Bytes "bytes", Words "words" }
    Bytes "bytes" { Sbox "sbox", Tables "tables" }
    Counter "counter" { Plain "plain", Cached "cached" }
    Kept "kept" { None "0", Two "2", Four "4", Five "5", Six "6", Seven "7", Eight "8" }
    Remade "remade" { None "0", One "1", Two "2", Three "3" }
    Inverse "inverse" { Steps "steps", Tables "tables" }
    Code "code" { Wide "wide", Compressed "compressed" }
    Layout "layout" { Stated "stated", Found "found" }
}

fn schedules(v: &Variant) -> bool {
    matches!(v.problem.task, Task::KeySchedule(_))
}

fn inverts(v: &Variant) -> bool {
    v.problem.task == Task::KeySchedule(Direction::Decrypt)
}

fn ecb(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ecb(_))
}

fn counters(v: &Variant) -> bool {
    v.problem.task == Task::Ctr && v.is(Rounds::Unrolled) && !sliced(v)
}

fn sliced(v: &Variant) -> bool {
    v.is(State::Sliced)
}

/// True if a kernel is written in the word operations that processors share.
pub fn is_of_words(v: &Variant) -> bool {
    if !v.is(Rounds::Unrolled) || v.is(Technique::Aes) {
        return false;
    }
    if schedules(v) {
        return v.is(Keys::Plain) && (!inverts(v) || v.is(Inverse::Tables));
    }
    !sliced(v) && !v.is(Technique::Sbox) && !v.is(Schedule::Fly)
}

const STATE: Dimension =
    Dimension::of::<State>("one block as bytes in words, or two as bit slices, in constant time", |v| {
        !schedules(v)
    });

const KEYS: Dimension =
    Dimension::of::<Keys>("round keys as FIPS-197 has them, or bit slices for two blocks", |v| {
        schedules(v) && !v.is(Rounds::Paired)
    });

const TABLES: Dimension = Dimension::of::<Technique>(
    "SubBytes and MixColumns from four tables of a KiB, from one that is rotated, from the S-box and shifts, or from two \
     tables, of which two rows are rotated together",
    |v| !schedules(v) && !sliced(v),
)
.among(&["tables", "table", "sbox", "halves"]);

const INSTRUCTIONS: Dimension = Dimension::of::<Technique>(
    "custom instructions, or those of Zkne and Zknd; four tables of a KiB, one that is rotated, the S-box and shifts, or \
     two tables",
    |v| !sliced(v),
);

const ROUNDS: Dimension = Dimension::of::<Rounds>(
    "all rounds in a row, a loop of two that is left in the middle, or a loop of one",
    |_| true,
);

const SBOX: Dimension = Dimension::of::<Sbox>(
    "the S-box of a key schedule's loop: looked up, or a circuit of gates in constant time",
    |v| schedules(v) && v.is(Rounds::Looped) && !v.is(Technique::Aes),
);

const SCHEDULE: Dimension = Dimension::of::<Schedule>(
    "round keys made before and read, or made from the cipher key as rounds go",
    |v| ecb(v) && v.is(Rounds::Unrolled) && !sliced(v),
);

const LAST: Dimension = Dimension::of::<Last>(
    "the last round from an S-box, or its inner bytes from two more tables of a KiB",
    |v| !schedules(v) && !sliced(v) && v.is(Technique::Tables),
);

const BYTES: Dimension = Dimension::of::<Bytes>(
    "the S-box of the last round a table of its own, or read from the four tables, which hold it",
    |v| {
        let encrypts =
            matches!(v.problem.task, Task::Ecb(Direction::Encrypt) | Task::Ctr | Task::CbcEncrypt { .. });
        encrypts && !sliced(v) && v.is(Technique::Tables) && v.is(Last::Bytes)
    },
);

const COUNTER: Dimension = Dimension::of::<Counter>(
    "what of the first two rounds counters share is computed for each, or kept",
    |v| counters(v) && !v.is(Technique::Sbox),
);

/// The counter dimension of cores whose instructions determine if a byte can be added separately.
const TABLE_COUNTER: Dimension =
    Dimension { applies: |v| counters(v) && !v.is(Technique::Aes) && !v.is(Technique::Sbox), ..COUNTER };

const KEPT: Dimension =
    Dimension::of::<Kept>("how many words of the round keys stay in registers from block to block", |v| {
        is_of_words(v) && !ecb(v) && !schedules(v)
    });

const REMADE: Dimension = Dimension::of::<Remade>(
    "in how many columns a round key's words are made of those before it instead of loaded",
    // The sum of words in the middle of the round keys.
    |v| !schedules(v) && is_of_words(v) && sum_of(v.problem, 9).is_some(),
);

const INVERSE: Dimension = Dimension::of::<Inverse>(
    "InvMixColumns of a key schedule in shifts and sums of words, or by four tables of a KiB of what a byte contributes",
    |v| inverts(v) && v.is(Rounds::Unrolled) && v.is(Keys::Plain) && !v.is(Technique::Aes),
);

const CODE: Dimension = Dimension::of::<Code>("instructions of 32 bits, or of 16 where there are", |_| true);

const LAYOUT: Dimension = Dimension {
    quiet: true,
    ..Dimension::of::<Layout>(
        "the state and round keys in the order that the extension's file says, or in the one that its instructions want: \
         found by what a round then takes, and turned once at the beginning and at the end",
        lies,
    )
};

/// True if custom instructions may need another order of the state.
fn lies(v: &Variant) -> bool {
    v.is(Technique::Aes) && !sliced(v) && v.is(Keys::Plain)
}

fn decrypts(v: &Variant) -> bool {
    v.problem.mode().direction == Direction::Decrypt
}

/// The dimensions of cores without compressed instructions.
pub static PLAIN: &[Dimension] =
    &numbered([STATE, TABLES, ROUNDS, KEYS, SBOX, SCHEDULE, LAST, BYTES, COUNTER, KEPT, REMADE, INVERSE]);
/// The dimensions of cores with compressed instructions.
pub(crate) static COMPRESSED: &[Dimension] = &numbered([
    STATE, TABLES, ROUNDS, KEYS, SBOX, SCHEDULE, LAST, BYTES, COUNTER, KEPT, REMADE, INVERSE, CODE,
]);
/// The dimensions of cores with AES instructions.
pub(crate) static ZKN: &[Dimension] = &numbered([
    STATE,
    INSTRUCTIONS,
    ROUNDS,
    KEYS,
    SBOX,
    SCHEDULE,
    LAST,
    BYTES,
    COUNTER,
    KEPT,
    REMADE,
    INVERSE,
    CODE,
]);
/// The dimensions of cores with an extension's instructions; `compressed` is true if they also have compressed
/// instructions. For each direction a flag tells if rounds cost less in another order of the state.
pub fn extended(compressed: bool, [encrypt, decrypt]: [bool; 2]) -> &'static [Dimension] {
    let layout = match (encrypt, decrypt) {
        (false, false) => None,
        (true, true) => Some(LAYOUT),
        (true, false) => Some(Dimension { applies: |v| lies(v) && !decrypts(v), ..LAYOUT }),
        (false, true) => Some(Dimension { applies: |v| lies(v) && decrypts(v), ..LAYOUT }),
    };
    let all = [
        STATE,
        INSTRUCTIONS,
        ROUNDS,
        KEYS,
        SBOX,
        SCHEDULE,
        LAST,
        BYTES,
        TABLE_COUNTER,
        KEPT,
        REMADE,
        INVERSE,
    ];
    let all = all.into_iter().chain(compressed.then_some(CODE)).chain(layout);
    let place = |(place, dimension): (usize, Dimension)| Dimension { place: Place(place as u8), ..dimension };
    Vec::leak(all.enumerate().map(place).collect())
}

/// The technique of a round.
pub fn technique(variant: &Variant) -> arrange::Technique {
    match variant.choice() {
        _ if variant.is(State::Sliced) => arrange::Technique::Bitsliced,
        Some(Technique::Aes) => arrange::Technique::Aes,
        Some(Technique::Sbox) => arrange::Technique::Bytewise,
        Some(Technique::Tables | Technique::Table | Technique::Halves) | None => arrange::Technique::Table,
    }
}
