//! The contents of an extension's file, in TOML; `read.rs` parses it.
//!
//! ```toml
//! name = "smix3"
//! about = "The byte-oriented SMix with an accumulator of its own"
//! source = "where it comes from"
//! includes = ["bertoni-bytes"]   # optional: sets whose instructions are included
//! without = ["isbox"]            # optional: included instructions to leave out
//!
//! [macros]                       # optional: pieces of text with parameters
//! "rotl(x, n)" = "ror(x, 32 - n)"
//!
//! [[instruction]]
//! name = "smix"
//! reads = ["a", "b"]             # registers read, at most three
//! writes = "d"                   # the register written
//! fixed = ["s0", "s1"]           # optional: further registers, which the unit is wired to
//! selectors = { n = 2 }          # small constants in the instruction: name, bits
//! meaning = "d = a ^ turn(mixed(sbox(byte(b, n))), n)"
//! latency = 1                    # cycles until the result can be used
//! occupancy = 1                  # cycles until the unit accepts the next; the larger of both counts
//! encoding = { rv32 = "n[1:0] 10011 b[4:0] a[4:0] 000 d[4:0] 0110011" }   # optional: as ratified
//! ```

use serde::Deserialize;

/// An extension.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The name of the extension, used for files, modules and rows.
    pub name: String,
    /// A description in one sentence.
    pub about: String,
    /// The source of the design.
    pub source: String,
    /// Macros in addition to the built-in ones: signature and text.
    pub macros: Vec<(String, String)>,
    /// The layout of the state in four words, if the file gives it.
    pub layout: Option<Layout>,
    /// The instructions.
    pub instructions: Vec<Instruction>,
}

/// A layout of the state in four words during the rounds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// One column per word, row 0 lowest.
    #[default]
    Columns,
    /// Two rows of two columns per word: word 0 has rows 0 and 1 of columns 0 and 1, word 1 those of columns 2 and 3,
    /// words 2 and 3 have rows 2 and 3. In each word the column with the higher number is low, and the upper row of a
    /// column: the order that the instructions of Marshall et al. (V5) expect.
    Tiles,
    /// One row of the state per word, column 0 lowest.
    Rows,
}

impl Layout {
    /// The row and column of a byte of a word.
    pub fn place(self, word: usize, byte: usize) -> (usize, usize) {
        match self {
            Layout::Columns => (byte, word),
            Layout::Tiles => (2 * (word / 2) + byte % 2, 2 * (word % 2) + 1 - byte / 2),
            Layout::Rows => (word, byte),
        }
    }

    /// The word and byte of a row and column.
    pub fn find(self, row: usize, column: usize) -> (usize, usize) {
        match self {
            Layout::Columns => (column, row),
            Layout::Tiles => (2 * (row / 2) + column / 2, 2 * (1 - column % 2) + row % 2),
            Layout::Rows => (row, column),
        }
    }
}

/// An instruction of an extension.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The mnemonic.
    pub name: String,
    /// A description in one sentence.
    pub about: String,
    /// Registers that are read; an accumulator that is also written is one of them.
    pub reads: Vec<String>,
    /// Registers that the unit is wired to; the base assigns them, in this order.
    pub fixed: Vec<String>,
    /// The register that is written.
    pub writes: String,
    /// Names and widths in bits of the constants in the instruction.
    pub selectors: Vec<(String, u8)>,
    /// Its meaning.
    pub meaning: String,
    /// Cycles until the result can be used.
    pub latency: u8,
    /// Cycles until the unit accepts the next instruction.
    pub occupancy: u8,
    /// Encodings defined by a standard: processor family, pattern with the operands' names.
    pub encodings: Vec<(String, String)>,
    /// The position in the file.
    pub lines: Lines,
}

/// Line numbers in a file, counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    /// The first line of the instruction.
    pub start: usize,
    /// The line of its meaning.
    pub meaning: usize,
    /// The starts of the file's lines in its meaning: byte offset and line, including the first.
    pub breaks: Vec<(usize, usize)>,
    /// The line of its reads.
    pub reads: usize,
    /// The line of the registers that it is wired to.
    pub fixed: usize,
    /// The line of its encodings.
    pub encoding: usize,
}

impl Instruction {
    /// The index in `reads` of the register that is also written, if it is read.
    pub fn tied(&self) -> Option<usize> {
        self.reads.iter().position(|r| *r == self.writes)
    }

    /// The number of words that it computes from: named registers, then those that the unit is wired to.
    pub fn inputs(&self) -> usize {
        self.reads.len() + self.fixed.len()
    }

    /// The total width of the selectors in bits.
    pub fn selector_bits(&self) -> u8 {
        self.selectors.iter().map(|(_, bits)| bits).sum()
    }

    /// All combinations of selector values.
    pub fn choices(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..1u32 << self.selector_bits()).map(|mut bits| {
            let one = |(_, width): &(String, u8)| {
                let value = (bits & ((1 << width) - 1)) as u8;
                bits >>= width;
                value
            };
            self.selectors.iter().map(one).collect()
        })
    }
}

/// A mistake in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The line, counted from 1.
    pub line: usize,
    /// A sentence.
    pub what: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}
