//! The tower field GF((2^4)^2) by look-ups of nibbles (Hamburg, "Accelerating AES with vector
//! permute instructions", CHES 2009): an inversion is five look-ups of 16 entries, each one byte
//! shuffle.

use crate::gfni::{INVERSE_MATRIX, SBOX_CONSTANT};
use crate::program::{Element, Node, Program, Value, inverse};
use crate::steps;
use aesmith_cipher::block::gf_mul;
use std::sync::OnceLock;

/// The look-up result for infinity: [`Node::Nibble`] maps it to 0, and adding a nibble keeps it infinite.
const INFINITY: u8 = 0x80;

/// The tower field and its look-ups. An element of GF(2^8) is `i t + j (t + 1)`, where `i` and `j` are in GF(2^4), and
/// `t` is outside it with `t^16 = t + 1`. It is stored as the nibbles `i` (high) and `k = i + j` (low); its norm is
/// `N = i j + t (t + 1) k^2`, its inverse `(j t + i (t + 1)) / N`. With `a = 1 / (t (t + 1))`:
///
/// ```text
/// 1 / (1/i + a/k) + j = a N / (k + a i)      1 / (1/j + a/k) + i = a N / (k + a j)
/// ```
///
/// The inverses of these span `i / N` and `j / N`, so one more look-up of each gives any linear image of the inverse.
/// With infinity as a value, divisions by zero give the right result.
pub struct Tower {
    /// The image of each byte in the tower field.
    map: [u8; 256],
    /// `1 / x`
    reciprocal: [u8; 16],
    /// `a / x`
    scaled: [u8; 16],
    /// Tables from `a N / (k + a i)` and from `a N / (k + a j)` to the inverse in GF(2^8).
    leave: [[u8; 16]; 2],
}

impl Tower {
    fn new() -> Tower {
        let power = |x: u8, n: usize| (1..n).fold(x, |y, _| gf_mul(y, x));
        // The subfield consists of zero and the powers of an element of order 15. Its first four powers are a basis, in
        // which a nibble represents an element.
        let generator = (2..=255).map(|x| power(x, 17)).find(|&g| power(g, 3) != 1 && power(g, 5) != 1);
        let generator = generator.expect("GF(2^8) has elements of order 255");
        let element = |nibble: usize| {
            (0..4).filter(|j| nibble >> j & 1 == 1).fold(0, |sum, j| sum ^ power(generator, j + 1))
        };
        let nibble = |x: u8| (0..16).find(|&n| element(n) == x).expect("in the subfield") as u8;
        let t = (2..=255).find(|&t| power(t, 16) == t ^ 1).expect("half of the field has trace 1");
        let a = inverse(gf_mul(t, t ^ 1));

        let mut map = [0u8; 256];
        for i in 0..16 {
            for k in 0..16 {
                map[usize::from(gf_mul(element(i), t) ^ gf_mul(element(i ^ k), t ^ 1))] = (i << 4 | k) as u8;
            }
        }
        let quotient = |by: u8| {
            std::array::from_fn(|x| if x == 0 { INFINITY } else { nibble(gf_mul(by, inverse(element(x)))) })
        };
        // i / N = ((1 + a) p + q) / a^2 and j / N = (p + (1 + a) q) / a^2, where p and q are (k + a i) / N and (k + a
        // j) / N.
        let scale = inverse(gf_mul(a, a));
        let leave = |of_i: u8, of_j: u8| {
            let factor = gf_mul(scale, gf_mul(of_j, t) ^ gf_mul(of_i, t ^ 1));
            std::array::from_fn(|x| gf_mul(factor, gf_mul(a, inverse(element(x)))))
        };
        Tower { map, reciprocal: quotient(1), scaled: quotient(a), leave: [leave(1 ^ a, 1), leave(1, 1 ^ a)] }
    }

    /// The single instance.
    pub fn get() -> &'static Tower {
        static TOWER: OnceLock<Tower> = OnceLock::new();
        TOWER.get_or_init(Tower::new)
    }

    /// The image of a byte in the tower field.
    pub fn of(&self, x: u8) -> u8 {
        self.map[usize::from(x)]
    }

    /// The image of the byte whose inverse, after the affine part of the S-box, is `s`.
    pub(crate) fn of_sbox(&self, s: u8) -> u8 {
        self.of(INVERSE_MATRIX.apply(s ^ SBOX_CONSTANT))
    }
}

/// An affine map of each byte, as look-ups of its nibbles.
pub fn mapped(p: &mut Program, x: Value, map: impl Fn(u8) -> u8) -> Value {
    let tables =
        [std::array::from_fn(|n| map(n as u8)), std::array::from_fn(|n| map((n as u8) << 4) ^ map(0))];
    let halves = nibbles(p, x);
    look_up(p, &tables, halves)
}

/// The low nibble and the high nibble of each byte.
fn nibbles(p: &mut Program, x: Value) -> [Value; 2] {
    let mask = steps::constant(p, 0x0f);
    let low = p.push(Node::And(x, mask));
    let high = p.push(Node::ShiftRight(Element::B32, x, 4));
    [low, p.push(Node::And(high, mask))]
}

/// The sum of the look-ups of two nibbles.
fn look_up(p: &mut Program, tables: &[[u8; 16]; 2], indices: [Value; 2]) -> Value {
    let a = p.push(Node::Nibble(tables[0], indices[0]));
    let b = p.push(Node::Nibble(tables[1], indices[1]));
    p.xor(a, b)
}

/// The inverse of each byte in the tower field, as the two values that [`image`] takes.
pub fn inverted(p: &mut Program, tower: &Tower, x: Value) -> [Value; 2] {
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

/// A linear image of the inverse; `map` takes the inverse in GF(2^8).
pub fn image(p: &mut Program, tower: &Tower, values: [Value; 2], map: impl Fn(u8) -> u8) -> Value {
    look_up(p, &tower.leave.map(|table| table.map(&map)), values)
}
