//! Sums of symbols of a launch and a loop, times numbers, modulo 2^64.

use std::collections::BTreeMap;
use std::fmt;

/// A term of a sum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// The constant 1.
    One,
    /// A bit of the thread's number in its block.
    Bit(u8),
    /// The number of the thread's block.
    Block,
    /// The number of blocks of threads.
    Grid,
    /// The number of blocks of threads, times the number of iterations of the loop so far.
    Turns,
    /// The number of iterations of the loop so far.
    Steps,
    /// The number of streams.
    Streams,
    /// The number of blocks of text.
    Count,
    /// The number of blocks of text, shifted right by this number of bits.
    Part(u8),
    /// The lower half of the first counter, as a number.
    Iv,
    /// The lowest byte of the first counter.
    Low,
}

/// An upper bound on the blocks of threads of a launch (CUDA C++ Programming Guide, table of technical specifications:
/// at most 2^31 - 1).
const MOST_GRID: u64 = 1 << 31;
/// The largest factor of a symbol for which bounds are derived.
const LARGEST: i64 = 1 << 24;
/// The most bits that [`Symbol::Part`] leaves out.
pub(crate) const MOST_LEFT_OUT: u8 = 24;

/// A sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Form(BTreeMap<Symbol, u64>);

impl Form {
    /// A constant.
    pub fn number(n: u64) -> Form {
        Form::of(Symbol::One, n)
    }

    /// A symbol times a number.
    pub fn of(symbol: Symbol, by: u64) -> Form {
        Form(if by == 0 { BTreeMap::new() } else { BTreeMap::from([(symbol, by)]) })
    }

    /// The factor of a symbol.
    pub fn factor(&self, symbol: Symbol) -> u64 {
        self.0.get(&symbol).copied().unwrap_or(0)
    }

    /// The symbols with their factors.
    pub fn terms(&self) -> impl Iterator<Item = (Symbol, u64)> {
        self.0.iter().map(|(&symbol, &by)| (symbol, by))
    }

    /// The sum of this and `by` times another.
    #[must_use]
    pub fn plus(&self, other: &Form, by: u64) -> Form {
        let mut sum = self.0.clone();
        for (symbol, factor) in other.terms() {
            let entry = sum.entry(symbol).or_insert(0);
            *entry = entry.wrapping_add(factor.wrapping_mul(by));
        }
        sum.retain(|_, factor| *factor != 0);
        Form(sum)
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Form) -> Form {
        self.plus(other, u64::MAX)
    }

    /// This sum times a number.
    #[must_use]
    pub fn times(&self, by: u64) -> Form {
        Form::default().plus(self, by)
    }

    /// The sum one iteration of the loop later.
    #[must_use]
    pub(crate) fn a_turn_later(&self) -> Form {
        let moved = self.plus(&Form::of(Symbol::Grid, 1), self.factor(Symbol::Turns));
        moved.plus(&Form::number(1), self.factor(Symbol::Steps))
    }

    /// The sum in the first iteration.
    #[must_use]
    pub(crate) fn at_first(&self) -> Form {
        [Symbol::Turns, Symbol::Steps]
            .iter()
            .fold(self.clone(), |form, &turns| form.minus(&Form::of(turns, self.factor(turns))))
    }

    /// The sum that any number of iterations adds, if one iteration adds `self`: a multiple of the number of blocks of
    /// threads, or a constant where blocks of threads have streams of their own.
    pub(crate) fn in_turns(&self, streams: bool) -> Option<Form> {
        let (one, turns) = if streams { (Symbol::One, Symbol::Steps) } else { (Symbol::Grid, Symbol::Turns) };
        self.terms().all(|(symbol, _)| symbol == one).then(|| Form::of(turns, self.factor(one)))
    }

    /// The increment from iteration to iteration: in blocks of threads, or in blocks of text.
    pub fn pace(&self) -> u64 {
        self.factor(Symbol::Turns).wrapping_add(self.factor(Symbol::Steps))
    }

    /// The quotient by a number, if all factors are multiples of it.
    pub fn divided(&self, by: u64) -> Option<Form> {
        let whole = |(symbol, factor): (Symbol, u64)| {
            factor.is_multiple_of(by).then(|| Form::of(symbol, factor / by))
        };
        self.terms().try_fold(Form::default(), |sum, term| Some(sum.plus(&whole(term)?, 1)))
    }

    /// The quotient by the size of an element in bytes, with the constant remainder; `None` if the remainder is not
    /// constant.
    pub(crate) fn in_elements(&self, size: u32) -> Option<(Form, usize)> {
        let mut elements = Form::default();
        let size = i64::from(size);
        for (symbol, factor) in self.terms() {
            let factor = factor as i64;
            if symbol != Symbol::One && factor % size != 0 {
                return None;
            }
            elements = elements.plus(&Form::of(symbol, factor.div_euclid(size) as u64), 1);
        }
        Some((elements, (self.factor(Symbol::One) as i64).rem_euclid(size) as usize))
    }

    /// True if this is a sum of natural numbers as it stands: without the counter and the number of streams, and with
    /// factors in range. Then it is not negative, and is below 2^63 wherever iterations are bounded by blocks of text
    /// (see [`Facts::asked`](crate::grid::facts::Facts::asked)): blocks of text and of threads are below 2^38, and
    /// factors are at most 2^24. A part of the blocks of text is at most all of them.
    pub(crate) fn is_natural(&self) -> bool {
        let known = |symbol| !matches!(symbol, Symbol::Iv | Symbol::Streams);
        let most = |symbol| match symbol {
            Symbol::Part(left_out) => 1 << left_out.min(MOST_LEFT_OUT),
            _ => LARGEST,
        };
        self.terms().all(|(symbol, factor)| known(symbol) && (0..=most(symbol)).contains(&(factor as i64)))
    }

    /// True if the sum is not negative for any values of its symbols: bits subtract at most their factors, and parts of
    /// the blocks of text at most the corresponding number of blocks.
    pub(crate) fn is_never_negative(&self) -> bool {
        // The minimum of the constant and the bits; the blocks of text, in units of 2^-24 of their number; and the
        // rest.
        let (mut least, mut parts, mut rest) = (0i64, 0i64, Form::default());
        for (symbol, factor) in self.terms() {
            let signed = factor as i64;
            if !(-LARGEST..=LARGEST).contains(&signed) {
                return false;
            }
            match symbol {
                Symbol::One => least += signed,
                Symbol::Bit(_) if signed < 0 => least += signed,
                Symbol::Count => parts += signed << MOST_LEFT_OUT,
                Symbol::Part(left_out) if signed < 0 && left_out <= MOST_LEFT_OUT => {
                    parts += signed << (MOST_LEFT_OUT - left_out);
                }
                _ => rest = rest.plus(&Form::of(symbol, factor), 1),
            }
        }
        least >= 0 && parts >= 0 && rest.is_natural()
    }

    /// The terms that are parts of the blocks of text.
    #[must_use]
    pub fn part(&self) -> Form {
        let parts = self.terms().filter(|(symbol, _)| matches!(symbol, Symbol::Part(_)));
        parts.fold(Form::default(), |sum, (symbol, by)| sum.plus(&Form::of(symbol, by), 1))
    }

    /// True if this is a part of the blocks of text, and at most all of them.
    pub fn is_part(&self) -> bool {
        self.terms().count() == 1 && *self == self.part() && self.is_natural()
    }

    /// The exponent of the largest power of two that divides the sum for any values of its symbols.
    pub(crate) fn evenness(&self) -> u32 {
        self.terms().map(|(_, factor)| factor.trailing_zeros()).min().unwrap_or(u64::BITS)
    }

    /// An upper bound, if the sum has neither iterations nor blocks of text in it.
    pub fn bound(&self) -> Option<u64> {
        let most = |symbol| match symbol {
            Symbol::One | Symbol::Bit(_) => Some(1),
            Symbol::Block | Symbol::Grid => Some(MOST_GRID),
            Symbol::Low => Some(255),
            Symbol::Turns
            | Symbol::Steps
            | Symbol::Streams
            | Symbol::Count
            | Symbol::Part(_)
            | Symbol::Iv => None,
        };
        let natural = self.is_natural();
        natural
            .then(|| self.terms().try_fold(1, |sum, (symbol, factor)| Some(sum + most(symbol)? * factor)))?
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0");
        }
        for (at, (symbol, factor)) in self.terms().enumerate() {
            let factor = factor as i64;
            let sign = if factor < 0 {
                "-"
            } else if at > 0 {
                "+"
            } else {
                ""
            };
            let size = factor.unsigned_abs();
            let name = match symbol {
                Symbol::One => String::new(),
                Symbol::Bit(k) => format!("thread[{k}]"),
                Symbol::Block => "block".into(),
                Symbol::Grid => "grid".into(),
                Symbol::Turns => "turns*grid".into(),
                Symbol::Steps => "turns".into(),
                Symbol::Streams => "streams".into(),
                Symbol::Count => "count".into(),
                Symbol::Part(left_out) => format!("(count>>{left_out})"),
                Symbol::Iv => "counter".into(),
                Symbol::Low => "byte".into(),
            };
            match (symbol, size) {
                (Symbol::One, _) => write!(f, "{sign}{size}")?,
                (_, 1) => write!(f, "{sign}{name}")?,
                _ => write!(f, "{sign}{size}*{name}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[(Symbol, i64)]) -> Form {
        terms.iter().fold(Form::default(), |sum, &(symbol, by)| sum.plus(&Form::of(symbol, by as u64), 1))
    }

    #[test]
    fn sums_are_one_form() {
        let a = sum(&[(Symbol::Bit(0), 1), (Symbol::Block, 128)]);
        assert_eq!(a.plus(&a, u64::MAX), Form::default());
        assert_eq!(a.times(16).in_elements(16), Some((a.clone(), 0)));
        assert_eq!(
            a.times(16).plus(&Form::number(20), 1).in_elements(16),
            Some((a.plus(&Form::number(1), 1), 4))
        );
        assert_eq!(a.times(8).in_elements(16), None);
        let before = a.times(176).minus(&Form::number(8)).in_elements(176);
        assert_eq!(before, Some((a.minus(&Form::number(1)), 168)));
        assert_eq!(a.bound(), Some(2 + 128 * MOST_GRID));
        assert_eq!(a.minus(&Form::number(1)).bound(), None);
        assert_eq!(sum(&[(Symbol::Low, 2), (Symbol::One, 3)]).bound(), Some(1 + 2 * 255 + 3));
        assert_eq!(sum(&[(Symbol::Turns, 3)]).a_turn_later(), sum(&[(Symbol::Turns, 3), (Symbol::Grid, 3)]));
        assert_eq!(a.minus(&Form::number(1)).to_string(), "-1+thread[0]+128*block");
    }

    #[test]
    fn parts_are_no_more_than_all() {
        let (count, part) = (sum(&[(Symbol::Count, 1)]), |by: i64| sum(&[(Symbol::Part(13), by)]));
        assert!(part(8192).is_natural() && part(8192).is_part());
        assert!(!part(8193).is_natural() && !part(8193).is_part());
        assert!(!part(1).plus(&Form::number(1), 1).is_part() && !Form::default().is_part());
        assert!(
            count.minus(&part(8192)).is_never_negative() && !count.minus(&part(8193)).is_never_negative()
        );
        assert!(!part(8192).minus(&count).is_never_negative());
        let both = part(4096).plus(&sum(&[(Symbol::Part(5), 16)]), 1);
        assert!(count.minus(&both).is_never_negative());
        assert!(!count.minus(&both.plus(&sum(&[(Symbol::Part(24), 1)]), 1)).is_never_negative());
        assert_eq!(both.plus(&count, 1).part(), both);
    }

    #[test]
    fn bits_take_away_what_they_stand_for() {
        let bits = sum(&[(Symbol::Bit(0), -1), (Symbol::Bit(1), -2), (Symbol::Bit(2), -4)]);
        assert!(bits.plus(&Form::number(7), 1).is_never_negative());
        assert!(!bits.plus(&Form::number(6), 1).is_never_negative());
        assert!(!sum(&[(Symbol::Block, -1), (Symbol::One, 1 << 20)]).is_never_negative());
        assert!(!sum(&[(Symbol::Low, -1), (Symbol::One, 254)]).is_never_negative());
        assert!(!sum(&[(Symbol::Streams, 1)]).is_never_negative());
    }
}
