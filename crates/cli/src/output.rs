//! Data on standard output: lines, JSON objects (one a line), and tables.

use crate::failure::Failure;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Stdout, Write};

/// Standard output and its format.
pub struct Output {
    /// True if data is written as JSON.
    pub json: bool,
    schema: String,
    to: BufWriter<Stdout>,
}

/// The version of every schema. It increases when a key in docs/schemas is removed or changes its meaning; a new key
/// needs no new version.
const VERSION: u32 = 1;

/// True if a character controls the terminal instead of being displayed: it moves the cursor, changes colours or the
/// direction of text, or is invisible.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Foreign text on one line, with only characters that terminals display.
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

/// Foreign text with its lines and tabs, and otherwise only characters that terminals display.
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

/// Prints a line on standard error. A failure to write it cannot be reported; the exit code still tells the outcome.
pub fn say(text: impl AsRef<str>) {
    let _ = writeln!(io::stderr(), "{}", shown_lines(text.as_ref()));
}

/// An object preceded by the name of its schema.
#[derive(Serialize)]
struct Marked<'a, T: Serialize> {
    schema: &'a str,
    #[serde(flatten)]
    object: &'a T,
}

impl Output {
    /// The standard output of a command whose JSON has the schema of this name.
    pub fn new(json: bool, schema: &str) -> Output {
        let schema = format!("aesmith.{schema}/{VERSION}");
        Output { json, schema, to: BufWriter::new(io::stdout()) }
    }

    /// Prints a line of text.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        writeln!(self.to, "{}", shown_lines(text.as_ref())).map_err(Failure::Output)
    }

    /// Prints a sentence wrapped into lines, each after `indent`.
    pub fn sentence(&mut self, text: &str, indent: &str) -> Result<(), Failure> {
        wrap(text, indent, 100).iter().try_for_each(|line| self.line(line))
    }

    /// Prints a text on one line after `indent`; in a terminal, on lines that fit its width. Foreign text is shown safely.
    pub fn fitted(&mut self, text: &str, indent: &str) -> Result<(), Failure> {
        let text = shown(text);
        match columns() {
            Some(width) => wrap(&text, indent, width).iter().try_for_each(|line| self.line(line)),
            None => self.line(format!("{indent}{text}")),
        }
    }

    /// Prints an object on one line, with its schema.
    pub fn object(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        let marked = Marked { schema: &self.schema, object };
        let text = serde_json::to_string(&marked).map_err(|e| Failure::Other(e.to_string()))?;
        // These characters occur only in strings, where JSON can escape each of them.
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

    /// Flushes the buffer, so that the reader of a pipe receives it now.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.to.flush().map_err(Failure::Output)
    }

    /// The underlying stream.
    pub fn stream(&mut self) -> &mut impl Write {
        &mut self.to
    }

    /// Prints a table.
    pub fn table(&mut self, table: &Table) -> Result<(), Failure> {
        for line in table.within(columns()) {
            self.line(line)?;
        }
        Ok(())
    }
}

/// The least width of a column of text, in characters, unless its longest word is shorter.
const NARROWEST: usize = 12;

/// The width that tables must fit into: the terminal's, or that of COLUMNS; `None` without both, as in a pipe.
fn columns() -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call writes a winsize, the type of `size`, or fails.
    let known = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) } == 0;
    let said = || std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let width = if known && size.ws_col > 0 { Some(usize::from(size.ws_col)) } else { said() };
    width.map(|width: usize| width.max(20))
}

/// Wraps a text into lines of at most `width` characters: at spaces, and within words that are longer.
fn cut(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + letters.len() <= width {
            lines.last_mut().expect("there is a line").push_str(&format!(" {word}"));
            continue;
        }
        for (at, part) in letters.chunks(width).enumerate() {
            let part: String = part.iter().collect();
            match lines.last_mut() {
                Some(line) if at == 0 && line.is_empty() => *line = part,
                _ => lines.push(part),
            }
        }
    }
    lines
}

/// Rows of cells under headings; columns of numbers are aligned to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
    right: Vec<bool>,
}

impl Table {
    /// A table with these headings, separated by `|`; one that starts with `>` is for a column of numbers.
    pub fn new(headings: &str) -> Table {
        Table::with(&headings.split('|').collect::<Vec<_>>())
    }

    /// Like [`Table::new`], with headings that are data.
    pub fn with(headings: &[&str]) -> Table {
        Table {
            right: headings.iter().map(|h| h.starts_with('>')).collect(),
            rows: vec![headings.iter().map(|h| h.trim_start_matches('>').to_owned()).collect()],
        }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| shown(&cell.into()).into_owned()).collect());
    }

    /// The table's lines within a width: columns of text wrap; if the numbers alone are too wide, each row becomes a
    /// list of its cells with their headings.
    fn within(&self, width: Option<usize>) -> Vec<String> {
        let lines = self.lines();
        let Some(width) = width.filter(|width| lines.iter().any(|l| l.chars().count() > *width)) else {
            return lines;
        };
        let count = self.right.len();
        let cells = |c: usize| self.rows.iter().filter_map(move |row| row.get(c));
        let natural = |c: usize| cells(c).map(|s| s.chars().count()).max().unwrap_or(0);
        let word = |text: &String| text.split_whitespace().map(|w| w.chars().count()).max().unwrap_or(0);
        // Numbers stay whole and their headings wrap. Text wraps at spaces, and long words are cut.
        let least = |c: usize| match self.right[c] {
            true => cells(c)
                .skip(1)
                .map(|s| s.chars().count())
                .max()
                .unwrap_or(0)
                .max(cells(c).take(1).map(word).max().unwrap_or(0)),
            false => cells(c).map(word).max().unwrap_or(0).min(NARROWEST),
        };
        let mut widths: Vec<usize> = (0..count).map(natural).collect();
        let least: Vec<usize> = (0..count).map(least).collect();
        let gaps = 2 * count.saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > width {
            let widest = (0..count).filter(|&c| widths[c] > least[c]).max_by_key(|&c| (widths[c], c));
            match widest {
                Some(c) => widths[c] -= 1,
                None => return self.listed(width),
            }
        }
        let bare = usize::from(self.rows[0].iter().all(String::is_empty));
        let mut lines = Vec::new();
        for row in &self.rows[bare..] {
            let wrapped: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, &w)| cut(cell, w)).collect();
            for line in 0..wrapped.iter().map(Vec::len).max().unwrap_or(0) {
                let cells = wrapped.iter().zip(&widths).zip(&self.right).map(|((cell, &w), &right)| {
                    let text = cell.get(line).map_or("", String::as_str);
                    if right { format!("{text:>w$}") } else { format!("{text:<w$}") }
                });
                lines.push(cells.collect::<Vec<_>>().join("  ").trim_end().to_owned());
            }
        }
        lines
    }

    /// The cells of each row as lines `heading: cell`, with an empty line between rows.
    fn listed(&self, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().skip(1).enumerate() {
            if number > 0 {
                lines.push(String::new());
            }
            for (heading, cell) in self.rows[0].iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                let text = if heading.is_empty() { cell.clone() } else { format!("{heading}: {cell}") };
                lines.extend(cut(&text, width));
            }
        }
        lines
    }

    /// The table's lines with aligned columns; without a line of headings if all are empty.
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

/// Names and their descriptions side by side, or one below the other if the terminal is too narrow.
pub fn side_by_side(rows: &[(String, String)]) -> Vec<String> {
    let room = columns().unwrap_or(100).min(100);
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let beside = room.saturating_sub(widest + 4);
    let mut lines = Vec::new();
    for (name, value) in rows {
        if beside < 2 * NARROWEST {
            lines.extend(wrap(name, "  ", room));
            lines.extend(wrap(value, "    ", room));
            continue;
        }
        for (at, line) in wrap(value, "", beside).iter().enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            lines.push(format!("  {name:<widest$}  {line}"));
        }
    }
    lines
}

/// Wraps a sentence into lines of at most `width` characters, and no wider than the terminal, each after `indent`.
fn wrap(text: &str, indent: &str, width: usize) -> Vec<String> {
    let width = columns().map_or(width, |columns| columns.min(width));
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
        let mut table = Table::new("what|>c/B");
        table.row(["best", "0.1"]);
        table.row(["baseline", "12.25"]);
        assert_eq!(table.lines(), ["what        c/B", "best        0.1", "baseline  12.25"]);
    }

    #[test]
    fn tables_fit_a_width() {
        let mut table = Table::new("kernel|>cycles a block|>flash|constant time");
        table.row([
            "aesmith_aes128_ecb",
            "1,125.50",
            "4,016",
            "yes, as long as its tables lie in memory of one speed",
        ]);
        table.row(["x", "9", "8", "no"]);
        for width in 20..=200 {
            let lines = table.within(Some(width));
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= width, "{width}: {lines:#?}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert!(
                width < 40 || words(&lines.join(" ")).contains(&"1,125.50".to_owned()),
                "{width}: {lines:#?}"
            );
        }
        assert_eq!(table.within(None), table.lines());
        assert_eq!(table.within(Some(200)), table.lines());
        assert_eq!(cut("one verylongword", 5), ["one", "veryl", "ongwo", "rd"]);
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
