//! Sums, differences and comparisons of addresses with unknown bases, and questions about the number of blocks.

use std::rc::Rc;

use aesmith_isa::numbers::{mask, signed};
use aesmith_isa::values::Binary;

use crate::bits::forms::{Bit, ONE};
use crate::bits::memory::{ObjectId, Role};
use crate::bits::symbols::Symbols;
use crate::bits::value::{self, Question, Value, agree_below, alike};

impl Symbols<'_> {
    /// Sums, differences and comparisons with addresses.
    pub(crate) fn addresses(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Option<Value> {
        use Value::*;
        match (op, a, b) {
            (Binary::Add, Pointer(o, at), Number(n)) | (Binary::Add, Number(n), Pointer(o, at)) => {
                Some(self.pointer(*o, at.wrapping_add(*n as i64)))
            }
            (Binary::Subtract, Pointer(o, at), Number(n)) => {
                Some(self.pointer(*o, at.wrapping_sub(*n as i64)))
            }
            (Binary::Subtract, Number(n), Pointer(o, at)) if width == self.width_of(*o) => {
                Some(self.complement(*o, at.wrapping_sub(*n as i64).wrapping_sub(1)))
            }
            (Binary::Add, NotPointer(o, at), Number(n)) | (Binary::Add, Number(n), NotPointer(o, at)) => {
                Some(self.complement(*o, at.wrapping_sub(*n as i64)))
            }
            (Binary::Add, NotPointer(o, from), Pointer(p, at))
            | (Binary::Add, Pointer(p, at), NotPointer(o, from))
                if o == p =>
            {
                Some(Number(at.wrapping_sub(*from).wrapping_sub(1) as u128 & mask(width)))
            }
            (Binary::Subtract, Pointer(o, at), Pointer(p, from)) if o == p => {
                Some(Number(at.wrapping_sub(*from) as u128 & mask(width)))
            }
            (Binary::Equal, Pointer(o, at), Pointer(p, from)) if o == p => {
                Some(Number(u128::from(at.wrapping_sub(*from) as u128 & mask(self.width_of(*o)) == 0)))
            }
            // Objects do not wrap around the end of memory.
            (Binary::Below, Pointer(o, at), Pointer(p, from))
                if o == p && self.is_ordered(*o, *at, *from) =>
            {
                Some(Number(u128::from(at < from)))
            }
            (Binary::Equal, Pointer(o, at), Number(n)) | (Binary::Equal, Number(n), Pointer(o, at))
                if self.is_count(*o) =>
            {
                let question =
                    Question { object: *o, offset: *at, low: 0, width, is: *n as u64, below: false };
                Some(self.question(question))
            }
            (Binary::Equal, Part(o, at, low), Number(n)) | (Binary::Equal, Number(n), Part(o, at, low))
                if self.is_count(*o) =>
            {
                let question =
                    Question { object: *o, offset: *at, low: *low, width, is: *n as u64, below: false };
                Some(self.question(question))
            }
            (Binary::Or, Part(o, at, 0), Part(p, from, 8))
            | (Binary::Or, Part(p, from, 8), Part(o, at, 0))
                if (o, at) == (p, from) && self.is_count(*o) && (width, self.width_of(*o)) == (8, 16) =>
            {
                Some(Either(*o, *at))
            }
            (Binary::Equal, Either(o, at), Number(0)) | (Binary::Equal, Number(0), Either(o, at)) => {
                let width = self.width_of(*o);
                Some(self.question(Question { object: *o, offset: *at, low: 0, width, is: 0, below: false }))
            }
            // Rounds an address down, as code does that ignores its lowest bits: at most to the alignment that the
            // contract promises for buffers, and the convention for the stack pointer at entry.
            (Binary::And, Pointer(o, at), Number(n)) | (Binary::And, Number(n), Pointer(o, at))
                if self.rounds(*o, width, *n).is_some() =>
            {
                let to = self.rounds(*o, width, *n)?;
                let object = &mut self.memory.objects[usize::from(*o)];
                object.access = object.access.max(to);
                Some(Pointer(*o, at & -i64::from(to)))
            }
            // The return address may be rounded down where all instructions lie at multiples of four.
            (Binary::And, Pointer(o, at), Number(n)) | (Binary::And, Number(n), Pointer(o, at))
                if self.is_return(*o) && self.returns_by_fours && *n == mask(width) & !3 && at % 4 == 0 =>
            {
                Some(Pointer(*o, *at))
            }
            // The return address is even, unless its lowest bit is the caller's state, which is unknown.
            (Binary::And, Pointer(o, at), Number(n)) | (Binary::And, Number(n), Pointer(o, at))
                if self.is_return(*o) && self.returns_even && *n == mask(width) & !1 =>
            {
                Some(Pointer(*o, at & !1))
            }
            // The difference of equal parts of two addresses in one object. Their lower bits agree, so nothing is
            // borrowed.
            (Binary::Subtract, Part(o, at, low), Part(p, from, other))
                if o == p && low == other && *low < 64 && agree_below(*at, *from, *low) =>
            {
                Some(Number((at.wrapping_sub(*from) >> low) as u128 & mask(width)))
            }
            (Binary::Subtract, Part(o, at, 8), Number(n)) => {
                Some(self.part(*o, at.wrapping_sub((*n as i64) << 8), 8))
            }
            (Binary::Add, Part(o, at, 8), Number(n)) | (Binary::Add, Number(n), Part(o, at, 8)) => {
                Some(self.part(*o, at.wrapping_add((*n as i64) << 8), 8))
            }
            (Binary::Subtract, Part(o, at, 8), WideCarry(p, from, by))
                if o == p && alike(*at, from + i64::from(*by)) =>
            {
                Some(self.part(*o, at - i64::from(*by), 8))
            }
            (Binary::Add, Part(o, at, 8), WideCarry(p, from, by)) if o == p && alike(*at, *from) => {
                Some(self.part(*o, at + i64::from(*by), 8))
            }
            // Terms from which carries are built.
            (Binary::And, Part(o, p, 0), Complement(other, q))
            | (Binary::And, Complement(other, q), Part(o, p, 0))
                if o == other && width == 8 =>
            {
                Some(if alike(*p, *q) {
                    Number(0)
                } else {
                    Terms(Rc::new(value::Terms { object: *o, masked: Vec::new(), both: Some((*p, *q)) }))
                })
            }
            (Binary::And, Part(o, at, 0), Number(n)) | (Binary::And, Number(n), Part(o, at, 0))
                if width == 8 && *n != 0 && *n != 255 =>
            {
                let masked = vec![(false, *at, *n as u8)];
                Some(Terms(Rc::new(value::Terms { object: *o, masked, both: None })))
            }
            (Binary::And, Complement(o, at), Number(n)) | (Binary::And, Number(n), Complement(o, at))
                if *n != 0 && *n != 255 =>
            {
                let masked = vec![(true, *at, *n as u8)];
                Some(Terms(Rc::new(value::Terms { object: *o, masked, both: None })))
            }
            (
                Binary::Or,
                Terms(_) | Part(_, _, 0) | Complement(..),
                Terms(_) | Part(_, _, 0) | Complement(..),
            ) if width == 8 => {
                let (mut x, y) = (value::Terms::of(a)?, value::Terms::of(b)?);
                if x.object != y.object || x.both.is_some() && y.both.is_some() {
                    return None;
                }
                x.masked.extend(y.masked);
                x.both = x.both.or(y.both);
                Some(Terms(Rc::new(x)))
            }
            (Binary::Below, Pointer(o, at), Number(n)) if self.is_count(*o) => {
                let question =
                    Question { object: *o, offset: *at, low: 0, width, is: *n as u64, below: true };
                Some(self.question(question))
            }
            // A count is above a number unless it is below the next one.
            (Binary::Below, Number(n), Pointer(o, at)) if self.is_count(*o) && *n < mask(width) => {
                let next = *n as u64 + 1;
                let question = Question { object: *o, offset: *at, low: 0, width, is: next, below: true };
                let Bits(below) = self.question(question) else { return None };
                Some(Bits([below[0] ^ ONE].into()))
            }
            (Binary::Less, Pointer(o, at), Number(n)) if width == self.width_of(*o) => {
                self.is_less(*o, *at, signed(width, *n))
            }
            (Binary::Less, Number(n), Pointer(o, at)) if width == self.width_of(*o) => {
                match self.is_less(*o, *at, signed(width, *n) + 1)? {
                    Number(less) => Some(Number(less ^ 1)),
                    Bits(less) => Some(Bits([less[0] ^ ONE].into())),
                    _ => None,
                }
            }
            // The lowest byte of an address.
            (Binary::Add, Part(o, at, 0), Number(n)) | (Binary::Add, Number(n), Part(o, at, 0)) => {
                Some(self.part(*o, at.wrapping_add(signed(width, *n) as i64), 0))
            }
            (Binary::Subtract, Part(o, at, 0), Number(n)) => {
                Some(self.part(*o, at.wrapping_sub(signed(width, *n) as i64), 0))
            }
            (Binary::Add, Extended(..) | Wide(_), _) | (Binary::Add, _, Extended(..) | Wide(_)) => {
                Some(Wide(value::Wide::of(a)?.plus(value::Wide::of(b)?)?))
            }
            (Binary::And, Pointer(..) | Part(..) | Complement(..), Number(n)) if *n == mask(width) => {
                Some(a.clone())
            }
            (Binary::And, Number(n), Pointer(..) | Part(..) | Complement(..)) if *n == mask(width) => {
                Some(b.clone())
            }
            (Binary::Xor | Binary::Subtract, _, _) if a.same(b) => Some(Number(0)),
            (Binary::And | Binary::Or, _, _) if a.same(b) => Some(a.clone()),
            (Binary::And | Binary::Multiply, Number(0), _)
            | (Binary::And | Binary::Multiply, _, Number(0)) => Some(Number(0)),
            (Binary::Or | Binary::Xor | Binary::Add, Number(0), _) => Some(b.clone()),
            (Binary::Or | Binary::Xor | Binary::Add | Binary::Subtract, _, Number(0)) => Some(a.clone()),
            _ => None,
        }
    }

    /// The answer to the question if a number of blocks with an offset is less than a number, both with their signs. Memory
    /// has room for less than a sixteenth of 2^width blocks, so small numbers added to theirs leave the sign as it is.
    pub(super) fn is_less(&mut self, object: ObjectId, at: i64, number: i128) -> Option<Value> {
        let width = self.width_of(object);
        let is_small = |n: i128| n.unsigned_abs() < 1 << (width - 2);
        if !self.is_count(object) || !is_small(at.into()) || !is_small(number) {
            return None;
        }
        // `left` is less than this one, which may be negative.
        match u64::try_from(number - i128::from(at)) {
            Ok(0) | Err(_) => Some(Value::Number(0)),
            Ok(is) => Some(self.question(Question { object, offset: 0, low: 0, width, is, below: true })),
        }
    }

    /// Bits of an address or of a number of blocks, from one on; the sign of a number of blocks is a question about it.
    pub(crate) fn bits_of_address(&mut self, object: ObjectId, at: i64, low: u8, count: u8) -> Value {
        let is_sign = count == 1 && low + 1 == self.width_of(object);
        let sign = if is_sign { self.is_less(object, at, 0) } else { None };
        sign.unwrap_or(Value::Part(object, at, low))
    }

    pub(crate) fn complement(&self, object: ObjectId, offset: i64) -> Value {
        match self.pointer(object, offset) {
            Value::Pointer(o, at) => Value::NotPointer(o, at),
            other => other,
        }
    }

    pub(crate) fn part(&self, object: ObjectId, offset: i64, low: u8) -> Value {
        match self.pointer(object, offset) {
            Value::Pointer(o, at) => Value::Part(o, at, low),
            other => other,
        }
    }

    pub(crate) fn pointer(&self, object: ObjectId, offset: i64) -> Value {
        // Offsets are modulo 2^width, read as signed numbers.
        let width = self.width_of(object);
        Value::Pointer(
            object,
            if width >= 64 { offset } else { signed(width, offset as u128 & mask(width)) as i64 },
        )
    }

    pub(crate) fn question(&mut self, question: Question) -> Value {
        if let Some((bit, _)) = self.questions.iter().find(|(_, q)| *q == question) {
            return Value::Bits([*bit].into());
        }
        let bit = self.bits.atom(false);
        self.questions.push((bit, question));
        Value::Bits([bit].into())
    }

    /// The question about the number of blocks that a bit or its complement asks, as it reads after `blocks` more
    /// blocks. `None` for other bits.
    pub(crate) fn question_later(&mut self, bit: Bit, blocks: i64) -> Option<Bit> {
        let found = self.questions.iter().find(|(b, _)| *b == bit & !ONE).map(|(_, q)| *q);
        if let Some(question) = found {
            let later = Question { offset: question.offset + blocks, ..question };
            let Value::Bits(later) = self.question(later) else { return None };
            return Some(later[0] ^ (bit & ONE));
        }
        let (a, b) = self.bits.gate_of(bit)?;
        let (a, b) = (self.question_later(a, blocks)?, self.question_later(b, blocks)?);
        Some(self.bits.and(a, b) ^ (bit & ONE))
    }

    /// True if both offsets lie within a buffer or at its end, so that their addresses are in the same order.
    pub(crate) fn is_ordered(&self, object: ObjectId, a: i64, b: i64) -> bool {
        let object = &self.memory.objects[usize::from(object)];
        let own = (object.cells.len() - usize::from(object.beside)) as i64;
        let known = match object.role {
            // The proof has room for more stack than there may be: it is there from where the code has written.
            Role::Stack => {
                let known = |cell: &Option<_>| cell.is_some();
                let first = object.cells.iter().position(known);
                let last = object.cells.iter().rposition(known);
                first.zip(last).map(|(first, last)| (first as i64, last as i64 + 1))
            }
            // A message may be shorter than the cells that the proof has for it.
            Role::Input | Role::Output => Some((0, own.min(self.memory.limit))),
            _ => Some((0, own)),
        };
        let within =
            |at: i64| known.is_some_and(|(first, end)| object.low + first <= at && at <= object.low + end);
        !object.cells.is_empty() && within(a) && within(b)
    }

    /// The power of two to which a mask rounds an address in memory down, if the start of its object is a multiple of
    /// it.
    fn rounds(&self, object: ObjectId, width: u8, by: u128) -> Option<u8> {
        let to = 1u8.checked_shl(by.trailing_zeros())?;
        let rounds = by == mask(width) & !u128::from(to - 1) && to > 1 && to <= self.memory.start(object);
        (rounds && !self.memory.objects[usize::from(object)].cells.is_empty()).then_some(to)
    }

    /// Refuses to round an address in memory down further than the known alignment of its object.
    pub(crate) fn rounds_within(&self, object: ObjectId, width: u8, by: u128) -> Result<(), String> {
        let of = &self.memory.objects[usize::from(object)];
        let (zeros, start) = (by.trailing_zeros(), self.memory.start(object));
        let rounds = zeros > 0 && zeros < u32::from(width) && by == mask(width) & u128::MAX << zeros;
        if !rounds || of.cells.is_empty() || 1u128 << zeros <= u128::from(start) {
            return Ok(());
        }
        Err(format!(
            "an address of {} is rounded down to a multiple of {}, and {} lies at multiples of {start} only",
            of.role.name(),
            1u128 << zeros,
            if of.role == Role::Stack { "the stack pointer" } else { "a buffer" }
        ))
    }

    pub(crate) fn is_count(&self, object: ObjectId) -> bool {
        self.memory.objects[object as usize].role == Role::Count
    }
}
