//! Instruction tables as text files: registers, macros and rows.
//!
//! A line is a keyword and cells, which two or more spaces separate; `""` is an empty cell. A line that ends in `\`
//! continues on the next, and a line that starts with `#` is a comment. Lines without a keyword are values.
//!
//! | line | meaning |
//! |---|---|
//! | `registers  32  r0-r31 pc` | the next registers, with their width in bits; `r0-r31` are 32 of them |
//! | `macro  sum(x, y)  x + y` | a macro of the language of meanings |
//! | `let  AT  rs1 + imm` | `<AT>` stands for this text from here to the end of the block |
//! | `each  NAME  CODE` | begins a block, which is read once for each of the lines of values after this one, up to `end`, with `<NAME>` and `<CODE>` for the values |
//! | `list  forms  NAME  CODE` | gives the values after this line a name: `each  forms` begins a block with them |
//! | `row  NAME  SYNTAX  ENCODING  MEANING  CLASS` | a row ([`crate::row`]); a sixth cell names its extension |
//!
//! Values may themselves contain names, which are replaced in turn. In a meaning, `each(8: va[] + vb[])` stands for
//! `cat(va[127:120] + vb[127:120], ..)`, with a copy for each element of eight bits of a 128-bit register, and
//! `steps(8: s# := va[])` for steps with such copies; `#` is the number of an element, the highest being 0.

use std::collections::HashMap;

use crate::table::{Description, Isa, Text};

/// The contents of a table's text.
#[derive(Clone, Default, Debug)]
pub struct Sheet {
    /// Registers: name, width in bits.
    pub registers: Vec<(&'static str, u8)>,
    /// Macros: name with parameters, text.
    pub macros: Vec<(&'static str, &'static str)>,
    /// The rows, in the order of the text.
    pub rows: Vec<Text>,
}

/// The keywords that begin a line.
const KEYWORDS: [&str; 7] = ["registers", "macro", "let", "list", "each", "row", "end"];
/// The greatest number of names that are replaced in a cell.
const MOST_NAMES: usize = 100;

/// A line of the text: its number, its keyword, which is empty for a line of values, and its cells.
struct Line {
    number: usize,
    keyword: String,
    cells: Vec<String>,
}

impl Line {
    fn new(number: usize, text: &str) -> Line {
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (keyword, rest) = if KEYWORDS.contains(&first) { (first, rest) } else { ("", text) };
        let cells = rest.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        let cells = cells.map(|cell| if cell == "\"\"" { String::new() } else { cell.to_owned() });
        Line { number, keyword: keyword.to_owned(), cells: cells.collect() }
    }

    fn wrong(&self, what: &str) -> String {
        format!("line {}: {what}", self.number)
    }
}

/// The lines without comments, continued ones joined.
fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut begun = String::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.starts_with('#') {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(part) => begun.push_str(part),
            None => {
                begun.push_str(line);
                if !begun.is_empty() {
                    lines.push(Line::new(number, &std::mem::take(&mut begun)));
                }
            }
        }
    }
    lines
}

/// The place of the first name in a cell: a word of capital letters between `<` and `>`.
fn name(cell: &str) -> Option<(usize, usize)> {
    cell.match_indices('<').find_map(|(start, _)| {
        let length = cell[start + 1..].find('>')?;
        let word = &cell[start + 1..start + 1 + length];
        let is_name = !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase());
        is_name.then_some((start, start + 1 + length))
    })
}

/// The values of names, the innermost last.
type Values<'a> = Vec<(&'a str, &'a str)>;

/// A cell with its names replaced.
fn filled(cell: &str, values: &Values) -> Result<String, String> {
    let mut cell = cell.to_owned();
    for _ in 0..MOST_NAMES {
        let Some((start, end)) = name(&cell) else { return Ok(cell) };
        let word = &cell[start + 1..end];
        let value = values.iter().rev().find(|(name, _)| *name == word);
        let value = value.ok_or_else(|| format!("nothing is named <{word}>"))?.1;
        cell.replace_range(start..=end, value);
    }
    Err(format!("the names in '{cell}' stand for one another"))
}

/// The names `r0`, `r1`, .. of a range `r0-r31`, or one name.
fn names(range: &str) -> Option<Vec<String>> {
    let Some((first, last)) = range.split_once('-') else { return Some(vec![range.to_owned()]) };
    let split = |name: &str| -> Option<(String, u32)> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        Some((stem.to_owned(), name[stem.len()..].parse().ok()?))
    };
    let ((stem, from), (other, to)) = (split(first)?, split(last)?);
    (stem == other).then(|| (from..=to).map(|k| format!("{stem}{k}")).collect())
}

impl Sheet {
    /// Reads the text of a table; the error names its line.
    pub fn read(text: &str) -> Result<Sheet, String> {
        let lines = lines(text);
        let mut reader = Reader::default();
        let read = reader.block(&lines, &mut Values::new(), true)?;
        match lines.get(read) {
            Some(line) => Err(line.wrong("this ends no block")),
            None => Ok(reader.sheet),
        }
    }

    /// Reads a text that is part of the program. Panics on mistakes.
    pub fn compiled_in(text: &str) -> Sheet {
        Sheet::read(text).unwrap_or_else(|why| panic!("a table: {why}"))
    }

    /// Compiles the rows as a table of this description, with the registers and macros of the text. Panics on
    /// mistakes.
    pub fn isa(self, about: Description) -> Isa {
        let about = Description { registers: self.registers.leak(), macros: self.macros.leak(), ..about };
        let name = about.name;
        Isa::new(about, &self.rows).unwrap_or_else(|why| panic!("the table of {name}: {why}"))
    }
}

/// A text as far as it is read.
#[derive(Default)]
struct Reader<'a> {
    sheet: Sheet,
    /// Lists by name: the names of their columns, and their lines of values.
    lists: HashMap<&'a str, (&'a [String], &'a [Line])>,
}

impl<'a> Reader<'a> {
    /// Reads lines up to the `end` of their block, or of the text for the outermost one; returns their number.
    fn block(
        &mut self,
        lines: &'a [Line],
        values: &mut Values<'a>,
        outermost: bool,
    ) -> Result<usize, String> {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            let given = lines[at..].iter().take_while(|line| line.keyword.is_empty()).count();
            let (given, rest) = lines[at..].split_at(given);
            match (line.keyword.as_str(), line.cells.as_slice()) {
                ("end", []) => return Ok(if outermost { at - 1 } else { at }),
                ("let", [name, value]) => values.push((name, value)),
                ("macro", [name, text]) => {
                    self.sheet.macros.push((name.clone().leak(), text.clone().leak()));
                }
                ("registers", [width, ranges @ ..]) => {
                    let width = width.parse().map_err(|_| line.wrong("a width in bits is missing"))?;
                    for range in ranges.iter().flat_map(|cell| cell.split(' ')) {
                        let names = names(range).ok_or_else(|| line.wrong("these are no registers"))?;
                        self.sheet.registers.extend(names.into_iter().map(|name| (&*name.leak(), width)));
                    }
                }
                ("row", cells) => {
                    let cells: Result<_, _> = cells.iter().map(|cell| filled(cell, values)).collect();
                    let row = cells.and_then(row).map_err(|why| line.wrong(&why))?;
                    self.sheet.rows.push(row);
                }
                ("list", [name, columns @ ..]) if !given.is_empty() => {
                    at += given.len();
                    self.lists.insert(name, (columns, given));
                }
                ("each", [name]) if given.is_empty() => {
                    let list = self.lists.get(name.as_str()).copied();
                    let list = list.ok_or_else(|| line.wrong("no values are given"))?;
                    at += self.repeated(list, rest, values)?;
                }
                ("each", _) if given.is_empty() => return Err(line.wrong("no values are given")),
                ("each", columns) => at += given.len() + self.repeated((columns, given), rest, values)?,
                _ => return Err(line.wrong("this is no line of a table")),
            }
        }
        if outermost { Ok(at) } else { Err("a block has no end".to_owned()) }
    }

    /// Reads a block once for each line of values; returns the number of its lines.
    fn repeated(
        &mut self,
        (columns, given): (&'a [String], &'a [Line]),
        block: &'a [Line],
        values: &mut Values<'a>,
    ) -> Result<usize, String> {
        let mut read = 0;
        for line in given {
            if line.cells.len() != columns.len() {
                return Err(line.wrong(&format!("{} values are expected", columns.len())));
            }
            let depth = values.len();
            let named = columns.iter().zip(&line.cells);
            values.extend(named.map(|(name, value)| (name.as_str(), value.as_str())));
            read = self.block(block, values, false)?;
            values.truncate(depth);
        }
        Ok(read)
    }
}

/// The bits of a register that is divided into elements.
const BITS: usize = 128;

/// A meaning with its copies for elements written out; `None` if they are not of the form that the module describes.
fn copied(meaning: &str) -> Option<String> {
    let (mut out, mut rest) = (String::new(), meaning);
    let next =
        |rest: &str| ["each(", "steps("].into_iter().filter_map(|word| Some((rest.find(word)?, word))).min();
    while let Some((at, word)) = next(rest) {
        let inside = &rest[at + word.len()..];
        let end = closing(inside)?;
        let (bits, text) = inside[..end].split_once(": ")?;
        let bits = bits.parse().ok().filter(|&bits: &usize| bits > 0 && BITS.is_multiple_of(bits))?;
        let copy = |k: usize| {
            let high = BITS - k * bits;
            text.replace("[]", &format!("[{}:{}]", high - 1, high - bits)).replace('#', &k.to_string())
        };
        let copies: Vec<String> = (0..BITS / bits).map(copy).collect();
        out.push_str(&rest[..at]);
        out.push_str(&match word {
            "each(" => format!("cat({})", copies.join(", ")),
            _ => copies.join("; "),
        });
        rest = &inside[end + 1..];
    }
    Some(out + rest)
}

/// The place of the parenthesis that closes one before this text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at)
    })
}

/// A row of these cells.
fn row(mut cells: Vec<String>) -> Result<Text, String> {
    let extension = if cells.len() == 6 { cells.pop().unwrap_or_default() } else { String::new() };
    let [name, syntax, encoding, meaning, class] = <[String; 5]>::try_from(cells)
        .map_err(|cells| format!("a row has 5 or 6 cells, not {}", cells.len()))?;
    let meaning = copied(&meaning).ok_or_else(|| format!("copies in '{meaning}' are wrong"))?;
    Ok(Text { name, syntax, encoding, meaning, class, extension })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        # Two operations, each with a register and with a number.
        registers  8  a b0-b2
        macro  twice(x)  x + x
        list  operands  SUFFIX  B   MORE
                        ""      r2  .. r2[1:0]
                        _n      n   n[3:0]
        each  OP   CODE  VALUE
              add  00    r + <B>
              sub  01    r - <B>
          let  HEAD  1<CODE>
          each  operands
            row  <OP><SUFFIX>  <OP> {r}, {<B>}  <HEAD> r[1:0] <MORE>  \
                 r = <VALUE>  alu  the <OP> unit
          end
        end
        row  nop  nop  00000000  ""  alu
    "#;

    #[test]
    fn blocks_are_repeated_for_each_line_of_values() {
        let sheet = Sheet::read(TEXT).expect("is read");
        assert_eq!(sheet.registers, [("a", 8), ("b0", 8), ("b1", 8), ("b2", 8)]);
        assert_eq!(sheet.macros, [("twice(x)", "x + x")]);
        let names: Vec<&str> = sheet.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["add", "add_n", "sub", "sub_n", "nop"]);
        let row = &sheet.rows[3];
        let cells = [&row.syntax, &row.encoding, &row.meaning, &row.class, &row.extension];
        assert_eq!(cells, ["sub {r}, {n}", "101 r[1:0] n[3:0]", "r = r - n", "alu", "the sub unit"]);
        assert_eq!((sheet.rows[4].meaning.as_str(), sheet.rows[4].extension.as_str()), ("", ""));
    }

    #[test]
    fn elements_are_written_out() {
        let meaning = copied("steps(64: s# := (a[])); d = each(64: s# + b[]); e = 0");
        let whole = "s0 := (a[127:64]); s1 := (a[63:0]); d = cat(s0 + b[127:64], s1 + b[63:0]); e = 0";
        assert_eq!(meaning.as_deref(), Some(whole));
        for wrong in ["each(8: a[]", "each(a[])", "each(0: a[])", "each(24: a[])"] {
            assert_eq!(copied(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, why) in [
            ("row  a  a  0", "line 1: a row has 5 or 6 cells, not 3"),
            ("\nrow  <A>  a  0  a  b", "line 2: nothing is named <A>"),
            ("let  A  <A>\nrow  <A>  a  0  a  b", "stand for one another"),
            ("each  A  B\n  1\nend", "line 2: 2 values are expected"),
            ("each  A\nend", "line 1: no values are given"),
            ("each  A  B\nend", "line 1: no values are given"),
            ("each  A\n  1", "a block has no end"),
            ("end", "line 1: this ends no block"),
            ("registers  8  r0-q3", "line 1: these are no registers"),
            ("registers  r0", "line 1: a width in bits is missing"),
            ("add  a", "line 1: this is no line of a table"),
        ] {
            let wrong = Sheet::read(text).expect_err(text);
            assert!(wrong.contains(why), "{text}: {wrong}");
        }
    }
}
