//! Fixed permutations of the bytes of a lane, by the cheapest shuffles of an encoding.

use super::{Given, Translator};
use crate::kernels::vector::Operation;
use aesmith_dataflow::program::Element;
use aesmith_order::Reg;

/// The immediate of a shuffle of four elements of `size` bytes that implements `control` for the bytes from
/// `from` on, if there is one.
fn immediate(control: &[u8; 16], from: u8, size: u8) -> Option<u8> {
    (0..4u8).try_fold(0, |imm, k| {
        let first = control[usize::from(from + k * size)].checked_sub(from)?;
        let whole =
            (0..size).all(|i| control[usize::from(from + k * size + i)] == (from + first).wrapping_add(i));
        (whole && first.is_multiple_of(size) && first / size < 4).then_some(imm | (first / size) << (2 * k))
    })
}

fn identity(control: &[u8; 16], places: std::ops::Range<usize>) -> bool {
    places.clone().all(|i| usize::from(control[i]) == i)
}

impl Translator<'_> {
    /// Byte `i` is byte `control[i]` of the lane, or zero where bit 7 is set.
    pub(super) fn bytes(&mut self, x: Reg, control: [u8; 16]) -> Reg {
        if let Some(imm) = immediate(&control, 0, 4) {
            return self.unary(Operation::ShuffleDwords(imm), x);
        }
        if self.shuffles {
            return self.two(Operation::Shuffle, Given::Register(x), Given::Constant(control));
        }
        if let (Some(low), Some(high)) = (immediate(&control, 0, 2), immediate(&control, 8, 2)) {
            let x = if identity(&control, 0..8) { x } else { self.unary(Operation::ShuffleLow(low), x) };
            return if identity(&control, 8..16) { x } else { self.unary(Operation::ShuffleHigh(high), x) };
        }
        // Exchanges the bytes of each word, if whole words move after that.
        let swapped = control.map(|c| c ^ 1);
        let by_words = |c: &[u8; 16]| (0..8).all(|k| c[2 * k] & 0x81 == 0 && c[2 * k + 1] == c[2 * k] + 1);
        if by_words(&swapped) {
            let x = self.bytes(x, swapped);
            let low = self.one(Operation::ShiftRight(Element::B16, 8), x);
            let high = self.one(Operation::ShiftLeft(Element::B16, 8), x);
            return self.two(Operation::Or, Given::Register(low), Given::Register(high));
        }
        // Exchanges the halves, then permutes words within each half.
        let crossed = control.map(|c| c ^ 8);
        if let (Some(_), Some(_)) = (immediate(&crossed, 0, 2), immediate(&crossed, 8, 2)) {
            let x = self.unary(Operation::ShuffleDwords(0x4e), x);
            return self.bytes(x, crossed);
        }
        self.by_parts(x, control)
    }

    /// Any permutation, as a sum of parts: each part takes the bytes with an equal rotation within their
    /// doubleword, and moves them as doublewords.
    fn by_parts(&mut self, x: Reg, control: [u8; 16]) -> Reg {
        let mut left: Vec<usize> = (0..16).filter(|&i| control[i] & 0x80 == 0).collect();
        let mut sum: Option<Reg> = None;
        let mut turned: [Option<Reg>; 4] = [Some(x), None, None, None];
        while let Some(&first) = left.first() {
            let turn = |i: usize| usize::from((control[i] + 16 - i as u8) % 4);
            let by = turn(first);
            // One source per doubleword, selected by the first byte with this rotation.
            let mut sources = [None; 4];
            let (mut mask, mut imm) = ([0u8; 16], 0u8);
            left.retain(|&i| {
                let source = control[i] / 4;
                if turn(i) != by || *sources[i / 4].get_or_insert(source) != source {
                    return true;
                }
                mask[i] = 0xff;
                false
            });
            for (place, source) in sources.iter().enumerate() {
                imm |= source.unwrap_or(place as u8) << (2 * place);
            }
            let from = match turned[by] {
                Some(reg) => reg,
                None => *turned[by].insert(self.rotate(Element::B32, x, 8 * by as u8)),
            };
            let moved = if imm == 0xe4 { from } else { self.unary(Operation::ShuffleDwords(imm), from) };
            let part = self.two(Operation::And, Given::Register(moved), Given::Constant(mask));
            sum = Some(match sum {
                None => part,
                Some(sum) => self.two(Operation::Or, Given::Register(sum), Given::Register(part)),
            });
        }
        sum.unwrap_or_else(|| self.constant([0; 16]))
    }
}
