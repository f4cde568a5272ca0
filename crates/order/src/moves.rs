//! Moves of single instructions, the unit of order search.

use crate::Instruction;

/// Moves the instruction at `from` towards `to`, one neighbour at a time, as far as dependences allow. Indices beyond
/// the code are clipped to its last instruction, so that a stored order stays meaningful when its structure changes.
pub fn apply_moves<I: Instruction>(code: &mut [I], moves: impl IntoIterator<Item = (usize, usize)>) {
    let Some(last) = code.len().checked_sub(1) else { return };
    for (from, to) in moves {
        let (mut at, to) = (from.min(last), to.min(last));
        while at < to && !code[at].effects().conflicts(&code[at + 1].effects()) {
            code.swap(at, at + 1);
            at += 1;
        }
        while at > to && !code[at - 1].effects().conflicts(&code[at].effects()) {
            code.swap(at - 1, at);
            at -= 1;
        }
    }
}
