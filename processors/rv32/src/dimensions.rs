//! The dimensions of kernels for RV32 processors.

use aesmith_cipher::firmware::sum_of;
use aesmith_cipher::problem::{Direction, Task};

use aesmith_arrange as arrange;
use aesmith_arrange::dimension::Place;
use aesmith_arrange::{Choice, Dimension, Earlier, Variant, choices, numbered};

choices! {
    Technique "technique" { Aes "aes", Table "table", Bytewise "bytewise", Bitsliced "bitsliced" }
    Tables "tables" { Four "4", One "1", Two "2" }
    Keys "keys" { Plain "plain", Sliced "sliced" }
    Sbox "sbox" { LookUp "look-up", Circuit "circuit" }
    Rounds "rounds" { Unrolled "unrolled", Paired "paired", Looped "looped" }
    Schedule "schedule" { Before "before", Fly "fly" }
    Last "last" { Bytes "bytes", Words "words" }
    Bytes "bytes" { Sbox "sbox", Tables "tables" }
    Counter "counter" { Each "each", Cached "cached" }
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
    v.is(Technique::Bitsliced)
}

/// True if rounds look up T-tables.
fn looks_up(v: &Variant) -> bool {
    !schedules(v) && v.is(Technique::Table)
}

/// True if a kernel is written in the word operations that processors share.
pub fn is_of_words(v: &Variant) -> bool {
    if !v.is(Rounds::Unrolled) || v.is(Technique::Aes) {
        return false;
    }
    if schedules(v) {
        return v.is(Keys::Plain) && (!inverts(v) || v.is(Inverse::Tables));
    }
    looks_up(v) && !v.is(Schedule::Fly)
}

const EARLIER: &[Earlier] = &[
    Earlier::new("state=bytes", &["technique=aes,table,bytewise"]),
    Earlier::new("state=sliced", &["technique=bitsliced"]),
    Earlier::new("technique=tables", &["technique=table,bitsliced", "tables=4"]),
    Earlier::new("technique=halves", &["technique=table", "tables=2"]),
    Earlier::beside("technique=table", "state", &["technique=table", "tables=1"]),
    Earlier::beside("technique=aes", "state", &["technique=aes,bitsliced"]),
    Earlier::new("technique=sbox", &["technique=bytewise"]),
];

const KEYS: Dimension =
    Dimension::of::<Keys>("round keys as FIPS-197 has them, or bit slices for two blocks", |v| {
        schedules(v) && !v.is(Rounds::Paired)
    });

const TECHNIQUE: Dimension = Dimension::of::<Technique>(
    "SubBytes and MixColumns from T-tables, or from the S-box and shifts; or two blocks as bit slices, in constant time",
    |v| !schedules(v),
)
.among(&["table", "bytewise", "bitsliced"])
.formerly(EARLIER);

const INSTRUCTIONS: Dimension = Dimension::of::<Technique>(
    "custom instructions, or those of Zkne and Zknd; T-tables; the S-box and shifts; or two blocks as bit slices, in \
     constant time",
    |v| !schedules(v) || !sliced(v),
)
.formerly(EARLIER);

const TABLES: Dimension = Dimension::of::<Tables>(
    "tables of a KiB: one for each row; one, whose words are rotated; or two, of which two rows are rotated together",
    looks_up,
);

/// The number of tables of cores whose key schedules have a technique.
const SCHEDULE_TABLES: Dimension = Dimension { applies: |v| v.is(Technique::Table), ..TABLES };

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
    |v| looks_up(v) && v.is(Tables::Four),
);

const BYTES: Dimension = Dimension::of::<Bytes>(
    "the S-box of the last round a table of its own, or read from the four tables, which hold it",
    |v| {
        let encrypts =
            matches!(v.problem.task, Task::Ecb(Direction::Encrypt) | Task::Ctr | Task::CbcEncrypt { .. });
        encrypts && looks_up(v) && v.is(Tables::Four) && v.is(Last::Bytes)
    },
);

const COUNTER: Dimension = Dimension::of::<Counter>(
    "what of the first two rounds counters share is computed for each, or kept",
    |v| counters(v) && !v.is(Technique::Bytewise),
)
.formerly(&[Earlier::new("counter=plain", &["counter=each"])]);

/// The counter dimension of cores whose instructions determine if a byte can be added separately.
const TABLE_COUNTER: Dimension = Dimension { applies: |v| counters(v) && v.is(Technique::Table), ..COUNTER };

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
    v.is(Technique::Aes) && v.is(Keys::Plain)
}

fn decrypts(v: &Variant) -> bool {
    v.problem.mode().direction == Direction::Decrypt
}

/// The dimensions of cores without compressed instructions.
pub static PLAIN: &[Dimension] =
    &numbered([TECHNIQUE, TABLES, ROUNDS, KEYS, SBOX, SCHEDULE, LAST, BYTES, COUNTER, KEPT, REMADE, INVERSE]);
/// The dimensions of cores with compressed instructions.
pub(crate) static COMPRESSED: &[Dimension] = &numbered([
    TECHNIQUE, TABLES, ROUNDS, KEYS, SBOX, SCHEDULE, LAST, BYTES, COUNTER, KEPT, REMADE, INVERSE, CODE,
]);
/// The dimensions of cores with AES instructions.
pub(crate) static ZKN: &[Dimension] = &numbered([
    INSTRUCTIONS,
    SCHEDULE_TABLES,
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
        INSTRUCTIONS,
        SCHEDULE_TABLES,
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
        Some(Technique::Aes) => arrange::Technique::Aes,
        Some(Technique::Bytewise) => arrange::Technique::Bytewise,
        Some(Technique::Bitsliced) => arrange::Technique::Bitsliced,
        Some(Technique::Table) | None => arrange::Technique::Table,
    }
}

impl Tables {
    /// The number of tables.
    pub fn count(self) -> u8 {
        Choice::number(self)
    }
}
