//! Bytes as sums over GF(2^8): a constant, plus multiples of *byte atoms*, where an atom is a byte
//! of an opaque lane or the S-box (or its inverse) of another sum. ShiftRows, MixColumns, shuffles
//! and XOR are linear, so every value of AES has one such form, and equal forms are equal bytes.

use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};

use crate::intern::{Table, mix};

/// A byte's canonical form, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Form(pub u32);

/// What a sum is over: byte `index` of lane atom `atom`, or an S-box output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteAtom {
    /// Byte `index` of a lane atom.
    Lane {
        /// The lane atom's number.
        atom: u32,
        /// Which of its 16 bytes.
        index: u8,
    },
    /// The S-box, or with `inverse` its inverse, of a form.
    Sbox {
        /// Whether it is the inverse S-box.
        inverse: bool,
        /// The argument.
        of: Form,
    },
}

const SBOX_FLAG: u32 = 1 << 31;

impl ByteAtom {
    fn code(self) -> u32 {
        match self {
            ByteAtom::Lane { atom, index } => atom << 4 | u32::from(index),
            ByteAtom::Sbox { inverse, of } => SBOX_FLAG | of.0 << 1 | u32::from(inverse),
        }
    }

    fn decode(code: u32) -> Self {
        if code & SBOX_FLAG == 0 {
            ByteAtom::Lane { atom: code >> 4, index: (code & 15) as u8 }
        } else {
            ByteAtom::Sbox { inverse: code & 1 == 1, of: Form((code & !SBOX_FLAG) >> 1) }
        }
    }
}

#[derive(Clone, Copy)]
struct Sum {
    start: u32,
    terms: u32,
    constant: u8,
}

/// All forms of one or several proofs.
pub struct Forms {
    sums: Vec<Sum>,
    /// `atom code << 8 | coefficient`, ascending within a sum, coefficients not zero.
    terms: Vec<u64>,
    table: Table,
    scratch: Vec<u64>,
}

impl Forms {
    /// Only the 256 constants; the form of constant `c` is number `c`.
    pub fn new() -> Self {
        let mut forms =
            Forms { sums: Vec::new(), terms: Vec::new(), table: Table::new(1 << 10), scratch: Vec::new() };
        forms.clear();
        forms
    }

    /// Forgets all but the constants.
    pub fn clear(&mut self) {
        self.sums.clear();
        self.terms.clear();
        self.table.clear();
        for constant in 0..=255 {
            self.scratch.clear();
            self.intern(constant);
        }
    }

    /// How many forms there are.
    pub fn count(&self) -> usize {
        self.sums.len()
    }

    /// The form of a constant.
    pub fn constant(&self, value: u8) -> Form {
        Form(u32::from(value))
    }

    /// The value of a constant form.
    pub fn as_constant(&self, form: Form) -> Option<u8> {
        (form.0 < 256).then_some(form.0 as u8)
    }

    /// The form that is one byte atom.
    pub fn atom(&mut self, atom: ByteAtom) -> Form {
        self.scratch.clear();
        self.scratch.push(u64::from(atom.code()) << 8 | 1);
        self.intern(0)
    }

    /// The constant of a form.
    pub fn constant_part(&self, form: Form) -> u8 {
        self.sums[form.0 as usize].constant
    }

    /// The atoms of a form with their coefficients.
    pub fn terms(&self, form: Form) -> impl ExactSizeIterator<Item = (ByteAtom, u8)> + '_ {
        let sum = self.sums[form.0 as usize];
        let start = sum.start as usize;
        self.terms[start..start + sum.terms as usize]
            .iter()
            .map(|&t| (ByteAtom::decode((t >> 8) as u32), t as u8))
    }

    /// `a + b`
    pub fn add(&mut self, a: Form, b: Form) -> Form {
        if a.0 == 0 {
            return b;
        }
        if b.0 == 0 {
            return a;
        }
        self.combine(&[(a, 1), (b, 1)])
    }

    /// A linear combination.
    pub fn combine(&mut self, parts: &[(Form, u8)]) -> Form {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let mut constant = 0;
        for &(form, coefficient) in parts.iter().filter(|p| p.1 != 0) {
            let sum = self.sums[form.0 as usize];
            constant ^= gf_mul(sum.constant, coefficient);
            let start = sum.start as usize;
            scratch.extend(self.terms[start..start + sum.terms as usize].iter().map(|&t| {
                if coefficient == 1 { t } else { t & !0xff | u64::from(gf_mul(t as u8, coefficient)) }
            }));
        }
        scratch.sort_unstable();
        // Coefficients of one atom are added; an atom whose sum vanishes goes.
        let mut kept = 0;
        for i in 0..scratch.len() {
            let term = scratch[i];
            if kept > 0 && scratch[kept - 1] >> 8 == term >> 8 {
                scratch[kept - 1] ^= term & 0xff;
            } else {
                if kept > 0 && scratch[kept - 1] & 0xff == 0 {
                    kept -= 1;
                }
                scratch[kept] = term;
                kept += 1;
            }
        }
        if kept > 0 && scratch[kept - 1] & 0xff == 0 {
            kept -= 1;
        }
        scratch.truncate(kept);
        self.scratch = scratch;
        self.intern(constant)
    }

    /// The S-box, or its inverse, of a form.
    pub fn sbox(&mut self, inverse: bool, of: Form) -> Form {
        if let Some(value) = self.as_constant(of) {
            let table = if inverse { &INV_SBOX } else { &SBOX };
            return Form(u32::from(table[value as usize]));
        }
        if self.constant_part(of) == 0 && self.terms(of).len() == 1 {
            let (atom, coefficient) = self.terms(of).next().expect("one term");
            if let (ByteAtom::Sbox { inverse: inner, of }, 1) = (atom, coefficient)
                && inner != inverse
            {
                return of;
            }
        }
        self.atom(ByteAtom::Sbox { inverse, of })
    }

    /// The form whose terms lie in `scratch`.
    fn intern(&mut self, constant: u8) -> Form {
        let hash = self.scratch.iter().fold(mix(1, u64::from(constant)), |h, &t| mix(h, t));
        let (sums, terms, scratch) = (&self.sums, &self.terms, &self.scratch);
        let (number, fresh) = self.table.find_or_insert(hash, sums.len() as u32, |n| {
            let sum = sums[n as usize];
            let start = sum.start as usize;
            sum.constant == constant
                && sum.terms as usize == scratch.len()
                && terms[start..].iter().zip(scratch).all(|(m, n)| m == n)
        });
        if fresh {
            self.sums.push(Sum {
                start: self.terms.len() as u32,
                terms: self.scratch.len() as u32,
                constant,
            });
            self.terms.extend_from_slice(&self.scratch);
        }
        Form(number)
    }
}

impl Default for Forms {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_canonical() {
        let mut forms = Forms::new();
        let x = forms.atom(ByteAtom::Lane { atom: 3, index: 0 });
        let y = forms.atom(ByteAtom::Lane { atom: 3, index: 1 });
        let two_x = forms.combine(&[(x, 2)]);
        let left = forms.combine(&[(two_x, 1), (y, 7), (Form(9), 1)]);
        let right = forms.combine(&[(y, 4), (x, 3), (y, 3), (x, 1), (Form(9), 1)]);
        assert_eq!(left, right);
        assert_eq!(forms.add(left, right), Form(0));
        let s = forms.sbox(false, left);
        assert_eq!(forms.sbox(true, s), left);
        assert_eq!(forms.sbox(false, Form(0)), Form(0x63));
    }
}
