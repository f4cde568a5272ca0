//! Numbers of blocks and of their bytes, and addresses between which blocks lie: sums of a few unknowns. Loops count down
//! or up, in blocks or bytes, or go on until a pointer reaches the end.
//!
//! The unknowns are the beginnings of the input and of the output that are left, the number of blocks left, and the number
//! of blocks done. Memory has room for all blocks, so 16 times their number does not wrap, nor do addresses within a
//! buffer or at its end.

use aesmith_isa::numbers::{mask, signed};
use aesmith_isa::values::{Binary, Shift};

use crate::bits::memory::{ObjectId, Role};
use crate::bits::symbols::Symbols;
use crate::bits::value::{Question, Value};

/// Factors of the unknowns: input, output, blocks left, blocks done.
type Factors = [i64; 4];

/// The roles that are such sums.
pub(crate) const SUMS: [(Role, Factors); 12] = [
    (Role::Input, [1, 0, 0, 0]),
    (Role::Output, [0, 1, 0, 0]),
    (Role::Count, [0, 0, 1, 0]),
    (Role::Length, [0, 0, 16, 0]),
    (Role::Done, [0, 0, 0, 1]),
    (Role::DoneLength, [0, 0, 0, 16]),
    (Role::Total, [0, 0, 1, 1]),
    (Role::TotalLength, [0, 0, 16, 16]),
    (Role::End(false), [1, 0, 16, 0]),
    (Role::End(true), [0, 1, 16, 0]),
    (Role::First(false), [1, 0, 0, -16]),
    (Role::First(true), [0, 1, 0, -16]),
];

fn factors_of(role: Role) -> Option<Factors> {
    SUMS.iter().find(|(of, _)| *of == role).map(|(_, factors)| *factors)
}

/// A number of bytes that may be added to that of the text: the chaining value and a key of as many bytes lie in memory
/// beside the text, so that the sum is less than the size of memory.
const BESIDE: i64 = 16;

/// A sum of the unknowns and a number.
#[derive(Clone, Copy)]
struct Linear {
    factors: Factors,
    number: i64,
}

impl Linear {
    fn plus(self, other: Linear, sign: i64) -> Linear {
        let factors = std::array::from_fn(|k| self.factors[k] + sign * other.factors[k]);
        Linear { factors, number: self.number.wrapping_add(other.number.wrapping_mul(sign)) }
    }
}

/// The distance by which a value of this role moves, if it is expressed by the unknowns after this number of blocks.
pub(crate) fn moves(role: Role, blocks: i64) -> i64 {
    factors_of(role).map_or(0, |[input, output, left, done]| blocks * (left - done - 16 * (input + output)))
}

impl Symbols<'_> {
    fn linear(&self, width: u8, value: &Value) -> Option<Linear> {
        let of = |object: &ObjectId| {
            let object = &self.memory.objects[usize::from(*object)];
            factors_of(object.role).filter(|_| object.width == width)
        };
        match value {
            Value::Number(n) => Some(Linear { factors: [0; 4], number: signed(width, *n) as i64 }),
            Value::Pointer(object, at) => Some(Linear { factors: of(object)?, number: *at }),
            Value::NotPointer(object, at) => {
                let factors = of(object)?.map(|factor| -factor);
                Some(Linear { factors, number: at.wrapping_neg().wrapping_sub(1) })
            }
            _ => None,
        }
    }

    /// The value of a sum, if it has a role.
    fn of_linear(&self, width: u8, sum: Linear) -> Option<Value> {
        if sum.factors == [0; 4] {
            return Some(Value::Number(sum.number as u128 & mask(width)));
        }
        let find = |factors: Factors| {
            let role = SUMS.iter().find(|(_, of)| *of == factors)?.0;
            self.memory.find(role)
        };
        match find(sum.factors) {
            Some(object) => Some(self.pointer(object, sum.number)),
            None => {
                let object = find(sum.factors.map(|factor| -factor))?;
                Some(self.complement(object, sum.number.wrapping_neg().wrapping_sub(1)))
            }
        }
    }

    /// Sums, differences and comparisons of lengths and of addresses of the text.
    pub(crate) fn lengths(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Option<Value> {
        let count = self.memory.find(Role::Count).filter(|count| self.width_of(*count) == width)?;
        // A multiple of 16 remains as it is.
        if let (Binary::And, Value::Pointer(object, at), Value::Number(n))
        | (Binary::And, Value::Number(n), Value::Pointer(object, at)) = (op, a, b)
        {
            let [input, output, left, done] = factors_of(self.memory.objects[usize::from(*object)].role)?;
            let is_length = (input, output) == (0, 0) && left % 16 == 0 && done % 16 == 0 && at % 16 == 0;
            return (is_length && *n == mask(width) & !15).then_some(Value::Pointer(*object, *at));
        }
        let (x, y) = (self.linear(width, a)?, self.linear(width, b)?);
        match op {
            Binary::Add => self.of_linear(width, x.plus(y, 1)),
            Binary::Subtract => self.of_linear(width, x.plus(y, -1)),
            Binary::Equal => {
                let Linear { factors: [0, 0, left, 0], number } = x.plus(y, -1) else { return None };
                let (times, sum) = (left.abs(), number.wrapping_mul(-left.signum()));
                let is = match times {
                    1 => sum as u64 & mask(width) as u64,
                    16 if sum & 15 == 0 => (sum as u64 & mask(width) as u64) >> 4,
                    16 => return Some(Value::Number(0)),
                    _ => return None,
                };
                Some(self.question(Question { object: count, offset: 0, low: 0, width, is, below: false }))
            }
            Binary::Below if self.is_whole(width, a, x) && self.is_whole(width, b, y) => {
                let Linear { factors: [0, 0, left, 0], number } = x.plus(y, -1) else { return None };
                let (times, up) = (left.abs(), left > 0);
                if left == 0 {
                    return Some(Value::Number(u128::from(number < 0)));
                }
                // `left * times` is below a number, or above one.
                let bound = if up { -number } else { number + 1 };
                if bound <= 0 {
                    return Some(Value::Number(u128::from(!up)));
                }
                let is = (bound as u64).div_ceil(times as u64);
                let below = Question { object: count, offset: 0, low: 0, width, is, below: true };
                let asked = self.question(below);
                if up { Some(asked) } else { self.not_bit(&asked) }
            }
            _ => None,
        }
    }

    fn not_bit(&self, bit: &Value) -> Option<Value> {
        let Value::Bits(bits) = bit else { return None };
        Some(Value::Bits(bits.iter().map(|bit| bit ^ 1).collect()))
    }

    /// True if a value, as an unsigned number, is its sum: nothing wraps.
    fn is_whole(&self, width: u8, value: &Value, sum: Linear) -> bool {
        match value {
            // A negative number stands for a large one.
            Value::Number(n) => *n >> (width - 1) == 0,
            Value::Pointer(..) => self.fits(sum),
            _ => false,
        }
    }

    /// True if a sum is known to be no less than zero and less than the size of memory.
    fn fits(&self, Linear { factors, number }: Linear) -> bool {
        let limit = self.memory.limit;
        match factors {
            // From the first byte left to the end of the blocks that are known to be left.
            [1, 0, 0, 0] | [0, 1, 0, 0] | [1, 0, 0, -16] | [0, 1, 0, -16] => (0..=limit).contains(&number),
            [1, 0, 16, 0] | [0, 1, 16, 0] => number <= 0 && -limit <= number,
            [0, 0, left @ 0..=16, done @ 0..=16] => {
                let least = limit / 16 * left;
                // Numbers that are added to a number of blocks are less than half of the size of memory, and the number
                // of blocks is less than a sixteenth of it.
                -least <= number && (left.max(done) == 1 || number <= BESIDE)
            }
            _ => false,
        }
    }

    /// Shifts of numbers of blocks to numbers of bytes and back. No bits are lost, as memory has room for all blocks.
    pub(crate) fn shifted_length(&self, op: Shift, width: u8, a: &Value, count: u128) -> Option<Value> {
        self.memory.find(Role::Count).filter(|count| self.width_of(*count) == width)?;
        let sum = self.linear(width, a)?;
        let [input, output, left, done] = sum.factors;
        if (input, output) != (0, 0) || (left, done) == (0, 0) {
            return None;
        }
        if left.abs() <= 1 && done.abs() <= 1 {
            let bytes = Linear { factors: [0, 0, 16 * left, 16 * done], number: sum.number.wrapping_mul(16) };
            // A rotation to the left shifts zeros out, if the number of bytes fits.
            let fits = sum.number.checked_mul(16) == Some(bytes.number) && self.fits(bytes);
            let is_left = op == Shift::Left && count == 4
                || op == Shift::Rotate && count == u128::from(width) - 4 && fits;
            return if is_left { self.of_linear(width, bytes) } else { None };
        }
        let is_multiple = left % 16 == 0 && done % 16 == 0 && sum.number & 15 == 0;
        let is_right = op == Shift::Right && count == 4 && is_multiple && self.is_whole(width, a, sum);
        let factors = [0, 0, left / 16, done / 16];
        if is_right { self.of_linear(width, Linear { factors, number: sum.number >> 4 }) } else { None }
    }

    /// The value at a place where this number of blocks is done; `None` if it does not depend on that.
    pub(crate) fn with_done(&self, width: u8, value: &Value, blocks: i64) -> Option<Value> {
        let mut sum = self.linear(width, value).filter(|sum| sum.factors[3] != 0)?;
        sum.number = sum.number.wrapping_add(sum.factors[3] * blocks);
        sum.factors[3] = 0;
        self.of_linear(width, sum)
    }

    /// A value that is `before` where `done` blocks are done and `after` where `more` are done, and grows evenly.
    pub(crate) fn growing(
        &self,
        width: u8,
        before: &Value,
        after: &Value,
        done: i64,
        more: i64,
    ) -> Option<Value> {
        let (x, y) = (self.linear(width, before)?, self.linear(width, after)?);
        let Linear { factors: [0, 0, 0, 0], number } = y.plus(x, -1) else { return None };
        let number = signed(width, number as u128 & mask(width)) as i64;
        if more == 0 || number == 0 || number % more != 0 || x.factors[3] != 0 {
            return None;
        }
        let each = number / more;
        let [input, output, left, _] = x.factors;
        let factors = [input, output, left, each];
        self.of_linear(width, Linear { factors, number: x.number.wrapping_sub(each.wrapping_mul(done)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::toy::ABOUT;
    use aesmith_isa::image::Image;
    use aesmith_isa::numbers::binary;

    const WIDTH: u8 = 32;

    /// The unknowns: input, output, blocks left and done.
    type Numbers = [i64; 4];

    fn number_of(domain: &Symbols, value: &Value, now: Numbers) -> u128 {
        let role = |object: &ObjectId| domain.memory.objects[usize::from(*object)].role;
        let sum = |object: &ObjectId, at: i64| {
            let factors = factors_of(role(object)).expect("a sum");
            (0..4).map(|k| factors[k] * now[k]).sum::<i64>() + at
        };
        let all = mask(WIDTH);
        match value {
            Value::Number(n) => *n,
            Value::Pointer(object, at) => sum(object, *at) as u128 & all,
            Value::NotPointer(object, at) => !(sum(object, *at) as u128) & all,
            Value::Bits(bits) => {
                let (_, question) =
                    domain.questions.iter().find(|(bit, _)| *bit == bits[0] & !1).expect("asked");
                let left = (now[2] + question.offset) as u128 & all;
                let is = u128::from(question.is);
                let answer = if question.below { left < is } else { left == is };
                u128::from(answer != (bits[0] & 1 == 1))
            }
            other => panic!("{other:?}"),
        }
    }

    /// Compares sums, differences, comparisons and shifts of all roles at these offsets, and of these numbers, with those of
    /// numbers. Returns how many of each are known.
    fn known_of(offsets: &[i64], numbers: &[u128], least: i64, states: &[Numbers]) -> [usize; 6] {
        let image = Image::default();
        let mut domain = Symbols::new(&image, &ABOUT);
        let objects = SUMS.map(|(role, _)| domain.memory.object(role, WIDTH, 0, 0, false));
        domain.memory.limit = 16 * least;
        let mut values: Vec<Value> = numbers.iter().copied().map(Value::Number).collect();
        for (object, &at) in objects.iter().flat_map(|object| offsets.iter().map(move |at| (*object, at))) {
            values.extend([Value::Pointer(object, at), Value::NotPointer(object, at)]);
        }
        let mut known = [0; 6];
        for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            let ops = [Binary::Add, Binary::Subtract, Binary::Equal, Binary::Below, Binary::And];
            for (kind, op) in ops.into_iter().enumerate() {
                let Some(found) = domain.lengths(op, WIDTH, a, b) else { continue };
                known[kind] += 1;
                for now in states {
                    let [x, y, z] = [a, b, &found].map(|value| number_of(&domain, value, *now));
                    assert_eq!(z, binary(op, WIDTH, x, y), "{a:?} {op:?} {b:?} is {found:?} at {now:?}");
                }
            }
        }
        for a in &values {
            for (op, count) in [(Shift::Left, 4), (Shift::Right, 4), (Shift::Rotate, 28), (Shift::Left, 3)] {
                let Some(found) = domain.shifted_length(op, WIDTH, a, count) else { continue };
                known[5] += 1;
                for now in states {
                    let [x, y] = [a, &found].map(|value| number_of(&domain, value, *now) as u32);
                    let wanted = match op {
                        Shift::Left => x << count,
                        Shift::Right => x >> count,
                        _ => x.rotate_right(count as u32),
                    };
                    assert_eq!(y, wanted, "{a:?} {op:?} {count} is {found:?} at {now:?}");
                }
            }
        }
        known
    }

    /// Sums, differences, comparisons and shifts have the values that they have for numbers.
    #[test]
    fn sums_are_those_of_numbers() {
        let offsets = [-64, -33, -32, -17, -16, -1, 0, 1, 2, 15, 16, 31, 32, 48];
        let numbers = [0, 1, 3, 16, 17, 64, 0xffff_fff0];
        let least = 2;
        let left = [least, least + 1, least + 2, 7];
        let states =
            left.into_iter().flat_map(|left| [0, 1, 2, 5].map(|done| [0x1_0000, 0x8_0000, left, done]));
        let known = known_of(&offsets, &numbers, least, &states.collect::<Vec<_>>());
        assert!(known[..4].iter().all(|&n| n > 1000) && known[4] > 20 && known[5] > 50, "{known:?}");
    }

    /// The text may fill memory, and numbers that are added to its length may be large.
    #[test]
    fn sums_of_long_texts_and_large_numbers_are_those_of_numbers() {
        let large = [0x7000_0000, 0x7fff_fff0, 0x1000_0000, 0x0fff_ffff, 0x100, 0x30, 0x20];
        let offsets: Vec<i64> = [0, 1, 16].into_iter().chain(large).chain(large.map(|n| -n)).collect();
        let numbers = [0, 0x20, 0x27, 0x7000_0000, 0x7000_0020, 0x8000_0000, 0xffff_fff0];
        let least = 2;
        // The chaining value and the key are below the text, which ends before the last byte of memory.
        let states = [(0, None), (5, None), (0, Some(2)), (3, Some(2))].map(|(done, left)| {
            let begins = 0x20 + 16 * done;
            [begins, begins, left.unwrap_or(((1 << 32) - begins) / 16 - 1), done]
        });
        // Two blocks at the end of memory, and any blocks before them.
        let last = (1 << 32) - 16 * least - 1;
        let states = [&states[..], &[[last, last, least, 0], [last, last, least, 3]]].concat();
        let known = known_of(&offsets, &numbers, least, &states);
        assert!(known[..4].iter().all(|&n| n > 200) && known[4] > 10 && known[5] > 20, "{known:?}");
    }

    /// A value that grows evenly has both values that it was made of.
    #[test]
    fn growing_values_have_both_values() {
        let image = Image::default();
        let mut domain = Symbols::new(&image, &ABOUT);
        let objects = SUMS.map(|(role, _)| domain.memory.object(role, WIDTH, 0, 0, false));
        let at = |k: usize, at: i64| Value::Pointer(objects[k], at);
        for (before, after) in [
            (Value::Number(1), Value::Number(3)),
            (Value::Number(16), Value::Number(48)),
            (at(0, -16), at(0, -48)),
            (at(2, 1), at(2, 3)),
            (at(3, 16), at(3, 48)),
        ] {
            let grown = domain.growing(WIDTH, &before, &after, 1, 2).expect("it grows evenly");
            assert!(domain.with_done(WIDTH, &grown, 1).expect("a number is done").same(&before), "{grown:?}");
            assert!(domain.with_done(WIDTH, &grown, 3).expect("a number is done").same(&after), "{grown:?}");
        }
        for (before, after) in [
            (Value::Number(1), Value::Number(2)),
            (Value::Number(1), Value::Number(1)),
            (at(0, 0), at(1, 2)),
            (at(2, 1), at(2, 5)),
        ] {
            assert!(domain.growing(WIDTH, &before, &after, 1, 2).is_none(), "{before:?} to {after:?}");
        }
    }
}
