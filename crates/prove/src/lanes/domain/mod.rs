//! The symbolic domain: each operation of [`Domain`] on terms and linear forms.

use aesmith_isa::lanes::{
    Access, AesRound, Binary, Condition, Decision, Domain, FlagSet, Half, Logic, Shift, Unary, Width,
};

use crate::lanes::forms::Form;
use crate::lanes::memory::Place;
use crate::lanes::scalar::{Base, Linear, Word};
use crate::lanes::symbolic::{CarryFlag, Flags, Mask, OverflowFlag, Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Index, Lane, Op, Order};
use crate::lanes::vectors::UNKNOWN_SIGN;

impl Symbolic {
    fn check_alignment(&self, access: Access, at: Place, size: i64) -> Result<(), Stop> {
        if access == Access::Unaligned || self.path.is_aligned(at.base, at.stream, at.offset, size) {
            return Ok(());
        }
        refuse(format!(
            "an access that must be aligned to {size} bytes, to {}, of which that is not known",
            at.base.name()
        ))
    }

    fn element_word(&mut self, element: Width, lane: Lane, index: u8) -> Word {
        if element == Width::B64 {
            return self.half(lane, index & 1 == 1);
        }
        let half = self.half(lane, index >> 1 & 1 == 1);
        let size = element.bytes();
        let at = (index as usize * size) % 8;
        match self.word_bytes(half) {
            Some(bytes) => {
                self.word_of_bytes(std::array::from_fn(|i| if i < size { bytes[at + i] } else { Form(0) }))
            }
            None => self.unknown_word(&[half]),
        }
    }

    fn stack_place(&self, address: Word) -> Result<Place, Stop> {
        let at = self.place(address)?;
        self.above_red_zone(at, self.stack_pointer)?;
        Ok(at)
    }
}

impl Domain for Symbolic {
    type Lane = Lane;
    type Word = Word;
    type Mask = Mask;
    type Flags = Flags;
    type Error = Stop;

    fn lane(&mut self, bytes: [u8; 16]) -> Lane {
        self.terms.constant(u128::from_le_bytes(bytes))
    }

    fn zero_lane(&mut self) -> Lane {
        Lane::ZERO
    }

    #[inline]
    fn xor(&mut self, a: Lane, b: Lane) -> Result<Lane, Stop> {
        let sum = self.terms.xor(a, b);
        if !self.reads_table {
            return Ok(sum);
        }
        // The rest is what a table's entry leaves of a round: that round needs its name.
        let sum = self.terms.named(sum, false, true);
        Ok(self.cancel_rests(sum))
    }

    fn logic(&mut self, op: Logic, a: Lane, b: Lane) -> Result<Lane, Stop> {
        Ok(self.lane_logic(op, a, b))
    }

    fn ternary(&mut self, table: u8, a: Lane, b: Lane, c: Lane) -> Result<Lane, Stop> {
        if let Some(known) = self.terms.remembered(Op::Ternary, [a.0, b.0, c.0], u32::from(table)) {
            return Ok(known);
        }
        let lane = self.lane_ternary(table, [a, b, c]);
        self.terms.remember(Op::Ternary, [a.0, b.0, c.0], u32::from(table), lane);
        Ok(lane)
    }

    #[inline]
    fn aes_round(&mut self, round: AesRound, a: Lane) -> Result<Lane, Stop> {
        let a = if self.terms.constant_part(a) == 0 { a } else { self.absorb_last_byte(a) };
        Ok(self.terms.round(round, a))
    }

    fn inv_mix_columns(&mut self, a: Lane) -> Result<Lane, Stop> {
        Ok(if a.is_unknown() || self.terms.is_too_deep(a) {
            self.terms.unknown(&[a])
        } else {
            self.terms.atom(Atom::InvMix { of: a })
        })
    }

    fn key_generation_assist(&mut self, a: Lane, rcon: u8) -> Result<Lane, Stop> {
        let Some(bytes) = self.terms.bytes(a) else { return Ok(a) };
        let mut result = [Form(0); 16];
        for half in 0..2 {
            for i in 0..4 {
                let s = self.terms.forms.sbox(false, bytes[4 + 8 * half + i]);
                result[8 * half + i] = s;
                // RotWord: byte i goes to place i - 1.
                result[8 * half + 4 + (i + 3) % 4] = s;
            }
            let first = &mut result[8 * half + 4];
            *first = self.terms.forms.add(*first, Form(u32::from(rcon)));
        }
        Ok(self.terms.from_bytes(result))
    }

    fn add(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        if let (Some(x), Some(y)) = (self.terms.as_constant(a), self.terms.as_constant(b)) {
            let sum = Self::add_constants(element, x, y, false);
            return Ok(self.terms.constant(sum));
        }
        for (lane, constant) in [(a, b), (b, a)] {
            let Some(constant) = self.terms.as_constant(constant) else { continue };
            if constant == 0 {
                return Ok(lane);
            }
            if let Some(next) = self.advance_last_byte(lane, constant) {
                return Ok(next);
            }
            if let Some(sum) = self.add_to_bytes(element, lane, constant) {
                return Ok(sum);
            }
            if element == Width::B64
                && let Some(next) = self.advance_counter(lane, constant)
            {
                return Ok(next);
            }
        }
        if a == b && !a.is_unknown() {
            return Ok(self.lane_shift(Shift::Left, element, a, 1));
        }
        let why = "a vector addition to a counter that may overflow, or to no counter";
        if element == Width::B8 {
            return Ok(self.byte_function_or_unknown(a, b, why, u8::wrapping_add));
        }
        self.blurred(why);
        Ok(self.terms.unknown(&[a, b]))
    }

    fn subtract(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        if let Some(y) = self.terms.as_constant(b) {
            let negative = Self::add_constants(element, 0, y, true);
            let negative = self.terms.constant(negative);
            return self.add(element, a, negative);
        }
        let why = "a vector subtraction of no constant";
        if element == Width::B8 {
            return Ok(self.byte_function_or_unknown(a, b, why, u8::wrapping_sub));
        }
        self.blurred(why);
        Ok(self.terms.unknown(&[a, b]))
    }

    fn compare_equal(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        match (self.terms.as_constant(a), self.terms.as_constant(b)) {
            (Some(x), Some(y)) => {
                let bits = element.bits();
                let mask = u128::from(element.mask());
                let value = (0..128 / bits).fold(0, |v, i| {
                    v | if (x ^ y) >> (i * bits) & mask == 0 { mask << (i * bits) } else { 0 }
                });
                Ok(self.terms.constant(value))
            }
            _ => {
                let why = "a comparison of vectors that are not constants";
                if element == Width::B8 {
                    let equal = |x, y| if x == y { 0xff } else { 0 };
                    return Ok(self.byte_function_or_unknown(a, b, why, equal));
                }
                self.blurred(why);
                Ok(self.terms.unknown(&[a, b]))
            }
        }
    }

    fn compare_greater(&mut self, element: Width, a: Lane, b: Lane) -> Result<Lane, Stop> {
        // Below zero: the highest bit in every place.
        if a == Lane::ZERO {
            let map = self.terms.maps.of_signs(element);
            return Ok(self.terms.moved(map, b));
        }
        let why = "a comparison of vectors that are not bytes";
        if element == Width::B8 {
            let greater = |x: u8, y: u8| if x.cast_signed() > y.cast_signed() { 0xff } else { 0 };
            return Ok(self.byte_function_or_unknown(a, b, why, greater));
        }
        self.blurred(why);
        Ok(self.terms.unknown(&[a, b]))
    }

    fn shift_bits(&mut self, op: Shift, element: Width, a: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.lane_shift(op, element, a, count))
    }

    fn shuffle_words(&mut self, half: Half, a: Lane, order: u8) -> Result<Lane, Stop> {
        let first = if half == Half::High { 8 } else { 0 };
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            let word = usize::from(order >> (2 * (i % 8 / 2)) & 3);
            Some((0, if i & 8 == first { first + 2 * word + i % 2 } else { i }))
        }))
    }

    fn interleave(&mut self, element: Width, half: Half, a: Lane, b: Lane) -> Result<Lane, Stop> {
        Ok(self.lane_interleave(element, half, a, b))
    }

    fn affine(&mut self, inverse: bool, a: Lane, matrix: Lane, constant: u8) -> Result<Lane, Stop> {
        Ok(self.lane_affine(inverse, a, matrix, constant))
    }

    fn multiply(&mut self, a: Lane, b: Lane) -> Result<Lane, Stop> {
        Ok(self.lane_multiply(a, b))
    }

    fn permute_bytes(&mut self, index: Lane, table: &[Lane]) -> Result<Lane, Stop> {
        let bytes = 16 * table.len();
        Ok(self.look_up(index, table, |v| Some(usize::from(v) % bytes)))
    }

    fn sign_bits(&mut self, element: Width, lanes: &[Lane]) -> Result<Mask, Stop> {
        let size = element.bytes();
        let mut signs = Vec::with_capacity(16 / size * lanes.len());
        for &lane in lanes {
            let bytes = self.terms.bytes(lane).unwrap_or([UNKNOWN_SIGN; 16]);
            signs.extend((size - 1..16).step_by(size).map(|i| bytes[i]));
        }
        let constant: Option<Vec<u8>> = signs.iter().map(|&s| self.terms.forms.as_constant(s)).collect();
        if let Some(values) = constant {
            let bits = values.iter().rev().fold(0, |bits, v| bits << 1 | u64::from(v >> 7));
            return Ok(Mask::Bits(bits));
        }
        Ok(Mask::Signs(self.signs_number(signs)))
    }

    fn second_byte(&mut self, a: Word) -> Result<Word, Stop> {
        match (a.as_number(), self.word_byte(a, 1)) {
            (Some(number), _) => Ok(Word::number(number >> 8 & 0xff)),
            (None, Some(byte)) => {
                Ok(self.word_of_bytes(std::array::from_fn(|i| if i == 0 { byte } else { Form(0) })))
            }
            _ => Ok(self.unknown_word(&[a])),
        }
    }

    fn shuffle_bytes(&mut self, a: Lane, control: Lane) -> Result<Lane, Stop> {
        let Some(control) = self.terms.as_constant(control) else {
            return Ok(self.look_up(control, &[a], |v| (v < 0x80).then_some(usize::from(v & 15))));
        };
        let control = control.to_le_bytes();
        if let Some(Atom::Counter { index, order }) = self.terms.as_atom(a) {
            let found = [Order::MEMORY, Order::SWAPPED_HALVES, Order::SWAPPED_BYTES, Order::REVERSED]
                .into_iter()
                .find(|o| (0..16).all(|i| control[i] as usize == o.source(i)));
            if let Some(by) = found {
                return Ok(self.counter(index, Order(order.0 ^ by.0)));
            }
        }
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            (control[i] & 0x80 == 0).then_some((0, usize::from(control[i] & 15)))
        }))
    }

    fn shuffle_dwords(&mut self, a: Lane, order: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            Some((0, usize::from(order >> (2 * (i / 4)) & 3) * 4 + i % 4))
        }))
    }

    fn shift_bytes_left(&mut self, a: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([a, Lane::ZERO], |i| i.checked_sub(count as usize).map(|k| (0, k))))
    }

    fn shift_bytes_right(&mut self, a: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([a, Lane::ZERO], |i| {
            let k = i + count as usize;
            (k < 16).then_some((0, k))
        }))
    }

    fn align_bytes(&mut self, high: Lane, low: Lane, count: u8) -> Result<Lane, Stop> {
        Ok(self.choose_bytes([low, high], |i| {
            let k = i + count as usize;
            (k < 32).then_some((k / 16, k % 16))
        }))
    }

    fn pair_halves(&mut self, low: (Lane, Half), high: (Lane, Half)) -> Result<Lane, Stop> {
        if low.0 == high.0 && low.1 == Half::Low && high.1 == Half::High {
            return Ok(low.0);
        }
        if self.terms.is_by_bits(low.0) || self.terms.is_by_bits(high.0) {
            let from = |half| if half == Half::High { 8 } else { 0 };
            let (a, b) = (from(low.1), from(high.1));
            return Ok(self.choose_bytes([low.0, high.0], |i| Some((i / 8, i % 8 + [a, b][i / 8]))));
        }
        let low = self.half(low.0, low.1 == Half::High);
        let high = self.half(high.0, high.1 == Half::High);
        Ok(self.pair(low, high))
    }

    fn blend_dwords(&mut self, a: Lane, b: Lane, choice: u8) -> Result<Lane, Stop> {
        match choice & 15 {
            0 => Ok(a),
            15 => Ok(b),
            choice => Ok(self.choose_bytes([a, b], |i| Some((usize::from(choice >> (i / 4) & 1), i)))),
        }
    }

    fn select(&mut self, mask: Mask, first: u32, element: Width, new: Lane, old: Lane) -> Result<Lane, Stop> {
        // Two of which nothing is known are not the same: which it is may be a secret.
        if new == old && !(new == Lane::PUBLIC && mask.is_secret()) {
            return Ok(new);
        }
        let size = element.bytes();
        match mask {
            Mask::Bits(bits) => {
                let bits = bits >> first;
                let all = u64::MAX >> (64 - 16 / size);
                match bits & all {
                    0 => Ok(old),
                    set if set == all => Ok(new),
                    _ => Ok(self.choose_bytes([old, new], |i| Some(((bits >> (i / size) & 1) as usize, i)))),
                }
            }
            Mask::Signs(number) if element == Width::B8 => {
                match self.select_by_signs(number, first, new, old) {
                    Some(lane) => Ok(lane),
                    None => {
                        self.blurred("a blend of bytes that depend on more than eight bits");
                        Ok(Lane::UNKNOWN)
                    }
                }
            }
            Mask::Signs(_) | Mask::Secret => Ok(Lane::UNKNOWN),
            Mask::Lowest(_) | Mask::Unknown => {
                self.blurred("a blend by a mask that is not a constant");
                Ok(self.terms.unknown(&[new, old]))
            }
        }
    }

    fn lane_from_word(&mut self, element: Width, word: Word) -> Result<Lane, Stop> {
        let word = if element == Width::B64 { word } else { self.zero_extend(element, word)? };
        Ok(self.pair(word, Word::number(0)))
    }

    fn word_from_lane(&mut self, element: Width, a: Lane, index: u8) -> Result<Word, Stop> {
        Ok(self.element_word(element, a, index))
    }

    fn mask(&mut self, bits: u64) -> Mask {
        Mask::Bits(bits)
    }

    fn mask_from_word(&mut self, width: Width, word: Word) -> Result<Mask, Stop> {
        Ok(match word {
            Word::Ones(count) => {
                let most = self.path.facts.range(&self.path.facts.resolve(count)).1;
                if width == Width::B64 || most <= i128::from(width.bits()) {
                    Mask::Lowest(count)
                } else {
                    Mask::Unknown
                }
            }
            _ => match word.as_number() {
                Some(bits) => Mask::Bits(bits & width.mask()),
                None if self.word_is_secret(word) => return refuse("an opmask that may depend on a secret"),
                None => Mask::Unknown,
            },
        })
    }

    fn word_from_mask(&mut self, width: Width, mask: Mask) -> Result<Word, Stop> {
        Ok(match mask {
            Mask::Bits(bits) => Word::number(bits & width.mask()),
            Mask::Lowest(count) if width == Width::B64 => Word::Ones(count),
            Mask::Signs(_) | Mask::Secret => Word::Unknown,
            Mask::Lowest(_) | Mask::Unknown => Word::Public,
        })
    }

    fn word(&mut self, value: u64) -> Word {
        Word::number(value)
    }

    fn code_address(&mut self, offset: u64) -> Word {
        self.code_word(offset)
    }

    fn address(
        &mut self,
        base: Option<Word>,
        index: Option<(Word, u8)>,
        displacement: i64,
    ) -> Result<Word, Stop> {
        // Whatever has no form here is as secret as any part of it.
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
        // lea with one counter half: a sum without flags.
        if let (Some(word), None) = (base, index)
            && let Some((at, low)) = self.counter_half(word)
        {
            return Ok(self.counter_sum(at, low, Linear::number(displacement), CarryFlag::Known(false))?.0);
        }
        // One scalar that is no address, beside what is one.
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

    fn zero_extend(&mut self, from: Width, a: Word) -> Result<Word, Stop> {
        if from == Width::B64 {
            return Ok(a);
        }
        if let (Width::B8, Some((Index::At(index), true))) = (from, self.counter_half(a)) {
            return Ok(Word::CounterByte { index, mask: 0xff, scale: 1, base: Linear::number(0) });
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

    fn replace_low(&mut self, width: Width, old: Word, value: Word) -> Result<Word, Stop> {
        match (self.word_bytes(old), self.word_bytes(value)) {
            (Some(old), Some(new)) => {
                Ok(self
                    .word_of_bytes(std::array::from_fn(|i| if i < width.bytes() { new[i] } else { old[i] })))
            }
            _ => {
                // What is above is not known; what is below may be.
                Ok(self.unknown_word(&[old, value]))
            }
        }
    }

    fn binary(
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
                    && let Some(byte) = self.word_byte(a, 0)
                    && let Some(index) = self.as_last_byte(byte)
                {
                    let word = Word::CounterByte { index, mask: 0xff, scale: 1, base: Linear::number(0) };
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
                        // A 64-bit result wraps as the registers do; narrower ones must fit.
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
                    let word = self.zero_extend(width, a)?;
                    return Ok((word, Self::flags_of_logic(word, width)));
                }
                if op == Binary::And {
                    for (x, y) in [(a, b), (b, a)] {
                        if let (Word::Linear(linear), Some(number)) = (x, y.as_number()) {
                            let number = match width {
                                Width::B64 => number,
                                // A mask with its top bit set says something of the bits above.
                                _ if number & width.mask() < 1 << (width.bits() - 1) => number & width.mask(),
                                _ => return Ok((Word::Public, Flags::Unknown { secret: false })),
                            };
                            let word = self.mask_linear(linear, number)?;
                            return Ok((word, Self::flags_of_logic(word, width)));
                        }
                    }
                }
                let (x, y) = (self.zero_extend(width, a)?, self.zero_extend(width, b)?);
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

    fn unary(&mut self, op: Unary, width: Width, a: Word, flags: Flags) -> Result<(Word, Flags), Stop> {
        let carry = self.carry_in(flags);
        let unknown = self.unknown_word(&[a]);
        match op {
            Unary::Inc | Unary::Dec => {
                let by = if op == Unary::Inc { 1 } else { -1 };
                let (word, sum) =
                    self.sum(width, a, Word::Linear(Linear::number(by)), CarryFlag::Known(false))?;
                // The carry is that of before; sign and zero are those of the sum, which is secret
                // where its form is not.
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

    fn shift(
        &mut self,
        op: Shift,
        width: Width,
        a: Word,
        count: u8,
        flags: Flags,
    ) -> Result<(Word, Flags), Stop> {
        let unknown = self.unknown_word(&[a]);
        let word = self.shifted(op, width, a, count)?.unwrap_or(unknown);
        // Carry and overflow are bits of what was shifted.
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

    fn undefined(&mut self, flags: Flags, which: FlagSet) -> Flags {
        let (mut carry, mut overflow) = (self.carry_in(flags), self.overflow_in(flags));
        if which.carry {
            carry = CarryFlag::Secret;
        }
        if which.overflow {
            overflow = OverflowFlag::Secret;
        }
        // Conditions on parity are refused, whatever it is.
        match which.zero || which.sign {
            true => Flags::Unknown { secret: true },
            false if which.carry || which.overflow => self.with_carry_and_overflow(flags, carry, overflow),
            false => flags,
        }
    }

    fn branch(&mut self, condition: Condition, flags: Flags) -> Result<Decision, Stop> {
        let decision = self.decide(condition, flags)?;
        if decision == Decision::Both {
            self.undecided = Some((condition, flags));
        }
        Ok(decision)
    }

    fn choose(&mut self, condition: Condition, flags: Flags, yes: Word, no: Word) -> Result<Word, Stop> {
        // Two of which nothing is known are not the same: which it is may be a secret.
        if yes == no && yes != Word::Public {
            return Ok(yes);
        }
        if let Some(least) = self.least(condition, flags, yes, no) {
            return Ok(least);
        }
        Ok(match self.decide(condition, flags)? {
            Decision::Taken => yes,
            Decision::NotTaken => no,
            Decision::Both => self.unknown_word(&[yes, no]),
        })
    }

    fn load_word(&mut self, width: Width, address: Word) -> Result<Word, Stop> {
        if let Word::Lookup { base, index } = address {
            return self.load_looked_up(width, base, index);
        }
        let at = self.stack_place(address)?;
        self.load_scalar(at, width.bytes() as i64)
    }

    fn store_word(&mut self, width: Width, address: Word, value: Word) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.store_scalar(at, width.bytes() as i64, value)
    }

    fn load_element(&mut self, element: Width, address: Word) -> Result<Lane, Stop> {
        let word = self.load_word(element, address)?;
        self.lane_from_word(element, word)
    }

    fn store_element(&mut self, element: Width, address: Word, a: Lane, index: u8) -> Result<(), Stop> {
        let word = self.element_word(element, a, index);
        self.store_word(element, address, word)
    }

    fn load(&mut self, access: Access, address: Word, lanes: &mut [Lane]) -> Result<(), Stop> {
        if let Word::CounterByte { index, mask: 0xff, scale: 16, base } = address
            && access == Access::Unaligned
        {
            return self.load_table(index, base, lanes);
        }
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = self.load_lane(Place { offset: at.offset + 16 * i as i64, ..at })?;
        }
        Ok(())
    }

    fn store(&mut self, access: Access, address: Word, lanes: &[Lane]) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        for (i, &lane) in lanes.iter().enumerate() {
            self.store_lane(Place { offset: at.offset + 16 * i as i64, ..at }, lane)?;
        }
        Ok(())
    }

    fn load_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Mask,
        address: Word,
        lanes: &mut [Lane],
    ) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        if let Mask::Bits(bits) = mask {
            return self.load_lanes_chosen(at, element, bits, lanes);
        }
        if element != Width::B8 {
            return refuse("a load under a mask of elements wider than bytes, of unknown number");
        }
        self.load_lanes_masked(at, mask, lanes)
    }

    fn store_masked(
        &mut self,
        access: Access,
        element: Width,
        mask: Mask,
        address: Word,
        lanes: &[Lane],
    ) -> Result<(), Stop> {
        let at = self.stack_place(address)?;
        self.check_alignment(access, at, 16 * lanes.len() as i64)?;
        if let Mask::Bits(bits) = mask {
            return self.store_lanes_chosen(at, element, bits, lanes);
        }
        if element != Width::B8 {
            return refuse("a store under a mask of elements wider than bytes, of unknown number");
        }
        self.store_lanes_masked(at, mask, lanes)
    }

    fn prefetch(&mut self, address: Word) -> Result<(), Stop> {
        if self.word_is_secret(address) {
            return refuse("a prefetch of an address that may be secret");
        }
        Ok(())
    }
}
