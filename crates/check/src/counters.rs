//! Counter blocks: rounds that are sums of what changes with the lowest byte of a counter and of what does not, and
//! tables of such values.

use crate::certificate::Evaluator;
use crate::linear::Linear;
use crate::spec::{Mode, Round, TABLE, last_byte};
use crate::symbolic::{Place, Stop, Symbolic, refused};
use crate::terms::{Atom, LaneId, Part, Region, Terms, ZERO};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// The name that stands for the number of a block in the expression of a table.
const NUMBER: &str = "z";
/// The bytes of a table of 256 blocks.
pub const TABLE_BYTES: i128 = 4096;
/// The number of the bits of a counter that are apart from the upper ones, which are in the same column as the lowest byte.
pub const TOP: u8 = 40;

/// 256 blocks on the stack: each is the value of an expression in its number, and a lane that all have in common.
#[derive(Clone, Debug)]
pub struct Table {
    /// The place of the first.
    pub at: Place,
    /// The expression.
    pub entry: String,
    /// The lane.
    pub rest: LaneId,
}

impl Table {
    /// True if a word of the stack is in the table.
    pub fn has(&self, (region, at): Place) -> bool {
        self.at.0 == region && (self.at.1..self.at.1 + TABLE_BYTES).contains(&at)
    }
}

/// The column of the result of a round that a byte of its argument is in.
fn column(byte: usize) -> usize {
    // MixColumns keeps to columns.
    Round::EncryptLast.linear(1 << (8 * byte)).trailing_zeros() as usize / 32
}

/// A bit for each byte of which something is true.
fn bytes(is_one: impl Fn(usize) -> bool) -> u16 {
    (0..16).filter(|&k| is_one(k)).fold(0, |all, k| all | 1 << k)
}

impl Symbolic<'_> {
    /// True if a word and its sum with a number are known to differ in the lowest byte only.
    fn stays(&self, word: &Linear, number: i128) -> bool {
        let is_known = || (1..=number).all(|k| self.ends(&word.offset(k)) == Some(false));
        (0..256).contains(&number) && (self.is_known_byte(word, number, 0..1) || is_known())
    }

    /// A word that differs in the lowest byte only: of a counter, if rounds are split, the least that is known, else itself.
    pub(crate) fn lowest(&self, word: &Linear) -> Linear {
        let low = self.terms.find(&self.counting()).filter(|_| self.splits > 0);
        let block = self.path.texts[0].done.divided(16).unwrap_or_default();
        let begin = low.map(|low| block.plus(&Linear::atom(low)));
        let mut least = word.clone();
        if word.terms.iter().any(|&(id, _)| Some(id) == low) {
            for _ in 0..255 {
                // Values in statements are of this one.
                if begin.as_ref() == Some(&least) || self.ends(&least) != Some(false) {
                    break;
                }
                least = least.offset(-1);
            }
        }
        least
    }

    /// The number that counts: the low half of the counter, or in GCM its last 32 bits.
    pub fn counting(&self) -> Atom {
        Atom::Counter(if self.contract.mode.is_gcm() { 2 } else { 0 })
    }

    /// True if a word is a sum with the number that counts.
    fn has_counter(&self, word: &Linear) -> bool {
        let low = self.terms.find(&self.counting());
        word.terms.iter().any(|&(id, _)| Some(id) == low)
    }

    /// A word with the lowest byte of a counter, and one with its other bytes, which later counters share.
    fn halves(&self, word: &Linear) -> Option<(Linear, Linear)> {
        // The other bytes of a counter, and a byte.
        let made = word.terms.iter().filter(|_| self.splits == 2).find_map(|&(id, coefficient)| {
            let Atom::Shifted(upper, 8) = self.terms.get_atom(id) else { return None };
            let byte = word.combine(&Linear::atom(id), -256);
            let is_byte = match byte.as_number() {
                Some(number) => (0..256).contains(&number),
                None => self.as_low_bits(&byte).is_some_and(|(_, bits)| bits == 8),
            };
            (coefficient == 256 && is_byte && self.has_counter(upper)).then(|| (byte, upper.clone()))
        });
        let own = || self.has_counter(word).then(|| (word.clone(), self.lowest(word)));
        let (byte, upper) = made.or_else(own)?;
        let coefficients = byte.terms.iter().map(|&(id, c)| (id, c.rem_euclid(256))).filter(|t| t.1 != 0);
        Some((Linear { constant: byte.constant.rem_euclid(256), terms: coefficients.collect() }, upper))
    }

    /// The bits of a counter from `TOP` on, if they are known to be those of the first.
    fn top(&mut self, counter: &Linear) -> Option<Linear> {
        let first = self.terms.word(Atom::Counter(0));
        let top = self.terms.word(Atom::Shifted(first, TOP));
        let rest = counter.checked(&top, -(1 << TOP))?;
        self.is_within(&rest, (1 << TOP) - 1).then_some(top)
    }

    /// A round of the cipher. If rounds are split, that of a counter block is a sum; with two such rounds only if it is
    /// known that the bits of the counter from `TOP` on are those of the first.
    pub fn round_of(&mut self, round: Round, lane: LaneId) -> LaneId {
        if self.splits == 0 || round != Round::Encrypt {
            return self.terms.round(round, lane);
        }
        // The lane made again, so that each counter is a sum of its bytes; the bytes that a lowest byte is in, and those
        // that the upper bytes of a counter have gone through a round to.
        let (mut sum, mut fast, mut slow) = (lane, 0, 0);
        for (part, mask) in self.terms.get_lane(lane).parts.clone() {
            let mask = *self.terms.get_mask(mask);
            match self.terms.get_part(part).clone() {
                Part::Word(word) => {
                    let Some((byte, upper)) = self.halves(&word) else { continue };
                    fast |= bytes(|k| mask[k] == 0);
                    // The lowest byte of a counter of GCM may be another one.
                    if self.contract.mode.is_gcm() && mask[14] == 1 {
                        fast |= 1 << 15;
                    }
                    let mut pieces = Vec::from([(word, mask), (byte, part_of(&mask, 0..=0, 0))]);
                    let end = if self.splits == 2 { TOP / 8 } else { 8 };
                    if self.splits == 2 && mask.iter().any(|from| (end..8).contains(from)) {
                        let Some(top) = self.top(&upper) else { return self.terms.round(round, lane) };
                        pieces.push((top, part_of(&mask, end..=7, end)));
                    }
                    pieces.push((upper, part_of(&mask, 1..=end - 1, 0)));
                    for (word, mask) in pieces {
                        let word = self.terms.words(&word, &Linear::default());
                        let moved = self.terms.shuffled(word, &mask);
                        sum = self.terms.xor(sum, moved);
                    }
                }
                Part::Round(Round::Encrypt, inner) if self.splits == 2 && self.has_upper(inner) => {
                    slow |= bytes(|k| mask[k] != ZERO);
                }
                _ => {}
            }
        }
        match (fast, slow) {
            (0, 0 | u16::MAX) => self.terms.round(round, sum),
            (0, _) => self.round_of_sum(sum, slow),
            _ if self.splits == 1 => self.round_of_sum(sum, fast),
            _ => self.round_of_columns(sum, fast),
        }
    }

    /// True if upper bytes of a counter are in a lane.
    fn has_upper(&self, lane: LaneId) -> bool {
        self.terms.get_lane(lane).parts.iter().any(|&(part, mask)| match self.terms.get_part(part) {
            Part::Word(word) => self.has_counter(word) && has_upper(self.terms.get_mask(mask)),
            _ => false,
        })
    }

    /// A lane with these bytes, and zeros.
    fn only(&mut self, lane: LaneId, bytes: u16) -> LaneId {
        let mask = core::array::from_fn(|k| if bytes >> k & 1 == 1 { k as u8 } else { ZERO });
        self.terms.shuffled(lane, &mask)
    }

    /// A round as the sum of that of some bytes, of that of all others, and of that of zero.
    fn round_of_sum(&mut self, lane: LaneId, bytes: u16) -> LaneId {
        let (one, other) = (self.only(lane, bytes), self.only(lane, !bytes));
        let (one, other) = (self.terms.round(Round::Encrypt, one), self.terms.round(Round::Encrypt, other));
        let zero = self.terms.constant(Round::Encrypt.apply(0));
        let sum = self.terms.xor(one, other);
        self.terms.xor(sum, zero)
    }

    /// A round as the columns that some bytes are in, and all others: each is a function of four bytes.
    fn round_of_columns(&mut self, lane: LaneId, fast: u16) -> LaneId {
        let columns: [usize; 16] = core::array::from_fn(column);
        let of_fast = |own: usize| (0..16).any(|k| fast >> k & 1 == 1 && columns[k] == own);
        let from = bytes(|k| of_fast(columns[k]));
        let to = bytes(|k| of_fast(k / 4));
        let mut sum = self.terms.constant(0);
        for (from, to) in [(from, to), (!from, !to)] {
            let part = self.only(lane, from);
            let round = self.terms.round(Round::Encrypt, part);
            let columns = self.only(round, to);
            sum = self.terms.xor(sum, columns);
        }
        sum
    }

    /// A lane whose products are those in the field, and whose rounds are made again, by what is known now, which may be more than
    /// when they were made.
    pub fn again(&mut self, lane: LaneId) -> LaneId {
        let lane = self.terms.folded(lane);
        self.made_again(lane, &mut BTreeMap::new())
    }

    fn made_again(&mut self, lane: LaneId, known: &mut BTreeMap<LaneId, LaneId>) -> LaneId {
        if self.splits == 0 {
            return lane;
        }
        if let Some(&made) = known.get(&lane) {
            return made;
        }
        let mut sum = lane;
        for (part, mask) in self.terms.get_lane(lane).parts.clone() {
            let own = *self.terms.get_mask(mask);
            let pair = match *self.terms.get_part(part) {
                Part::Round(round, inner) => {
                    let made = self.made_again(inner, known);
                    Some([self.terms.round(round, inner), self.round_of(round, made)])
                }
                Part::Multiple(half, is_high, exponent) => {
                    let half = self.terms.sum(0, [half].into(), Vec::new());
                    let made = self.made_again(half, known);
                    let multiple = |terms: &mut Terms, half| terms.multiple_of(half, is_high, exponent);
                    multiple(&mut self.terms, half)
                        .zip(multiple(&mut self.terms, made))
                        .map(<[LaneId; 2]>::from)
                }
                _ => None,
            };
            for changed in pair.into_iter().flatten() {
                let moved = self.terms.shuffled(changed, &own);
                sum = self.terms.xor(sum, moved);
            }
        }
        known.insert(lane, sum);
        sum
    }

    /// A word whose quotients are those of other counters with the same upper bytes, by what is known now.
    pub fn word_again(&mut self, word: &Linear) -> Linear {
        let mut sum = word.clone();
        for &(id, coefficient) in word.terms.iter().filter(|_| self.splits > 0) {
            if let Atom::Shifted(inner, 8) = self.terms.get_atom(id) {
                let lowest = self.lowest(inner);
                let lowest = self.terms.word(Atom::Shifted(lowest, 8));
                sum = sum.combine(&lowest.minus(&Linear::atom(id)), coefficient as i64);
            }
        }
        sum
    }

    /// The word whose lowest byte is the number of the block of a table at a place, and this byte.
    fn number(&self, offset: &Linear, start: i128) -> Option<(Linear, Linear)> {
        // 16 times the lowest byte of a word, and blocks behind it: 16 word - 16 * 256 shr(word, 8) + 16 number.
        offset.terms.iter().find_map(|&(id, coefficient)| match self.terms.get_atom(id) {
            Atom::Shifted(word, 8) if coefficient == -TABLE_BYTES => {
                let upper = Linear::atom(id);
                let rest = offset.combine(&upper, 4096).combine(word, -16).as_number()? - start;
                let word = (rest % 16 == 0 && self.stays(word, rest / 16)).then(|| word.offset(rest / 16))?;
                Some((word.clone(), word.combine(&upper, -256)))
            }
            _ => None,
        })
    }

    /// A block of the counter table, by its distance in the key structure.
    pub(crate) fn key_table(&mut self, offset: &Linear) -> Result<LaneId, Stop> {
        if self.splits != 1 || self.contract.mode != Mode::Ctr {
            return refused("the counter table is read, but rounds are not split");
        }
        let Some((word, _)) = self.number(offset, TABLE.start) else {
            return refused("the counter table is read at no known place");
        };
        // The block is the share of byte 15 alone. In a round of only this byte there are shares of zeros, too.
        let key = self.terms.part(Part::Key(0));
        let word = self.terms.words(&word, &Linear::default());
        let (mut last, mut lowest) = ([ZERO; 16], [ZERO; 16]);
        (last[15], lowest[15]) = (15, 0);
        let (key, byte) = (self.terms.shuffled(key, &last), self.terms.shuffled(word, &lowest));
        let byte = self.terms.xor(key, byte);
        let round = self.round_of(Round::Encrypt, byte);
        let zeros = self.terms.constant(Round::Encrypt.apply(0) ^ last_byte(0));
        Ok(self.terms.xor(round, zeros))
    }

    /// The value of the expression of a table for a number. It names neither variables nor the lane in common.
    fn block_of(&mut self, text: &str, number: Linear) -> Result<LaneId, Stop> {
        let variables = BTreeMap::from([(NUMBER, number)]);
        let table = self.path.table.take();
        let value = Evaluator { s: self, variables: &variables }.lane(text);
        self.path.table = table;
        value
    }

    /// A block of the table on the stack, by its distance from a region.
    pub(crate) fn stack_table(&mut self, region: Region, offset: &Linear) -> Result<LaneId, Stop> {
        let table = self.path.table.clone().filter(|table| table.at.0 == region);
        let found = table.and_then(|table| Some((self.number(offset, table.at.1)?.1, table)));
        let Some((number, table)) = found else {
            return refused("the stack is read at no known place, or no place of a table");
        };
        let value = self.block_of(&table.entry, number)?;
        Ok(self.terms.xor(value, table.rest))
    }

    /// The lane that the blocks of a table on the stack have in common.
    ///
    /// # Errors
    /// If the blocks are not known to be such a table.
    pub fn rest_of(&mut self, at: Place, entry: &str) -> Result<LaneId, Stop> {
        if let Some(table) = self.path.table.as_ref().filter(|table| table.at == at && table.entry == entry) {
            return Ok(table.rest);
        }
        let mut rest = None;
        for number in 0..TABLE_BYTES / 16 {
            let block = self.stack_block((at.0, at.1 + 16 * number))?;
            let value = self.block_of(entry, Linear::number(number))?;
            let own = self.terms.xor(block, value);
            if *rest.get_or_insert(own) != own {
                return refused("a block of a table on the stack is not as stated");
            }
        }
        rest.map_or_else(|| refused("a table has no blocks"), Ok)
    }
}

/// True if a shuffle of a word moves bytes of it besides the lowest.
fn has_upper(mask: &[u8; 16]) -> bool {
    mask.iter().any(|from| (1..8).contains(from))
}

/// A shuffle with some bytes of its argument alone, which are numbered from the first on.
fn part_of(mask: &[u8; 16], kept: RangeInclusive<u8>, first: u8) -> [u8; 16] {
    mask.map(|from| if kept.contains(&from) { from - first } else { ZERO })
}
