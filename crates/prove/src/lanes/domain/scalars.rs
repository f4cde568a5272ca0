//! Operations on scalars: addresses, sums, logic and shifts, each with its flags.

use aesmith_isa::lanes::{Binary, Shift, Unary, Width};

use crate::lanes::forms::Form;
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::symbolic::{CarryFlag, Flags, OverflowFlag, Stop, Symbolic};
use crate::lanes::terms::Index;

impl Symbolic {
    pub(super) fn address_of(
        &mut self,
        base: Option<Word>,
        index: Option<(Word, u8)>,
        displacement: i64,
    ) -> Result<Word, Stop> {
        // A result without a form is as secret as any of its operands.
        let words: Vec<Word> = base.into_iter().chain(index.map(|i| i.0)).collect();
        let mut sum = Linear::number(displacement);
        let mut unknown = None;
        let mut counter_byte = None;
        let mut looked_up = None;
        for (word, scale) in base.map(|b| (b, 1)).into_iter().chain(index) {
            let part = match word {
                Word::Linear(linear) => linear.times(i64::from(scale)),
                Word::CounterByte { index: counter, mask, scale: inner, base: table } => {
                    counter_byte = match (counter_byte, inner.checked_mul(scale)) {
                        (None, Some(scale)) => Some((counter, mask, scale)),
                        _ => return Ok(self.unknown_word(&words)),
                    };
                    table.times(i64::from(scale))
                }
                Word::Lookup { base, index } if scale == 1 && looked_up.is_none() => {
                    looked_up = Some(index);
                    Some(base)
                }
                _ => None,
            };
            match part.and_then(|part| sum.plus(part)) {
                Some(total) => sum = total,
                None => unknown = Some((word, scale, unknown.is_none())),
            }
        }
        // A `lea` with one counter half: a sum without flags.
        if let (Some(word), None) = (base, index)
            && let Some((at, low)) = self.counter_half(word)
        {
            return Ok(self.counter_sum(at, low, Linear::number(displacement), CarryFlag::Known(false))?.0);
        }
        // One scalar that is not an address, added to one.
        if let (Some((word, scale, true)), None, None) = (unknown, counter_byte, looked_up)
            && let Some(indexed) = self.indexed(sum, word, scale)
        {
            return Ok(indexed);
        }
        Ok(match unknown {
            None => match (counter_byte, looked_up) {
                (Some((index, mask, scale)), None) => Word::CounterByte { index, mask, scale, base: sum },
                (None, Some(index)) => Word::Lookup { base: sum, index },
                (None, None) => Word::Linear(sum),
                (Some(_), Some(_)) => Word::Unknown,
            },
            Some(_) => self.unknown_word(&words),
        })
    }

    pub(super) fn word_zero_extend(&mut self, from: Width, a: Word) -> Result<Word, Stop> {
        if from == Width::B64 {
            return Ok(a);
        }
        if from == Width::B8
            && let Some(index) = self.last_byte_in(a)
        {
            return Ok(Word::counter_byte(index));
        }
        Ok(match a {
            Word::Linear(linear) => self.truncate(linear, from),
            Word::CounterByte { scale: 1, base, .. } if base == Linear::number(0) => a,
            Word::Ones(count) => {
                let most = self.path.facts.range(&self.path.facts.resolve(count)).1;
                if most <= i128::from(from.bits()) { a } else { Word::Public }
            }
            Word::Quad { .. } | Word::Bytes(_) => match self.low_bytes(a, from) {
                Some(word) => word,
                None => self.unknown_word(&[a]),
            },
            _ => self.unknown_word(&[a]),
        })
    }

    pub(super) fn word_replace_low(&mut self, width: Width, old: Word, value: Word) -> Result<Word, Stop> {
        match (self.word_bytes(old), self.word_bytes(value)) {
            (Some(old), Some(new)) => {
                Ok(self
                    .word_of_bytes(std::array::from_fn(|i| if i < width.bytes() { new[i] } else { old[i] })))
            }
            _ => {
                // The upper part is unknown; the lower part may be known.
                Ok(self.unknown_word(&[old, value]))
            }
        }
    }

    pub(super) fn word_binary(
        &mut self,
        op: Binary,
        width: Width,
        a: Word,
        b: Word,
        flags: Flags,
    ) -> Result<(Word, Flags), Stop> {
        let unknown = self.unknown_word(&[a, b]);
        let nothing = (unknown, Flags::Unknown { secret: unknown == Word::Unknown });
        let numbers = match (a.as_number(), b.as_number()) {
            (Some(x), Some(y)) => Some((x & width.mask(), y & width.mask())),
            _ => None,
        };
        match op {
            Binary::Add => self.sum(width, a, b, CarryFlag::Known(false)),
            Binary::Adc | Binary::Sbb if self.carry_in(flags) == CarryFlag::Secret => {
                Ok((Word::Unknown, Flags::Unknown { secret: true }))
            }
            Binary::Adc => {
                let carry = self.carry_in(flags);
                self.sum(width, a, b, carry)
            }
            Binary::Sub => {
                // A comparison with zero has the flags of a test.
                if width == Width::B8
                    && b.as_number().is_some_and(|zero| zero & 0xff == 0)
                    && let Some(index) = self.last_byte_in(a)
                {
                    let word = Word::counter_byte(index);
                    return Ok((word, Self::flags_of_logic(word, width)));
                }
                let flags = Flags::Difference { left: a, right: b, bits: width.bits() };
                if let Some((x, y)) = numbers {
                    return Ok((Word::number(x.wrapping_sub(y) & width.mask()), flags));
                }
                if let (Some((index, true)), Some(number)) = (self.counter_half(a), b.as_number())
                    && width == Width::B64
                {
                    let by = Linear::number((number as i64).wrapping_neg());
                    let (word, _) = self.counter_sum(index, true, by, CarryFlag::Known(false))?;
                    return Ok((word, flags));
                }
                match (a, b) {
                    (Word::Linear(x), Word::Linear(y)) => {
                        let difference = x.minus(y);
                        // A 64-bit result wraps as registers do; narrower ones must fit.
                        Ok((self.fit(difference, width), flags))
                    }
                    _ => Ok((self.add_bytes(width, a, b, true).unwrap_or(unknown), flags)),
                }
            }
            Binary::Sbb => Ok(nothing),
            Binary::And | Binary::Or | Binary::Xor => {
                if let Some((x, y)) = numbers {
                    let value = match op {
                        Binary::And => x & y,
                        Binary::Or => x | y,
                        _ => x ^ y,
                    };
                    let word = Word::number(value);
                    return Ok((word, Self::flags_of_logic(word, width)));
                }
                if let (Binary::And, Width::B8, Some((Index::At(index), true))) =
                    (op, width, self.counter_half(a))
                    && let Some(mask) = if a == b { Some(0xff) } else { b.as_number().map(|m| m as u8) }
                    && mask & mask.wrapping_add(1) == 0
                {
                    let word = Word::CounterByte { index, mask, scale: 1, base: Linear::number(0) };
                    return Ok((word, Self::flags_of_logic(word, width)));
                }
                if op != Binary::Xor && a == b {
                    let word = self.word_zero_extend(width, a)?;
                    return Ok((word, Self::flags_of_logic(word, width)));
                }
                if op == Binary::And {
                    for (x, y) in [(a, b), (b, a)] {
                        if let (Word::Linear(linear), Some(number)) = (x, y.as_number()) {
                            let number = match width {
                                Width::B64 => number,
                                // A mask with its top bit set depends on the bits above.
                                _ if number & width.mask() < 1 << (width.bits() - 1) => number & width.mask(),
                                _ => return Ok((Word::Public, Flags::Unknown { secret: false })),
                            };
                            let word = self.mask_linear(linear, number)?;
                            return Ok((word, Self::flags_of_logic(word, width)));
                        }
                    }
                }
                let (x, y) = (self.word_zero_extend(width, a)?, self.word_zero_extend(width, b)?);
                match self.combine_bytes(op, x, y) {
                    Some(word) => Ok((word, Self::flags_of_logic(word, width))),
                    None => Ok(nothing),
                }
            }
            Binary::Bzhi => {
                if let Some((x, y)) = numbers {
                    let kept = y & 0xff;
                    let value = if kept >= u64::from(width.bits()) { x } else { x & ((1 << kept) - 1) };
                    let word = Word::number(value);
                    return Ok((word, Flags::Unknown { secret: false }));
                }
                let (Some(ones), Word::Linear(count)) = (a.as_number(), b) else { return Ok(nothing) };
                let (low, high) = self.path.facts.range(&self.path.facts.resolve(count));
                let most = if width == Width::B64 { 255 } else { 32 };
                if ones & width.mask() != width.mask() || count.base != Base::None {
                    return Ok(nothing);
                }
                if low < 0 || high > most {
                    self.blurred("a run of ones of a length that may exceed what bzhi reads");
                    return Ok(nothing);
                }
                Ok((Word::Ones(count), Flags::Unknown { secret: false }))
            }
        }
    }

    pub(super) fn word_unary(
        &mut self,
        op: Unary,
        width: Width,
        a: Word,
        flags: Flags,
    ) -> Result<(Word, Flags), Stop> {
        let carry = self.carry_in(flags);
        let unknown = self.unknown_word(&[a]);
        match op {
            Unary::Inc | Unary::Dec => {
                let by = if op == Unary::Inc { 1 } else { -1 };
                let (word, sum) =
                    self.sum(width, a, Word::Linear(Linear::number(by)), CarryFlag::Known(false))?;
                // The carry is unchanged; sign and zero are those of the sum, which is secret if the operand is.
                let of = if self.word_is_secret(a) { Word::Unknown } else { word };
                Ok((word, Self::flags_of(of, width, carry, self.overflow_in(sum))))
            }
            Unary::Neg => match a {
                Word::Linear(linear) => {
                    let zero = Word::Linear(Linear::number(0));
                    let negative = Linear::number(0).minus(linear);
                    let word = self.fit(negative, width);
                    Ok((word, Flags::Difference { left: zero, right: a, bits: width.bits() }))
                }
                _ => Ok((unknown, Flags::Unknown { secret: unknown == Word::Unknown })),
            },
            Unary::Not => Ok((
                match a {
                    // !x = -1 - x
                    Word::Linear(linear) => self.fit(Linear::number(-1).minus(linear), width),
                    _ => self.complement_bytes(width, a).unwrap_or(unknown),
                },
                flags,
            )),
            Unary::Bswap => Ok((
                match (a, width) {
                    (Word::Quad { lane, high, swapped }, Width::B64) => {
                        Word::Quad { lane, high, swapped: !swapped }
                    }
                    _ => match self.word_bytes(a) {
                        Some(bytes) => {
                            let n = width.bytes();
                            self.word_of_bytes(std::array::from_fn(|i| {
                                if i < n { bytes[n - 1 - i] } else { Form(0) }
                            }))
                        }
                        None => unknown,
                    },
                },
                flags,
            )),
        }
    }

    pub(super) fn word_shift(
        &mut self,
        op: Shift,
        width: Width,
        a: Word,
        count: u8,
        flags: Flags,
    ) -> Result<(Word, Flags), Stop> {
        let unknown = self.unknown_word(&[a]);
        let word = self.shifted(op, width, a, count)?.unwrap_or(unknown);
        // Carry and overflow are bits of the shifted value.
        let (carry, overflow) = match self.word_is_secret(a) {
            true => (CarryFlag::Secret, OverflowFlag::Secret),
            false => (CarryFlag::Unknown, OverflowFlag::Unknown),
        };
        let flags = match op {
            Shift::RotateRight => self.with_carry_and_overflow(flags, carry, overflow),
            Shift::Left | Shift::Right if self.word_is_secret(a) => Flags::Unknown { secret: true },
            Shift::Left | Shift::Right => Self::flags_of(word, width, carry, overflow),
        };
        Ok((word, flags))
    }
}
