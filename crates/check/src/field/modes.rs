//! GCM and XTS over terms: counters, tweaks, values of GHASH, and what lies behind the end of a text.

use crate::claim;
use crate::decode::Op;
use crate::execute::Domain;
use crate::linear::Linear;
use crate::spec::{HASH_END, HASH_ZEROS, Mode, POWERS, TABLE};
use crate::symbolic::{Bit, Stop, Symbolic, WORDS, refused};
use crate::terms::{Atom, Lane, LaneId, Mask, Part, SAME, Terms, ZERO};
use alloc::vec::Vec;
use core::ops::Range;

/// The bytes of a counter block that do not count.
const FIXED: Mask = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ZERO, ZERO, ZERO, ZERO];
/// The last four bytes of a block, from the low ones of a word: the highest first.
const COUNTED: Mask = [ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, 3, 2, 1, 0];
/// The most blocks that GHASH absorbs between two heads.
const MOST_BLOCKS: i128 = 255;

/// The words of the memory of GCM's IV: the first counter block, and the value of GHASH before the text.
pub fn iv(terms: &mut Terms) -> Vec<Linear> {
    let zero = Linear::number(0);
    let lanes = [counter(terms, &zero), terms.part(Part::Hash(zero))];
    lanes.into_iter().flat_map(|lane| [terms.half(lane, 0), terms.half(lane, 1)]).collect()
}

/// The counter block of a block of text: only the last 32 bits count, modulo 2^32 (SP 800-38D, 6.2).
pub fn counter(terms: &mut Terms, block: &Linear) -> LaneId {
    let word = terms.word(Atom::Counter(2)).plus(block);
    let word = terms.words(&word, &Linear::default());
    let (fixed, counted) = (terms.part(Part::Nonce), terms.shuffled(word, &COUNTED));
    let fixed = terms.shuffled(fixed, &FIXED);
    terms.xor(fixed, counted)
}

/// The block that GHASH absorbs: of text if it is deciphered, else of output, with zeros behind the end of the text.
///
/// # Errors
/// If numbers are too large.
pub fn absorbed(s: &mut Symbolic, block: &Linear) -> Result<LaneId, Stop> {
    let lane = match s.contract.mode {
        Mode::Gcm { hashes_text: true } => s.terms.part(Part::Text(block.clone())),
        // Split rounds are made by what is known on a path.
        _ if s.splits > 0 => claim::output_with(s, block, &Linear::default())?,
        _ => match s.blocks.get(block) {
            Some(&known) => known,
            None => {
                let output = claim::output_with(s, block, &Linear::default())?;
                s.blocks.insert(block.clone(), output);
                output
            }
        },
    };
    let lane = s.again(lane);
    s.without_rest(lane, block)
}

/// The value of GHASH before a block: from the value that has a name, by SP 800-38D, 6.4, as the sum of all blocks since, times
/// powers of the hash key.
///
/// # Errors
/// If it is at no known distance from there, or what was absorbed since has no name.
pub fn hash(s: &mut Symbolic, block: &Linear) -> Result<LaneId, Stop> {
    let first = s.path.hashed.clone();
    let start = s.terms.part(Part::Hash(first.clone()));
    let distance = block.checked(&first, -1);
    let count = distance.and_then(|distance| {
        let is_count =
            |number: &i128| distance.offset_checked(-number).is_some_and(|rest| s.is_zero_form(&rest));
        (0..=MOST_BLOCKS).find(is_count)
    });
    let Some(count) = count else { return refused("a value of GHASH is at no known distance") };
    if count == 0 {
        return Ok(start);
    }
    let mut all = Vec::new();
    for number in 0..count {
        let Some(block) = first.offset_checked(number) else { return refused("too many blocks") };
        let mut value = absorbed(s, &block)?;
        if number == 0 {
            value = s.terms.xor(value, start);
        }
        if s.terms.add_multiples(value, (count - number) as u8, &mut all).is_none() {
            return refused("a block that GHASH absorbs has no name");
        }
    }
    Ok(s.terms.normal(0, all, Vec::new()))
}

impl Symbolic<'_> {
    /// A block with zeros behind the end of the text.
    fn without_rest(&mut self, lane: LaneId, block: &Linear) -> Result<LaneId, Stop> {
        let Some(left) = self.lengths[0].checked(block, -16) else { return refused("a number is too large") };
        if self.is_at_most(&Linear::number(16), &left) {
            return Ok(lane);
        }
        if self.is_at_most(&left, &Linear::number(0)) {
            return Ok(self.terms.constant(0));
        }
        for count in 1..16_u8 {
            let rest = left.offset_checked(-i128::from(count));
            if rest.is_some_and(|rest| self.is_zero_form(&rest)) {
                let kept = core::array::from_fn(|k| if k < usize::from(count) { k as u8 } else { ZERO });
                return Ok(self.terms.shuffled(lane, &kept));
            }
        }
        let Lane { constant: 0, parts, maps, .. } = self.terms.get_lane(lane).clone() else {
            return refused("the last block has a constant");
        };
        if !maps.is_empty() {
            return refused("the last block is no sum of shuffled parts");
        }
        let mut sum = self.terms.constant(0);
        for (part, mask) in parts {
            // Text is zero there.
            let is_text = *self.terms.get_part(part) == Part::Text(block.clone());
            let kept = match *self.terms.get_mask(mask) == SAME && is_text {
                true => Part::Text(block.clone()),
                false => Part::Begin((part, mask), block.clone()),
            };
            let kept = self.terms.part(kept);
            sum = self.terms.xor(sum, kept);
        }
        Ok(sum)
    }

    /// Lanes of blocks of text, with zeros where a mask of as many ones as bytes of text are left has none. The path is split by
    /// the number of blocks.
    pub(crate) fn first_bytes(&mut self, mask: &Linear, lanes: &[LaneId]) -> Result<Vec<LaneId>, Stop> {
        let count = mask.as_atom().and_then(|atom| match self.terms.get_atom(atom) {
            Atom::Ones(count) => Some(count.clone()),
            _ => None,
        });
        let first = count.as_ref().and_then(|count| self.lengths[0].checked(count, -1)?.divided(16));
        let (Some(count), Some(first), true) = (count, first, self.contract.mode.is_gcm()) else {
            return refused("a mask of a register is not that of the rest of the text");
        };
        for number in 1..lanes.len() as i128 {
            if !self.decide(&Bit::Below(Linear::number(16 * number), count.clone()))? {
                break;
            }
        }
        let block = |k: usize| first.offset(k as i128);
        lanes.iter().enumerate().map(|(k, &lane)| self.without_rest(lane, &block(k))).collect()
    }

    /// Bytes of an entry of a power of the hash key, or of the zeros behind, at a distance in the key structure. If the distance has
    /// an unknown number of entries, the path is split by that.
    pub(crate) fn power(&mut self, offset: &Linear) -> Result<LaneId, Stop> {
        let mut at = offset.constant;
        match offset.terms[..] {
            [] => {}
            [(atom, -16)] => {
                let (entries, mut number) = (Linear::atom(atom), 0);
                while self.decide(&Bit::Below(Linear::number(number), entries.clone()))? {
                    number += 1;
                    if number > POWERS {
                        return refused("more powers of the hash key are read than there are");
                    }
                }
                at -= 16 * number;
            }
            _ => return refused("a power of the hash key is read at no known place"),
        }
        let exponent = (HASH_END - at) / 16;
        match exponent {
            _ if at % 16 != 0 || at + 16 > HASH_END + HASH_ZEROS => {
                refused("an access to the powers of the hash key is not to one, or behind them")
            }
            1..=POWERS => Ok(self.terms.part(Part::Power(exponent as u8))),
            ..=0 => Ok(self.terms.constant(0)),
            _ => refused("an access is before the powers of the hash key"),
        }
    }

    /// A block of output that is stored: it was compared with the specification.
    pub(crate) fn stored_block(&mut self, block: &Linear, bits: u16) -> Result<LaneId, Stop> {
        let text = &self.path.texts[0];
        let distance = Linear::default().checked(block, 16).and_then(|at| at.checked(&text.done, -1));
        let is_stored = distance.and_then(|distance| distance.as_number()).is_some_and(|distance| {
            distance <= -16 || text.stored.get(&distance).is_some_and(|stored| stored & bits == bits)
        });
        let begin = Linear::default().checked(block, 16);
        if !is_stored || !begin.is_some_and(|begin| self.is_natural(&begin)) || self.path.rest.is_some() {
            return refused("output is read that is not known to be stored");
        }
        claim::output_with(self, block, &Linear::default())
    }

    /// The sums of numbers of 32 bits, each of which is the low half of a word or a constant; none if some are neither.
    pub(crate) fn sums_of_doubles(&mut self, a: LaneId, b: LaneId) -> Option<LaneId> {
        let mut sum = a;
        for double in 0..4 {
            let y = self.double(b, double)?;
            if y.as_number() == Some(0) {
                continue;
            }
            let x = self.double(a, double)?;
            let place: Mask = core::array::from_fn(|k| if k / 4 == double { k as u8 % 4 } else { ZERO });
            for word in [x.clone(), x.plus(&y)] {
                let word = match word.as_number() {
                    Some(number) => Linear::number(i128::from(number as u32)),
                    None => word,
                };
                let word = self.terms.words(&word, &Linear::default());
                let word = self.terms.shuffled(word, &place);
                sum = self.terms.xor(sum, word);
            }
        }
        Some(sum)
    }

    /// A word of which a number of 32 bits in a lane is the low half.
    fn double(&self, lane: LaneId, double: usize) -> Option<Linear> {
        let Lane { constant, parts, maps, bits } = self.terms.get_lane(lane);
        let bytes = 4 * double..4 * double + 4;
        let own = |mask: u32| &self.terms.get_mask(mask)[bytes.clone()];
        let number = (constant >> (32 * double)) as u32;
        let mut there = parts.iter().filter(|part| own(part.1) != [ZERO; 4]);
        if !maps.is_empty() || !bits.is_empty() {
            return None;
        }
        let Some(&(part, mask)) = there.next() else { return Some(Linear::number(number.into())) };
        let Part::Word(word) = self.terms.get_part(part) else { return None };
        match own(mask) {
            _ if number != 0 || there.next().is_some() => None,
            [0, 1, 2, 3] => Some(word.clone()),
            [4, 5, 6, 7] if self.is_within(word, (1 << 32) - 1) => Some(Linear::default()),
            _ => None,
        }
    }

    /// True if the sum of the lowest byte of a word and a number is known to be below 256, by a comparison of the lowest byte of a
    /// word that is less by at least one of some numbers: between both nothing is carried.
    pub(crate) fn is_known_byte(&self, word: &Linear, number: i128, less: Range<i128>) -> bool {
        self.contract.mode.is_gcm()
            && self.terms.quotients(word).any(|(base, distance, upper)| {
                let byte = base.checked(&Linear::atom(upper), -256);
                let sum = byte.and_then(|byte| byte.offset_checked(distance + number));
                less.contains(&distance)
                    && self.is_within(base, WORDS - 1)
                    && sum.is_some_and(|sum| self.is_at_most(&sum, &Linear::number(255)))
            })
    }

    /// Facts about quotients by 256, once it is known whether a word is a multiple of 256: the lowest bytes of words at a distance from
    /// one that is are known, and one that is not has the quotient of the word before.
    pub(crate) fn define_byte(&mut self, multiple: &Linear, is_one: bool) {
        let known: Vec<(Linear, i128, u32)> = self
            .terms
            .quotients(multiple)
            .map(|(word, distance, atom)| (word.clone(), distance, atom))
            .collect();
        for (word, distance, upper) in known {
            let (upper, byte) = (Linear::atom(upper), (-distance).rem_euclid(256));
            let zero = if is_one {
                let known = self.is_within(&word, WORDS - 1);
                word.checked(&upper, -256).and_then(|rest| rest.offset_checked(-byte)).filter(|_| known)
            } else {
                let lowest = self.lowest(&word);
                let same = self.terms.find(&Atom::Shifted(lowest, 8));
                same.and_then(|same| upper.checked(&Linear::atom(same), -1)).filter(|_| byte == 0)
            };
            let Some(zero) = zero else { continue };
            if let Some(opposite) = Linear::default().checked(&zero, -1) {
                self.path.facts.add(zero);
                self.path.facts.add(opposite);
            }
        }
    }

    /// The low bits of a word, with what defines them: multiples of the power of two above do not matter.
    pub(crate) fn lowest_bits(&mut self, word: &Linear, ones: u32) -> Linear {
        let kept = word.terms.iter().filter(|term| term.1 % (1 << ones) != 0).copied().collect();
        let word = Linear { constant: word.constant, terms: kept };
        let upper = self.quotient(&word, ones as u8);
        self.define(&word, &upper, ones as u8);
        word.combine(&upper, -(1_i64 << ones))
    }

    /// A byte that is the lowest of a public word, as a number.
    pub(crate) fn byte_of_word(&mut self, lane: LaneId) -> Option<Linear> {
        let Lane { constant: 0, parts, maps, .. } = self.terms.get_lane(lane) else { return None };
        let &[(part, mask)] = &parts[..] else { return None };
        let Part::Word(word) = self.terms.get_part(part) else { return None };
        let is_lowest = self
            .terms
            .get_mask(mask)
            .iter()
            .enumerate()
            .all(|(k, &from)| from == if k == 0 { 0 } else { ZERO });
        let word = word.clone();
        if !is_lowest || !maps.is_empty() || self.terms.is_secret(&word) {
            return None;
        }
        self.bitwise(Op::And, &word, &Linear::number(255)).ok()
    }

    /// True if a place in the key structure is one of GCM behind the round keys.
    pub(crate) fn is_power(&self, offset: &Linear) -> bool {
        self.contract.mode.is_gcm() && offset.as_number().is_none_or(|at| at >= TABLE.start)
    }
}
