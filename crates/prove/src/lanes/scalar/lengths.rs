//! Facts of a path about the lengths of messages, and their consequences for linear forms.

use aesmith_cipher::problem::StreamSet;

use super::linear::{Linear, NO_COUNT};

/// A closed interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

impl Range {
    /// The interval from `low` to `high`.
    pub const fn new(low: i64, high: i64) -> Self {
        Range { low, high }
    }

    /// The value, if there is only one.
    pub fn exact(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// The number of values.
    pub fn width(self) -> i64 {
        self.high - self.low + 1
    }

    fn meet(&mut self, low: i64, high: i64) -> bool {
        let before = *self;
        self.low = self.low.max(low);
        self.high = self.high.min(high);
        before != *self
    }

    /// True if every value of `other` is in it.
    pub fn contains(self, other: Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// The quantities that a path's facts are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// Bytes remaining.
    Bytes,
    /// Whole blocks remaining.
    Blocks,
    /// Bytes beyond whole blocks.
    Tail,
}

/// A question with two answers that a path must decide: is the quantity less than `at`?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// The index of the length.
    pub count: u8,
    /// The quantity.
    pub quantity: Quantity,
    /// The bound.
    pub at: i64,
}

impl Split {
    /// The split between texts of whole blocks and texts that end within a block.
    pub(crate) fn by_partial(count: u8) -> Split {
        Split { count, quantity: Quantity::Tail, at: 1 }
    }
}

/// Facts of a path about one length (of a stream, or the least of several).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// Bytes remaining.
    pub bytes: Range,
    /// Whole blocks remaining.
    pub blocks: Range,
    /// Bytes beyond whole blocks.
    pub tail: Range,
    /// The streams whose least length this is.
    pub streams: StreamSet,
}

/// Lengths are below this (see [`aesmith_cipher::contract`]).
pub const MOST_BYTES: i64 = i64::MAX;

impl Length {
    /// Any length, of these streams.
    pub const fn any(streams: StreamSet) -> Self {
        Length {
            bytes: Range::new(0, MOST_BYTES),
            blocks: Range::new(0, MOST_BYTES / 16),
            tail: Range::new(0, 15),
            streams,
        }
    }

    /// Propagates facts between the quantities; false if no length is left.
    pub fn settle(&mut self) -> bool {
        loop {
            if self.bytes.low > self.bytes.high
                || self.blocks.low > self.blocks.high
                || self.tail.low > self.tail.high
            {
                return false;
            }
            let mut changed = self.bytes.meet(
                16 * self.blocks.low + self.tail.low,
                (16 * self.blocks.high).saturating_add(self.tail.high),
            );
            let (least, most) = (self.bytes.low - self.tail.high, self.bytes.high - self.tail.low);
            changed |= self
                .blocks
                .meet(least.div_euclid(16) + i64::from(least.rem_euclid(16) != 0), most.div_euclid(16));
            if let Some(blocks) = self.blocks.exact() {
                changed |= self.tail.meet(self.bytes.low - 16 * blocks, self.bytes.high - 16 * blocks);
            }
            if !changed {
                return true;
            }
        }
    }

    /// Takes one side of a split; false if no length is left.
    pub fn assume(&mut self, quantity: Quantity, at: i64, less: bool) -> bool {
        let range = match quantity {
            Quantity::Bytes => &mut self.bytes,
            Quantity::Blocks => &mut self.blocks,
            Quantity::Tail => &mut self.tail,
        };
        if less {
            range.meet(i64::MIN, at.saturating_sub(1));
        } else {
            range.meet(at, i64::MAX);
        }
        self.settle()
    }

    /// The number of partial blocks, 0 or 1, if known.
    pub fn partial(&self) -> Option<i64> {
        if self.tail.high == 0 {
            Some(0)
        } else if self.tail.low > 0 {
            Some(1)
        } else {
            None
        }
    }

    /// The length after `by` blocks.
    pub(crate) fn seen_from(&self, by: i64) -> Self {
        // Lengths stay below 2^63, counted from any position.
        let shift = |r: Range, by: i64| Range::new(r.low.saturating_sub(by), r.high.saturating_sub(by));
        Length { bytes: shift(self.bytes, 16 * by), blocks: shift(self.blocks, by), ..*self }
    }

    /// The weakest facts that both imply.
    pub fn join(&self, other: &Self) -> Self {
        let join = |a: Range, b: Range| Range::new(a.low.min(b.low), a.high.max(b.high));
        Length {
            bytes: join(self.bytes, other.bytes),
            blocks: join(self.blocks, other.blocks),
            tail: join(self.tail, other.tail),
            streams: self.streams,
        }
    }

    /// Weakens the result of one iteration, which takes `by` blocks, further at once. A lower bound `known` from before
    /// the loop would fall by one iteration at a time until a condition in the loop stops it: at one of `rests`, or one
    /// iteration later.
    pub(crate) fn hastened(mut self, known: &Self, by: i64, rests: &[i64]) -> Self {
        let turn = 16 * by;
        if by > 0 && self.bytes.low == known.bytes.low - turn {
            let rests = rests.iter().flat_map(|&c| [c, c - turn]).filter(|&c| c >= 0 && c <= self.bytes.low);
            let rest = rests.max().unwrap_or(0);
            self.blocks.low = self.blocks.low.min(rest / 16);
            self.bytes.low = rest;
        }
        self
    }

    /// True if all lengths that `other` allows are allowed here.
    pub fn contains(&self, other: &Self) -> bool {
        self.bytes.contains(other.bytes)
            && self.blocks.contains(other.blocks)
            && self.tail.contains(other.tail)
    }
}

/// The lengths of a path.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The streams' lengths, followed by least lengths of several.
    pub lengths: Vec<Length>,
}

impl Facts {
    /// `linear` with exactly known quantities substituted.
    pub(crate) fn resolve(&self, mut linear: Linear) -> Linear {
        if linear.count == NO_COUNT {
            return linear;
        }
        let length = &self.lengths[linear.count as usize];
        // Values are those of registers: modulo 2^64.
        let add = |offset: &mut i64, factor: i64, value: i64| {
            *offset = offset.wrapping_add(factor.wrapping_mul(value));
        };
        if let Some(blocks) = length.blocks.exact() {
            add(&mut linear.offset, i64::from(linear.blocks), blocks);
            linear.blocks = 0;
        }
        if linear.groups != 0 {
            let (low, high) =
                (length.blocks.low >> linear.group_shift, length.blocks.high >> linear.group_shift);
            if low == high {
                add(&mut linear.offset, i64::from(linear.groups), low);
                linear.groups = 0;
            }
        }
        if let Some(tail) = length.tail.exact() {
            add(&mut linear.offset, i64::from(linear.tail), tail);
            linear.tail = 0;
        }
        if let Some(partial) = length.partial() {
            add(&mut linear.offset, i64::from(linear.partial), partial);
            linear.partial = 0;
        }
        linear.tidy()
    }

    /// Lower and upper bound of `linear` without its base.
    pub fn range(&self, linear: &Linear) -> (i128, i128) {
        let (mut low, mut high) = (i128::from(linear.offset), i128::from(linear.offset));
        let processed = i128::from(linear.progress) * i128::from(MOST_BYTES / 16);
        low += processed.min(0);
        high += processed.max(0);
        if linear.count == NO_COUNT {
            return (low, high);
        }
        let length = &self.lengths[linear.count as usize];
        let mut part = |coefficient: i64, range: Range| {
            let (a, b) = (
                i128::from(coefficient) * i128::from(range.low),
                i128::from(coefficient) * i128::from(range.high),
            );
            low += a.min(b);
            high += a.max(b);
        };
        part(
            i64::from(linear.tail),
            if linear.blocks == 16 * i32::from(linear.tail) { length.bytes } else { length.tail },
        );
        if linear.blocks != 16 * i32::from(linear.tail) || linear.tail == 0 {
            part(i64::from(linear.blocks), length.blocks);
        }
        part(
            i64::from(linear.groups),
            Range::new(length.blocks.low >> linear.group_shift, length.blocks.high >> linear.group_shift),
        );
        let partial = length.partial();
        part(i64::from(linear.partial), Range::new(partial.unwrap_or(0), partial.unwrap_or(1)));
        (low, high)
    }

    /// True if `linear < at`; an error is the question that must be answered first, if there is one.
    pub fn less(&self, linear: Linear, at: i64) -> Result<bool, Option<Split>> {
        let linear = self.resolve(linear);
        let (low, high) = self.range(&linear);
        if high < i128::from(at) {
            return Ok(true);
        }
        if low >= i128::from(at) {
            return Ok(false);
        }
        if linear.progress != 0 || linear.count == NO_COUNT {
            return Err(None);
        }
        if linear.partial != 0 {
            return Err(Some(Split::by_partial(linear.count)));
        }
        let bound = i128::from(at) - i128::from(linear.offset);
        let split = |quantity, coefficient: i64, scale: i64| {
            // coefficient X < bound
            let (c, b) = (i128::from(coefficient), bound);
            let x = if c > 0 {
                b.div_euclid(c) + i128::from(b.rem_euclid(c) != 0)
            } else {
                (-b).div_euclid(-c) + 1
            };
            let at = i64::try_from(x).ok()?.checked_mul(scale)?;
            Some(Split { count: linear.count, quantity, at })
        };
        let (blocks, tail, groups) =
            (i64::from(linear.blocks), i64::from(linear.tail), i64::from(linear.groups));
        Err(if groups != 0 && blocks == 0 && tail == 0 {
            split(Quantity::Blocks, groups, 1 << linear.group_shift)
        } else if groups != 0 {
            self.halve(linear.count)
        } else if tail == 0 {
            split(Quantity::Blocks, blocks, 1)
        } else if blocks == 0 {
            split(Quantity::Tail, tail, 1)
        } else if blocks == 16 * tail {
            split(Quantity::Bytes, tail, 1)
        } else {
            self.halve(linear.count)
        })
    }

    /// A lower bound of the number of counters that the rest of the message uses.
    pub fn counters(&self) -> i64 {
        let bytes = self.lengths[0].bytes.low.max(0);
        bytes / 16 + i64::from(bytes % 16 != 0)
    }

    /// A question that halves the possible lengths, if they are few.
    pub fn halve(&self, count: u8) -> Option<Split> {
        let length = &self.lengths[count as usize];
        if (2..=256).contains(&length.blocks.width()) {
            let at = length.blocks.low + length.blocks.width() / 2;
            return Some(Split { count, quantity: Quantity::Blocks, at });
        }
        self.halve_tail(count)
    }

    /// A question that halves the possible numbers of bytes beyond whole blocks.
    pub(crate) fn halve_tail(&self, count: u8) -> Option<Split> {
        let length = &self.lengths[count as usize];
        let at = length.tail.low + length.tail.width() / 2;
        (length.tail.width() > 1).then_some(Split { count, quantity: Quantity::Tail, at })
    }

    /// Takes one side of a split; false if no length is left. The least of several lengths is a lower bound of each of
    /// them, and of the least of some of them.
    pub fn assume(&mut self, split: Split, less: bool) -> bool {
        if !self.lengths[split.count as usize].assume(split.quantity, split.at, less) {
            return false;
        }
        let changed = self.lengths[split.count as usize];
        if changed.streams.count_ones() > 1 {
            for length in self.lengths.iter_mut().filter(|l| l.streams & !changed.streams == 0) {
                if !length.assume(Quantity::Bytes, changed.bytes.low, false) {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_follow_from_comparisons() {
        let mut facts = Facts { lengths: vec![Length::any(1)] };
        let r = Linear::remaining(0);
        let split = facts.less(r, 64).unwrap_err().unwrap();
        assert_eq!(split, Split { count: 0, quantity: Quantity::Bytes, at: 64 });
        let mut short = facts.clone();
        assert!(short.assume(split, true));
        assert_eq!(short.lengths[0].blocks, Range::new(0, 3));
        assert!(facts.assume(split, false));
        assert_eq!(facts.lengths[0].blocks.low, 4);
        assert_eq!(facts.less(r, 64), Ok(false));
        // 16 Q - 16 is zero for one block.
        let whole = Linear { tail: 0, offset: -16, ..r };
        let split = short.less(whole, 1).unwrap_err().unwrap();
        assert_eq!(split, Split { count: 0, quantity: Quantity::Blocks, at: 2 });
        // 5 - T < 0
        let left = Linear { tail: -1, blocks: 0, offset: 5, ..r };
        let split = short.less(left, 0).unwrap_err().unwrap();
        assert_eq!(split, Split { count: 0, quantity: Quantity::Tail, at: 6 });
        assert!(short.assume(split, true));
        assert_eq!(short.less(left, 0), Ok(false));
    }

    #[test]
    fn contradictions_end_a_path() {
        let mut facts = Facts { lengths: vec![Length::any(1)] };
        assert!(facts.assume(Split { count: 0, quantity: Quantity::Bytes, at: 16 }, true));
        assert!(!facts.assume(Split { count: 0, quantity: Quantity::Blocks, at: 1 }, false));
    }
}
