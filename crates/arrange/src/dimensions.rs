//! The dimensions of the search space, in one table: name, meaning, values, weight, and the tasks
//! and techniques that have them. Text form, counting, neighbourhoods and documentation all derive from it.

use aesmith_cipher::{Problem, Task};
use aesmith_dataflow::Technique;

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

macro_rules! own {
    () => {
        false
    };
    (own) => {
        true
    };
}

macro_rules! dimensions {
    ($($dim:ident $name:literal $values:expr, weight $weight:literal, default $default:literal,
       in $tasks:ident $($own:ident)?, $meaning:literal;)*) => {
        /// Names of the dimensions. What each means stands in [`DIMENSIONS`].
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Dim { $($dim),* }

        /// Every dimension there is, in the order of [`Dim`].
        pub const DIMENSIONS: &[Dimension] = &[$(Dimension {
            dim: Dim::$dim, name: $name, values: $values, weight: $weight, default: $default,
            tasks: tasks::$tasks, own: own!($($own)?), meaning: $meaning,
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
    /// The tasks and techniques that have it, but for what `own` says.
    tasks: fn(Task, Technique) -> bool,
    /// Whether only techniques have it that name it among their own.
    own: bool,
    /// One sentence for people.
    pub meaning: &'static str,
}

impl Dimension {
    /// Whether a task has it with a technique.
    pub fn applies(&self, task: Task, technique: Technique) -> bool {
        (self.tasks)(task, technique) && (!self.own || technique.has_own(self.name))
    }
}

mod tasks {
    //! Which tasks and techniques have a dimension.
    use super::{Task, Technique};
    pub(super) fn vectors(task: Task, technique: Technique) -> bool {
        messages(task, technique) && !technique.on_words()
    }
    /// Round keys depend on each other, and are made one by one.
    pub(super) fn widths(task: Task, technique: Technique) -> bool {
        !matches!(task, Task::KeySchedule(_)) && !technique.on_words()
    }
    pub(super) fn messages(task: Task, _: Technique) -> bool {
        is_parallel(task) || is_cbc(task)
    }
    fn is_parallel(task: Task) -> bool {
        matches!(task, Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt)
    }
    fn is_cbc(task: Task) -> bool {
        matches!(task, Task::CbcEncrypt { .. })
    }
    pub(super) fn interleaved(task: Task, technique: Technique) -> bool {
        is_parallel(task) && technique.record().interleaves
    }
    pub(super) fn parallel_vectors(task: Task, technique: Technique) -> bool {
        is_parallel(task) && !technique.on_words()
    }
    pub(super) fn cbc_vectors(task: Task, technique: Technique) -> bool {
        is_cbc(task) && !technique.on_words()
    }
    pub(super) fn lanes(task: Task, technique: Technique) -> bool {
        matches!(task, Task::CbcEncrypt { streams } if streams > 1) && !technique.on_words()
    }
    pub(super) fn cached(task: Task, technique: Technique) -> bool {
        task == Task::Ctr && technique.record().interleaves
    }
    pub(super) fn counted(task: Task, technique: Technique) -> bool {
        task == Task::Ctr && !technique.on_words()
    }
    pub(super) fn folding(task: Task, technique: Technique) -> bool {
        matches!(task, Task::Ctr | Task::CbcDecrypt) && !technique.on_words()
    }
    pub(super) fn schedules(task: Task, _: Technique) -> bool {
        matches!(task, Task::KeySchedule(_))
    }
    pub(super) fn parallel(task: Task, _: Technique) -> bool {
        is_parallel(task)
    }
    pub(super) fn every(_: Task, _: Technique) -> bool {
        true
    }
}

const SWITCH: Values = Values::Named(&["no", "yes"]);

dimensions! {
    Width "width" Values::Named(&["xmm", "ymm", "zmm"]), weight 2, default 0, in widths,
        "register width: xmm is AES-NI, ymm and zmm are VAES with 2 and 4 blocks a register";
    Keys "keys" Values::Mask(15), weight 8, default 0, in vectors,
        "which round keys stay in registers, bit r for round key r; the others are memory operands";
    Interleave "interleave" Values::Range(0, 15), weight 8, default 0, in interleaved,
        "registers of blocks in flight in one iteration; 0 and 1 both mean one after another";
    Unroll "unroll" Values::Range(0, 15), weight 6, default 0, in cbc_vectors,
        "blocks of each stream in one iteration; 0 and 1 both mean one";
    Streams "together" SWITCH, weight 2, default 0, in cbc_vectors,
        "interleave the streams' rounds, or run each stream's block after the other's";
    Distance "distance" Values::Range(0, 17), weight 3, default 0, in vectors,
        "steps by which each interleaved block lags the one before; 0 is lock-step";
    Interval "ii" Values::Range(0, 17), weight 3, default 0, in parallel_vectors,
        "software-pipelining initiation interval in steps of a block; 0 is no pipelining";
    Prefetch "prefetch" Values::Named(&["none", "cache", "register"]), weight 1, default 0, in vectors,
        "fetch a block's source text early: into the cache an iteration ahead, or into a register";
    Source "source" Values::Range(1, 15), weight 1, default 1, in vectors,
        "which block's source text is prefetched, 1 to the interleave factor";
    Ahead "ahead" Values::Range(0, 14), weight 1, default 0, in vectors,
        "how far ahead: iterations beyond the next (cache) or blocks before its own (register)";
    Restrict "restrict" SWITCH, weight 1, default 0, in messages,
        "C form only: restrict-qualified pointers";
    Streaming "streaming" SWITCH, weight 1, default 0, in vectors,
        "non-temporal stores in the main loop when the output is aligned";
    Cached "cached" Values::Range(0, 2), weight 3, default 0, in cached,
        "rounds taken from a table over the fast counter byte (Bernstein and Schwabe 2008; FACE, TCHES 2018)";
    Counter "counter" Values::Named(&["swap", "add", "precomputed"]), weight 2, default 0, in counted,
        "how a counter is made: byte swap of each, addition in the swapped domain under a carry check, \
         or xor of precomputed constants";
    Fold "fold" SWITCH, weight 2, default 0, in folding,
        "xor the text (CTR) or the previous ciphertext (CBC decryption) into the last round key";
    Xor "xor" Values::Named(&["plain", "modified", "folded"]), weight 4, default 0, in cbc_vectors,
        "XORs on the chain: both; the text's only (round key 0 premixed with it); none (the next \
         text and round key 0 folded into the last round key)";
    Gather "gather" Values::Named(&["insert", "transpose", "staggered"]), weight 2, default 0, in lanes,
        "how blocks of different streams come to share a register: one inserted after the other; several \
         blocks of each stream loaded at once and transposed; or so, each register a block later";
    Loop "loop" Values::Named(&["bottom", "top"]), weight 1, default 0, in messages,
        "loop form: condition at the bottom, or at the top with a jump back";
    Align "align" Values::Named(&["1", "16", "32", "64"]), weight 1, default 0, in messages,
        "alignment of the main loop's first instruction in bytes";
    Tail "tail" Values::Named(&["step", "halve"]), weight 1, default 0, in parallel_vectors,
        "what the main loop leaves: one register at a time, or half as many registers each time";
    Schedule "schedule" Values::Named(&["keygenassist", "aesenclast"]), weight 1, default 0, in schedules own,
        "SubWord by AESKEYGENASSIST, or by AESENCLAST of a broadcast word";
    Layout "layout" Values::Named(&["blocks", "sliced"]), weight 2, default 0, in parallel own,
        "registers of whole blocks, or a group in another form: transposed, a bit (bitsliced) or a byte \
         (gfni) of every block in each register, or in the tower field (vperm)";
    Circuit "circuit" Values::Range(0, aesmith_dataflow::circuits::CIRCUITS.len() as u16 - 1), weight 1, default 0, in every own,
        "which S-box circuit, by its number in the table of circuits";
    ShiftRows "shiftrows" Values::Named(&["shuffled", "fixsliced"]), weight 1, default 0, in parallel own,
        "sliced layout: ShiftRows by byte shuffles, or left out and made good in MixColumns (Adomnicai \
         and Peyrin, TCHES 2021)";
    Spread "spread" Values::Named(&["1", "2", "4"]), weight 2, default 0, in parallel own,
        "sliced layout: lanes over which a bit of the state is spread (bitsliced: 8 blocks more each), or lanes \
         of blocks worked on together (vperm)";
    Multiples "multiples" Values::Named(&["first", "second"]), weight 1, default 0, in messages own,
        "gfni: twice the S-box by a second affine map (first) or by a product (second); vbmi: doubling by a \
         mask of the signs (first) or a look-up of them (second)";
    Tables "tables" Values::Named(&["4x1k", "2k", "1k", "interleaved", "padded"]), weight 2, default 0, in messages own,
        "layout of the T-tables: four of 1 KB; one of 8-byte entries read unaligned; one and rotations; T0/T1 \
         and T2/T3 interleaved in 4 KB; 8-byte entries whose bytes stand 16 bits apart (Bernstein and \
         Schwabe 2008, section 4)";
    Last "last" Values::Named(&["sbox", "masked", "bytes", "two-bytes"]), weight 1, default 0, in messages own,
        "look-ups of the last round: an S-box of bytes; tables with all but one byte masked off; byte loads \
         from the T-tables; two-byte loads from them";
    RoundKeys "roundkeys" Values::Named(&["memory", "recomputed", "vectors"]), weight 2, default 0, in messages own,
        "round keys from memory; 14 of 44 words kept and the rest recomputed by XOR; or held in vector registers";
    Extract "extract" Values::Named(&["shift", "registers", "memory"]), weight 2, default 0, in messages own,
        "bytes of a word by shift and mask; by the byte registers al and ah; by a store and byte loads";
    LoadXor "loadxor" Values::Named(&["apart", "combined"]), weight 1, default 0, in messages own,
        "table entries loaded and then xored, or xored from memory by one instruction";
    Index "index" Values::Named(&["shifted", "scaled"]), weight 1, default 0, in messages own,
        "table index shifted by an instruction, or scaled by the addressing mode";
    SubBytes "subbytes" Values::Named(&["loop", "unrolled"]), weight 1, default 0, in messages own,
        "SubBytes as a loop over the bytes, or unrolled";
    MixColumns "mixcolumns" Values::Named(&["xtime", "table"]), weight 1, default 0, in messages own,
        "products in MixColumns by xtime, or by look-up";
    Inline "inline" SWITCH, weight 1, default 0, in messages own,
        "the four steps of a round written out where they are needed, or each once: called in C, jumped to in \
         machine code";
    Words "words" SWITCH, weight 1, default 0, in messages own,
        "the state in 32-bit words instead of bytes";
    Wipe "wipe" SWITCH, weight 0, default 0, in every,
        "clear registers and stack of key material before returning";
}

/// The dimensions that `problem` has with `technique`, in table order.
pub fn dimensions(problem: Problem, technique: Technique) -> impl Iterator<Item = &'static Dimension> {
    DIMENSIONS.iter().filter(move |d| d.applies(problem.task, technique))
}

impl Dim {
    /// Whether a layout of a technique leaves it at its default. Byte slices have a cache too.
    pub fn idle_in(self, technique: Technique, sliced: bool) -> bool {
        if sliced {
            self.of_blocks_only() && (self != Dim::Cached || !technique.record().caches_slices)
        } else {
            matches!(self, Dim::ShiftRows | Dim::Spread)
        }
    }

    /// Whether the sliced layout leaves it at its default: it is about registers of whole blocks.
    const fn of_blocks_only(self) -> bool {
        matches!(
            self,
            Dim::Keys
                | Dim::Interleave
                | Dim::Distance
                | Dim::Interval
                | Dim::Prefetch
                | Dim::Source
                | Dim::Ahead
                | Dim::Cached
                | Dim::Counter
                | Dim::Fold
        )
    }
}
