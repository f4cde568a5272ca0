//! Scalars as linear forms over what is public: addresses of the caller's objects, the remaining
//! length, and numbers derived from it; with what a path knows about the length.
//!
//! All of it is counted from the bytes processed so far: with `R` bytes remaining, `R = 16 Q + T`
//! where `Q` whole blocks and `T < 16` bytes remain, and `P` is 1 if `T > 0`.

use crate::lanes::terms::Lane;

/// What an address is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Base {
    /// Nothing: a number.
    None,
    /// The key structure.
    Key,
    /// The IV or counter.
    Iv,
    /// The input, at the bytes processed so far.
    Input,
    /// The output, at the bytes processed so far.
    Output,
    /// The cipher key of a key set-up.
    CipherKey,
    /// The stack pointer at entry.
    Frame,
    /// The stack pointer after it was aligned.
    AlignedFrame,
    /// The kernel's first byte.
    Code,
    /// An array of arguments, of multi-stream CBC: keys.
    Keys,
    /// IVs.
    Ivs,
    /// Inputs.
    Inputs,
    /// Outputs.
    Outputs,
    /// Lengths.
    Lengths,
}

impl Base {
    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Base::None => "a number",
            Base::Key => "the key structure",
            Base::Iv => "the IV",
            Base::Input => "the input",
            Base::Output => "the output",
            Base::CipherKey => "the cipher key",
            Base::Frame | Base::AlignedFrame => "the stack",
            Base::Code => "the code",
            Base::Keys => "the array of keys",
            Base::Ivs => "the array of IVs",
            Base::Inputs => "the array of inputs",
            Base::Outputs => "the array of outputs",
            Base::Lengths => "the array of lengths",
        }
    }
}

/// No length in a linear form.
pub const NO_COUNT: u8 = u8::MAX;

/// `base + offset + blocks Q + tail T + partial P + groups (Q >> group_shift) + progress N`, where
/// `N` is the number of blocks processed by loops over all streams since the call began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linear {
    /// The constant.
    pub offset: i64,
    /// Coefficient of the whole blocks remaining.
    pub blocks: i32,
    /// Coefficient of the blocks processed by all streams alike.
    pub progress: i32,
    /// Coefficient of the groups of `1 << group_shift` blocks remaining.
    pub groups: i32,
    /// Coefficient of the bytes beyond whole blocks.
    pub tail: i16,
    /// Coefficient of whether there are such bytes.
    pub partial: i16,
    /// Size of a group, as a power of two.
    pub group_shift: u8,
    /// What it is counted from.
    pub base: Base,
    /// The stream of `base`.
    pub stream: u8,
    /// Which length the coefficients are of, or [`NO_COUNT`].
    pub count: u8,
}

impl Linear {
    /// A number.
    pub const fn number(offset: i64) -> Self {
        Linear {
            offset,
            blocks: 0,
            progress: 0,
            groups: 0,
            tail: 0,
            partial: 0,
            group_shift: 0,
            base: Base::None,
            stream: 0,
            count: NO_COUNT,
        }
    }

    /// An address.
    pub const fn address(base: Base, stream: u8, offset: i64) -> Self {
        Linear { base, stream, ..Self::number(offset) }
    }

    /// The remaining bytes of length `count`.
    pub const fn remaining(count: u8) -> Self {
        Linear { blocks: 16, tail: 1, count, ..Self::number(0) }
    }

    /// The number that it is whatever the lengths are.
    pub fn as_number(&self) -> Option<i64> {
        (self.base == Base::None && self.is_fixed()).then_some(self.offset)
    }

    /// Whether it depends on no length.
    pub fn is_fixed(&self) -> bool {
        self.blocks == 0 && self.tail == 0 && self.partial == 0 && self.groups == 0 && self.progress == 0
    }

    fn tidy(mut self) -> Self {
        if self.groups == 0 {
            self.group_shift = 0;
        }
        if self.blocks == 0 && self.tail == 0 && self.partial == 0 && self.groups == 0 {
            self.count = NO_COUNT;
        }
        self
    }

    /// The sum, if it has such a form.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (base, stream) = match (self.base, other.base) {
            (_, Base::None) => (self.base, self.stream),
            (Base::None, _) => (other.base, other.stream),
            _ => return None,
        };
        self.join(other, 1, base, stream)
    }

    /// The difference, if it has such a form.
    pub fn minus(self, other: Self) -> Option<Self> {
        let (base, stream) = match (self.base, other.base) {
            (_, Base::None) => (self.base, self.stream),
            (a, b) if a == b && self.stream == other.stream => (Base::None, 0),
            _ => return None,
        };
        self.join(other, -1, base, stream)
    }

    /// The difference as integers, not only modulo 2^64.
    pub fn minus_exactly(self, other: Self) -> Option<Self> {
        self.offset.checked_sub(other.offset)?;
        self.minus(other)
    }

    fn join(self, other: Self, sign: i32, base: Base, stream: u8) -> Option<Self> {
        let count = match (self.count, other.count) {
            (NO_COUNT, c) | (c, NO_COUNT) => c,
            (a, b) if a == b => a,
            _ => return None,
        };
        let group_shift = match (self.groups, other.groups) {
            (_, 0) => self.group_shift,
            (0, _) => other.group_shift,
            _ if self.group_shift == other.group_shift => self.group_shift,
            _ => return None,
        };
        Some(
            Linear {
                offset: self.offset.wrapping_add(other.offset.wrapping_mul(i64::from(sign))),
                blocks: self.blocks.checked_add(other.blocks.checked_mul(sign)?)?,
                progress: self.progress.checked_add(other.progress.checked_mul(sign)?)?,
                groups: self.groups.checked_add(other.groups.checked_mul(sign)?)?,
                tail: self.tail.checked_add(other.tail.checked_mul(sign as i16)?)?,
                partial: self.partial.checked_add(other.partial.checked_mul(sign as i16)?)?,
                group_shift,
                base,
                stream,
                count,
            }
            .tidy(),
        )
    }

    /// The product with a small number, if it has such a form.
    pub fn times(self, factor: i64) -> Option<Self> {
        if factor == 1 {
            return Some(self);
        }
        if self.base != Base::None {
            return None;
        }
        let small = i32::try_from(factor).ok()?;
        Some(
            Linear {
                offset: self.offset.wrapping_mul(factor),
                blocks: self.blocks.checked_mul(small)?,
                progress: self.progress.checked_mul(small)?,
                groups: self.groups.checked_mul(small)?,
                tail: self.tail.checked_mul(i16::try_from(factor).ok()?)?,
                partial: self.partial.checked_mul(i16::try_from(factor).ok()?)?,
                ..self
            }
            .tidy(),
        )
    }

    /// The same value with more blocks processed, by `advance` for each length, `alike` of them by
    /// all streams: addresses into the input and output, and what remains, are counted from
    /// there. `None` if it has no such form.
    pub fn seen_from(self, advance: &dyn Fn(u8) -> i64, alike: i64) -> Option<Self> {
        let mut moved = self;
        let wrap = |a: i64, b: i64| a.wrapping_mul(b);
        moved.offset = moved.offset.wrapping_sub(wrap(i64::from(self.progress), alike));
        if matches!(self.base, Base::Input | Base::Output) {
            moved.offset = moved.offset.wrapping_sub(16 * advance(self.stream));
        }
        if self.count != NO_COUNT {
            let by = advance(self.count);
            if self.groups != 0 {
                if by & ((1 << self.group_shift) - 1) != 0 {
                    return None;
                }
                let groups = wrap(i64::from(self.groups), by >> self.group_shift);
                moved.offset = moved.offset.wrapping_add(groups);
            }
            moved.offset = moved.offset.wrapping_add(wrap(i64::from(self.blocks), by));
        }
        Some(moved)
    }
}

/// A scalar register's or memory word's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A public number or address.
    Linear(Linear),
    /// 64 bits of a lane: bytes 8 to 15 with `high`, reversed with `swapped`.
    Quad {
        /// The lane.
        lane: Lane,
        /// Which half.
        high: bool,
        /// Whether the bytes are reversed.
        swapped: bool,
    },
    /// Eight byte forms, by number.
    Bytes(u32),
    /// The lowest so many bits set, all of them above 64.
    Ones(Linear),
    /// What this register held at entry.
    Initial(u8),
    /// Where the caller goes on.
    ReturnAddress,
    /// `base + scale (b & mask)`, where `b` is the last byte of counter `index`.
    CounterByte {
        /// Which counter.
        index: i32,
        /// Low bits of the byte.
        mask: u8,
        /// Factor.
        scale: u8,
        /// What it is added to.
        base: Linear,
    },
    /// Eight bytes of the stack's counter table, which [`crate::lanes::cache`] has proved.
    TableEntry,
    /// `base` plus a number that a byte decides, by number ([`crate::lanes::lookups`]).
    Lookup {
        /// What it is added to.
        base: Linear,
        /// Which number.
        index: u32,
    },
    /// The low bits, under a mask, of an address.
    LowBits {
        /// The address.
        address: Linear,
        /// The mask, one less than a power of two.
        mask: u16,
    },
    /// Nothing is known, but that no secret is in it.
    Public,
    /// Nothing is known.
    Unknown,
}

impl Word {
    /// A number.
    pub const fn number(value: u64) -> Self {
        Word::Linear(Linear::number(value as i64))
    }

    /// The number that it is.
    pub fn as_number(self) -> Option<u64> {
        match self {
            Word::Linear(linear) => linear.as_number().map(|n| n as u64),
            _ => None,
        }
    }
}

/// A closed interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

impl Range {
    /// From `low` to `high`.
    pub const fn new(low: i64, high: i64) -> Self {
        Range { low, high }
    }

    /// The only value.
    pub fn exact(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// How many values it has.
    pub fn width(self) -> i64 {
        self.high - self.low + 1
    }

    fn meet(&mut self, low: i64, high: i64) -> bool {
        let before = *self;
        self.low = self.low.max(low);
        self.high = self.high.min(high);
        before != *self
    }

    /// Whether every value of `other` is in it.
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

/// A question with two answers that a path needs: is the quantity less than `at`?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Which length.
    pub count: u8,
    /// Of which quantity.
    pub quantity: Quantity,
    /// The bound.
    pub at: i64,
}

/// What a path knows about one length (of a stream, or the least of several).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// Bytes remaining.
    pub bytes: Range,
    /// Whole blocks remaining.
    pub blocks: Range,
    /// Bytes beyond whole blocks.
    pub tail: Range,
    /// The streams that it is the least length of.
    pub streams: u16,
}

/// Lengths are below this (see [`aesmith_cipher::contract`]).
pub const MOST_BYTES: i64 = i64::MAX;

impl Length {
    /// Any length, of these streams.
    pub const fn any(streams: u16) -> Self {
        Length {
            bytes: Range::new(0, MOST_BYTES),
            blocks: Range::new(0, MOST_BYTES / 16),
            tail: Range::new(0, 15),
            streams,
        }
    }

    /// Draws the conclusions from one quantity to the others; whether any length is left.
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

    /// Takes one side of a split; whether any length is left.
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

    /// Whether it is known if there is a partial block.
    pub fn partial(&self) -> Option<i64> {
        if self.tail.high == 0 {
            Some(0)
        } else if self.tail.low > 0 {
            Some(1)
        } else {
            None
        }
    }

    /// What it is after `by` blocks.
    pub fn seen_from(&self, by: i64) -> Self {
        // Lengths stay below 2^63 wherever they are counted from.
        let shift = |r: Range, by: i64| Range::new(r.low.saturating_sub(by), r.high.saturating_sub(by));
        Length { bytes: shift(self.bytes, 16 * by), blocks: shift(self.blocks, by), ..*self }
    }

    /// The weakest knowledge that both imply.
    pub fn join(&self, other: &Self) -> Self {
        let join = |a: Range, b: Range| Range::new(a.low.min(b.low), a.high.max(b.high));
        Length {
            bytes: join(self.bytes, other.bytes),
            blocks: join(self.blocks, other.blocks),
            tail: join(self.tail, other.tail),
            streams: self.streams,
        }
    }

    /// This, weakened from `known` by a turn that takes `by` blocks, weakened further at once: a
    /// least length known from before the loop would fall by one turn at a time until a condition
    /// in the loop holds it, which is at one of `rests`, perhaps a turn later.
    pub fn hastened(mut self, known: &Self, by: i64, rests: &[i64]) -> Self {
        let turn = 16 * by;
        if by > 0 && self.bytes.low == known.bytes.low - turn {
            let rests = rests.iter().flat_map(|&c| [c, c - turn]).filter(|&c| c >= 0 && c <= self.bytes.low);
            let rest = rests.max().unwrap_or(0);
            self.blocks.low = self.blocks.low.min(rest / 16);
            self.bytes.low = rest;
        }
        self
    }

    /// Whether everything that it allows is allowed here.
    pub fn contains(&self, other: &Self) -> bool {
        self.bytes.contains(other.bytes)
            && self.blocks.contains(other.blocks)
            && self.tail.contains(other.tail)
    }
}

/// The lengths of a path.
#[derive(Clone, Debug)]
pub struct Facts {
    /// By number: the streams', then least lengths of several.
    pub lengths: Vec<Length>,
}

impl Facts {
    /// `linear` with what is exactly known put in.
    pub fn resolve(&self, mut linear: Linear) -> Linear {
        if linear.count == NO_COUNT {
            return linear;
        }
        let length = &self.lengths[linear.count as usize];
        // Values are registers': modulo 2^64.
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

    /// The values that the part of `linear` beside its base takes.
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

    /// Whether `linear < at`, else the question that must be answered first.
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
            return Err(Some(Split { count: linear.count, quantity: Quantity::Tail, at: 1 }));
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

    /// The least number of counters that the rest of the message may use.
    pub fn counters(&self) -> i64 {
        let bytes = self.lengths[0].bytes.low.max(0);
        bytes / 16 + i64::from(bytes % 16 != 0)
    }

    /// A question that halves what the length may be, if it is one of few.
    pub fn halve(&self, count: u8) -> Option<Split> {
        let length = &self.lengths[count as usize];
        if (2..=256).contains(&length.blocks.width()) {
            let at = length.blocks.low + length.blocks.width() / 2;
            return Some(Split { count, quantity: Quantity::Blocks, at });
        }
        self.halve_tail(count)
    }

    /// A question that halves what the bytes beyond whole blocks may be.
    pub fn halve_tail(&self, count: u8) -> Option<Split> {
        let length = &self.lengths[count as usize];
        let at = length.tail.low + length.tail.width() / 2;
        (length.tail.width() > 1).then_some(Split { count, quantity: Quantity::Tail, at })
    }

    /// Takes one side of a split; whether any length is left. The least of several lengths
    /// bounds each of them, and the least of some of them, from below.
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
