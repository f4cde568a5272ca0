//! Bounds on the number of blocks left, and what answers to questions tell about them.

use crate::bits::value::Question;

/// Bounds on the number of blocks left.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    /// The least number.
    pub least: u64,
    /// The greatest number.
    pub most: u64,
}

/// The threshold of a question: the answer is yes for numbers of blocks left below it, or equal to it.
fn threshold(question: &Question) -> u64 {
    if question.below {
        // Memory has room for far fewer blocks than 2^width, so sums do not wrap.
        let at = i128::from(question.is) - i128::from(question.offset);
        return u64::try_from(at.max(0)).unwrap_or(u64::MAX);
    }
    // `left + offset` equals `is`, modulo 2^width.
    let modulus = u64::MAX >> (64 - u32::from(question.width));
    question.is.wrapping_sub(question.offset as u64) & modulus
}

/// Combines two questions about halves of one number into one about the number.
pub(crate) fn together(a: Question, b: Question) -> Option<Question> {
    let (low, high) = if a.low == 0 { (a, b) } else { (b, a) };
    let halves = low.low == 0
        && high.low == low.width
        && (low.object, low.offset, low.below, high.below) == (high.object, high.offset, false, false);
    let is = high.is << low.width | low.is;
    halves.then_some(Question { width: low.width + high.width, is, ..low })
}

/// Combines the questions if a number is below another and if it is equal to it into one, whose answer is no if both answers
/// are: the number is above the other. `left == 1` and `left - 1 == 0` are one question, so the second may have another
/// offset.
pub(crate) fn above(a: Question, b: Question) -> Option<Question> {
    let (below, equal) = if a.below { (a, b) } else { (b, a) };
    let of = |question: Question| (question.object, question.low, question.width);
    if !below.below || equal.below || below.low != 0 || of(below) != of(equal) {
        return None;
    }
    let modulus = u64::MAX >> (64 - u32::from(below.width));
    // What the first question compares, `left + offset`, where the answer to the second is yes.
    let at = threshold(&equal).wrapping_add(below.offset as u64) & modulus;
    let is = below.is.checked_add(1).filter(|is| is & modulus != 0)?;
    (at == below.is).then_some(Question { is, ..below })
}

/// The answer to a question, if it is known.
pub(crate) fn answer(question: &Question, left: Left) -> Option<bool> {
    let at = threshold(question);
    if question.below {
        // With a negative offset, small numbers of blocks left wrap to large ones.
        let from = (question.offset.min(0)).unsigned_abs();
        if left.least >= at {
            return Some(false);
        }
        return (left.least >= from && left.most < at).then_some(true);
    }
    if at < left.least || at > left.most {
        return Some(false);
    }
    (left.least == left.most).then_some(true)
}

/// The bounds after the answer yes, and after the answer no.
pub(crate) fn told(question: &Question, left: Left) -> (Left, Left) {
    let at = threshold(question);
    if question.below {
        let from = (question.offset.min(0)).unsigned_abs();
        let yes = Left { least: left.least, most: left.most.min(at.saturating_sub(1)) };
        let no = if left.least >= from { Left { least: left.least.max(at), ..left } } else { left };
        return (if left.least >= from { yes } else { left }, no);
    }
    let no = match at {
        at if at == left.least => Left { least: at + 1, ..left },
        at if at == left.most => Left { most: at - 1, ..left },
        _ => left,
    };
    (Left { least: at, most: at }, no)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u8 = 16;

    /// The answer to a question if `left` blocks are left.
    fn of(question: &Question, left: u64) -> bool {
        let number = left.wrapping_add_signed(question.offset) & 0xffff;
        if question.below { number < question.is } else { number == question.is }
    }

    fn questions() -> impl Iterator<Item = Question> {
        let each = (-4..=4).flat_map(|offset| (0..14).map(move |is| (offset, is)));
        each.flat_map(|(offset, is)| {
            [false, true].map(|below| Question { object: 0, offset, low: 0, width: WIDTH, is, below })
        })
    }

    /// Answers hold for every number of blocks that may be left, and the new bounds leave none of them out.
    #[test]
    fn answers_hold_for_all_that_may_be_left() {
        let (mut known, mut closer) = (0, 0);
        for question in questions() {
            for (least, most) in (1..12).flat_map(|least| (least..13).map(move |most| (least, most))) {
                let left = Left { least, most };
                if let Some(answer) = answer(&question, left) {
                    known += 1;
                    let all = (least..=most).all(|left| of(&question, left) == answer);
                    assert!(all, "{question:?} from {least} to {most}: {answer}");
                }
                let (yes, no) = told(&question, left);
                for blocks in least..=most {
                    let side = if of(&question, blocks) { yes } else { no };
                    let held = side.least <= blocks && blocks <= side.most;
                    assert!(held, "{question:?} from {least} to {most}: {blocks} is left out");
                }
                closer += u32::from((yes.least, yes.most) != (least, most));
            }
        }
        assert!(known > 4000 && closer > 4000, "{known} are known, {closer} tell something");
    }

    /// A number is above another if it is neither below it nor equal to it.
    #[test]
    fn what_is_neither_below_nor_equal_is_above() {
        for equal in questions().filter(|question| !question.below) {
            let below = Question { below: true, ..equal };
            let both = above(equal, below).expect("one question");
            assert_eq!(above(below, equal), Some(both));
            assert!(
                (0..20).all(|left| of(&both, left) == (of(&below, left) || of(&equal, left))),
                "{equal:?}"
            );
            assert_eq!((above(below, below), above(equal, equal)), (None, None));
            assert_eq!(above(Question { is: equal.is + 1, ..below }, equal), None);
        }
        let last = Question { object: 0, offset: 0, low: 0, width: WIDTH, is: 0xffff, below: false };
        assert_eq!(above(Question { low: 8, ..last }, Question { low: 8, is: 3, below: true, ..last }), None);
        assert_eq!(above(last, Question { below: true, ..last }), None);
    }

    /// The two questions may have different offsets if they are about one number.
    #[test]
    fn what_is_above_is_asked_by_any_offset() {
        let lefts = || (0..30u64).chain(0xffe0..0x1_0000);
        let (mut known, mut shifted) = (0, 0);
        for below in questions().filter(|question| question.below) {
            for equal in questions().filter(|question| !question.below) {
                // Numbers below zero wrap to large ones.
                let at = (equal.is as i64 - equal.offset + below.offset) & 0xffff;
                let both = above(below, equal);
                assert_eq!(both.is_some(), at == below.is as i64, "{below:?} {equal:?}");
                let Some(both) = both else { continue };
                known += 1;
                shifted += u32::from(equal.offset != below.offset);
                let wanted = |left| of(&below, left) || of(&equal, left);
                assert!(lefts().all(|left| of(&both, left) == wanted(left)), "{below:?} {equal:?}");
            }
        }
        assert!(known > 500 && shifted > 400, "{known} are one question, {shifted} by other offsets");
    }

    /// Two halves make one number only if one begins where the other ends, and both are of the same number.
    #[test]
    fn two_halves_are_one_question() {
        let low = Question { object: 1, offset: -1, low: 0, width: 8, is: 3, below: false };
        let high = Question { low: 8, is: 1, ..low };
        let whole = Question { width: 16, is: 0x103, ..low };
        assert_eq!((together(low, high), together(high, low)), (Some(whole), Some(whole)));
        for other in [
            Question { low: 16, ..high },
            Question { low: 4, ..high },
            Question { object: 2, ..high },
            Question { offset: -2, ..high },
            Question { below: true, ..high },
        ] {
            assert_eq!(together(low, other), None, "{other:?}");
        }
    }
}
