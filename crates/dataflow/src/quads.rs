//! Bit slices of four blocks in eight 64-bit words, for processors with only general registers: bit
//! `16 row + 4 column + block` of word `i` is bit `i` of a byte of the state. Rows are 16 bits wide, so MixColumns
//! rotates whole words and ShiftRows rotates within 16 bits.

use crate::circuits::Gates;
use crate::program::{Element, Node, Program, Value, Word};
use crate::technique::{Choices, KeyForm, Sliced};

const SLICES: usize = 8;
const BLOCKS: usize = 4;
/// The S-box of zero, which the circuits leave out.
const SBOX_CONSTANT: u8 = 0x63;

type Slices = [Value; SLICES];

fn constant(p: &mut Program, value: u64) -> Value {
    p.push(Node::Constant(u128::from(value).to_le_bytes()))
}

fn and(p: &mut Program, x: Value, mask: u64) -> Value {
    let mask = constant(p, mask);
    p.push(Node::And(x, mask))
}

fn left(p: &mut Program, x: Value, n: u8) -> Value {
    p.push(Node::ShiftLeft(Element::B64, x, n))
}

fn right(p: &mut Program, x: Value, n: u8) -> Value {
    p.push(Node::ShiftRight(Element::B64, x, n))
}

fn rotated(p: &mut Program, x: Value, n: u8) -> Value {
    p.push(Node::RotateRight(Element::B64, x, n))
}

fn or(p: &mut Program, a: Value, b: Value) -> Value {
    p.push(Node::Or(a, b))
}

/// Spreads the four bytes of the low half to bytes 0, 2, 4, 6.
fn spread(p: &mut Program, x: Value) -> Value {
    let mut x = x;
    for (by, mask) in [(16, 0x0000_ffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff)] {
        let far = left(p, x, by);
        let both = or(p, x, far);
        x = and(p, both, mask);
    }
    x
}

/// Gathers bytes 0, 2, 4, 6 into the low half.
fn gathered(p: &mut Program, x: Value) -> Value {
    let mut x = and(p, x, 0x00ff_00ff_00ff_00ff);
    for (by, mask) in [(8, 0x0000_ffff_0000_ffff), (16, 0x0000_0000_ffff_ffff)] {
        let near = right(p, x, by);
        let both = or(p, x, near);
        x = and(p, both, mask);
    }
    x
}

/// Exchanges bit `j` of every byte of word `i` with bit `i` of every byte of word `j`.
fn transpose(p: &mut Program, words: &mut Slices) {
    for (distance, mask) in
        [(1, 0x5555_5555_5555_5555u64), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)]
    {
        for i in (0..SLICES).filter(|i| i & distance == 0) {
            let (a, b) = (words[i], words[i + distance]);
            let (a_low, b_low) = (and(p, a, mask), and(p, b, mask));
            let (a_high, b_high) = (and(p, a, !mask), and(p, b, !mask));
            let raised = left(p, b_low, distance as u8);
            let lowered = right(p, a_high, distance as u8);
            words[i] = or(p, a_low, raised);
            words[i + distance] = or(p, lowered, b_high);
        }
    }
}

/// Packs blocks, each given as its low and its high half, into slices.
fn packed(p: &mut Program, halves: &[Value; 2 * BLOCKS]) -> Slices {
    // Word `b` takes columns 0 and 2 of block `b`, word `4 + b` columns 1 and 3.
    let mut words: Slices = std::array::from_fn(|i| {
        let (block, odd) = (i % BLOCKS, i / BLOCKS == 1);
        let columns = [halves[2 * block], halves[2 * block + 1]].map(|half| {
            let column = if odd { right(p, half, 32) } else { and(p, half, 0xffff_ffff) };
            spread(p, column)
        });
        let far = left(p, columns[1], 8);
        or(p, columns[0], far)
    });
    transpose(p, &mut words);
    words
}

fn unpacked(p: &mut Program, mut words: Slices) -> Vec<Value> {
    transpose(p, &mut words);
    let mut halves = Vec::new();
    for block in 0..BLOCKS {
        for second in [false, true] {
            let columns = [words[block], words[BLOCKS + block]].map(|word| {
                let word = if second { right(p, word, 8) } else { word };
                gathered(p, word)
            });
            let high = left(p, columns[1], 32);
            halves.push(or(p, columns[0], high));
        }
    }
    halves
}

/// Rotates row `r`, 16 bits wide, by `r` columns.
fn shift_rows(p: &mut Program, x: Value, inverse: bool) -> Value {
    let mut rows = vec![and(p, x, 0xffff)];
    for row in 1..4u32 {
        let by = if inverse { 16 - 4 * row } else { 4 * row };
        let place = 16 * row;
        let (near, far) = (right(p, x, by as u8), left(p, x, 16 - by as u8));
        rows.push(and(p, near, (0xffff >> by) << place));
        rows.push(and(p, far, (0xffff << (16 - by) & 0xffff) << place));
    }
    let first = rows[0];
    rows[1..].iter().fold(first, |sum, row| or(p, sum, *row))
}

/// Doubles each byte: the bits move up, and the carry is added at the bits of 0x1b.
fn doubled(p: &mut Program, x: Slices) -> Slices {
    std::array::from_fn(|i| match i {
        0 => x[7],
        1 | 3 | 4 => p.xor(x[i - 1], x[7]),
        _ => x[i - 1],
    })
}

fn mix_columns(p: &mut Program, x: Slices) -> Slices {
    let next = x.map(|v| rotated(p, v, 16));
    let sums: Slices = std::array::from_fn(|i| p.xor(x[i], next[i]));
    let twice = doubled(p, sums);
    std::array::from_fn(|i| {
        let far = rotated(p, sums[i], 32);
        p.sum(&[twice[i], next[i], far])
    })
}

/// InvMixColumns, as MixColumns of the state plus 4 times (the state plus its row after next).
fn inverse_mix_columns(p: &mut Program, x: Slices) -> Slices {
    let sums = x.map(|v| {
        let far = rotated(p, v, 32);
        p.xor(v, far)
    });
    let twice = doubled(p, sums);
    let u = doubled(p, twice);
    let sums = std::array::from_fn(|i| p.xor(x[i], u[i]));
    mix_columns(p, sums)
}

fn round(choices: Choices, inverse: bool, last: bool) -> Program {
    let mut p = Program::new(Word::U64, 2 * SLICES as u16);
    let state: Slices = std::array::from_fn(|i| p.input(i));
    let s = Gates::of(choices.circuit, inverse).append(&mut p, state);
    let s = s.map(|v| shift_rows(&mut p, v, inverse));
    let mixed = match (last, inverse) {
        (true, _) => s,
        (_, false) => mix_columns(&mut p, s),
        (_, true) => inverse_mix_columns(&mut p, s),
    };
    p.outputs = (0..SLICES)
        .map(|i| {
            let key = p.input(SLICES + i);
            p.xor(mixed[i], key)
        })
        .collect();
    p
}

/// The slices of a round key; with the S-box's constant if the rounds leave it to the key.
fn key(with_constant: bool) -> Program {
    let mut p = Program::new(Word::U64, 2);
    let halves: [Value; 2 * BLOCKS] = std::array::from_fn(|i| p.input(i % 2));
    let slices = packed(&mut p, &halves);
    p.outputs = (0..SLICES)
        .map(|i| {
            let complement = with_constant && SBOX_CONSTANT >> i & 1 == 1;
            if complement { p.push(Node::Not(slices[i])) } else { slices[i] }
        })
        .collect();
    p
}

/// The programs for `rounds` rounds of the cipher, or of the equivalent inverse cipher: as
/// [`crate::technique::sliced`], with the low and the high half of each block alternating in place of lanes.
pub fn sliced(choices: Choices, rounds: usize, inverse: bool) -> Sliced {
    let mut pack = Program::new(Word::U64, 2 * BLOCKS as u16);
    let halves = std::array::from_fn(|i| pack.input(i));
    pack.outputs = packed(&mut pack, &halves).to_vec();
    let mut unpack = Program::new(Word::U64, SLICES as u16);
    let slices = std::array::from_fn(|i| unpack.input(i));
    unpack.outputs = unpacked(&mut unpack, slices);
    let mut whiten = Program::new(Word::U64, 2 * SLICES as u16);
    whiten.outputs = (0..SLICES)
        .map(|i| {
            let (state, key) = (whiten.input(i), whiten.input(SLICES + i));
            whiten.xor(state, key)
        })
        .collect();
    Sliced {
        words: SLICES,
        texts: BLOCKS,
        pack,
        // MixColumns keeps the S-box's constant, so it can come with the key added afterwards; the inverse S-box needs
        // it before, from the key of the previous round.
        keys: (0..=rounds).map(|r| key(if inverse { r < rounds } else { r > 0 })).collect(),
        key_form: KeyForm::Lane,
        whiten,
        rounds: (1..=rounds).map(|r| round(choices, inverse, r == rounds)).collect(),
        unpack,
    }
}
