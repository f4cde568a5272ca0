//! The dimensions of kernels over vector registers and general registers with a loop around the blocks: name, meaning,
//! values, weight, and the tasks and techniques that have them. Text form, counting, neighbourhoods and documentation
//! all derive from this table.

use aesmith_arrange::{
    Choices, Dimension, Handle, Interleaving, Orders, Place, Space, Table, Technique, Values, Variant,
    VariantError, numbered,
};
use aesmith_cipher::{Problem, Task};

/// Predicate: true if a problem and a technique have a dimension; with `own`, only techniques that list it among their
/// own.
macro_rules! had {
    ($tasks:ident $name:literal) => {
        |problem, technique| tasks::$tasks(problem.task, technique)
    };
    ($tasks:ident $name:literal own) => {
        |problem, technique| tasks::$tasks(problem.task, technique) && technique.has_own($name)
    };
}

macro_rules! dimensions {
    ($($dim:ident $name:literal $values:expr, weight $weight:literal, default $default:literal,
       in $tasks:ident $($own:ident)?, $meaning:literal $(, $quiet:ident)?;)*) => {
        /// The handles of the dimensions; [`DIMENSIONS`] documents their meaning.
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Dim { $($dim),* }

        const ALL: &[Dim] = &[$(Dim::$dim),*];

        /// All dimensions, in the order of [`Dim`].
        pub static DIMENSIONS: &[Dimension] = &numbered([$(Dimension {
            place: Place(0), name: $name, values: $values, weight: $weight, default: $default,
            has: had!($tasks $name $($own)?),
            quiet: $(!stringify!($quiet).is_empty() ||)? false,
            applies: |variant| !Dim::$dim.idle_in(variant.technique, variant.on(Dim::Layout)),
            bits: |problem| Dim::$dim.useful_bits(problem),
            role: Dim::$dim.role(),
            search: Dim::$dim.search(),
            meaning: $meaning,
            earlier: &[],
        }),*]);
    };
}

mod tasks {
    //! The tasks and techniques that have each dimension.
    use super::{Task, Technique};
    pub(super) fn vectors(task: Task, technique: Technique) -> bool {
        messages(task, technique) && !technique.on_words()
    }
    /// Round keys depend on each other, and are computed one by one.
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
        (is_parallel(task) || matches!(task, Task::Gcm(_) | Task::Xts(_))) && technique.record().interleaves
    }
    pub(super) fn parallel_vectors(task: Task, technique: Technique) -> bool {
        is_parallel(task) && !technique.on_words()
    }
    pub(super) fn tails(task: Task, technique: Technique) -> bool {
        parallel_vectors(task, technique) || hashed(task, technique)
    }
    pub(super) fn cbc_vectors(task: Task, technique: Technique) -> bool {
        is_cbc(task) && !technique.on_words()
    }
    pub(super) fn lanes(task: Task, technique: Technique) -> bool {
        matches!(task, Task::CbcEncrypt { streams } if streams > 1) && !technique.on_words()
    }
    fn is_counted(task: Task) -> bool {
        matches!(task, Task::Ctr | Task::Gcm(_))
    }
    pub(super) fn hashed(task: Task, _: Technique) -> bool {
        matches!(task, Task::Gcm(_))
    }
    pub(super) fn cached(task: Task, technique: Technique) -> bool {
        // GCM takes both rounds from the table, or none.
        task == Task::Ctr && technique.record().interleaves
            || hashed(task, technique) && technique.is_instruction()
    }
    pub(super) fn counted(task: Task, technique: Technique) -> bool {
        is_counted(task) && !technique.on_words()
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

mod rules;
mod search;
mod space;

const SWITCH: Values = Values::Named(&["no", "yes"]);

dimensions! {
    Width "width" Values::Named(&["xmm", "ymm", "zmm"]), weight 2, default 0, in widths,
        "register width: xmm is AES-NI, ymm and zmm are VAES with 2 and 4 blocks a register";
    Keys "keys" Values::Mask(15), weight 8, default 0, in vectors,
        "which round keys stay in registers, bit r for round key r; the others are memory operands";
    Overflow "overflow" Values::Named(&["memory", "spill"]), weight 1, default 0, in vectors,
        "round keys that are to stay in registers and find none: memory operands; or spilled, each loaded from a \
         stack slot into a register before it is used, as compilers do", quiet;
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
         or xor of precomputed constants (CTR)";
    Fold "fold" SWITCH, weight 2, default 0, in folding,
        "xor the text (CTR) or the previous ciphertext (CBC decryption) into the last round key";
    Xor "xor" Values::Named(&["plain", "modified", "folded"]), weight 4, default 0, in cbc_vectors,
        "XORs on the chain: both; the text's only (round key 0 premixed with it); none (the next \
         text and round key 0 folded into the last round key)";
    Gather "gather" Values::Named(&["insert", "transpose", "staggered", "buffered"]), weight 2, default 0, in lanes,
        "how blocks of different streams come to share a register: one inserted after the other; several \
         blocks of each stream loaded at once and transposed; or so, each register a block later; or inserted \
         from a buffer on the stack, to and from which the blocks of a pass are copied stream by stream";
    Loop "loop" Values::Named(&["bottom", "top"]), weight 1, default 0, in messages,
        "loop form: condition at the bottom, or at the top with a jump back";
    Align "align" Values::Named(&["1", "16", "32", "64"]), weight 1, default 0, in messages,
        "alignment of the main loop's first instruction in bytes";
    Tail "tail" Values::Named(&["step", "halve", "group"]), weight 2, default 0, in tails,
        "what the main loop leaves: one register at a time; half as many registers each time; or all in one group, the \
         last register under a mask (GCM, EVEX)";
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
    Product "product" Values::Named(&["schoolbook", "karatsuba"]), weight 2, default 0, in hashed,
        "products of GHASH in the main loop: four of halves; or three, the third of the sums of halves";
    Absorb "absorb" Values::Named(&["kept", "read"]), weight 2, default 0, in hashed,
        "ciphertext that GHASH absorbs in the main loop: kept in registers; or read again, which leaves them to blocks";
    Wipe "wipe" SWITCH, weight 0, default 0, in every,
        "clear registers and stack of key material before returning";
}

/// The table of these dimensions.
pub static TABLE: Table = Table {
    processor: "x86-64",
    named: false,
    dimensions: DIMENSIONS,
    technique: None,
    orders: Orders::Moves,
    idle: rules::idle,
    check: rules::check,
    settle: rules::settle,
    count: Some(space::count),
    offers: space::offers,
    paper: space::paper,
    choices: |variant| Choices {
        circuit: variant.get(Dim::Circuit) as u8,
        fixsliced: variant.on(Dim::ShiftRows),
        multiples: variant.get(Dim::Multiples) as u8,
        spread: variant.get(Dim::Spread) as u8,
        ..Choices::default()
    },
    sliced: |variant| variant.on(Dim::Layout),
};

/// Reads the text form of a variant.
///
/// # Errors
/// The text is not a variant for x86-64.
pub fn variant(text: &str) -> Result<Variant, VariantError> {
    TABLE.parse(text)
}

/// The variant of AES instructions without any optimization.
pub fn baseline(problem: Problem) -> Variant {
    TABLE.plain(problem)
}

/// The variant of a technique without any optimization: every dimension at its default.
pub fn plain(problem: Problem, technique: Technique) -> Variant {
    TABLE.plain_by(problem, technique)
}

/// All variants of a problem with AES instructions, on registers of at most `lanes` blocks.
pub fn space(problem: Problem, lanes: usize) -> Space {
    TABLE.space_by(problem, Technique::default(), lanes)
}

/// The order of independent blocks that a variant's values describe.
pub(crate) fn interleaving(variant: &Variant) -> Interleaving {
    Interleaving {
        registers: variant.get(Dim::Interleave),
        distance: variant.get(Dim::Distance),
        interval: variant.get(Dim::Interval),
    }
}

/// The unit of the dependent dimensions `source` and `ahead`: number of interleaved registers, or of unrolled blocks;
/// at least 1.
pub fn factor(variant: &Variant) -> u16 {
    variant.get(Dim::Interleave).max(variant.get(Dim::Unroll)).max(1)
}

impl Handle for Dim {
    fn place(self, _: &Table) -> Option<Place> {
        Some(Place::from(self))
    }
}

impl From<Dim> for Place {
    fn from(dim: Dim) -> Place {
        Place(dim as u8)
    }
}

impl From<Dim> for &'static Dimension {
    fn from(dim: Dim) -> &'static Dimension {
        &DIMENSIONS[dim as usize]
    }
}

impl PartialEq<Place> for Dim {
    fn eq(&self, place: &Place) -> bool {
        *place == Place::from(*self)
    }
}

impl PartialEq<Dim> for Place {
    fn eq(&self, dim: &Dim) -> bool {
        *self == Place::from(*dim)
    }
}

impl Dim {
    /// The handle of a dimension of this table.
    pub fn of(dimension: &Dimension) -> Dim {
        ALL[usize::from(dimension.place.0)]
    }

    /// Number of meaningful bits of its mask: for the key mask, one for each round key.
    fn useful_bits(self, problem: Problem) -> u16 {
        match (DIMENSIONS[self as usize].values, self) {
            (Values::Mask(bits), Dim::Keys) => bits.min(problem.key.rounds() as u32 + 1) as u16,
            (Values::Mask(bits), _) => bits as u16,
            _ => 0,
        }
    }

    /// True if a layout of a technique keeps it at its default. Byte slices have a cache too.
    pub fn idle_in(self, technique: Technique, sliced: bool) -> bool {
        if sliced {
            self.of_blocks_only() && (self != Dim::Cached || !technique.record().caches_slices)
        } else {
            matches!(self, Dim::ShiftRows | Dim::Spread)
        }
    }

    /// True if the sliced layout keeps it at its default, because it concerns registers of whole blocks.
    const fn of_blocks_only(self) -> bool {
        matches!(
            self,
            Dim::Keys
                | Dim::Overflow
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

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_arrange::Move;

    #[test]
    fn text_round_trips() {
        for problem in Problem::all() {
            for technique in Technique::ALL {
                let mut v = plain(problem, technique);
                v.order = vec![Move { from: 3, to: 1 }, Move { from: 7, to: 9 }];
                assert_eq!(variant(&v.to_string()), Ok(v));
            }
        }
    }

    #[test]
    fn unknown_names_are_refused_by_name() {
        let error = variant("aes128-ctr interlave=3").unwrap_err();
        assert!(error.0.contains("interlave") && error.0.contains("interleave"), "{error}");
        let error = variant("aes128-ctr width=wmm").unwrap_err();
        assert!(error.0.contains("xmm | ymm | zmm"), "{error}");
        let error = variant("aes128-ctr technique=tabel").unwrap_err();
        assert!(error.0.contains("did you mean table"), "{error}");
        let error = variant("aes128-ctr technique=gfni layout=sliced interleave=2").unwrap_err();
        assert!(error.0.contains("layout=blocks"), "{error}");
        let error = variant("aes128-ctr technique=table tables=padded extract=registers").unwrap_err();
        assert!(error.0.contains("extract=shift"), "{error}");
        let error = variant("aes128-ecb-dec technique=table last=bytes").unwrap_err();
        assert!(error.0.contains("last=masked"), "{error}");
        let error = variant("aes128-ctr technique=vperm cached=2").unwrap_err();
        assert!(error.0.contains("cached=1"), "{error}");
        let error = variant("aes128-ctr technique=gfni layout=sliced cached=1").unwrap_err();
        assert!(error.0.contains("cached=2"), "{error}");
        assert!(variant("aes128-ctr technique=table width=zmm").is_err());
        let error = variant("aes128-ctr seed=5").unwrap_err();
        assert!(error.0.contains("no dimension `seed`"), "{error}");
        assert_eq!(variant("  aes128-ctr width=zmm"), variant("aes128-ctr width=zmm"));
        assert!(variant("aes128-ctr prefetch=cache interleave=2 source=3").is_err());
    }
}
