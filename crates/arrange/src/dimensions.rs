//! The dimensions of the search space, in one table: name, meaning, values, weight, and the tasks
//! that have them. Text form, counting, neighbourhoods and documentation all derive from it.

use aesmith_cipher::{Problem, Task};

/// The values that a dimension takes. A value is stored as its index or number in a `u16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Every number from the first to the last, both included.
    Range(u16, u16),
    /// Named choices; the value is the index.
    Named(&'static [&'static str]),
    /// A set of this many bits; bit `i` is element `i`.
    Mask(u32),
}

impl Values {
    /// How many values there are.
    pub const fn count(self) -> u64 {
        match self {
            Values::Range(first, last) => (last - first) as u64 + 1,
            Values::Named(names) => names.len() as u64,
            Values::Mask(bits) => 1 << bits,
        }
    }

    /// The value at `index` in `0..count()`.
    pub const fn at(self, index: u64) -> u16 {
        match self {
            Values::Range(first, _) => first + index as u16,
            Values::Named(_) | Values::Mask(_) => index as u16,
        }
    }

    /// Whether `value` is one of these.
    pub const fn contains(self, value: u16) -> bool {
        match self {
            Values::Range(first, last) => first <= value && value <= last,
            Values::Named(names) => (value as usize) < names.len(),
            Values::Mask(bits) => (value as u64) < 1 << bits,
        }
    }
}

macro_rules! dimensions {
    ($($dim:ident $name:literal $values:expr, weight $weight:literal, default $default:literal,
       in $tasks:ident, $meaning:literal;)*) => {
        /// Names of the dimensions. What each means stands in [`DIMENSIONS`].
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Dim { $($dim),* }

        /// Every dimension there is, in the order of [`Dim`].
        pub const DIMENSIONS: &[Dimension] = &[$(Dimension {
            dim: Dim::$dim, name: $name, values: $values, weight: $weight, default: $default,
            applies: tasks::$tasks, meaning: $meaning,
        }),*];
    };
}

/// One dimension of the space.
#[derive(Debug)]
pub struct Dimension {
    /// Its identity.
    pub dim: Dim,
    /// Its name in text forms and messages.
    pub name: &'static str,
    /// What it can be.
    pub values: Values,
    /// How often a strategy should propose to change it, relative to the others (the paper's
    /// argument weights: heavy for keys in registers and interleaving, light for switches).
    pub weight: u32,
    /// Its value in the variant without any optimization, where every search starts.
    pub default: u16,
    /// The tasks that have it.
    pub applies: fn(Task) -> bool,
    /// One sentence for people.
    pub meaning: &'static str,
}

mod tasks {
    //! Which tasks have a dimension.
    use super::Task;
    pub(super) fn messages(task: Task) -> bool {
        parallel(task) || cbc(task)
    }
    pub(super) fn parallel(task: Task) -> bool {
        matches!(task, Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt)
    }
    pub(super) fn cbc(task: Task) -> bool {
        matches!(task, Task::CbcEncrypt { .. })
    }
    pub(super) fn lanes(task: Task) -> bool {
        matches!(task, Task::CbcEncrypt { streams } if streams > 1)
    }
    pub(super) fn ctr(task: Task) -> bool {
        task == Task::Ctr
    }
    pub(super) fn folding(task: Task) -> bool {
        matches!(task, Task::Ctr | Task::CbcDecrypt)
    }
    pub(super) fn schedule(task: Task) -> bool {
        matches!(task, Task::KeySchedule(_))
    }
    pub(super) fn every(_: Task) -> bool {
        true
    }
}

const SWITCH: Values = Values::Named(&["no", "yes"]);

dimensions! {
    Width "width" Values::Named(&["xmm", "ymm", "zmm"]), weight 2, default 0, in messages,
        "register width: xmm is AES-NI, ymm and zmm are VAES with 2 and 4 blocks a register";
    Keys "keys" Values::Mask(15), weight 8, default 0, in messages,
        "which round keys stay in registers, bit r for round key r; the others are memory operands";
    Interleave "interleave" Values::Range(0, 15), weight 8, default 0, in parallel,
        "registers of blocks in flight in one iteration; 0 and 1 both mean one after another";
    Unroll "unroll" Values::Range(0, 15), weight 6, default 0, in cbc,
        "blocks of each stream in one iteration; 0 and 1 both mean one";
    Streams "together" SWITCH, weight 2, default 0, in cbc,
        "interleave the streams' rounds, or run each stream's block after the other's";
    Distance "distance" Values::Range(0, 17), weight 3, default 0, in messages,
        "steps by which each interleaved block lags the one before; 0 is lock-step";
    Interval "ii" Values::Range(0, 17), weight 3, default 0, in parallel,
        "software-pipelining initiation interval in steps of a block; 0 is no pipelining";
    Prefetch "prefetch" Values::Named(&["none", "cache", "register"]), weight 1, default 0, in messages,
        "fetch a block's source text early: into the cache an iteration ahead, or into a register";
    Source "source" Values::Range(1, 15), weight 1, default 1, in messages,
        "which block's source text is prefetched, 1 to the interleave factor";
    Ahead "ahead" Values::Range(0, 14), weight 1, default 0, in messages,
        "how far ahead: iterations beyond the next (cache) or blocks before its own (register)";
    Restrict "restrict" SWITCH, weight 1, default 0, in messages,
        "C form only: restrict-qualified pointers";
    Streaming "streaming" SWITCH, weight 1, default 0, in messages,
        "non-temporal stores in the main loop when the output is aligned";
    Cached "cached" Values::Range(0, 2), weight 3, default 0, in ctr,
        "rounds taken from a table over the fast counter byte (Bernstein and Schwabe 2008; FACE, TCHES 2018)";
    Counter "counter" Values::Named(&["swap", "add", "precomputed"]), weight 2, default 0, in ctr,
        "how a counter is made: byte swap of each, addition in the swapped domain under a carry check, \
         or xor of precomputed constants";
    Fold "fold" SWITCH, weight 2, default 0, in folding,
        "xor the text (CTR) or the previous ciphertext (CBC decryption) into the last round key";
    Xor "xor" Values::Named(&["plain", "modified", "folded"]), weight 4, default 0, in cbc,
        "XORs on the chain: both; the text's only (round key 0 premixed with it); none (the next \
         text and round key 0 folded into the last round key)";
    Gather "gather" Values::Named(&["insert", "transpose", "staggered"]), weight 2, default 0, in lanes,
        "how blocks of different streams come to share a register: one inserted after the other; several \
         blocks of each stream loaded at once and transposed; or so, each register a block later";
    Loop "loop" Values::Named(&["bottom", "top"]), weight 1, default 0, in messages,
        "loop form: condition at the bottom, or at the top with a jump back";
    Align "align" Values::Named(&["1", "16", "32", "64"]), weight 1, default 0, in messages,
        "alignment of the main loop's first instruction in bytes";
    Tail "tail" Values::Named(&["step", "halve"]), weight 1, default 0, in parallel,
        "what the main loop leaves: one register at a time, or half as many registers each time";
    Schedule "schedule" Values::Named(&["keygenassist", "aesenclast"]), weight 1, default 0, in schedule,
        "SubWord by AESKEYGENASSIST, or by AESENCLAST of a broadcast word";
    Wipe "wipe" SWITCH, weight 0, default 0, in every,
        "clear registers and stack of key material before returning";
}

/// The dimensions that `problem` has, in table order.
pub fn dimensions(problem: Problem) -> impl Iterator<Item = &'static Dimension> {
    DIMENSIONS.iter().filter(move |d| (d.applies)(problem.task))
}
