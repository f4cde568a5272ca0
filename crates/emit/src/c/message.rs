//! Statements on the rest of a message, which the functions of all modes share.

use super::text::Text;
use super::words::Words;
use crate::c::choices;
use crate::prototype::of_texts_in_c;
use aesmith_arrange::Variant;

/// Pointers and length of a text.
const FIELDS: [(&str, &str); 3] = [("const uint8_t *", "in"), ("uint8_t *", "out"), ("size_t ", "len")];

/// Defines the structure for the rest of a message: pointers, length, and more lines.
pub(super) fn structure(t: &mut Text, about: &str, name: &str, more: &[&str]) {
    t.line(&format!("/* {about} */"));
    t.line("typedef struct {");
    let fields = FIELDS.iter().map(|(of, field)| format!("{of}{field};"));
    for line in fields.chain(more.iter().map(|line| (*line).to_owned())) {
        t.line(&format!("    {line}"));
    }
    t.line(&format!("}} {name};"));
    t.blank();
}

/// Stores pointers and length in such a structure: `m->in = in;`, `m[n].in = in[n];`.
pub(super) fn keep(t: &mut Text, of: &str, index: &str) {
    for (_, field) in FIELDS {
        t.line(&format!("{of}{field} = {field}{index};"));
    }
}

/// Advances by `bytes` bytes: plain variables, or with `m->` as `of` the fields of a structure.
pub(super) fn advance(t: &mut Text, of: &str, bytes: usize) {
    for (field, sign) in [("in", '+'), ("out", '+'), ("len", '-')] {
        t.line(&format!("{of}{field} {sign}= {bytes};"));
    }
}

/// Increments the counter, with its carry.
pub(super) fn count(t: &mut Text, of: &str) {
    t.line(&format!("{of}low++;"));
    t.line(&format!("{of}high += {of}low == 0;"));
}

/// Opens a variant's function `name` + `suffix`; with a suffix it is static.
pub(super) fn open_entry(t: &mut Text, variant: &Variant, words: &Words, name: &str, suffix: &str) {
    let storage = if suffix.is_empty() { "" } else { "static " };
    if variant.on(choices::WIPE) {
        t.raw("#if defined(__has_attribute)\n#if __has_attribute(zero_call_used_regs)\n");
        t.line("__attribute__((zero_call_used_regs(\"all\")))");
        t.raw("#endif\n#endif\n");
    }
    let prototype = of_texts_in_c(variant.problem, &format!("{name}{suffix}"), name);
    t.open(&format!("{storage}TARGET{} {prototype}", words.bits));
}
