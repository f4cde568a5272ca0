//! Canonical bytes: a XOR sum of linear maps of unknown bytes, and a constant. Equal terms have equal values.

use crate::bytes::functions::{Functions, Table};
use crate::linear::{AtomId, Linear};
use crate::spec::{BOXES, product};
use crate::terms::Store;
use alloc::collections::BTreeMap;
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
pub const WORDS: [&str; 8] = ["key", "iv", "in", "out", "stack", "blocks", "code", "caller"];
/// The address of the code, where processors have words.
pub const CODE: AtomId = 6;
/// The content of the link register at entry, where the return is at a distance from it.
pub const CALLER: AtomId = 7;
/// The address of the first table. On AVR all are multiples of 256.
pub const TABLES: AtomId = 16;
/// The first of the numbers that linkers write as low parts of addresses.
pub const LOWS: AtomId = 1024;
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
    /// A byte of a public word, 0 the lowest: of the word modulo 256^(number + 1).
    Half(Linear, u8),
    /// A byte of the sum of an address of a table and of a word of bytes, which may be secret.
    Indexed(Linear, [ByteId; 4], u8),
    /// The S-box or its inverse.
    Sbox(bool, ByteId),
    /// A byte plus a number.
    Plus(ByteId, u8),
    /// A bit that is a function of a byte.
    Function(ByteId, Table),
    /// A byte plus a bit.
    PlusBit(ByteId, ByteId),
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
    /// A byte plus a bit is 256.
    CarryBit(ByteId, ByteId),
    /// A word is less than another.
    Less(Linear, Linear),
}

impl Atom {
    /// The map of the term that is just this: of a byte, or of a bit.
    fn columns(&self) -> Columns {
        if matches!(self, Atom::Is(_) | Atom::Interrupts | Atom::Function(..)) { LOWEST } else { SAME }
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
    pub(crate) atoms: Store<Atom>,
    bytes: Store<Byte>,
    unknowns: u32,
    /// Bytes of a public word: 2 on AVR, else 4.
    width: u8,
    /// Functions of bytes, if there may be bit slices.
    pub(crate) functions: Functions,
    has_functions: bool,
    /// Tables that were looked up, and their meanings.
    tables: BTreeMap<[u8; 256], Meaning>,
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

/// The S-box that a table applies first, `true` for the inverse, and the map and the constant behind it.
type Meaning = Option<(Option<bool>, Columns, u8)>;

/// The meaning of a table, if it has one on all 256 bytes.
fn meaning(table: &[u8; 256]) -> Meaning {
    [None, Some(false), Some(true)].into_iter().find_map(|is_inverse| {
        // The table as a function of the S-box's value; the S-box of a is undone by the other one.
        let undone = |a: usize| match is_inverse {
            None => a,
            Some(true) => usize::from(BOXES.0[a]),
            Some(false) => usize::from(BOXES.1[a]),
        };
        let (columns, constant) = affine(&core::array::from_fn(|a| table[undone(a)]))?;
        Some((is_inverse, columns, constant))
    })
}

impl Terms {
    /// Terms of a processor whose words have 2 or 4 bytes.
    pub fn new(width: u8) -> Terms {
        let functions = Functions::default();
        Terms {
            atoms: Store::new(),
            bytes: Store::new(),
            unknowns: 0,
            width,
            functions,
            has_functions: false,
            tables: BTreeMap::new(),
        }
    }

    /// Lets an AND of bits be a function of the byte of which both are, to which the S-box or its inverse is applied.
    pub fn with_functions(&mut self, is_inverse: bool) {
        (self.functions, self.has_functions) = (Functions::new(is_inverse), true);
    }

    /// The number of words: they are integers modulo this.
    pub fn modulus(&self) -> i128 {
        1 << (8 * self.width)
    }

    pub(crate) fn normal(&mut self, constant: u8, parts: Vec<(u32, Columns)>) -> ByteId {
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
            Atom::Sbox(_, byte)
            | Atom::Plus(byte, _)
            | Atom::Function(byte, _)
            | Atom::Is(Condition::Zero(byte)) => self.is_secret(*byte),
            Atom::PlusBit(byte, bit) | Atom::Is(Condition::CarryBit(byte, bit)) => {
                self.is_secret(*byte) || self.is_secret(*bit)
            }
            Atom::Indexed(_, index, _) => index.iter().any(|&byte| self.is_secret(byte)),
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
        self.lowest(byte)
    }

    /// The lowest bit of a byte.
    pub fn lowest(&mut self, byte: ByteId) -> ByteId {
        self.mapped(byte, LOWEST)
    }

    /// The bits of a byte that are not known to be zero.
    pub fn possible(&self, byte: ByteId) -> u8 {
        let Byte { constant, parts } = self.bytes.get(byte);
        parts.iter().flat_map(|part| part.1).fold(*constant, |all, column| all | column)
    }

    /// The bits of a byte that are always 1.
    pub fn ones(&self, byte: ByteId) -> u8 {
        let Byte { constant, parts } = self.bytes.get(byte);
        parts.iter().flat_map(|part| part.1).fold(*constant, |all, column| all & !column)
    }

    /// The XOR of two bytes.
    pub fn xor(&mut self, a: ByteId, b: ByteId) -> ByteId {
        let sum = self.added_bits(a, b);
        if self.has_functions { self.with_one_function(sum) } else { sum }
    }

    /// The XOR of two bytes that may have several functions of one byte.
    pub(crate) fn added_bits(&mut self, a: ByteId, b: ByteId) -> ByteId {
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
        if a == b {
            return a;
        }
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
        if self.has_functions
            && let Some(all) = self.and_of_functions(a, b)
        {
            return all;
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

    /// A byte of a public word: 0 is the lowest.
    pub fn half(&mut self, word: &Linear, half: u8) -> ByteId {
        let mut word = reduced(word, 256 << (8 * half));
        let is_table = |id: AtomId| (TABLES..VARIABLES).contains(&id);
        // Tables of AVR begin at multiples of 256.
        if half == 0 && self.width == 2 {
            word.terms.retain(|&(id, _)| !is_table(id));
        } else if self.width == 2 && word.terms.iter().all(|&(id, _)| is_table(id)) {
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

    /// The public word of these bytes, the lowest first.
    pub fn as_word<const N: usize>(&mut self, bytes: [ByteId; N]) -> Option<Linear> {
        let numbers = bytes.map(|byte| self.as_constant(byte).map(i128::from));
        let number = (0..).zip(numbers).try_fold(0, |all, (k, byte)| Some(all | byte? << (8 * k)));
        if let Some(number) = number {
            return Some(Linear::number(number));
        }
        let (high, width) = (bytes[N - 1], usize::from(self.width));
        let word = self.as_half(high, N as u8 - 1).filter(|_| N == width)?.clone();
        match (numbers[0], self.as_page(high)) {
            (Some(low), Some(_)) if N == 2 => word.offset_checked(low),
            _ => (0..).zip(bytes).all(|(k, byte)| self.half(&word, k) == byte).then_some(word),
        }
    }

    /// The bit of which bytes are affine functions, if there is one or none, and both values of each.
    pub fn of_one_bit<const N: usize>(&mut self, bytes: [ByteId; N]) -> Option<(ByteId, [[u8; 2]; N])> {
        let (mut bit, mut values) = (None, [[0; 2]; N]);
        for (byte, values) in bytes.iter().zip(&mut values) {
            let Byte { constant, parts } = self.bytes.get(*byte).clone();
            let value = parts.iter().flat_map(|part| part.1).find(|&column| column != 0).unwrap_or(0);
            *values = [constant, constant ^ value];
            if value == 0 {
                continue;
            }
            if parts.iter().flat_map(|part| part.1).any(|column| column != 0 && column != value) {
                return None;
            }
            let parts = parts.into_iter().map(|(atom, columns)| (atom, columns.map(|c| u8::from(c != 0))));
            let own = self.normal(0, parts.collect());
            if bit.is_some_and(|bit| bit != own) {
                return None;
            }
            bit = Some(own);
        }
        let zero = self.constant(0);
        Some((bit.unwrap_or(zero), values))
    }

    /// The byte that has one of two values, by a bit.
    fn by_bit(&mut self, bit: ByteId, [zero, one]: [u8; 2]) -> ByteId {
        let (moved, constant) = (self.mapped(bit, [zero ^ one, 0, 0, 0, 0, 0, 0, 0]), self.constant(zero));
        self.xor(moved, constant)
    }

    /// The summand of the word of which its first byte is a half, and the word, if that is known: the second byte is
    /// a number, and to a high byte the carry of the low one is added.
    fn added(&self, a: ByteId, b: ByteId, c: ByteId) -> Option<(Linear, u8, i128)> {
        if self.width > 2 {
            return None;
        }
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
        if let Some((bit, all)) = self.of_one_bit([a, b, c]) {
            let sums = [0, 1].map(|k| all[0][k].wrapping_add(all[1][k]).wrapping_add(all[2][k]));
            return self.by_bit(bit, sums);
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
            _ => match self.byte_and_bit(a, b, c) {
                Some((byte, bit)) => self.atom(Atom::PlusBit(byte, bit)),
                None => self.unknown([a, b, c].iter().any(|&byte| self.is_secret(byte))),
            },
        }
    }

    /// The byte and the bit of a sum of three of which one is zero.
    fn byte_and_bit(&self, a: ByteId, b: ByteId, c: ByteId) -> Option<(ByteId, ByteId)> {
        let is_zero = |byte: ByteId| self.as_constant(byte) == Some(0);
        let is_bit = |byte: ByteId| self.possible(byte) == 1;
        match () {
            () if is_zero(c) && is_bit(b) => Some((a, b)),
            () if is_zero(c) && is_bit(a) => Some((b, a)),
            () if is_zero(b) && is_bit(c) => Some((a, c)),
            () => None,
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
        if let Some((bit, all)) = self.of_one_bit([a, b, c]) {
            let modulus = 1 << bits;
            let sum = |k: usize| all.iter().fold(0, |sum, byte| sum + u32::from(byte[k]) % modulus);
            let carries = [0, 1].map(|k| u8::from(sum(k) >= modulus));
            return self.by_bit(bit, carries);
        }
        // One is added, and the sum is zero.
        if let (Some(0), Some(1)) | (Some(1), Some(0)) = (y, z)
            && bits == 8
            && self.as_half(a, 0).is_none()
            && self.as_half(a, 1).is_none()
        {
            let sum = self.sum(a, b, c);
            return self.zero(sum);
        }
        match self.added(a, b, c).filter(|_| bits == 8) {
            Some((_, half, 0)) if half < 2 => self.constant(0),
            Some((_, half, number)) if number == 256 << (8 * half) => self.constant(1),
            Some((word, 0, number)) => self.atom(Atom::Is(Condition::Carry(word, number))),
            Some((word, _, number)) => self.atom(Atom::Is(Condition::CarryWord(word, number))),
            None => match self.byte_and_bit(a, b, c).filter(|_| bits == 8) {
                Some((byte, bit)) => self.atom(Atom::Is(Condition::CarryBit(byte, bit))),
                None => self.unknown_bit([a, b, c].iter().any(|&byte| self.is_secret(byte))),
            },
        }
    }

    /// The entry of a table of 256 bytes, if it is the S-box or its inverse, or the argument itself, after or before
    /// which bits are XORed: all entries are compared.
    pub fn entry(&mut self, table: &[u8; 256], index: ByteId) -> Option<ByteId> {
        if let Some(index) = self.as_constant(index) {
            return Some(self.constant(table[usize::from(index)]));
        }
        // Tables are few, and looked up many times.
        let meaning = match self.tables.get(table) {
            Some(meaning) => *meaning,
            None => *self.tables.entry(*table).or_insert(meaning(table)),
        };
        let (is_inverse, columns, constant) = meaning?;
        let argument = is_inverse.map_or(index, |is_inverse| self.atom(Atom::Sbox(is_inverse, index)));
        let (value, constant) = (self.mapped(argument, columns), self.constant(constant));
        Some(self.xor(value, constant))
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
