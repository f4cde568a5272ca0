//! The dimensions of GPU kernels.

use aesmith_arrange as arrange;
use aesmith_arrange::{Choice, Dimension, Variant, choices, numbered};
use aesmith_cipher::mode::Next;
use aesmith_cipher::{Direction, Problem, Task};

choices! {
    Technique "technique" { Table "table", Bitsliced "bitsliced", Mixed "mixed" }
    Tables "tables" { Four "4", Two "2", One "1" }
    Replicas "replicas" { All "32", Sixteen "16", Eight "8", Four "4", Two "2", One "1" }
    Threads "threads" { Thousand "1024", Half "512", Quarter "256", Eighth "128" }
    Keys "keys" { Launch "launch", Group "group", Thread "thread" }
    Schedule "schedule" { Before "before", Once "once", Fly "fly" }
    Warps "warps" { Four "4", Eight "8", Two "2", One "1" }
    Rounds "rounds" { Looped "looped", Unrolled "unrolled" }
    Counter "counter" { Each "each", Cached "cached" }
    Blocks "blocks" { One "1", Two "2" }
    Loads "loads" { Own "own", Ahead "ahead" }
    Width "width" { Sixteen "16", Eight "8", Four "4" }
    Registers "registers" { Any "any", Twelve "168", Sixteen "128" }
    Share "share" { Three "3", Two "2", Four "4", One "1", Six "6", Eight "8" }
}

fn tables(v: &Variant) -> bool {
    v.is(Technique::Table)
}

/// True if kernels with two kinds of warps exist for a problem.
pub fn is_mixed(problem: Problem) -> bool {
    matches!(problem.task, Task::Ecb(_) | Task::Ctr)
}

/// True if round keys are the output: words are substituted by look-ups in one table, and there are no other
/// choices.
pub fn of_keys(problem: Problem) -> bool {
    problem.mode().writes.is_some()
}

/// True if each block depends on the previous one.
fn chains(v: &Variant) -> bool {
    v.problem.mode().next() == Next::Output
}

/// All dimensions.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>(
        "SubBytes, ShiftRows and MixColumns by look-ups in shared memory, or by logic on words that each hold one bit of 32 blocks of a thread, in constant time; or by half of a block's eight warps so and by half so, each with a share of the text, which is searched where it is named",
        |v| !of_keys(v.problem),
    ),
    Dimension {
        has: |problem, _| !of_keys(problem),
        ..Dimension::of::<Tables>(
            "whether four tables stand in shared memory, or two or one, whose words are rotated for the others",
            tables,
        )
    },
    Dimension::of::<Replicas>(
        "copies of each word: with 32 each lane has a bank of its own, and time does not depend on data",
        tables,
    ),
    Dimension::of::<Threads>("threads of a block, which share tables", tables),
    Dimension {
        quiet: true,
        ..Dimension::of::<Warps>(
            "warps of a block that has no tables, of 32 threads each: 255 registers of a thread leave room for eight",
            |v| v.is(Technique::Bitsliced),
        )
    },
    Dimension {
        quiet: true,
        ..Dimension::of::<Rounds>(
            "rounds but the last as a loop of one, whose code a multiprocessor keeps near it, or all in a row",
            |v| v.is(Technique::Bitsliced),
        )
    },
    Dimension {
        has: |problem, _| !of_keys(problem),
        ..Dimension::of::<Counter>(
            "whether what 256 counters share of the first two rounds is made once for the blocks of a thread, or each block is computed whole",
            |v| v.problem.task == Task::Ctr,
        )
    },
    Dimension {
        quiet: true,
        ..Dimension::of::<Keys>(
            "one key for a launch, or of several streams a key each: 16 threads take a stream, or one does",
            |v| tables(v) && !v.is(Counter::Cached) && !chains(v) && !of_keys(v.problem),
        )
    },
    Dimension {
        quiet: true,
        ..Dimension::of::<Schedule>(
            "when the round keys of a stream are made: before the launch, by each thread once, or by it for each block anew",
            |v| of_a_stream(v).is_some() && v.problem.mode().direction == Direction::Encrypt,
        )
    },
    Dimension {
        has: |problem, _| !of_keys(problem),
        ..Dimension::of::<Blocks>("blocks of text that a thread works on side by side", |v| {
            tables(v) && !v.is(Counter::Cached) && !chains(v)
        })
    },
    Dimension {
        quiet: true,
        ..Dimension::of::<Loads>(
            "whether a thread loads its text in the turn that enciphers it, or a turn ahead, while the rounds of another block go on",
            |v| tables(v) && !v.is(Counter::Cached) && !of_keys(v.problem),
        )
    },
    Dimension {
        quiet: true,
        ..Dimension::of::<Width>("bytes of text that an instruction loads or stores", |v| !of_keys(v.problem))
    },
    Dimension {
        quiet: true,
        ..Dimension::of::<Registers>(
            "the most registers that the translator may give a thread: with 168 twelve warps are resident, with 128 sixteen",
            |v| v.is(Technique::Bitsliced),
        )
    },
    Dimension {
        quiet: true,
        ..Dimension::of::<Share>(
            "how many 32nds of the text are those of bit-sliced warps, beside others that look up tables",
            |v| v.is(Technique::Mixed),
        )
    },
]);

/// The number of threads per stream, if there are several streams with a key each. With chained blocks, a
/// stream has one thread.
pub fn of_a_stream(v: &Variant) -> Option<i32> {
    if chains(v) { Some(1) } else { v.choice().and_then(Keys::threads) }
}

/// The technique of a round; with two kinds of warps, that of the warps which process most of the text.
pub fn technique(v: &Variant) -> arrange::Technique {
    if v.is(Technique::Bitsliced) { arrange::Technique::Bitsliced } else { arrange::Technique::Table }
}

impl Keys {
    /// Threads per stream, if there are several streams.
    pub fn threads(self) -> Option<i32> {
        match self {
            Keys::Launch => None,
            Keys::Group => Some(16),
            Keys::Thread => Some(1),
        }
    }
}

impl Warps {
    /// The number of threads.
    pub fn threads(self) -> i32 {
        32 * self.number::<i32>()
    }
}

impl Registers {
    /// The limit, if there is one.
    pub fn most(self) -> Option<u32> {
        match self {
            Registers::Any => None,
            limit => Some(limit.number()),
        }
    }
}
