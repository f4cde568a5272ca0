//! Sums of what a launch and a loop give, times numbers, modulo 2^64; and what is known of their order.

use std::collections::BTreeMap;
use std::fmt;

/// What a sum is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// One.
    One,
    /// A bit of the thread's number in its block.
    Bit(u8),
    /// The number of the thread's block.
    Block,
    /// The number of blocks of threads.
    Grid,
    /// That, times the number of turns of the loop so far.
    Turns,
    /// The number of turns of the loop so far.
    Steps,
    /// The number of streams.
    Streams,
    /// The number of blocks of text.
    Count,
    /// The lower half of the first counter, as a number.
    Iv,
    /// The lowest byte of it.
    Low,
}

/// The largest number of blocks of text for which a proof holds: memory ends long before.
pub const MOST_BLOCKS: u64 = 1 << 38;
/// More blocks of threads than a launch has (CUDA C++ Programming Guide, table of technical specifications: 2^31 - 1).
const MOST_GRID: u64 = 1 << 31;
/// The largest factor of a symbol that bounds are derived for.
const LARGEST: i64 = 1 << 24;

/// A sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Form(BTreeMap<Symbol, u64>);

impl Form {
    /// A number.
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

    /// The sum of this and another, times a number.
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

    /// Times a number.
    #[must_use]
    pub fn times(&self, by: u64) -> Form {
        Form::default().plus(self, by)
    }

    /// A turn of the loop later.
    #[must_use]
    pub fn a_turn_later(&self) -> Form {
        let moved = self.plus(&Form::of(Symbol::Grid, 1), self.factor(Symbol::Turns));
        moved.plus(&Form::number(1), self.factor(Symbol::Steps))
    }

    /// As it is in the first turn.
    #[must_use]
    pub fn at_first(&self) -> Form {
        [Symbol::Turns, Symbol::Steps]
            .iter()
            .fold(self.clone(), |form, &turns| form.minus(&Form::of(turns, self.factor(turns))))
    }

    /// What any number of turns adds, of which one adds this: a number of blocks of threads, or where these have streams of
    /// their own a number.
    pub fn in_turns(&self, streams: bool) -> Option<Form> {
        let (one, turns) = if streams { (Symbol::One, Symbol::Steps) } else { (Symbol::Grid, Symbol::Turns) };
        self.terms().all(|(symbol, _)| symbol == one).then(|| Form::of(turns, self.factor(one)))
    }

    /// By how much it moves on from turn to turn: blocks of threads, or blocks of text.
    pub fn pace(&self) -> u64 {
        self.factor(Symbol::Turns).wrapping_add(self.factor(Symbol::Steps))
    }

    /// Divided by a number, if all its factors are multiples of it.
    pub fn divided(&self, by: u64) -> Option<Form> {
        let whole = |(symbol, factor): (Symbol, u64)| {
            factor.is_multiple_of(by).then(|| Form::of(symbol, factor / by))
        };
        self.terms().try_fold(Form::default(), |sum, term| Some(sum.plus(&whole(term)?, 1)))
    }

    /// Divided by the size of an element, with the rest, if that is a number.
    pub fn in_elements(&self, size: u32) -> Option<(Form, usize)> {
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

    /// Whether it is a sum of natural numbers as it stands, the counter and the number of streams not among them, none of them too large to be told: then it is no negative
    /// number, and below 2^63 wherever turns are bounded by blocks of text (see [`Facts::asked`]): these and blocks of threads
    /// are below 2^38, and factors no larger than 2^24.
    pub fn is_natural(&self) -> bool {
        let known = |symbol| !matches!(symbol, Symbol::Iv | Symbol::Streams);
        self.terms().all(|(symbol, factor)| known(symbol) && (0..=LARGEST).contains(&(factor as i64)))
    }

    /// What it is below, if it has neither turns nor blocks of text in it.
    pub fn bound(&self) -> Option<u64> {
        let most = |symbol| match symbol {
            Symbol::One | Symbol::Bit(_) => Some(1),
            Symbol::Block | Symbol::Grid => Some(MOST_GRID),
            Symbol::Low => Some(255),
            Symbol::Turns | Symbol::Steps | Symbol::Streams | Symbol::Count | Symbol::Iv => None,
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

/// Whether one sum is below another, as numbers of 64 bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Question {
    /// The one.
    pub low: Form,
    /// The other.
    pub high: Form,
}

/// What is known on a path: questions with their answers.
#[derive(Clone, Default, Debug)]
pub struct Facts(Vec<(Question, bool)>);

impl Question {
    /// Whether a block of text of this number is there.
    pub fn there(number: &Form) -> Question {
        Question { low: number.clone(), high: Form::of(Symbol::Count, 1) }
    }

    /// A turn of the loop later.
    #[must_use]
    pub fn a_turn_later(&self) -> Question {
        Question { low: self.low.a_turn_later(), high: self.high.a_turn_later() }
    }

    fn difference(&self) -> Form {
        self.low.minus(&self.high)
    }
}

impl Facts {
    /// Whether a question is one that facts are kept of: whether a sum of natural numbers, or what that is above the
    /// counter's lowest byte, is below the number of blocks of text, or that and this byte; whether the block before one is;
    /// whether a stream is below the number of streams. A negative number is none
    /// that is below. Turns times blocks of threads are no more than blocks of text, plus those of one turn: a loop goes on
    /// only where a number of the turn's was below.
    pub fn asked(question: &Question) -> bool {
        let Question { low, high } = question;
        let count = Form::of(Symbol::Count, 1);
        let byte = Form::of(Symbol::Low, 1);
        let natural = low.is_natural() && low.factor(Symbol::Low) == 0 || low.plus(&byte, 1).is_natural();
        let known = [Symbol::Count, Symbol::Iv, Symbol::Streams].map(|symbol| low.factor(symbol)) == [0; 3];
        let stream = *high == Form::of(Symbol::Streams, 1) && low.is_natural() && low.pace() == 0;
        known
            && (natural && (*high == count || *high == count.plus(&byte, 1) || stream)
                || Facts::asks_for_one_before(question))
    }

    /// Whether it is asked whether the block before one is there, which the first has none of.
    pub fn asks_for_one_before(question: &Question) -> bool {
        let after = question.low.plus(&Form::number(1), 1);
        !question.low.is_natural()
            && after.is_natural()
            && after.factor(Symbol::Low) == 0
            && question.high == Form::of(Symbol::Count, 1)
    }

    /// Notes an answer.
    pub fn add(&mut self, question: Question, answer: bool) {
        self.0.push((question, answer));
    }

    /// The questions whose answer is yes.
    pub fn affirmed(&self) -> impl Iterator<Item = &Question> {
        self.0.iter().filter(|(_, answer)| *answer).map(|(question, _)| question)
    }

    /// The answer, if it follows: of two differences, what is below one that is negative is negative, and what is above one
    /// that is not is not.
    pub fn answer(&self, question: &Question) -> Option<bool> {
        if !Facts::asked(question) {
            return None;
        }
        let asked = question.difference();
        self.0.iter().find_map(|(known, answer)| {
            if known == question {
                return Some(*answer);
            }
            let difference = known.difference();
            if *answer {
                // The number itself must be natural, or above one that is.
                let natural = question.low.is_natural() || question.low.minus(&known.low).is_natural();
                (natural && difference.minus(&asked).is_natural()).then_some(true)
            } else {
                (known.low.is_natural() && asked.minus(&difference).is_natural()).then_some(false)
            }
        })
    }

    /// Whether the block of text of this number, and any of a larger one, is known not to be there, and not because its number
    /// is negative.
    pub fn is_beyond(&self, number: &Form) -> bool {
        let byte = Form::of(Symbol::Low, 1);
        if number.is_natural() {
            return self.is_there(number) == Some(false);
        }
        let question =
            Question { low: number.plus(&byte, 1), high: Form::of(Symbol::Count, 1).plus(&byte, 1) };
        question.low.is_natural() && self.answer(&question) == Some(false)
    }

    /// Whether the block of text of this number is there; nothing if that is not known.
    pub fn is_there(&self, number: &Form) -> Option<bool> {
        self.answer(&Question::there(number))
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
        assert_eq!(sum(&[(Symbol::Turns, 3)]).a_turn_later(), sum(&[(Symbol::Turns, 3), (Symbol::Grid, 3)]));
        assert_eq!(a.minus(&Form::number(1)).to_string(), "-1+thread[0]+128*block");
    }

    #[test]
    fn answers_follow_in_one_direction() {
        let ask = |low: Form| Question::there(&low);
        let first = sum(&[(Symbol::Block, 128)]);
        let next = first.plus(&Form::of(Symbol::Bit(3), 8), 1);
        let mut there = Facts::default();
        there.add(ask(next.clone()), true);
        assert_eq!(there.is_there(&first), Some(true));
        assert_eq!(there.is_there(&next.plus(&Form::number(1), 1)), None);
        let mut gone = Facts::default();
        gone.add(ask(next.clone()), false);
        assert_eq!(gone.is_there(&first), None);
        assert_eq!(gone.is_there(&next.plus(&Form::number(1), 1)), Some(false));
        assert_eq!(gone.is_there(&next.minus(&Form::number(1))), None, "it may be a negative number");
    }

    #[test]
    fn what_begins_within_the_counters_byte_may_be_negative() {
        let (byte, count) = (Form::of(Symbol::Low, 1), Form::of(Symbol::Count, 1));
        let group = sum(&[(Symbol::Block, 256)]);
        let number = |k: u64| group.plus(&Form::number(k), 1).minus(&byte);
        let mut gone = Facts::default();
        gone.add(Question { low: group.clone(), high: count.plus(&byte, 1) }, false);
        assert_eq!(gone.is_there(&number(32)), Some(false));
        let mut there = Facts::default();
        there.add(Question { low: group.clone(), high: count.plus(&byte, 1) }, true);
        assert_eq!(there.is_there(&number(0)), None, "it may be negative");
        there.add(Question::there(&number(32)), true);
        assert_eq!(there.is_there(&number(0)), None, "it may be negative");
        let mut beyond = Facts::default();
        beyond.add(Question::there(&number(0)), false);
        assert_eq!(beyond.is_there(&number(32)), None, "it may have been negative");
    }
}
