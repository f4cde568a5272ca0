//! The processors of the accounting, and the stance of each technique on them.
//!
//! The paper's section 4 gives cycles and instructions for five of them. The sixth, with 32-bit x86 code
//! besides the Pentium 4, is our addition; no published total of it was found. Figures other than
//! instructions per block are left out here: docs/PROCESSORS.md has cycles.

use std::sync::OnceLock;

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

/// The six processors.
///
/// # Panics
/// A line of the file cannot be read; tests read them all.
pub fn lines() -> &'static [Line] {
    static LINES: OnceLock<Vec<Line>> = OnceLock::new();
    LINES.get_or_init(|| {
        let text: &'static str = include_str!("targets.txt");
        let mut all: Vec<Line> = Vec::new();
        for section in text.split("\n[").skip(1) {
            let read = line(section, &all);
            all.push(read.unwrap_or_else(|| panic!("`[{section}` is no processor of the accounting")));
        }
        all
    })
}

/// Reads a section of the file, whose first bracket is cut off; `before` are those above it.
fn line(section: &'static str, before: &[Line]) -> Option<Line> {
    let mut texts = section.lines().filter(|text| !text.is_empty());
    let (key, name) = texts.next()?.split_once("] ")?;
    let mut techniques: Vec<(&str, Stance)> = Vec::new();
    let mut line = Line {
        name,
        key,
        architecture: "",
        code: Code::Table(key),
        published: None,
        about: "",
        start: "",
        besides: "",
        techniques: &[],
    };
    for text in texts {
        let (head, rest) = text.split_once(": ").or_else(|| Some((text.strip_suffix(':')?, "")))?;
        match head {
            "architecture" => line.architecture = rest,
            "table" => line.code = Code::Table(rest),
            "level" => line.code = Code::Level(rest),
            "published" => line.published = Some(rest.parse().ok()?),
            "about" => line.about = rest,
            "start" => line.start = rest,
            "besides" => line.besides = rest,
            "like" => techniques.extend(before.iter().find(|known| known.key == rest)?.techniques),
            _ => {
                let (technique, stance) = head.split_once(' ')?;
                let stance = match stance.split_once(' ').unwrap_or((stance, "")) {
                    ("chosen", choices) => Stance::Chosen(choices, rest),
                    ("refused", choices) => Stance::Refused(choices, rest),
                    ("always", "") => Stance::Always(rest),
                    ("missing", "") => Stance::Missing(rest),
                    ("foreign", "") => Stance::Foreign(rest),
                    _ => return None,
                };
                match techniques.iter_mut().find(|(known, _)| *known == technique) {
                    Some(known) => known.1 = stance,
                    None => techniques.push((technique, stance)),
                }
            }
        }
    }
    line.techniques = techniques.leak();
    Some(line)
}
