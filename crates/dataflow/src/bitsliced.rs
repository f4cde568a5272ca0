//! The bitsliced technique: the S-box as a circuit over bits, in which each gate computes the same bit of many bytes.
//! This file has the round on whole blocks, for the remainder of a group of blocks ([`crate::slices`]); there only one
//! bit of eight is used.

use crate::Round;
use crate::circuits::Gates;
use crate::program::{Element, Node, Program, Value, Word};
use crate::steps::{self, Doubling};
use crate::technique::Choices;

/// The S-box constant, which the circuits leave out.
const SBOX_CONSTANT: u8 = 0x63;

/// The doubling method of these choices: look-ups are byte shuffles.
pub fn doubling(choices: Choices) -> Doubling {
    if choices.byte_shuffle { Doubling::Lookup } else { Doubling::Mask }
}

/// Rotates the double words of a lane by `by` places, but only in the rows that are set in `rows` (a row is a byte's
/// place in its column): 4 operations.
fn rotate_in_rows(p: &mut Program, x: Value, by: usize, rows: [bool; 4]) -> Value {
    let rotated = p.push(Node::Bytes(x, std::array::from_fn(|i| ((i + 4 * by) % 16) as u8)));
    let mask = p.push(Node::Constant(std::array::from_fn(|i| if rows[i % 4] { 0xff } else { 0 })));
    let change = p.xor(x, rotated);
    let change = p.push(Node::And(change, mask));
    p.xor(x, change)
}

/// ShiftRows, or its inverse: a byte shuffle, or rotations of rows by one and by two columns.
fn shift_rows(p: &mut Program, choices: Choices, x: Value, inverse: bool) -> Value {
    if choices.byte_shuffle {
        return steps::shift_rows(p, x, inverse);
    }
    let by_one = if inverse { 3 } else { 1 };
    let odd = rotate_in_rows(p, x, by_one, [false, true, false, true]);
    rotate_in_rows(p, odd, 2, [false, false, true, true])
}

/// SubBytes of a lane without its constant, or InvSubBytes of a lane with the constant added. Bit `b` of every byte is
/// computed in bit 0 of that byte of a shifted lane; the other bits hold garbage that is masked off at the end.
fn sub_bytes(p: &mut Program, choices: Choices, x: Value, inverse: bool) -> Value {
    let bits = std::array::from_fn(|b| match b {
        0 => x,
        b => p.push(Node::ShiftRight(Element::B32, x, b as u8)),
    });
    let bits = Gates::of(choices.circuit, inverse).append(p, bits);
    let ones = steps::constant(p, 1);
    let parts: Vec<Value> = (0..8)
        .map(|b| {
            let bit = p.push(Node::And(bits[b], ones));
            if b == 0 { bit } else { p.push(Node::ShiftLeft(Element::B32, bit, b as u8)) }
        })
        .collect();
    p.sum(&parts)
}

/// A round: see [`crate::technique::round`].
pub fn round(choices: Choices, round: Round) -> Program {
    let doubling = doubling(choices);
    let mut p = Program::new(Word::Lane, 2);
    let (state, key) = (p.input(0), p.input(1));
    let inverse = matches!(round, Round::Decrypt | Round::DecryptLast);
    let state = shift_rows(&mut p, choices, state, inverse);
    let state = if inverse {
        let constant = steps::constant(&mut p, SBOX_CONSTANT);
        p.xor(state, constant)
    } else {
        state
    };
    let s = sub_bytes(&mut p, choices, state, inverse);
    let left = match round {
        Round::Encrypt => SBOX_CONSTANT ^ doubling.left_by_mix(),
        Round::EncryptLast => SBOX_CONSTANT,
        Round::Decrypt => doubling.left_by_inverse_mix(),
        Round::DecryptLast => 0,
    };
    let key = if left == 0 {
        key
    } else {
        let left = steps::constant(&mut p, left);
        p.xor(key, left)
    };
    let out = match round {
        Round::Encrypt => steps::mix_columns(&mut p, s, key, doubling),
        Round::Decrypt => steps::inverse_mix_columns_of(&mut p, s, key, doubling),
        Round::EncryptLast | Round::DecryptLast => p.xor(s, key),
    };
    p.outputs.push(out);
    p
}
