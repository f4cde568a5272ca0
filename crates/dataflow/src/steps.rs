//! The linear steps of a round on the bytes of a lane, for techniques that compute SubBytes bytewise without products
//! in GF(2^8): ShiftRows, and MixColumns by rotations of columns and doubling.

use crate::program::{Element, Node, Program, Value, Word};
use aesmith_cipher::block::{INV_SHIFT_ROWS, SHIFT_ROWS};

/// The doubling of bytes in GF(2^8): a byte is added to itself as an integer, and 0x1b is added where bit 7 was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubling {
    /// The sign masks 0x1b.
    Mask,
    /// A look-up of 0x1b with the byte as the index gives 0 where bit 7 is set, so every result differs from the double
    /// by 0x1b. This saves one operation if the constant is added elsewhere.
    Lookup,
}

impl Doubling {
    /// The constant that must still be added to the result of [`mix_columns`].
    pub(crate) const fn left_by_mix(self) -> u8 {
        match self {
            Doubling::Mask => 0,
            Doubling::Lookup => 0x1b,
        }
    }

    /// The constant that must still be added to the result of [`inverse_mix_columns_of`]: 0x1b from MixColumns, and
    /// 0x2d (2 x 0x1b + 0x1b) from the multiplication by 4, which MixColumns keeps.
    pub(crate) const fn left_by_inverse_mix(self) -> u8 {
        match self {
            Doubling::Mask => 0,
            Doubling::Lookup => 0x1b ^ 0x2d,
        }
    }
}

/// A lane of equal bytes.
pub fn constant(p: &mut Program, byte: u8) -> Value {
    p.push(Node::Constant([byte; 16]))
}

/// ShiftRows, or InvShiftRows: one byte shuffle.
pub fn shift_rows(p: &mut Program, x: Value, inverse: bool) -> Value {
    let from = if inverse { INV_SHIFT_ROWS } else { SHIFT_ROWS };
    p.push(Node::Bytes(x, from.map(|i| i as u8)))
}

/// Rotates each column by `rows` rows: row `i` takes row `i + rows`.
pub(crate) fn rotate_rows(p: &mut Program, x: Value, rows: u8) -> Value {
    p.push(Node::RotateRight(Element::B32, x, 8 * rows))
}

/// Doubles each byte, up to the constant 0x1b for [`Doubling::Lookup`]: 4 or 3 operations.
pub fn double(p: &mut Program, x: Value, doubling: Doubling) -> Value {
    let twice = p.push(Node::ShiftLeft(Element::B8, x, 1));
    let reduction = match doubling {
        Doubling::Mask => {
            let sign = p.push(Node::Sign(x));
            let polynomial = constant(p, 0x1b);
            p.push(Node::And(sign, polynomial))
        }
        Doubling::Lookup => p.push(Node::Nibble([0x1b; 16], x)),
    };
    p.xor(twice, reduction)
}

/// MixColumns of `s` plus `key`: each row becomes `2 t + s' + (t two rows further)`, where `s'` is `s` one row further
/// and `t = s + s'`. It takes 9 or 8 operations with the key, and leaves `Doubling::left_by_mix` to be added.
pub fn mix_columns(p: &mut Program, s: Value, key: Value, doubling: Doubling) -> Value {
    let next = rotate_rows(p, s, 1);
    let t = p.xor(s, next);
    let two = double(p, t, doubling);
    let far = rotate_rows(p, t, 2);
    let near = p.xor(next, key);
    p.sum(&[two, far, near])
}

/// `s + 4 (s + s'')`, where `s''` is `s` two rows further. MixColumns of this is InvMixColumns of `s`, since the matrix
/// (2, 3, 1, 1) times (5, 0, 4, 0) is (14, 11, 13, 9) (Barreto; see "The Design of Rijndael", 4.1.3).
pub(crate) fn before_inverse_mix(p: &mut Program, s: Value, doubling: Doubling) -> Value {
    let far = rotate_rows(p, s, 2);
    let sum = p.xor(s, far);
    let two = double(p, sum, doubling);
    let four = double(p, two, doubling);
    p.xor(s, four)
}

/// InvMixColumns of `s` plus `key`; leaves [`Doubling::left_by_inverse_mix`] to be added.
pub(crate) fn inverse_mix_columns_of(p: &mut Program, s: Value, key: Value, doubling: Doubling) -> Value {
    let before = before_inverse_mix(p, s, doubling);
    mix_columns(p, before, key, doubling)
}

/// InvMixColumns of a lane: one input, one output.
pub fn inverse_mix_columns(doubling: Doubling) -> Program {
    let mut p = Program::new(Word::Lane, 1);
    let left = constant(&mut p, doubling.left_by_inverse_mix());
    let x = p.input(0);
    let out = inverse_mix_columns_of(&mut p, x, left, doubling);
    p.outputs.push(out);
    p
}
