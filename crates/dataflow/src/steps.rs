//! The linear steps of a round on the bytes of a lane, for techniques that compute SubBytes byte
//! by byte without products in GF(2^8): ShiftRows, and MixColumns by rotations of columns and
//! doubling.

use crate::program::{Element, Node, Program, Value, Word};
use aesmith_cipher::block::{INV_SHIFT_ROWS, SHIFT_ROWS};

/// How bytes are doubled in GF(2^8): added to themselves, and 0x1b added where bit 7 was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubling {
    /// 0x1b masked by the sign.
    Mask,
    /// 0x1b looked up with the byte as the index, which gives 0 where bit 7 is set: that is 0x1b
    /// more than the double, everywhere. One operation less, if somebody else adds the constant.
    Lookup,
}

impl Doubling {
    /// What [`mix_columns`] leaves to be added to its result.
    pub const fn left_by_mix(self) -> u8 {
        match self {
            Doubling::Mask => 0,
            Doubling::Lookup => 0x1b,
        }
    }

    /// What [`inverse_mix_columns_of`] leaves to be added to its result: 0x1b of MixColumns, and
    /// 0x2d (2 x 0x1b + 0x1b) of multiplying by 4, which MixColumns keeps as it is.
    pub const fn left_by_inverse_mix(self) -> u8 {
        match self {
            Doubling::Mask => 0,
            Doubling::Lookup => 0x1b ^ 0x2d,
        }
    }
}

/// The same byte everywhere.
pub fn constant(p: &mut Program, byte: u8) -> Value {
    p.push(Node::Constant([byte; 16]))
}

/// ShiftRows, or InvShiftRows: one byte shuffle.
pub fn shift_rows(p: &mut Program, x: Value, inverse: bool) -> Value {
    let from = if inverse { INV_SHIFT_ROWS } else { SHIFT_ROWS };
    p.push(Node::Bytes(x, from.map(|i| i as u8)))
}

/// Row `i` of each column takes row `i + rows`.
pub fn rotate_rows(p: &mut Program, x: Value, rows: u8) -> Value {
    p.push(Node::RotateRight(Element::B32, x, 8 * rows))
}

/// Twice each byte, with 0x1b to be added for [`Doubling::Lookup`]: 4 or 3 operations.
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

/// MixColumns of `s` with `key` added, where `s'` is `s` one row further and `t = s + s'`: each
/// row becomes `2 t + s' + (t two rows further)`. 9 or 8 operations with the key, and
/// [`Doubling::left_by_mix`] to be added.
pub fn mix_columns(p: &mut Program, s: Value, key: Value, doubling: Doubling) -> Value {
    let next = rotate_rows(p, s, 1);
    let t = p.xor(s, next);
    let two = double(p, t, doubling);
    let far = rotate_rows(p, t, 2);
    let near = p.xor(next, key);
    p.sum(&[two, far, near])
}

/// `s + 4 (s + s'')`, where `s''` is `s` two rows further: MixColumns of that is InvMixColumns of
/// `s`, since the matrix of (2, 3, 1, 1) times that of (5, 0, 4, 0) is that of (14, 11, 13, 9)
/// (Barreto; see "The Design of Rijndael", 4.1.3).
pub fn before_inverse_mix(p: &mut Program, s: Value, doubling: Doubling) -> Value {
    let far = rotate_rows(p, s, 2);
    let sum = p.xor(s, far);
    let two = double(p, sum, doubling);
    let four = double(p, two, doubling);
    p.xor(s, four)
}

/// InvMixColumns of `s` with `key` added, and [`Doubling::left_by_inverse_mix`] to be added.
pub fn inverse_mix_columns_of(p: &mut Program, s: Value, key: Value, doubling: Doubling) -> Value {
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
