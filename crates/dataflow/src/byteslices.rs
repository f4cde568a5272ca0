//! Byte slices of a group of 16 blocks: word `p` holds byte `p` of each block, so ShiftRows only renames words and
//! MixColumns is sums of words. SubBytes and its multiples are affine maps of the inverse in GF(2^8), one operation
//! each.
//!
//! A round of encryption has 8 such maps per column and 10 sums of up to three values; a round of decryption has 12 and
//! 12, or 16 and 8.

use crate::gfni::{INVERSE_MATRIX, SBOX_CONSTANT, SBOX_MATRIX};
use crate::program::{Element, Matrix, Node, Program, Value, Word};
use crate::technique::{Choices, KeyForm, Sliced};
use aesmith_cipher::block::{INV_SHIFT_ROWS, SHIFT_ROWS, gf_mul};

/// The number of blocks in a group, and of words in its state.
const WORDS: usize = 16;

/// Transposes 16 lanes of 16 bytes in 4 steps, each of which rotates the bits of a lane's number and a byte's place; it
/// is its own inverse.
fn transposed() -> Program {
    let mut p = Program::new(Word::Lane, WORDS as u16);
    let mut words: Vec<Value> = (0..WORDS).map(|i| p.input(i)).collect();
    for bit in [8, 4, 2, 1] {
        for i in (0..WORDS).filter(|i| i & bit == 0) {
            let (a, b) = (words[i], words[i | bit]);
            let mut half = |high| p.push(Node::Interleave { element: Element::B8, high, a, b });
            (words[i], words[i | bit]) = (half(false), half(true));
        }
    }
    p.outputs = words;
    p
}

/// A column of the state, and the values that a round computes from it.
struct Column<'a> {
    p: &'a mut Program,
    choices: Choices,
    /// The column after ShiftRows.
    state: [Value; 4],
    keys: [Value; 4],
}

impl Column<'_> {
    /// `matrix x ^ constant`, where `x` is the inverse of each byte of the column.
    fn inverted(&mut self, matrix: Matrix, constant: u8) -> [Value; 4] {
        self.state.map(|of| self.p.push(Node::Affine { inverse: true, matrix, constant, of }))
    }

    fn linear(&mut self, matrix: Matrix, of: Value) -> Value {
        self.p.push(Node::Affine { inverse: false, matrix, constant: 0, of })
    }

    /// SubBytes, MixColumns, AddRoundKey. With `d = 2 s`, row 0 is `d0 + d1 + s1 + s2 + s3`, and the other rows follow
    /// by rotation of the column: two rows share three of their five terms.
    fn encrypted(mut self) -> [Value; 4] {
        let s = self.inverted(SBOX_MATRIX, SBOX_CONSTANT);
        let d = if self.choices.multiples == 0 {
            let twice = Matrix::of(|x| gf_mul(x, 2)).after(&SBOX_MATRIX);
            self.inverted(twice, gf_mul(SBOX_CONSTANT, 2))
        } else {
            s.map(|s| self.p.push(Node::Multiply(2, s)))
        };
        let (p, k) = (self.p, self.keys);
        let upper = p.sum(&[d[1], s[2], s[3]]);
        let lower = p.sum(&[d[3], s[0], s[1]]);
        [
            p.sum(&[d[0], s[1], k[0], upper]),
            p.sum(&[d[2], s[0], k[1], upper]),
            p.sum(&[d[2], s[3], k[2], lower]),
            p.sum(&[d[0], s[2], k[3], lower]),
        ]
    }

    /// InvSubBytes, InvMixColumns, AddRoundKey. State and keys are kept after the inverse of the affine part `B` of the
    /// S-box, so no map is needed before the inversion.
    ///
    /// The matrix (14, 11, 13, 9) gives `2 (i0 + i1) + i0 + 13 (i0 + i2) + 9 (i1 + i3)` for row 0; the other rows
    /// follow by rotation of the column, and every other row shares the last two terms.
    fn decrypted(mut self) -> [Value; 4] {
        let times = |by: u8| INVERSE_MATRIX.after(&Matrix::of(|x| gf_mul(x, by)));
        if self.choices.multiples != 0 {
            let parts = [14, 11, 13, 9].map(|by| self.inverted(times(by), 0));
            return std::array::from_fn(|r| {
                let terms: [Value; 4] = std::array::from_fn(|k| parts[k][(r + k) % 4]);
                self.p.sum(&[terms[0], terms[1], terms[2], terms[3], self.keys[r]])
            });
        }
        let i = self.inverted(times(1), 0);
        let d = self.inverted(times(2), 0);
        let opposite = [self.p.xor(i[0], i[2]), self.p.xor(i[1], i[3])];
        let shared: [Value; 2] = std::array::from_fn(|r| {
            let own = self.linear(times(13).after(&SBOX_MATRIX), opposite[r]);
            let other = self.linear(times(9).after(&SBOX_MATRIX), opposite[1 - r]);
            self.p.xor(own, other)
        });
        std::array::from_fn(|r| self.p.sum(&[d[r], d[(r + 1) % 4], i[r], self.keys[r], shared[r % 2]]))
    }
}

/// A round: inputs are the state and the key words.
fn round(choices: Choices, last: bool, inverse: bool) -> Program {
    let mut p = Program::new(Word::Lane, 2 * WORDS as u16);
    let from = if inverse { &INV_SHIFT_ROWS } else { &SHIFT_ROWS };
    for c in 0..4 {
        let state = std::array::from_fn(|r| p.input(from[4 * c + r]));
        let keys = std::array::from_fn(|r| p.input(WORDS + 4 * c + r));
        let mut column = Column { p: &mut p, choices, state, keys };
        let out = match (last, inverse) {
            (false, false) => column.encrypted(),
            (false, true) => column.decrypted(),
            (true, _) => {
                let s = if inverse {
                    column.inverted(Matrix::IDENTITY, 0)
                } else {
                    column.inverted(SBOX_MATRIX, SBOX_CONSTANT)
                };
                std::array::from_fn(|r| p.xor(s[r], keys[r]))
            }
        };
        p.outputs.extend(out);
    }
    p
}

/// The inverse of the affine part of the S-box.
fn before_inversion(p: &mut Program, of: Value) -> Value {
    let constant = INVERSE_MATRIX.apply(SBOX_CONSTANT);
    p.push(Node::Affine { inverse: false, matrix: INVERSE_MATRIX, constant, of })
}

/// The sliced form: see [`crate::technique::sliced`].
pub fn sliced(choices: Choices, rounds: usize, inverse: bool) -> Sliced {
    let key = |number: usize| {
        let mut p = Program::new(Word::Lane, 1);
        let mut key = p.input(0);
        if inverse && (1..rounds).contains(&number) {
            key = before_inversion(&mut p, key);
        }
        p.outputs = (0..WORDS).map(|i| p.push(Node::Bytes(key, [i as u8; 16]))).collect();
        p
    };
    let mut whiten = Program::new(Word::Lane, 2 * WORDS as u16);
    for i in 0..WORDS {
        let (state, key) = (whiten.input(i), whiten.input(WORDS + i));
        let mut sum = whiten.xor(state, key);
        if inverse {
            sum = before_inversion(&mut whiten, sum);
        }
        whiten.outputs.push(sum);
    }
    Sliced {
        words: WORDS,
        texts: WORDS,
        pack: transposed(),
        keys: (0..=rounds).map(key).collect(),
        key_form: KeyForm::Byte,
        whiten,
        rounds: (1..=rounds).map(|number| round(choices, number == rounds, inverse)).collect(),
        unpack: transposed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_counted() {
        let maps = |inverse, multiples| {
            let program = round(Choices { multiples, ..Choices::default() }, false, inverse);
            program.nodes.iter().filter(|n| matches!(n, Node::Affine { .. } | Node::Multiply(..))).count()
        };
        assert_eq!([maps(false, 0), maps(false, 1)], [4 * 8, 4 * 8]);
        assert_eq!([maps(true, 0), maps(true, 1)], [4 * 12, 4 * 16]);
    }
}
