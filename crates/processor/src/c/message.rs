//! Prototypes of functions over messages, and statements on the rest of a message, which the functions of all modes share.

use super::Text;
use aesmith_cipher::Problem;

/// Pointers and length of a text.
const FIELDS: [(&str, &str); 3] = [("const uint8_t *", "in"), ("uint8_t *", "out"), ("size_t ", "len")];

/// Defines the structure for the rest of a message: pointers, length, and more lines.
pub fn structure(t: &mut Text, about: &str, name: &str, more: &[&str]) {
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
pub fn keep(t: &mut Text, of: &str, index: &str) {
    for (_, field) in FIELDS {
        t.line(&format!("{of}{field} = {field}{index};"));
    }
}

/// Advances by `bytes` bytes: plain variables, or with `m->` as `of` the fields of a structure.
pub fn advance(t: &mut Text, of: &str, bytes: usize) {
    for (field, sign) in [("in", '+'), ("out", '+'), ("len", '-')] {
        t.line(&format!("{of}{field} {sign}= {bytes};"));
    }
}

/// Increments the counter, with its carry.
pub fn count(t: &mut Text, of: &str) {
    t.line(&format!("{of}low++;"));
    t.line(&format!("{of}high += {of}low == 0;"));
}

/// The prototype of a function over messages, without the semicolon; its keys are structures of type `structure` + `_key`.
/// In a C file `key` means the bytes of a key, so the structures have longer names than in the header.
pub fn prototype(problem: Problem, function: &str, structure: &str) -> String {
    let n = problem.streams();
    if n > 1 {
        return format!(
            "void {function}(const {structure}_key *const key_structures[{n}], uint8_t *const iv[{n}],\n    \
             const uint8_t *const in[{n}], uint8_t *const out[{n}], const size_t len[{n}])"
        );
    }
    let iv = if problem.has_iv() { "uint8_t iv[16], " } else { "" };
    format!(
        "void {function}(const {structure}_key *key_structure, {iv}const uint8_t *in, uint8_t *out, size_t len)"
    )
}
