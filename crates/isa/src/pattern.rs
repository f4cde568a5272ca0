//! Encodings as text: `0000 11 r[4] d[4:0] r[3:0]` is 16 bits, highest first, of which ten belong to the fields `r` and
//! `d`. A field may be split into several pieces; `.` is a bit that decoders ignore and encoders write as zero. Bits of
//! a field that occur twice must have the same value in both places.
//!
//! `- d a b` means no encoding: an instruction with these fields in a language without a binary form, where a program
//! counts instructions instead of bytes.

/// A piece of a field in an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Lowest bit within the field.
    pub field_low: u8,
    /// Lowest bit within the encoding.
    pub code_low: u8,
    /// The number of bits.
    pub bits: u8,
}

/// The size in bits of the longest encoding: 15 bytes on x86.
const LONGEST: u32 = 120;

/// A compiled encoding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pattern {
    /// Its size in bits.
    pub bits: u8,
    /// A mask of the fixed bits.
    pub mask: u128,
    /// The values of the fixed bits.
    pub value: u128,
    /// Fields in the order in which they first appear, with their pieces.
    pub fields: Vec<(String, Vec<Piece>)>,
}

impl Pattern {
    /// Parses the text of an encoding; the error is a sentence.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        if let Some(names) = text.strip_prefix('-') {
            return Pattern::unencoded(names);
        }
        let mut pattern = Pattern::default();
        // The widths come first, because places count from the lowest bit.
        let mut parts: Vec<(u8, &str)> = Vec::new();
        for word in text.split_whitespace() {
            let bits = match word.split_once('[') {
                None if word.chars().all(|c| matches!(c, '0' | '1' | '.')) => word.len() as u8,
                None => {
                    return Err(format!(
                        "'{word}' is neither bits nor a field with its bits: {word}[high:low]"
                    ));
                }
                Some((_, range)) => {
                    let (high, low) =
                        piece(range).ok_or(format!("'{word}' is not a field as name[high:low]"))?;
                    high - low + 1
                }
            };
            parts.push((bits, word));
        }
        let size: u32 = parts.iter().map(|&(bits, _)| u32::from(bits)).sum();
        if size == 0 || !size.is_multiple_of(8) || size > LONGEST {
            return Err(format!("an encoding has whole bytes, at most 15, this one has {size} bits: {text}"));
        }
        pattern.bits = size as u8;
        let mut at = pattern.bits;
        for (bits, word) in parts {
            at -= bits;
            if let Some((name, range)) = word.split_once('[') {
                let (_, low) = piece(range).unwrap_or_default();
                let piece = Piece { field_low: low, code_low: at, bits };
                match pattern.fields.iter_mut().find(|(n, _)| n == name) {
                    Some((_, pieces)) => pieces.push(piece),
                    None => pattern.fields.push((name.to_owned(), vec![piece])),
                }
                continue;
            }
            // Fixed bits, highest first.
            for (i, c) in word.chars().enumerate() {
                let place = at + bits - 1 - i as u8;
                if c != '.' {
                    pattern.mask |= 1 << place;
                    pattern.value |= u128::from(c == '1') << place;
                }
            }
        }
        Ok(pattern)
    }

    /// Parses fields without an encoding: see the module documentation.
    fn unencoded(names: &str) -> Result<Pattern, String> {
        let mut pattern = Pattern { bits: 8, ..Pattern::default() };
        for name in names.split_whitespace() {
            if !name.chars().all(|c| c.is_ascii_alphanumeric()) {
                return Err(format!("'{name}' is no name of a field: behind '-' stand names alone"));
            }
            pattern.fields.push((name.to_owned(), Vec::new()));
        }
        Ok(pattern)
    }

    /// True if the pattern has a binary encoding.
    pub(crate) fn is_encoded(&self) -> bool {
        self.mask != 0 || self.fields.iter().any(|(_, pieces)| !pieces.is_empty())
    }

    /// A field's value in a code, as an unsigned number.
    pub fn get(&self, field: usize, code: u128) -> u64 {
        let piece = |p: &Piece| ((code >> p.code_low) as u64 & ones(p.bits)) << p.field_low;
        self.fields[field].1.iter().fold(0, |v, p| v | piece(p))
    }

    /// True if all field bits that occur twice in the code have the same value in both places.
    pub fn agrees(&self, code: u128) -> bool {
        self.fields.iter().all(|(_, pieces)| {
            pieces.iter().enumerate().all(|(k, a)| {
                pieces[..k].iter().all(|b| {
                    let common = (ones(a.bits) << a.field_low) & (ones(b.bits) << b.field_low);
                    let of = |p: &Piece| ((code >> p.code_low) as u64) << p.field_low & common;
                    of(a) == of(b)
                })
            })
        })
    }

    /// The bits of a code that hold this value of a field.
    pub fn put(&self, field: usize, value: u64) -> u128 {
        let piece = |p: &Piece| u128::from(value >> p.field_low & ones(p.bits)) << p.code_low;
        self.fields[field].1.iter().fold(0, |c, p| c | piece(p))
    }

    /// The mask and the values of the fixed bits, aligned to the highest bit of an encoding of [`LONGEST`] bits, so
    /// that encodings of different sizes can be compared by their first bits.
    pub(crate) fn begins(&self) -> (u128, u128) {
        let after = LONGEST - u32::from(self.bits);
        (self.mask << after, self.value << after)
    }

    /// The bits of a field, aligned as in [`Pattern::begins`].
    pub(crate) fn begin_of(&self, field: usize) -> u128 {
        self.put(field, u64::MAX) << (LONGEST - u32::from(self.bits))
    }

    /// The value of a field in bits that are aligned so.
    pub(crate) fn begin_value(&self, field: usize, bits: u128) -> u64 {
        self.get(field, bits >> (LONGEST - u32::from(self.bits)))
    }

    /// The width of a field in bits: one more than the highest bit that the encoding holds.
    pub fn width(&self, field: usize) -> u8 {
        self.fields[field].1.iter().map(|p| p.field_low + p.bits).max().unwrap_or(0)
    }

    /// A mask of the field's bits that the encoding holds.
    pub fn held(&self, field: usize) -> u64 {
        self.fields[field].1.iter().fold(0, |m, p| m | ones(p.bits) << p.field_low)
    }
}

fn ones(bits: u8) -> u64 {
    u64::MAX >> (64 - u32::from(bits))
}

fn piece(range: &str) -> Option<(u8, u8)> {
    let range = range.strip_suffix(']')?;
    let (high, low) = range.split_once(':').unwrap_or((range, range));
    let (high, low) = (high.parse().ok()?, low.parse().ok()?);
    (low <= high && high < 48).then_some((high, low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together() {
        // RISC-V's branches (The RISC-V Instruction Set Manual, 2.3).
        let beq = Pattern::parse("imm[12] imm[10:5] rs2[4:0] rs1[4:0] 000 imm[4:1] imm[11] 1100011")
            .expect("parses");
        assert_eq!((beq.bits, beq.value, beq.mask), (32, 0x63, 0x707f));
        assert_eq!(beq.get(0, 0xfe20_8ee3), 0x1ffc, "beq x1, x2, .-4");
        assert_eq!(beq.put(0, 0x1ffc) | beq.put(1, 2) | beq.put(2, 1) | beq.value, 0xfe20_8ee3);
        assert_eq!((beq.width(0), beq.held(0)), (13, 0x1ffe));
        let twice = Pattern::parse("00000000 d[3:0] d[3:0]").expect("parses");
        assert!(twice.agrees(0x55) && !twice.agrees(0x56) && beq.agrees(0xfe20_8ee3));
        // An x86 immediate, lowest byte first, after seven bytes.
        let long = Pattern::parse(
            "10000001 10 110 100 s[1:0] i[2:0] b[2:0] d[7:0] d[15:8] d[23:16] d[31:24] \
             n[7:0] n[15:8] n[23:16] n[31:24]",
        )
        .expect("parses");
        let code = long.value | long.put(0, 2) | long.put(3, 0x1234_5678) | long.put(4, 0x9abc_def0);
        assert_eq!(
            code.to_be_bytes()[5..],
            [0x81, 0xb4, 0x80, 0x78, 0x56, 0x34, 0x12, 0xf0, 0xde, 0xbc, 0x9a]
        );
        assert_eq!([3, 4].map(|field| long.get(field, code)), [0x1234_5678, 0x9abc_def0]);
        assert!(Pattern::parse("0101").is_err());
        assert!(Pattern::parse("x[1:2] 00000000000000").is_err());
    }
}
