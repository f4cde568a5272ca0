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

const NO_SCALE: Stance = Foreign("loads add two registers or a register and a number, and scale nothing");
const NO_FIELD: Stance = Foreign("no instruction shifts and masks at once");
const NO_SECOND: Stance = Foreign("no instruction takes the second byte of a word");
const NO_LOAD_XOR: Stance = Foreign("loads and stores do nothing else");
const SCALES: Stance = Foreign("loads scale the index already");
const OWN_ORDER: Stance =
    Always("a word of the state is a column as it lies in memory; the 720 have no byte swaps to spare");
const IN_RAM: Stance = Missing("bytes are taken in registers alone");
const COUNTS: &str = "";

/// Techniques of x86-64: CPUs of a level have the same kernels, but not the same choice among them.
const fn amd64(recomputed: Stance) -> [(&'static str, Stance); 17] {
    [
        ("byte-order", OWN_ORDER),
        ("layout", Chosen("tables=2k", "one table of 2 KiB whose entries overlap: space, not instructions")),
        ("shift-and-mask", NO_FIELD),
        (
            "scaled-index",
            Chosen("index=scaled", "the plain kernel's last round looks up in bytes, which need no scale"),
        ),
        ("scaled-tables", SCALES),
        (
            "second-byte",
            Chosen("extract=registers", "spares copies besides: shifts overwrite what they shift"),
        ),
        (
            "padded",
            Refused(
                "tables=padded extract=shift last=sbox",
                "its bytes are taken by shifts and masks, which the byte registers spare",
            ),
        ),
        ("narrow-shift", Missing("")),
        (
            "through-memory",
            Refused(
                "extract=memory",
                "as many instructions as the byte registers, of which more are loads and stores",
            ),
        ),
        ("byte-loads", Refused("last=bytes", "masked tables spare more")),
        ("two-byte-loads", Refused("last=two-bytes", "masked tables spare more")),
        (
            "masked-tables",
            Chosen("last=masked", "in the place of a table of bytes, which are shifted to their places"),
        ),
        ("load-xor", Chosen("loadxor=combined", COUNTS)),
        ("key-recomputation", recomputed),
        (
            "key-caching",
            Foreign(
                "words come back from vector registers by pextrd, which SSE4.1 brought; and a key in memory is added without an instruction of its own",
            ),
        ),
        ("counter-caching", Chosen("cached=2", COUNTS)),
        (
            "few-registers",
            Always("rounds are written in that order; what it spares, spills, is not in the 720"),
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
        besides: "the counter, which is kept in memory, the loop and addresses",
        techniques: &[
            ("byte-order", OWN_ORDER),
            (
                "layout",
                Chosen(
                    "tables=2x2",
                    "tables in pairs, entry by entry, with shared bases: registers, not instructions",
                ),
            ),
            ("shift-and-mask", NO_FIELD),
            ("scaled-index", NO_SCALE),
            ("scaled-tables", Missing("padded entries stand four bits up instead")),
            ("second-byte", NO_SECOND),
            (
                "byte-loads",
                Chosen(
                    "last=parts",
                    "here of all four rows: padded words are never masked, so it comes before them",
                ),
            ),
            ("padded", Chosen("words=padded", COUNTS)),
            ("narrow-shift", Chosen("words=narrow", COUNTS)),
            ("through-memory", IN_RAM),
            ("two-byte-loads", Missing("padded words are loaded 16 bits at a time where last=parts")),
            ("masked-tables", Chosen("last=2", "a table of words with one byte each, by two addresses")),
            ("load-xor", NO_LOAD_XOR),
            (
                "few-registers",
                Chosen("columns=together", "what it spares are registers, for the choices that follow"),
            ),
            ("counter-caching", Chosen("counter=cached", "before the round keys, which then find registers")),
            (
                "key-recomputation",
                Chosen("remade=1", "a column of three: it exchanges loads and sums one for one"),
            ),
            ("key-caching", Chosen("kept=2", "as many as there are registers for")),
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
        besides: "the counter, which is kept in memory, the loop and addresses",
        techniques: &[
            ("byte-order", OWN_ORDER),
            ("layout", Refused("tables=1", "one table and rotations: it takes instructions for space")),
            ("shift-and-mask", Always("rlwinm")),
            ("scaled-index", NO_SCALE),
            ("scaled-tables", Foreign("rlwinm takes any byte with its scale in one instruction")),
            ("second-byte", Foreign("rlwinm takes any byte in one instruction")),
            ("padded", Foreign("registers have 32 bits")),
            ("narrow-shift", Foreign("registers have 32 bits")),
            ("through-memory", IN_RAM),
            ("byte-loads", Missing("rlwimi masks, see masked tables")),
            ("two-byte-loads", Missing("rlwimi masks, see masked tables")),
            (
                "masked-tables",
                Always("not by tables: rlwimi puts a byte into a word, which masks it and adds it"),
            ),
            ("load-xor", NO_LOAD_XOR),
            (
                "key-recomputation",
                Missing(
                    "it exchanges one instruction for another, and two of any kind are dispatched in a cycle",
                ),
            ),
            ("counter-caching", Chosen("counter=cached", "before the round keys, which then find registers")),
            ("key-caching", Chosen("kept=6", "as many as there are registers for")),
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
        besides: "two words of the state, which are stored and loaded in each round, the counter, the loop and addresses",
        techniques: X86,
    },
    Line {
        name: "Core 2",
        key: "core2-64",
        architecture: "amd64",
        code: Code::Level("sse2"),
        published: Some(435),
        about: "section 4; that these are with recomputed round keys is our reading: the two totals differ by 34, as ours do",
        start: "technique=table",
        besides: "copies, as shifts overwrite what they shift, the counter and the loop; keys are added from memory, as integer instructions",
        techniques: &amd64(Chosen(
            "roundkeys=recomputed",
            "it takes instructions for loads: a key in memory is added without an instruction of its own",
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
        besides: "copies, as shifts overwrite what they shift, the counter and the loop; keys are added from memory, as integer instructions",
        techniques: &amd64(Refused(
            "roundkeys=recomputed",
            "it takes instructions for loads; the published total is 34 below that of the Core 2",
        )),
    },
    Line {
        name: "Core 2, 32-bit code",
        key: "core2",
        architecture: "x86",
        code: Code::Table("core2"),
        published: None,
        about: "our sixth: no total of the paper's for it was found",
        start: "",
        besides: "two words of the state, which are stored and loaded in each round, the counter, the loop and addresses",
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
            "the plain kernel has one table of 2 KiB whose entries overlap: space, not instructions",
        ),
    ),
    ("shift-and-mask", NO_FIELD),
    ("scaled-index", Always("addresses scale by 4 or 8")),
    ("scaled-tables", SCALES),
    ("second-byte", Always("movzx of ah, bh, ch, dh")),
    ("padded", Foreign("registers have 32 bits")),
    ("narrow-shift", Foreign("registers have 32 bits")),
    ("through-memory", Chosen("bytes=memory", "of the two words of the state that stand in memory as it is")),
    ("byte-loads", Missing("its tables for the last round are masked")),
    ("two-byte-loads", Missing("its tables for the last round are masked")),
    ("masked-tables", Always("a table with one byte in each entry")),
    ("load-xor", Always("xor with an operand in memory")),
    ("key-recomputation", Missing("a key in memory is added without an instruction of its own")),
    ("key-caching", Missing("seven registers are all taken, and mmx and xmm are not used")),
    ("counter-caching", Chosen("counter=cached", COUNTS)),
    (
        "few-registers",
        Always(
            "rounds are written for seven registers, with two words of the state in memory; spills are not in the 720",
        ),
    ),
];
