//! Canonical bytes: a XOR sum of linear maps of unknown bytes, and a constant. Equal terms have equal values.

use crate::linear::{AtomId, Linear};
use crate::spec::{BOXES, product};
use crate::terms::Store;
use alloc::vec::Vec;

/// The number of a byte.
pub type ByteId = u32;
/// A linear map of a byte: the images of its bits, the lowest first.
pub type Columns = [u8; 8];

/// The map that changes nothing.
const SAME: Columns = [1, 2, 4, 8, 16, 32, 64, 128];
/// The map that keeps the lowest bit.
const LOWEST: Columns = [1, 0, 0, 0, 0, 0, 0, 0];

/// Unknown integers in words, by their number: addresses of the contract's memory, its number of blocks, and from
/// [`TABLES`] on addresses of tables; from [`VARIABLES`] on variables.
pub const WORDS: [&str; 6] = ["key", "iv", "in", "out", "stack", "blocks"];
/// The address of the first table. All are multiples of 256.
pub const TABLES: AtomId = 16;
/// The first variable.
pub const VARIABLES: AtomId = 4096;

/// An unknown byte.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A byte of the memory of the key.
    Key(u8),
    /// A byte of a block of text.
    Text(Linear, u8),
    /// A byte of the chain value before a block.
    Chain(Linear, u8),
    /// A byte of the counter of a block; public.
    Counter(Linear, u8),
    /// A register at entry.
    Entry(u8),
    /// The interrupt flag at entry.
    Interrupts,
    /// A byte of the address to which the function returns.
    Return(u8),
    /// A byte of the address of an instruction, in words.
    Code(usize, u8),
    /// The low or high byte of a public word; the low one of a word modulo 256.
    Half(Linear, u8),
    /// The S-box or its inverse.
    Sbox(bool, ByteId),
    /// A byte plus a number.
    Plus(ByteId, u8),
    /// A bit.
    Is(Condition),
    /// Unknown, secret or not.
    Unknown(u32, bool),
}

/// The meaning of a bit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// A byte is zero.
    Zero(ByteId),
    /// A word is zero.
    ZeroWord(Linear),
    /// The low byte of a word plus this is 256 or more.
    Carry(Linear, i128),
    /// A word plus this is 65536 or more.
    CarryWord(Linear, i128),
}

impl Atom {
    /// The map of the term that is just this: of a byte, or of a bit.
    fn columns(&self) -> Columns {
        if matches!(self, Atom::Is(_) | Atom::Interrupts) { LOWEST } else { SAME }
    }
}

/// A byte.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Byte {
    /// The constant.
    pub constant: u8,
    /// Atoms in order, each with its map, which is not zero.
    pub parts: Vec<(u32, Columns)>,
}

/// All bytes of a proof.
#[derive(Debug)]
pub struct Terms {
    atoms: Store<Atom>,
    bytes: Store<Byte>,
    unknowns: u32,
}

/// A word modulo a power of two, with coefficients that are not negative.
pub fn reduced(word: &Linear, modulus: i128) -> Linear {
    let terms = word.terms.iter().map(|&(id, c)| (id, c.rem_euclid(modulus))).filter(|t| t.1 != 0);
    Linear { constant: word.constant.rem_euclid(modulus), terms: terms.collect() }
}

/// The XOR of the columns of the bits of a value.
fn image(columns: &Columns, value: u8) -> u8 {
    (0..8).filter(|bit| value >> bit & 1 == 1).fold(0, |sum, bit| sum ^ columns[bit])
}

/// The map and the constant that a table is, if it is that on all 256 bytes.
fn affine(table: &[u8; 256]) -> Option<(Columns, u8)> {
    let columns = core::array::from_fn(|bit| table[1 << bit] ^ table[0]);
    let is_all = (0..=255).all(|a| table[usize::from(a)] == image(&columns, a) ^ table[0]);
    is_all.then_some((columns, table[0]))
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { atoms: Store::new(), bytes: Store::new(), unknowns: 0 }
    }
}

impl Terms {
    fn normal(&mut self, constant: u8, parts: Vec<(u32, Columns)>) -> ByteId {
        let is_secret = parts.iter().any(|&(atom, _)| self.atoms.is_secret(atom));
        self.bytes.number(Byte { constant, parts }, |_| is_secret)
    }

    /// The byte of a number.
    pub fn get(&self, byte: ByteId) -> &Byte {
        self.bytes.get(byte)
    }

    /// The atom of a number.
    pub fn get_atom(&self, atom: u32) -> &Atom {
        self.atoms.get(atom)
    }

    /// True if an atom of the byte is secret.
    pub fn is_secret(&self, byte: ByteId) -> bool {
        self.bytes.is_secret(byte)
    }

    /// A constant.
    pub fn constant(&mut self, value: u8) -> ByteId {
        self.normal(value, Vec::new())
    }

    /// The constant that a byte is, if it is one.
    pub fn as_constant(&self, byte: ByteId) -> Option<u8> {
        let byte = self.bytes.get(byte);
        byte.parts.is_empty().then_some(byte.constant)
    }

    /// The byte, or bit, that is just this atom.
    pub fn atom(&mut self, atom: Atom) -> ByteId {
        let is_secret = match &atom {
            Atom::Key(_) | Atom::Text(..) | Atom::Chain(..) | Atom::Entry(_) => true,
            Atom::Sbox(_, byte) | Atom::Plus(byte, _) | Atom::Is(Condition::Zero(byte)) => {
                self.is_secret(*byte)
            }
            Atom::Unknown(_, is_secret) => *is_secret,
            _ => false,
        };
        let columns = atom.columns();
        let atom = self.atoms.number(atom, |_| is_secret);
        self.normal(0, [(atom, columns)].into())
    }

    /// The atom that a byte is, if its constant is zero and it is just one.
    pub fn as_atom(&self, byte: ByteId) -> Option<&Atom> {
        let Byte { constant, parts } = self.bytes.get(byte);
        let [(atom, columns)] = parts[..] else { return None };
        let atom = self.atoms.get(atom);
        (*constant == 0 && columns == atom.columns()).then_some(atom)
    }

    /// A new unknown byte.
    pub fn unknown(&mut self, is_secret: bool) -> ByteId {
        self.unknowns += 1;
        self.atom(Atom::Unknown(self.unknowns, is_secret))
    }

    /// A new unknown bit, secret or not.
    pub fn unknown_bit(&mut self, is_secret: bool) -> ByteId {
        let byte = self.unknown(is_secret);
        self.mapped(byte, LOWEST)
    }

    /// The bits of a byte that are not known to be zero.
    fn possible(&self, byte: ByteId) -> u8 {
        let Byte { constant, parts } = self.bytes.get(byte);
        parts.iter().flat_map(|part| part.1).fold(*constant, |all, column| all | column)
    }

    /// The XOR of two bytes.
    pub fn xor(&mut self, a: ByteId, b: ByteId) -> ByteId {
        let (a, b) = (self.bytes.get(a), self.bytes.get(b));
        let constant = a.constant ^ b.constant;
        let mut sum = Vec::with_capacity(a.parts.len() + b.parts.len());
        let (mut left, mut right) = (&a.parts[..], &b.parts[..]);
        while let (Some(x), Some(y)) = (left.first(), right.first()) {
            if x.0 == y.0 {
                let columns: Columns = core::array::from_fn(|bit| x.1[bit] ^ y.1[bit]);
                sum.extend((columns != [0; 8]).then_some((x.0, columns)));
                (left, right) = (&left[1..], &right[1..]);
            } else {
                let from = if x.0 < y.0 { &mut left } else { &mut right };
                sum.push(from[0]);
                *from = &from[1..];
            }
        }
        sum.extend(left.iter().chain(right));
        self.normal(constant, sum)
    }

    /// A linear map of a byte.
    pub fn mapped(&mut self, a: ByteId, columns: Columns) -> ByteId {
        let Byte { constant, parts } = self.bytes.get(a);
        let constant = image(&columns, *constant);
        let parts = parts.iter().map(|&(atom, own)| (atom, own.map(|column| image(&columns, column))));
        let parts = parts.filter(|part| part.1 != [0; 8]).collect();
        self.normal(constant, parts)
    }

    /// The product with a number in GF(2^8).
    pub fn times(&mut self, a: ByteId, factor: u8) -> ByteId {
        self.mapped(a, core::array::from_fn(|bit| product(factor, 1 << bit)))
    }

    /// The AND of two bytes.
    pub fn and(&mut self, a: ByteId, b: ByteId) -> ByteId {
        if let Some(mask) = self.as_constant(a) {
            return self.mapped(b, SAME.map(|bit| bit & mask));
        }
        if self.as_constant(b).is_some() {
            return self.and(b, a);
        }
        if let (Some(&Atom::Is(Condition::Zero(low))), Some(&Atom::Is(Condition::Zero(high)))) =
            (self.as_atom(a), self.as_atom(b))
            && let Some(word) = self.as_word([low, high]).or_else(|| self.as_word([high, low]))
        {
            return self.atom(Atom::Is(Condition::ZeroWord(word)));
        }
        let mask = self.possible(a) & self.possible(b);
        let byte = self.unknown(self.is_secret(a) || self.is_secret(b));
        self.mapped(byte, SAME.map(|bit| bit & mask))
    }

    /// The bit that a byte is zero.
    pub fn zero(&mut self, a: ByteId) -> ByteId {
        match self.as_constant(a) {
            Some(value) => self.constant(u8::from(value == 0)),
            None => self.atom(Atom::Is(Condition::Zero(a))),
        }
    }

    /// A half of a public word: 0 is the low one.
    pub fn half(&mut self, word: &Linear, half: u8) -> ByteId {
        let mut word = reduced(word, if half == 0 { 256 } else { 65536 });
        let is_table = |id: AtomId| (TABLES..VARIABLES).contains(&id);
        if half == 0 {
            word.terms.retain(|&(id, _)| !is_table(id));
        } else if word.terms.iter().all(|&(id, _)| is_table(id)) {
            word.constant &= !255;
        }
        match word.as_number() {
            Some(number) => self.constant((number >> (8 * half)) as u8),
            None => self.atom(Atom::Half(word, half)),
        }
    }

    /// The public word of which a byte is this half.
    fn as_half(&self, byte: ByteId, half: u8) -> Option<&Linear> {
        match self.as_atom(byte)? {
            Atom::Half(word, own) if *own == half => Some(word),
            _ => None,
        }
    }

    /// The table's page of which a byte is the number: the high byte of its address.
    pub fn as_page(&self, high: ByteId) -> Option<(usize, i128)> {
        let word = self.as_half(high, 1)?;
        match word.terms[..] {
            [(id @ TABLES..VARIABLES, 1)] => Some(((id - TABLES) as usize, word.constant)),
            _ => None,
        }
    }

    /// The public word of these bytes, the low one first.
    pub fn as_word(&mut self, [low, high]: [ByteId; 2]) -> Option<Linear> {
        let (low_number, high_number) = (self.as_constant(low), self.as_constant(high));
        if let (Some(low), Some(high)) = (low_number, high_number) {
            return Some(Linear::number(i128::from(low) | i128::from(high) << 8));
        }
        let word = self.as_half(high, 1)?.clone();
        match (low_number, self.as_page(high)) {
            (Some(low), Some(_)) => word.offset_checked(i128::from(low)),
            _ => (self.half(&word, 0) == low).then_some(word),
        }
    }

    /// The summand of the word of which its first byte is a half, and the word, if that is known: the second byte is
    /// a number, and to a high byte the carry of the low one is added.
    fn added(&self, a: ByteId, b: ByteId, c: ByteId) -> Option<(Linear, u8, i128)> {
        let number = i128::from(self.as_constant(b)?);
        let bit = self.as_constant(c).map(i128::from);
        if let Some(word) = self.as_half(a, 0) {
            return Some((word.clone(), 0, number + bit?));
        }
        let word = self.as_half(a, 1)?;
        let low = match (bit, self.as_atom(c)) {
            (Some(bit), _) => 256 * bit,
            (None, Some(Atom::Is(Condition::Carry(low, low_number)))) if *low == reduced(word, 256) => {
                *low_number
            }
            _ => return None,
        };
        Some((word.clone(), 1, 256 * number + low))
    }

    /// The sum of two bytes and a bit, modulo 256.
    pub fn sum(&mut self, a: ByteId, b: ByteId, c: ByteId) -> ByteId {
        let [x, y, z] = [a, b, c].map(|byte| self.as_constant(byte));
        if let (Some(x), Some(y), Some(z)) = (x, y, z) {
            return self.constant(x.wrapping_add(y).wrapping_add(z));
        }
        if x.is_some() && y.is_none() {
            return self.sum(b, a, c);
        }
        if a == b {
            let up = self.mapped(a, core::array::from_fn(|bit| SAME[bit] << 1));
            return self.xor(up, c);
        }
        let ones = self.constant(255);
        if self.xor(a, b) == ones {
            let all = self.mapped(c, [255, 0, 0, 0, 0, 0, 0, 0]);
            return self.xor(all, ones);
        }
        if let Some((word, half, number)) = self.added(a, b, c) {
            // Words are reduced, so that their sums are not too large.
            return match word.offset_checked(number) {
                Some(word) => self.half(&word, half),
                None => self.unknown(false),
            };
        }
        match (y, z) {
            (Some(y), Some(z)) if y.wrapping_add(z) == 0 => a,
            (Some(y), Some(z)) => {
                let (of, before) = match self.as_atom(a) {
                    Some(&Atom::Plus(of, before)) => (of, before),
                    _ => (a, 0),
                };
                let number = before.wrapping_add(y).wrapping_add(z);
                if number == 0 { of } else { self.atom(Atom::Plus(of, number)) }
            }
            _ => self.unknown([a, b, c].iter().any(|&byte| self.is_secret(byte))),
        }
    }

    /// The carry of the sum out of its low bits, 4 or 8.
    pub fn carry(&mut self, a: ByteId, b: ByteId, c: ByteId, bits: u8) -> ByteId {
        let [x, y, z] = [a, b, c].map(|byte| self.as_constant(byte).map(u32::from));
        if let (Some(x), Some(y), Some(z)) = (x, y, z) {
            let modulus = 1 << bits;
            return self.constant(u8::from(x % modulus + y % modulus + z >= modulus));
        }
        if x.is_some() && y.is_none() {
            return self.carry(b, a, c, bits);
        }
        if (y, z) == (Some(0), Some(0)) {
            return self.constant(0);
        }
        let ones = self.constant(255);
        if self.xor(a, b) == ones {
            return c;
        }
        if a == b {
            return self.mapped(a, core::array::from_fn(|bit| u8::from(bit + 1 == usize::from(bits))));
        }
        match self.added(a, b, c).filter(|_| bits == 8) {
            Some((_, half, 0)) if half < 2 => self.constant(0),
            Some((_, half, number)) if number == 256 << (8 * half) => self.constant(1),
            Some((word, 0, number)) => self.atom(Atom::Is(Condition::Carry(word, number))),
            Some((word, _, number)) => self.atom(Atom::Is(Condition::CarryWord(word, number))),
            None => self.unknown_bit([a, b, c].iter().any(|&byte| self.is_secret(byte))),
        }
    }

    /// The entry of a table of 256 bytes, if it is the S-box or its inverse, or the argument itself, after or before
    /// which bits are XORed: all entries are compared.
    pub fn entry(&mut self, table: &[u8; 256], index: ByteId) -> Option<ByteId> {
        if let Some(index) = self.as_constant(index) {
            return Some(self.constant(table[usize::from(index)]));
        }
        for is_inverse in [None, Some(false), Some(true)] {
            // The table as a function of the S-box's value; the S-box of a is undone by the other one.
            let undone = |a: usize| match is_inverse {
                None => a,
                Some(true) => usize::from(BOXES.0[a]),
                Some(false) => usize::from(BOXES.1[a]),
            };
            let Some((columns, constant)) = affine(&core::array::from_fn(|a| table[undone(a)])) else {
                continue;
            };
            let argument = is_inverse.map_or(index, |is_inverse| self.atom(Atom::Sbox(is_inverse, index)));
            let (value, constant) = (self.mapped(argument, columns), self.constant(constant));
            return Some(self.xor(value, constant));
        }
        None
    }

    /// The S-box or its inverse.
    pub fn sbox(&mut self, is_inverse: bool, a: ByteId) -> ByteId {
        let table = if is_inverse { &BOXES.1 } else { &BOXES.0 };
        self.entry(table, a).unwrap_or(a)
    }

    /// A value if a bit is 1, another if it is 0; unknown unless both are equal or differ by a constant.
    pub fn chosen(&mut self, bit: ByteId, one: ByteId, other: ByteId) -> ByteId {
        let difference = self.xor(one, other);
        let Some(difference) = self.as_constant(difference) else {
            return self.unknown([bit, one, other].iter().any(|&byte| self.is_secret(byte)));
        };
        let moved = self.mapped(bit, [difference, 0, 0, 0, 0, 0, 0, 0]);
        self.xor(other, moved)
    }
}
