//! Data on standard output: lines, JSON objects one a line, and tables.

use crate::arguments::{Command, Wisdom, isa::Isa};
use crate::failure::Failure;
use crate::sources::{grids, is_another};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Stdout, Write};

/// Standard output, and how it is written.
pub struct Output {
    /// Whether data is written as JSON.
    pub json: bool,
    schema: String,
    to: BufWriter<Stdout>,
}

/// The version of every schema: it rises when a key that stands in docs/schemas goes, or means
/// something else. A new key needs no new version.
const VERSION: u32 = 1;

/// The schema of what a command prints as JSON, by which readers tell objects apart: a file in
/// docs/schemas is named for it. With `--processor` a command prints other objects.
fn schema(command: &Command) -> &'static str {
    match command {
        Command::Tune(t) if grids(t.sought.processor.as_deref()).is_some() => "tune-grid",
        Command::Emit(e) if grids(e.sought.processor.as_deref()).is_some() => "emit-grid",
        Command::Explain(e) if grids(e.processor.as_deref()).is_some() => "explain-grid",
        Command::Count(c) if grids(c.processor.as_deref()).is_some() => "count-grid",
        Command::Tune(t) if is_another(t.sought.processor.as_deref()) => "tune-processor",
        Command::Tune(_) => "tune",
        Command::Space(s) if is_another(s.processor.as_deref()) => "space-processor",
        Command::Space(_) => "space",
        Command::Emit(e) if is_another(e.sought.processor.as_deref()) => "emit-processor",
        Command::Emit(_) => "emit",
        Command::Verify(_) => "verify",
        Command::Bench(b) if is_another(b.processor.as_deref()) => "bench-processor",
        Command::Bench(_) => "bench",
        Command::Explain(e) if is_another(e.processor.as_deref()) => "explain-processor",
        Command::Explain(_) => "explain",
        Command::Wisdom(Wisdom::List(_)) => "wisdom-list",
        Command::Wisdom(Wisdom::Show { .. }) => "wisdom-show",
        Command::Wisdom(Wisdom::Export { .. }) => "wisdom-export",
        Command::Wisdom(Wisdom::Import { .. }) => "wisdom-import",
        Command::Wisdom(Wisdom::Forget { .. }) => "wisdom-forget",
        Command::Report(_) => "report",
        Command::Replay(_) => "replay",
        Command::Reproduce(_) => "reproduce",
        Command::Profile(p) if is_another(p.processor.as_deref()) => "profile-processor",
        Command::Profile(_) => "profile",
        Command::Count(c) if c.accounting => "count-accounting",
        Command::Count(_) => "count",
        Command::Processors => "processors",
        Command::Judge(_) => "judge",
        Command::Isa(Isa::List) => "isa-list",
        Command::Isa(Isa::Check(_)) => "isa-check",
        Command::Isa(Isa::Explore(_)) => "isa-explore",
        Command::Isa(Isa::Verilog(_)) => "isa-verilog",
        Command::Doctor => "doctor",
        Command::Completions { .. } => "completions",
        Command::Man { .. } => "man",
    }
}

/// Whether a character moves the cursor, changes colours or the order of others, or is not seen: what
/// a terminal does, not what it shows.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Text that others wrote, on one line and as characters that terminals only show.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::new();
    for c in text.chars() {
        if acts(c) { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// The same of text that has lines and tabs.
fn shown_lines(text: &str) -> Cow<'_, str> {
    let kept = |c: char| matches!(c, '\n' | '\t');
    if !text.contains(|c| acts(c) && !kept(c)) {
        return Cow::Borrowed(text);
    }
    let whole = text.split_inclusive(kept).map(|part| match part.strip_suffix(kept) {
        Some(inner) => format!("{}{}", shown(inner), &part[inner.len()..]),
        None => shown(part).into_owned(),
    });
    Cow::Owned(whole.collect())
}

/// A line on standard error. Where that cannot be written, nobody is there to be told, and the exit
/// code says what it would have said.
pub fn say(text: impl AsRef<str>) {
    let _ = writeln!(io::stderr(), "{}", shown_lines(text.as_ref()));
}

/// An object with the name of its schema before its own keys.
#[derive(Serialize)]
struct Marked<'a, T: Serialize> {
    schema: &'a str,
    #[serde(flatten)]
    object: &'a T,
}

impl Output {
    /// Standard output of a command.
    pub fn new(json: bool, command: &Command) -> Output {
        let schema = format!("aesmith.{}/{VERSION}", schema(command));
        Output { json, schema, to: BufWriter::new(io::stdout()) }
    }

    /// A line of text.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        writeln!(self.to, "{}", shown_lines(text.as_ref())).map_err(Failure::Output)
    }

    /// An object on one line, with its schema.
    pub fn object(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        let marked = Marked { schema: &self.schema, object };
        let text = serde_json::to_string(&marked).map_err(|e| Failure::Other(e.to_string()))?;
        // Such characters stand in strings only, and JSON has a way to write each.
        let mut safe = String::with_capacity(text.len());
        for c in text.chars() {
            if acts(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(safe, "\\u{unit:04x}");
                }
            } else {
                safe.push(c);
            }
        }
        writeln!(self.to, "{safe}").map_err(Failure::Output)
    }

    /// Writes out what is buffered: whoever reads a pipe sees it now.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.to.flush().map_err(Failure::Output)
    }

    /// The stream itself.
    pub fn stream(&mut self) -> &mut impl Write {
        &mut self.to
    }

    /// A table.
    pub fn table(&mut self, table: &Table) -> Result<(), Failure> {
        for line in table.lines() {
            self.line(line)?;
        }
        Ok(())
    }
}

/// Rows of cells under headings; columns of numbers stand to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
    right: Vec<bool>,
}

impl Table {
    /// A table with these headings; one that starts with `>` is a column of numbers.
    pub fn new(headings: &[&str]) -> Table {
        Table {
            right: headings.iter().map(|h| h.starts_with('>')).collect(),
            rows: vec![headings.iter().map(|h| h.trim_start_matches('>').to_owned()).collect()],
        }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| shown(&cell.into()).into_owned()).collect());
    }

    /// Its lines, columns aligned; no headings line where all headings are empty.
    pub fn lines(&self) -> Vec<String> {
        let widths: Vec<usize> = (0..self.right.len())
            .map(|c| self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0))
            .collect();
        let bare = usize::from(self.rows[0].iter().all(String::is_empty));
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).zip(&self.right).map(|((cell, &width), &right)| {
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows[bare..].iter().map(line).collect()
    }
}

/// Wraps a sentence into lines of at most `width` characters, each behind `indent`.
pub fn wrap(text: &str, indent: &str, width: usize) -> Vec<String> {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a first line");
        if last.len() > indent.len() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{indent}{word}"));
        } else {
            if last.len() > indent.len() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let mut table = Table::new(&["what", ">c/B"]);
        table.row(["best", "0.1"]);
        table.row(["baseline", "12.25"]);
        assert_eq!(table.lines(), ["what        c/B", "best        0.1", "baseline  12.25"]);
    }

    #[test]
    fn what_terminals_would_do_is_shown() {
        let hostile = "a\u{1b}[2Jb\u{9b}1mc\u{202e}d\re\nf\tg é✓";
        assert_eq!(shown(hostile), "a\\u{1b}[2Jb\\u{9b}1mc\\u{202e}d\\re\\nf\\tg é✓");
        assert_eq!(shown_lines(hostile), "a\\u{1b}[2Jb\\u{9b}1mc\\u{202e}d\\re\nf\tg é✓");
        assert!(matches!(shown("plain é"), Cow::Borrowed(_)));
    }

    #[test]
    fn long_sentences_wrap() {
        assert_eq!(wrap("one two three", "  ", 9), ["  one two", "  three"]);
    }
}
