//! Bit slices of a group of blocks: each word holds one bit of many bytes of the state, so that every gate of the S-box
//! circuit works on all bits of its words.
//!
//! The 16 bytes of a state have rows `r` and columns `c`; blocks are numbered `t`. A bit of all
//! blocks of a group is spread over 1, 2 or 4 words, its *parts*:
//!
//! ```text
//! parts   a part has        index bits, the most significant first              ShiftRows, MixColumns
//! 1       4 rows            r1 r0 c1 c0 | 3 bits of t   (Kaesper and Schwabe)     1 and 2 shuffles
//! 2       rows g, g + 2     r1 c1 c0 | 4 bits of t                                3 and 2 for two parts
//! 4       row g             c1 c0 | 5 bits of t                                   3 and 0 for four parts
//! ```
//!
//! With one part of 128 bits a group has 8 blocks, with four parts it has 32. With four parts, 64-bit words work as
//! well, for groups of 16 blocks, with rotations instead of shuffles.

use crate::circuits::Gates;
use crate::program::{Element, Node, Program, Value, Word};
use crate::technique::{Choices, KeyForm, Sliced};

mod packing;

/// The S-box constant, which the circuits leave out.
const SBOX_CONSTANT: u8 = 0x63;

/// The layout of a group in words, and the available operations.
#[derive(Clone, Copy)]
struct Shape {
    word: Word,
    parts: usize,
    choices: Choices,
}

/// A byte permutation as a shuffle control: byte `i` comes from `from(i)`.
fn control(from: impl Fn(usize) -> usize) -> [u8; 16] {
    std::array::from_fn(|i| from(i) as u8)
}

impl Shape {
    /// The number of blocks in a group.
    fn blocks(self) -> usize {
        self.parts * self.word.bits() as usize / 16
    }

    /// The number of words in a block of text.
    fn words_of_block(self) -> usize {
        128 / self.word.bits() as usize
    }

    /// ShiftRows (or InvShiftRows) of part `g`: row `r` of each column takes the column `r` further.
    fn shift_rows(self, p: &mut Program, x: Value, g: usize, inverse: bool) -> Value {
        let turn = |r: usize| if inverse { (4 - r) % 4 } else { r };
        match (self.word, self.parts) {
            (Word::Lane, 1) if self.choices.byte_shuffle => {
                p.push(Node::Bytes(x, control(|i| i / 4 * 4 + (i + turn(i / 4)) % 4)))
            }
            (Word::Lane, 1) => {
                // Rows 2 and 3, the words of the high half, rotate by two columns; then rows 1 and 3 by one, in either
                // direction.
                let far = p.push(Node::Bytes(x, control(|i| if i < 8 { i } else { i ^ 2 })));
                let odd =
                    p.push(Node::Constant(std::array::from_fn(|i| if i / 4 % 2 == 1 { 0xff } else { 0 })));
                let turned = p.push(Node::RotateRight(Element::B32, far, if inverse { 24 } else { 8 }));
                let change = p.xor(far, turned);
                let change = p.push(Node::And(change, odd));
                p.xor(far, change)
            }
            (Word::Lane, 2) => {
                let place = |i: usize, rows: [usize; 2]| {
                    let (half, word) = (i / 8, i / 2 % 4);
                    half * 8 + (word + turn(rows[half])) % 4 * 2 + i % 2
                };
                if g == 0 {
                    p.push(Node::Bytes(x, control(|i| place(i, [0, 2]))))
                } else {
                    // A byte shuffle does it, or one shuffle of words for each half.
                    let steps: &[[usize; 2]] =
                        if self.choices.byte_shuffle { &[[1, 3]] } else { &[[1, 0], [0, 3]] };
                    steps.iter().fold(x, |x, &rows| p.push(Node::Bytes(x, control(|i| place(i, rows)))))
                }
            }
            _ if g == 0 => x,
            (Word::Lane, _) => p.push(Node::Bytes(x, control(|i| (i + 4 * turn(g)) % 16))),
            _ => p.push(Node::RotateRight(Element::B64, x, (16 * turn(g)) as u8)),
        }
    }

    /// Rotates a state of one part: each row takes the row `rows` further, and the column `columns` further.
    fn rotate_rows(self, p: &mut Program, x: Value, rows: usize, columns: usize) -> Value {
        let columns = columns % 4;
        if columns == 0 || self.choices.byte_shuffle {
            let from = |i: usize| (i + 4 * rows) % 16 / 4 * 4 + (i + columns) % 4;
            return p.push(Node::Bytes(x, control(from)));
        }
        let rotated = p.push(Node::Bytes(x, control(|i| (i + 4 * rows) % 16)));
        p.push(Node::RotateRight(Element::B32, rotated, 8 * columns as u8))
    }

    /// Each row of all parts of a bit takes the row two further. `turn` applies to one part: the number of ShiftRows
    /// left out so far.
    fn opposite_rows(self, p: &mut Program, x: &[Value], turn: usize) -> Vec<Value> {
        match self.parts {
            1 => vec![self.rotate_rows(p, x[0], 2, 2 * turn)],
            2 => x.iter().map(|&x| p.push(Node::Bytes(x, control(|i| i ^ 8)))).collect(),
            _ => (0..4).map(|r| x[(r + 2) % 4]).collect(),
        }
    }

    /// The inputs of MixColumns from the parts `x` of a bit: `t`, each row plus the next; and for each part two values
    /// whose sum is that of the other three rows.
    fn neighbours(self, p: &mut Program, x: &[Value], turn: usize) -> (Vec<Value>, Vec<[Value; 2]>) {
        match self.parts {
            1 => {
                let next = self.rotate_rows(p, x[0], 1, turn);
                let t = p.xor(x[0], next);
                let far = self.rotate_rows(p, t, 2, 2 * turn);
                (vec![t], vec![[next, far]])
            }
            2 => {
                // The parts hold rows 0 and 2, and rows 1 and 3: the next rows of the first part are the second part.
                let even = p.xor(x[0], x[1]);
                let far = self.opposite_rows(p, &[even, x[0]], 0);
                let odd = p.xor(x[1], far[1]);
                (vec![even, odd], vec![[x[1], far[0]], [x[0], far[0]]])
            }
            _ => {
                let t: Vec<Value> = (0..4).map(|r| p.xor(x[r], x[(r + 1) % 4])).collect();
                let others = (0..4).map(|r| [x[(r + 1) % 4], t[(r + 2) % 4]]).collect();
                (t, others)
            }
        }
    }

    /// MixColumns and AddRoundKey: each row becomes `2 t` plus the three other rows plus the key, where `t` is the row
    /// plus the next.
    fn mix(self, p: &mut Program, x: &[Vec<Value>], keys: &[Value], turn: usize) -> Vec<Vec<Value>> {
        let (mut top, mut top_others) = self.neighbours(p, &x[7], turn);
        let carry = top.clone();
        let mut below: Option<Vec<Value>> = None;
        (0..8)
            .map(|b| {
                let (t, others) = if b == 7 {
                    (std::mem::take(&mut top), std::mem::take(&mut top_others))
                } else {
                    self.neighbours(p, &x[b], turn)
                };
                let row = (0..self.parts)
                    .map(|g| {
                        let mut terms = Vec::with_capacity(5);
                        terms.extend(below.as_ref().map(|t| t[g]));
                        // The reduction is x^8 = x^4 + x^3 + x + 1.
                        terms.extend([0, 1, 3, 4].contains(&b).then_some(carry[g]));
                        terms.extend(others[g]);
                        terms.push(keys[g * 8 + b]);
                        p.sum(&terms)
                    })
                    .collect();
                below = Some(t);
                row
            })
            .collect()
    }

    /// `x + 4 (x + x'')`, where `x''` is two rows further: MixColumns of it is InvMixColumns (see
    /// [`crate::steps::before_inverse_mix`]).
    fn before_inverse_mix(self, p: &mut Program, x: &[Vec<Value>], turn: usize) -> Vec<Vec<Value>> {
        // With four parts, opposite rows share their sum.
        let sums: Vec<Vec<Value>> = x
            .iter()
            .map(|x| {
                let far = self.opposite_rows(p, x, turn);
                let distinct = if self.parts == 4 { 2 } else { self.parts };
                let sums: Vec<Value> = (0..distinct).map(|g| p.xor(x[g], far[g])).collect();
                (0..self.parts).map(|g| sums[g % distinct]).collect()
            })
            .collect();
        let both: Vec<Value> = (0..self.parts).map(|g| p.xor(sums[6][g], sums[7][g])).collect();
        (0..8)
            .map(|b| {
                (0..self.parts)
                    .map(|g| {
                        let mut terms = Vec::with_capacity(3);
                        if b >= 2 {
                            terms.push(sums[b - 2][g]);
                        }
                        // The reductions are x^8 = x^4 + x^3 + x + 1 and x^9 = x^5 + x^4 + x^2 + x.
                        match b {
                            0 | 3 => terms.push(sums[6][g]),
                            2 | 5 => terms.push(sums[7][g]),
                            1 | 4 => terms.push(both[g]),
                            _ => {}
                        }
                        let four = p.sum(&terms);
                        p.xor(x[b][g], four)
                    })
                    .collect()
            })
            .collect()
    }

    /// Round `number` of `rounds`: inputs are the state and the key words.
    fn round(self, number: usize, rounds: usize, inverse: bool) -> Program {
        let words = 8 * self.parts;
        let mut p = Program::new(self.word, 2 * words as u16);
        let gates = Gates::of(self.choices.circuit, inverse);
        let keys: Vec<Value> = (words..2 * words).map(|i| p.input(i)).collect();
        let mut state: Vec<Vec<Value>> = vec![Vec::new(); 8];
        for g in 0..self.parts {
            let bits = std::array::from_fn(|b| p.input(g * 8 + b));
            for (b, bit) in gates.append(&mut p, bits).into_iter().enumerate() {
                let bit = if self.fixsliced() { bit } else { self.shift_rows(&mut p, bit, g, inverse) };
                state[b].push(bit);
            }
        }
        if number == rounds {
            for (i, &key) in keys.iter().enumerate() {
                let out = p.xor(state[i % 8][i / 8], key);
                p.outputs.push(out);
            }
            return p.simplified();
        }
        let turn = self.turn(number, inverse);
        if inverse {
            state = self.before_inverse_mix(&mut p, &state, turn);
        }
        let state = self.mix(&mut p, &state, &keys, turn);
        p.outputs = (0..words).map(|i| state[i % 8][i / 8]).collect();
        p.simplified()
    }

    /// True if ShiftRows is left out, which requires all rows in one word.
    fn fixsliced(self) -> bool {
        self.choices.fixsliced && self.parts == 1 && self.word == Word::Lane
    }

    /// The number of columns by which each row is displaced against the previous row after `number` rounds without
    /// ShiftRows.
    fn turn(self, number: usize, inverse: bool) -> usize {
        match (self.fixsliced(), inverse) {
            (false, _) => 0,
            (true, false) => number % 4,
            (true, true) => 3 * number % 4,
        }
    }

    /// Applies the ShiftRows left out so far, `turn` of them, to a state of one part, or with `back` undoes them.
    fn turned(self, p: &mut Program, x: Value, turn: usize, back: bool) -> Value {
        match (turn, back) {
            (0, _) => x,
            _ if self.choices.byte_shuffle => {
                let turn = if back { turn } else { 4 - turn };
                p.push(Node::Bytes(x, control(|i| i / 4 * 4 + (i + turn * (i / 4)) % 4)))
            }
            _ => (0..turn).fold(x, |x, _| self.shift_rows(p, x, 0, !back)),
        }
    }

    /// The key words of round `number`, from its round key.
    fn key(self, number: usize, rounds: usize, inverse: bool) -> Program {
        let mut p = Program::new(self.word, self.words_of_block() as u16);
        let mut key: Vec<Value> = (0..self.words_of_block()).map(|i| p.input(i)).collect();
        // The constant of the S-box is added after it, or before its inverse; MixColumns keeps it.
        if if inverse { number < rounds } else { number > 0 } {
            let constant = p.push(Node::Constant([SBOX_CONSTANT; 16]));
            for word in &mut key {
                *word = p.xor(*word, constant);
            }
        }
        if self.word != Word::Lane {
            let texts: Vec<Value> = key.iter().copied().cycle().take(8 * self.parts).collect();
            p.outputs = self.pack(&mut p, &texts);
            return p.simplified();
        }
        let mut key = key[0];
        if self.parts == 1 {
            key = self.transpose(&mut p, key);
            key = self.turned(&mut p, key, self.turn(number, inverse), false);
        }
        let mut words = vec![key; 8 * self.parts];
        for b in 0..8 {
            let high = if b == 7 { key } else { p.push(Node::ShiftLeft(Element::B32, key, 7 - b as u8)) };
            let mut parts = vec![p.push(Node::Sign(high)); self.parts];
            if self.parts > 1 {
                self.gather(&mut p, &mut parts);
            }
            parts.iter().enumerate().for_each(|(g, &part)| words[g * 8 + b] = part);
        }
        p.outputs = words;
        p.simplified()
    }

    fn sliced(self, rounds: usize, inverse: bool) -> Sliced {
        let words = 8 * self.parts;
        let texts: Vec<Value> = (0..words as u16).map(Value).collect();
        let mut pack = Program::new(self.word, words as u16);
        pack.outputs = self.pack(&mut pack, &texts);
        let mut unpack = Program::new(self.word, words as u16);
        let turn = self.turn(rounds, inverse);
        let state: Vec<Value> =
            texts.iter().map(|&word| self.turned(&mut unpack, word, turn, true)).collect();
        unpack.outputs = self.unpack(&mut unpack, &state);
        let mut whiten = Program::new(self.word, 2 * words as u16);
        for i in 0..words {
            let sum = whiten.xor(Value(i as u16), Value((words + i) as u16));
            whiten.outputs.push(sum);
        }
        Sliced {
            words,
            texts: self.blocks(),
            pack: pack.simplified(),
            keys: (0..=rounds).map(|number| self.key(number, rounds, inverse)).collect(),
            key_form: KeyForm::Lane,
            whiten,
            rounds: (1..=rounds).map(|number| self.round(number, rounds, inverse)).collect(),
            unpack: unpack.simplified(),
        }
    }
}

/// The sliced form on lanes: see [`crate::technique::sliced`].
pub fn sliced(choices: Choices, rounds: usize, inverse: bool) -> Sliced {
    let parts = 1 << choices.spread.min(2);
    Shape { word: Word::Lane, parts, choices }.sliced(rounds, inverse)
}

/// The sliced form on 64-bit words of general registers, in four parts, for groups of 16 blocks: the low and the high
/// half of each block alternate in place of lanes.
pub fn sliced_on_words(choices: Choices, rounds: usize, inverse: bool) -> Sliced {
    Shape { word: Word::U64, parts: 4, choices }.sliced(rounds, inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_as_few_shuffles_as_said() {
        let shuffles = |spread, fixsliced, byte_shuffle| {
            let choices = Choices { spread, fixsliced, byte_shuffle, ..Choices::default() };
            let round = &sliced(choices, 10, false).rounds[0];
            round.nodes.iter().filter(|n| matches!(n, Node::Bytes(..))).count()
        };
        assert_eq!(shuffles(0, false, true), 8 + 16);
        assert_eq!(shuffles(0, true, true), 16);
        assert_eq!(shuffles(1, false, true), 8 * (2 + 2));
        assert_eq!(shuffles(1, false, false), 8 * (3 + 2));
        assert_eq!(shuffles(2, false, true), 8 * 3);
    }
}
