//! Blocks in constant time: two blocks as eight words, each of which holds one bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]); the S-box is a circuit of gates, without look-ups. Messages are
//! processed one block at a time, which takes both places.

use aesmith_cipher::Direction;
use aesmith_dataflow::circuits::{AND, Gates, XNOR};

use super::function::{Function, Part};
use super::modes::{END, KEY, Modes, TEST};
use super::writer::{Writer, region};
use aesmith_isa::assemble::Item;

/// The state between rounds.
const STATE: [u8; 8] = [19, 20, 21, 22, 23, 24, 25, 26];

/// Converts eight words of bytes to eight words of bits, or back: bit b of each byte in word j moves to bit j
/// in word b.
fn transposed(w: &mut Writer, words: [i32; 8]) -> [i32; 8] {
    let mut words = words;
    for (by, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f)] {
        let mask = w.constant(mask);
        for j in (0..8).filter(|j| j & by == 0) {
            let (high, low) = (words[j], words[j + by]);
            let down = w.down(high, by as i32);
            let differ = w.xor(low, down);
            let swap = w.two("and", differ, mask);
            words[j + by] = w.xor(low, swap);
            let up = w.up(swap, by as i32);
            words[j] = w.xor(high, up);
        }
    }
    words
}

/// The bit-sliced words of bytes, highest bit first.
pub fn sliced(w: &mut Writer, words: [i32; 8]) -> [i32; 8] {
    let mut words = transposed(w, words);
    words.reverse();
    words
}

/// SubBytes, or its inverse.
fn substituted(w: &mut Writer, state: [i32; 8], direction: Direction) -> [i32; 8] {
    Gates::of(0, direction == Direction::Decrypt).write(state, |table, a, b| match table {
        AND => w.two("and", a, b),
        XNOR => {
            let sum = w.xor(a, b);
            w.number("xori", sum, -1)
        }
        _ => w.xor(a, b),
    })
}

/// ShiftRows, or its inverse: row r is byte r, and its columns are pairs of bits.
fn shifted(w: &mut Writer, state: [i32; 8], direction: Direction) -> [i32; 8] {
    // Masks: rows 2 and 3, lower halves; rows 1 and 3, lower columns; the highest column of these rows; rows 0
    // and 2.
    let [halves, lower, highest, others] =
        [0x0f0f_0000, 0x3f00_3f00, 0xc000_c000, 0x00ff_00ff].map(|mask| w.constant(mask));
    state.map(|x| {
        // Moves rows 2 and 3 by two columns: exchanges halves.
        let down = w.down(x, 4);
        let differ = w.xor(x, down);
        let swap = w.two("and", differ, halves);
        let low = w.xor(x, swap);
        let up = w.up(swap, 4);
        let x = w.xor(low, up);
        // Moves rows 1 and 3 by one more column, down or up.
        let (down, up) = if direction == Direction::Encrypt {
            let (down, up) = (w.down(x, 2), w.up(x, 6));
            (w.two("and", down, lower), w.two("and", up, highest))
        } else {
            let (up, down) = (w.two("and", x, lower), w.two("and", x, highest));
            (w.down(down, 6), w.up(up, 2))
        };
        let kept = w.two("and", x, others);
        let moved = w.two("or", down, up);
        w.two("or", moved, kept)
    })
}

/// Doubling (FIPS-197, 4.2.1): each bit from the next lower one; the highest bit is added to bits 0, 1, 3, 4.
fn doubled(w: &mut Writer, words: [i32; 8]) -> [i32; 8] {
    std::array::from_fn(|k| {
        let next = words[(k + 1) % 8];
        if matches!(k, 3 | 4 | 6) { w.xor(next, words[0]) } else { next }
    })
}

/// MixColumns, or its inverse, which is MixColumns times circ(5, 0, 4, 0).
fn mixed(w: &mut Writer, state: [i32; 8], direction: Direction) -> [i32; 8] {
    let mut state = state;
    if direction == Direction::Decrypt {
        let sums = state.map(|x| {
            let turned = w.two_rows(x);
            w.xor(x, turned)
        });
        let twice = doubled(w, sums);
        let four = doubled(w, twice);
        state = std::array::from_fn(|k| w.xor(state[k], four[k]));
    }
    let next = state.map(|x| w.down_a_row(x));
    let pairs: [i32; 8] = std::array::from_fn(|k| w.xor(state[k], next[k]));
    let twice = doubled(w, pairs);
    std::array::from_fn(|k| {
        let others = w.two_rows(pairs[k]);
        let sum = w.xor(twice[k], next[k]);
        w.xor(sum, others)
    })
}

fn keyed(w: &mut Writer, state: [i32; 8], offset: i32) -> [i32; 8] {
    std::array::from_fn(|k| {
        let key = w.load("lwi", KEY, offset + 4 * k as i32, None);
        w.xor(state[k], key)
    })
}

/// Size of a sliced round key, in bytes.
const SLICE: i32 = 32;

/// The offset of word `j` of two blocks: column j / 2 of block j % 2.
fn place(j: usize) -> i32 {
    4 * (4 * (j % 2) + j / 2) as i32
}

impl Modes<'_> {
    /// A function with slices, in a loop of one round.
    pub fn sliced(&mut self, block: bool) -> Function {
        let mut fixed: Vec<u8> = if block { vec![5, 7] } else { vec![5, 6, 7, 8, 9] };
        fixed.extend([END, TEST]);
        let direction = self.rounds.direction;
        let span = SLICE * (self.count as i32 - 1);
        let mut parts = Vec::new();
        let mut w = Writer::new(self.shape);
        w.offset_in(i32::from(END), KEY, span);
        let text = if block {
            let input = w.block.enter(6);
            std::array::from_fn(|j| w.load("lwi", input, place(j), Some(region::TEXT)))
        } else {
            parts.push(Part::Block(std::mem::take(&mut w.block)));
            parts.push(Part::Items(vec![Item::Label(".Lblock".into())]));
            w = Writer::new(self.shape);
            let words = self.text(&mut w);
            std::array::from_fn(|j| words[j / 2])
        };
        let leave = |w: &mut Writer, state: [i32; 8]| {
            state.iter().zip(STATE).for_each(|(&v, r)| w.block.leave(v, Some(r)));
        };
        let state = sliced(&mut w, text);
        let state = keyed(&mut w, state, 0);
        leave(&mut w, state);
        parts.push(Part::Block(w.block));
        parts.push(Part::Items(vec![Item::Label(".Lround".into())]));
        let mut w = Writer::new(self.shape);
        let state = STATE.map(|r| w.block.enter(r));
        let state = substituted(&mut w, state, direction);
        let state = shifted(&mut w, state, direction);
        let state = mixed(&mut w, state, direction);
        let state = keyed(&mut w, state, SLICE);
        leave(&mut w, state);
        Self::next_round(w, SLICE, &mut parts);
        let mut w = Writer::new(self.shape);
        let state = STATE.map(|r| w.block.enter(r));
        let state = substituted(&mut w, state, direction);
        let state = shifted(&mut w, state, direction);
        let mut state = keyed(&mut w, state, SLICE);
        state.reverse();
        let words = transposed(&mut w, state);
        if block {
            for (j, word) in words.into_iter().enumerate() {
                w.store("swi", word, self.pointers.output, place(j), region::TEXT);
            }
        } else {
            self.stored(&mut w, std::array::from_fn(|j| words[2 * j]));
            w.advance(KEY, -span);
        }
        let behind = self.next_block(w, block, &mut parts);
        self.function(parts, Vec::new(), fixed, behind)
    }
}
