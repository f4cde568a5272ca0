//! Blocks in constant time: two blocks as eight words, each of which holds one bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]); the S-box is a circuit of gates, without look-ups.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_dataflow::circuits::{AND, Gates, XNOR};

use super::function::{Function, Target};
use super::rounds::Shape;
use super::writer::register::A0;
use super::writer::{Writer, region};

/// The register with the address of the next round key.
pub const KEY: u8 = A0;
const IN: u8 = A0 + 1;
const OUT: u8 = A0 + 2;
/// The state between rounds.
const STATE: [u8; 8] = [8, 9, 18, 19, 20, 21, 22, 23];
/// The register with the address of the key at which a loop ends.
pub const END: u8 = 13;

/// Masks of ShiftRows, in registers: rows 2 and 3, lower halves; rows 1 and 3, lower columns; the highest
/// column of these rows; rows 0 and 2.
const MASKS: [(u8, u32); 4] = [(28, 0x0f0f_0000), (29, 0x3f00_3f00), (30, 0xc000_c000), (31, 0x00ff_00ff)];

/// The location of the masks of ShiftRows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Masks {
    /// In registers throughout.
    Last,
    /// Recomputed in each round, if registers do not suffice otherwise.
    Made,
}

/// Converts eight words of bytes to eight words of bits, or back: bit b of each byte in word j moves to bit j
/// in word b.
fn transposed(w: &mut Writer, words: [i32; 8]) -> [i32; 8] {
    let mut words = words;
    for (by, mask) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f)] {
        let mask = w.constant(mask);
        for j in (0..8).filter(|j| j & by == 0) {
            let (high, low) = (words[j], words[j + by]);
            let down = w.shift("srli", high, by as i32);
            let differ = w.xor(low, down);
            let swap = w.two("and", differ, mask);
            words[j + by] = w.xor(low, swap);
            let up = w.shift("slli", swap, by as i32);
            words[j] = w.xor(high, up);
        }
    }
    words
}

/// The bit-sliced words of bytes, or back; highest bit first.
fn sliced(w: &mut Writer, words: [i32; 8]) -> [i32; 8] {
    let mut words = transposed(w, words);
    words.reverse();
    words
}

/// SubBytes, or its inverse.
fn substituted(w: &mut Writer, state: [i32; 8], direction: Direction) -> [i32; 8] {
    gates(w, state, direction, true)
}

/// Like [`substituted`]; without `complements`, SubBytes plus 0x63.
fn gates(w: &mut Writer, state: [i32; 8], direction: Direction, complements: bool) -> [i32; 8] {
    Gates::of(0, direction == Direction::Decrypt).write(state, |table, a, b| match table {
        AND => w.two("and", a, b),
        XNOR if complements && w.has("xnor") => w.two("xnor", a, b),
        XNOR if complements => {
            let sum = w.xor(a, b);
            w.with("xori", sum, -1)
        }
        _ => w.xor(a, b),
    })
}

/// SubWord of a word: its four bytes pass through the circuit together, bit b of each in bit 0 of its byte.
pub fn sub_word(w: &mut Writer, word: i32) -> i32 {
    let mask = w.constant(0x0101_0101);
    let bits = std::array::from_fn(|k| {
        let down = if k == 7 { word } else { w.shift("srli", word, 7 - k as i32) };
        w.two("and", down, mask)
    });
    // Complements would set all other bits, too.
    let s = gates(w, bits, Direction::Encrypt, false);
    let left_out = w.constant(0x6363_6363);
    let sum = w.xor(s[7], left_out);
    (0..7).rev().fold(sum, |sum, k| {
        let up = w.shift("slli", s[k], 7 - k as i32);
        w.xor(sum, up)
    })
}

/// ShiftRows, or its inverse: row r is byte r, and its columns are pairs of bits.
fn shifted(w: &mut Writer, state: [i32; 8], masks: Masks, direction: Direction) -> [i32; 8] {
    let [halves, lower, highest, others] = match masks {
        Masks::Last => MASKS.map(|(r, _)| i32::from(r)),
        Masks::Made => MASKS.map(|(_, mask)| w.constant(mask)),
    };
    state.map(|x| {
        // Moves rows 2 and 3 by two columns: exchanges halves.
        let down = w.shift("srli", x, 4);
        let differ = w.xor(x, down);
        let swap = w.two("and", differ, halves);
        let low = w.xor(x, swap);
        let up = w.shift("slli", swap, 4);
        let x = w.xor(low, up);
        // Moves rows 1 and 3 by one more column, down or up.
        let (down, up) = if direction == Direction::Encrypt {
            let (down, up) = (w.shift("srli", x, 2), w.shift("slli", x, 6));
            (w.two("and", down, lower), w.two("and", up, highest))
        } else {
            let (up, down) = (w.two("and", x, lower), w.two("and", x, highest));
            (w.shift("srli", down, 6), w.shift("slli", up, 2))
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

/// MixColumns, or its inverse.
fn mixed(w: &mut Writer, state: [i32; 8], direction: Direction) -> [i32; 8] {
    let mut state = state;
    if direction == Direction::Decrypt {
        // The inverse matrix is that of MixColumns times circ(5, 0, 4, 0).
        let sums = state.map(|x| {
            let turned = w.rotated(x, 16);
            w.xor(x, turned)
        });
        let twice = doubled(w, sums);
        let four = doubled(w, twice);
        state = std::array::from_fn(|k| w.xor(state[k], four[k]));
    }
    let next = state.map(|x| w.rotated(x, 8));
    let pairs: [i32; 8] = std::array::from_fn(|k| w.xor(state[k], next[k]));
    let twice = doubled(w, pairs);
    std::array::from_fn(|k| {
        let others = w.rotated(pairs[k], 16);
        let sum = w.xor(twice[k], next[k]);
        w.xor(sum, others)
    })
}

fn keyed(w: &mut Writer, state: [i32; 8], offset: i32) -> [i32; 8] {
    keyed_from(w, i32::from(KEY), state, offset)
}

fn keyed_from(w: &mut Writer, keys: i32, state: [i32; 8], offset: i32) -> [i32; 8] {
    std::array::from_fn(|k| {
        let key = w.load("lw", keys, offset + 4 * k as i32, None);
        w.xor(state[k], key)
    })
}

/// A round without its key addition.
fn round(w: &mut Writer, state: [i32; 8], masks: Masks, direction: Direction) -> [i32; 8] {
    let state = substituted(w, state, direction);
    let state = shifted(w, state, masks, direction);
    mixed(w, state, direction)
}

/// The offset and region of word `j` of the text: column j / 2 of block j % 2.
pub fn place(j: usize) -> (i32, u16) {
    let word = 4 * (j % 2) + j / 2;
    (4 * word as i32, region::TEXT + word as u16)
}

/// The rounds of two blocks.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The size of the key.
    pub size: KeySize,
    /// Encryption or decryption.
    pub direction: Direction,
    /// The loop structure of rounds.
    pub shape: Shape,
    /// The location of masks.
    pub masks: Masks,
}

impl Pair {
    /// Registers that are live during the rounds, including that of the round keys.
    pub fn lasting(&self) -> Vec<u8> {
        let mut lasting = vec![KEY];
        if self.shape != Shape::Unrolled {
            lasting.push(END);
        }
        if self.masks == Masks::Last {
            lasting.extend(MASKS.map(|(r, _)| r));
        }
        lasting
    }

    /// Loads masks into their registers.
    pub fn set_up(&self, w: &mut Writer) {
        if self.masks == Masks::Last {
            for (r, mask) in MASKS {
                let mask = w.constant(mask);
                w.block.leave(mask, Some(r));
            }
        }
    }

    /// Computes the state of a text, and adds the first round key from the address `keys`.
    pub fn begin(&self, w: &mut Writer, keys: i32, text: [i32; 8]) {
        if self.shape != Shape::Unrolled {
            let end = w.with("addi", keys, 32 * (self.size.rounds() as i32 - 1));
            w.block.leave(end, Some(END));
        }
        let state = sliced(w, text);
        let state = keyed_from(w, keys, state, 0);
        Self::leave(w, state);
    }

    fn leave(w: &mut Writer, state: [i32; 8]) {
        state.iter().zip(STATE).for_each(|(&v, r)| w.block.leave(v, Some(r)));
    }

    /// Rounds from the first to the last; `end` takes the words of text.
    pub fn rounds(&self, f: &mut Function, end: impl FnOnce(&mut Writer, [i32; 8])) -> Result<(), String> {
        let Pair { direction, shape, masks, .. } = *self;
        let rounds = self.size.rounds();
        let enter = |w: &mut Writer| STATE.map(|r| w.block.enter(r));
        // The number of unrolled rounds before the last, then the number of rounds per loop iteration.
        let (alone, together) = match shape {
            Shape::Unrolled => (rounds - 1, 0),
            Shape::Paired => (1, 2),
            Shape::Looped => (0, 1),
        };
        for k in 1..=alone {
            f.block(false, |w| {
                let state = enter(w);
                let state = round(w, state, masks, direction);
                let state = keyed(w, state, 32 * k as i32);
                Self::leave(w, state);
            })?;
        }
        if together > 0 {
            f.with("addi", KEY, KEY, 32 * alone as i32);
            f.label("round");
            for k in 1..=together {
                f.block(false, |w| {
                    let state = enter(w);
                    let state = round(w, state, masks, direction);
                    let state = keyed(w, state, 32 * k);
                    Self::leave(w, state);
                })?;
            }
            f.with("addi", KEY, KEY, 32 * together);
            f.branch("bne", KEY, END, "round");
        }
        f.block(false, |w| {
            let state = enter(w);
            let state = substituted(w, state, direction);
            let state = shifted(w, state, masks, direction);
            let last = if together > 0 { 32 } else { 32 * rounds as i32 };
            let mut state = keyed(w, state, last);
            state.reverse();
            let words = transposed(w, state);
            end(w, words);
        })
    }
}

/// Uses the first location of masks for which registers suffice.
pub(crate) fn with_masks(write: impl Fn(Masks) -> Result<Function, String>) -> Result<Function, String> {
    write(Masks::Last).or_else(|_| write(Masks::Made))
}

/// `key, in, out`, two blocks each.
pub fn ecb(
    target: Target,
    symbol: &str,
    size: KeySize,
    direction: Direction,
    shape: Shape,
) -> Result<Function, String> {
    with_masks(|masks| {
        let pair = Pair { size, direction, shape, masks };
        let lasting = [vec![OUT], pair.lasting()].concat();
        let mut f = Function::new(target, symbol, &lasting, 12);
        f.block_before(&[KEY, IN, OUT], |w| {
            pair.set_up(w);
            let text = std::array::from_fn(|j| {
                let (offset, region) = place(j);
                w.load("lw", i32::from(IN), offset, Some(region))
            });
            pair.begin(w, i32::from(KEY), text);
        })?;
        pair.rounds(&mut f, |w, words| {
            for (j, word) in words.into_iter().enumerate() {
                let (offset, region) = place(j);
                w.store(word, i32::from(OUT), offset, region);
            }
        })?;
        Ok(f)
    })
}

/// Converts round keys, which are stored one after another at the end of the space for slices, to slices from
/// its start, beginning with the first: none is overwritten before it is read.
pub fn keys(f: &mut Function, size: KeySize) -> Result<(), String> {
    const FROM: u8 = A0 + 1;
    const UNTIL: u8 = A0 + 2;
    let bytes = 16 * (size.rounds() as i32 + 1);
    f.with("addi", FROM, KEY, bytes);
    f.with("addi", UNTIL, KEY, 2 * bytes);
    f.label("slices");
    f.block_before(&[KEY, FROM, UNTIL], |w| {
        let words: [i32; 4] =
            std::array::from_fn(|k| w.load("lw", i32::from(FROM), 4 * k as i32, Some(region::KEYS)));
        for (k, word) in sliced(w, std::array::from_fn(|j| words[j / 2])).into_iter().enumerate() {
            w.store(word, i32::from(KEY), 4 * k as i32, region::KEYS);
        }
        w.change("addi", KEY, i32::from(KEY), 32);
        w.change("addi", FROM, i32::from(FROM), 16);
    })?;
    f.branch("bne", FROM, UNTIL, "slices");
    Ok(())
}
