//! How the machine code of a processor stands in files: what printers and readers of files ask of a processor whose
//! kernels are bytes, and those bytes with how they were made.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_isa::elf::Head;
use object::Architecture;
use std::collections::BTreeMap;

/// A kernel as bytes, or several behind a choice by length.
#[derive(Clone, Debug)]
pub struct MachineCode {
    /// How it is written in files.
    pub dialect: &'static Dialect,
    /// Entry first, and its constants: exactly what is emitted.
    pub bytes: Vec<u8>,
    /// Named places in the code.
    pub places: Vec<(String, usize)>,
    /// The variants that it was made of, with the longest message that each is for, ascending; the last has no
    /// limit.
    pub variants: Vec<(Option<u64>, Variant)>,
}

/// A function for a file of assembly.
#[derive(Debug)]
pub struct Printed<'a> {
    /// Its global symbol.
    pub symbol: &'a str,
    /// The local symbol of its constants.
    pub constants: String,
    /// Whether only code in the same shared object may name it.
    pub hidden: bool,
    /// Code and constants.
    pub bytes: &'a [u8],
    /// Named places in the code.
    pub places: &'a [(String, usize)],
    /// What is said above it, a line each.
    pub banner: Vec<String>,
}

/// Where code ends and constants begin, which stand apart in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// The end of the last instruction.
    pub code: usize,
    /// The first constant; the number of bytes, where there are none.
    pub constants: usize,
}

/// What instructions address, of those that execution reaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addressed {
    /// The fields that say it.
    pub fields: Vec<Field>,
    /// Where the last of the instructions ends.
    pub code: usize,
}

/// The bytes of an instruction that say how far it is to what it addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Where they stand.
    pub at: usize,
    /// Where the instruction ends.
    pub end: usize,
    /// What it addresses.
    pub target: usize,
}

/// What C asks of the CPU: which of several sets of functions it can run.
#[derive(Debug)]
pub struct Question<'a> {
    /// What names begin with where C chooses among the sets; none where there is one, without a choice.
    pub chooses: Option<&'a str>,
    /// Of each set, the one that is preferred first, its name and the features that it needs.
    pub sets: Vec<(Option<&'a str>, Vec<&'static str>)>,
}

/// Objects: numbers that ELF and its processor's supplement give.
#[derive(Debug)]
pub struct Elf {
    /// The head of its files.
    pub head: Head,
    /// The same in the crate that writes objects.
    pub architecture: Architecture,
    /// Kinds of sections that its objects have besides those of all, and that change no other.
    pub sections: &'static [u32],
    /// The relocation of a field: the distance to a symbol, 32 bits.
    pub distance: u32,
    /// Relocations that are known to write a field and nothing around it, with its bytes.
    pub written: &'static [(u32, u64)],
    /// The property that all code of a program must have, and its value.
    pub property: (u32, u32),
}

/// How the machine code of a processor stands in files.
#[derive(Debug)]
pub struct Dialect {
    /// The processor.
    pub name: &'static str,
    /// How C calls its functions.
    pub convention: &'static str,
    /// Numbers of its objects.
    pub elf: Elf,
    /// A function's alignment, which its constants and loops count on.
    pub alignment: u64,
    /// What constants are aligned to.
    pub constants_alignment: usize,
    /// What stands between code and constants, and is never executed.
    pub padding: u8,
    /// Features that kernels may need, by the names that compilers have for them, in the order in which they are
    /// listed.
    pub features: &'static [&'static str],
    /// Levels of CPUs: named sets of features.
    pub levels: &'static [&'static str],
    /// The header of C that `question` needs.
    pub header: &'static str,
    /// The compiler's option by which C beside the code promises what the code does of control flow.
    pub protection: &'static str,
    /// Registers, sizes and permissions of a function's arguments, a line each.
    pub arguments: fn(Problem) -> Vec<String>,
    /// A file of assembly.
    pub assembly: fn(&[Printed<'_>]) -> Result<String, String>,
    /// Where constants begin.
    pub split: fn(&[u8]) -> Result<Split, String>,
    /// The constants that instructions address.
    pub addressed: fn(&[u8]) -> Result<Addressed, String>,
    /// What the fields of linked code lead to, the first byte of which is at an address: by where each stands,
    /// what a relocation of it would add up to.
    pub linked: fn(&[u8], u64) -> BTreeMap<usize, i64>,
    /// The features that the instructions of code need, in order.
    pub needed: fn(&[u8]) -> Result<Vec<&'static str>, String>,
    /// Features that intrinsics of a technique need beside those of a register's width.
    pub attributes: fn(Technique) -> &'static [&'static str],
    /// The question to the CPU in C: a function `chosen`, which returns the number of the first set that it can run,
    /// counted from 1, or one more than there are.
    pub question: fn(&Question<'_>) -> String,
}
