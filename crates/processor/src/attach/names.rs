//! Maps names in an extension's file to names in a processor's table: operands and local names become names of the
//! table's fields, or names that the table does not use.

use aesmith_isa::Kind;
use aesmith_isa::table::Row;

/// A text with the file's operand names replaced.
pub(super) fn renamed(text: &str, names: &[(String, String)]) -> String {
    let mut out = String::new();
    for (word, after) in words(text) {
        match names.iter().find(|(n, _)| n == word) {
            // A function with the same name as an operand is a coincidence.
            Some((_, new)) if !after.trim_start().starts_with('(') => out.push_str(new),
            _ => out.push_str(word),
        }
        out.push_str(after);
    }
    out
}

/// The words of a text, each with the text between it and the next.
fn words(text: &str) -> Vec<(&str, &str)> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(|c| !part(c)).unwrap_or(rest.len()));
        let (between, next) = after.split_at(after.find(part).unwrap_or(after.len()));
        found.push((word, between));
        rest = next;
    }
    found
}

/// New names for the local names of a meaning, which no register or field of a processor has.
pub(super) fn locals(meaning: &str) -> Vec<(String, String)> {
    let named = words(meaning).into_iter().filter(|(_, after)| after.trim_start().starts_with(":="));
    named.map(|(word, _)| (word.to_owned(), format!("local_{word}"))).collect()
}

/// True if a mnemonic belongs to a row, including names that its fields may add to it (`bne`).
pub(super) fn spells(row: &Row, mnemonic: &str) -> bool {
    let mut form = row.syntax.split_whitespace().next().unwrap_or("");
    let mut left = vec![mnemonic];
    while !form.is_empty() {
        let names: &[&str] = match form.strip_prefix('{').and_then(|f| f.split_once('}')) {
            Some((field, after)) => {
                form = after;
                match row.fields.iter().find(|f| f.name == field).map(|f| f.kind) {
                    Some(Kind::Names { names, .. }) => names,
                    _ => return false,
                }
            }
            None => {
                let (literal, after) = form.split_at(form.find('{').unwrap_or(form.len()));
                form = after;
                &[literal]
            }
        };
        left = left.iter().flat_map(|l| names.iter().filter_map(|n| l.strip_prefix(n))).collect();
    }
    left.contains(&"")
}
