//! The processors of the accounting, and the stance of each technique on them.
//!
//! The paper's section 4 gives cycles and instructions for five of them. The sixth, with 32-bit x86 code
//! besides the Pentium 4, is our addition; no published total of it was found. Figures other than
//! instructions per block are left out here: docs/PROCESSORS.md has cycles.

/// The kernels that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Kernels of the processor of this name, whose instructions stand in a table.
    Table(&'static str),
    /// Kernels of the host machine for CPUs of this level.
    Level(&'static str),
}

/// Relation of a technique to a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// A choice that is made, and a remark: kernels are counted with and without it.
    Chosen(&'static str, &'static str),
    /// A choice that is not made, and why: it is counted against the final kernel.
    Refused(&'static str, &'static str),
    /// Part of every kernel of this processor: the saving is computed from the plain program. Says how it is
    /// done.
    Always(&'static str),
    /// Would apply, but the generator cannot do it: why, or the substitute.
    Missing(&'static str),
    /// Does not apply: why.
    Foreign(&'static str),
}

impl Stance {
    /// The choices, if they are made.
    pub fn chosen(self) -> Option<&'static str> {
        match self {
            Stance::Chosen(choices, _) => Some(choices),
            _ => None,
        }
    }
}

/// A processor.
#[derive(Clone, Copy)]
pub struct Line {
    /// Display name.
    pub name: &'static str,
    /// Key in data.
    pub key: &'static str,
    /// The architecture, as the paper names it.
    pub architecture: &'static str,
    /// The kernels that are counted.
    pub code: Code,
    /// Published instructions per block.
    pub published: Option<u64>,
    /// The published mix, or why there is no total.
    pub about: &'static str,
    /// Choices of the kernel that the account begins with, where they differ from the plain ones.
    pub start: &'static str,
    /// Remark on that kernel's difference from the plain program.
    pub besides: &'static str,
    /// Every technique by its key, in the order of the account: the paper's order, except where a choice
    /// depends on a later one.
    pub techniques: &'static [(&'static str, Stance)],
}

use Stance::{Always, Chosen, Foreign, Missing, Refused};

const NO_SCALE: Stance = Foreign("loads add two registers, or a register and a constant, without scaling");
const NO_FIELD: Stance = Foreign("no instruction shifts and masks at once");
const NO_SECOND: Stance = Foreign("no instruction extracts the second byte of a word");
const NO_LOAD_XOR: Stance = Foreign("loads and stores do not compute");
const SCALES: Stance = Foreign("loads scale the index already");
const OWN_ORDER: Stance = Always(
    "a word of the state is a column in memory order; the 720 instructions contain no byte swaps to save",
);
const IN_RAM: Stance = Missing("bytes are extracted in registers only");
const COUNTS: &str = "";

/// Techniques of x86-64: CPUs of a level have the same kernels, but not the same choice among them.
const fn amd64(recomputed: Stance) -> [(&'static str, Stance); 17] {
    [
        ("byte-order", OWN_ORDER),
        (
            "layout",
            Chosen("tables=2k", "one table of 2 KiB with overlapping entries: saves space, not instructions"),
        ),
        ("shift-and-mask", NO_FIELD),
        (
            "scaled-index",
            Chosen("index=scaled", "the plain kernel's last round uses a byte table, which needs no scale"),
        ),
        ("scaled-tables", SCALES),
        (
            "second-byte",
            Chosen("extract=registers", "also saves copies, because shifts overwrite their operand"),
        ),
        (
            "padded",
            Refused(
                "tables=padded extract=shift last=sbox",
                "its bytes need shifts and masks, which byte registers save",
            ),
        ),
        ("narrow-shift", Missing("")),
        (
            "through-memory",
            Refused(
                "extract=memory",
                "as many instructions as with byte registers, but more loads and stores",
            ),
        ),
        ("byte-loads", Refused("last=bytes", "masked tables save more")),
        ("two-byte-loads", Refused("last=two-bytes", "masked tables save more")),
        (
            "masked-tables",
            Chosen("last=masked", "replaces a byte table, whose bytes must be shifted into place"),
        ),
        ("load-xor", Chosen("loadxor=combined", COUNTS)),
        ("key-recomputation", recomputed),
        (
            "key-caching",
            Foreign(
                "reading words from vector registers needs pextrd of SSE4.1, and a key in memory is XORed without an extra instruction",
            ),
        ),
        ("counter-caching", Chosen("cached=2", COUNTS)),
        (
            "few-registers",
            Always("rounds use this order; it avoids spills, which the 720 instructions do not contain"),
        ),
    ]
}

/// The six processors.
pub static LINES: [Line; 6] = [
    Line {
        name: "UltraSPARC III",
        key: "ultrasparc3",
        architecture: "sparcv9",
        code: Code::Table("ultrasparc3"),
        published: Some(505),
        about: "175 loads, 325 integer instructions, section 4",
        start: "words=scaled",
        besides: "the counter in memory, the loop and addresses",
        techniques: &[
            ("byte-order", OWN_ORDER),
            (
                "layout",
                Chosen(
                    "tables=2x2",
                    "tables interleaved in pairs with shared base addresses: saves registers, not instructions",
                ),
            ),
            ("shift-and-mask", NO_FIELD),
            ("scaled-index", NO_SCALE),
            ("scaled-tables", Missing("padded entries are shifted left by four bits instead")),
            ("second-byte", NO_SECOND),
            (
                "byte-loads",
                Chosen(
                    "last=parts",
                    "for all four rows here; padded words are never masked, so it precedes them",
                ),
            ),
            ("padded", Chosen("words=padded", COUNTS)),
            ("narrow-shift", Chosen("words=narrow", COUNTS)),
            ("through-memory", IN_RAM),
            ("two-byte-loads", Missing("last=parts loads padded words 16 bits at a time")),
            (
                "masked-tables",
                Chosen("last=2", "a table of words that hold one byte each, with two base addresses"),
            ),
            ("load-xor", NO_LOAD_XOR),
            ("few-registers", Chosen("columns=together", "saves registers for the following choices")),
            (
                "counter-caching",
                Chosen("counter=cached", "precedes key caching, for which it frees registers"),
            ),
            (
                "key-recomputation",
                Chosen("remade=1", "one column of three, which exchanges loads for XORs one by one"),
            ),
            ("key-caching", Chosen("kept=2", "as many as there are free registers")),
        ],
    },
    Line {
        name: "PowerPC G4 7410",
        key: "ppc7410",
        architecture: "ppc32",
        code: Code::Table("ppc7410"),
        published: Some(464),
        about: "section 4",
        start: "",
        besides: "the counter in memory, the loop and addresses",
        techniques: &[
            ("byte-order", OWN_ORDER),
            ("layout", Refused("tables=1", "one table and rotations: adds instructions to save space")),
            ("shift-and-mask", Always("rlwinm")),
            ("scaled-index", NO_SCALE),
            ("scaled-tables", Foreign("rlwinm extracts and scales any byte in one instruction")),
            ("second-byte", Foreign("rlwinm extracts any byte in one instruction")),
            ("padded", Foreign("registers have 32 bits")),
            ("narrow-shift", Foreign("registers have 32 bits")),
            ("through-memory", IN_RAM),
            ("byte-loads", Missing("rlwimi masks, see masked tables")),
            ("two-byte-loads", Missing("rlwimi masks, see masked tables")),
            (
                "masked-tables",
                Always("without tables: rlwimi inserts a byte into a word, which masks and adds it"),
            ),
            ("load-xor", NO_LOAD_XOR),
            (
                "key-recomputation",
                Missing(
                    "exchanges one instruction for another, and two instructions of any kind are dispatched per cycle",
                ),
            ),
            (
                "counter-caching",
                Chosen("counter=cached", "precedes key caching, for which it frees registers"),
            ),
            ("key-caching", Chosen("kept=6", "as many as there are free registers")),
            ("few-registers", Foreign("32 registers hold two states and their indices")),
        ],
    },
    Line {
        name: "Pentium 4",
        key: "pentium4",
        architecture: "x86",
        code: Code::Table("pentium4"),
        published: Some(415),
        about: "section 4",
        start: "",
        besides: "two words of the state that are stored and loaded in each round, the counter, the loop and addresses",
        techniques: X86,
    },
    Line {
        name: "Core 2",
        key: "core2-64",
        architecture: "amd64",
        code: Code::Level("sse2"),
        published: Some(435),
        about: "section 4; we assume recomputed round keys, because the two totals differ by 34, as ours do",
        start: "technique=table",
        besides: "copies, because shifts overwrite their operand, the counter and the loop; keys are XORed from memory by integer instructions",
        techniques: &amd64(Chosen(
            "roundkeys=recomputed",
            "replaces loads by instructions, but a key in memory is XORed without an extra instruction",
        )),
    },
    Line {
        name: "Athlon 64",
        key: "athlon64-64",
        architecture: "amd64",
        code: Code::Level("sse2"),
        published: Some(401),
        about: "section 4",
        start: "technique=table",
        besides: "copies, because shifts overwrite their operand, the counter and the loop; keys are XORed from memory by integer instructions",
        techniques: &amd64(Refused(
            "roundkeys=recomputed",
            "replaces loads by instructions; the published total is 34 below the total of the Core 2",
        )),
    },
    Line {
        name: "Core 2, 32-bit code",
        key: "core2",
        architecture: "x86",
        code: Code::Table("core2"),
        published: None,
        about: "our sixth; we found no total for it in the paper",
        start: "",
        besides: "two words of the state that are stored and loaded in each round, the counter, the loop and addresses",
        techniques: X86,
    },
];

/// Techniques of the 32-bit x86 processors.
const X86: &[(&str, Stance)] = &[
    ("byte-order", OWN_ORDER),
    (
        "layout",
        Refused(
            "tables=four",
            "the plain kernel has one table of 2 KiB with overlapping entries, which saves space, not instructions",
        ),
    ),
    ("shift-and-mask", NO_FIELD),
    ("scaled-index", Always("addresses scale by 4 or 8")),
    ("scaled-tables", SCALES),
    ("second-byte", Always("movzx of ah, bh, ch, dh")),
    ("padded", Foreign("registers have 32 bits")),
    ("narrow-shift", Foreign("registers have 32 bits")),
    ("through-memory", Chosen("bytes=memory", "for the two words of the state that are in memory anyway")),
    ("byte-loads", Missing("its tables for the last round are masked")),
    ("two-byte-loads", Missing("its tables for the last round are masked")),
    ("masked-tables", Always("a table with one byte in each entry")),
    ("load-xor", Always("xor with a memory operand")),
    ("key-recomputation", Missing("a key in memory is XORed without an extra instruction")),
    ("key-caching", Missing("all seven registers are in use, and mmx and xmm are not used")),
    ("counter-caching", Chosen("counter=cached", COUNTS)),
    (
        "few-registers",
        Always(
            "rounds use seven registers and keep two words of the state in memory; the 720 instructions contain no spills",
        ),
    ),
];
