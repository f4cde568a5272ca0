//! A case: a change of assembly that is refused, and one of the same kind that is accepted.

/// The name of the attacked kernel, with which the names of its parts begin.
pub const N: &str = "aesmith_aes128_ctr_avx_aesni";

/// The way in which a file is made from the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BuiltKernel {
    /// `verify` preprocesses and assembles it.
    S,
    /// `verify` assembles it.
    Lower,
    /// `cc -c` makes an object of it in the test.
    Object,
    /// `cc -shared` with one more option.
    Shared(&'static str),
    /// An archive of it and the package's C.
    Archive,
    /// An archive of these and of the original text.
    Twice,
    /// The source in a copy of the package's folder, with certificates and header.
    Package,
}

pub type Edit = fn(&str) -> String;

pub struct Case {
    pub what: &'static str,
    pub made: BuiltKernel,
    pub attack: Edit,
    pub control: Edit,
    pub why: &'static str,
}

pub fn same(text: &str) -> String {
    text.to_owned()
}

/// The text with a part replaced, which must occur.
pub fn with(text: &str, part: &str, other: &str) -> String {
    assert!(text.contains(part), "no `{part}` in the assembly");
    text.replacen(part, other, 1)
}

pub fn in_section(text: &str, section: &str) -> String {
    with(text, "\t.text\n", &format!("\t.section {section}\n"))
}

pub fn type_line() -> String {
    format!("\t.type {N}, @function\n")
}

pub fn size_line() -> String {
    format!("\t.size {N}, . - {N}\n")
}

pub fn global_line() -> String {
    format!("\t.globl {N}\n")
}

/// Appends lines in the section of code.
pub fn and(text: &str, lines: &str) -> String {
    format!("{text}\n\t.text\n{lines}\n")
}

/// Moves the first function behind 64 bytes of padding, with a relocation `distance` bytes before it.
pub fn behind(text: &str, distance: usize, relocation: &str) -> String {
    let padding = |bytes: usize| format!("\t.fill {bytes}, 1, 0xcc\n");
    let place = format!("\t.reloc ., {relocation}, other\n");
    let all = format!("\t.p2align 6\n{}{place}{}", padding(64 - distance), padding(distance));
    with(text, "\t.p2align 6\n", &all)
}

/// Adds a relocation one byte behind the first function.
pub fn before(text: &str, relocation: &str) -> String {
    let place = format!("\t.fill 1, 1, 0xcc\n\t.reloc ., {relocation}, other\n\t.fill 64, 1, 0xcc\n");
    with(text, &size_line(), &format!("{}{place}", size_line()))
}

/// Changes a part of the constants.
pub fn constants(text: &str, part: &str, other: &str) -> String {
    let at = text.find("\t.section .rodata\n").expect("it has constants");
    format!("{}{}", &text[..at], with(&text[at..], part, other))
}
