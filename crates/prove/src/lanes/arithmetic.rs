//! Scalar arithmetic on linear forms, counter halves and bytes: results and flags that have a form.

use aesmith_isa::lanes::{Shift, Width};

use crate::lanes::scalar::{Base, Linear, NO_COUNT, Word};
use crate::lanes::state::StackAlignment;
use crate::lanes::symbolic::{CarryFlag, Flags, OverflowFlag, Stop, Symbolic, refuse};
use crate::lanes::terms::Index;

impl Symbolic {
    pub(crate) fn flags_of(value: Word, width: Width, carry: CarryFlag, overflow: OverflowFlag) -> Flags {
        Flags::Value { value, bits: width.bits(), carry, overflow }
    }

    /// The flags of a logical result: neither carry nor overflow.
    pub(crate) fn flags_of_logic(value: Word, width: Width) -> Flags {
        Self::flags_of(value, width, CarryFlag::Known(false), OverflowFlag::Known(false))
    }

    /// True if any of the flags may depend on a secret.
    pub(crate) fn flags_are_secret(&self, flags: Flags) -> bool {
        match flags {
            Flags::Unknown { secret } => secret,
            Flags::Difference { left, right, .. } => self.word_is_secret(left) || self.word_is_secret(right),
            Flags::Value { value, carry, overflow, .. } => {
                self.word_is_secret(value) || carry == CarryFlag::Secret || overflow == OverflowFlag::Secret
            }
        }
    }

    /// The flags with other carry and overflow. The flags of a difference cannot be replaced one by one; they become
    /// unknown, and secret if any of them may be.
    pub(crate) fn with_carry_and_overflow(
        &self,
        flags: Flags,
        carry: CarryFlag,
        overflow: OverflowFlag,
    ) -> Flags {
        match flags {
            Flags::Value { value, bits, .. } => Flags::Value { value, bits, carry, overflow },
            _ => {
                let new = carry == CarryFlag::Secret || overflow == OverflowFlag::Secret;
                Flags::Unknown { secret: new || self.flags_are_secret(flags) }
            }
        }
    }

    /// The overflow flag among flags.
    pub(crate) fn overflow_in(&self, flags: Flags) -> OverflowFlag {
        match flags {
            Flags::Value { overflow, .. } => overflow,
            _ if self.flags_are_secret(flags) => OverflowFlag::Secret,
            _ => OverflowFlag::Unknown,
        }
    }

    /// The carry flag among flags.
    pub(crate) fn carry_in(&self, flags: Flags) -> CarryFlag {
        match flags {
            Flags::Value { carry, .. } => carry,
            Flags::Unknown { secret: false } => CarryFlag::Unknown,
            Flags::Difference { left, right, .. }
                if !self.word_is_secret(left) && !self.word_is_secret(right) =>
            {
                CarryFlag::Unknown
            }
            _ => CarryFlag::Secret,
        }
    }

    /// A linear result in `width` bits, or an unknown public one.
    pub(crate) fn fit(&self, linear: Option<Linear>, width: Width) -> Word {
        let Some(linear) = linear else { return Word::Public };
        if width == Width::B64 {
            return Word::Linear(linear);
        }
        self.truncate(linear, width)
    }

    pub(crate) fn truncate(&self, linear: Linear, width: Width) -> Word {
        if let Some(number) = linear.as_number() {
            return Word::number(number as u64 & width.mask());
        }
        if linear.base != Base::None {
            return Word::Public;
        }
        let (low, high) = self.path.facts.range(&self.path.facts.resolve(linear));
        if low >= 0 && high <= i128::from(width.mask()) { Word::Linear(linear) } else { Word::Public }
    }

    pub(crate) fn sum(
        &mut self,
        width: Width,
        a: Word,
        b: Word,
        carry_in: CarryFlag,
    ) -> Result<(Word, Flags), Stop> {
        for (x, y) in [(a, b), (b, a)] {
            if let (Word::CounterByte { index, mask, scale, base }, Word::Linear(y)) = (x, y)
                && carry_in == CarryFlag::Known(false)
                && width == Width::B64
                && let Some(base) = base.plus(y)
            {
                // Further on in a table: the byte of a later counter.
                if let Some(number) = y.as_number()
                    && number % i64::from(scale) == 0
                    && mask == 0xff
                    && let Ok(by) = i32::try_from(number / i64::from(scale))
                    && by.abs() <= 256
                    && self.path.low_byte.same_window(index, index + by)
                    && let Some(base) = base.minus(y)
                {
                    let word = Word::CounterByte { index: index + by, mask, scale, base };
                    return Ok((word, Flags::Unknown { secret: false }));
                }
                return Ok((
                    Word::CounterByte { index, mask, scale, base },
                    Flags::Unknown { secret: false },
                ));
            }
        }
        if width == Width::B8
            && carry_in == CarryFlag::Known(false)
            && let Some(later) = self.last_byte_sum(a, b)
        {
            return Ok((later, Flags::Unknown { secret: false }));
        }
        if width == Width::B64 {
            for (x, y) in [(a, b), (b, a)] {
                if let (Some((index, low)), Word::Linear(amount)) = (self.counter_half(x), y) {
                    return self.counter_sum(index, low, amount, carry_in);
                }
            }
        }
        let (Word::Linear(x), Word::Linear(y)) = (a, b) else {
            let secret = self.word_is_secret(a) || self.word_is_secret(b);
            let sum = match (a, b) {
                _ if carry_in != CarryFlag::Known(false) => None,
                // A byte of the state added to a table's address.
                (Word::Linear(base), word) | (word, Word::Linear(base)) if base.base != Base::None => {
                    if width == Width::B64 { self.indexed(base, word, 1) } else { None }
                }
                _ => self.add_bytes(width, a, b, false),
            };
            let word = sum.unwrap_or_else(|| self.unknown_word(&[a, b]));
            return Ok((word, Flags::Unknown { secret }));
        };
        let carry = match carry_in {
            CarryFlag::Known(set) => Linear::number(i64::from(set)),
            CarryFlag::Secret => return Ok((Word::Unknown, Flags::Unknown { secret: true })),
            _ => return Ok((Word::Public, Flags::Unknown { secret: false })),
        };
        let total = x.plus(y).and_then(|s| s.plus(carry));
        let (carry_out, overflow) = match (x.as_number(), y.as_number()) {
            (Some(x), Some(y)) => {
                let mask = u128::from(width.mask());
                let (x, y) = (x as u64 as u128 & mask, y as u64 as u128 & mask);
                let total = x + y + carry.offset as u128;
                // The sign of the sum differs from both operands' signs.
                let overflow = (x ^ total) & (y ^ total) & (1 << (width.bits() - 1)) != 0;
                (CarryFlag::Known(total > mask), OverflowFlag::Known(overflow))
            }
            _ => (self.carry_of(x, y, width), self.overflow_of(x, y, total, width)),
        };
        let word = self.fit(total, width);
        Ok((word, Self::flags_of(word, width, carry_out, overflow)))
    }

    /// The overflow flag of a sum: clear if both operands and the sum have the same value as registers and as integers.
    fn overflow_of(&self, x: Linear, y: Linear, total: Option<Linear>, width: Width) -> OverflowFlag {
        let natural = |linear: Linear| {
            let (low, high) = self.path.facts.range(&self.path.facts.resolve(linear));
            linear.base == Base::None && low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX)
        };
        match total {
            Some(total) if width == Width::B64 && [x, y, total].into_iter().all(natural) => {
                OverflowFlag::Known(false)
            }
            _ => OverflowFlag::Unknown,
        }
    }

    /// The carry flag of a sum of numbers with known signs.
    pub(crate) fn carry_of(&self, x: Linear, y: Linear, width: Width) -> CarryFlag {
        if width != Width::B64 || x.base != Base::None || y.base != Base::None {
            return CarryFlag::Unknown;
        }
        let (low_x, high_x) = self.path.facts.range(&self.path.facts.resolve(x));
        let (low_y, high_y) = self.path.facts.range(&self.path.facts.resolve(y));
        // Leaves room for one more, the incoming carry.
        let fits = low_x >= 0 && low_y >= 0 && high_x + high_y < i128::from(u64::MAX);
        if fits { CarryFlag::Known(false) } else { CarryFlag::Unknown }
    }

    /// A counter's half plus a number, and plus the carry for the high half.
    pub(crate) fn counter_sum(
        &mut self,
        index: Index,
        low: bool,
        amount: Linear,
        carry_in: CarryFlag,
    ) -> Result<(Word, Flags), Stop> {
        let unknown = (Word::Public, Flags::Unknown { secret: false });
        if low {
            if carry_in != CarryFlag::Known(false) {
                return Ok(unknown);
            }
            let (Some(to), Index::At(from)) = (self.counter_after(index, amount), index) else {
                self.blurred("a sum with the counter that has no form");
                return Ok(unknown);
            };
            let word = self.counter_word(to, true);
            let carry = match to {
                Index::At(until) if until < from => CarryFlag::Unknown,
                // A negative addend is a large unsigned number, which has another carry.
                Index::End(_) if self.path.facts.range(&amount).0 < 0 => CarryFlag::Unknown,
                _ => CarryFlag::Counter(from, to),
            };
            return Ok((word, Self::flags_of(word, Width::B64, carry, OverflowFlag::Unknown)));
        }
        // On a path with a known overflow, the carry may be added as a number.
        if let (Some(1), CarryFlag::Known(false), Some(known)) =
            (amount.as_number(), carry_in, self.path.carry)
            && known.overflows
            && index == Index::At(known.from)
        {
            let word = self.counter_word(known.to, false);
            return Ok((word, Self::flags_of(word, Width::B64, CarryFlag::Unknown, OverflowFlag::Unknown)));
        }
        if amount.as_number() != Some(0) {
            self.blurred("a sum with the counter's high half");
            return Ok(unknown);
        }
        let to = match carry_in {
            CarryFlag::Known(false) => index,
            // The high half with the carry of its own counter's low half.
            CarryFlag::Counter(from, to)
                if index == Index::At(from) || self.path.same_high_half(index, Index::At(from), to) =>
            {
                to
            }
            _ => {
                self.blurred("a carry into the counter's high half that is not its own");
                return Ok(unknown);
            }
        };
        let word = self.counter_word(to, false);
        Ok((word, Self::flags_of(word, Width::B64, CarryFlag::Unknown, OverflowFlag::Unknown)))
    }

    /// AND of a linear form with a constant.
    pub(crate) fn mask_linear(&mut self, x: Linear, mask: u64) -> Result<Word, Stop> {
        let x = self.path.facts.resolve(x);
        if let Some(number) = x.as_number() {
            return Ok(Word::number(number as u64 & mask));
        }
        let low_mask = if mask & mask.wrapping_add(1) == 0 { Some(mask) } else { None };
        let high_mask = if !mask & (!mask).wrapping_add(1) == 0 { Some(!mask) } else { None };
        if x.base != Base::None {
            return Ok(match (low_mask, high_mask) {
                (Some(low), _) if low < 1 << 12 && x.is_fixed() => {
                    Word::LowBits { address: x, mask: low as u16 }
                }
                (_, Some(low)) if low < 1 << 12 && x.is_fixed() && x.base == Base::Frame => {
                    let alignment = StackAlignment {
                        to: low as i64 + 1,
                        top: x.offset,
                        floor: -8 * self.path.frame.count() as i64,
                        dead: false,
                    };
                    if self.path.alignment.is_some() || alignment.room() < 0 || alignment.room() % 8 != 0 {
                        return refuse("the stack pointer is aligned in a way that has no form here");
                    }
                    self.path.alignment = Some(alignment);
                    Word::Linear(Linear::address(Base::AlignedFrame, 0, 0))
                }
                _ => Word::Public,
            });
        }
        let (low, high) = self.path.facts.range(&x);
        let Some(low_bits) = low_mask.or(high_mask) else { return Ok(Word::Public) };
        let size = low_bits.wrapping_add(1) as i64;
        if size <= 0 || low < i128::from(i64::MIN) || high > i128::from(i64::MAX) {
            return Ok(Word::Public);
        }
        // x = (x & -size) + (x & (size - 1))
        let Some(high_part) = self.round_down(x, size)? else { return Ok(Word::Public) };
        let part = if low_mask.is_some() { x.minus(high_part) } else { Some(high_part) };
        Ok(part.map_or(Word::Public, Word::Linear))
    }

    /// `x` rounded down to a multiple of `size`, a power of two.
    pub(crate) fn round_down(&mut self, x: Linear, size: i64) -> Result<Option<Linear>, Stop> {
        if x.groups != 0 || x.partial != 0 || x.progress != 0 || !(0..=1).contains(&x.tail) {
            return self.halve_or(x);
        }
        let (offset, rest) = (x.offset.div_euclid(16) * 16, x.offset.rem_euclid(16));
        let blocks = Linear { offset: 0, tail: 0, ..x };
        // The size of a group is a coefficient.
        if size > 1 << 30 {
            return self.halve_or(x);
        }
        // The number that one block counts in x.
        let unit = i64::from(x.blocks);
        if unit == 0 && x.tail == 1 && size >= 16 {
            // The number of whole blocks is known: what is left is less than one.
            return match rest {
                0 => Ok(Some(Linear::number(x.offset.div_euclid(size) * size))),
                15 if size == 16 => Ok(Some(Linear { offset, partial: 16, ..blocks })),
                _ => self.halve_or(x),
            };
        }
        if unit == 16 && size >= 16 {
            let rounded = match (x.tail, rest) {
                (0, _) | (1, 0) => Linear { offset, ..blocks },
                (1, 15) => Linear { offset, partial: 16, ..blocks },
                _ => return self.halve_or(x),
            };
            if size == 16 {
                return Ok(Some(rounded));
            }
            if rounded.partial != 0 || offset % size != 0 {
                return self.halve_or(x);
            }
            let shift = (size / 16).trailing_zeros() as u8;
            return Ok(Some(Linear { offset, blocks: 0, groups: size as i32, group_shift: shift, ..blocks }));
        }
        if unit == 1 && x.tail == 0 && x.offset % size == 0 {
            let shift = size.trailing_zeros() as u8;
            return Ok(Some(Linear { blocks: 0, groups: size as i32, group_shift: shift, ..x }));
        }
        self.halve_or(x)
    }

    /// Splits the length if it is one of few; otherwise there is no form.
    pub(crate) fn halve_or(&self, x: Linear) -> Result<Option<Linear>, Stop> {
        if x.count == NO_COUNT {
            return Ok(None);
        }
        let few = self.path.facts.lengths[x.count as usize].blocks.width() <= 64;
        match self.path.facts.halve(x.count) {
            Some(split) if few => Err(Stop::Split(split)),
            _ => Ok(None),
        }
    }

    pub(crate) fn shift_right(&mut self, x: Linear, count: u8) -> Result<Word, Stop> {
        let x = self.path.facts.resolve(x);
        if let Some(number) = x.as_number() {
            return Ok(Word::number(number as u64 >> count));
        }
        let (low, high) = self.path.facts.range(&x);
        if low < 0 || high > i128::from(u64::MAX) || x.base != Base::None || count > 62 {
            return Ok(Word::Public);
        }
        let size = 1i64 << count;
        let Some(rounded) = self.round_down(x, size)? else { return Ok(Word::Public) };
        let exact = |v: i64| v % size == 0;
        if !exact(rounded.offset)
            || !exact(i64::from(rounded.blocks))
            || !exact(i64::from(rounded.groups))
            || !exact(i64::from(rounded.partial))
        {
            return Ok(Word::Public);
        }
        // A coefficient that must be divisible by more than its type can hold is zero.
        let count = u32::from(count);
        Ok(Word::Linear(Linear {
            offset: rounded.offset >> count,
            blocks: rounded.blocks.checked_shr(count).unwrap_or(0),
            groups: rounded.groups.checked_shr(count).unwrap_or(0),
            partial: rounded.partial.checked_shr(count).unwrap_or(0),
            ..rounded
        }))
    }

    /// A scalar shifted or rotated, if the result has a form.
    pub(crate) fn shifted(
        &mut self,
        op: Shift,
        width: Width,
        a: Word,
        count: u8,
    ) -> Result<Option<Word>, Stop> {
        Ok(Some(match (op, a) {
            (_, Word::Linear(x)) if x.as_number().is_some() => {
                let value = x.offset as u64 & width.mask();
                let bits = width.bits();
                Word::number(match op {
                    Shift::Left => value << count & width.mask(),
                    Shift::Right => value >> count,
                    Shift::RotateRight => match u32::from(count) % bits {
                        0 => value,
                        by => (value >> by | value << (bits - by)) & width.mask(),
                    },
                })
            }
            (Shift::Left, Word::CounterByte { index, mask, scale, base })
                if width == Width::B64 && u32::from(count) <= scale.leading_zeros() && count < 8 =>
            {
                let base = base.times(1 << count);
                base.map_or(Word::Public, |base| Word::CounterByte {
                    index,
                    mask,
                    scale: scale << count,
                    base,
                })
            }
            (Shift::Left, Word::Linear(x)) => {
                let product = if count < 31 { x.times(1 << count) } else { None };
                self.fit(product, width)
            }
            (Shift::Right, Word::Linear(x)) if width == Width::B64 => self.shift_right(x, count)?,
            (Shift::Right, Word::Linear(x)) => match self.truncate(x, width) {
                Word::Linear(x) => self.shift_right(x, count)?,
                other => other,
            },
            (Shift::Right, Word::Ones(x)) if width == Width::B64 => {
                let x = self.path.facts.resolve(x);
                let (_, high) = self.path.facts.range(&x);
                let Some(rest) = x.minus(Linear::number(i64::from(count))) else { return Ok(None) };
                if high > 64 {
                    return Ok(None);
                }
                match self.path.facts.less(rest, 0) {
                    Ok(true) => Word::number(0),
                    Ok(false) => Word::Ones(rest),
                    Err(Some(split)) => return Err(Stop::Split(split)),
                    Err(None) => return Ok(None),
                }
            }
            (_, word) => match self.shift_bytes(op, width, word, count) {
                Some(shifted) => shifted,
                None => return Ok(None),
            },
        }))
    }
}
