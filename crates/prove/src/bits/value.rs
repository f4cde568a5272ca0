//! Values of a proof, including unknown addresses with which machines compute, whole or a byte at a time.

use std::rc::Rc;

use crate::bits::forms::{Bit, Bits};
use crate::bits::halves::Byte;
use crate::bits::memory::ObjectId;
use crate::bits::sums::Sum;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(u128),
    /// Bits, lowest first, not all of them constant.
    Bits(Rc<[Bit]>),
    /// The address of an object plus an offset; or the value of a register at entry plus a number.
    Pointer(ObjectId, i64),
    /// Bits of such an address, from this bit on.
    Part(ObjectId, i64, u8),
    /// The complement of the lowest byte of such an address.
    Complement(ObjectId, i64),
    /// An OR of terms from which carries and borrows are built.
    Terms(Rc<Terms>),
    /// The carry of an addition to the lowest byte of an address: the object, the offset before and the byte added. It
    /// is also the borrow of the reverse subtraction.
    Carry(ObjectId, i64, u8),
    /// The carry of [`Value::Carry`], extended with zeros.
    WideCarry(ObjectId, i64, u8),
    /// The OR of both bytes of a number of blocks of two bytes: zero if the number is.
    Either(ObjectId, i64),
    /// The complement of an address.
    NotPointer(ObjectId, i64),
    /// A sum of extended addresses, at most one of them complemented, and a number: the form in which machines with
    /// flags define sums and differences.
    Wide(Wide),
    /// Values of these widths in bits, the lowest first, which are not one address together.
    Joined(Rc<[(u8, Value)]>),
    /// An address extended with zeros, where data memory's addresses are shorter than those of programs.
    Extended(ObjectId, i64),
    /// An address in a section with data added, or a part of one: see `Sum`.
    Sum(Rc<Sum>),
    /// A byte of such an address of two bytes, or of its arithmetic.
    Byte(Rc<Byte>),
    /// An unknown value derived from a section's address: the index of the instruction, and true if it depends on a
    /// secret.
    Lost(u16, bool),
    /// An unknown value, and true if it depends on a secret. Refused where it matters.
    Unknown(bool),
}

/// The content of [`Value::Wide`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wide {
    pub(crate) plus: Option<(ObjectId, i64)>,
    pub(crate) complement: Option<(ObjectId, i64)>,
    pub(crate) number: u64,
}

impl Wide {
    pub(crate) fn of(value: &Value) -> Option<Wide> {
        let (plus, complement, number) = match value {
            Value::Wide(wide) => return Some(*wide),
            Value::Extended(o, at) => (Some((*o, *at)), None, 0),
            Value::Number(n) => (None, None, u64::try_from(*n).ok()?),
            _ => return None,
        };
        Some(Wide { plus, complement, number })
    }

    /// The sum with another; `None` if both have an address, or both a complement.
    pub(crate) fn plus(self, other: Wide) -> Option<Wide> {
        let clash = self.plus.is_some() && other.plus.is_some()
            || self.complement.is_some() && other.complement.is_some();
        (!clash).then(|| Wide {
            plus: self.plus.or(other.plus),
            complement: self.complement.or(other.complement),
            number: self.number.wrapping_add(other.number),
        })
    }

    /// The excess over 2^w of a difference within one object.
    pub(crate) fn difference(self) -> Option<i64> {
        let ((o, at), (p, from)) = (self.plus?, self.complement?);
        (o == p).then(|| at.wrapping_sub(from).wrapping_sub(1).wrapping_add(self.number as i64))
    }
}

/// Terms over the lowest byte of one object's address, by which byte-wise machines define their carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    pub(crate) object: ObjectId,
    /// `(base + offset) & number`; with `true`, the complement of the sum.
    pub(crate) masked: Vec<(bool, i64, u8)>,
    /// `(base + first) & ~(base + second)`.
    pub(crate) both: Option<(i64, i64)>,
}

impl Terms {
    pub(crate) fn of(value: &Value) -> Option<Terms> {
        match value {
            Value::Terms(terms) => Some((**terms).clone()),
            Value::Part(object, at, 0) => {
                Some(Terms { object: *object, masked: vec![(false, *at, 255)], both: None })
            }
            Value::Complement(object, at) => {
                Some(Terms { object: *object, masked: vec![(true, *at, 255)], both: None })
            }
            _ => None,
        }
    }

    /// The carry that these terms form, `(p & s) | (s & ~q) | (p & ~q)` with `q = p + s`, at the highest bit.
    pub(crate) fn carry(&self) -> Option<Value> {
        let (p, q) = self.both?;
        let [a, b] = self.masked.as_slice() else { return None };
        let (up, down) = if a.0 { (b, a) } else { (a, b) };
        let s = up.2;
        let whole = !up.0 && down.0 && down.2 == s && alike(up.1, p) && alike(down.1, q);
        (whole && alike(q, p + i64::from(s))).then_some(Value::Carry(self.object, p, s))
    }
}

/// True if two offsets agree in the bits below `bit`. Offsets of wider addresses have only 64 bits.
pub(crate) fn agree_below(a: i64, b: i64, bit: u8) -> bool {
    if bit >= 64 { a == b } else { (a ^ b) & ((1 << bit) - 1) == 0 }
}

/// True if two offsets have the same lowest byte.
pub(crate) fn alike(a: i64, b: i64) -> bool {
    (a ^ b) & 0xff == 0
}

impl Value {
    /// True if two values are equal by inspection; false may mean that they are not known to be equal.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Bits(a), Value::Bits(b)) => a == b && !a.iter().any(|&bit| Bits::is_opaque(bit)),
            (Value::Complement(o, at), Value::Complement(p, from))
            | (Value::NotPointer(o, at), Value::NotPointer(p, from))
            | (Value::Extended(o, at), Value::Extended(p, from)) => o == p && at == from,
            (Value::Joined(a), Value::Joined(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.0 == y.0 && x.1.same(&y.1))
            }
            (Value::Pointer(o, at), Value::Pointer(p, from)) => o == p && at == from,
            (Value::Part(o, at, low), Value::Part(p, from, other)) => o == p && at == from && low == other,
            (Value::Byte(a), Value::Byte(b)) => a == b && !a.data.iter().any(|&bit| Bits::is_opaque(bit)),
            (Value::Sum(a), Value::Sum(b)) => {
                a == b && !a.bits.iter().flat_map(|bits| bits.iter()).any(|&bit| Bits::is_opaque(bit))
            }
            _ => false,
        }
    }
}

/// A question about an address or a count, of which only some bits may be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// The object.
    pub object: ObjectId,
    /// The offset added to the object.
    pub offset: i64,
    /// The lowest bit compared.
    pub low: u8,
    /// The number of bits compared.
    pub width: u8,
    /// The number to compare with.
    pub is: u64,
    /// True to ask if the value is below the number, instead of equal to it.
    pub below: bool,
}
