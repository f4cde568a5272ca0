//! Scalars as bytes: shifts, logic and sums of the bytes of a key or message in a general register.

use aesmith_isa::lanes::{Binary, Shift, Width};

use crate::algebra::folds::Values;
use crate::algebra::matrices::Matrix;
use crate::lanes::forms::Form;
use crate::lanes::scalar::Word;
use crate::lanes::symbolic::Symbolic;

/// The code of an operation on scalars of bytes whose results are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ScalarOp(u32);

impl ScalarOp {
    /// XOR, AND, OR.
    fn logic(op: Binary) -> Self {
        ScalarOp(op as u32)
    }

    /// Shifts and rotations by `count` bits.
    fn shift(op: Shift, width: Width, count: u8) -> Self {
        ScalarOp(1 << 24 | (op as u32) << 16 | (width.bytes() as u32) << 8 | u32::from(count))
    }

    /// The low bytes, zeros above.
    fn low(width: Width) -> Self {
        ScalarOp(2 << 24 | width.bytes() as u32)
    }
}

/// The code of a scalar of bytes, or of a number: its kind, and its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Operand(u8, u64);

impl Operand {
    /// A scalar as an operand; `None` if its bytes are not determined by its name alone.
    pub(crate) fn of(word: Word) -> Option<Self> {
        match word {
            Word::Bytes(number) => Some(Operand(0, u64::from(number))),
            Word::Quad { lane, high, swapped } => {
                Some(Operand(1, u64::from(lane.0) << 2 | u64::from(high) << 1 | u64::from(swapped)))
            }
            _ => Some(Operand(2, word.as_number()?)),
        }
    }
}

impl Symbolic {
    /// The result of an operation, computed once for the same operands.
    fn scalar_once(
        &mut self,
        op: ScalarOp,
        a: Word,
        b: Word,
        make: impl FnOnce(&mut Self) -> Option<Word>,
    ) -> Option<Word> {
        let (Some(x), Some(y)) = (Operand::of(a), Operand::of(b)) else { return make(self) };
        if let Some(known) = self.scalars.get(&(op, x, y)) {
            return known;
        }
        let made = make(self);
        self.scalars.insert((op, x, y), made);
        made
    }

    /// XOR, AND or OR of scalars byte by byte; `None` if a byte depends on more than eight bits.
    pub(crate) fn combine_bytes(&mut self, op: Binary, a: Word, b: Word) -> Option<Word> {
        self.scalar_once(ScalarOp::logic(op), a, b, |this| this.combine_bytes_anew(op, a, b))
    }

    fn combine_bytes_anew(&mut self, op: Binary, a: Word, b: Word) -> Option<Word> {
        let (x, y) = (self.word_bytes(a)?, self.word_bytes(b)?);
        let mut bytes = [Form(0); 8];
        for i in 0..8 {
            bytes[i] = match op {
                Binary::Xor => self.terms.forms.add(x[i], y[i]),
                Binary::And => self.and_bytes(x[i], y[i])?,
                Binary::Or => {
                    // a | b = a ^ b ^ (a & b)
                    let both = self.and_bytes(x[i], y[i])?;
                    self.terms.forms.combine(&[(x[i], 1), (y[i], 1), (both, 1)])
                }
                _ => return None,
            };
        }
        Some(self.word_of_bytes(bytes))
    }

    fn and_bytes(&mut self, a: Form, b: Form) -> Option<Form> {
        let forms = &mut self.terms.forms;
        if a == b {
            return Some(a);
        }
        for (constant, other) in [(a, b), (b, a)] {
            if let Some(mask) = forms.as_constant(constant) {
                let kept = match mask {
                    0xff => 1,
                    _ => forms.matrices.number(Matrix::keep(mask)),
                };
                return Some(forms.times(kept, other));
            }
        }
        if forms.support(a) & forms.support(b) == 0 {
            return Some(Form(0));
        }
        let (of, values) = forms.as_functions([a, b])?;
        let values: Values = std::array::from_fn(|x| values[0][x] & values[1][x]);
        Some(forms.function(of, &values))
    }

    /// A scalar of bytes shifted or rotated.
    pub(crate) fn shift_bytes(&mut self, op: Shift, width: Width, word: Word, count: u8) -> Option<Word> {
        self.scalar_once(ScalarOp::shift(op, width, count), word, Word::number(0), |this| {
            this.shift_bytes_anew(op, width, word, count)
        })
    }

    fn shift_bytes_anew(&mut self, op: Shift, width: Width, word: Word, count: u8) -> Option<Word> {
        let bytes = self.word_bytes(word)?;
        let size = width.bytes() as i32;
        // Byte i of the result has bits of two neighbours.
        let (by, rotates) = match op {
            Shift::Left => (i32::from(count), false),
            Shift::Right => (-i32::from(count), false),
            Shift::RotateRight => (8 * size - i32::from(count) % (8 * size), true),
        };
        let (far, near) = (by.div_euclid(8), by.rem_euclid(8));
        let matrices = &mut self.terms.forms.matrices;
        let low = matrices.number(Matrix::shifted(near));
        let high = matrices.number(Matrix::shifted(near - 8));
        let from = |i: i32| match rotates {
            true => bytes[i.rem_euclid(size) as usize],
            false if (0..size).contains(&i) => bytes[i as usize],
            false => Form(0),
        };
        let mut result = [Form(0); 8];
        for i in 0..size {
            let parts = [(from(i - far), low), (from(i - far - 1), high)];
            result[i as usize] = self.terms.forms.combine(&parts);
        }
        Some(self.word_of_bytes(result))
    }

    /// The sum, or with `subtract` the difference, of scalars of bytes; `None` if a carry between bytes varies.
    pub(crate) fn add_bytes(&mut self, width: Width, a: Word, b: Word, subtract: bool) -> Option<Word> {
        let (x, y) = (self.word_bytes(a)?, self.word_bytes(b)?);
        let mut bytes = [Form(0); 8];
        let mut carry = 0;
        for i in 0..width.bytes() {
            let (of, values) = self.terms.forms.as_functions([x[i], y[i]])?;
            let total = |v: usize| {
                let (left, right) = (i16::from(values[0][v]), i16::from(values[1][v]));
                if subtract { left - right - carry } else { left + right + carry }
            };
            let out = total(0).div_euclid(256);
            if (1..256).any(|v| total(v).div_euclid(256) != out) {
                return None;
            }
            let sums: Values = std::array::from_fn(|v| total(v) as u8);
            carry = out.abs();
            bytes[i] = self.terms.forms.function(of, &sums);
        }
        Some(self.word_of_bytes(bytes))
    }

    /// The complement of a scalar of bytes.
    pub(crate) fn complement_bytes(&mut self, width: Width, word: Word) -> Option<Word> {
        let bytes = self.word_bytes(word)?;
        let mut result = [Form(0); 8];
        for i in 0..width.bytes() {
            result[i] = self.terms.forms.add(bytes[i], Form(0xff));
        }
        Some(self.word_of_bytes(result))
    }

    /// The low bytes of a scalar, zeros above.
    pub(crate) fn low_bytes(&mut self, word: Word, width: Width) -> Option<Word> {
        if let Word::Bytes(_) = word
            && self.word_bytes(word)?[width.bytes()..].iter().all(|&byte| byte == Form(0))
        {
            return Some(word);
        }
        self.scalar_once(ScalarOp::low(width), word, Word::number(0), |this| {
            let bytes = this.word_bytes(word)?;
            let low = |i| if i < width.bytes() { bytes[i] } else { Form(0) };
            Some(this.word_of_bytes(std::array::from_fn(low)))
        })
    }
}
