//! Bytes of a table's address with data added. Machines of bytes add an index to the lowest byte of an address and the
//! carry to the next byte, or they subtract the bytes of the negated address. Carries and borrows are majorities of three
//! bytes; they are known once all three terms of the majority are there.

use std::rc::Rc;

use aesmith_isa::values::Binary;

use crate::bits::forms::{Bit, ONE, ZERO};
use crate::bits::memory::ObjectId;
use crate::bits::sums::{Sum, Term};
use crate::bits::symbols::Symbols;
use crate::bits::value::{Value, alike};

/// The role of a byte in the sum of an address `p` and data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The second byte of the sum.
    Upper,
    /// The complement of the lowest byte of the sum.
    Complement,
    /// The OR of some of the terms of the carry out of the lowest byte, a bit each.
    Terms(u8),
    /// The carry; with `true`, extended with zeros.
    Carry(bool),
    /// The lowest byte of the negated address; with `true`, the second one.
    Negated(bool),
    /// The number in the second byte of the offset less the second byte of the negated address.
    Less,
    /// The OR of some of the terms of the borrow of data less the lowest byte of the negated address.
    BorrowTerms(u8),
    /// The borrow; with `true`, extended with zeros.
    Borrow(bool),
}

/// All terms of a majority.
const WHOLE: u8 = 7;

/// A byte, or a bit of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Byte {
    pub(crate) kind: Kind,
    /// The section, and the offset of the address in it.
    pub(crate) object: ObjectId,
    pub(crate) offset: i64,
    /// Eight bits of data.
    pub(crate) data: Rc<[Bit]>,
}

impl Byte {
    /// A byte of the negated address.
    pub(crate) fn negated(object: ObjectId, offset: i64, upper: bool) -> Value {
        Value::Byte(Rc::new(Byte { kind: Kind::Negated(upper), object, offset, data: [].into() }))
    }

    /// A byte of another kind of this address and data.
    fn with(&self, kind: Kind) -> Value {
        Value::Byte(Rc::new(Byte { kind, ..self.clone() }))
    }

    /// True if both are of the same lowest bytes of address and data.
    fn is_beside(&self, other: &Byte) -> bool {
        self.object == other.object && alike(self.offset, other.offset) && self.data == other.data
    }

    /// Both terms, if they are of one majority.
    fn either(&self, other: &Byte) -> Option<Value> {
        let kind = match (self.kind, other.kind) {
            (Kind::Terms(a), Kind::Terms(b)) => Kind::Terms(a | b),
            (Kind::BorrowTerms(a), Kind::BorrowTerms(b)) => Kind::BorrowTerms(a | b),
            _ => return None,
        };
        self.is_beside(other).then(|| self.with(kind))
    }

    /// The carry or the borrow in the highest bit of a whole majority.
    pub(crate) fn highest(&self) -> Option<Value> {
        match self.kind {
            Kind::Terms(WHOLE) => Some(self.with(Kind::Carry(false))),
            Kind::BorrowTerms(WHOLE) => Some(self.with(Kind::Borrow(false))),
            _ => None,
        }
    }

    /// The carry or the borrow, extended with zeros.
    pub(crate) fn extended(&self) -> Option<Value> {
        match self.kind {
            Kind::Carry(false) => Some(self.with(Kind::Carry(true))),
            Kind::Borrow(false) => Some(self.with(Kind::Borrow(true))),
            _ => None,
        }
    }
}

/// The number of a byte whose bits are all known.
fn number(data: &[Bit]) -> Option<i64> {
    let known = data.iter().all(|&bit| bit <= ONE);
    known.then(|| data.iter().rev().fold(0, |n, &bit| n << 1 | i64::from(bit == ONE)))
}

fn constant(n: i64) -> Rc<[Bit]> {
    (0..8).map(|i| if n >> i & 1 == 1 { ONE } else { ZERO }).collect()
}

impl Symbols<'_> {
    /// A value as the lowest byte of an address in a section plus data.
    fn lowest(&self, value: &Value) -> Option<(ObjectId, i64, Rc<[Bit]>)> {
        let (object, offset, data) = match value {
            Value::Part(object, offset, 0) => (*object, *offset, constant(0)),
            Value::Sum(sum) if sum.width == 8 => match (sum.terms.as_slice(), &sum.bits) {
                ([Term::Base(object, 0)], Some(bits)) => (*object, sum.number, Rc::clone(bits)),
                _ => return None,
            },
            _ => return None,
        };
        self.section(object).is_some().then_some((object, offset, data))
    }

    /// Data of eight bits.
    fn data_byte(&self, value: &Value) -> Option<Rc<[Bit]>> {
        match value {
            Value::Number(_) | Value::Bits(_) => self.bits_of(8, value),
            _ => None,
        }
    }

    /// The second byte of an address plus data.
    fn upper(&self, object: ObjectId, offset: i64, data: Rc<[Bit]>) -> Value {
        match number(&data) {
            Some(n) => self.part(object, offset.wrapping_add(n), 8),
            None => Value::Byte(Rc::new(Byte { kind: Kind::Upper, object, offset, data })),
        }
    }

    /// The complement of the lowest byte of an address plus data.
    pub(crate) fn not_lowest(&self, value: &Value) -> Option<Value> {
        let (object, offset, data) = self.lowest(value).filter(|(.., data)| number(data).is_none())?;
        Some(Value::Byte(Rc::new(Byte { kind: Kind::Complement, object, offset, data })))
    }

    /// Sums, differences and terms of bytes.
    pub(crate) fn of_bytes(&mut self, op: Binary, a: &Value, b: &Value) -> Option<Value> {
        match op {
            Binary::And => self.term(a, b).or_else(|| self.term(b, a)),
            Binary::Or => match (a, b) {
                (Value::Byte(x), Value::Byte(y)) => x.either(y),
                (Value::Byte(x), rest) | (rest, Value::Byte(x)) => self.with_rest(x, rest),
                _ => None,
            },
            Binary::Add => match (a, b) {
                (Value::Part(object, offset, 8), Value::Byte(carry))
                | (Value::Byte(carry), Value::Part(object, offset, 8))
                    if carry.kind == Kind::Carry(true)
                        && carry.object == *object
                        && alike(carry.offset, *offset) =>
                {
                    Some(self.upper(*object, *offset, Rc::clone(&carry.data)))
                }
                _ => None,
            },
            Binary::Subtract => match (a, b) {
                (data, Value::Byte(of)) if of.kind == Kind::Negated(false) => {
                    let bits = Some(self.data_byte(data)?);
                    let terms = vec![Term::Base(of.object, 0)];
                    Some(self.value_of(Sum { width: 8, terms, number: of.offset, bits }))
                }
                (Value::Number(n), Value::Byte(of)) if of.kind == Kind::Negated(true) => {
                    let offset = of.offset.wrapping_add((*n as i64) << 8);
                    Some(Value::Byte(Rc::new(Byte { kind: Kind::Less, offset, ..(**of).clone() })))
                }
                (Value::Byte(less), Value::Byte(borrow))
                    if (less.kind, borrow.kind) == (Kind::Less, Kind::Borrow(true))
                        && less.object == borrow.object
                        && alike(less.offset, borrow.offset) =>
                {
                    Some(self.upper(less.object, less.offset, Rc::clone(&borrow.data)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A term of a majority.
    fn term(&self, a: &Value, b: &Value) -> Option<Value> {
        let terms = |kind: Kind, object: ObjectId, offset: i64, data: Rc<[Bit]>| {
            Some(Value::Byte(Rc::new(Byte { kind, object, offset, data })))
        };
        let not = |data: &[Bit]| -> Rc<[Bit]> { data.iter().map(|bit| bit ^ ONE).collect() };
        match (a, b) {
            // Of `(p & s) | (s & ~q) | (~q & p)`, where `q` is the lowest byte of the sum.
            (Value::Part(object, offset, 0), Value::Bits(data)) if self.section(*object).is_some() => {
                terms(Kind::Terms(1), *object, *offset, Rc::clone(data))
            }
            (Value::Bits(data), Value::Byte(of)) if of.kind == Kind::Complement && of.data == *data => {
                Some(of.with(Kind::Terms(2)))
            }
            (Value::Part(object, offset, 0), Value::Byte(of))
                if of.kind == Kind::Complement && of.object == *object && alike(of.offset, *offset) =>
            {
                Some(of.with(Kind::Terms(4)))
            }
            // Of `(~d & s) | (s & q) | (q & ~d)`, where `s` is the lowest byte of the negated address.
            (data, Value::Byte(of)) if of.kind == Kind::Negated(false) => {
                if let Some(data) = self.data_byte(data) {
                    return terms(Kind::BorrowTerms(1), of.object, of.offset, not(&data));
                }
                let (object, offset, data) = self.lowest(data)?;
                let data = match number(&data) {
                    Some(n) => constant(offset.wrapping_add(n).wrapping_sub(of.offset)),
                    None if alike(offset, of.offset) => data,
                    None => return None,
                };
                (object == of.object).then(|| terms(Kind::BorrowTerms(2), object, of.offset, data)).flatten()
            }
            (Value::Sum(_), Value::Bits(complement)) => {
                let (object, offset, data) = self.lowest(a)?;
                (*data == *not(complement))
                    .then(|| terms(Kind::BorrowTerms(4), object, offset, data))
                    .flatten()
            }
            _ => None,
        }
    }

    /// The third term of a borrow, where the data is a number: a masked byte of the address of the sum.
    fn with_rest(&self, of: &Byte, rest: &Value) -> Option<Value> {
        let (Kind::BorrowTerms(3), Some(n)) = (of.kind, number(&of.data)) else { return None };
        let wanted = !n & 0xff;
        let sum = of.offset.wrapping_add(n);
        let is_third = match rest {
            Value::Number(0) => wanted == 0,
            Value::Part(object, at, 0) => wanted == 0xff && *object == of.object && alike(*at, sum),
            Value::Terms(terms) => {
                let [(false, at, mask)] = terms.masked.as_slice() else { return None };
                terms.object == of.object
                    && terms.both.is_none()
                    && i64::from(*mask) == wanted
                    && alike(*at, sum)
            }
            _ => false,
        };
        is_third.then(|| of.with(Kind::BorrowTerms(WHOLE)))
    }

    /// The second byte of an address of two bytes with a byte of data.
    pub(crate) fn upper_of(&self, sum: &Sum) -> Option<Value> {
        let ([Term::Base(object, 0)], Some(bits)) = (sum.terms.as_slice(), &sum.bits) else { return None };
        let fits =
            sum.width == 16 && self.width_of(*object) == 16 && bits[8..].iter().all(|&bit| bit == ZERO);
        fits.then(|| self.upper(*object, sum.number, bits[..8].into()))
    }

    /// The address with data whose bytes these are.
    pub(crate) fn join_bytes(&mut self, high: &Value, low: &Value) -> Option<Value> {
        let Value::Byte(upper) = high else { return None };
        let (object, offset, data) = self.lowest(low)?;
        let fits = upper.kind == Kind::Upper
            && upper.object == object
            && self.width_of(object) == 16
            && alike(upper.offset, offset)
            && upper.data == data;
        fits.then(|| {
            let bits = data.iter().copied().chain([ZERO; 8]).collect();
            let terms = vec![Term::Base(object, 0)];
            self.value_of(Sum { width: 16, terms, number: upper.offset, bits: Some(bits) })
        })
    }
}
