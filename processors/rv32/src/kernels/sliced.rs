//! Blocks in constant time: two blocks as eight words, each of which holds one bit of their bytes
//! ([`aesmith_cipher::firmware::slice`]); the S-box is a circuit of gates, without look-ups.

use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_dataflow::circuits::{AND, Gates};
use aesmith_words::slices::{Bitwise, MASKS, Slices, mixed, shifted, sliced, substituted, unsliced};

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

/// The registers of the masks of ShiftRows.
const MASK_REGISTERS: [u8; 4] = [28, 29, 30, 31];

/// The location of the masks of ShiftRows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Masks {
    /// In registers throughout.
    Last,
    /// Recomputed in each round, if registers do not suffice otherwise.
    Made,
}

impl Bitwise for Writer<'_> {
    fn gate(&mut self, name: &str, a: i32, b: i32) -> i32 {
        self.two(name, a, b)
    }

    fn equal(&mut self, a: i32, b: i32) -> i32 {
        if self.has("xnor") {
            return self.two("xnor", a, b);
        }
        let sum = self.xor(a, b);
        self.with("xori", sum, -1)
    }

    fn up(&mut self, word: i32, by: i32) -> i32 {
        self.shift("slli", word, by)
    }

    fn down(&mut self, word: i32, by: i32) -> i32 {
        self.shift("srli", word, by)
    }

    fn rows_down(&mut self, word: i32, rows: usize) -> i32 {
        self.rotated(word, 8 * rows as i32)
    }

    fn constant(&mut self, value: u32) -> i32 {
        self.constant(value)
    }
}

/// SubWord of a word: its four bytes pass through the circuit together, bit b of each in bit 0 of its byte.
pub fn sub_word(w: &mut Writer, word: i32) -> i32 {
    let mask = w.constant(0x0101_0101);
    let bits = std::array::from_fn(|k| {
        let down = if k == 7 { word } else { w.shift("srli", word, 7 - k as i32) };
        w.two("and", down, mask)
    });
    // Complements would set all other bits, too.
    let s =
        Gates::of(0, false).write(bits, |table, a, b| w.two(if table == AND { "and" } else { "xor" }, a, b));
    let left_out = w.constant(0x6363_6363);
    let sum = w.xor(s[7], left_out);
    (0..7).rev().fold(sum, |sum, k| {
        let up = w.shift("slli", s[k], 7 - k as i32);
        w.xor(sum, up)
    })
}

/// SubBytes and ShiftRows, or their inverses.
fn begun(w: &mut Writer, state: Slices, masks: Masks, direction: Direction) -> Slices {
    let state = substituted(w, state, direction);
    let masks = match masks {
        Masks::Last => MASK_REGISTERS.map(i32::from),
        Masks::Made => MASKS.map(|mask| w.constant(mask)),
    };
    shifted(w, state, masks, direction)
}

fn keyed(w: &mut Writer, state: Slices, offset: i32) -> Slices {
    keyed_from(w, i32::from(KEY), state, offset)
}

fn keyed_from(w: &mut Writer, keys: i32, state: Slices, offset: i32) -> Slices {
    std::array::from_fn(|k| {
        let key = w.load("lw", keys, offset + 4 * k as i32, None);
        w.xor(state[k], key)
    })
}

/// A round without its key addition.
fn round(w: &mut Writer, state: Slices, masks: Masks, direction: Direction) -> Slices {
    let state = begun(w, state, masks, direction);
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
            lasting.extend(MASK_REGISTERS);
        }
        lasting
    }

    /// Loads masks into their registers.
    pub fn set_up(&self, w: &mut Writer) {
        if self.masks == Masks::Last {
            for (r, mask) in MASK_REGISTERS.into_iter().zip(MASKS) {
                let mask = w.constant(mask);
                w.block.leave(mask, Some(r));
            }
        }
    }

    /// Computes the state of a text, and adds the first round key from the address `keys`.
    pub fn begin(&self, w: &mut Writer, keys: i32, text: Slices) {
        if self.shape != Shape::Unrolled {
            let end = w.with("addi", keys, 32 * (self.size.rounds() as i32 - 1));
            w.block.leave(end, Some(END));
        }
        let state = sliced(w, text);
        let state = keyed_from(w, keys, state, 0);
        Self::leave(w, state);
    }

    fn leave(w: &mut Writer, state: Slices) {
        state.iter().zip(STATE).for_each(|(&v, r)| w.block.leave(v, Some(r)));
    }

    /// Rounds from the first to the last; `end` takes the words of text.
    pub fn rounds(&self, f: &mut Function, end: impl FnOnce(&mut Writer, Slices)) -> Result<(), String> {
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
            let state = begun(w, state, masks, direction);
            let last = if together > 0 { 32 } else { 32 * rounds as i32 };
            let state = keyed(w, state, last);
            let words = unsliced(w, state);
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
