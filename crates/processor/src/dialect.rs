//! The machine code of a processor in files: the interface by which printers and readers of files handle processors
//! whose kernels are bytes, and those bytes with their origin.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_isa::elf::Head;
use object::Architecture;
use std::collections::BTreeMap;

/// A kernel as bytes, or several behind a dispatch by length.
#[derive(Clone, Debug)]
pub struct MachineCode {
    /// The dialect of its files.
    pub dialect: &'static Dialect,
    /// The code, entry first, and its constants: exactly the emitted bytes.
    pub bytes: Vec<u8>,
    /// Labels in the code.
    pub places: Vec<(String, usize)>,
    /// The variants that it was built from, with the longest message of each, ascending; the last has no limit.
    pub variants: Vec<(Option<u64>, Variant)>,
}

/// A function for a file of assembly.
#[derive(Debug)]
pub struct Printed<'a> {
    /// Its global symbol.
    pub symbol: &'a str,
    /// The local symbol of its constants.
    pub constants: String,
    /// True if only code in the same shared object may refer to it.
    pub hidden: bool,
    /// Code and constants.
    pub bytes: &'a [u8],
    /// Labels in the code.
    pub places: &'a [(String, usize)],
    /// The comment above it, one element per line.
    pub banner: Vec<String>,
    /// True if the problem has a C form, too.
    pub in_c: bool,
}

/// The end of the code and the start of the constants, which are separate in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// The end of the last instruction.
    pub code: usize,
    /// Offset of the first constant; the number of bytes if there are none.
    pub constants: usize,
}

/// The addresses that reachable instructions refer to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addressed {
    /// The fields with these addresses.
    pub fields: Vec<Field>,
    /// The end of the last such instruction.
    pub code: usize,
}

/// The bytes of an instruction that hold the distance to an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Offset of the bytes.
    pub at: usize,
    /// Offset of the end of the instruction.
    pub end: usize,
    /// Offset of the target.
    pub target: usize,
}

/// A run-time query of the CPU in C: which of several sets of functions it can run.
#[derive(Debug)]
pub struct Question<'a> {
    /// Prefix of names if C chooses among the sets; `None` if there is only one.
    pub chooses: Option<&'a str>,
    /// The sets in order of preference, each with its name and the features that it needs.
    pub sets: Vec<(Option<&'a str>, Vec<&'static str>)>,
}

/// Relocations of linked files.
#[derive(Debug)]
pub struct Loading {
    /// Relocations that write a word of 8 bytes.
    pub words: &'static [u32],
    /// The relocation that copies a variable.
    pub copy: u32,
}

/// Numbers for object files, from ELF and the processor's supplement.
#[derive(Debug)]
pub struct Elf {
    /// The head of its files.
    pub head: Head,
    /// The architecture, as the crate that writes objects names it.
    pub architecture: Architecture,
    /// Types of sections that its objects have in addition to the common ones, and that change no other section.
    pub sections: &'static [u32],
    /// The relocation of a field with the 32-bit distance to a symbol.
    pub distance: u32,
    /// Relocations that are known to write only their field, with its number of bytes.
    pub written: &'static [(u32, u64)],
    /// Relocations that a loader performs.
    pub loading: Loading,
    /// The property that all code of a program must have, and its value.
    pub property: (u32, u32),
}

/// The form of a processor's machine code in files.
#[derive(Debug)]
pub struct Dialect {
    /// The processor.
    pub name: &'static str,
    /// The calling convention of C for its functions.
    pub convention: &'static str,
    /// Numbers of its objects.
    pub elf: Elf,
    /// A function's alignment, on which its constants and loops rely.
    pub alignment: u64,
    /// Alignment of constants.
    pub constants_alignment: usize,
    /// True if the checker of proofs knows its instructions.
    pub checked: bool,
    /// The byte between code and constants, which is never executed.
    pub padding: u8,
    /// Features that kernels may need, by the compilers' names, in listing order.
    pub features: &'static [&'static str],
    /// Levels of CPUs: named sets of features.
    pub levels: &'static [&'static str],
    /// The C header that `question` needs.
    pub header: &'static str,
    /// The compiler option by which C beside the code declares the code's control-flow protection.
    pub protection: &'static str,
    /// Registers, sizes and permissions of a function's arguments, one line each.
    pub arguments: fn(Problem) -> Vec<String>,
    /// Renders a file of assembly.
    pub assembly: fn(&[Printed<'_>]) -> Result<String, String>,
    /// Finds the start of the constants.
    pub split: fn(&[u8]) -> Result<Split, String>,
    /// Finds the constants that instructions address.
    pub addressed: fn(&[u8]) -> Result<Addressed, String>,
    /// The targets of the fields of linked code that starts at an address: for the offset of each field, the value that
    /// a relocation of it would give.
    pub linked: fn(&[u8], u64) -> BTreeMap<usize, i64>,
    /// The features that the instructions of code need, in order.
    pub needed: fn(&[u8]) -> Result<Vec<&'static str>, String>,
    /// The query of the CPU in C: a function `chosen`, which returns the number of the first set that it can run,
    /// counted from 1, or the number of sets plus one.
    pub question: fn(&Question<'_>) -> String,
}
