//! The rounds of a block: in a row, or in loops.

use aesmith_cipher::problem::KeySize;

use super::function::Function;
use super::lookup::{Bases, Lookup, Technique};
use super::writer::Writer;
use super::writer::register::A0;

/// How rounds follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One after the other.
    Unrolled,
    /// A loop of two, left in the middle.
    Paired,
    /// A loop of one, which moves the state back.
    Looped,
}

/// Registers that hold values of all rounds where code is more than one block.
pub mod fixed {
    /// The tables.
    pub const TABLE: u8 = 31;
    /// 0x80808080.
    pub const TOPS: u8 = 30;
    /// 0x1b1b1b1b.
    pub const FOLDS: u8 = 29;
    /// The round key.
    pub const KEY: u8 = 28;
    /// The round key at which a loop ends.
    pub const END: u8 = 7;
    /// The state, and the state after an odd round.
    pub const STATE: [[u8; 4]; 2] = [[5, 6, 15, 16], [8, 9, 18, 19]];
}

/// Gives a round key's word, by round and column.
pub type Source = Box<dyn FnMut(&mut Writer, usize, usize) -> i32>;

/// What is enciphered how.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The size of the key.
    pub size: KeySize,
    /// Technique and direction.
    pub lookup: Lookup,
    /// Shape.
    pub shape: Shape,
    /// Whether round keys are made from the cipher key as rounds go.
    pub fly: bool,
}

impl Plan {
    /// Registers that hold something throughout, besides arguments.
    pub fn lasting(&self) -> Vec<u8> {
        let mut all = match self.lookup.technique {
            Technique::Four(_) | Technique::One => vec![fixed::TABLE],
            Technique::Sbox => vec![fixed::TABLE, fixed::TOPS, fixed::FOLDS],
            Technique::Aes => Vec::new(),
        };
        if self.shape != Shape::Unrolled {
            all.extend([fixed::KEY, fixed::END]);
        }
        all
    }

    /// The bases in their fixed registers.
    pub fn fixed_bases(&self) -> Bases {
        let [table, tops, folds] = [fixed::TABLE, fixed::TOPS, fixed::FOLDS].map(i32::from);
        Bases { table, tops, folds }
    }

    /// Puts the bases into their fixed registers, the arguments left alone.
    pub fn set_up(&self, f: &mut Function, arguments: &[u8]) -> Result<(), String> {
        if self.lookup.technique == Technique::Aes {
            return Ok(());
        }
        let lookup = self.lookup;
        f.block_before(arguments, |w| {
            let bases = lookup.bases(w);
            w.block.leave(bases.table, Some(fixed::TABLE));
            if lookup.technique == Technique::Sbox {
                w.block.leave(bases.tops, Some(fixed::TOPS));
                w.block.leave(bases.folds, Some(fixed::FOLDS));
            }
        })
    }

    /// All rounds from `first`, the state before which is given, in the same block.
    pub fn rest(
        &self,
        w: &mut Writer,
        bases: &Bases,
        first: usize,
        state: [i32; 4],
        keys: &mut dyn FnMut(&mut Writer, usize, usize) -> i32,
    ) -> [i32; 4] {
        let last = self.size.rounds();
        let mut state = state;
        for round in first..last {
            state = self.lookup.round(w, bases, state, &mut |w, column| keys(w, round, column));
        }
        self.lookup.last(w, bases, state, &mut |w, column| keys(w, last, column))
    }

    /// A block: `head` gives the text before the first round key, `tail` takes the result. With
    /// `alone`, the function is nothing else.
    pub fn cipher(
        &self,
        f: &mut Function,
        alone: bool,
        head: impl FnOnce(&mut Writer) -> [i32; 4],
        tail: impl FnOnce(&mut Writer, [i32; 4]),
    ) -> Result<(), String> {
        let Plan { lookup, shape, .. } = *self;
        if shape == Shape::Unrolled {
            return f.block(alone, |w| {
                let bases = if alone { lookup.bases(w) } else { self.fixed_bases() };
                let text = head(w);
                let mut source = self.source(w, bases);
                let state = std::array::from_fn(|column| {
                    let key = source(w, 0, column);
                    w.xor(text[column], key)
                });
                let out = self.rest(w, &bases, 1, state, &mut source);
                tail(w, out);
            });
        }
        let bases = self.fixed_bases();
        let rounds = self.size.rounds() as i32;
        let key = |offset: i32| {
            move |w: &mut Writer, column: usize| {
                w.load("lw", i32::from(fixed::KEY), offset + 4 * column as i32, None)
            }
        };
        f.block(false, |w| {
            let text = head(w);
            for (column, &word) in text.iter().enumerate() {
                let key = w.load("lw", i32::from(A0), 4 * column as i32, None);
                let sum = w.xor(word, key);
                w.block.leave(sum, Some(fixed::STATE[0][column]));
            }
            let end = if shape == Shape::Paired { rounds - 2 } else { rounds - 1 };
            w.change("addi", fixed::KEY, i32::from(A0), 0);
            w.change("addi", fixed::END, i32::from(A0), 16 * end);
        })?;
        let [even, odd] = fixed::STATE;
        f.label("round");
        let last_state = if shape == Shape::Paired {
            f.block(false, |w| {
                let state = even.map(|r| w.block.enter(r));
                let next = lookup.round(w, &bases, state, &mut key(16));
                next.iter().zip(odd).for_each(|(&v, r)| w.block.leave(v, Some(r)));
            })?;
            f.branch("beq", fixed::KEY, fixed::END, "last");
            f.block(false, |w| {
                let state = odd.map(|r| w.block.enter(r));
                let next = lookup.round(w, &bases, state, &mut key(32));
                next.iter().zip(even).for_each(|(&v, r)| w.block.leave(v, Some(r)));
                w.change("addi", fixed::KEY, i32::from(fixed::KEY), 32);
            })?;
            f.jump("round");
            f.label("last");
            odd
        } else {
            f.block(false, |w| {
                let state = even.map(|r| w.block.enter(r));
                let next = lookup.round(w, &bases, state, &mut key(16));
                next.iter().zip(even).for_each(|(&v, r)| w.leave_in(v, r));
                w.change("addi", fixed::KEY, i32::from(fixed::KEY), 16);
            })?;
            f.branch("bne", fixed::KEY, fixed::END, "round");
            even
        };
        f.block(false, |w| {
            let state = last_state.map(|r| w.block.enter(r));
            let offset = if shape == Shape::Paired { 32 } else { 16 };
            let out = lookup.last(w, &bases, state, &mut key(offset));
            tail(w, out);
        })
    }

    /// Where round keys come from: memory, or the cipher key.
    pub fn source(&self, w: &mut Writer, bases: Bases) -> Source {
        if !self.fly {
            return Box::new(|w, round, column| {
                let key = w.lasting(A0);
                w.load("lw", key, (16 * round + 4 * column) as i32, None)
            });
        }
        let count = self.size.bytes() / 4;
        let key = w.lasting(A0);
        let words: Vec<i32> = (0..count).map(|k| w.load("lw", key, 4 * k as i32, None)).collect();
        let mut schedule = Schedule { lookup: self.lookup, size: self.size, bases, words };
        Box::new(move |w, round, column| schedule.word(w, 4 * round + column))
    }
}

/// The key expansion (FIPS-197, 5.2) as its words are asked for.
pub struct Schedule {
    /// For its S-box.
    pub lookup: Lookup,
    /// The size of the key.
    pub size: KeySize,
    /// Where the tables are.
    pub bases: Bases,
    /// The words so far.
    pub words: Vec<i32>,
}

impl Schedule {
    /// A word. Asked for in order.
    pub fn word(&mut self, w: &mut Writer, index: usize) -> i32 {
        while self.words.len() <= index {
            let (n, count) = (self.words.len(), self.size.bytes() / 4);
            let (old, last) = (self.words[n - count], self.words[n - 1]);
            let word = if n % count == 0 {
                let constant = (1..n / count).fold(1, |c, _| aesmith_cipher::block::xtime(c));
                let sum = w.with("xori", old, i32::from(constant));
                self.lookup.sub_word(w, &self.bases, sum, last, true)
            } else if count > 6 && n % count == 4 {
                self.lookup.sub_word(w, &self.bases, old, last, false)
            } else {
                w.xor(old, last)
            };
            self.words.push(word);
        }
        self.words[index]
    }
}
