//! Linear forms over public values: addresses of the caller's objects, and numbers derived from lengths.

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Base {
    /// No base: a number.
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
    /// An array of arguments of multi-stream CBC: keys.
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
    /// The name in a sentence.
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

/// Marks a linear form without a length.
pub const NO_COUNT: u8 = u8::MAX;

/// `base + offset + blocks Q + tail T + partial P + groups (Q >> group_shift) + progress N`, where `N` is the number of
/// blocks processed by loops over all streams since the call began.
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
    /// Coefficient of `P`: 1 if there are such bytes, else 0.
    pub partial: i16,
    /// Size of a group in blocks, as a power of two.
    pub group_shift: u8,
    /// The base.
    pub base: Base,
    /// The stream of `base`.
    pub stream: u8,
    /// The index of the length that the coefficients refer to, or [`NO_COUNT`].
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

    /// The value, if it is a number that does not depend on lengths.
    pub fn as_number(&self) -> Option<i64> {
        (self.base == Base::None && self.is_fixed()).then_some(self.offset)
    }

    /// True if it does not depend on a length.
    pub fn is_fixed(&self) -> bool {
        self.blocks == 0 && self.tail == 0 && self.partial == 0 && self.groups == 0 && self.progress == 0
    }

    pub(super) fn tidy(mut self) -> Self {
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
    pub(crate) fn minus_exactly(self, other: Self) -> Option<Self> {
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

    /// This value after more processed blocks: `advance` for each length, and `alike` for all streams together.
    /// Addresses into the input and output, and remaining lengths, are counted from there. `None` without such a form.
    pub(crate) fn seen_from(self, advance: &dyn Fn(u8) -> i64, alike: i64) -> Option<Self> {
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
