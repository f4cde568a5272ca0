//! A case: a change of assembly that is refused, and one beside it that is accepted.

/// The kernel that is attacked, and its parts.
pub const N: &str = "aesmith_aes128_ctr_avx_aesni";

/// How a file is made of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BuiltKernel {
    /// `verify` preprocesses and assembles it.
    S,
    /// `verify` assembles it.
    Lower,
    /// `cc -c` of it, here.
    Object,
    /// `cc -shared` of it, with one more option.
    Shared(&'static str),
    /// An archive of it and of the package's C.
    Archive,
    /// The same of the text twice.
    Twice,
    /// The same, linked by the package's Makefile into its folder, certificates and header beside.
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

/// The text with a part replaced that must be there.
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

/// Lines at the end, in the section of code.
pub fn and(text: &str, lines: &str) -> String {
    format!("{text}\n\t.text\n{lines}\n")
}

/// The first function behind 64 bytes of padding, with a relocation so many bytes before it.
pub fn behind(text: &str, distance: usize, relocation: &str) -> String {
    let padding = |bytes: usize| format!("\t.fill {bytes}, 1, 0xcc\n");
    let place = format!("\t.reloc ., {relocation}, other\n");
    let all = format!("\t.p2align 6\n{}{place}{}", padding(64 - distance), padding(distance));
    with(text, "\t.p2align 6\n", &all)
}

/// The first function with a relocation a byte behind it.
pub fn before(text: &str, relocation: &str) -> String {
    let place = format!("\t.fill 1, 1, 0xcc\n\t.reloc ., {relocation}, other\n\t.fill 64, 1, 0xcc\n");
    with(text, &size_line(), &format!("{}{place}", size_line()))
}

/// The constants' own lines, changed.
pub fn constants(text: &str, part: &str, other: &str) -> String {
    let at = text.find("\t.section .rodata\n").expect("it has constants");
    format!("{}{}", &text[..at], with(&text[at..], part, other))
}
