//! Conversions of values: lanes to 64-bit halves, halves to bytes, and back to the coarsest equivalent form.

use super::{Flags, Stop, Symbolic};
use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::terms::{Atom, Index, Lane, Order};
use aesmith_cipher::mode::Next;

/// The key of a half that is bytes of lanes, or zero.
fn pair_key(word: Word) -> Option<u64> {
    match word {
        Word::Quad { lane, high, swapped } => {
            Some(u64::from(lane.0) << 4 | u64::from(high) << 3 | u64::from(swapped) << 2 | 1)
        }
        Word::Bytes(number) => Some(u64::from(number) << 4 | 2),
        _ => (word.as_number() == Some(0)).then_some(0),
    }
}

impl Symbolic {
    /// One half of a lane.
    pub fn half(&mut self, lane: Lane, high: bool) -> Word {
        if lane.is_unknown() {
            return if lane == Lane::PUBLIC { Word::Public } else { Word::Unknown };
        }
        if let Some(value) = self.terms.as_constant(lane) {
            return Word::number((value >> if high { 64 } else { 0 }) as u64);
        }
        match self.terms.as_atom(lane) {
            Some(Atom::Counter { index, order }) => Word::Quad {
                lane: self.counter(index, Order::MEMORY),
                high: high ^ (order.0 & 1 != 0),
                swapped: order.0 & 2 != 0,
            },
            Some(Atom::Bytes { .. }) => {
                if let Some(known) = self.halves.get(&(lane, high)) {
                    return known;
                }
                let bytes = self.terms.bytes(lane).expect("known");
                let at = if high { 8 } else { 0 };
                let half = self.word_of_bytes(std::array::from_fn(|i| bytes[at + i]));
                self.halves.insert((lane, high), half);
                half
            }
            _ => Word::Quad { lane, high, swapped: false },
        }
    }

    /// The lane of two halves.
    pub fn pair(&mut self, low: Word, high: Word) -> Lane {
        if let (Some(low), Some(high)) = (low.as_number(), high.as_number()) {
            return self.terms.constant(u128::from(high) << 64 | u128::from(low));
        }
        if let (
            Word::Quad { lane: a, high: at_a, swapped: by_a },
            Word::Quad { lane: b, high: at_b, swapped: by_b },
        ) = (low, high)
            && by_a == by_b
            && at_a != at_b
        {
            if a == b && !at_a && !by_a {
                return a;
            }
            let counters = (self.terms.as_atom(a), self.terms.as_atom(b));
            if let (Some(Atom::Counter { index: ia, .. }), Some(Atom::Counter { index: ib, .. })) = counters {
                // The half with the low bits of the number determines the counter, if both have the same high bits.
                let (index, other) = if at_a { (ia, ib) } else { (ib, ia) };
                if index == other || self.same_high_half(other, index) {
                    return self.counter(index, Order(u8::from(at_a) | u8::from(by_a) << 1));
                }
            }
        }
        let key = match (pair_key(low), pair_key(high)) {
            (Some(low), Some(high)) => Some((low, high)),
            _ => None,
        };
        if let Some(known) = key.and_then(|key| self.pairs.get(&key)) {
            return known;
        }
        let lane = self.pair_of_bytes(low, high);
        if let Some(key) = key {
            self.pairs.insert(key, lane);
        }
        lane
    }

    fn pair_of_bytes(&mut self, low: Word, high: Word) -> Lane {
        let secret = self.word_is_secret(low) || self.word_is_secret(high);
        match (self.word_bytes(low), self.word_bytes(high)) {
            (Some(low), Some(high)) => {
                let bytes = std::array::from_fn(|i| if i < 8 { low[i] } else { high[i - 8] });
                self.terms.lane_of_bytes(bytes)
            }
            _ if secret => Lane::UNKNOWN,
            _ => Lane::PUBLIC,
        }
    }

    /// True if the high half of counter `held` is also that of counter `sought`.
    pub(crate) fn same_high_half(&self, held: Index, sought: Index) -> bool {
        self.path.same_high_half(held, sought, sought)
    }

    /// True if a scalar may contain a key or message byte.
    pub fn word_is_secret(&self, word: Word) -> bool {
        match word {
            Word::Quad { lane, .. } => self.terms.is_secret(lane),
            Word::Bytes(number) => self.words.get(number).iter().any(|&form| self.terms.form_is_secret(form)),
            Word::Lookup { index, .. } => self.index_is_secret(index),
            Word::Unknown | Word::TableEntry => true,
            Word::Linear(_)
            | Word::Ones(_)
            | Word::Initial(_)
            | Word::ReturnAddress
            | Word::LowBits { .. }
            | Word::CounterByte { .. }
            | Word::Public => false,
        }
    }

    /// Unknown flags; secret if any of these is.
    pub(crate) fn unknown_flags(&self, of: &[Flags]) -> Flags {
        Flags::Unknown { secret: of.iter().any(|&flags| self.flags_are_secret(flags)) }
    }

    /// True if a scalar of bytes is the same at every position of the message.
    pub(crate) fn word_is_fixed(&self, word: Word) -> bool {
        match word {
            Word::Bytes(number) => self.words.get(number).iter().all(|&form| self.terms.form_is_fixed(form)),
            _ => false,
        }
    }

    /// The unknown scalar that results from an operation on these.
    pub(crate) fn unknown_word(&self, of: &[Word]) -> Word {
        if of.iter().any(|&w| self.word_is_secret(w)) { Word::Unknown } else { Word::Public }
    }

    /// A scalar's bytes, lowest first.
    pub(crate) fn word_bytes(&mut self, word: Word) -> Option<[Form; 8]> {
        match word {
            Word::Quad { lane, high, swapped } => {
                let bytes = self.terms.bytes(lane)?;
                let at = if high { 8 } else { 0 };
                Some(std::array::from_fn(|i| bytes[at + if swapped { 7 - i } else { i }]))
            }
            Word::Bytes(number) => Some(*self.words.get(number)),
            Word::CounterByte { index, mask: 0xff, scale: 1, base } if base == Linear::number(0) => {
                let lane = self.counter(Index::At(index), Order::MEMORY);
                let bytes = self.terms.bytes(lane)?;
                Some(std::array::from_fn(|i| if i == 0 { bytes[15] } else { Form(0) }))
            }
            _ => {
                let value = word.as_number()?;
                Some(value.to_le_bytes().map(|b| self.terms.forms.constant(b)))
            }
        }
    }

    /// One byte of a scalar, counted from the lowest.
    pub(crate) fn word_byte(&mut self, word: Word, i: usize) -> Option<Form> {
        match word {
            Word::Quad { lane, high, swapped } => {
                let at = if high { 8 } else { 0 };
                self.terms.byte(lane, at + if swapped { 7 - i } else { i })
            }
            _ => Some(self.word_bytes(word)?[i]),
        }
    }

    /// The scalar of eight bytes, lowest first.
    pub(crate) fn word_of_bytes(&mut self, bytes: [Form; 8]) -> Word {
        let constant: Option<Vec<u8>> = bytes.iter().map(|&b| self.terms.forms.as_constant(b)).collect();
        if let Some(constant) = constant {
            return Word::number(u64::from_le_bytes(constant.try_into().expect("eight bytes")));
        }
        if let Some(quad) = self.quad_of_bytes(&bytes) {
            return quad;
        }
        if bytes.iter().any(|&form| self.terms.form_is_too_deep(form)) {
            return match bytes.iter().any(|&form| self.terms.form_is_secret(form)) {
                true => Word::Unknown,
                false => Word::Public,
            };
        }
        Word::Bytes(self.words.number(bytes))
    }

    /// The half of a lane that consists of eight bytes, in either order.
    fn quad_of_bytes(&self, bytes: &[Form; 8]) -> Option<Word> {
        let place = |form: Form| {
            let mut terms = self.terms.forms.terms(form);
            match (terms.next(), terms.len(), self.terms.forms.constant_part(form)) {
                (Some((ByteAtom::Lane { atom, index }, 1)), 0, 0) => Some((atom, index)),
                _ => None,
            }
        };
        let (atom, first) = place(bytes[0])?;
        let (high, swapped) = match first {
            0 => (false, false),
            8 => (true, false),
            7 => (false, true),
            15 => (true, true),
            _ => return None,
        };
        let in_order = (1..8).all(|i| {
            let index = if swapped { first - i } else { first + i };
            place(bytes[i as usize]) == Some((atom, index))
        });
        in_order.then(|| Word::Quad { lane: self.terms.single(atom), high, swapped })
    }

    // Counters.

    /// The counter whose low or high half (as an integer) is in this word; true for the low half. A counter of 32 bits is no
    /// integer of 64: its carries end within the half.
    pub(crate) fn counter_half(&self, word: Word) -> Option<(Index, bool)> {
        let Word::Quad { lane, high, swapped: true } = word else { return None };
        if self.mode.next() == Next::Counter32 {
            return None;
        }
        match self.terms.as_atom(lane)? {
            Atom::Counter { index, .. } => Some((index, high)),
            _ => None,
        }
    }

    /// A half of a counter as an integer; the low one with `low`.
    pub(crate) fn counter_word(&mut self, index: Index, low: bool) -> Word {
        Word::Quad { lane: self.counter(index, Order::MEMORY), high: low, swapped: true }
    }

    /// The counter `amount` after `index`, if that is a counter.
    pub(crate) fn counter_after(&self, index: Index, amount: Linear) -> Option<Index> {
        let amount = self.path.facts.resolve(amount);
        if let Some(number) = amount.as_number() {
            return index.plus(i32::try_from(number).ok()?);
        }
        let whole = Linear { blocks: 1, partial: 1, ..Linear::number(amount.offset) };
        match index {
            Index::At(i) if amount == (Linear { count: amount.count, ..whole }) => {
                Some(Index::End(i.checked_add(i32::try_from(amount.offset).ok()?)?))
            }
            // Without a partial block there is nothing to round up.
            Index::At(i)
                if amount == (Linear { count: amount.count, partial: 0, ..whole })
                    && self.path.facts.lengths[amount.count as usize].tail.high == 0 =>
            {
                Some(Index::End(i.checked_add(i32::try_from(amount.offset).ok()?)?))
            }
            _ => None,
        }
    }

    /// An index in comparable form: `End` as `At` if the path knows the end.
    pub(crate) fn settled_index(&self, index: Index) -> Index {
        let Index::End(beyond) = index else { return index };
        let length = &self.path.facts.lengths[0];
        match (length.blocks.exact(), length.partial()) {
            (Some(blocks), Some(partial)) => match i32::try_from(blocks + partial) {
                Ok(end) => Index::At(0).plus(end).and_then(|end| end.plus(beyond)).unwrap_or(index),
                Err(_) => index,
            },
            _ => index,
        }
    }

    /// The sum by 32-bit elements of a counter of 32 bits, with its bytes reversed, and a constant.
    pub(crate) fn advance_counter32(&mut self, lane: Lane, addend: u128) -> Option<Lane> {
        let Some(Atom::Counter { index, order: Order::REVERSED }) = self.terms.as_atom(lane) else {
            return None;
        };
        if self.mode.next() != Next::Counter32 || addend >> 32 != 0 {
            return None;
        }
        let to = index.plus(addend as u32 as i32)?;
        Some(self.counter(to, Order::REVERSED))
    }

    /// The sum of two lanes by 64-bit elements, one a counter and the other a constant.
    pub(crate) fn advance_counter(&mut self, lane: Lane, addend: u128) -> Option<Lane> {
        if !self.mode.counts() {
            return None;
        }
        let Some(Atom::Counter { index, order }) = self.terms.as_atom(lane) else { return None };
        if order.0 & 2 == 0 {
            return None;
        }
        // In reversed order, the low half of the number is the low half of the lane.
        let (low, high) = if order == Order::REVERSED {
            (addend as u64, (addend >> 64) as u64)
        } else {
            ((addend >> 64) as u64, addend as u64)
        };
        let by = i32::try_from(low as i64).ok()?;
        let to = index.plus(by)?;
        let covered = matches!((index, to), (Index::At(_), Index::At(_))) && self.same_high_half(index, to);
        (high == 0 && covered).then(|| self.counter(to, order))
    }

    /// The address of a constant. Code has no address here: constants may be in a separate section, so the location of
    /// the code implies nothing.
    pub(crate) fn code_word(&self, offset: u64) -> Word {
        match usize::try_from(offset) {
            Ok(at) if at >= self.constants_from => {
                Word::Linear(Linear::address(Base::Code, 0, offset as i64))
            }
            _ => Word::Public,
        }
    }

    /// Bytes of the constants.
    pub(crate) fn constant_bytes(&mut self, offset: i64, count: usize) -> Result<&[u8], Stop> {
        let from = usize::try_from(offset).ok().filter(|from| *from >= self.constants_from);
        let range = from.and_then(|from| Some(from..from.checked_add(count)?));
        match range.filter(|range| range.end <= self.code.len()) {
            Some(range) => {
                self.constants_read.insert(range.start, count);
                Ok(&self.code[range])
            }
            None => Err(Stop::Refused(format!(
                "it reads byte {offset} of the kernel as a constant, and its constants are those from the first \
                 multiple of 64 behind all of its code on, byte {}, to byte {}",
                self.constants_from,
                self.code.len()
            ))),
        }
    }
}
