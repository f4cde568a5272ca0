//! Encodes instructions to bytes, decodes them, and prints them in the assembler's notation.

use crate::image::Image;
use crate::table::{FIELDS, Field, Insn, Isa, Kind, Row};

impl Row {
    /// The value of a field whose encoded bits are `bits`.
    pub fn value(&self, place: usize, bits: u64) -> i32 {
        let width = self.pattern.width(place);
        let extended = |signed: bool| {
            if signed { ((bits << (64 - width)) as i64 >> (64 - width)) as i32 } else { bits as u32 as i32 }
        };
        match self.fields[place].kind {
            Kind::Register { base, step } => i32::from(base) + i32::from(step) * bits as i32,
            Kind::Number { signed, .. } => extended(signed),
            Kind::Names { .. } => extended(false),
            Kind::Relative { bias, .. } => extended(true) + i32::from(bias),
            Kind::Coded { coding, .. } => (coding.number)(bits) as i32,
        }
    }
}

impl Isa {
    /// The encoded bits of a field's value, or a sentence if the value cannot be encoded.
    pub(crate) fn bits(&self, row: &Row, place: usize, value: i32) -> Result<u64, String> {
        let Field { name, kind } = &row.fields[place];
        let width = row.pattern.width(place);
        let held = row.pattern.held(place);
        let bits = match *kind {
            Kind::Register { base, step } => {
                let from = value - i32::from(base);
                if from < 0 || from % i32::from(step) != 0 {
                    return Err(format!("{}: register {value} cannot be '{name}'", row.name));
                }
                i64::from(from / i32::from(step))
            }
            Kind::Relative { bias, .. } => i64::from(value) - i64::from(bias),
            Kind::Number { .. } | Kind::Names { .. } => i64::from(value),
            Kind::Coded { coding, label, .. } => {
                let number = if label { i64::from(value) } else { i64::from(value as u32) };
                let bits = (coding.bits)(number);
                bits.ok_or_else(|| format!("{}: no encoding of '{name}' stands for {value}", row.name))?
                    as i64
            }
        };
        let signed = matches!(kind, Kind::Number { signed: true, .. } | Kind::Relative { .. });
        let fits = if signed {
            (-(1i64 << (width - 1))..1i64 << (width - 1)).contains(&bits)
        } else {
            // A 32-bit number may be given as a negative one.
            (0..1i64 << width).contains(&if width == 32 { bits & 0xffff_ffff } else { bits })
        };
        let code = bits as u64 & u64::MAX >> (64 - u32::from(width));
        if !fits || code & !held != 0 {
            return Err(format!("{}: {value} does not fit into '{name}'", row.name));
        }
        Ok(code)
    }

    /// The bytes of an instruction, or a sentence on what cannot be encoded.
    pub fn encode(&self, insn: &Insn) -> Result<Vec<u8>, String> {
        let row = self.of(insn);
        if !row.pattern.is_encoded() {
            return Err(format!("{} has no encoding: {} is text alone", row.name, self.about.name));
        }
        let mut code = row.pattern.value;
        for place in 0..row.fields.len() {
            let bits = self.bits(row, place, insn.fields[place])?;
            if row.hidden.contains(&(place as u8, bits)) {
                let (value, name) = (insn.fields[place], &row.fields[place].name);
                return Err(format!("{}: with {value} as '{name}' it is another instruction", row.name));
            }
            code |= row.pattern.put(place, bits);
        }
        Ok(self.in_memory(code, usize::from(row.bytes())))
    }

    /// A row's code as it lies in memory, for any code bits.
    pub fn bytes_of(&self, code: u128, row: u16) -> Vec<u8> {
        self.in_memory(code, usize::from(self.rows[usize::from(row)].bytes()))
    }

    /// A code of `size` bytes as it lies in memory.
    pub(crate) fn in_memory(&self, code: u128, size: usize) -> Vec<u8> {
        let unit = usize::from(self.about.unit);
        // The size is less than a unit of 4 bytes: a 16-bit encoding of such a set.
        if size < unit {
            return self.about.order.bytes(code, size);
        }
        let units = (0..size / unit).rev();
        units.flat_map(|k| self.about.order.bytes(code >> (8 * unit * k), unit)).collect()
    }

    /// The index of the byte, among the first bytes that all instructions have, that best separates the rows, and for
    /// each value of that byte the rows that may have it.
    pub(crate) fn told_apart(&self) -> (usize, Vec<Vec<u16>>) {
        let rows_by = |place: usize| {
            let mut rows = vec![Vec::new(); 256];
            for (number, row) in (0..).zip(&self.rows) {
                let byte_of = |code| self.in_memory(code, row.bytes().into()).get(place).copied();
                let Some((fixed, is)) = byte_of(row.pattern.mask).zip(byte_of(row.pattern.value)) else {
                    continue;
                };
                for byte in (0..=u8::MAX).filter(|byte| byte & fixed == is) {
                    rows[usize::from(byte)].push(number);
                }
            }
            (place, rows)
        };
        let count = |(_, rows): &(usize, Vec<Vec<u16>>)| rows.iter().map(Vec::len).sum::<usize>();
        (0..usize::from(self.shortest.max(1))).map(rows_by).min_by_key(count).unwrap_or_default()
    }

    /// Decodes the instruction at the start of `bytes`.
    pub fn decode(&self, bytes: &[u8]) -> Option<Insn> {
        let unit = usize::from(self.about.unit);
        let (place, rows) = &self.first;
        for &number in rows.get(usize::from(*bytes.get(*place)?))? {
            let row = &self.rows[usize::from(number)];
            let size = usize::from(row.bytes());
            if bytes.len() < size {
                continue;
            }
            let code = if size <= unit {
                u128::from(self.about.order.number(&bytes[..size]))
            } else {
                let units = bytes[..size].chunks(unit);
                units.fold(0, |c, chunk| c << (8 * unit) | u128::from(self.about.order.number(chunk)))
            };
            let is_this = code & row.pattern.mask == row.pattern.value && row.pattern.is_encoded();
            if is_this && row.pattern.agrees(code) {
                let mut fields = [0; FIELDS];
                for (place, field) in fields.iter_mut().enumerate().take(row.fields.len()) {
                    *field = row.value(place, row.pattern.get(place, code));
                }
                return Some(Insn { row: number, fields });
            }
        }
        None
    }

    /// Decodes the instruction at an address of a program; the error is a sentence. The processor must have the
    /// instruction, and its bytes must be the one encoding that assemblers write for it: where a manual leaves bits
    /// open, or other bits encode the same number, a processor may behave differently (ARM's rotation of a number
    /// decides the carry).
    pub fn decode_at(&self, image: &Image, address: u64) -> Result<Insn, String> {
        if !address.is_multiple_of(u64::from(self.shortest)) {
            return Err(format!(
                "execution reaches {address:#x}, which is no multiple of {}: no instruction of {} is there",
                self.shortest, self.about.name
            ));
        }
        let bytes = image.at(address);
        let shown = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
        let insn = self.decode(bytes).ok_or_else(|| match bytes {
            [] => format!("execution reaches {address:#x}, where the program has nothing"),
            _ => {
                let first = shown(&bytes[..bytes.len().min(4)]);
                format!("at {address:#x} stands {first}, which the table {} does not hold", self.about.name)
            }
        })?;
        if let Some(lacking) = self.lacking(&insn) {
            return Err(lacking);
        }
        let here = &bytes[..usize::from(self.of(&insn).bytes())];
        let encoded = self.encode(&insn)?;
        if encoded != here {
            return Err(format!(
                "at {address:#x} stands {}, and `{}` is encoded as {}: what other bytes do is not known",
                shown(here),
                self.print(&insn, |_| None),
                shown(&encoded)
            ));
        }
        Ok(insn)
    }

    /// The name of a register, real or virtual.
    pub fn register_name(&self, number: i32) -> String {
        if number >= Insn::VIRTUAL {
            return format!("v{}", number - Insn::VIRTUAL);
        }
        self.about.registers[number as usize].0.to_owned()
    }

    /// Prints an instruction in the assembler's notation. `label` gives the text for a field whose value is a label's;
    /// without it, distances are written relative to `.`.
    pub fn print(&self, insn: &Insn, label: impl Fn(&str) -> Option<String>) -> String {
        let row = self.of(insn);
        let mut text = String::new();
        let mut rest = row.syntax.as_str();
        while let Some(open) = rest.find('{') {
            if rest[open..].starts_with("{{") {
                text.push_str(&rest[..=open]);
                rest = &rest[open + 2..];
                continue;
            }
            let Some(close) = rest[open..].find('}') else { break };
            let (name, after) = match rest[open + 1..open + close].strip_suffix(":after") {
                Some(name) => (name, i32::from(row.bytes())),
                None => (&rest[open + 1..open + close], 0),
            };
            text.push_str(&rest[..open].replace("}}", "}"));
            rest = &rest[open + close + 1..];
            let Some(place) = row.fields.iter().position(|f| f.name == name) else {
                text.push_str(&self.composed(row, insn, name, &label));
                continue;
            };
            if let Some(known) = label(name) {
                text.push_str(&known);
                continue;
            }
            let value = insn.fields[place];
            let distance = i64::from(value) - i64::from(after);
            match row.fields[place].kind {
                Kind::Register { .. } => text.push_str(&self.register_name(value)),
                Kind::Number { .. } | Kind::Coded { label: false, .. } => text.push_str(&value.to_string()),
                Kind::Relative { .. } | Kind::Coded { .. } if distance < 0 => {
                    text.push_str(&format!(".-{}", -distance));
                }
                Kind::Relative { .. } | Kind::Coded { .. } => text.push_str(&format!(".+{distance}")),
                Kind::Names { names, .. } => text.push_str(names.get(value as usize).copied().unwrap_or("?")),
            }
        }
        text.push_str(&rest.replace("}}", "}"));
        text
    }

    /// Renders the contents of a brace other than a plain field name (see [`crate::table::Text::syntax`]). Unknown
    /// contents stay as they are, because the assembler writes register lists in braces, too.
    fn composed(&self, row: &Row, insn: &Insn, text: &str, label: impl Fn(&str) -> Option<String>) -> String {
        let field = |name: &str| Some(insn.fields[row.fields.iter().position(|f| f.name == name)?]);
        if let Some(list) = text.strip_prefix("list:").and_then(field) {
            let of: Vec<String> =
                (0..16).filter(|r| list >> r & 1 == 1).map(|r| self.register_name(r)).collect();
            return format!("{{{}}}", of.join(", "));
        }
        let range = text.strip_suffix("+1").and_then(|t| t.split_once('-'));
        if let Some((Some(high), Some(low))) = range.map(|(high, low)| (field(high), field(low))) {
            return (high - low + 1).to_string();
        }
        match text.split_once(':').map(|(name, form)| (name, form, field(name))) {
            Some((name, form, Some(value))) => label(name).unwrap_or_else(|| {
                let is_register = |f: &Field| f.name == name && matches!(f.kind, Kind::Register { .. });
                if row.fields.iter().any(is_register) {
                    return part_of(&self.register_name(value), form);
                }
                form.replacen('.', &value.to_string(), 1)
            }),
            _ => format!("{{{text}}}"),
        }
    }
}

/// The name of a part of a register: `_` in `form` stands for the register's name without its first letter, `.` for the
/// name without its first and last letters.
fn part_of(name: &str, form: &str) -> String {
    let less = name.get(1..).unwrap_or_default();
    let middle = less.get(..less.len().saturating_sub(1)).unwrap_or_default();
    form.replacen('_', less, 1).replacen('.', middle, 1)
}
