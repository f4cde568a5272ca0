//! Two blocks as eight words, each of which holds one bit of their bytes ([`aesmith_cipher::firmware::slice`]), highest bit
//! first: the steps of a round, on processors whose instructions shift one operand only.

use aesmith_cipher::Direction;
use aesmith_dataflow::circuits::{AND, Gates, XNOR};

/// Words of bits.
pub type Slices = [i32; 8];

/// Operations of a processor on words.
pub trait Bitwise {
    /// A bitwise operation: `and`, `or` or `xor`.
    fn gate(&mut self, name: &str, a: i32, b: i32) -> i32;
    /// The complement of a sum.
    fn equal(&mut self, a: i32, b: i32) -> i32;
    /// A word shifted up by some bits, to higher numbers.
    fn up(&mut self, word: i32, by: i32) -> i32;
    /// A word shifted down by some bits.
    fn down(&mut self, word: i32, by: i32) -> i32;
    /// A word rotated down by this many bytes: 1 or 2.
    fn rows_down(&mut self, word: i32, rows: usize) -> i32;
    /// A constant.
    fn constant(&mut self, value: u32) -> i32;
}

/// Masks of [`shifted`]: rows 2 and 3, lower halves; rows 1 and 3, lower columns; the highest column of these rows; rows 0
/// and 2.
pub const MASKS: [u32; 4] = [0x0f0f_0000, 0x3f00_3f00, 0xc000_c000, 0x00ff_00ff];

/// Converts eight words of bytes to eight words of bits, or back: bit b of each byte in word j moves to bit j
/// in word b.
pub fn transposed(w: &mut impl Bitwise, mut words: Slices) -> Slices {
    for (by, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f)] {
        let mask = w.constant(mask);
        for j in (0..8).filter(|j| j & by == 0) {
            let (high, low) = (words[j], words[j + by]);
            let down = w.down(high, by as i32);
            let differ = w.gate("xor", low, down);
            let swap = w.gate("and", differ, mask);
            words[j + by] = w.gate("xor", low, swap);
            let up = w.up(swap, by as i32);
            words[j] = w.gate("xor", high, up);
        }
    }
    words
}

/// The slices of words of bytes.
pub fn sliced(w: &mut impl Bitwise, words: Slices) -> Slices {
    let mut words = transposed(w, words);
    words.reverse();
    words
}

/// The words of bytes of slices.
pub fn unsliced(w: &mut impl Bitwise, mut state: Slices) -> Slices {
    state.reverse();
    transposed(w, state)
}

/// SubBytes, or its inverse.
pub fn substituted(w: &mut impl Bitwise, state: Slices, direction: Direction) -> Slices {
    Gates::of(0, direction == Direction::Decrypt).write(state, |table, a, b| match table {
        AND => w.gate("and", a, b),
        XNOR => w.equal(a, b),
        _ => w.gate("xor", a, b),
    })
}

/// ShiftRows, or its inverse, with the words of [`MASKS`]: row r is byte r, and its columns are pairs of bits.
pub fn shifted(w: &mut impl Bitwise, state: Slices, masks: [i32; 4], direction: Direction) -> Slices {
    let [halves, lower, highest, others] = masks;
    state.map(|x| {
        // Moves rows 2 and 3 by two columns: exchanges halves.
        let down = w.down(x, 4);
        let differ = w.gate("xor", x, down);
        let swap = w.gate("and", differ, halves);
        let low = w.gate("xor", x, swap);
        let up = w.up(swap, 4);
        let x = w.gate("xor", low, up);
        // Moves rows 1 and 3 by one more column, down or up.
        let (down, up) = if direction == Direction::Encrypt {
            let (down, up) = (w.down(x, 2), w.up(x, 6));
            (w.gate("and", down, lower), w.gate("and", up, highest))
        } else {
            let (up, down) = (w.gate("and", x, lower), w.gate("and", x, highest));
            (w.down(down, 6), w.up(up, 2))
        };
        let kept = w.gate("and", x, others);
        let moved = w.gate("or", down, up);
        w.gate("or", moved, kept)
    })
}

/// Doubling (FIPS-197, 4.2.1): each bit from the next lower one; the highest bit is added to bits 0, 1, 3, 4.
fn doubled(w: &mut impl Bitwise, words: Slices) -> Slices {
    std::array::from_fn(|k| {
        let next = words[(k + 1) % 8];
        if matches!(k, 3 | 4 | 6) { w.gate("xor", next, words[0]) } else { next }
    })
}

/// MixColumns, or its inverse, which is MixColumns times circ(5, 0, 4, 0).
pub fn mixed(w: &mut impl Bitwise, mut state: Slices, direction: Direction) -> Slices {
    if direction == Direction::Decrypt {
        let sums = state.map(|x| {
            let turned = w.rows_down(x, 2);
            w.gate("xor", x, turned)
        });
        let twice = doubled(w, sums);
        let four = doubled(w, twice);
        state = std::array::from_fn(|k| w.gate("xor", state[k], four[k]));
    }
    let next = state.map(|x| w.rows_down(x, 1));
    let pairs: Slices = std::array::from_fn(|k| w.gate("xor", state[k], next[k]));
    let twice = doubled(w, pairs);
    std::array::from_fn(|k| {
        let others = w.rows_down(pairs[k], 2);
        let sum = w.gate("xor", twice[k], next[k]);
        w.gate("xor", sum, others)
    })
}
