//! The domain of symbols: numbers, bits, and pointers into buffers whose address nobody knows.

use std::rc::Rc;

use aesmith_isa::image::Image;
use aesmith_isa::values::{Binary, ByteFunction, Shift, Space, Values};

use crate::bits::{Bit, Bits, ONE, ZERO};
use crate::memory::{Memory, ObjectId, Role};

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
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
    /// Anything, and whether it depends on a secret. Refused where it matters.
    Unknown(bool),
}

/// See [`Value::Wide`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wide {
    plus: Option<(ObjectId, i64)>,
    complement: Option<(ObjectId, i64)>,
    number: u64,
}

impl Wide {
    fn of(value: &Value) -> Option<Wide> {
        let (plus, complement, number) = match value {
            Value::Wide(wide) => return Some(*wide),
            Value::Extended(o, at) => (Some((*o, *at)), None, 0),
            Value::Number(n) => (None, None, *n),
            _ => return None,
        };
        Some(Wide { plus, complement, number })
    }

    /// With another; nothing if two are plain, or two complemented.
    fn plus(self, other: Wide) -> Option<Wide> {
        let clash = self.plus.is_some() && other.plus.is_some()
            || self.complement.is_some() && other.complement.is_some();
        (!clash).then(|| Wide {
            plus: self.plus.or(other.plus),
            complement: self.complement.or(other.complement),
            number: self.number.wrapping_add(other.number),
        })
    }

    /// How much more than 2^w a difference within one object is.
    fn difference(self) -> Option<i64> {
        let ((o, at), (p, from)) = (self.plus?, self.complement?);
        (o == p).then(|| at.wrapping_sub(from).wrapping_sub(1).wrapping_add(self.number as i64))
    }
}

/// Terms over the lowest byte of one object's address: how byte-wise machines define their carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    object: ObjectId,
    /// (base + offset) & number; with `true`, the complement of the sum.
    masked: Vec<(bool, i64, u8)>,
    /// (base + first) & ~(base + second).
    both: Option<(i64, i64)>,
}

impl Terms {
    fn of(value: &Value) -> Option<Terms> {
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
    fn carry(&self) -> Option<Value> {
        let (p, q) = self.both?;
        let [a, b] = self.masked.as_slice() else { return None };
        let (up, down) = if a.0 { (b, a) } else { (a, b) };
        let s = up.2;
        let whole = !up.0 && down.0 && down.2 == s && alike(up.1, p) && alike(down.1, q);
        (whole && alike(q, p + i64::from(s))).then_some(Value::Carry(self.object, p, s))
    }
}

/// Whether two offsets have the same lowest byte.
fn alike(a: i64, b: i64) -> bool {
    (a ^ b) & 0xff == 0
}

/// Why execution stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Something is wrong.
    Sentence(String),
    /// Control hangs on a bit that is not known.
    Fork(Bit),
}

impl From<String> for Trouble {
    fn from(sentence: String) -> Trouble {
        Trouble::Sentence(sentence)
    }
}

/// Something that a secret decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Hangs {
    /// The address of a load.
    Address,
    /// A shift's count.
    Count,
}

/// The domain.
pub struct Symbols<'a> {
    /// All bits.
    pub bits: Bits,
    /// Memory.
    pub memory: Memory<'a>,
    /// What the next decisions on a bit are.
    pub decided: Vec<(Bit, bool)>,
    /// Whether stores are refused: in a branch that a secret chose.
    pub still: bool,
    /// The address of the instruction being executed.
    pub pc: u64,
    /// Where secrets decide something.
    pub hangs: Vec<(u64, Hangs)>,
    /// Comparisons of unknown public numbers, by the bit that stands for the outcome.
    pub questions: Vec<(Bit, Question)>,
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

fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

fn signed(width: u8, a: u64) -> i64 {
    (a << (64 - width)) as i64 >> (64 - width)
}

fn numbers(op: Binary, width: u8, a: u64, b: u64) -> u64 {
    mask(width)
        & match op {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide => a.checked_div(b).unwrap_or(u64::MAX),
            Binary::Remainder => a.checked_rem(b).unwrap_or(a),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Equal => u64::from(a == b),
            Binary::Below => u64::from(a < b),
            Binary::Less => u64::from(signed(width, a) < signed(width, b)),
        }
}

impl<'a> Symbols<'a> {
    /// No buffers yet.
    pub fn new(image: &'a Image, data: u64) -> Symbols<'a> {
        Symbols {
            bits: Bits::new(),
            memory: Memory::new(image, data),
            decided: Vec::new(),
            still: false,
            pc: 0,
            hangs: Vec::new(),
            questions: Vec::new(),
        }
    }

    /// Bits as a value.
    pub fn value(&self, bits: Vec<Bit>) -> Value {
        if bits.iter().all(|&b| b <= ONE) {
            return Value::Number(bits.iter().rev().fold(0, |n, &b| n << 1 | u64::from(b)));
        }
        if bits.iter().all(|&b| Bits::is_opaque(b)) {
            return Value::Unknown(bits.iter().any(|&b| self.bits.is_secret(b)));
        }
        Value::Bits(bits.into())
    }

    /// A value's bits, if it has any.
    pub fn bits_of(&self, width: u8, value: &Value) -> Option<Rc<[Bit]>> {
        match value {
            Value::Number(n) => Some((0..width).map(|i| (*n >> i & 1) as Bit).collect()),
            Value::Bits(bits) => {
                debug_assert_eq!(bits.len(), usize::from(width));
                Some(Rc::clone(bits))
            }
            Value::Unknown(secret) => Some(vec![Bits::opaque(*secret); usize::from(width)].into()),
            _ => None,
        }
    }

    /// Whether a value depends on a secret.
    pub fn is_secret(&self, value: &Value) -> bool {
        match value {
            Value::Bits(bits) => bits.iter().any(|&b| self.bits.is_secret(b)),
            Value::Unknown(secret) => *secret,
            Value::Joined(parts) => parts.iter().any(|(_, part)| self.is_secret(part)),
            _ => false,
        }
    }

    fn unknown(&self, of: &[&Value]) -> Value {
        Value::Unknown(of.iter().any(|v| self.is_secret(v)))
    }

    fn width_of(&self, object: ObjectId) -> u8 {
        self.memory.objects[object as usize].width
    }

    fn pointer(&self, object: ObjectId, offset: i64) -> Value {
        // Offsets are modulo the width, read as signed numbers.
        let width = self.width_of(object);
        Value::Pointer(object, if width >= 64 { offset } else { signed(width, offset as u64 & mask(width)) })
    }

    fn question(&mut self, question: Question) -> Value {
        if let Some((bit, _)) = self.questions.iter().find(|(_, q)| *q == question) {
            return Value::Bits([*bit].into());
        }
        let bit = self.bits.atom(false);
        self.questions.push((bit, question));
        Value::Bits([bit].into())
    }

    /// A bit that asks about the number of blocks, or its complement, as it is asked when so many
    /// more of them are done; nothing for other bits.
    pub fn question_later(&mut self, bit: Bit, blocks: i64) -> Option<Bit> {
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

    fn is_count(&self, object: ObjectId) -> bool {
        self.memory.objects[object as usize].role == Role::Count
    }

    /// Sums, differences and comparisons with addresses.
    fn addresses(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Option<Value> {
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
                Some(Number(at.wrapping_sub(*from).wrapping_sub(1) as u64 & mask(width)))
            }
            (Binary::Subtract, Pointer(o, at), Pointer(p, from)) if o == p => {
                Some(Number(at.wrapping_sub(*from) as u64 & mask(width)))
            }
            (Binary::Equal, Pointer(o, at), Pointer(p, from)) if o == p => {
                Some(Number(u64::from(at == from)))
            }
            // Objects do not wrap around the end of memory.
            (Binary::Below, Pointer(o, at), Pointer(p, from)) if o == p && !self.is_count(*o) => {
                Some(Number(u64::from(at < from)))
            }
            (Binary::Equal, Pointer(o, at), Number(n)) | (Binary::Equal, Number(n), Pointer(o, at))
                if self.is_count(*o) =>
            {
                let question = Question { object: *o, offset: *at, low: 0, width, is: *n, below: false };
                Some(self.question(question))
            }
            (Binary::Equal, Part(o, at, low), Number(n)) | (Binary::Equal, Number(n), Part(o, at, low))
                if self.is_count(*o) =>
            {
                let question = Question { object: *o, offset: *at, low: *low, width, is: *n, below: false };
                Some(self.question(question))
            }
            // Two bytes of one address, and the second without what the first borrows.
            (Binary::Subtract, Part(o, at, low), Part(p, from, other))
                if o == p && low == other && at & (1 << low) - 1 == from & (1 << low) - 1 =>
            {
                Some(Number((at.wrapping_sub(*from) >> low) as u64 & mask(width)))
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
            // What carries are made of.
            (Binary::And, Part(o, p, 0), Complement(other, q))
            | (Binary::And, Complement(other, q), Part(o, p, 0))
                if o == other && width == 8 =>
            {
                Some(if alike(*p, *q) {
                    Number(0)
                } else {
                    Terms(Rc::new(self::Terms { object: *o, masked: Vec::new(), both: Some((*p, *q)) }))
                })
            }
            (Binary::And, Part(o, at, 0), Number(n)) | (Binary::And, Number(n), Part(o, at, 0))
                if width == 8 && *n != 0 && *n != 255 =>
            {
                let masked = vec![(false, *at, *n as u8)];
                Some(Terms(Rc::new(self::Terms { object: *o, masked, both: None })))
            }
            (Binary::And, Complement(o, at), Number(n)) | (Binary::And, Number(n), Complement(o, at))
                if *n != 0 && *n != 255 =>
            {
                let masked = vec![(true, *at, *n as u8)];
                Some(Terms(Rc::new(self::Terms { object: *o, masked, both: None })))
            }
            (
                Binary::Or,
                Terms(_) | Part(_, _, 0) | Complement(..),
                Terms(_) | Part(_, _, 0) | Complement(..),
            ) if width == 8 => {
                let (mut x, y) = (self::Terms::of(a)?, self::Terms::of(b)?);
                if x.object != y.object || x.both.is_some() && y.both.is_some() {
                    return None;
                }
                x.masked.extend(y.masked);
                x.both = x.both.or(y.both);
                Some(Terms(Rc::new(x)))
            }
            (Binary::Below, Pointer(o, at), Number(n)) if self.is_count(*o) => {
                let question = Question { object: *o, offset: *at, low: 0, width, is: *n, below: true };
                Some(self.question(question))
            }
            // Lowest byte of an address.
            (Binary::Add, Part(o, at, 0), Number(n)) | (Binary::Add, Number(n), Part(o, at, 0)) => {
                Some(self.part(*o, at.wrapping_add(signed(width, *n)), 0))
            }
            (Binary::Subtract, Part(o, at, 0), Number(n)) => {
                Some(self.part(*o, at.wrapping_sub(signed(width, *n)), 0))
            }
            (Binary::Add, Extended(..) | Wide(_), _) | (Binary::Add, _, Extended(..) | Wide(_)) => {
                Some(Wide(self::Wide::of(a)?.plus(self::Wide::of(b)?)?))
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

    fn complement(&self, object: ObjectId, offset: i64) -> Value {
        match self.pointer(object, offset) {
            Value::Pointer(o, at) => Value::NotPointer(o, at),
            other => other,
        }
    }

    fn part(&self, object: ObjectId, offset: i64, low: u8) -> Value {
        match self.pointer(object, offset) {
            Value::Pointer(o, at) => Value::Part(o, at, low),
            other => other,
        }
    }

    /// Bits of a sum.
    fn sum(&mut self, op: Binary, a: &[Bit], b: &[Bit]) -> Value {
        if a == b && !a.iter().any(|&bit| Bits::is_opaque(bit)) {
            return match op {
                Binary::Add => {
                    let doubled = std::iter::once(ZERO).chain(a[..a.len() - 1].iter().copied());
                    self.value(doubled.collect())
                }
                _ => Value::Number(0),
            };
        }
        let (sum, _) = self.bits.add(a, b, ZERO, op == Binary::Subtract);
        self.value(sum)
    }

    fn compare(&mut self, op: Binary, a: &[Bit], b: &[Bit]) -> Value {
        let bits = match op {
            Binary::Equal => {
                let different: Vec<Bit> = a.iter().zip(b).map(|(&x, &y)| self.bits.xor(x, y)).collect();
                if different.contains(&ONE) {
                    return Value::Number(0);
                }
                let open: Vec<Bit> = different.into_iter().filter(|&d| d != ZERO).collect();
                let public = open.iter().all(|&d| !self.bits.is_secret(d));
                match open.as_slice() {
                    [] => return Value::Number(1),
                    [one] => vec![one ^ 1],
                    many if public && many.len() <= 16 => {
                        let all = many.iter().fold(ONE, |all, &d| self.bits.and(all, d ^ 1));
                        vec![all]
                    }
                    // Zero flags of secrets: nobody asks as a rule.
                    many => vec![Bits::opaque(many.iter().any(|&d| self.bits.is_secret(d)))],
                }
            }
            _ => {
                let (mut a, mut b) = (a.to_vec(), b.to_vec());
                if op == Binary::Less
                    && let (Some(x), Some(y)) = (a.last_mut(), b.last_mut())
                {
                    *x ^= 1;
                    *y ^= 1;
                }
                vec![self.bits.add(&a, &b, ZERO, true).1]
            }
        };
        self.value(bits)
    }

    fn product(&mut self, width: u8, a: &Value, b: &Value) -> Value {
        let (bits, by) = match (a, b) {
            (Value::Bits(bits), Value::Number(n)) | (Value::Number(n), Value::Bits(bits)) => (bits, *n),
            _ => return self.unknown(&[a, b]),
        };
        let mut sum = vec![ZERO; usize::from(width)];
        for k in (0..width).filter(|k| by >> k & 1 == 1) {
            let k = usize::from(k);
            let shifted: Vec<Bit> =
                std::iter::repeat_n(ZERO, k).chain(bits[..bits.len() - k].iter().copied()).collect();
            sum = self.bits.add(&sum, &shifted, ZERO, false).0;
        }
        self.value(sum)
    }

    /// Settles a bit that control hangs on.
    fn decide_bit(&mut self, bit: Bit) -> Result<bool, Trouble> {
        let bit = self.bits.settle(bit).unwrap_or(bit);
        if bit <= ONE {
            return Ok(bit == ONE);
        }
        if let Some(&(_, outcome)) = self.decided.iter().find(|(b, _)| *b == bit) {
            return Ok(outcome);
        }
        if let Some(&(_, outcome)) = self.decided.iter().find(|(b, _)| *b == bit ^ 1) {
            return Ok(!outcome);
        }
        if Bits::is_opaque(bit) {
            let kind = if self.bits.is_secret(bit) { "a secret" } else { "something unknown" };
            return Err(format!("control hangs on {kind} that the proof cannot tell").into());
        }
        Err(Trouble::Fork(bit))
    }

    fn load_bits(&mut self, space: Space, bytes: u8, bits: &[Bit]) -> Result<Value, Trouble> {
        if bits.iter().any(|&b| self.bits.is_secret(b)) {
            self.hangs.push((self.pc, Hangs::Address));
        }
        let data = if space == Space::Data { self.memory.data } else { 0 };
        let memory = &mut self.memory;
        let found = self
            .bits
            .look_up(bits, bytes, space == Space::Program, |at| memory.constant(at + data, bytes))?;
        match found {
            Some(loaded) => Ok(self.value(loaded)),
            None => Err("memory is read at an address that more than eight bits decide".to_owned().into()),
        }
    }

    /// A value that was stored, of so many bytes, from cells.
    fn assembled(&mut self, object: ObjectId, offset: i64, bytes: u8) -> Result<Value, Trouble> {
        let cells = self.memory.load(object, offset, bytes)?.to_vec();
        let cells: Vec<_> = cells.into_iter().flatten().collect();
        // Stored and loaded as one.
        if let Some(first) = cells.first()
            && first.bytes == bytes
            && cells
                .iter()
                .enumerate()
                .all(|(i, c)| usize::from(c.at) == i && c.bytes == bytes && c.value.same(&first.value))
        {
            return Ok(first.value.clone());
        }
        let mut whole: Option<Value> = None;
        for (i, cell) in cells.iter().enumerate() {
            let byte = self.slice(8 * cell.bytes, &cell.value, 8 * cell.at, 8)?;
            whole = Some(match whole {
                None => byte,
                Some(low) => self.join((8, &byte), (8 * i as u8, &low))?,
            });
        }
        whole.ok_or_else(|| "no bytes are read".to_owned().into())
    }
}

/// The byte that a cell holds.
pub fn byte_of(domain: &mut Symbols, cell: &crate::memory::Cell) -> Option<Value> {
    domain.slice(8 * cell.bytes, &cell.value, 8 * cell.at, 8).ok()
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
            _ => false,
        }
    }
}

impl Values for Symbols<'_> {
    type V = Value;
    type Error = Trouble;

    fn constant(&mut self, _: u8, value: u64) -> Value {
        Value::Number(value)
    }

    fn binary(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Result<Value, Trouble> {
        if let (Value::Number(a), Value::Number(b)) = (a, b) {
            return Ok(Value::Number(numbers(op, width, *a, *b)));
        }
        // One value combined with itself, whatever it is.
        if let (Value::Bits(x), Value::Bits(y)) = (a, b)
            && Rc::ptr_eq(x, y)
        {
            match op {
                Binary::Xor | Binary::Subtract => return Ok(Value::Number(0)),
                Binary::And | Binary::Or => return Ok(a.clone()),
                _ => {}
            }
        }
        let (Some(x), Some(y)) = (self.bits_of(width, a), self.bits_of(width, b)) else {
            return Ok(self.addresses(op, width, a, b).unwrap_or_else(|| self.unknown(&[a, b])));
        };
        let bits = &mut self.bits;
        let each: Vec<Bit> = match op {
            Binary::And => x.iter().zip(y.iter()).map(|(&x, &y)| bits.and(x, y)).collect(),
            Binary::Or => x.iter().zip(y.iter()).map(|(&x, &y)| bits.or(x, y)).collect(),
            Binary::Xor => x.iter().zip(y.iter()).map(|(&x, &y)| bits.xor(x, y)).collect(),
            Binary::Add | Binary::Subtract => return Ok(self.sum(op, &x, &y)),
            Binary::Multiply => return Ok(self.product(width, a, b)),
            Binary::Equal | Binary::Below | Binary::Less => return Ok(self.compare(op, &x, &y)),
            Binary::Divide | Binary::Remainder => return Ok(self.unknown(&[a, b])),
        };
        Ok(self.value(each))
    }

    fn shift(&mut self, op: Shift, width: u8, a: &Value, _: u8, count: &Value) -> Result<Value, Trouble> {
        let Value::Number(count) = count else {
            if self.is_secret(count) {
                self.hangs.push((self.pc, Hangs::Count));
            }
            return Ok(self.unknown(&[a, count]));
        };
        if *count == 0 {
            return Ok(a.clone());
        }
        let (wide, n) = (usize::from(width), (*count).min(u64::from(width)) as usize);
        if let Value::Number(value) = a {
            return Ok(Value::Number(match op {
                Shift::Left => mask(width) & value.checked_shl(n as u32).unwrap_or(0),
                Shift::Right => value.checked_shr(n as u32).unwrap_or(0),
                Shift::Arithmetic => mask(width) & (signed(width, *value) >> n.min(63)) as u64,
                Shift::Rotate => match (*count % u64::from(width)) as u32 {
                    0 => *value,
                    n => mask(width) & (value >> n | value << (u32::from(width) - n)),
                },
            }));
        }
        let Some(bits) = self.bits_of(width, a) else { return Ok(self.unknown(&[a])) };
        let moved = match op {
            Shift::Left => std::iter::repeat_n(ZERO, n).chain(bits[..wide - n].iter().copied()).collect(),
            Shift::Right => bits[n..].iter().copied().chain(std::iter::repeat_n(ZERO, n)).collect(),
            Shift::Arithmetic => {
                let sign = bits[wide - 1];
                bits[n..].iter().copied().chain(std::iter::repeat_n(sign, n)).collect()
            }
            Shift::Rotate => {
                let n = (*count % u64::from(width)) as usize;
                bits[n..].iter().chain(&bits[..n]).copied().collect()
            }
        };
        Ok(self.value(moved))
    }

    fn not(&mut self, width: u8, a: &Value) -> Result<Value, Trouble> {
        Ok(match a {
            Value::Number(n) => Value::Number(!n & mask(width)),
            Value::Bits(bits) => Value::Bits(bits.iter().map(|b| b ^ 1).collect()),
            Value::Part(o, at, 0) if width == 8 => Value::Complement(*o, *at),
            Value::Complement(o, at) => Value::Part(*o, *at, 0),
            Value::Pointer(o, at) if width > 1 && width == self.width_of(*o) => Value::NotPointer(*o, *at),
            Value::NotPointer(o, at) => Value::Pointer(*o, *at),
            other => self.unknown(&[other]),
        })
    }

    fn slice(&mut self, width: u8, a: &Value, low: u8, count: u8) -> Result<Value, Trouble> {
        Ok(match a {
            Value::Number(n) => Value::Number(n >> low & mask(count)),
            Value::Bits(bits) => self.value(bits[usize::from(low)..usize::from(low + count)].to_vec()),
            whole if low == 0 && count == width => whole.clone(),
            Value::Pointer(o, at) => Value::Part(*o, *at, low),
            Value::Part(o, at, from) => Value::Part(*o, *at, from + low),
            Value::Terms(terms) if (low, count) == (7, 1) => terms.carry().unwrap_or(Value::Unknown(false)),
            Value::Wide(wide) => {
                let object = wide.plus.or(wide.complement).map_or(0, |(o, _)| self.width_of(o));
                match (wide.difference(), wide.plus, wide.complement) {
                    (Some(d), ..) if low < object => {
                        Value::Number((d as u64 & mask(object)) >> low & mask(count))
                    }
                    (Some(d), ..) => Value::Number(u64::from(d >= 0)),
                    (None, Some((o, at)), None) if (low, count) == (0, object) => {
                        self.pointer(o, at.wrapping_add(wide.number as i64))
                    }
                    (None, None, Some((o, at))) if (low, count) == (0, object) => {
                        self.complement(o, at.wrapping_sub(wide.number as i64))
                    }
                    _ => Value::Unknown(false),
                }
            }
            Value::Joined(parts) => {
                let mut at = 0;
                for (bits, part) in parts.iter() {
                    if at <= low && low + count <= at + bits {
                        return self.slice(*bits, &part.clone(), low - at, count);
                    }
                    at += bits;
                }
                self.unknown(&[a])
            }
            other => self.unknown(&[other]),
        })
    }

    fn join(&mut self, high: (u8, &Value), low: (u8, &Value)) -> Result<Value, Trouble> {
        match (high.1, low.1) {
            (Value::Number(h), Value::Number(l)) => return Ok(Value::Number(h << low.0 | l)),
            (Value::Part(o, at, from), Value::Part(p, other, start))
                if o == p && *from == start + low.0 && (at ^ other) & ((1 << from) - 1) == 0 =>
            {
                return Ok(if *start == 0 && high.0 + low.0 == self.width_of(*o) {
                    Value::Pointer(*o, *at)
                } else {
                    Value::Part(*o, *at, *start)
                });
            }
            _ => {}
        }
        let (Some(h), Some(l)) = (self.bits_of(high.0, high.1), self.bits_of(low.0, low.1)) else {
            return Ok(Value::Joined([(low.0, low.1.clone()), (high.0, high.1.clone())].into()));
        };
        Ok(self.value(l.iter().chain(h.iter()).copied().collect()))
    }

    fn extend(&mut self, sign: bool, from: u8, to: u8, a: &Value) -> Result<Value, Trouble> {
        Ok(match a {
            Value::Number(n) if sign => Value::Number(signed(from, *n) as u64 & mask(to)),
            Value::Bits(bits) => {
                let fill = if sign { bits[bits.len() - 1] } else { ZERO };
                let more = std::iter::repeat_n(fill, usize::from(to - from));
                self.value(bits.iter().copied().chain(more).collect())
            }
            whole if from == to => whole.clone(),
            Value::Number(n) => Value::Number(*n),
            Value::Pointer(o, at) if !sign && from > 1 && from == self.width_of(*o) => {
                Value::Extended(*o, *at)
            }
            Value::NotPointer(o, at) if !sign && from > 1 => {
                Value::Wide(Wide { plus: None, complement: Some((*o, *at)), number: 0 })
            }
            Value::Carry(o, at, by) if !sign => Value::WideCarry(*o, *at, *by),
            other => {
                let unknown = Bits::opaque(self.is_secret(other));
                let fill = if sign { unknown } else { ZERO };
                let known = std::iter::repeat_n(unknown, usize::from(from));
                self.value(known.chain(std::iter::repeat_n(fill, usize::from(to - from))).collect())
            }
        })
    }

    fn select(&mut self, width: u8, condition: &Value, yes: &Value, no: &Value) -> Result<Value, Trouble> {
        if yes.same(no) {
            return Ok(yes.clone());
        }
        match condition {
            Value::Number(0) => return Ok(no.clone()),
            Value::Number(_) => return Ok(yes.clone()),
            Value::Bits(bit) => {
                if let (Some(y), Some(n)) = (self.bits_of(width, yes), self.bits_of(width, no)) {
                    let chosen =
                        y.iter().zip(n.iter()).map(|(&y, &n)| self.bits.select(bit[0], y, n)).collect();
                    return Ok(self.value(chosen));
                }
            }
            _ => {}
        }
        Ok(self.unknown(&[condition, yes, no]))
    }

    fn function(&mut self, f: ByteFunction, a: &Value) -> Result<Value, Trouble> {
        let Some(x) = self.bits_of(8, a) else { return Ok(self.unknown(&[a])) };
        let mut x: [Bit; 8] = std::array::from_fn(|i| x[i]);
        let image = match f {
            ByteFunction::Sbox => self.bits.sbox(x, false),
            ByteFunction::InverseSbox => self.bits.sbox(x, true),
            ByteFunction::Times(by) => {
                let mut product = [ZERO; 8];
                for k in 0..8 {
                    if by >> k & 1 == 1 {
                        product = std::array::from_fn(|i| self.bits.xor(product[i], x[i]));
                    }
                    x = crate::cipher::xtime(&mut self.bits, x);
                }
                Some(product)
            }
        };
        Ok(match image {
            Some(bits) => self.value(bits.to_vec()),
            None => self.unknown(&[a]),
        })
    }

    fn load(&mut self, space: Space, bytes: u8, width: u8, address: &Value) -> Result<Value, Trouble> {
        match address {
            Value::Number(at) => {
                let at = if space == Space::Data { at + self.memory.data } else { *at };
                Ok(Value::Number(self.memory.constant(at, bytes)?))
            }
            Value::Bits(bits) => self.load_bits(space, bytes, &Rc::clone(bits)),
            Value::Pointer(o, at) | Value::Extended(o, at)
                if space == Space::Data && width >= self.width_of(*o) =>
            {
                self.assembled(*o, *at, bytes)
            }
            _ => Err("memory is read at an address that is not known".to_owned().into()),
        }
    }

    fn store(&mut self, bytes: u8, width: u8, address: &Value, value: &Value) -> Result<(), Trouble> {
        if self.still {
            return Err("memory is written where a secret decides whether".to_owned().into());
        }
        match address {
            Value::Pointer(o, at) | Value::Extended(o, at) if width >= self.width_of(*o) => {
                Ok(self.memory.store(*o, *at, bytes, value)?)
            }
            Value::Number(at) => {
                let at = at + self.memory.data;
                Err(format!("{bytes} bytes are written at {at:#x}, which is in no declared buffer").into())
            }
            Value::Bits(_) => Err("memory is written at an address that data decides".to_owned().into()),
            _ => Err("memory is written at an address that is not known".to_owned().into()),
        }
    }

    fn decide(&mut self, condition: &Value) -> Result<bool, Trouble> {
        match condition {
            Value::Number(n) => Ok(*n != 0),
            Value::Bits(bits) => self.decide_bit(bits[0]),
            other => {
                let kind = if self.is_secret(other) { "a secret" } else { "something unknown" };
                Err(format!("control hangs on {kind} that the proof cannot tell").into())
            }
        }
    }

    fn number(&mut self, _: u8, a: &Value) -> Result<u64, Trouble> {
        match a {
            Value::Number(n) => Ok(*n),
            _ => Err("control goes to an address that is not a number".to_owned().into()),
        }
    }
}
