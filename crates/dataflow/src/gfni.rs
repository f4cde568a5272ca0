//! The technique with affine maps over GF(2^8): the S-box is an inversion and an affine map, which one instruction does
//! for every byte; MixColumns is rotations of columns and products by 2.

use crate::Round;
use crate::program::{Element, Matrix, Node, Program, Value, Word};
use crate::technique::Choices;
use aesmith_cipher::block::{INV_SHIFT_ROWS, SHIFT_ROWS, gf_mul};

/// The affine part of the S-box (FIPS-197, 5.1.1): bit `i` is the sum of bits `i`, `i + 4` to
/// `i + 7` (modulo 8) of the inverse.
pub(crate) const SBOX_MATRIX: Matrix = Matrix([0xf1, 0xe3, 0xc7, 0x8f, 0x1f, 0x3e, 0x7c, 0xf8]);
/// The S-box of zero.
pub(crate) const SBOX_CONSTANT: u8 = 0x63;

/// The inverse of [`SBOX_MATRIX`]: bit `i` is the sum of bits `i + 2`, `i + 5`, `i + 7` (modulo 8)
/// (FIPS-197, 5.3.2).
pub(crate) const INVERSE_MATRIX: Matrix = Matrix([0xa4, 0x49, 0x92, 0x25, 0x4a, 0x94, 0x29, 0x52]);

/// A byte permutation as a shuffle control: byte `i` comes from `from[i]`.
fn control(from: &[usize; 16]) -> [u8; 16] {
    from.map(|i| i as u8)
}

/// Rotates each column by `rows` rows: row `i` takes row `i + rows`.
fn rotated(p: &mut Program, x: Value, rows: u8) -> Value {
    p.push(Node::RotateRight(Element::B32, x, 8 * rows))
}

/// Inverts `of` in GF(2^8), then applies `matrix` and adds a constant.
fn inverted(p: &mut Program, of: Value, matrix: Matrix, constant: u8) -> Value {
    p.push(Node::Affine { inverse: true, matrix, constant, of })
}

/// Computes `2 s + 2 s'`, where `s` is the S-box of `state`, `s'` is `s` one row further, and `t = s + s'`.
fn doubled(p: &mut Program, choices: Choices, t: Value, state: Value) -> Value {
    if choices.multiples == 0 {
        let double = Matrix::of(|x| gf_mul(x, 2)).after(&SBOX_MATRIX);
        let two = inverted(p, state, double, gf_mul(SBOX_CONSTANT, 2));
        let next = rotated(p, two, 1);
        p.xor(two, next)
    } else {
        p.push(Node::Multiply(2, t))
    }
}

/// MixColumns from the S-box outputs `s` of `state`: `2 s0 + 3 s1 + s2 + s3 = 2 (s0 + s1) + s1 +
/// (s2 + s3)` for each row.
fn mixed(p: &mut Program, choices: Choices, s: Value, state: Value) -> Vec<Value> {
    let next = rotated(p, s, 1);
    let t = p.xor(s, next);
    let two = doubled(p, choices, t, state);
    let far = rotated(p, t, 2);
    vec![two, next, far]
}

/// A round: see [`crate::technique::round`].
pub fn round(choices: Choices, round: Round) -> Program {
    let mut p = Program::new(Word::Lane, 2);
    let (state, key) = (p.input(0), p.input(1));
    let out = match round {
        Round::Encrypt | Round::EncryptLast => {
            let state = p.push(Node::Bytes(state, control(&SHIFT_ROWS)));
            let s = inverted(&mut p, state, SBOX_MATRIX, SBOX_CONSTANT);
            if round == Round::EncryptLast {
                p.xor(s, key)
            } else {
                let mut parts = mixed(&mut p, choices, s, state);
                parts.push(key);
                p.sum(&parts)
            }
        }
        Round::Decrypt | Round::DecryptLast => {
            let state = p.push(Node::Bytes(state, control(&INV_SHIFT_ROWS)));
            let constant = INVERSE_MATRIX.apply(SBOX_CONSTANT);
            let affine = Node::Affine { inverse: false, matrix: INVERSE_MATRIX, constant, of: state };
            let affine = p.push(affine);
            if round == Round::DecryptLast {
                let s = inverted(&mut p, affine, Matrix::IDENTITY, 0);
                p.xor(s, key)
            } else {
                // Each coefficient of InvMixColumns is a separate affine map of the inverse.
                let parts: Vec<Value> = [14u8, 11, 13, 9]
                    .into_iter()
                    .enumerate()
                    .map(|(row, by)| {
                        let part = inverted(&mut p, affine, Matrix::of(|x| gf_mul(x, by)), 0);
                        if row == 0 { part } else { rotated(&mut p, part, row as u8) }
                    })
                    .chain([key])
                    .collect();
                p.sum(&parts)
            }
        }
    };
    p.outputs.push(out);
    p
}

/// InvMixColumns of a lane.
pub fn inverse_mix_columns(_: Choices) -> Program {
    let mut p = Program::new(Word::Lane, 1);
    let x = p.input(0);
    let parts: Vec<Value> = [14u8, 11, 13, 9]
        .into_iter()
        .enumerate()
        .map(|(row, by)| {
            let part = p.push(Node::Multiply(by, x));
            if row == 0 { part } else { rotated(&mut p, part, row as u8) }
        })
        .collect();
    let out = p.sum(&parts);
    p.outputs.push(out);
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrices_are_inverse() {
        assert_eq!(SBOX_MATRIX.after(&INVERSE_MATRIX), Matrix::IDENTITY);
    }
}
