//! Conditions: their values by the flags, given the facts of a path about lengths, alignments and the counter.

use aesmith_isa::lanes::{Condition, Decision};

use crate::lanes::scalar::{Base, Linear, NO_COUNT, Quantity, Split, Word};
use crate::lanes::state::Carry;
use crate::lanes::symbolic::{CarryFlag, Flags, OverflowFlag, Stop, Symbolic, refuse};
use crate::lanes::terms::Index;

/// The distance in bytes from an object within which addresses are compared as numbers. User space ends well below
/// 2^63, and no byte is mapped this close to zero. A message of no bytes may have any address, such as zero.
const NEAR: i128 = 1 << 12;
/// The most lengths, of streams and minima of several, that a path may distinguish.
const MOST_LENGTHS: usize = 100;

impl Symbolic {
    /// The value of a condition by its flags; `Both` for public conditions about which nothing is known.
    pub fn decide(&mut self, condition: Condition, flags: Flags) -> Result<Decision, Stop> {
        use Condition::*;
        let (question, positive) = match condition {
            Below => (Below, true),
            AboveEqual => (Below, false),
            Equal => (Equal, true),
            NotEqual => (Equal, false),
            BelowEqual => (BelowEqual, true),
            Above => (BelowEqual, false),
            Sign => (Sign, true),
            NoSign => (Sign, false),
            Less => (Less, true),
            GreaterEqual => (Less, false),
            LessEqual => (LessEqual, true),
            Greater => (LessEqual, false),
            Overflow | NoOverflow | Parity | NoParity => {
                return refuse("a condition on overflow or parity has no form here");
            }
        };
        let answer = match flags {
            Flags::Unknown { secret: true } => {
                return refuse("a condition depends on something that may be secret");
            }
            Flags::Unknown { secret: false } => None,
            Flags::Difference { left, right, bits } => self.decide_difference(question, left, right, bits)?,
            Flags::Value { value, bits, carry, overflow } => {
                self.decide_value(question, value, bits, carry, overflow)?
            }
        };
        Ok(match answer {
            None => Decision::Both,
            Some(yes) if yes == positive => Decision::Taken,
            Some(_) => Decision::NotTaken,
        })
    }

    fn decide_value(
        &mut self,
        question: Condition,
        value: Word,
        bits: u32,
        carry: CarryFlag,
        overflow: OverflowFlag,
    ) -> Result<Option<bool>, Stop> {
        // All flags that the condition reads are checked for secrets first: even if one flag decides, the CPU has read
        // the others.
        let reads = question.reads();
        if reads.carry && carry == CarryFlag::Secret {
            return refuse("a condition depends on a carry that may be secret");
        }
        if reads.overflow && overflow == OverflowFlag::Secret {
            return refuse("a condition depends on an overflow that may be secret, or is undefined");
        }
        if (reads.zero || reads.sign || reads.parity) && self.word_is_secret(value) {
            return refuse("a condition depends on a key or message byte");
        }
        let borrow = |this: &mut Self| match carry {
            CarryFlag::Known(set) => Ok(Some(set)),
            CarryFlag::Counter(from, to) => this.overflow(from, to).map(Some),
            CarryFlag::Unknown | CarryFlag::Secret => Ok(None),
        };
        match question {
            Condition::Below => borrow(self),
            Condition::BelowEqual => match borrow(self)? {
                Some(true) => Ok(Some(true)),
                Some(false) => self.is_zero(value, bits),
                None => Ok(None),
            },
            Condition::Equal => self.is_zero(value, bits),
            Condition::Sign | Condition::Less | Condition::LessEqual => {
                let overflow = match overflow {
                    _ if question == Condition::Sign => false,
                    OverflowFlag::Known(overflow) => overflow,
                    _ => return Ok(None),
                };
                if let Some(number) = value.as_number() {
                    let negative = number >> (bits - 1) & 1 == 1;
                    let zero = number & (u64::MAX >> (64 - bits)) == 0;
                    return Ok(Some(negative != overflow || question == Condition::LessEqual && zero));
                }
                let Word::Linear(linear) = value else { return Ok(None) };
                match self.as_signed(linear, bits) {
                    Some(linear) if !overflow => {
                        self.less(linear, if question == Condition::LessEqual { 1 } else { 0 })
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// True if a value is zero; `None` if unknown.
    fn is_zero(&mut self, value: Word, bits: u32) -> Result<Option<bool>, Stop> {
        match value {
            Word::Linear(linear) => {
                let Some(linear) = self.as_signed(linear, bits) else { return Ok(None) };
                self.vanishes(linear)
            }
            Word::LowBits { address, mask } => Ok(
                if self.path.is_aligned(address.base, address.stream, address.offset, i64::from(mask) + 1) {
                    Some(true)
                } else {
                    None
                },
            ),
            Word::CounterByte { index, mask, scale: 1, base } if base == Linear::number(0) => {
                self.path.low_byte.asked = index;
                let known = self.path.low_byte;
                let size = i32::from(mask) + 1;
                if known.multiple % size == 0 && (index - known.at).rem_euclid(size) == 0 {
                    return Ok(Some(true));
                }
                Ok(known.is_zero(index).filter(|zero| mask == 0xff && !zero))
            }
            other => self.public_or_refused(&[other]),
        }
    }

    fn public_or_refused(&self, words: &[Word]) -> Result<Option<bool>, Stop> {
        if words.iter().any(|&w| self.word_is_secret(w)) {
            return refuse("a condition depends on a key or message byte");
        }
        Ok(None)
    }

    /// `linear` if it has the same value as a signed number of `bits` bits and as an integer; narrower values are taken
    /// as unsigned.
    fn as_signed(&self, linear: Linear, bits: u32) -> Option<Linear> {
        let linear = self.path.facts.resolve(linear);
        if linear.base != Base::None {
            return None;
        }
        let (low, high) = self.path.facts.range(&linear);
        let fits = if bits == 64 {
            low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX)
        } else {
            low >= 0 && high < 1 << (bits - 1)
        };
        fits.then_some(linear)
    }

    fn less(&self, linear: Linear, at: i64) -> Result<Option<bool>, Stop> {
        match self.path.facts.less(linear, at) {
            Ok(less) => Ok(Some(less)),
            Err(Some(split)) => Err(Stop::Split(split)),
            Err(None) => Ok(None),
        }
    }

    /// True if `linear == 0`; `None` if unknown.
    fn vanishes(&self, linear: Linear) -> Result<Option<bool>, Stop> {
        let (low, high) = self.path.facts.range(&self.path.facts.resolve(linear));
        if low > 0 || high < 0 {
            return Ok(Some(false));
        }
        if high <= 0 {
            return Ok(self.less(linear, 0)?.map(|less| !less));
        }
        if low < 0 && self.less(linear, 0)? == Some(true) {
            return Ok(Some(false));
        }
        self.less(linear, 1)
    }

    fn decide_difference(
        &mut self,
        question: Condition,
        left: Word,
        right: Word,
        bits: u32,
    ) -> Result<Option<bool>, Stop> {
        if let (Some((index, true)), Some(bound)) = (self.counter_half(left), right.as_number())
            && bits == 64
        {
            return self.low_half_below(question, index, bound);
        }
        let (Word::Linear(a), Word::Linear(b)) = (left, right) else {
            return self.public_or_refused(&[left, right]);
        };
        if let (Some(a), Some(b)) = (left.as_number(), right.as_number()) {
            return Ok(compare_numbers(question, a, b, bits));
        }
        let Some(difference) = a.minus_exactly(b) else { return Ok(None) };
        if difference.base != Base::None {
            return Ok(None);
        }
        if a.base != Base::None {
            // As signed numbers, or by their distance, addresses differ from their values as integers.
            if !matches!(question, Condition::Below | Condition::BelowEqual | Condition::Equal) {
                return Ok(None);
            }
            let (low, high) = self.path.facts.range(&self.path.facts.resolve(a));
            let (low_b, high_b) = self.path.facts.range(&self.path.facts.resolve(b));
            if low.min(low_b) < 0 && !self.has_bytes(a.base, a.stream)? {
                return Ok(None);
            }
            let near = |low: i128, high: i128| low >= -NEAR && high <= i128::from(i64::MAX) + NEAR;
            if bits != 64 || !near(low, high) || !near(low_b, high_b) {
                return Ok(None);
            }
            return self.compare(question, difference, false);
        }
        let (a, b) = (self.path.facts.resolve(a), self.path.facts.resolve(b));
        let Some(difference) = a.minus_exactly(b) else { return Ok(None) };
        if bits != 64 {
            let (Some(a), Some(b)) = (self.narrow(a, bits), self.narrow(b, bits)) else { return Ok(None) };
            let Some(difference) = a.minus(b) else { return Ok(None) };
            let signed_range = |l: &Linear| self.path.facts.range(l).1 < 1 << (bits - 1);
            let unsigned = matches!(question, Condition::Below | Condition::BelowEqual | Condition::Equal);
            if !(unsigned || signed_range(&a) && signed_range(&b)) {
                return Ok(None);
            }
            return self.compare(question, difference, false);
        }
        let unsigned = matches!(question, Condition::Below | Condition::BelowEqual);
        let (low_a, high_a) = self.path.facts.range(&a);
        let (low_b, high_b) = self.path.facts.range(&b);
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        if unsigned {
            // As unsigned numbers, negative ones are above all others.
            for (value, low, high) in [(a, low_a, high_a), (b, low_b, high_b)] {
                if low < 0 && high >= 0 && value.as_number().is_none() {
                    return match self.less(value, 0)? {
                        Some(_) => refuse("a comparison of a number of unknown sign"),
                        None => Ok(None),
                    };
                }
            }
            if low_a < least || low_b < least || high_a > 2 * most || high_b > 2 * most {
                return Ok(None);
            }
            if (high_a < 0) != (high_b < 0) {
                let below_all_negative = high_a <= most && high_b <= most;
                return Ok(below_all_negative.then_some(high_b < 0));
            }
        } else if question != Condition::Equal
            && (low_a < least || low_b < least || high_a > most || high_b > most)
        {
            return Ok(None);
        }
        if question == Condition::Equal {
            // Registers are equal modulo 2^64; this is equality only for numbers that are less far apart.
            let (low, high) = self.path.facts.range(&self.path.facts.resolve(difference));
            if low <= -i128::from(u64::MAX) || high >= i128::from(u64::MAX) {
                return Ok(None);
            }
        }
        self.compare(question, difference, question == Condition::Sign)
    }

    /// True if an object has a byte, so that no address shortly before it lies below zero. For a message of unknown length
    /// that is asked first.
    fn has_bytes(&self, base: Base, stream: u8) -> Result<bool, Stop> {
        if !matches!(base, Base::Input | Base::Output) || self.path.nonempty() >> stream & 1 == 1 {
            return Ok(true);
        }
        match self.path.facts.lengths[usize::from(stream)].bytes.high {
            0 => Ok(false),
            _ => Err(Stop::Split(Split { count: stream, quantity: Quantity::Bytes, at: 1 })),
        }
    }

    /// A value of `bits` bits as a non-negative number.
    fn narrow(&self, linear: Linear, bits: u32) -> Option<Linear> {
        if let Some(number) = linear.as_number() {
            return Some(Linear::number(number & ((1 << bits) - 1)));
        }
        let (low, high) = self.path.facts.range(&linear);
        (low >= 0 && high < 1 << bits).then_some(linear)
    }

    fn compare(&self, question: Condition, difference: Linear, sign: bool) -> Result<Option<bool>, Stop> {
        if sign {
            let (low, high) = self.path.facts.range(&self.path.facts.resolve(difference));
            if low < i128::from(i64::MIN) || high > i128::from(i64::MAX) {
                return Ok(None);
            }
        }
        match question {
            Condition::Equal => self.vanishes(difference),
            Condition::BelowEqual | Condition::LessEqual => self.less(difference, 1),
            _ => self.less(difference, 0),
        }
    }

    /// Decides `low half of counter index < bound` and the like: below `2^64 - k`, the next `k` counters do not
    /// overflow.
    fn low_half_below(
        &mut self,
        question: Condition,
        index: Index,
        bound: u64,
    ) -> Result<Option<bool>, Stop> {
        let Index::At(from) = index else { return Ok(None) };
        let room = match question {
            Condition::Below => bound.wrapping_neg(),
            Condition::BelowEqual => bound.wrapping_neg().wrapping_sub(1),
            _ => return Ok(None),
        };
        match i32::try_from(room) {
            Ok(room) if room > 0 => match Index::At(from).plus(room) {
                Some(to) => self.overflow(from, to).map(|over| Some(!over)),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// True if the low half overflows from counter `from` to counter `to`.
    fn overflow(&mut self, from: i32, to: Index) -> Result<bool, Stop> {
        if self.path.surely_no_overflow(from, to) {
            return Ok(false);
        }
        match self.path.carry {
            Some(Carry { from: f, to: t, overflows: true }) if f == from && t == to => Ok(true),
            _ => Err(Stop::Overflow(from, to)),
        }
    }

    /// Learns from a condition that did not ask about lengths: the alignment of an address, and bytes of counters.
    pub fn learn(&mut self, condition: Condition, flags: Flags, taken: bool) {
        let zero = match condition {
            Condition::Equal => taken,
            Condition::NotEqual => !taken,
            _ => return self.learn_room(condition, flags, taken),
        };
        if let Flags::Value { value: Word::CounterByte { index, mask, scale: 1, base }, .. } = flags
            && base == Linear::number(0)
        {
            let known = &mut self.path.low_byte;
            if zero {
                known.multiple(index, i32::from(mask) + 1);
            } else if mask == 0xff {
                known.not_zero(index);
            } else if mask == 1 {
                // After an odd counter comes an even one.
                known.multiple(index.saturating_add(1), 2);
            }
        }
        if let Flags::Value { value: word @ Word::Bytes(_), .. } = flags
            && zero
        {
            self.learn_upper_bytes(word);
        }
        if let Flags::Value { value: Word::LowBits { address, mask }, .. } = flags
            && zero
        {
            self.path.aligned.push(crate::lanes::state::Alignment {
                base: address.base,
                stream: address.stream,
                offset: address.offset,
                multiple: i64::from(mask) + 1,
            });
        }
    }

    /// Learns from a comparison of a counter's last byte with a number how many counters behind it share its other bytes.
    fn learn_room(&mut self, condition: Condition, flags: Flags, taken: bool) {
        let Flags::Difference { left, right, bits: 8 } = flags else { return };
        let Some(bound) = right.as_number().map(|number| i32::from(number as u8)) else { return };
        let most = match (condition, taken) {
            (Condition::Below, true) | (Condition::AboveEqual, false) => bound - 1,
            (Condition::BelowEqual, true) | (Condition::Above, false) => bound,
            _ => return,
        };
        if let Some(index) = self.last_byte_in(left) {
            self.path.low_byte.at_most(index, most);
        }
    }

    /// The lesser of two lengths, if a conditional move selects it.
    pub fn least(&mut self, condition: Condition, flags: Flags, yes: Word, no: Word) -> Option<Word> {
        let Flags::Difference { left, right, bits: 64 } = flags else { return None };
        let (Word::Linear(a), Word::Linear(b)) = (left, right) else { return None };
        let chooses_least = match condition {
            Condition::Below | Condition::BelowEqual => yes == left && no == right,
            Condition::Above | Condition::AboveEqual => yes == right && no == left,
            _ => false,
        };
        if !chooses_least || a.count == NO_COUNT || b.count == NO_COUNT || a.count == b.count {
            return None;
        }
        // The same monotone function of two lengths: that function of the lesser length.
        let shape = |l: Linear| Linear { count: 0, ..l };
        let monotone =
            a.base == Base::None && a.progress == 0 && a.blocks >= 0 && a.tail >= 0 && a.partial >= 0;
        let counted = (a.blocks > 0) != (a.groups > 0);
        // The function must not fall from the last byte of a block to the next block.
        let rises = 15 * i64::from(a.tail) + i64::from(a.partial) <= i64::from(a.blocks);
        // Values as registers equal values as integers.
        let natural = [a, b].iter().all(|l| {
            let (low, high) = self.path.facts.range(l);
            low >= 0 && high <= i128::from(u64::MAX)
        });
        if shape(a) != shape(b) || !monotone || !counted || !rises || !natural || a.groups < 0 {
            return None;
        }
        let count = self.least_length(a.count, b.count)?;
        Some(Word::Linear(Linear { count, ..a }))
    }

    fn least_length(&mut self, a: u8, b: u8) -> Option<u8> {
        let lengths = &mut self.path.facts.lengths;
        let (x, y) = (lengths[a as usize], lengths[b as usize]);
        let streams = x.streams | y.streams;
        if let Some(known) = lengths.iter().position(|l| l.streams == streams) {
            return Some(known as u8);
        }
        if lengths.len() >= MOST_LENGTHS {
            return None;
        }
        let mut least = x.join(&y);
        least.streams = streams;
        least.bytes.high = x.bytes.high.min(y.bytes.high);
        least.blocks.high = x.blocks.high.min(y.blocks.high);
        lengths.push(least);
        Some((lengths.len() - 1) as u8)
    }
}

/// A condition on the difference of two numbers of `bits` bits, as the CPU computes it.
fn compare_numbers(question: Condition, left: u64, right: u64, bits: u32) -> Option<bool> {
    let unused = 64 - bits;
    let (a, b) = (left << unused, right << unused);
    let (x, y) = (a as i64, b as i64);
    Some(match question {
        Condition::Below => a < b,
        Condition::BelowEqual => a <= b,
        Condition::Equal => a == b,
        Condition::Sign => (a.wrapping_sub(b) as i64) < 0,
        Condition::Less => x < y,
        Condition::LessEqual => x <= y,
        _ => return None,
    })
}
