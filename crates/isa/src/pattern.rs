//! Encodings as text: `0000 11 r[4] d[4:0] r[3:0]` is 16 bits, highest first, of which ten belong
//! to the fields `r` and `d`. Bits given in several pieces are put together again; `.` is a bit that
//! may be anything and is written as zero. A field that stands in two places has the same bits in both.

/// A piece of a field in an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Lowest bit within the field.
    pub field_low: u8,
    /// Lowest bit within the encoding.
    pub code_low: u8,
    /// How many bits.
    pub bits: u8,
}

/// A compiled encoding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pattern {
    /// Its size in bits.
    pub bits: u8,
    /// Which bits are fixed.
    pub mask: u64,
    /// What they are.
    pub value: u64,
    /// Fields in the order in which they first appear, with their pieces.
    pub fields: Vec<(String, Vec<Piece>)>,
}

impl Pattern {
    /// From its text, or a sentence.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        let mut pattern = Pattern::default();
        // Widths first: places count from the lowest bit.
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
        if ![16, 32, 48, 64].contains(&size) {
            return Err(format!("an encoding has 16 or 32 bits, this one has {size}: {text}"));
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
                    pattern.value |= u64::from(c == '1') << place;
                }
            }
        }
        Ok(pattern)
    }

    /// A field's bits in a code, as an unsigned number.
    pub fn get(&self, field: usize, code: u64) -> u64 {
        self.fields[field].1.iter().fold(0, |v, p| v | (code >> p.code_low & ones(p.bits)) << p.field_low)
    }

    /// Whether a code gives bits of a field that stand in two places the same value in both.
    pub fn agrees(&self, code: u64) -> bool {
        self.fields.iter().all(|(_, pieces)| {
            pieces.iter().enumerate().all(|(k, a)| {
                pieces[..k].iter().all(|b| {
                    let common = (ones(a.bits) << a.field_low) & (ones(b.bits) << b.field_low);
                    let of = |p: &Piece| (code >> p.code_low << p.field_low) & common;
                    of(a) == of(b)
                })
            })
        })
    }

    /// The code with a field's bits put in.
    pub fn put(&self, field: usize, value: u64) -> u64 {
        self.fields[field].1.iter().fold(0, |c, p| c | (value >> p.field_low & ones(p.bits)) << p.code_low)
    }

    /// The number of bits of a field: one more than the highest that the encoding holds.
    pub fn width(&self, field: usize) -> u8 {
        self.fields[field].1.iter().map(|p| p.field_low + p.bits).max().unwrap_or(0)
    }

    /// Bits of a field that the encoding holds.
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
        assert!(Pattern::parse("0101").is_err());
        assert!(Pattern::parse("x[1:2] 00000000000000").is_err());
    }
}
