//! The symbolic domain: numbers, bits, and pointers into buffers at unknown addresses.

use std::collections::BTreeSet;
use std::rc::Rc;

use aesmith_isa::Description;
use aesmith_isa::assemble::Part;
use aesmith_isa::image::Image;
use aesmith_isa::numbers::{binary, mask, signed};
use aesmith_isa::values::{Binary, ByteFunction, Shift, Space, Values};

use crate::bits::forks::ControlDependence;
use crate::bits::forms::{Bit, Bits, ONE, ZERO};
use crate::bits::memory::{Memory, ObjectId, Role};
use crate::bits::value::{Question, Value, Wide, agree_below};
use rustc_hash::FxHashMap;

/// The reason why execution stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The code is wrong or cannot be followed, as this sentence says.
    Sentence(String),
    /// Control depends on a bit that is not known.
    Fork(Bit),
}

impl From<String> for Trouble {
    fn from(sentence: String) -> Trouble {
        Trouble::Sentence(sentence)
    }
}

/// The refusal of an access to shared memory.
const OF_GRIDS: &str = "memory that threads share, or a launch's parameters, are accessed, and a function of one processor has none";

/// A value that a linker writes into a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Written {
    /// A part of the address at an offset in a section.
    Part(Part, ObjectId, i64),
    /// The distance of the first place from the second.
    Away((ObjectId, i64), (ObjectId, i64)),
}

/// The symbolic domain.
pub struct Symbols<'a> {
    /// All bits.
    pub bits: Bits,
    /// Memory.
    pub memory: Memory<'a>,
    /// The outcomes of the next decisions, by bit.
    pub decided: Vec<(Bit, bool)>,
    /// True while stores are refused: in a branch chosen by a secret.
    pub still: bool,
    /// The address of the instruction being executed.
    pub pc: u64,
    /// The program counter that stands for the return address.
    pub home: u64,
    /// True if the return address is known to be even, apart from what its register adds to it.
    pub returns_even: bool,
    /// True if the return address is a multiple of four.
    pub returns_by_fours: bool,
    /// The addresses and kinds of secret-dependent actions.
    pub hangs: Vec<(u64, ControlDependence)>,
    /// Comparisons of unknown public numbers, by the bit that stands for the outcome.
    pub questions: Vec<(Bit, Question)>,
    /// The addresses of multiplications of secrets. (Dividers stop early, so their operands are in `hangs`.)
    pub multiplies: BTreeSet<u64>,
    /// The objects of the program's sections, by section number; empty if the program was linked.
    pub(crate) sections: Vec<ObjectId>,
    /// The values that linkers write into instructions, by the address of the instruction: the field's index, and its
    /// value.
    pub(crate) links: FxHashMap<u64, (u8, Written)>,
    /// True if addresses of the program are taken to have 32 bits, since linkers write no more of them.
    pub(crate) low_addresses: bool,
    /// The addresses of instructions that made an unknown value of a section's address.
    pub(crate) lost: Vec<u64>,
}

impl<'a> Symbols<'a> {
    /// A domain without buffers.
    pub fn new(image: &'a Image, about: &Description) -> Symbols<'a> {
        Symbols {
            bits: Bits::new(),
            memory: Memory::new(image, about),
            decided: Vec::new(),
            still: false,
            pc: 0,
            home: u64::MAX,
            returns_even: true,
            returns_by_fours: false,
            hangs: Vec::new(),
            questions: Vec::new(),
            multiplies: BTreeSet::new(),
            sections: Vec::new(),
            low_addresses: false,
            links: FxHashMap::default(),
            lost: Vec::new(),
        }
    }

    /// The value of bits.
    pub fn value(&self, bits: Vec<Bit>) -> Value {
        if bits.iter().all(|&b| b <= ONE) {
            return Value::Number(bits.iter().rev().fold(0, |n, &b| n << 1 | u128::from(b)));
        }
        if bits.iter().all(|&b| Bits::is_opaque(b)) {
            return Value::Unknown(bits.iter().any(|&b| self.bits.is_secret(b)));
        }
        Value::Bits(bits.into())
    }

    /// The bits of a value, if it has any.
    pub fn bits_of(&self, width: u8, value: &Value) -> Option<Rc<[Bit]>> {
        match value {
            Value::Number(n) => Some((0..width).map(|i| (*n >> i & 1) as Bit).collect()),
            Value::Bits(bits) => {
                assert_eq!(bits.len(), usize::from(width));
                Some(Rc::clone(bits))
            }
            Value::Unknown(secret) => Some(vec![Bits::opaque(*secret); usize::from(width)].into()),
            _ => None,
        }
    }

    /// True if a value depends on a secret.
    pub fn is_secret(&self, value: &Value) -> bool {
        match value {
            Value::Bits(bits) => bits.iter().any(|&b| self.bits.is_secret(b)),
            Value::Unknown(secret) => *secret,
            Value::Joined(parts) => parts.iter().any(|(_, part)| self.is_secret(part)),
            Value::Sum(sum) => sum.bits.iter().flat_map(|bits| bits.iter()).any(|&b| self.bits.is_secret(b)),
            Value::Byte(byte) => byte.data.iter().any(|&b| self.bits.is_secret(b)),
            Value::Lost(_, secret) => *secret,
            _ => false,
        }
    }

    pub(crate) fn unknown(&mut self, of: &[&Value]) -> Value {
        self.lose(of)
    }

    /// The extension of a value of which only the secrecy is known.
    fn extended(&mut self, sign: bool, from: u8, to: u8, a: &Value) -> Value {
        if self.is_of_section(a) {
            return self.unknown(&[a]);
        }
        let unknown = Bits::opaque(self.is_secret(a));
        let fill = if sign { unknown } else { ZERO };
        let known = std::iter::repeat_n(unknown, usize::from(from));
        self.value(known.chain(std::iter::repeat_n(fill, usize::from(to - from))).collect())
    }

    /// True if an object is the return address.
    pub(crate) fn is_return(&self, object: ObjectId) -> bool {
        self.memory.objects[usize::from(object)].role == Role::Return
    }

    /// True for a zero below all parts of the return address, each above the one before.
    fn counts_words_of_return(&self, parts: &[(u8, Value)]) -> bool {
        let [(1, Value::Number(0)), (_, Value::Part(object, 0, 0)), ..] = parts else { return false };
        let mut at = 0;
        let follows = |(width, part): &(u8, Value)| {
            let is_next = matches!(part, Value::Part(o, 0, from) if o == object && *from == at);
            at += width;
            is_next
        };
        self.is_return(*object) && parts[1..].iter().all(follows) && at == self.width_of(*object)
    }

    pub(crate) fn width_of(&self, object: ObjectId) -> u8 {
        self.memory.objects[object as usize].width
    }

    /// Decides a bit on which control depends.
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
}

impl Values for Symbols<'_> {
    type V = Value;
    type Error = Trouble;

    fn constant(&mut self, _: u8, value: u64) -> Value {
        Value::Number(value.into())
    }

    fn binary(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Result<Value, Trouble> {
        if let (Value::Number(a), Value::Number(b)) = (a, b) {
            return Ok(Value::Number(binary(op, width, *a, *b)));
        }
        // OR makes carries of bytes from such terms; for other operations they are numbers, if their bits are known.
        if op != Binary::Or && (matches!(a, Value::Terms(_)) || matches!(b, Value::Terms(_))) {
            let (x, y) = (self.known_terms(a), self.known_terms(b));
            if x.is_some() || y.is_some() {
                return self.binary(op, width, x.as_ref().unwrap_or(a), y.as_ref().unwrap_or(b));
            }
        }
        if matches!(op, Binary::Multiply | Binary::Divide | Binary::Remainder)
            && (self.is_secret(a) || self.is_secret(b))
        {
            match op {
                Binary::Multiply => drop(self.multiplies.insert(self.pc)),
                _ => self.hangs.push((self.pc, ControlDependence::Operand)),
            }
        }
        if op == Binary::And
            && let (Value::Pointer(o, _), Value::Number(by)) | (Value::Number(by), Value::Pointer(o, _)) =
                (a, b)
        {
            self.rounds_within(*o, width, *by)?;
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
            let bytes = if width == 8 { self.of_bytes(op, a, b) } else { None };
            let known = bytes.or_else(|| self.addresses(op, width, a, b));
            let known = known.or_else(|| self.with_sections(op, width, a, b));
            let known = known.or_else(|| self.lengths(op, width, a, b));
            return Ok(known.unwrap_or_else(|| self.unknown(&[a, b])));
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

    fn shift(
        &mut self,
        op: Shift,
        width: u8,
        a: &Value,
        count_width: u8,
        count: &Value,
    ) -> Result<Value, Trouble> {
        // A rotation uses the lowest bits of its count, and those of an aligned table's address are known.
        let lowest = width.trailing_zeros() as u8;
        if op == Shift::Rotate && width.is_power_of_two() && count_width > lowest && self.is_of_section(count)
        {
            let known = self.slice(count_width, count, 0, lowest)?;
            if matches!(known, Value::Number(_)) {
                return self.shift(op, width, a, lowest, &known);
            }
        }
        let Value::Number(count) = count else {
            if self.is_secret(count) {
                self.hangs.push((self.pc, ControlDependence::Count));
            }
            return Ok(self.unknown(&[a, count]));
        };
        if *count == 0 {
            return Ok(a.clone());
        }
        let (wide, n) = (usize::from(width), (*count).min(u128::from(width)) as usize);
        if let Value::Number(value) = a {
            return Ok(Value::Number(match op {
                Shift::Left => mask(width) & value.checked_shl(n as u32).unwrap_or(0),
                Shift::Right => value.checked_shr(n as u32).unwrap_or(0),
                Shift::Arithmetic => mask(width) & (signed(width, *value) >> n.min(127)) as u128,
                Shift::Rotate => match (*count % u128::from(width)) as u32 {
                    0 => *value,
                    n => mask(width) & (value >> n | value << (u32::from(width) - n)),
                },
            }));
        }
        let Some(bits) = self.bits_of(width, a) else {
            let known = self.shifted(op, width, a, *count);
            let known = known.or_else(|| self.shifted_length(op, width, a, *count));
            return Ok(known.unwrap_or_else(|| self.unknown(&[a])));
        };
        let moved = match op {
            Shift::Left => std::iter::repeat_n(ZERO, n).chain(bits[..wide - n].iter().copied()).collect(),
            Shift::Right => bits[n..].iter().copied().chain(std::iter::repeat_n(ZERO, n)).collect(),
            Shift::Arithmetic => {
                let sign = bits[wide - 1];
                bits[n..].iter().copied().chain(std::iter::repeat_n(sign, n)).collect()
            }
            Shift::Rotate => {
                let n = (*count % u128::from(width)) as usize;
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
            other if width == 8 => self.not_lowest(other).unwrap_or_else(|| self.unknown(&[other])),
            other => self.unknown(&[other]),
        })
    }

    fn slice(&mut self, width: u8, a: &Value, low: u8, count: u8) -> Result<Value, Trouble> {
        if let Some(known) = self.slice_of_section(width, a, low, count) {
            return Ok(known);
        }
        Ok(match a {
            Value::Number(n) => Value::Number(n >> low & mask(count)),
            Value::Bits(bits) => self.value(bits[usize::from(low)..usize::from(low + count)].to_vec()),
            whole if low == 0 && count == width => whole.clone(),
            Value::Pointer(o, at) => self.bits_of_address(*o, *at, low, count),
            Value::Part(o, at, from) => self.bits_of_address(*o, *at, from + low, count),
            Value::Byte(byte) if (low, count) == (7, 1) => match byte.highest() {
                Some(bit) => bit,
                None => self.unknown(&[a]),
            },
            Value::Terms(terms) if (low, count) == (7, 1) => match terms.carry() {
                Some(carry) => carry,
                None => self.unknown(&[a]),
            },
            Value::Wide(wide) => {
                let object = wide.plus.or(wide.complement).map_or(0, |(o, _)| self.width_of(o));
                match (wide.difference(), wide.plus, wide.complement) {
                    (Some(d), ..) if low + count <= object => {
                        Value::Number((d as u128 & mask(object)) >> low & mask(count))
                    }
                    (Some(d), Some((o, at)), Some((_, from)))
                        if low == object && self.is_ordered(o, at, from) && wide.number < 2 =>
                    {
                        Value::Number(u128::from(d >= 0))
                    }
                    (None, Some((o, at)), None) if (low, count) == (0, object) => {
                        self.pointer(o, at.wrapping_add(wide.number as i64))
                    }
                    (None, None, Some((o, at))) if (low, count) == (0, object) => {
                        self.complement(o, at.wrapping_sub(wide.number as i64))
                    }
                    _ => self.unknown(&[a]),
                }
            }
            Value::Joined(parts) => {
                let (mut at, mut whole) = (0, None);
                for (bits, part) in Rc::clone(parts).iter() {
                    let (from, until) = (low.max(at), (low + count).min(at + bits));
                    if from < until {
                        let piece = self.slice(*bits, part, from - at, until - from)?;
                        whole = Some(match whole {
                            None => piece,
                            Some(below) => self.join((until - from, &piece), (from - low, &below))?,
                        });
                    }
                    at += bits;
                }
                match whole {
                    Some(whole) => whole,
                    None => self.unknown(&[a]),
                }
            }
            other => self.unknown(&[other]),
        })
    }

    fn join(&mut self, high: (u8, &Value), low: (u8, &Value)) -> Result<Value, Trouble> {
        match (high.1, low.1) {
            (Value::Number(h), Value::Number(l)) => return Ok(Value::Number(h << low.0 | l)),
            (Value::Part(o, at, from), Value::Part(p, other, start))
                if o == p && *from == start + low.0 && agree_below(*at, *other, *from) =>
            {
                return Ok(if *start == 0 && high.0 + low.0 == self.width_of(*o) {
                    Value::Pointer(*o, *at)
                } else {
                    Value::Part(*o, *at, *start)
                });
            }
            _ => {}
        }
        if let Some(whole) = self.join_sections(high, low) {
            return Ok(whole);
        }
        let (Some(h), Some(l)) = (self.bits_of(high.0, high.1), self.bits_of(low.0, low.1)) else {
            // Values that are not bits are kept side by side, the lowest first.
            let parts = |(width, value): (u8, &Value)| match value {
                Value::Joined(parts) => parts.to_vec(),
                one => vec![(width, one.clone())],
            };
            let mut all: Vec<(u8, Value)> = Vec::new();
            for (width, part) in [parts(low), parts(high)].concat() {
                // Adjacent bits are one value, however they were put together, and so are adjacent parts of an address.
                let last = all.last().cloned();
                let both = last.and_then(|(below, last)| {
                    if let Some(whole) = self.join_sections((width, &part), (below, &last)) {
                        return Some((below + width, whole));
                    }
                    let (mut l, h) = (self.bits_of(below, &last)?.to_vec(), self.bits_of(width, &part)?);
                    l.extend(h.iter());
                    Some((below + width, self.value(l)))
                });
                match (both, all.last_mut()) {
                    (Some(both), Some(last)) => *last = both,
                    _ => all.push((width, part)),
                }
            }
            return Ok(match all.as_slice() {
                [(_, whole)] => whole.clone(),
                _ => Value::Joined(all.into()),
            });
        };
        Ok(self.value(l.iter().chain(h.iter()).copied().collect()))
    }

    fn extend(&mut self, sign: bool, from: u8, to: u8, a: &Value) -> Result<Value, Trouble> {
        if let Some(known) = self.extend_section(sign, from, to, a) {
            return Ok(known);
        }
        Ok(match a {
            Value::Number(n) if sign => Value::Number(signed(from, *n) as u128 & mask(to)),
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
            Value::Byte(byte) if !sign && (from, to) == (1, 8) => match byte.extended() {
                Some(wide) => wide,
                None => self.unknown(&[a]),
            },
            // A return address that counts words becomes one that counts bytes.
            Value::Joined(parts) if !sign => match parts.as_ref() {
                [(1, Value::Number(0)), (_, Value::Pointer(o, at))] if self.is_return(*o) => {
                    Value::Extended(*o, *at)
                }
                _ => self.extended(sign, from, to, a),
            },
            other => self.extended(sign, from, to, other),
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

    fn undefined(&mut self, _: u8, of: &Value) -> Value {
        self.unknown(&[of])
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
                    x = crate::bits::cipher::xtime(&mut self.bits, x);
                }
                Some(product)
            }
        };
        Ok(match image {
            Some(bits) => self.value(bits.to_vec()),
            None => self.unknown(&[a]),
        })
    }

    fn pick(&mut self, high: &Value, low: &Value, index: &Value) -> Result<Value, Trouble> {
        let byte = |domain: &mut Self, k: u8| {
            let of = if k < 16 { high } else { low };
            domain.slice(128, of, 8 * (15 - k % 16), 8)
        };
        if let Value::Number(k) = index {
            return byte(self, (*k & 31) as u8);
        }
        let Some(bits) = self.bits_of(8, index) else { return Ok(self.unknown(&[high, low, index])) };
        if let (Value::Number(high), Value::Number(low)) = (high, low) {
            let of = |k: u64| if k < 16 { high } else { low };
            let read = |k: u64| Ok(of(k) >> (8 * (15 - k % 16)) & 0xff);
            if let Some(found) = self.bits.look_up(&bits[..5], 1, (0, 0), read)? {
                return Ok(self.value(found));
            }
        }
        // Each index bit selects half of the remaining bytes.
        let mut left: Vec<Value> = (0..32).map(|k| byte(self, k)).collect::<Result<_, _>>()?;
        for &bit in &bits[..5] {
            let bit = Value::Bits([bit].into());
            left = left
                .chunks(2)
                .map(|pair| self.select(8, &bit, &pair[1], &pair[0]))
                .collect::<Result<_, _>>()?;
        }
        Ok(left.swap_remove(0))
    }

    fn load(&mut self, space: Space, bytes: u8, width: u8, address: &Value) -> Result<Value, Trouble> {
        match address {
            _ if space.is_of_grids() => Err(OF_GRIDS.to_owned().into()),
            _ if !self.sections.is_empty()
                && !matches!(address, Value::Pointer(o, _) | Value::Extended(o, _) if self.section(*o).is_none()) =>
            {
                self.load_from_sections(space, bytes, width, address)
            }
            Value::Number(at) => {
                let at = *at as u64;
                let at = if space == Space::Data { at.wrapping_add(self.memory.data) } else { at };
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

    fn store(
        &mut self,
        space: Space,
        bytes: u8,
        width: u8,
        address: &Value,
        value: &Value,
    ) -> Result<(), Trouble> {
        if space.is_of_grids() {
            return Err(OF_GRIDS.to_owned().into());
        }
        if self.still {
            return Err("memory is written where a secret decides whether".to_owned().into());
        }
        match address {
            Value::Pointer(o, at) | Value::Extended(o, at) if width >= self.width_of(*o) => {
                Ok(self.memory.store(*o, *at, bytes, value)?)
            }
            Value::Number(at) => {
                let at = (*at as u64).wrapping_add(self.memory.data);
                Err(format!("{bytes} bytes are written at {at:#x}, which is in no declared buffer").into())
            }
            Value::Bits(_) => Err("memory is written at an address that data decides".to_owned().into()),
            other => {
                Err(format!("memory is written at an address that is not known{}", self.told(other)).into())
            }
        }
    }

    fn decide(&mut self, condition: &Value) -> Result<bool, Trouble> {
        match condition {
            Value::Number(n) => Ok(*n != 0),
            Value::Bits(bits) => self.decide_bit(bits[0]),
            other => {
                let kind = if self.is_secret(other) { "a secret" } else { "something unknown" };
                Err(format!("control hangs on {kind} that the proof cannot tell{}", self.told(other)).into())
            }
        }
    }

    fn address(&mut self, _: u8, at: u64) -> Value {
        // The base is the section of the instruction: the address after its last instruction may be the first of
        // another section.
        match self.code_at(self.pc) {
            Some((code, base)) => self.pointer(code, at.wrapping_sub(base) as i64),
            None => Value::Number(at.into()),
        }
    }

    fn field(&mut self, pc: u64, place: u8, width: u8, value: u64) -> Result<Value, Trouble> {
        match self.links.get(&pc) {
            Some(&(linked, written)) if linked == place => self.linked_field(pc, width, written),
            _ => Ok(Value::Number(value.into())),
        }
    }

    fn target(&mut self, width: u8, a: &Value) -> Result<u64, Trouble> {
        match self.in_code(width, a) {
            Some(found) => found,
            None => self.number(width, a),
        }
    }

    fn number(&mut self, _: u8, a: &Value) -> Result<u64, Trouble> {
        match a {
            // The return address has no number, so a number equal to its stand-in is wrong.
            Value::Number(n) if n & !1 == u128::from(self.home) => {
                Err(format!("control goes to {n:#x}, where no program has anything").into())
            }
            Value::Number(n) => Ok(*n as u64),
            Value::Pointer(o, 0) | Value::Extended(o, 0) if self.is_return(*o) => Ok(self.home),
            Value::Joined(parts) if self.counts_words_of_return(parts) => Ok(self.home),
            other => {
                Err(format!("control goes to an address that is not a number{}", self.told(other)).into())
            }
        }
    }
}
