//! The rounds of a block, unrolled or in loops.

use std::collections::HashMap;

use aesmith_cipher::block::SBOX;
use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_extension::order::Order;
use aesmith_isa::assemble::Item;

use super::custom::Operand;
use super::function::Function;
use super::lookup::{Bases, Lookup, Needs, TABLES, Technique};
use super::order;
use super::schedule::Schedule;
use super::writer::Writer;
use super::writer::register::A0;

/// The loop structure of rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// No loop.
    Unrolled,
    /// A loop of two rounds, with an exit in the middle.
    Paired,
    /// A loop of one round, which moves the state back.
    Looped,
}

/// Registers that hold values across blocks of code.
pub mod fixed {
    /// The tables.
    pub const TABLE: u8 = 31;
    /// 0x80808080.
    pub(crate) const TOPS: u8 = 30;
    /// 0x1b1b1b1b.
    pub(crate) const FOLDS: u8 = 29;
    /// The round key.
    pub const KEY: u8 = 28;
    /// The end of a loop: the address of its last round key.
    pub const END: u8 = 7;
    /// The state.
    pub const STATE: [u8; 4] = [5, 6, 15, 16];
    /// The state after an odd round.
    pub const ODD: [u8; 4] = [8, 9, 18, 19];
    /// Like [`ODD`] if the bases are not needed: no callee-saved register.
    pub(crate) const ODD_WITHOUT_BASES: [u8; 4] = [29, 30, 31, 17];
}

/// Provides the word of a round key, by round and column.
pub type Source = Box<dyn FnMut(&mut Writer, usize, usize) -> Operand>;

/// The parameters of a cipher.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The size of the key.
    pub size: KeySize,
    /// Technique and direction.
    pub lookup: Lookup,
    /// Shape.
    pub shape: Shape,
    /// True if round keys are expanded from the cipher key during the rounds.
    pub fly: bool,
}

impl Plan {
    /// The bases that are needed.
    fn needs(&self) -> Needs {
        let rounds = self.lookup.needs();
        if self.fly { rounds.or(self.scheduled().schedule_needs(self.lookup.direction)) } else { rounds }
    }

    /// The lookup for key expansion during the rounds: its S-box is that of the cipher, which tables of the
    /// inverse cipher do not contain.
    fn scheduled(&self) -> Lookup {
        let technique = match (self.lookup.technique, self.lookup.direction) {
            (Technique::Four(_) | Technique::Two | Technique::One, Direction::Decrypt) => Technique::Sbox,
            (technique, _) => technique,
        };
        Lookup { technique, direction: Direction::Encrypt }
    }

    /// True if that S-box is a table after those of the rounds.
    fn appends(&self) -> bool {
        let has_none = self.lookup.tables().is_empty();
        let needs = self.scheduled().schedule_needs(self.lookup.direction);
        self.fly && needs.table && (has_none || self.lookup.direction == Direction::Decrypt)
    }

    /// The tables' contents.
    pub fn tables(&self) -> Vec<Item> {
        let mut tables = self.lookup.tables();
        if self.appends() {
            tables.push(Item::Bytes(SBOX.to_vec()));
        }
        tables
    }

    /// Registers that are live throughout, besides arguments.
    pub fn lasting(&self) -> Vec<u8> {
        let Needs { table, mix } = self.needs();
        let mut all = Vec::new();
        if table {
            all.push(fixed::TABLE);
        }
        if mix {
            all.extend([fixed::TOPS, fixed::FOLDS]);
        }
        if self.shape != Shape::Unrolled {
            all.extend([fixed::KEY, fixed::END]);
        }
        all
    }

    /// Loads the bases into their fixed registers; leaves the arguments unchanged.
    pub fn set_up(&self, f: &mut Function, arguments: &[u8]) -> Result<(), String> {
        let (lookup, needs) = (self.lookup, self.needs());
        if needs == Needs::default() {
            return Ok(());
        }
        f.block_before(arguments, |w| lookup.bases(w, needs).last(w, needs))
    }

    /// All rounds from `first` on, from the given state before it, in the same block.
    pub fn rest(
        &self,
        w: &mut Writer,
        bases: &Bases,
        first: usize,
        state: [i32; 4],
        keys: &mut dyn FnMut(&mut Writer, usize, usize) -> Operand,
    ) -> [i32; 4] {
        let last = self.size.rounds();
        let mut state = state;
        for round in first..last {
            state = self.lookup.round(w, bases, state, &mut |w, column| keys(w, round, column));
        }
        self.lookup.last(w, bases, state, &mut |w, column| keys(w, last, column))
    }

    /// A block: `head` provides the text before the first round key, `tail` takes the result. With `alone`, the
    /// function contains nothing else.
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
                let bases = if alone { lookup.bases(w, lookup.needs()) } else { Bases::fixed() };
                let text = head(w);
                let text = lookup.enter(w, text);
                let mut source = self.source(w, bases);
                let state = std::array::from_fn(|column| {
                    let key = source(w, 0, column).word;
                    w.xor(text[column], key)
                });
                let out = self.rest(w, &bases, 1, state, &mut source);
                let out = lookup.leave(w, out);
                tail(w, out);
            });
        }
        let bases = Bases::fixed();
        let rounds = self.size.rounds() as i32;
        let key = |offset: i32| {
            move |w: &mut Writer, column: usize| {
                let at = offset + lookup.key_place(column);
                Operand::spent(w.load("lw", i32::from(fixed::KEY), at, None))
            }
        };
        f.block(false, |w| {
            let text = head(w);
            let text = lookup.enter(w, text);
            for (column, &word) in text.iter().enumerate() {
                let key = w.load("lw", i32::from(A0), lookup.key_place(column), None);
                let sum = w.xor(word, key);
                w.block.leave(sum, Some(fixed::STATE[column]));
            }
            let end = if shape == Shape::Paired { rounds - 2 } else { rounds - 1 };
            w.change("addi", fixed::KEY, i32::from(A0), 0);
            w.change("addi", fixed::END, i32::from(A0), 16 * end);
        })?;
        let even = fixed::STATE;
        let odd = if self.needs() == Needs::default() { fixed::ODD_WITHOUT_BASES } else { fixed::ODD };
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
            let out = lookup.leave(w, out);
            tail(w, out);
        })
    }

    /// The source of round keys: memory, or the cipher key.
    pub fn source(&self, w: &mut Writer, bases: Bases) -> Source {
        if !self.fly {
            let lookup = self.lookup;
            return Box::new(move |w, round, column| {
                let key = w.lasting(A0);
                Operand::spent(w.load("lw", key, 16 * round as i32 + lookup.key_place(column), None))
            });
        }
        let direction = self.lookup.direction;
        let lookup = self.scheduled();
        let mut needs = lookup.schedule_needs(direction);
        let mut own = bases;
        let rounds = self.lookup.needs();
        if self.appends() {
            own.table = w.address(TABLES, self.lookup.tables().iter().map(bytes).sum());
        }
        if needs.mix && !rounds.mix {
            needs.table = false;
            own = Bases { table: own.table, ..lookup.bases(w, needs) };
        }
        let count = self.size.bytes() / 4;
        let key = w.lasting(A0);
        let words: Vec<i32> = (0..count).map(|k| w.load("lw", key, 4 * k as i32, None)).collect();
        let mut schedule = Schedule::new(lookup, self.size, own, &words);
        if direction == Direction::Decrypt {
            schedule.turn(w);
        }
        let order = self.lookup.order();
        if order == Order::default() {
            return Box::new(move |w, round, column| {
                Operand::kept(schedule.key(w, direction, round, column))
            });
        }
        let together = order.together();
        let mut made: HashMap<(usize, usize), Vec<i32>> = HashMap::new();
        Box::new(move |w, round, word| {
            let place = order.in_memory(word);
            let first = place - place % together;
            let words = made.entry((round, first)).or_insert_with(|| {
                let of = |column| schedule.key(w, direction, round, column);
                let columns: Vec<i32> = (first..first + together).map(of).collect();
                order::keyed(w, order, &columns)
            });
            Operand::spent(words[place - first])
        })
    }
}

/// The size of a table.
fn bytes(table: &Item) -> i64 {
    match table {
        Item::Bytes(bytes) => bytes.len() as i64,
        _ => 0,
    }
}
