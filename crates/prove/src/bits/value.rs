//! Values of a proof, and what is kept of addresses that nobody knows while machines compute with
//! them, whole or a byte at a time.

use std::rc::Rc;

use crate::bits::forms::{Bit, Bits};
use crate::bits::memory::ObjectId;
use crate::bits::sums::Sum;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(u128),
    /// Bits, lowest first, not all of them constant.
    Bits(Rc<[Bit]>),
    /// The address of an object plus so much; or what a register held at entry, plus so much.
    Pointer(ObjectId, i64),
    /// Bits of such an address, from this one on.
    Part(ObjectId, i64, u8),
    /// The complement of the lowest byte of such an address.
    Complement(ObjectId, i64),
    /// OR of terms that carries and borrows are made of.
    Terms(Rc<Terms>),
    /// Whether adding so much to the lowest byte of this address carries: the object, the offset
    /// before and what is added. It is also the borrow of the way back.
    Carry(ObjectId, i64, u8),
    /// The same, extended with zeros.
    WideCarry(ObjectId, i64, u8),
    /// The complement of such an address.
    NotPointer(ObjectId, i64),
    /// A sum of extended addresses, at most one of them complemented, and a number: how machines
    /// with flags define sums and differences.
    Wide(Wide),
    /// Values of these widths, the lowest first: what is no address as a whole.
    Joined(Rc<[(u8, Value)]>),
    /// Such an address extended with zeros, where data memory's addresses are shorter than those of
    /// programs.
    Extended(ObjectId, i64),
    /// An address of a section with data, or a part of one: see `Sum`.
    Sum(Rc<Sum>),
    /// Anything that is made of the address of a section, at a place of this number, and whether it depends on a secret.
    Lost(u16, bool),
    /// Anything, and whether it depends on a secret. Refused where it matters.
    Unknown(bool),
}

/// See [`Value::Wide`].
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

    /// With another; nothing if two are plain, or two complemented.
    pub(crate) fn plus(self, other: Wide) -> Option<Wide> {
        let clash = self.plus.is_some() && other.plus.is_some()
            || self.complement.is_some() && other.complement.is_some();
        (!clash).then(|| Wide {
            plus: self.plus.or(other.plus),
            complement: self.complement.or(other.complement),
            number: self.number.wrapping_add(other.number),
        })
    }

    /// How much more than 2^w a difference within one object is.
    pub(crate) fn difference(self) -> Option<i64> {
        let ((o, at), (p, from)) = (self.plus?, self.complement?);
        (o == p).then(|| at.wrapping_sub(from).wrapping_sub(1).wrapping_add(self.number as i64))
    }
}

/// Terms over the lowest byte of one object's address: how byte-wise machines define their carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    pub(crate) object: ObjectId,
    /// (base + offset) & number; with `true`, the complement of the sum.
    pub(crate) masked: Vec<(bool, i64, u8)>,
    /// (base + first) & ~(base + second).
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

    /// The carry that these terms are, `(p & s) | (s & ~q) | (p & ~q)` with `q = p + s`, at the
    /// highest bit.
    pub(crate) fn carry(&self) -> Option<Value> {
        let (p, q) = self.both?;
        let [a, b] = self.masked.as_slice() else { return None };
        let (up, down) = if a.0 { (b, a) } else { (a, b) };
        let s = up.2;
        let whole = !up.0 && down.0 && down.2 == s && alike(up.1, p) && alike(down.1, q);
        (whole && alike(q, p + i64::from(s))).then_some(Value::Carry(self.object, p, s))
    }
}

/// Whether two offsets have the same bits below this one: what is added to an address beyond 64 bits is not kept.
pub(crate) fn agree_below(a: i64, b: i64, bit: u8) -> bool {
    if bit >= 64 { a == b } else { (a ^ b) & ((1 << bit) - 1) == 0 }
}

/// Whether two offsets have the same lowest byte.
pub(crate) fn alike(a: i64, b: i64) -> bool {
    (a ^ b) & 0xff == 0
}

impl Value {
    /// Whether two values are the same thing, as far as can be told at a glance.
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
            (Value::Sum(a), Value::Sum(b)) => {
                a == b && !a.bits.iter().flat_map(|bits| bits.iter()).any(|&bit| Bits::is_opaque(bit))
            }
            _ => false,
        }
    }
}

/// Whether an address or a count, of which only parts may be looked at, is this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// Of which object.
    pub object: ObjectId,
    /// Plus so much.
    pub offset: i64,
    /// From this bit on.
    pub low: u8,
    /// So many bits.
    pub width: u8,
    /// Is this.
    pub is: u64,
    /// Is below this, instead.
    pub below: bool,
}
