//! The technique of nibble look-ups: SubBytes in the tower field GF((2^4)^2), where an inversion
//! is five look-ups of 16 entries, each one byte shuffle (Hamburg, "Accelerating AES with vector
//! permute instructions", CHES 2009). State and keys stay in the basis of FIPS-197.
//!
//! A round of encryption has 13 look-ups, shuffles and rotations among 33 operations: 1 for
//! ShiftRows, 2 into the tower field, 5 to invert, 2 out of it, 3 for MixColumns. A round of
//! decryption has 16 among 39.

use crate::Round;
use crate::gfni::{INVERSE_MATRIX, SBOX_CONSTANT, SBOX_MATRIX};
use crate::program::{Element, Node, Program, Value, Word, inverse};
use crate::steps::{self, Doubling};
use aesmith_cipher::block::gf_mul;
use std::sync::OnceLock;

/// What a look-up gives for infinity: [`Node::Nibble`] makes 0 of it, and it stays infinite when a
/// nibble is added.
const INFINITY: u8 = 0x80;

/// The tower field and the look-ups in it. An element of GF(2^8) is `i t + j (t + 1)` where `i` and
/// `j` are in GF(2^4), and `t` is outside with `t^16 = t + 1`. It is kept as the nibbles `i`
/// (high) and `k = i + j` (low); its norm is `N = i j + t (t + 1) k^2`, its inverse
/// `(j t + i (t + 1)) / N`. With `a = 1 / (t (t + 1))`:
///
/// ```text
/// 1 / (1/i + a/k) + j = a N / (k + a i)      1 / (1/j + a/k) + i = a N / (k + a j)
/// ```
///
/// whose inverses span `i / N` and `j / N`, so that one more look-up of each gives any linear
/// image of the inverse. Divisions by zero come out right with infinity as a value.
struct Tower {
    /// To the tower field, by the low nibble and by the high one; together they are the byte.
    enter: [[u8; 16]; 2],
    /// The same after the inverse of the affine part of the S-box, its constant included.
    enter_inverse: [[u8; 16]; 2],
    /// `1 / x`
    reciprocal: [u8; 16],
    /// `a / x`
    scaled: [u8; 16],
    /// The inverse in GF(2^8), from `a N / (k + a i)` and from `a N / (k + a j)`.
    leave: [[u8; 16]; 2],
}

impl Tower {
    fn new() -> Tower {
        let power = |x: u8, n: usize| (1..n).fold(x, |y, _| gf_mul(y, x));
        // The subfield is zero and the powers of an element of order 15; the first four of them
        // are a basis, in which a nibble stands for an element.
        let generator = (2..=255).map(|x| power(x, 17)).find(|&g| power(g, 3) != 1 && power(g, 5) != 1);
        let generator = generator.expect("GF(2^8) has elements of order 255");
        let element = |nibble: usize| {
            (0..4).filter(|j| nibble >> j & 1 == 1).fold(0, |sum, j| sum ^ power(generator, j + 1))
        };
        let nibble = |x: u8| (0..16).find(|&n| element(n) == x).expect("in the subfield") as u8;
        let t = (2..=255).find(|&t| power(t, 16) == t ^ 1).expect("half of the field has trace 1");
        let a = inverse(gf_mul(t, t ^ 1));

        let mut enter = [0u8; 256];
        for i in 0..16 {
            for k in 0..16 {
                enter[usize::from(gf_mul(element(i), t) ^ gf_mul(element(i ^ k), t ^ 1))] =
                    (i << 4 | k) as u8;
            }
        }
        let affine = |x: u8| INVERSE_MATRIX.apply(x ^ SBOX_CONSTANT);
        let quotient = |by: u8| {
            std::array::from_fn(|x| if x == 0 { INFINITY } else { nibble(gf_mul(by, inverse(element(x)))) })
        };
        // i / N = ((1 + a) p + q) / a^2 and j / N = (p + (1 + a) q) / a^2, where p and q are
        // (k + a i) / N and (k + a j) / N.
        let scale = inverse(gf_mul(a, a));
        let leave = |of_i: u8, of_j: u8| {
            let factor = gf_mul(scale, gf_mul(of_j, t) ^ gf_mul(of_i, t ^ 1));
            std::array::from_fn(|x| gf_mul(factor, gf_mul(a, inverse(element(x)))))
        };
        Tower {
            enter: [std::array::from_fn(|n| enter[n]), std::array::from_fn(|n| enter[n << 4])],
            enter_inverse: [
                std::array::from_fn(|n| enter[usize::from(affine(n as u8))]),
                std::array::from_fn(|n| enter[usize::from(affine((n as u8) << 4) ^ affine(0))]),
            ],
            reciprocal: quotient(1),
            scaled: quotient(a),
            leave: [leave(1 ^ a, 1), leave(1, 1 ^ a)],
        }
    }

    fn get() -> &'static Tower {
        static TOWER: OnceLock<Tower> = OnceLock::new();
        TOWER.get_or_init(Tower::new)
    }
}

/// The nibbles of each byte: the low one and the high one.
fn nibbles(p: &mut Program, x: Value) -> [Value; 2] {
    let mask = steps::constant(p, 0x0f);
    let low = p.push(Node::And(x, mask));
    let high = p.push(Node::ShiftRight(Element::B32, x, 4));
    [low, p.push(Node::And(high, mask))]
}

/// The sum of a look-up of each of two nibbles.
fn look_up(p: &mut Program, tables: &[[u8; 16]; 2], indices: [Value; 2]) -> Value {
    let a = p.push(Node::Nibble(tables[0], indices[0]));
    let b = p.push(Node::Nibble(tables[1], indices[1]));
    p.xor(a, b)
}

/// The inverse of each byte in the tower field, as the two values that [`Tower::leave`] is for.
fn inverted(p: &mut Program, tower: &Tower, x: Value) -> [Value; 2] {
    let [k, i] = nibbles(p, x);
    let j = p.xor(i, k);
    let ak = p.push(Node::Nibble(tower.scaled, k));
    let by_i = p.push(Node::Nibble(tower.reciprocal, i));
    let by_j = p.push(Node::Nibble(tower.reciprocal, j));
    let p_i = p.xor(by_i, ak);
    let p_j = p.xor(by_j, ak);
    let q_i = p.push(Node::Nibble(tower.reciprocal, p_i));
    let q_j = p.push(Node::Nibble(tower.reciprocal, p_j));
    [p.xor(q_i, j), p.xor(q_j, i)]
}

/// A linear image of the inverse that `values` stand for.
fn image(p: &mut Program, tower: &Tower, values: [Value; 2], map: impl Fn(u8) -> u8) -> Value {
    look_up(p, &tower.leave.map(|table| table.map(&map)), values)
}

/// A round: see [`crate::technique::round`].
pub fn round(round: Round) -> Program {
    let tower = Tower::get();
    let mut p = Program::new(Word::Lane, 2);
    let (state, key) = (p.input(0), p.input(1));
    let decrypts = matches!(round, Round::Decrypt | Round::DecryptLast);
    let state = steps::shift_rows(&mut p, state, decrypts);
    let halves = nibbles(&mut p, state);
    let x = look_up(&mut p, if decrypts { &tower.enter_inverse } else { &tower.enter }, halves);
    let x = inverted(&mut p, tower, x);
    // What the look-ups leave out is added to the key: the constant of the S-box, which
    // MixColumns keeps, and that of doubling.
    let with_constant = |p: &mut Program, constant: u8| {
        let constant = steps::constant(p, constant);
        p.xor(key, constant)
    };
    let out = match round {
        Round::Encrypt | Round::EncryptLast => {
            let s = image(&mut p, tower, x, |x| SBOX_MATRIX.apply(x));
            if round == Round::Encrypt {
                let key = with_constant(&mut p, SBOX_CONSTANT ^ Doubling::Lookup.left_by_mix());
                steps::mix_columns(&mut p, s, key, Doubling::Lookup)
            } else {
                let key = with_constant(&mut p, SBOX_CONSTANT);
                p.xor(s, key)
            }
        }
        Round::Decrypt => {
            let s = image(&mut p, tower, x, |x| x);
            let four = image(&mut p, tower, x, |x| gf_mul(x, 4));
            let far = steps::rotate_rows(&mut p, four, 2);
            let before = p.sum(&[s, four, far]);
            let key = with_constant(&mut p, Doubling::Lookup.left_by_mix());
            steps::mix_columns(&mut p, before, key, Doubling::Lookup)
        }
        Round::DecryptLast => {
            let s = image(&mut p, tower, x, |x| x);
            p.xor(s, key)
        }
    };
    p.outputs.push(out);
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_ups_are_counted() {
        let operations = |which| {
            let program = round(which);
            let nodes = program.nodes.iter();
            let shuffles = nodes
                .clone()
                .filter(|n| matches!(n, Node::Nibble(..) | Node::Bytes(..) | Node::RotateRight(..)));
            let leaves = nodes.filter(|n| matches!(n, Node::Input(_) | Node::Constant(_))).count();
            (shuffles.count(), program.nodes.len() - leaves)
        };
        assert_eq!(operations(Round::Encrypt), (13, 33));
        assert_eq!(operations(Round::Decrypt), (16, 39));
    }
}
