//! What is known of the number of blocks that are left, and what answers about it tell.

use crate::bits::value::Question;

/// How many blocks are left: at least, at most.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    /// At least.
    pub least: u64,
    /// At most.
    pub most: u64,
}

/// The values of "blocks left" for which the answer is yes lie below or at this.
fn threshold(question: &Question) -> u64 {
    if question.below {
        // Blocks that memory has room for are far fewer than the width's numbers: sums do not wrap.
        let at = i128::from(question.is) - i128::from(question.offset);
        return u64::try_from(at.max(0)).unwrap_or(u64::MAX);
    }
    // left + offset is the number, modulo the width.
    let modulus = u64::MAX >> (64 - u32::from(question.width));
    question.is.wrapping_sub(question.offset as u64) & modulus
}

/// Two questions about halves of one number as one about the number.
pub(crate) fn together(a: Question, b: Question) -> Option<Question> {
    let (low, high) = if a.low == 0 { (a, b) } else { (b, a) };
    let halves = low.low == 0
        && high.low == low.width
        && (low.object, low.offset, low.below, high.below) == (high.object, high.offset, false, false);
    let is = high.is << low.width | low.is;
    halves.then_some(Question { width: low.width + high.width, is, ..low })
}

/// The answer, if it is known.
pub(crate) fn answer(question: &Question, left: Left) -> Option<bool> {
    let at = threshold(question);
    if question.below {
        // With an offset below zero, few blocks left are many.
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

/// What is known after yes and after no.
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
