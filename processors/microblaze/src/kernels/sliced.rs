//! Blocks in constant time: two blocks as eight words, each of which holds one bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]); the S-box is a circuit of gates, without look-ups. Messages are
//! processed one block at a time, which takes both places.

use aesmith_cipher::Direction;
use aesmith_words::slices::{Bitwise, MASKS, Slices, mixed, shifted, sliced, substituted, unsliced};

use super::function::{Function, Part};
use super::modes::{END, KEY, Modes, TEST};
use super::writer::{Writer, region};
use aesmith_isa::assemble::Item;

/// The state between rounds.
const STATE: [u8; 8] = [19, 20, 21, 22, 23, 24, 25, 26];

impl Bitwise for Writer {
    fn gate(&mut self, name: &str, a: i32, b: i32) -> i32 {
        self.two(name, a, b)
    }

    fn equal(&mut self, a: i32, b: i32) -> i32 {
        let sum = self.xor(a, b);
        self.number("xori", sum, -1)
    }

    fn up(&mut self, word: i32, by: i32) -> i32 {
        self.up(word, by)
    }

    fn down(&mut self, word: i32, by: i32) -> i32 {
        self.down(word, by)
    }

    fn rows_down(&mut self, word: i32, rows: usize) -> i32 {
        if rows == 2 { self.two_rows(word) } else { self.down_a_row(word) }
    }

    fn constant(&mut self, value: u32) -> i32 {
        self.constant(value)
    }
}

/// SubBytes and ShiftRows, or their inverses.
fn begun(w: &mut Writer, state: Slices, direction: Direction) -> Slices {
    let state = substituted(w, state, direction);
    let masks = MASKS.map(|mask| w.constant(mask));
    shifted(w, state, masks, direction)
}

fn keyed(w: &mut Writer, state: Slices, offset: i32) -> Slices {
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
        let leave = |w: &mut Writer, state: Slices| {
            state.iter().zip(STATE).for_each(|(&v, r)| w.block.leave(v, Some(r)));
        };
        let state = sliced(&mut w, text);
        let state = keyed(&mut w, state, 0);
        leave(&mut w, state);
        parts.push(Part::Block(w.block));
        parts.push(Part::Items(vec![Item::Label(".Lround".into())]));
        let mut w = Writer::new(self.shape);
        let state = STATE.map(|r| w.block.enter(r));
        let state = begun(&mut w, state, direction);
        let state = mixed(&mut w, state, direction);
        let state = keyed(&mut w, state, SLICE);
        leave(&mut w, state);
        Self::next_round(w, SLICE, &mut parts);
        let mut w = Writer::new(self.shape);
        let state = STATE.map(|r| w.block.enter(r));
        let state = begun(&mut w, state, direction);
        let state = keyed(&mut w, state, SLICE);
        let words = unsliced(&mut w, state);
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
