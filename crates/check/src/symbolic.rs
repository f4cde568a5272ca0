//! Execution over terms: the memory of the contract, conditions, and secrets.

use crate::claim;
use crate::contract::{ARGUMENTS, Argument, Contract, STACK, STACK_BYTES};
use crate::counters::Table;
use crate::decode::{Op, Shift};
use crate::execute::{AND, Domain, Flags, OR, Registers, XOR, XOR_OF_THREE, shifted_bits};
use crate::linear::{Facts, Linear};
use crate::spec::{Mode, Round, TABLE};
use crate::terms::{Atom, LOW, Lane, LaneId, Part, Region, STREAM, Terms, ZERO, stream_of};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// The number of values of a word.
pub const WORDS: i128 = 1 << 64;

/// A bit that words determine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bit {
    /// A constant.
    Known(bool),
    /// The first word is less than the second.
    Below(Linear, Linear),
    /// The sum of two words and a bit is 2^64 or more.
    Carries(Linear, Linear, bool),
    /// The word is zero.
    Zero(Linear),
    /// The bitwise AND of word and mask is zero.
    Disjoint(Linear, u64),
    /// Unknown.
    Arbitrary,
}

/// A reason not to go on.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The path has to be split by this bit.
    Split(Bit),
    /// The kernel or its proof is refused.
    Refused(String),
}

/// Makes a refusal.
pub(crate) fn refused<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(reason.into()))
}

/// A place on the stack: a region, and the distance from its address.
pub type Place = (Region, i128);

/// The text of a stream on a path.
#[derive(Clone, Debug)]
pub struct Text {
    /// The words of the memory of the IV, two for each block.
    pub iv: Vec<Linear>,
    /// The number of bytes of output that are done at the beginning of the piece, with that of the stream.
    pub done: Linear,
    /// Bytes that are stored since: a bit for each of a block's, by the distance of the block from there in bytes.
    pub stored: BTreeMap<i128, u16>,
}

impl Text {
    /// A text of which nothing is done.
    pub fn new(stream: u8, iv: Vec<Linear>) -> Text {
        Text { iv, done: Linear::number(16 * STREAM * i128::from(stream)), stored: BTreeMap::new() }
    }
}

/// All that is known on a path, besides registers.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Inequalities.
    pub facts: Facts,
    /// Bits that split the path, and their values.
    pub decided: Vec<(Bit, bool)>,
    /// The words of the stack.
    pub cells: BTreeMap<Place, Linear>,
    /// Words of the stack that may hold secrets, whether they can still be read or not.
    pub secret_cells: BTreeSet<Place>,
    /// A table on the stack.
    pub table: Option<Table>,
    /// The stack pointer.
    pub pointer: Place,
    /// The texts of the streams.
    pub texts: Vec<Text>,
    /// The distance from which on all output is stored, to the end of the text.
    pub rest: Option<i128>,
    /// In GCM: the number of the block before which the value of GHASH has a name, see [`Part::Hash`].
    pub hashed: Linear,
    /// In counter mode: the carry out of the low half of the counter of the first block that is not done.
    pub carry: Linear,
    /// True if a store past the caches is not fenced yet.
    pub streams: bool,
}

impl Path {
    /// A path on which nothing is known but these texts.
    pub fn new(texts: Vec<Text>) -> Path {
        Path { texts, ..Path::default() }
    }
}

/// The domain of terms.
#[derive(Debug)]
pub struct Symbolic<'a> {
    /// The contract.
    pub contract: Contract,
    /// Code with its constants.
    pub code: &'a [u8],
    /// The part of the code that may be read.
    pub constants: Range<usize>,
    /// All terms.
    pub terms: Terms,
    /// How many of the first rounds of a counter block are sums: none, one or two; see [`Symbolic::round_of`].
    pub splits: u8,
    /// A distance from the stack pointer at entry, and a power of two: the address of the region `Frame` is that place,
    /// rounded down to a multiple. The stack from the place on, and below the address, are apart.
    pub frame: Option<(i128, i128)>,
    /// The length of the output of each stream in bytes. Except in key schedules, it is that of the text.
    pub lengths: Vec<Linear>,
    /// True if the round keys are those of a key schedule; see [`Symbolic::round_key`].
    pub expanded: bool,
    /// The round keys that a key schedule has to compute, or that come from one, once they are needed.
    pub keys: Vec<LaneId>,
    /// In GCM: blocks of output that GHASH absorbs, by their numbers.
    pub blocks: BTreeMap<Linear, LaneId>,
    /// A stored lane and the specified one, after a refusal.
    pub differing: Option<(LaneId, LaneId)>,
    /// All that is known on the path.
    pub path: Path,
}

impl<'a> Symbolic<'a> {
    /// The state at the entry of a function, with terms of some kind.
    pub fn entry(
        mut terms: Terms,
        contract: Contract,
        code: &'a [u8],
        constants: Range<usize>,
    ) -> (Symbolic<'a>, Registers<Symbolic<'a>>) {
        let texts = (0..contract.streams).map(|n| Text::new(n, claim::iv(&mut terms, contract.mode, n)));
        let path = Path::new(texts.collect());
        let mut general = core::array::from_fn(|k| terms.word(Atom::Entry(k as u8)));
        general[usize::from(STACK)] = terms.word(Atom::Base(Region::Stack));
        for (argument, register) in contract.arguments().iter().zip(ARGUMENTS) {
            general[usize::from(register)] = terms.word(match argument {
                Argument::Pointer(region) => Atom::Base(*region),
                Argument::Length => Atom::Length,
            });
        }
        let lane = |register: usize, lane: usize| Part::Entry(register as u8, lane as u8);
        let vectors = core::array::from_fn(|k| core::array::from_fn(|l| terms.part(lane(k, l))));
        let flags = Flags { carry: Bit::Arbitrary, zero: Bit::Arbitrary, is_secret: false };
        let masks = core::array::from_fn(|k| terms.word(Atom::Entry(16 + k as u8)));
        let registers = Registers { general, vectors, masks, signs: Default::default(), flags };
        let lengths = (0..contract.streams).map(|n| match contract.mode {
            Mode::Keys => Linear::number(contract.key_bytes()),
            Mode::Table => Linear::number(TABLE.end - TABLE.start),
            _ => terms.element(4, n),
        });
        let lengths = lengths.collect();
        let symbolic = Symbolic {
            contract,
            code,
            constants,
            terms,
            splits: 0,
            frame: None,
            lengths,
            expanded: false,
            keys: Vec::new(),
            blocks: BTreeMap::new(),
            differing: None,
            path,
        };
        (symbolic, registers)
    }

    /// True if `form >= 0` is known.
    pub fn is_natural(&self, form: &Linear) -> bool {
        self.path.facts.imply(form, &|atom| self.terms.highest(atom))
    }

    /// `a + factor * b` as an integer.
    fn integer(&self, a: &Linear, b: &Linear, factor: i128) -> Result<Linear, Stop> {
        a.checked(b, factor).ok_or_else(|| Stop::Refused("a number is too large".into()))
    }

    /// True if `a <= b` is known, as integers.
    pub fn is_at_most(&self, a: &Linear, b: &Linear) -> bool {
        b.checked(a, -1).is_some_and(|difference| self.is_natural(&difference))
    }

    /// True if `0 <= form <= most` is known.
    pub fn is_within(&self, form: &Linear, most: i128) -> bool {
        self.is_natural(form) && self.is_at_most(form, &Linear::number(most))
    }

    /// True if `form == 0` is known.
    pub fn is_zero_form(&self, form: &Linear) -> bool {
        form.as_number().map_or_else(|| self.is_within(form, 0), |number| number == 0)
    }

    /// The integer between 0 and 2^64 - 1 that a word is, if it is known: the form, or for a counter the form without
    /// its carry.
    fn unsigned(&self, word: &Linear) -> Option<Linear> {
        if let Some(number) = word.as_number() {
            return Some(Linear::number(number.rem_euclid(WORDS)));
        }
        if self.is_within(word, WORDS - 1) {
            return Some(word.clone());
        }
        let has_counter = word.terms.iter().any(|(id, _)| *self.terms.get_atom(*id) == Atom::Counter(0));
        let rest = word.checked(&self.path.carry, -WORDS).filter(|_| has_counter)?;
        self.is_within(&rest, WORDS - 1).then_some(rest)
    }

    /// A word shifted right.
    pub(crate) fn quotient(&mut self, word: &Linear, by: u8) -> Linear {
        match word.as_number() {
            Some(number) => Linear::number((number.rem_euclid(WORDS)) >> by),
            None if by == 8 => self.terms.word(Atom::Shifted(self.lowest(word), by)),
            None => self.terms.word(Atom::Shifted(word.clone(), by)),
        }
    }

    /// The inequalities that define a quotient, if the word is a known integer.
    pub(crate) fn define(&mut self, word: &Linear, quotient: &Linear, by: u8) {
        if let Some(word) = self.unsigned(word)
            && let Some(rest) = word.checked(quotient, -(1 << by))
            && let Some(room) = Linear::number((1 << by) - 1).checked(&rest, -1)
        {
            self.path.facts.add(rest);
            self.path.facts.add(room);
        }
    }

    /// The word and the number of its low bits that a form is: the word without a multiple of its quotient.
    pub(crate) fn as_low_bits(&self, form: &Linear) -> Option<(Linear, u8)> {
        form.terms.iter().find_map(|&(id, coefficient)| match self.terms.get_atom(id) {
            Atom::Shifted(word, by) if coefficient == -(1 << by) => {
                let rest = form.combine(&Linear::atom(id), 1 << by);
                let is_same = rest == *word || *by == 8 && self.lowest(&rest) == *word;
                is_same.then_some((rest, *by))
            }
            _ => None,
        })
    }

    /// True if the lowest byte of a word is zero, false if it is not, if that is known: from an alignment that is known of
    /// the word, or of another one at a known distance.
    pub(crate) fn ends(&self, word: &Linear) -> Option<bool> {
        if let Bit::Known(is_zero) = self.disjoint(word, 255) {
            return Some(is_zero);
        }
        if self.is_known_byte(word, 0, 1..256) {
            return Some(false);
        }
        self.path.decided.iter().find_map(|(bit, value)| {
            let Bit::Disjoint(other, mask @ (1 | 3 | 7 | 15 | 31 | 63 | 127 | 255)) = bit else {
                return None;
            };
            let Bit::Disjoint(rest, _) = self.disjoint(word, *mask) else { return None };
            let modulus = i128::from(*mask) + 1;
            match rest.minus(other).as_number()?.rem_euclid(modulus) {
                0 if *mask == 255 => Some(*value),
                1.. if *value => Some(false),
                _ => None,
            }
        })
    }

    /// A round key; those of stream `s` are numbered from `16 s` on. In a key schedule of AES-128 words but the first of a
    /// key are sums of the one before and of the same one of the key before (FIPS-197, 5.2).
    pub fn round_key(&mut self, number: u16) -> LaneId {
        if !self.expanded {
            return self.terms.part(Part::Key(number));
        }
        for next in self.keys.len()..=usize::from(number) {
            let mut key = self.terms.part(Part::Key(next as u16));
            if let Some(&before) = self.keys.last() {
                key = self.terms.shuffled(key, &core::array::from_fn(|k| k as u8 % 4));
                for word in 1..4 {
                    let from = |k| if k / 4 >= word { 4 * word + k % 4 } else { usize::from(ZERO) };
                    let moved = self.terms.shuffled(before, &core::array::from_fn(|k| from(k) as u8));
                    key = self.terms.xor(key, moved);
                }
            }
            self.keys.push(key);
        }
        self.keys[usize::from(number)]
    }

    /// The bit `word & mask == 0`. Multiples of a power of two above the mask do not matter.
    pub fn disjoint(&self, word: &Linear, mask: u64) -> Bit {
        let modulus =
            i128::from(mask).checked_add(1).map_or(WORDS, |m| (m as u128).next_power_of_two() as i128);
        let mut rest = Linear::number(word.constant);
        for &(atom, coefficient) in &word.terms {
            match self.terms.get_atom(atom) {
                _ if coefficient % modulus == 0 => {}
                // The code begins at a multiple of 64, and calls leave the stack pointer 8 above one of 16.
                Atom::Base(Region::Code) if modulus <= 64 => {}
                Atom::Base(Region::Stack) if modulus <= 16 => rest.constant += 8 * coefficient,
                Atom::Base(Region::Frame) if self.frame.is_some_and(|frame| modulus <= frame.1) => {}
                _ => rest.terms.push((atom, coefficient.rem_euclid(modulus))),
            }
        }
        rest.constant = rest.constant.rem_euclid(modulus);
        match rest.as_number() {
            Some(number) => Bit::Known(number as u64 & mask == 0),
            None => Bit::Disjoint(rest, mask),
        }
    }

    /// True if the bit depends on a secret.
    fn is_secret_bit(&self, bit: &Bit) -> bool {
        match bit {
            Bit::Known(_) => false,
            Bit::Below(a, b) | Bit::Carries(a, b, _) => self.terms.is_secret(a) || self.terms.is_secret(b),
            Bit::Zero(a) | Bit::Disjoint(a, _) => self.terms.is_secret(a),
            Bit::Arbitrary => true,
        }
    }

    /// The inequality that a bit is equivalent to: it is true if the form is at least 0, else the form is at most -1.
    fn inequality(&self, bit: &Bit) -> Option<Linear> {
        match bit {
            Bit::Below(a, b) => self.unsigned(b)?.offset_checked(-1)?.checked(&self.unsigned(a)?, -1),
            Bit::Carries(a, b, carry) => {
                let sum = self.unsigned(a)?.checked(&self.unsigned(b)?, 1)?;
                sum.offset_checked(i128::from(*carry) - WORDS)
            }
            // Zero is the least value of the word, or of its negative.
            Bit::Zero(a) => {
                let negative = Linear::default().checked(a, -1)?;
                if self.is_within(a, WORDS - 1) {
                    Some(negative)
                } else {
                    self.is_within(&negative, WORDS - 1).then(|| a.clone())
                }
            }
            _ => None,
        }
    }

    /// The value of a bit, if it is known.
    fn value(&self, bit: &Bit) -> Option<bool> {
        if let Bit::Known(value) = bit {
            return Some(*value);
        }
        if let Some((_, value)) = self.path.decided.iter().find(|(other, _)| other == bit) {
            return Some(*value);
        }
        let form = self.inequality(bit)?;
        if self.is_natural(&form) {
            return Some(true);
        }
        let negated = Linear::number(-1).checked(&form, -1)?;
        self.is_natural(&negated).then_some(false)
    }

    /// The only word whose lowest byte is in a byte of a lane, and nowhere else by the same shuffle, with this shuffle.
    fn lowest_byte(&self, lane: LaneId, at: usize) -> Option<(Linear, [u8; 16])> {
        let parts = self.terms.get_lane(lane).parts.iter();
        let touched = parts.map(|&(part, mask)| (self.terms.get_part(part), self.terms.get_mask(mask)));
        let mut words = touched.filter_map(|(part, mask)| match part {
            Part::Word(word) if mask[at] != ZERO => Some((word, mask)),
            _ => None,
        });
        let is_only_there =
            |mask: &[u8; 16]| mask.iter().enumerate().all(|(k, &from)| (from == 0) == (k == at));
        match (words.next(), words.next()) {
            (Some((word, mask)), None) if is_only_there(mask) => Some((word.clone(), *mask)),
            _ => None,
        }
    }

    /// Replaces a word in a lane by its sum with a number. Nothing else changes if the sum of the lowest bytes does not
    /// carry.
    fn add_to_word(&mut self, lane: LaneId, (word, mask): &(Linear, [u8; 16]), number: i128) -> LaneId {
        let sum = self.terms.part(Part::Word(word.offset(number)));
        let word = self.terms.part(Part::Word(word.clone()));
        let (old, new) = (self.terms.shuffled(word, mask), self.terms.shuffled(sum, mask));
        let change = self.terms.xor(old, new);
        self.terms.xor(lane, change)
    }

    /// True if a sum of the lowest byte of a word with a number is known to carry nothing. The word is a multiple of a step
    /// plus less than a step. Then the sum passes a multiple of 256 only if a multiple of the step is one.
    fn stays_in_byte(&self, word: &Linear, number: i128) -> bool {
        let is_known = |rest: i128| {
            let base = word.offset(-rest);
            let step = 1 << self.alignment(&base);
            let carries = |sum: i128| self.value(&self.disjoint(&base.offset(sum), 255)) != Some(false);
            rest < step && !(1..=(rest + number) / step).any(|count| carries(count * step))
        };
        self.is_known_byte(word, number, 0..4) || (0..64).any(is_known)
    }

    /// Adds to a byte of a lane that is the lowest of a word, if nothing is carried.
    fn add_to_byte(&mut self, lane: LaneId, at: usize, number: i128) -> Result<LaneId, Stop> {
        let Lane { constant, parts, maps, bits } = self.terms.get_lane(lane);
        let touched = parts.iter().filter(|part| self.terms.get_mask(part.1)[at] != ZERO).count();
        let is_alone = touched == 1 && maps.is_empty() && *constant >> (8 * at) & 0xff == 0;
        let place = match bits.is_empty() {
            true => self.lowest_byte(lane, at).filter(|_| is_alone),
            false => {
                self.terms.lowest_byte_of(bits, at).filter(|found| found.1 == 0).map(|w| (w.0, [ZERO; 16]))
            }
        };
        let Some(place) = place else {
            return refused("a sum is not with the lowest byte of a word");
        };
        if !self.stays_in_byte(&place.0, number) {
            return refused("a sum of bytes may carry");
        }
        if self.terms.has_bits() {
            return Ok(self.terms.with_word(lane, &place.0, &place.0.offset(number)));
        }
        Ok(self.add_to_word(lane, &place, number))
    }

    /// The number of low bits, up to 8, that are known to be zero.
    fn alignment(&self, word: &Linear) -> u32 {
        let is_zero = |bits: &u32| self.value(&self.disjoint(word, (1 << bits) - 1)) == Some(true);
        (1..=8).rev().find(is_zero).unwrap_or(0)
    }

    /// The number that a XOR of the lowest byte of a word with a number adds to the word, if its low bits are known: the word is a
    /// multiple of a step plus less than a step, and so is the sum.
    fn added_by_xor(&self, word: &Linear, number: i128) -> Option<i128> {
        let is_known = |rest: &i128| {
            let step = 1 << self.alignment(&word.offset(-rest));
            *rest < step && number < step
        };
        (0..64).find(is_known).map(|rest| (rest ^ number) - rest)
    }

    /// A constant that is XORed to the lowest byte of a word changes the word by a number, if its low bits are known.
    fn absorbed(&mut self, lane: LaneId) -> LaneId {
        let constant = self.terms.get_lane(lane).constant;
        let mut result = lane;
        for at in 0..16 {
            let bits = &self.terms.get_lane(result).bits;
            if !bits.is_empty() {
                let found = self.terms.lowest_byte_of(bits, at).filter(|found| found.1 != 0);
                let Some((word, number)) = found else { continue };
                if let Some(added) = self.added_by_xor(&word, number.into()) {
                    let byte = self.terms.constant(u128::from(number) << (8 * at));
                    result = self.terms.xor(result, byte);
                    result = self.terms.with_word(result, &word, &word.offset(added));
                }
                continue;
            }
            let number = constant >> (8 * at) & 0xff;
            let Some(place) = self.lowest_byte(lane, at).filter(|_| number != 0) else { continue };
            if let Some(added) = self.added_by_xor(&place.0, number as i128) {
                let byte = self.terms.constant(number << (8 * at));
                result = self.terms.xor(result, byte);
                result = self.add_to_word(result, &place, added);
            }
        }
        result
    }

    /// Assumes a value of a bit.
    pub fn assume(&mut self, bit: &Bit, value: bool) {
        if let Some(form) = self.inequality(bit) {
            let fact = if value { Some(form) } else { Linear::number(-1).checked(&form, -1) };
            if let Some(fact) = fact {
                self.path.facts.add(fact);
            }
        }
        if let Some((a, b, by)) = self.equal_quotients(bit).filter(|_| value) {
            let quotient = self.quotient(&a, by);
            self.define(&a, &quotient, by);
            self.define(&b, &quotient, by);
        }
        self.path.decided.push((bit.clone(), value));
        if let (Bit::Disjoint(word, 255), true) = (bit, self.contract.mode.is_gcm()) {
            self.define_byte(word, value);
        }
    }

    /// Two words, and by how many places they are shifted right, if a bit says that the results are equal: that the
    /// shifted XOR of both is zero.
    fn equal_quotients(&self, bit: &Bit) -> Option<(Linear, Linear, u8)> {
        let Bit::Zero(zero) = bit else { return None };
        let Atom::Shifted(sum, by) = self.terms.get_atom(zero.as_atom()?) else { return None };
        let &Atom::Half(lane) = self.terms.get_atom(sum.as_atom()?) else { return None };
        let Lane { constant: 0, parts, maps, .. } = self.terms.get_lane(lane) else { return None };
        if !maps.is_empty() {
            return None;
        }
        let words = parts.iter().map(|&(part, mask)| match self.terms.get_part(part) {
            Part::Word(word) if *self.terms.get_mask(mask) == LOW => Some(word.clone()),
            _ => None,
        });
        match &words.collect::<Option<Vec<_>>>()?[..] {
            [a, b] if a.terms.len() <= b.terms.len() => Some((a.clone(), b.clone(), *by)),
            [a, b] => Some((b.clone(), a.clone(), *by)),
            _ => None,
        }
    }

    /// The region of an address, and the distance from its beginning. The address must be public.
    fn region(&self, address: &Linear) -> Result<(Region, Linear), Stop> {
        if self.terms.is_secret(address) {
            return refused("an address depends on a secret, or on a register that nothing is known of");
        }
        let mut region = None;
        let mut offset = Linear::number(address.constant);
        for &(atom, coefficient) in &address.terms {
            match self.terms.get_atom(atom) {
                Atom::Base(base) if coefficient == 1 && region.is_none() => region = Some(*base),
                Atom::Other(base, stream) if coefficient == 1 && region.is_none() => {
                    region = Some(*base);
                    offset.constant += 16 * STREAM * i128::from(*stream);
                }
                Atom::Base(_) | Atom::Other(..) => {
                    return refused("an address is no sum of one pointer and a distance");
                }
                _ => offset.terms.push((atom, coefficient)),
            }
        }
        match region {
            Some(region) => Ok((region, offset)),
            None => refused("an address is not that of a known object"),
        }
    }

    /// The distance of an access in an object of some bytes, if all of it lies there.
    fn fixed(offset: &Linear, bytes: i128, object: Range<i128>) -> Result<i128, Stop> {
        match offset.as_number() {
            Some(at) if at >= object.start && at + bytes <= object.end => Ok(at),
            _ => {
                refused(format!("an access is outside of its object of {} bytes", object.end - object.start))
            }
        }
    }

    /// The number of a block of text or output, and the bits of its bytes, all in one block, that an access is to.
    fn block(&self, offset: &Linear, bytes: u16, is_text: bool) -> Result<(Linear, u16), Stop> {
        let (stream, offset) = stream_of(offset, 16);
        let mut object = self.lengths[stream].clone();
        if is_text && self.contract.mode == Mode::Keys {
            // The text is the cipher key.
            object = Linear::number(self.contract.cipher_key_bytes());
        }
        let first = offset.constant.rem_euclid(16);
        let (begin, end) = (offset.offset_checked(-first), offset.offset_checked(i128::from(bytes)));
        let block = begin.as_ref().and_then(|begin| begin.divided(16));
        let (Some(block), Some(begin), Some(end)) = (block, begin, end) else {
            return refused("an access to the text is at no known place of a block");
        };
        if first + i128::from(bytes) > 16 {
            return refused("an access to the text is to more than one block");
        }
        // Other modes have only whole blocks.
        let is_partial = self.contract.mode.has_counter() || self.contract.mode == Mode::Keys;
        let end = if is_partial { end } else { self.integer(&begin, &Linear::number(16), 1)? };
        if !self.is_natural(&begin) || !self.is_at_most(&end, &object) {
            return refused("an access may be outside of the text or output");
        }
        match block.offset_checked(stream as i128 * STREAM) {
            Some(block) => Ok((block, bits_of(first, bytes))),
            None => refused("a number is too large"),
        }
    }

    /// Bytes of a block of text in the low part of a lane. In place, nothing may be stored there yet.
    fn text(&mut self, offset: &Linear, bytes: u16) -> Result<LaneId, Stop> {
        let (block, bits) = self.block(offset, bytes, true)?;
        let Text { done, stored, .. } = &self.path.texts[stream_of(&block, 1).0];
        let beyond = Linear::default().checked(&block, 16).and_then(|at| at.checked(done, -1));
        let is_kept = beyond.is_some_and(|beyond| match beyond.as_number() {
            Some(distance) => distance >= 0 && stored.get(&distance).is_none_or(|other| other & bits == 0),
            None => {
                let last = stored.last_key_value().map_or(0, |(last, _)| last + 16);
                self.is_at_most(&Linear::number(last), &beyond)
            }
        });
        if !is_kept || self.path.rest.is_some() {
            return refused("a block of text is read that output may have replaced");
        }
        let text = self.terms.part(Part::Text(block));
        Ok(self.terms.shuffled(text, &taken(bits)))
    }

    /// Bytes of a block of output are stored: once, at a known distance from those that are done, and as specified.
    fn output(&mut self, offset: &Linear, bytes: u16, value: LaneId) -> Result<(), Stop> {
        let (block, bits) = self.block(offset, bytes, false)?;
        let text = &mut self.path.texts[stream_of(&block, 1).0];
        let distance = Linear::default().checked(&block, 16).and_then(|at| at.checked(&text.done, -1));
        let distance = distance.and_then(|distance| distance.as_number()).filter(|&distance| distance >= 0);
        let Some(distance) = distance else {
            return refused("output is stored at no known distance from that which is done");
        };
        let stored = text.stored.entry(distance).or_default();
        if *stored & bits != 0 || self.path.rest.is_some() {
            return refused("output is stored twice");
        }
        *stored |= bits;
        self.specified(&block, bits, value, distance)
    }

    /// Requires bytes of a block of output to be as specified.
    fn specified(&mut self, block: &Linear, bits: u16, value: LaneId, distance: i128) -> Result<(), Stop> {
        let (mut last, value) = (Ok(()), self.terms.plain(value));
        for carry in claim::carries(self) {
            match claim::output_with(self, block, &carry) {
                Ok(expected) => {
                    let expected = self.terms.shuffled(expected, &taken(bits));
                    if expected == value || expected == self.again(value) {
                        return Ok(());
                    }
                    self.differing = Some((value, expected));
                    last =
                        refused(format!("a stored block, {} blocks on, is not as specified", distance / 16));
                }
                Err(stop) => last = last.and(Err(stop)),
            }
        }
        last
    }

    /// The number of the block of text or output from which on a mask selects the bytes that are left, and its distance
    /// from those that are done. The mask of some lanes must select all of them.
    fn remaining(&self, offset: &Linear, mask: &Linear, lanes: usize) -> Result<(Linear, i128), Stop> {
        let count = mask.as_atom().and_then(|atom| match self.terms.get_atom(atom) {
            Atom::Ones(count) => Some(count),
            _ => None,
        });
        let left = self.integer(&self.lengths[0], offset, -1)?;
        let is_left = count.and_then(|count| left.checked(count, -1)).is_some_and(|d| self.is_zero_form(&d));
        let distance = self.integer(offset, &self.path.texts[0].done, -1)?.as_number();
        let (Some(block), Some(distance @ 0..)) = (offset.divided(16), distance) else {
            return refused("a masked access is at no known distance");
        };
        let is_text = self.contract.mode.has_counter() && self.is_within(&left, 16 * lanes as i128);
        if !is_left || !is_text || self.path.rest.is_some() {
            return refused("a masked access is not just to the rest of the text or output");
        }
        if self.path.texts[0].stored.keys().any(|&other| other >= distance) {
            return refused("the rest of the text or output is partly stored");
        }
        Ok((block, distance))
    }

    /// The number of bytes of a stream that are stored since the beginning of the piece, if there are no gaps.
    pub fn stored(&self, stream: usize) -> Option<i128> {
        let mut bytes = 0;
        for (&distance, &bits) in &self.path.texts[stream].stored {
            if distance != bytes || bits & bits.wrapping_add(1) != 0 {
                return None;
            }
            bytes += i128::from(bits.count_ones());
        }
        Some(bytes)
    }

    /// The first of some bytes in a word of the stack, which the function owns, and the place of the word; or that of two.
    fn cell(&self, region: Region, offset: &Linear, bytes: u16) -> Result<(i128, i128), Stop> {
        let end = match (self.path.pointer, self.frame) {
            ((own, at), _) if own == region => at,
            // Above the place that was aligned.
            ((Region::Frame, _), Some((from, _))) => from,
            _ => return refused("the frame is below the stack pointer"),
        };
        let first = offset.constant.rem_euclid(8);
        if first != 0 && first + i128::from(bytes) > 8 {
            return refused("an access to the stack is not in a word at a multiple of 8 bytes");
        }
        Ok((first, Self::fixed(&offset.offset(-first), i128::from(bytes.max(8)), end..0)?))
    }

    fn set_cell(&mut self, at: Place, value: Linear) {
        if self.terms.is_secret(&value) && !self.is_of_caller(&value) {
            self.path.secret_cells.insert(at);
        } else {
            self.path.secret_cells.remove(&at);
        }
        self.path.table = self.path.table.take().filter(|table| !table.has(at));
        self.path.cells.insert(at, value);
    }

    /// True if the word is the value of a register at entry: no secret of this call.
    pub fn is_of_caller(&self, word: &Linear) -> bool {
        word.as_atom().is_some_and(|atom| matches!(self.terms.get_atom(atom), Atom::Entry(_)))
    }

    /// A block of the stack.
    pub(crate) fn stack_block(&mut self, (region, at): Place) -> Result<LaneId, Stop> {
        let (_, at) = self.cell(region, &Linear::number(at), 16)?;
        let (low, high) = (self.get_cell((region, at))?, self.get_cell((region, at + 8))?);
        Ok(self.terms.words(&low, &high))
    }

    fn get_cell(&self, at: Place) -> Result<Linear, Stop> {
        match self.path.cells.get(&at) {
            Some(value) => Ok(value.clone()),
            None => refused("a word of the stack is read that nothing is known of"),
        }
    }

    /// The number of the stream and the place in its object, of some bytes, that an access lies in.
    fn object(&self, offset: &Linear, bytes: i128, object: i128) -> Result<(usize, i128), Stop> {
        let (stream, offset) = stream_of(offset, 16);
        Ok((stream, Self::fixed(&offset, bytes, 0..object)?))
    }

    /// True if a word is made of the bits of a lane.
    fn is_of_bits(&self, word: &Linear) -> bool {
        let is_half = |&(id, _): &(u32, i128)| matches!(self.terms.get_atom(id), Atom::Half(_));
        self.terms.has_bits() && (self.terms.is_secret(word) || word.terms.iter().any(is_half))
    }

    /// A lane with some bytes replaced by the low ones of another, whose others are zero.
    fn replaced(&mut self, old: LaneId, first: i128, bytes: u16, by: LaneId) -> LaneId {
        let place = |at: usize| at.checked_sub(first as usize).filter(|at| *at < usize::from(bytes));
        let kept = |at: usize| if place(at).is_none() { at as u8 } else { ZERO };
        let moved = |at: usize| place(at).map_or(ZERO, |at| at as u8);
        let old = self.terms.shuffled(old, &core::array::from_fn(kept));
        let new = self.terms.shuffled(by, &core::array::from_fn(moved));
        self.terms.xor(old, new)
    }

    /// The stream, the number of the first word of a block of the IV's memory, and the place in the block, of some bytes.
    fn place_of_iv(&self, offset: &Linear, bytes: u16) -> Result<(usize, usize, i128), Stop> {
        let words = self.path.texts[0].iv.len();
        let (stream, at) = self.object(offset, bytes.into(), 8 * words as i128)?;
        if at % 16 + i128::from(bytes) > 16 {
            return refused("an access to the IV is to more than one block");
        }
        Ok((stream, (at / 16 * 2) as usize, at % 16))
    }

    /// Bytes of memory in the low part of a lane.
    fn read(&mut self, address: &Linear, bytes: u16) -> Result<LaneId, Stop> {
        let (region, offset) = self.region(address)?;
        let (first, [low, high]) = match region {
            Region::Key if bytes == 16 && self.is_power(&offset) => return self.power(&offset),
            Region::Key if offset.as_number().is_none() && bytes == 16 => return self.key_table(&offset),
            Region::Key => {
                let (stream, at) = self.object(&offset, bytes.into(), self.contract.key_bytes())?;
                if at % 16 + i128::from(bytes) > 16 {
                    return refused("an access to the round keys is to more than one");
                }
                let key = self.round_key((at / 16) as u16 + 16 * stream as u16);
                return Ok(self.terms.shuffled(key, &taken(bits_of(at % 16, bytes))));
            }
            Region::Input => return self.text(&offset, bytes),
            // What a key schedule stored is what it has to compute.
            Region::Output if self.contract.mode == Mode::Keys && bytes < 16 => {
                let (block, bits) = self.block(&offset, bytes, false)?;
                let key = claim::output_with(self, &block, &Linear::default())?;
                let distance = block.as_number().map_or(-1, |block| 16 * block);
                let stored = self.path.texts[0].stored.get(&distance);
                if stored.is_none_or(|stored| stored & bits != bits) {
                    return refused("output is read that is not stored");
                }
                return Ok(self.terms.shuffled(key, &taken(bits)));
            }
            Region::Output if self.contract.mode.is_gcm() => {
                let (block, bits) = self.block(&offset, bytes, false)?;
                let stored = self.stored_block(&block, bits)?;
                return Ok(self.terms.shuffled(stored, &taken(bits)));
            }
            Region::Code => {
                let constant = self.constant(&offset, bytes.into())?;
                return Ok(self.terms.constant(constant));
            }
            Region::Stack | Region::Frame if offset.as_number().is_none() && bytes == 16 => {
                return self.stack_table(region, &offset);
            }
            Region::Stack | Region::Frame => {
                let (first, at) = self.cell(region, &offset, bytes)?;
                let low = self.get_cell((region, at))?;
                (first, [low, if bytes > 8 { self.get_cell((region, at + 8))? } else { Linear::default() }])
            }
            Region::Iv if self.contract.has_iv() => {
                let (stream, at, first) = self.place_of_iv(&offset, bytes)?;
                let words = &self.path.texts[stream].iv[at..];
                (first, [words[0].clone(), words[1].clone()])
            }
            Region::Array(kind) if bytes == 8 => {
                let at = Self::fixed(&offset, 8, 0..8 * i128::from(self.contract.streams))?;
                if at % 8 != 0 {
                    return refused("an access to an array is not at a multiple of 8 bytes");
                }
                (0, [self.terms.element(kind, (at / 8) as u8), Linear::default()])
            }
            _ => return refused("a load is not allowed there, or not of this number of bytes"),
        };
        let lane = self.terms.words(&low, &high);
        Ok(self.terms.shuffled(lane, &taken(bits_of(first, bytes))))
    }

    /// Stores the low bytes of a lane, whose others are zero.
    fn write(&mut self, address: &Linear, bytes: u16, value: LaneId) -> Result<(), Stop> {
        let (region, offset) = self.region(address)?;
        match region {
            Region::Output => self.output(&offset, bytes, value)?,
            Region::Key if self.contract.mode == Mode::Table => {
                self.output(&offset.offset(-TABLE.start), bytes, value)?;
            }
            Region::Stack | Region::Frame => {
                let (first, at) = self.cell(region, &offset, bytes)?;
                let mut lane = value;
                if bytes < 8 {
                    // Nothing is known of the rest of a word that was not written.
                    let old = self.path.cells.get(&(region, at)).cloned();
                    let old = old.unwrap_or_else(|| self.terms.unknown());
                    let old = self.terms.words(&old, &Linear::default());
                    lane = self.replaced(old, first, bytes, value);
                }
                for half in 0..if bytes > 8 { 2 } else { 1 } {
                    let word = self.terms.half(lane, half);
                    self.set_cell((region, at + 8 * i128::from(half)), word);
                }
            }
            Region::Iv if self.contract.has_iv() => {
                let (stream, at, first) = self.place_of_iv(&offset, bytes)?;
                let [low, high] = [0, 1].map(|half| self.path.texts[stream].iv[at + half].clone());
                let lane = self.terms.words(&low, &high);
                let value = self.terms.folded(value);
                let lane = self.replaced(lane, first, bytes, value);
                for half in [0, 1] {
                    self.path.texts[stream].iv[at + half] = self.terms.half(lane, half as u8);
                }
            }
            _ => return refused("a store is not allowed there"),
        }
        Ok(())
    }

    /// Bytes of the constants at a place that at most eight bits of a lane select, if the address is that of one.
    fn looked_up(&mut self, address: &Linear, bytes: u16) -> Result<Option<LaneId>, Stop> {
        let code = self.terms.find(&Atom::Base(Region::Code));
        let (id, factor) = match address.terms[..] {
            [(id, factor), (base, 1)] | [(base, 1), (id, factor)] if Some(base) == code => (id, factor),
            _ => return Ok(None),
        };
        let &Atom::Half(lane) = self.terms.get_atom(id) else { return Ok(None) };
        if self.terms.is_secret(address) && !self.contract.lookups {
            return refused("an address in a table depends on a secret, and the claim has no look-ups");
        }
        let index = if self.terms.has_bits() { self.terms.index(lane) } else { None };
        let Some((index, numbers)) = index else {
            return refused(
                "an address in a table is not made of eight bits, or the proof is not about bits",
            );
        };
        let mut tables = vec![[0; 256]; bytes.into()];
        for (value, number) in numbers.into_iter().enumerate() {
            let at = (address.constant as u64).wrapping_add(number.wrapping_mul(factor as u64));
            let entry = self.constant(&Linear::number(i128::from(at as i64)), bytes.into())?;
            tables.iter_mut().zip(entry.to_le_bytes()).for_each(|(table, byte)| table[value] = byte);
        }
        match self.terms.entries(index, &tables) {
            Some(lane) => Ok(Some(lane)),
            None => refused("a table in memory is no sum of bits of a byte and of its S-box"),
        }
    }

    /// Bytes of the constants.
    fn constant(&self, offset: &Linear, bytes: i128) -> Result<u128, Stop> {
        let range = self.constants.start as i128..self.constants.end as i128;
        let at = Self::fixed(offset, bytes, range)? as usize;
        let bytes = self.code.get(at..at + bytes as usize).unwrap_or_default();
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte)))
    }
}

/// A bit for each of some bytes of a block.
fn bits_of(first: i128, bytes: u16) -> u16 {
    (((1_u32 << bytes) - 1) << first) as u16
}

/// The shuffle that moves the bytes of these bits down.
fn taken(bits: u16) -> [u8; 16] {
    let (first, count) = (bits.trailing_zeros() as usize, bits.count_ones() as usize);
    core::array::from_fn(|k| if k < count { (k + first) as u8 } else { ZERO })
}

/// The shuffle that keeps the bytes that are 0xff in a mask; none if others are not 0.
fn kept(mask: u128) -> Option<[u8; 16]> {
    let bytes = mask.to_le_bytes();
    let is_whole = bytes.iter().all(|&byte| byte == 0 || byte == 0xff);
    is_whole.then(|| core::array::from_fn(|k| if bytes[k] == 0 { ZERO } else { k as u8 }))
}

impl Domain for Symbolic<'_> {
    type Word = Linear;
    type Lane = LaneId;
    type Bit = Bit;
    type Stop = Stop;

    fn number(&mut self, number: u64) -> Linear {
        Linear::number(i128::from(number)).word()
    }

    fn code(&mut self, offset: u64) -> Linear {
        self.terms.word(Atom::Base(Region::Code)).offset(i128::from(offset))
    }

    fn combine(&mut self, a: &Linear, b: &Linear, factor: i64) -> Linear {
        a.combine(b, factor)
    }

    fn shifted(&mut self, a: &Linear, shift: Shift, by: u8) -> Linear {
        if self.is_of_bits(a) {
            let lane = self.terms.words(a, &Linear::default());
            if let Some(lane) = self.terms.moved_to(lane, &shifted_bits(64, shift, by)) {
                return self.terms.half(lane, 0);
            }
        }
        if shift == Shift::Left {
            return Linear::default().combine(a, 1 << by);
        }
        let quotient = self.quotient(a, by);
        self.define(a, &quotient, by);
        quotient
    }

    fn bitwise(&mut self, op: Op, a: &Linear, b: &Linear) -> Result<Linear, Stop> {
        let is_of_lane = self.terms.is_secret(a) || self.is_of_bits(a) || self.is_of_bits(b);
        if let (Op::And, Some(mask), false) = (op, b.as_number(), is_of_lane) {
            if let Some((from, alignment)) = self.frame
                && mask == -alignment
                && *a == self.terms.word(Atom::Base(Region::Stack)).offset(from)
            {
                return Ok(self.terms.word(Atom::Base(Region::Frame)));
            }
            let mask = mask as u64;
            let ones = mask.trailing_ones();
            if self.contract.mode.is_gcm() && mask == 255 && !self.is_within(a, 255) {
                return Ok(self.lowest_bits(a, ones));
            }
            if mask == u64::MAX {
                return Ok(a.clone());
            }
            if mask == 0 || self.is_within(a, (1 << ones) - 1) {
                return Ok(if mask == 0 { Linear::default() } else { a.clone() });
            }
            // The low bits are the word without the multiple of a power of two above them.
            if mask == (1 << ones) - 1 {
                let quotient = self.quotient(a, ones as u8);
                return Ok(a.combine(&quotient, (1_i64 << ones).wrapping_neg()));
            }
            if !mask == (1 << mask.trailing_zeros()) - 1 {
                let low = self.bitwise(op, a, &Linear::number(i128::from(!mask)))?;
                return Ok(a.minus(&low));
            }
        }
        let table = match (op, a.as_number(), b.as_number()) {
            (Op::Or, Some(a), Some(b)) => return Ok(Linear::number(a | b)),
            (Op::Or, Some(0), _) => return Ok(b.clone()),
            (Op::Or, _, Some(0)) => return Ok(a.clone()),
            (Op::Or, ..) => OR,
            (Op::And, ..) => AND,
            _ => XOR,
        };
        let zero = Linear::default();
        let (a, b) = (self.terms.words(a, &zero), self.terms.words(b, &zero));
        let lane = self.logic(table, [&a, &a, &b])?;
        Ok(self.terms.half(lane, 0))
    }

    fn swapped(&mut self, a: &Linear) -> Linear {
        self.terms.swapped(a)
    }

    fn bit(&mut self, bit: bool) -> Bit {
        Bit::Known(bit)
    }

    fn is_below(&mut self, a: &Linear, b: &Linear) -> Bit {
        Bit::Below(a.clone(), b.clone())
    }

    fn carries(&mut self, a: &Linear, b: &Linear, carry: bool) -> Bit {
        Bit::Carries(a.clone(), b.clone(), carry)
    }

    fn is_zero(&mut self, a: &Linear) -> Bit {
        match (a.as_number(), self.as_low_bits(a)) {
            (Some(number), _) => Bit::Known(number == 0),
            (None, Some((word, bits))) => self.disjoint(&word, (1 << bits) - 1),
            (None, None) => Bit::Zero(a.clone()),
        }
    }

    fn is_disjoint(&mut self, a: &Linear, b: &Linear) -> Bit {
        match b.as_number() {
            Some(mask) => self.disjoint(a, mask as u64),
            None => Bit::Arbitrary,
        }
    }

    fn arbitrary(&mut self) -> Bit {
        Bit::Arbitrary
    }

    fn decide(&mut self, bit: &Bit) -> Result<bool, Stop> {
        if self.is_secret_bit(bit) {
            return refused("a condition depends on a secret, or on a flag that nothing is known of");
        }
        self.value(bit).ok_or_else(|| Stop::Split(bit.clone()))
    }

    fn is_secret(&self, word: &Linear) -> bool {
        self.terms.is_secret(word)
    }

    fn lane(&mut self, number: u128) -> LaneId {
        self.terms.constant(number)
    }

    fn xor(&mut self, a: &LaneId, b: &LaneId) -> LaneId {
        let sum = self.terms.xor_folded(*a, *b);
        let has_constant = [a, b].into_iter().any(|lane| self.terms.as_constant(*lane).is_some());
        if has_constant { self.absorbed(sum) } else { sum }
    }

    fn logic(&mut self, table: u8, [a, b, c]: [&LaneId; 3]) -> Result<LaneId, Stop> {
        if self.terms.has_bits() {
            return match self.terms.logic(table, [*a, *b, *c]) {
                Some(lane) => Ok(lane),
                None => refused("a bitwise operation is on values that no group of S-boxes has"),
            };
        }
        let (lane, mask) = match (self.terms.as_constant(*b), self.terms.as_constant(*c)) {
            (_, Some(mask)) if table == AND => (*b, mask),
            (Some(mask), _) if table == AND => (*c, mask),
            _ if table == XOR => return Ok(self.terms.xor_folded(*b, *c)),
            _ if table == XOR_OF_THREE => {
                let sum = self.terms.xor_folded(*a, *b);
                return Ok(self.terms.xor_folded(sum, *c));
            }
            _ => return refused("a bitwise operation is not supported"),
        };
        match kept(mask) {
            Some(mask) => Ok(self.terms.shuffled(lane, &mask)),
            None => refused("a mask does not consist of whole bytes"),
        }
    }

    fn add_doubles(&mut self, a: &LaneId, b: &LaneId) -> Result<LaneId, Stop> {
        if self.contract.mode.is_gcm()
            && let Some(sum) = self.sums_of_doubles(*a, *b)
        {
            return Ok(sum);
        }
        let Some(numbers) = self.terms.as_constant(*b) else {
            return refused("a sum is not with a constant");
        };
        if let Some(own) = self.terms.as_constant(*a) {
            let double =
                |at: u32| u128::from(((own >> at) as u32).wrapping_add((numbers >> at) as u32)) << at;
            return Ok(self.terms.constant([0, 32, 64, 96].into_iter().map(double).sum()));
        }
        let mut lane = *a;
        for at in [3, 7, 11, 15] {
            let number = (numbers >> (8 * at - 24)) as u32;
            if number << 8 != 0 {
                return refused("a sum is not with bytes of the highest value");
            }
            if number != 0 {
                lane = self.add_to_byte(lane, at, i128::from(number >> 24))?;
            }
        }
        Ok(lane)
    }

    fn shuffled(&mut self, a: &LaneId, mask: &[u8; 16]) -> LaneId {
        let lane = self.terms.plain(*a);
        self.terms.shuffled(lane, mask)
    }

    fn moved(&mut self, a: &LaneId, from: &[u8; 128]) -> Result<LaneId, Stop> {
        let lane = match self.terms.has_bits() {
            true => self.terms.moved_to(*a, from),
            false => self.terms.with_moved_bits(*a, from),
        };
        lane.map_or_else(|| refused("bits are moved that are not known, or the proof is not about bits"), Ok)
    }

    fn product(&mut self, (a, x): (&LaneId, u8), (b, y): (&LaneId, u8)) -> Result<LaneId, Stop> {
        // Products in the field, and rounds, are made where both are blocks: sums of products are reduced first.
        let has_constant = [a, b].into_iter().any(|lane| self.terms.as_constant(*lane).is_some());
        let (a, b) = if has_constant { (*a, *b) } else { (self.again(*a), self.again(*b)) };
        let product = if self.terms.has_bits() { None } else { self.terms.product((a, x), (b, y)) };
        product.map_or_else(|| refused("a carry-less product has no name"), Ok)
    }

    fn applied(&mut self, a: &LaneId, table: &[u8; 256]) -> Result<LaneId, Stop> {
        const REASON: &str =
            "a table of bytes is no sum of bits of a byte and of its S-box, or a shuffle is by no constant";
        let lane = if self.terms.has_bits() { self.terms.applied(*a, table) } else { None };
        lane.map_or_else(|| refused(REASON), Ok)
    }

    fn known(&mut self, a: &LaneId) -> Result<u128, Stop> {
        match self.terms.as_constant(*a) {
            Some(number) => Ok(number),
            None => refused("a shuffle is by no constant"),
        }
    }

    fn round(&mut self, round: Round, a: &LaneId) -> LaneId {
        self.round_of(round, *a)
    }

    fn words(&mut self, low: &Linear, high: &Linear) -> LaneId {
        self.terms.words(low, high)
    }

    fn half(&mut self, a: &LaneId, which: u8) -> Linear {
        self.terms.half(*a, which)
    }

    fn load(&mut self, address: &Linear, bytes: u16) -> Result<Linear, Stop> {
        let lane = match self.looked_up(address, bytes)? {
            Some(found) => found,
            None => self.read(address, bytes)?,
        };
        if self.contract.mode.is_gcm()
            && let Some(byte) = self.byte_of_word(lane)
        {
            return Ok(byte);
        }
        Ok(self.terms.half(lane, 0))
    }

    fn store(&mut self, address: &Linear, bytes: u16, value: &Linear) -> Result<(), Stop> {
        let lane = self.terms.words(value, &Linear::default());
        let lane = self.terms.shuffled(lane, &taken(bits_of(0, bytes)));
        self.write(address, bytes, lane)
    }

    fn load_lane(&mut self, address: &Linear) -> Result<LaneId, Stop> {
        self.read(address, 16)
    }

    fn store_lane(&mut self, address: &Linear, value: &LaneId) -> Result<(), Stop> {
        self.write(address, 16, *value)
    }

    fn low_bits(&mut self, a: &Linear, count: &Linear) -> Result<Linear, Stop> {
        if a.as_number() != Some(-1) || !self.is_within(count, 64) {
            return refused("a mask is not made of ones, or of more than 64");
        }
        Ok(self.terms.word(Atom::Ones(count.clone())))
    }

    fn load_masked(&mut self, address: &Linear, mask: &Linear, lanes: usize) -> Result<Vec<LaneId>, Stop> {
        let (Region::Input, offset) = self.region(address)? else {
            return refused("a masked load is not from the text");
        };
        let (first, _) = self.remaining(&offset, mask, lanes)?;
        // Behind the end both the lanes and the blocks are zero.
        Ok((0..lanes).map(|k| self.terms.part(Part::Text(first.offset(k as i128)))).collect())
    }

    fn store_masked(&mut self, address: &Linear, mask: &Linear, lanes: &[LaneId]) -> Result<(), Stop> {
        let (Region::Output, offset) = self.region(address)? else {
            return refused("a masked store is not to the output");
        };
        let (first, distance) = self.remaining(&offset, mask, lanes.len())?;
        let known = self.path.facts.clone();
        for (k, &lane) in lanes.iter().enumerate() {
            // Nothing of a block is stored unless it has a byte.
            let begin = self.integer(&offset, &Linear::number(16 * k as i128 + 1), 1)?;
            let fact = self.integer(&self.lengths[0], &begin, -1)?;
            self.path.facts.add(fact);
            let block = first.offset(k as i128);
            let verdict = self.specified(&block, u16::MAX, lane, distance + 16 * k as i128);
            self.path.facts = known.clone();
            verdict?;
        }
        self.path.rest = Some(distance);
        Ok(())
    }

    fn begins(&mut self, mask: &Linear, lanes: &[LaneId]) -> Result<Vec<LaneId>, Stop> {
        self.first_bytes(mask, lanes)
    }

    fn aligned(&mut self, address: &Linear, bytes: u16) -> Result<(), Stop> {
        match self.value(&self.disjoint(address, u64::from(bytes) - 1)) {
            Some(true) => Ok(()),
            _ => refused(format!("an address that must be a multiple of {bytes} may be none")),
        }
    }

    fn prefetch(&mut self, address: &Linear) -> Result<(), Stop> {
        if self.terms.is_secret(address) {
            return refused("the address of a prefetch depends on a secret");
        }
        Ok(())
    }

    fn stack(&mut self, pointer: &Linear) -> Result<(), Stop> {
        let (region, offset) = self.region(pointer)?;
        // Of the part of the stack where the pointer is not, a frame leaves what is above the place that was aligned, and
        // is no more when the pointer is above it again.
        let (least, kept) = match (region, self.frame) {
            (Region::Stack, _) => (-STACK_BYTES, 0),
            (Region::Frame, Some((from, alignment))) => (alignment - from - STACK_BYTES, from),
            _ => return refused("the stack pointer is no allowed place on the stack"),
        };
        let Some(at) = offset.as_number().filter(|at| (least..=0).contains(at)) else {
            return refused("the stack pointer is no allowed place on the stack");
        };
        self.path.pointer = (region, at);
        let is_kept = |(own, cell): Place| cell >= if own == region { at } else { kept };
        self.path.cells.retain(|&cell, _| is_kept(cell));
        self.path.table = self.path.table.take().filter(|table| is_kept(table.at));
        Ok(())
    }

    fn streams(&mut self, begins: bool) {
        self.path.streams = begins;
    }

    fn returns(&mut self, pointer: &Linear) -> Result<(), Stop> {
        let (region, offset) = self.region(pointer)?;
        if region != Region::Stack || offset.as_number() != Some(0) {
            return refused("the stack pointer is not at the return address at a return");
        }
        Ok(())
    }

    fn unsupported(&self) -> Stop {
        Stop::Refused("an instruction is not supported with these operands".into())
    }
}
