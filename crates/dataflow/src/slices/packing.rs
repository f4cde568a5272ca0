//! Packing: converts blocks to bit slices and back, by exchanging bits of a word's number with bits of the index within
//! words.

use super::{Shape, control};
use crate::program::{Element, Node, Program, Value, Word};

/// Reorders the bytes of each lane: bit `3 - j` of a byte's new place is bit `bits[j]` of its old one.
fn reordered(p: &mut Program, words: &mut [Value], bits: [usize; 4]) {
    let from = |i: usize| (0..4).fold(0, |from, j| from | (i >> (3 - j) & 1) << bits[j]);
    words.iter_mut().for_each(|word| *word = p.push(Node::Bytes(*word, control(from))));
}

/// Interleaves the bytes of lanes whose numbers differ in one bit. That bit of the number becomes the lowest bit of a
/// byte's place, and the highest bit of its place becomes that bit of the number.
fn interleave_all(p: &mut Program, words: &mut [Value], number: usize) {
    for i in (0..words.len()).filter(|i| i & number == 0) {
        let (a, b) = (words[i], words[i | number]);
        let mut half = |high| p.push(Node::Interleave { element: Element::B8, high, a, b });
        (words[i], words[i | number]) = (half(false), half(true));
    }
}

/// Permutes the 16-bit words of a lane: word `i` comes from `from(i)`.
fn words_moved(p: &mut Program, x: Value, from: impl Fn(usize) -> usize) -> Value {
    p.push(Node::Bytes(x, control(|i| from(i / 2) * 2 + i % 2)))
}

/// Reorders 16-bit words from `c1 c0 r1` to `r1 c1 c0`, with shuffles that each move words within one half of the lane
/// or move double words.
fn words_to_row_order(p: &mut Program, x: Value) -> Value {
    let x = words_moved(p, x, |w| if w < 4 { MIDDLE[w] } else { w });
    let x = words_moved(p, x, |w| if w < 4 { w } else { 4 + MIDDLE[w - 4] });
    words_moved(p, x, |w| MIDDLE[w / 2] * 2 + w % 2)
}

/// Inverts [`words_to_row_order`].
fn words_from_row_order(p: &mut Program, x: Value) -> Value {
    let x = words_moved(p, x, |w| MIDDLE[w / 2] * 2 + w % 2);
    let x = words_moved(p, x, |w| if w < 4 { MIDDLE[w] } else { w });
    words_moved(p, x, |w| if w < 4 { w } else { 4 + MIDDLE[w - 4] })
}

/// The permutation that swaps the two middle ones of four.
const MIDDLE: [usize; 4] = [0, 2, 1, 3];

impl Shape {
    /// The exchanges that pack a group: a bit of a text word's number with a bit of the index of bits within words. On
    /// lanes, [`Shape::gather`] does the rest.
    fn exchanges(self) -> &'static [(usize, u8)] {
        match self.word {
            // The numbers are t4 t3 t2 t1 t0, the bits c1 c0 r1 r0 b2 b1 b0.
            Word::Lane => &[(1, 1), (2, 2), (4, 4)],
            // The numbers are t3 t2 t1 t0 c1, the bits c0 r1 r0 b2 b1 b0: c1 reaches its place by way of c0.
            _ => &[(1, 32), (2, 1), (4, 2), (8, 4), (16, 8), (1, 16)],
        }
    }

    /// The number of the word that has bit `b` of part `g` after the exchanges.
    fn place(self, b: usize, g: usize) -> usize {
        match self.word {
            Word::Lane => g * 8 + b,
            _ => g >> 1 | b << 1 | (g & 1) << 4,
        }
    }

    /// Exchanges the bits of `a` whose index has bit `shift` set with the bits of `b` whose index has it clear.
    fn exchange(self, p: &mut Program, a: Value, b: Value, shift: u8) -> [Value; 2] {
        let clear = (0..128).filter(|k| k & u32::from(shift) == 0).fold(0u128, |mask, k| mask | 1 << k);
        let mask = p.push(Node::Constant(clear.to_le_bytes()));
        let low_of_a = p.push(Node::ShiftRight(Element::B64, a, shift));
        if self.choices.three_input {
            // Each of the two selections is one three-input operation.
            let high_of_b = p.push(Node::ShiftLeft(Element::B64, b, shift));
            let select = |p: &mut Program, low: Value, high: Value| {
                let low = p.push(Node::And(mask, low));
                let high = p.push(Node::AndNot(mask, high));
                p.push(Node::Or(low, high))
            };
            return [select(p, a, high_of_b), select(p, low_of_a, b)];
        }
        let change = p.xor(low_of_a, b);
        let change = p.push(Node::And(change, mask));
        let b = p.xor(b, change);
        let change = p.push(Node::ShiftLeft(Element::B64, change, shift));
        [p.xor(a, change), b]
    }

    fn exchange_all(self, p: &mut Program, words: &mut [Value], number: usize, shift: u8) {
        for i in (0..words.len()).filter(|i| i & number == 0) {
            [words[i], words[i | number]] = self.exchange(p, words[i], words[i | number], shift);
        }
    }

    /// Reorders the bytes of a lane from `c1 c0 r1 r0` to `r1 r0 c1 c0` or back.
    pub(super) fn transpose(self, p: &mut Program, x: Value) -> Value {
        if self.choices.byte_shuffle {
            return p.push(Node::Bytes(x, control(|i| i % 4 * 4 + i / 4)));
        }
        // Interleaving the halves rotates the index bits of bytes.
        (0..2).fold(x, |x, _| {
            let high = p.push(Node::Bytes(x, control(|i| if i < 8 { i + 8 } else { 0x80 })));
            p.push(Node::Interleave { element: Element::B8, high: false, a: x, b: high })
        })
    }

    /// Combines the lanes of one bit of all blocks, numbered by `t4 t3`, into the parts of that bit.
    pub(super) fn gather(self, p: &mut Program, words: &mut [Value]) {
        match (self.parts, self.choices.byte_shuffle) {
            (1, _) => words[0] = self.transpose(p, words[0]),
            (2, true) => {
                reordered(p, words, [0, 1, 3, 2]);
                interleave_all(p, words, 1);
            }
            (2, false) => {
                self.exchange_all(p, words, 1, 8);
                words.iter_mut().for_each(|word| *word = words_to_row_order(p, *word));
            }
            (_, true) => {
                reordered(p, words, [1, 0, 3, 2]);
                interleave_all(p, words, 2);
                interleave_all(p, words, 1);
            }
            (_, false) => {
                self.exchange_all(p, words, 1, 8);
                self.exchange_all(p, words, 2, 16);
            }
        }
    }

    /// Inverts [`Shape::gather`].
    fn scatter(self, p: &mut Program, words: &mut [Value]) {
        match (self.parts, self.choices.byte_shuffle) {
            (1, _) => words[0] = self.transpose(p, words[0]),
            (2, true) => {
                reordered(p, words, [0, 2, 1, 3]);
                interleave_all(p, words, 1);
            }
            (2, false) => {
                words.iter_mut().for_each(|word| *word = words_from_row_order(p, *word));
                self.exchange_all(p, words, 1, 8);
            }
            (_, true) => {
                reordered(p, words, [1, 0, 3, 2]);
                interleave_all(p, words, 2);
                interleave_all(p, words, 1);
            }
            (_, false) => {
                self.exchange_all(p, words, 2, 16);
                self.exchange_all(p, words, 1, 8);
            }
        }
    }

    /// Converts text words to words of state, numbered bit by bit within a part.
    pub(super) fn pack(self, p: &mut Program, texts: &[Value]) -> Vec<Value> {
        let mut words = texts.to_vec();
        if self.word == Word::Lane {
            for octet in words.chunks_mut(8) {
                for &(number, shift) in self.exchanges() {
                    self.exchange_all(p, octet, number, shift);
                }
            }
            for b in 0..8 {
                let mut parts: Vec<Value> = (0..self.parts).map(|g| words[g * 8 + b]).collect();
                self.gather(p, &mut parts);
                parts.iter().enumerate().for_each(|(g, &v)| words[g * 8 + b] = v);
            }
            return words;
        }
        for &(number, shift) in self.exchanges() {
            self.exchange_all(p, &mut words, number, shift);
        }
        (0..words.len()).map(|i| words[self.place(i % 8, i / 8)]).collect()
    }

    /// Inverts [`Shape::pack`].
    pub(super) fn unpack(self, p: &mut Program, state: &[Value]) -> Vec<Value> {
        let mut words = state.to_vec();
        if self.word == Word::Lane {
            for b in 0..8 {
                let mut parts: Vec<Value> = (0..self.parts).map(|g| words[g * 8 + b]).collect();
                self.scatter(p, &mut parts);
                parts.iter().enumerate().for_each(|(g, &v)| words[g * 8 + b] = v);
            }
            for octet in words.chunks_mut(8) {
                for &(number, shift) in self.exchanges().iter().rev() {
                    self.exchange_all(p, octet, number, shift);
                }
            }
            return words;
        }
        for (i, &value) in state.iter().enumerate() {
            words[self.place(i % 8, i / 8)] = value;
        }
        for &(number, shift) in self.exchanges().iter().rev() {
            self.exchange_all(p, &mut words, number, shift);
        }
        words
    }
}
