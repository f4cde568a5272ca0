//! Known facts about the order of sums.

use crate::grid::index::{Form, Symbol};

/// The question if one sum is below another, as numbers of 64 bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Question {
    /// The sum that may be below.
    pub low: Form,
    /// The sum that may be above.
    pub high: Form,
}

/// The facts known on a path: questions with their answers.
#[derive(Clone, Default, Debug)]
pub struct Facts(Vec<(Question, bool)>);

impl Question {
    /// Asks if a block of text with this number is there.
    pub fn there(number: &Form) -> Question {
        Question { low: number.clone(), high: Form::of(Symbol::Count, 1) }
    }

    /// Asks if a block of text is below an end, both as threads count: some count from the multiple of 256 before the
    /// first counter.
    pub fn within(number: &Form, end: &Form) -> Question {
        let low = match number.factor(Symbol::Low) {
            u64::MAX => number.plus(&Form::of(Symbol::Low, 1), 1),
            _ => number.clone(),
        };
        Question { low, high: end.clone() }
    }

    /// The question one iteration of the loop later.
    #[must_use]
    pub(crate) fn a_turn_later(&self) -> Question {
        Question { low: self.low.a_turn_later(), high: self.high.a_turn_later() }
    }

    fn difference(&self) -> Form {
        self.low.minus(&self.high)
    }

    /// The number that can be added to `low` without reaching `high`, provided that `low` is below `high`.
    fn room(&self) -> u64 {
        if !(self.low.is_natural() && self.high.is_natural()) {
            return 0;
        }
        let even = self.low.evenness().min(self.high.evenness());
        // If both are zero, `low` is not below `high`.
        if even < u64::BITS { (1 << even) - 1 } else { 0 }
    }
}

impl Facts {
    /// True if facts are kept for a question. These questions are: if a sum of natural numbers, or that sum minus the
    /// counter's lowest byte, is below the number of blocks of text, or below that number plus this byte; if a sum is
    /// below a part of the blocks; if the block before one is there; if a stream is below the number of streams. A
    /// negative number is never below. Iterations times blocks of threads are at most the blocks of text plus those of
    /// one iteration: a loop goes on only where a number of the iteration was below.
    pub fn asked(question: &Question) -> bool {
        let Question { low, high } = question;
        let count = Form::of(Symbol::Count, 1);
        let byte = Form::of(Symbol::Low, 1);
        let natural = low.is_natural() && low.factor(Symbol::Low) == 0 || low.plus(&byte, 1).is_natural();
        let known = [Symbol::Count, Symbol::Iv, Symbol::Streams].map(|symbol| low.factor(symbol)) == [0; 3];
        let stream = *high == Form::of(Symbol::Streams, 1) && low.is_natural() && low.pace() == 0;
        let part = high.is_part() && low.is_natural() && low.factor(Symbol::Low) == 0;
        known
            && (natural && (*high == count || *high == count.plus(&byte, 1) || stream || part)
                || Facts::asks_for_one_before(question))
    }

    /// True if a question asks if the block before one is there; the first block has none.
    pub(crate) fn asks_for_one_before(question: &Question) -> bool {
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
    pub(crate) fn affirmed(&self) -> impl Iterator<Item = &Question> {
        self.0.iter().filter(|(_, answer)| *answer).map(|(question, _)| question)
    }

    /// The answer, if it follows from known ones: a difference below a negative one is negative, and a difference above
    /// a non-negative one is non-negative. Of two multiples of a number, the lesser is at least that number below the
    /// other.
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
                let room = Form::number(known.room());
                (natural && difference.plus(&room, 1).minus(&asked).is_never_negative()).then_some(true)
            } else {
                (known.low.is_natural() && asked.minus(&difference).is_never_negative()).then_some(false)
            }
        })
    }

    /// True if the block of text with this number, and any with a larger one, is known to be missing or not below the
    /// end of the range that threads take, and not because its number is negative.
    pub(crate) fn is_beyond(&self, number: &Form, end: Option<&Form>) -> bool {
        if let Some(end) = end {
            return self.answer(&Question::within(number, end)) == Some(false);
        }
        let byte = Form::of(Symbol::Low, 1);
        if number.is_natural() {
            return self.is_there(number) == Some(false);
        }
        let question =
            Question { low: number.plus(&byte, 1), high: Form::of(Symbol::Count, 1).plus(&byte, 1) };
        question.low.is_natural() && self.answer(&question) == Some(false)
    }

    /// True if the block of text with this number is there; `None` if unknown.
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
        assert!(gone.is_beyond(&number(0), None), "it is not below the blocks of text if it is not negative");
        assert!(!Facts::default().is_beyond(&number(0), None), "nothing is known of it");
    }

    #[test]
    fn a_thread_asks_for_one_stream() {
        let is_asked = |low: Form| Facts::asked(&Question { low, high: Form::of(Symbol::Streams, 1) });
        let stream = sum(&[(Symbol::Block, 8), (Symbol::Bit(4), 1)]);
        assert!(is_asked(stream.clone()));
        for turns in [Symbol::Steps, Symbol::Turns] {
            assert!(!is_asked(stream.plus(&Form::of(turns, 1), 1)), "it is another one in each iteration");
        }
    }

    #[test]
    fn what_is_below_a_part_is_there() {
        let part = |by: i64| sum(&[(Symbol::Part(13), by)]);
        let group = sum(&[(Symbol::Block, 256), (Symbol::Turns, 1024)]);
        let at = |k: u64| group.plus(&Form::number(k), 1);
        let within = |number: Form, by: i64| Question { low: number, high: part(by) };
        let mut below = Facts::default();
        below.add(within(group.clone(), 768), true);
        // Both are multiples of 256.
        assert_eq!(below.answer(&within(at(255), 768)), Some(true));
        assert_eq!(below.answer(&within(at(256), 768)), None);
        assert_eq!(below.answer(&within(at(255), 1024)), Some(true));
        assert_eq!(below.answer(&within(at(0), 512)), None);
        assert_eq!(below.is_there(&at(255)), Some(true));
        assert_eq!(below.is_there(&at(256)), None);
        let mut uneven = Facts::default();
        uneven.add(within(at(1), 768), true);
        assert_eq!(uneven.answer(&within(at(2), 768)), None);
        let mut gone = Facts::default();
        gone.add(within(group.clone(), 768), false);
        assert_eq!((gone.answer(&within(at(1), 768)), gone.is_there(&at(1))), (Some(false), None));
        assert!(gone.is_beyond(&at(1), Some(&part(768))) && !gone.is_beyond(&at(1), None));
        assert!(!gone.is_beyond(&at(1), Some(&part(1024))));
        let mut none = Facts::default();
        none.add(Question::there(&group), false);
        assert!(none.is_beyond(&at(0), Some(&part(8192))), "a part is no more than all");
        assert!(!Facts::asked(&within(group, 8193)), "so much may be more than all");
    }
}
