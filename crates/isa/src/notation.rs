//! Parses instructions from the notation that [`Isa::print`] writes, for instruction sets without a binary encoding.

use crate::table::{FIELDS, Insn, Isa, Kind, Row};

/// A piece of a row's syntax.
enum Piece<'a> {
    /// Literal text.
    Text(String),
    /// The operand in a field.
    Field(&'a str),
}

/// Splits a syntax into pieces.
fn pieces(syntax: &str) -> Vec<Piece<'_>> {
    let mut all: Vec<Piece> = Vec::new();
    let mut text = String::new();
    let mut rest = syntax;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        if rest[at + 1..].starts_with(brace) {
            text.push_str(brace);
            rest = &rest[at + 2..];
            continue;
        }
        let end = rest[at..].find('}').map_or(rest.len(), |close| at + close);
        all.push(Piece::Text(std::mem::take(&mut text)));
        all.push(Piece::Field(&rest[(at + 1).min(end)..end]));
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    text.push_str(rest);
    all.push(Piece::Text(text));
    all
}

/// Splits a text into its first operand and the rest.
fn operand(text: &str) -> (&str, &str) {
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '$' | '_' | '.' | '-');
    text.split_at(text.find(|c| !goes_on(c)).unwrap_or(text.len()))
}

fn number(text: &str) -> Option<i64> {
    let (minus, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let hex = digits.strip_prefix("0x").map(|hex| i64::from_str_radix(hex, 16));
    let begins = digits.starts_with(|c: char| c.is_ascii_digit());
    hex.unwrap_or_else(|| digits.parse()).ok().filter(|_| begins).map(|n| minus * n)
}

impl Isa {
    /// The value of a field that is written as `text`.
    fn written(&self, kind: Kind, text: &str, label: &dyn Fn(&str) -> Option<i32>) -> Option<i32> {
        match kind {
            Kind::Register { base, step } => {
                let register = self.register(text).filter(|&r| r < self.about.general && r >= base)?;
                let width = |r: u8| self.about.registers[usize::from(r)].1;
                let named = (register - base).is_multiple_of(step) && width(register) == width(base);
                named.then_some(i32::from(register))
            }
            Kind::Number { signed, width } => {
                let value = number(text)?;
                let bits = u32::from(width.min(32));
                // A 32-bit number may be written as a negative one.
                let low = if signed || bits == 32 { -(1i64 << (bits - 1)) } else { 0 };
                let range = low..if signed { 1 << (bits - 1) } else { 1 << bits };
                range.contains(&value).then_some(value as i32)
            }
            Kind::Names { names, .. } => names.iter().position(|name| *name == text).map(|at| at as i32),
            Kind::Relative { .. } => label(text),
            Kind::Coded { .. } => None,
        }
    }

    fn matches(&self, row: &Row, text: &str, label: &dyn Fn(&str) -> Option<i32>) -> Option<[i32; FIELDS]> {
        let mut fields = [0; FIELDS];
        let mut rest = text;
        for piece in pieces(&row.syntax) {
            match piece {
                Piece::Text(literal) => rest = rest.strip_prefix(literal.as_str())?,
                Piece::Field(name) => {
                    let place = row.fields.iter().position(|field| field.name == name)?;
                    let (written, after) = operand(rest);
                    fields[place] = self.written(row.fields[place].kind, written, label)?;
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(fields)
    }

    /// Parses an instruction; spaces must be as its row has them. `label` gives the distance to a label. The first row
    /// that matches wins.
    ///
    /// # Errors
    /// No row matches the text.
    pub fn read(&self, text: &str, label: &dyn Fn(&str) -> Option<i32>) -> Result<Insn, String> {
        let found = self.rows.iter().enumerate().find_map(|(number, row)| {
            self.matches(row, text, label).map(|fields| Insn { row: number as u16, fields })
        });
        found.ok_or_else(|| format!("`{text}` is no instruction that the table {} has", self.about.name))
    }
}

#[cfg(test)]
mod tests {
    use crate::table::{Description, Isa, Kind, Unaligned, row};

    fn toy() -> Isa {
        let about = Description {
            name: "toy",
            address: 64,
            unit: 1,
            registers: &[("%a", 32), ("%b", 32), ("%p", 1)],
            general: 3,
            unaligned: Unaligned::Never { is: "is a fault", source: "this test" },
            kinds: &[
                ("r", Kind::Register { base: 0, step: 1 }),
                ("p", Kind::Register { base: 2, step: 1 }),
                ("n", Kind::Number { signed: true, width: 32 }),
                ("to", Kind::Relative { bias: 0, width: 64 }),
            ],
            ..Description::PLAIN
        };
        let rows = [
            row("both", "ld {{{r}, {r2}}}, [{r3}+{n}];", "- r r2 r3 n", "r = r3 + n; r2 = r3", "load"),
            row("bra", "@{p} bra {to};", "- p to", "if p { jump pc + to }", "branch"),
        ];
        Isa::new(about, &rows).expect("compiles")
    }

    #[test]
    fn what_is_printed_is_read() {
        let isa = toy();
        let both = isa.insn("both", &[("r", 0), ("r2", 1), ("r3", 1), ("n", -16)]);
        let text = isa.print(&both, |_| None);
        assert_eq!(text, "ld {%a, %b}, [%b+-16];");
        assert_eq!(isa.read(&text, &|_| None), Ok(both));
        let bra = isa.insn("bra", &[("p", 2), ("to", 7)]);
        let text = isa.print(&bra, |field| (field == "to").then(|| "DONE".to_owned()));
        assert_eq!(text, "@%p bra DONE;");
        assert_eq!(isa.read(&text, &|name| (name == "DONE").then_some(7)), Ok(bra));
    }

    #[test]
    fn what_no_row_is_written_as_is_refused() {
        let isa = toy();
        for wrong in [
            "ld {%a, %b}, [%b+-16]",
            "ld {%a, %b}, [%b+-16]; ",
            "ld {%a, %c}, [%b+-16];",
            "ld {%a, %p}, [%b+-16];",
            "ld {%a, %b}, [%b+4294967296];",
            "ld {%a, %b}, [%b+x];",
            "@%a bra DONE;",
            "@%p bra OTHER;",
            "",
        ] {
            assert!(isa.read(wrong, &|name| (name == "DONE").then_some(7)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_has_no_bytes() {
        let isa = toy();
        assert!(isa.encode(&isa.insn("bra", &[])).is_err());
        assert_eq!(isa.decode(&[0; 8]), None);
    }
}
