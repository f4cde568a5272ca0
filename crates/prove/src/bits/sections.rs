//! Addresses of sections placed by a linker: symbolic, with known lowest bits as far as the file promises an alignment.
//! Operations give the beginning of a section plus an offset; all other results are unknown.

use std::rc::Rc;

use aesmith_isa::image::Image;
use aesmith_isa::numbers::{mask, signed};
use aesmith_isa::unplaced::Extent;
use aesmith_isa::values::{Binary, Shift, Values};

use crate::bits::forms::{Bit, ZERO};
use crate::bits::memory::{ObjectId, Role};
use crate::bits::sums::{Sum, Term, Where};
use crate::bits::symbols::{Symbols, Trouble};
use crate::bits::value::{Value, agree_below};

impl<'a> Symbols<'a> {
    /// Makes objects of a program's sections. Separate data memory has addresses of `data` bits, and so have constants
    /// in program memory.
    pub(crate) fn enter_sections(&mut self, image: &'a Image, about_address: u8, data: u8) {
        for number in 0..image.sections.len() as u16 {
            let apart = self.memory.data > 0 && !image.sections[usize::from(number)].code;
            let width = if apart { data } else { about_address };
            self.sections.push(self.memory.object(Role::Section(number), width, 0, 0, false));
        }
    }

    /// The section of code that contains an address of the image, and the address of the section there.
    pub(crate) fn code_at(&self, at: u64) -> Option<(ObjectId, u64)> {
        let number = usize::from(self.memory.image.section_at(at)?);
        let section = &self.memory.image.sections[number];
        section.code.then_some((self.sections[number], section.address))
    }

    /// The section of an object, if it is one.
    pub(crate) fn section(&self, object: ObjectId) -> Option<&'a Extent> {
        match self.memory.objects[usize::from(object)].role {
            Role::Section(number) => self.memory.image.sections.get(usize::from(number)),
            _ => None,
        }
    }

    /// The number of lowest bits of a section's beginning that are zero; 0 for other objects.
    pub(crate) fn known_bits(&self, object: ObjectId) -> u8 {
        let bits = self.section(object).map_or(0, |s| s.alignment.trailing_zeros() as u8);
        bits.min(self.width_of(object))
    }

    /// The number of bits of an address in a section; all bits above are zero. An AVR's return address counts words in
    /// two bytes, and SPARC's linkers know addresses of 44 bits.
    fn reach(&self, object: ObjectId) -> u8 {
        match self.width_of(object) {
            64 if self.low_addresses => 32,
            64 => 44,
            24 => 17,
            width => width,
        }
    }

    fn unit(&self) -> impl Fn(ObjectId) -> u64 + '_ {
        |object| self.section(object).map_or(1, |s| s.alignment)
    }

    /// True if a value is derived from a section's address.
    pub(crate) fn is_of_section(&self, value: &Value) -> bool {
        match value {
            Value::Pointer(o, _)
            | Value::Part(o, ..)
            | Value::Complement(o, _)
            | Value::Carry(o, ..)
            | Value::WideCarry(o, ..)
            | Value::Either(o, _)
            | Value::NotPointer(o, _)
            | Value::Extended(o, _) => self.section(*o).is_some(),
            Value::Terms(terms) => self.section(terms.object).is_some(),
            Value::Wide(wide) => {
                [wide.plus, wide.complement].into_iter().flatten().any(|(o, _)| self.section(o).is_some())
            }
            Value::Joined(parts) => parts.iter().any(|(_, part)| self.is_of_section(part)),
            Value::Sum(_) | Value::Byte(_) | Value::Lost(..) => true,
            Value::Number(_) | Value::Bits(_) | Value::Unknown(_) => false,
        }
    }

    /// The explanation in a message why a value derived from a section's address is unknown; empty for other values.
    pub(crate) fn told(&self, value: &Value) -> String {
        if !self.is_of_section(value) {
            return String::new();
        }
        let place = match value {
            Value::Lost(at, _) => format!(" at {:#x}", self.lost[usize::from(*at)]),
            _ => String::new(),
        };
        format!(
            ": it is made{place} of an address that a linker chooses, of which no more is known than its section's \
             alignment; use addresses of code and tables with offsets alone, and the halves of each together"
        )
    }

    /// The unknown value that is derived from these values.
    pub(crate) fn lose(&mut self, of: &[&Value]) -> Value {
        let secret = of.iter().any(|v| self.is_secret(v));
        if let Some(Value::Lost(at, _)) = of.iter().find(|v| matches!(v, Value::Lost(..))) {
            return Value::Lost(*at, secret);
        }
        if !of.iter().any(|v| self.is_of_section(v)) {
            return Value::Unknown(secret);
        }
        let known = self.lost.iter().position(|&at| at == self.pc);
        let number = known.unwrap_or_else(|| {
            self.lost.push(self.pc);
            self.lost.len() - 1
        });
        u16::try_from(number).map_or(Value::Unknown(secret), |number| Value::Lost(number, secret))
    }

    /// A masked byte of a section's address as a number, if its masked bits are known.
    pub(crate) fn known_terms(&self, value: &Value) -> Option<Value> {
        let Value::Terms(terms) = value else { return None };
        let [(complement, at, mask)] = terms.masked.as_slice() else { return None };
        if terms.both.is_some() || u64::from(*mask) >> self.known_bits(terms.object).min(8) != 0 {
            return None;
        }
        let byte = if *complement { !*at } else { *at } as u8;
        Some(Value::Number(u128::from(byte & mask)))
    }

    /// A value as a sum that may contain addresses of sections, if it is one.
    pub(crate) fn sum_of(&self, width: u8, value: &Value) -> Option<Sum> {
        if width > 64 {
            return None;
        }
        let base = |object: ObjectId, at: i64| {
            self.section(object).map(|_| Sum::of(width, Term::Base(object, 0), at))
        };
        match value {
            Value::Number(n) => Some(Sum::plain(width, *n as i64, None)),
            Value::Bits(bits) => Some(Sum::plain(width, 0, Some(Rc::clone(bits)))),
            Value::Sum(sum) => Some((**sum).clone()),
            Value::Pointer(o, at) | Value::Extended(o, at) if width >= self.width_of(*o) => base(*o, *at),
            Value::NotPointer(o, at) if width == self.width_of(*o) => {
                self.section(*o)?;
                Some(Sum::of(width, Term::Less(*o), at.wrapping_neg().wrapping_sub(1)))
            }
            Value::Wide(wide) => {
                let mut sum = Sum::plain(width, wide.number as i64, None);
                if let Some((o, at)) = wide.plus {
                    self.section(o)?;
                    sum.terms.push(Term::Base(o, 0));
                    sum.number = sum.number.wrapping_add(at);
                }
                if let Some((o, at)) = wide.complement {
                    self.section(o)?;
                    sum.terms.push(Term::Less(o));
                    sum.number = sum.number.wrapping_sub(at).wrapping_sub(1);
                }
                Some(sum)
            }
            // A part of an address from a bit on below which the section's beginning is zero.
            Value::Part(o, at, low) if *low <= self.known_bits(*o) && width + low <= self.width_of(*o) => {
                self.section(*o)?;
                Some(Sum::of(width, Term::Base(*o, *low), at >> low))
            }
            Value::Joined(parts) => match parts.as_ref() {
                [(low, Value::Number(0)), (high, Value::Part(o, at, from))]
                    if low == from && self.section(*o).is_some() && low + high == self.width_of(*o) =>
                {
                    Some(Sum::of(width, Term::High(Where { plus: (*o, *at), minus: None }, *low), 0))
                }
                // Only if all bits of the address are there: sums of a truncated address lose their carry.
                [(low, inner), (_, Value::Number(0))] => {
                    let sum = self.sum_of(*low, inner)?;
                    let whole = sum.terms.iter().all(|term| match term {
                        Term::Base(o, shift) => *low + shift >= self.width_of(*o),
                        Term::Less(o) => *low >= self.width_of(*o),
                        Term::Upper(place, _) | Term::High(place, _) | Term::Signed(place, _) => {
                            *low >= self.width_of(place.plus.0)
                        }
                    });
                    (whole && !sum.terms.is_empty()).then(|| sum.wider(width))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a sum.
    pub(crate) fn value_of(&mut self, sum: Sum) -> Value {
        let width = sum.width;
        if sum.bits.as_ref().is_some_and(|bits| bits.iter().all(|&b| b <= 1)) {
            let number = sum
                .bits
                .iter()
                .flat_map(|bits| bits.iter())
                .rev()
                .fold(0u128, |n, &b| n << 1 | u128::from(b));
            let number = sum.number.wrapping_add(number as i64);
            return self.value_of(Sum { number, bits: None, ..sum });
        }
        match (sum.terms.as_slice(), &sum.bits) {
            ([], None) => Value::Number(sum.number as u128 & mask(width)),
            ([], Some(bits)) => self.added(width, sum.number, bits),
            ([Term::Base(o, 0)], None) if width == self.width_of(*o) => self.pointer(*o, sum.number),
            ([Term::Base(o, shift)], None) if width + shift <= self.width_of(*o) => {
                self.part(*o, sum.number << shift, *shift)
            }
            _ => Value::Sum(Rc::new(sum)),
        }
    }

    /// The sum of data and a number.
    fn added(&mut self, width: u8, number: i64, bits: &Rc<[Bit]>) -> Value {
        if number as u128 & mask(width) == 0 {
            return self.value(bits.to_vec());
        }
        let other: Vec<Bit> = (0..width).map(|i| (i128::from(number) >> i.min(127) & 1) as Bit).collect();
        self.sum(Binary::Add, bits, &other)
    }

    /// The data and number of a sum, without its section, as one value.
    fn offset_of(&mut self, sum: &Sum) -> Value {
        match &sum.bits {
            None => Value::Number(sum.number as u128 & mask(sum.width)),
            Some(bits) => self.added(sum.width, sum.number, bits),
        }
    }

    /// The sum of a section's beginning and an offset.
    fn based(&mut self, object: ObjectId, shift: u8, width: u8, offset: &Value) -> Option<Value> {
        let mut sum = self.sum_of(width, offset).filter(|sum| sum.terms.is_empty())?;
        sum.terms.push(Term::Base(object, shift));
        Some(self.value_of(sum))
    }

    /// Arithmetic, comparisons and logic with addresses of sections.
    pub(crate) fn with_sections(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Option<Value> {
        if !self.is_of_section(a) && !self.is_of_section(b) {
            return None;
        }
        match op {
            Binary::Add => match (self.sum_of(width, a), self.sum_of(width, b)) {
                (Some(x), Some(y)) => self.plus(x, y),
                _ => self.beside(width, a, b),
            },
            Binary::Subtract => {
                let (x, y) = (self.sum_of(width, a)?, self.sum_of(width, b)?);
                let y = self.less(y)?;
                self.plus(x, y)
            }
            Binary::And | Binary::Or | Binary::Xor => {
                self.masked(op, width, a, b).or_else(|| self.masked(op, width, b, a)).or_else(|| {
                    let parts = |value: &Value| matches!(value, Value::Joined(_));
                    (parts(a) || parts(b)).then(|| self.piecewise(op, width, a, b)).flatten()
                })
            }
            // A section does not wrap around the end of memory, but the address after its last byte may be 0.
            Binary::Below => match (a, b) {
                (Value::Pointer(o, at), Value::Pointer(p, from)) if o == p && width == self.width_of(*o) => {
                    let size = self.section(*o)?.size as i64;
                    let within = |at: &i64| (0..size).contains(at);
                    (within(at) && within(from)).then(|| Value::Number(u128::from(at < from)))
                }
                _ => None,
            },
            Binary::Equal => match self.with_sections(Binary::Subtract, width, a, b)? {
                Value::Number(n) => Some(Value::Number(u128::from(n == 0))),
                _ => None,
            },
            _ => None,
        }
    }

    fn plus(&mut self, x: Sum, y: Sum) -> Option<Value> {
        if x.width != y.width {
            return None;
        }
        let bits = match (x.bits, y.bits) {
            (Some(x), Some(y)) => {
                let sum = self.sum(Binary::Add, &x, &y);
                Some(self.bits_of(x.len() as u8, &sum)?)
            }
            (x, y) => x.or(y),
        };
        let number = x.number.wrapping_add(y.number);
        let sum = Sum { width: x.width, terms: [x.terms, y.terms].concat(), number, bits };
        // Carries out of an address depend on its place, even if the address is subtracted again.
        let object = |term: &Term| match term {
            Term::Base(o, _) | Term::Less(o) => *o,
            Term::Upper(place, _) | Term::High(place, _) | Term::Signed(place, _) => place.plus.0,
        };
        let is_wide = sum.terms.iter().any(|term| self.width_of(object(term)) < sum.width);
        let sum = sum.reduced(self.unit())?;
        (!is_wide || !sum.terms.is_empty()).then(|| self.value_of(sum))
    }

    fn less(&mut self, sum: Sum) -> Option<Sum> {
        let terms = sum.terms.iter().map(|term| match term {
            Term::Base(o, 0) => Some(Term::Less(*o)),
            Term::Less(o) => Some(Term::Base(*o, 0)),
            _ => None,
        });
        let bits = match &sum.bits {
            None => None,
            Some(bits) => {
                let zeros = vec![ZERO; bits.len()];
                let less = self.sum(Binary::Subtract, &zeros, bits);
                Some(self.bits_of(sum.width, &less)?)
            }
        };
        Some(Sum {
            width: sum.width,
            terms: terms.collect::<Option<_>>()?,
            number: sum.number.wrapping_neg(),
            bits,
        })
    }

    /// Logic of an address and a value that changes only known bits.
    fn masked(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Option<Value> {
        let sum = self.sum_of(width, a)?;
        let (object, shift) = sum.base()?;
        let known = self.known_bits(object).checked_sub(shift)?.min(width);
        let other = self.bits_of(width, b)?;
        let above = &other[usize::from(known)..];
        let (zeros, ones) = (above.iter().all(|&b| b == ZERO), above.iter().all(|&b| b == 1));
        let offset = self.offset_of(&sum);
        let low = match op {
            Binary::And if zeros || ones => self.binary(op, width, &offset, b).ok()?,
            Binary::Or | Binary::Xor if zeros => self.binary(op, width, &offset, b).ok()?,
            _ => return None,
        };
        if op == Binary::And && zeros { Some(low) } else { self.based(object, shift, width, &low) }
    }

    /// A sum of two values, of which one is zero wherever the other is not.
    fn beside(&mut self, width: u8, a: &Value, b: &Value) -> Option<Value> {
        let mut apart = true;
        let (mut from, cuts) = (0, cuts(width, a, b));
        for until in cuts {
            let x = self.slice(width, a, from, until - from).ok()?;
            let y = self.slice(width, b, from, until - from).ok()?;
            apart &= matches!(x, Value::Number(0)) || matches!(y, Value::Number(0));
            from = until;
        }
        if apart { self.piecewise(Binary::Or, width, a, b) } else { None }
    }

    /// Logic of values made of pieces, piece by piece.
    fn piecewise(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Option<Value> {
        let (mut from, mut whole) = (0, None);
        for until in cuts(width, a, b) {
            let count = until - from;
            let x = self.slice(width, a, from, count).ok()?;
            let y = self.slice(width, b, from, count).ok()?;
            let piece = self.binary(op, count, &x, &y).ok()?;
            whole = Some(match whole {
                None => piece,
                Some(low) => self.join((count, &piece), (from, &low)).ok()?,
            });
            from = until;
        }
        whole
    }

    /// Shifts or rotates a value made of parts of addresses.
    pub(crate) fn shifted(&mut self, op: Shift, width: u8, a: &Value, count: u128) -> Option<Value> {
        if !self.is_of_section(a) || matches!(a, Value::Lost(..)) {
            return None;
        }
        let n = u8::try_from(count).ok()?;
        let zeros = Value::Number(0);
        if let (Value::Sum(sum), Shift::Left) = (a, op)
            && let [Term::Upper(place, bits)] = sum.terms.as_slice()
            && (*bits, sum.number, &sum.bits) == (n, 0, &None)
        {
            return Some(Value::Sum(Rc::new(Sum::of(width, Term::High(*place, n), 0))));
        }
        match op {
            Shift::Rotate if n % width != 0 => {
                let n = n % width;
                let (low, high) =
                    (self.slice(width, a, n, width - n).ok()?, self.slice(width, a, 0, n).ok()?);
                self.join((n, &high), (width - n, &low)).ok()
            }
            Shift::Rotate => Some(a.clone()),
            Shift::Left if n < width => {
                let high = self.slice(width, a, 0, width - n).ok()?;
                self.join((width - n, &high), (n, &zeros)).ok()
            }
            Shift::Right if n < width => {
                let low = self.slice(width, a, n, width - n).ok()?;
                self.join((n, &zeros), (width - n, &low)).ok()
            }
            Shift::Left | Shift::Right => Some(zeros),
            Shift::Arithmetic => None,
        }
    }

    /// Known bits of a section's address, or bits of a sum.
    pub(crate) fn slice_of_section(&mut self, width: u8, a: &Value, low: u8, count: u8) -> Option<Value> {
        match a {
            Value::Pointer(o, at) if low + count <= self.known_bits(*o) => {
                Some(Value::Number((*at >> low) as u128 & mask(count)))
            }
            Value::Part(o, at, from) if from + low + count <= self.known_bits(*o) => {
                Some(Value::Number((*at >> (from + low)) as u128 & mask(count)))
            }
            Value::Sum(sum) => {
                let sum = Sum::clone(sum);
                if low == 0 && count == width {
                    return Some(a.clone());
                }
                if let Some((object, shift)) = sum.base() {
                    let known = self.known_bits(object).saturating_sub(shift);
                    let above = self.width_of(object) - shift;
                    if low + count <= known {
                        let offset = self.offset_of(&sum);
                        return self.slice(width, &offset, low, count).ok();
                    }
                    if low > 0 && low <= known && low + count <= above {
                        let offset = self.offset_of(&sum);
                        let offset = self.slice(width, &offset, low, count).ok()?;
                        return self.based(object, shift + low, count, &offset);
                    }
                    if low + count > above {
                        return None;
                    }
                }
                match sum.terms.as_slice() {
                    [Term::Signed(place, bits)]
                        if sum.number == 0
                            && sum.bits.is_none()
                            && place.minus.is_none()
                            && low + count <= *bits =>
                    {
                        Some(Value::Part(place.plus.0, place.plus.1, low))
                    }
                    // Sums modulo a smaller power of two.
                    _ if low == 0 => {
                        let of_shorter = |term: &Term| match term {
                            Term::Base(o, 0) | Term::Less(o) => count <= self.width_of(*o),
                            Term::High(place, _) | Term::Signed(place, _) => {
                                count <= self.width_of(place.plus.0)
                            }
                            Term::Base(..) | Term::Upper(..) => false,
                        };
                        let fits = sum.base().is_some() || sum.terms.iter().all(of_shorter);
                        fits.then(|| self.value_of(sum.lowest(count)))
                    }
                    _ if (low, count) == (8, 8) => self.upper_of(&sum),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Joins the upper part of an address with lower bits, or an address with zeros.
    pub(crate) fn join_sections(&mut self, high: (u8, &Value), low: (u8, &Value)) -> Option<Value> {
        if self.sections.is_empty() || matches!(high.1, Value::Bits(_) | Value::Unknown(_) | Value::Lost(..))
        {
            return None;
        }
        if (high.0, low.0) == (8, 8)
            && let Some(whole) = self.join_bytes(high.1, low.1)
        {
            return Some(whole);
        }
        if let (Value::Part(o, at, from), Value::Part(p, other, start)) = (high.1, low.1)
            && o == p
            && *from == start + low.0
            && self.section(*o).is_some()
            && agree_below(*at, *other, *from)
        {
            return Some(match *start == 0 && high.0 + low.0 == self.width_of(*o) {
                true => self.pointer(*o, *at),
                false => Value::Part(*o, *at, *start),
            });
        }
        // The lower part of a neighbouring address, if nothing carries between the two.
        if let (Value::Part(o, at, from), Value::Part(p, other, start)) = (high.1, low.1)
            && o == p
            && *from == start + low.0
            && self.section(*o).is_some()
            && *from < 63
            && !agree_below(*at, *other, *from)
        {
            let unit = 1i64 << self.known_bits(*o).min(*from);
            if at.div_euclid(unit) != other.div_euclid(unit) {
                return None;
            }
            return Some(match *start == 0 && high.0 + low.0 == self.width_of(*o) {
                true => self.pointer(*o, *other),
                false => Value::Part(*o, *other, *start),
            });
        }
        // Bits below a part of an address, where the section's beginning is zero.
        if matches!(low.1, Value::Number(_) | Value::Bits(_))
            && let Some(sum) = self.sum_of(high.0, high.1)
            && let Some((object, shift)) = sum.base()
            && shift >= low.0
            && high.0 + low.0 + (shift - low.0) <= self.width_of(object)
        {
            let (width, number) = (high.0 + low.0, sum.number << low.0);
            let below = self.bits_of(low.0, low.1)?;
            let bits = match (&sum.bits, low.1) {
                (None, Value::Number(n)) => {
                    let sum =
                        Sum::of(width, Term::Base(object, shift - low.0), number.wrapping_add(*n as i64));
                    return Some(self.value_of(sum));
                }
                (None, _) => {
                    below.iter().copied().chain(std::iter::repeat_n(ZERO, usize::from(high.0))).collect()
                }
                (Some(above), _) => below.iter().chain(above.iter()).copied().collect(),
            };
            let terms = vec![Term::Base(object, shift - low.0)];
            return Some(self.value_of(Sum { width, terms, number, bits: Some(bits) }));
        }
        // Zeros above all bits of an address.
        if let (Value::Number(0), Value::Part(o, at, 0)) = (high.1, low.1)
            && self.section(*o).is_some_and(|s| (0..=s.size as i64).contains(at))
            && low.0 >= self.reach(*o)
            && high.0 + low.0 == self.width_of(*o)
        {
            return Some(self.pointer(*o, *at));
        }
        None
    }

    /// Extends parts of addresses.
    pub(crate) fn extend_section(&mut self, sign: bool, from: u8, to: u8, a: &Value) -> Option<Value> {
        match a {
            Value::Part(o, at, 0) if sign && self.section(*o).is_some() && to <= self.width_of(*o) => {
                let place = Where { plus: (*o, *at), minus: None };
                Some(Value::Sum(Rc::new(Sum::of(to, Term::Signed(place, from), 0))))
            }
            Value::Part(..) | Value::Sum(_) | Value::Joined(_)
                if !sign && from < to && self.is_of_section(a) =>
            {
                let zeros = Value::Number(0);
                self.join((to - from, &zeros), (from, a)).ok()
            }
            _ => None,
        }
    }

    /// The width of an address and the address, without zeros above it.
    pub(crate) fn unwrapped(&self, width: u8, address: &Value) -> (u8, Value) {
        match address {
            Value::Joined(parts) => match parts.as_ref() {
                [(low, inner @ (Value::Pointer(..) | Value::Sum(_))), (_, Value::Number(0))] => {
                    (*low, inner.clone())
                }
                _ => (width, address.clone()),
            },
            Value::Extended(o, at) if self.section(*o).is_some() => {
                (self.width_of(*o), Value::Pointer(*o, *at))
            }
            _ => (width, address.clone()),
        }
    }

    /// The target of a jump into a section of code.
    pub(crate) fn in_code(&self, width: u8, a: &Value) -> Option<Result<u64, Trouble>> {
        self.code_at(self.pc)?;
        let (object, offset) = match self.unwrapped(width, a) {
            (width, Value::Pointer(o, at)) if self.section(o).is_some() && width == self.width_of(o) => {
                (o, at)
            }
            (_, Value::Number(n)) => {
                return Some(Err(format!(
                    "control goes to the address {n:#x}, a number: a linker puts code where it likes, so jump to a label"
                )
                .into()));
            }
            _ => return None,
        };
        let section = self.section(object)?;
        Some(match u64::try_from(offset) {
            _ if !section.code => {
                Err(format!("control goes to the section `{}`, which is no code", section.name).into())
            }
            Ok(at) if at < section.size => Ok(section.address + at),
            _ => Err("control leaves the section that it is in".to_owned().into()),
        })
    }
}

/// The ends of the parts of two values, in bits.
fn cuts(width: u8, a: &Value, b: &Value) -> Vec<u8> {
    let ends = |value: &Value| -> Vec<u8> {
        let Value::Joined(parts) = value else { return Vec::new() };
        let mut at = 0;
        let end = |(width, _): &(u8, Value)| {
            at += width;
            at
        };
        parts.iter().map(end).collect()
    };
    let mut cuts = [vec![width], ends(a), ends(b)].concat();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Replaces the data in a sum by the result of `made`.
pub(crate) fn with_data(
    domain: &mut Symbols,
    sum: &Sum,
    made: impl FnOnce(&mut Symbols, &Value) -> Value,
) -> Value {
    let Some(bits) = &sum.bits else { return Value::Sum(Rc::new(sum.clone())) };
    let made = made(domain, &Value::Bits(Rc::clone(bits)));
    match domain.bits_of(sum.width, &made) {
        Some(bits) => Value::Sum(Rc::new(Sum { bits: Some(bits), ..sum.clone() })),
        None => Value::Unknown(domain.is_secret(&made)),
    }
}

/// A number modulo 2^width, read as a signed number.
pub(crate) fn offset(width: u8, number: i64) -> i64 {
    if width >= 64 { number } else { signed(width, number as u128 & mask(width)) as i64 }
}
