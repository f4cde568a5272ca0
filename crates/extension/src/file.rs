//! The file of an extension, in TOML, read with the line of every mistake.
//!
//! ```toml
//! name = "smix3"
//! about = "The byte-oriented SMix with an accumulator of its own"
//! source = "where it comes from"
//!
//! [macros]                       # optional: pieces of text with parameters
//! "rotl(x, n)" = "ror(x, 32 - n)"
//!
//! [[instruction]]
//! name = "smix"
//! reads = ["a", "b"]             # registers read, at most three
//! writes = "d"                   # the register written
//! fixed = ["s0", "s1"]           # optional: registers that the unit is wired to, besides those
//! selectors = { n = 2 }          # small constants in the instruction: name, bits
//! meaning = "d = a ^ turn(mixed(sbox(byte(b, n))), n)"
//! latency = 1                    # cycles until the result can be used
//! occupancy = 1                  # cycles until the unit takes the next
//! encoding = { rv32 = "n[1:0] 10011 b[4:0] a[4:0] 000 d[4:0] 0110011" }   # optional: as ratified
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// An extension.
#[derive(Clone, Debug)]
pub struct Extension {
    /// Its name: of files, modules and rows.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Where it comes from.
    pub source: String,
    /// Macros besides the built-in ones: signature and text.
    pub macros: Vec<(String, String)>,
    /// How the state lies in four words.
    pub layout: Layout,
    /// The instructions.
    pub instructions: Vec<Instruction>,
}

/// How the state lies in four words while rounds are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// A column a word, row 0 lowest.
    #[default]
    Columns,
    /// Two rows of two columns a word: word 0 has rows 0 and 1 of columns 0 and 1, word 1 those of
    /// columns 2 and 3, words 2 and 3 rows 2 and 3; in each, bytes by column, then row.
    Tiles,
}

impl Layout {
    /// Row and column of a byte of a word.
    pub fn place(self, word: usize, byte: usize) -> (usize, usize) {
        match self {
            Layout::Columns => (byte, word),
            Layout::Tiles => (2 * (word / 2) + byte % 2, 2 * (word % 2) + byte / 2),
        }
    }

    /// Word and byte of a row and column.
    pub fn find(self, row: usize, column: usize) -> (usize, usize) {
        match self {
            Layout::Columns => (column, row),
            Layout::Tiles => (2 * (row / 2) + column / 2, 2 * (column % 2) + row % 2),
        }
    }
}

/// An instruction of an extension.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its mnemonic.
    pub name: String,
    /// What it does, in a sentence.
    pub about: String,
    /// Registers read; an accumulator that is also written is among them.
    pub reads: Vec<String>,
    /// Registers that the unit is wired to; the base says which they are, the first of them first.
    pub fixed: Vec<String>,
    /// The register written.
    pub writes: String,
    /// Names and bits of the constants in the instruction.
    pub selectors: Vec<(String, u8)>,
    /// Its meaning.
    pub meaning: String,
    /// Cycles until the result can be used.
    pub latency: u8,
    /// Cycles until the unit takes the next.
    pub occupancy: u8,
    /// Encodings that it has by a standard: family of processors, pattern with the operands' names.
    pub encodings: Vec<(String, String)>,
    /// Where it stands in the file.
    pub lines: Lines,
}

/// Lines of a file, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    /// The instruction's first.
    pub start: usize,
    /// That of its meaning.
    pub meaning: usize,
    /// That of its reads.
    pub reads: usize,
    /// That of its encodings.
    pub encoding: usize,
}

impl Instruction {
    /// The place among `reads` of the register that is also written, if it is read.
    pub fn tied(&self) -> Option<usize> {
        self.reads.iter().position(|r| *r == self.writes)
    }

    /// How many words it computes from: registers named, then those that the unit is wired to.
    pub fn inputs(&self) -> usize {
        self.reads.len() + self.fixed.len()
    }

    /// Bits of all selectors.
    pub fn selector_bits(&self) -> u8 {
        self.selectors.iter().map(|(_, bits)| bits).sum()
    }

    /// Every choice of its selectors.
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExtension {
    name: Spanned<String>,
    #[serde(default)]
    about: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    layout: Layout,
    #[serde(default)]
    macros: BTreeMap<String, String>,
    #[serde(default)]
    instruction: Vec<Spanned<RawInstruction>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawInstruction {
    name: Spanned<String>,
    #[serde(default)]
    about: String,
    reads: Spanned<Vec<String>>,
    #[serde(default)]
    fixed: Vec<String>,
    writes: Spanned<String>,
    #[serde(default)]
    selectors: BTreeMap<String, Spanned<u8>>,
    meaning: Spanned<String>,
    #[serde(default = "one")]
    latency: Spanned<u8>,
    #[serde(default = "one")]
    occupancy: Spanned<u8>,
    encoding: Option<Spanned<BTreeMap<String, String>>>,
}

fn one() -> Spanned<u8> {
    Spanned::new(0..0, 1)
}

/// The line of a byte of a text.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.'))
}

impl Extension {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Extension, Mistake> {
        let raw: RawExtension = toml::from_str(text).map_err(|e| Mistake {
            line: e.span().map_or(1, |s| line_of(text, s.start)),
            what: e.message().to_owned(),
        })?;
        let fail = |at: usize, what: String| Err(Mistake { line: line_of(text, at), what });
        if !is_name(raw.name.as_ref()) {
            let what = format!("'{}' is no name: small letters, digits, '-', '_' and '.'", raw.name.as_ref());
            return fail(raw.name.span().start, what);
        }
        if raw.instruction.is_empty() {
            return fail(text.len(), "the extension has no [[instruction]]".into());
        }
        let mut instructions: Vec<Instruction> = Vec::new();
        for spanned in raw.instruction {
            let start = spanned.span().start;
            let raw = spanned.into_inner();
            let at = raw.name.span().start;
            let name = raw.name.into_inner();
            if !is_name(&name) {
                return fail(at, format!("'{name}' is no mnemonic: small letters, digits, '-', '_' and '.'"));
            }
            if instructions.iter().any(|i| i.name == name) {
                return fail(at, format!("there are two instructions '{name}'"));
            }
            if raw.reads.as_ref().len() > 3 {
                let what = format!("{name} reads {} registers; three are the most", raw.reads.as_ref().len());
                return fail(raw.reads.span().start, what);
            }
            let operands = raw
                .reads
                .as_ref()
                .iter()
                .chain(&raw.fixed)
                .chain([raw.writes.as_ref()])
                .chain(raw.selectors.keys());
            for operand in operands {
                if !operand.starts_with(|c: char| c.is_ascii_lowercase())
                    || !operand.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
                {
                    let what =
                        format!("{name}: operands are named by small letters and digits, not '{operand}'");
                    return fail(at, what);
                }
            }
            for (selector, bits) in &raw.selectors {
                if !(1..=5).contains(bits.as_ref()) {
                    let what =
                        format!("{name}: the selector {selector} has 1 to 5 bits, not {}", bits.as_ref());
                    return fail(bits.span().start, what);
                }
            }
            for (what, cycles) in [("latency", &raw.latency), ("occupancy", &raw.occupancy)] {
                if *cycles.as_ref() == 0 {
                    return fail(cycles.span().start, format!("{name}: its {what} is at least one cycle"));
                }
            }
            let line = |at: usize| line_of(text, at);
            let encoding = raw.encoding.as_ref().map_or(start, |e| e.span().start);
            let lines = Lines {
                start: line(start),
                meaning: line(raw.meaning.span().start),
                reads: line(raw.reads.span().start),
                encoding: line(encoding),
            };
            instructions.push(Instruction {
                name,
                about: raw.about,
                lines,
                encodings: raw.encoding.map(|e| e.into_inner().into_iter().collect()).unwrap_or_default(),
                fixed: raw.fixed,
                reads: raw.reads.into_inner(),
                writes: raw.writes.into_inner(),
                selectors: raw.selectors.into_iter().map(|(n, b)| (n, b.into_inner())).collect(),
                meaning: raw.meaning.into_inner(),
                latency: raw.latency.into_inner(),
                occupancy: raw.occupancy.into_inner(),
            });
        }
        let extension = Extension {
            name: raw.name.into_inner(),
            about: raw.about,
            source: raw.source,
            layout: raw.layout,
            macros: raw.macros.into_iter().collect(),
            instructions,
        };
        crate::meaning::table(&extension)?;
        Ok(extension)
    }
}
