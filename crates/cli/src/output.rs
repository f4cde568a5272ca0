//! Data on standard output: lines, JSON objects one a line, and tables.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{self, BufWriter, Stdout, Write};

/// Standard output, and how it is written.
pub struct Output {
    /// Whether data is written as JSON.
    pub json: bool,
    to: BufWriter<Stdout>,
}

impl Output {
    /// Standard output.
    pub fn new(json: bool) -> Output {
        Output { json, to: BufWriter::new(io::stdout()) }
    }

    /// A line of text.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        writeln!(self.to, "{}", text.as_ref()).map_err(Failure::Output)
    }

    /// An object on one line.
    pub fn object(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(object).map_err(|e| Failure::Other(e.to_string()))?;
        self.line(text)
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
        self.rows.push(cells.into_iter().map(Into::into).collect());
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
    fn long_sentences_wrap() {
        assert_eq!(wrap("one two three", "  ", 9), ["  one two", "  three"]);
    }
}
