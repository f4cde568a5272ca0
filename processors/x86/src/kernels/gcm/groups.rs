//! Groups of registers: their key stream and text, and the ciphertext that GHASH absorbs meanwhile.

use super::counters::Counting;
use super::products::Middle;
use super::{AT_ONCE, COUNTER, KEY_NOW, Writer};
use crate::kernels::fixed::{INPUT, OUTPUT, Vectors};
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_cipher::mode::Hashed;
use aesmith_dataflow::Round;
use aesmith_order::Reg;
use iced_x86::Register;
use std::ops::Range;

/// Groups of registers of text, each with one reduction of GHASH.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) registers: usize,
    pub(super) counting: Counting,
    pub(super) middle: Middle,
}

impl Group {
    /// These groups with counters from numbers.
    pub(super) fn swapped(self) -> Group {
        Group { counting: Counting::Swapped, ..self }
    }
}

/// Two pieces of code that share no register that either writes, evenly mixed.
fn mixed(a: Vectors, b: Vectors) -> Vectors {
    let (total, mut code) = (a.len() + b.len(), Vectors::new());
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    let part = a.len();
    for k in 0..total {
        let is_first = (k + 1) * part / total > k * part / total;
        let next = if is_first { a.next().or_else(|| b.next()) } else { b.next().or_else(|| a.next()) };
        code.extend(next);
    }
    code
}

/// The registers of a group's blocks: a larger group takes turns on them.
#[derive(Clone, Copy)]
pub(super) struct Bank {
    pub(super) registers: usize,
    /// The registers whose rounds alternate.
    pub(super) at_once: usize,
}

impl Bank {
    /// The most registers that there is room for, so that all turns have about as many.
    pub(super) fn of(group: usize, room: usize) -> Bank {
        let at_once = group.div_ceil(group.div_ceil(room.min(2 * AT_ONCE)));
        Bank { registers: at_once, at_once }
    }
}

impl Writer {
    /// True if GHASH absorbs a group of ciphertext while the next one is made.
    pub(super) fn lags(&self) -> bool {
        self.hashed == Some(Hashed::Output)
    }

    /// The output of one group, mixed with products of that before if they lag, else of its own ciphertext.
    pub(super) fn parts(&mut self, group: &Group) -> Vectors {
        let (cipher, kept) = (self.output(group), self.kept(group.registers));
        let absorbed = self.absorb_group(group);
        if self.lags() {
            [mixed(cipher, absorbed), kept].concat()
        } else {
            [kept, mixed(cipher, absorbed)].concat()
        }
    }

    /// The first group if GHASH lags, which absorbs nothing yet.
    pub(super) fn first_group(&mut self, group: &Group) {
        let (cipher, kept) = (self.output(group), self.kept(group.registers));
        self.to.write([cipher, kept].concat());
    }

    /// The register of a register of blocks of a group.
    pub(super) fn block(&self, k: usize) -> u8 {
        self.blocks + (k % self.bank.registers) as u8
    }

    /// The register of the ciphertext to absorb.
    pub(super) fn absorbed(&self, k: usize) -> u8 {
        if self.reads { self.absorbed } else { self.absorbed + k as u8 }
    }

    /// The key stream of some registers of a group, in those of the blocks. Counters from numbers advance behind each register;
    /// behind the last one if it `advances`.
    pub(super) fn stream(&mut self, registers: Range<usize>, counting: Counting, advances: bool) -> Vectors {
        let mut code = Vectors::new();
        match counting {
            Counting::Swapped => {
                let step = Src::Constant(self.numbers(self.to.lanes as u32));
                for k in registers.clone() {
                    code.push(self.reversed(self.block(k), COUNTER));
                    let goes_on = advances || k + 1 < registers.end;
                    code.extend(goes_on.then(|| self.to.op(Operation::Add32, COUNTER, COUNTER, step)));
                }
            }
            Counting::Added => {}
            Counting::Cached(common) => {
                let state = |k| self.to.op(Operation::Xor, self.block(k), common, self.entry_of_states(k));
                code.extend(registers.clone().map(state));
            }
        }
        for round in counting.first_round()..=self.rounds {
            let key = self.to.round_key(round, KEY_NOW, &mut code);
            let operation = match round {
                0 => Operation::Xor,
                _ if round == self.rounds => Operation::Aes(Round::EncryptLast),
                _ => Operation::Aes(Round::Encrypt),
            };
            let of = |k| self.to.op(operation, self.block(k), self.block(k), key);
            code.extend(registers.clone().map(of));
        }
        code
    }

    /// The output of one group, stored.
    pub(super) fn output(&mut self, group: &Group) -> Vectors {
        let mut code = Vectors::new();
        for turn in (0..group.registers).step_by(self.bank.registers) {
            let turn = turn..group.registers.min(turn + self.bank.registers);
            code.extend(self.counters(group, turn.clone()));
            for begin in turn.clone().step_by(self.bank.at_once) {
                let some = begin..turn.end.min(begin + self.bank.at_once);
                code.extend(self.stream(some.clone(), group.counting, true));
                for k in some {
                    let (block, at) = (self.block(k), k as i32 * bytes(self.to.lanes));
                    code.push(self.to.op(Operation::Xor, block, block, Src::Mem(INPUT, at, true)));
                    let to = Src::Mem(OUTPUT, at, true);
                    code.push(Vector::store(Operation::Store, self.to.lanes, Reg::Fixed(block), to));
                }
            }
        }
        code
    }

    /// The ciphertext of a group with its bytes reversed, in the registers to absorb; nothing if it is read again.
    pub(super) fn kept(&self, registers: usize) -> Vectors {
        let text = |k: usize| {
            let to = self.absorbed(k);
            match self.hashed {
                Some(Hashed::Output) => vec![self.reversed(to, self.block(k))],
                _ => self.read(k as i32 * bytes(self.to.lanes), INPUT, to),
            }
        };
        (0..registers).filter(|_| !self.reads).flat_map(text).collect()
    }

    /// Text with its bytes reversed.
    pub(super) fn read(&self, at: i32, text: Register, to: u8) -> Vectors {
        vec![self.to.load(to, Src::Mem(text, at, true)), self.reversed(to, to)]
    }

    /// The ciphertext of a register of a group, read again: of the group before, if GHASH lags.
    pub(super) fn read_again(&self, group: &Group, k: usize) -> Vectors {
        let at = k as i32 * bytes(self.to.lanes);
        match self.lags() {
            true => self.read(at - group.registers as i32 * bytes(self.to.lanes), OUTPUT, self.absorbed),
            false => self.read(at, INPUT, self.absorbed),
        }
    }

    /// The key stream of the next register, which no other follows at once.
    pub(super) fn last_stream(&mut self, advances: bool) -> Vectors {
        self.stream(0..1, Counting::Swapped, advances)
    }

    /// Groups of fewer registers, for what the main loop leaves.
    pub(super) fn fewer(&self, registers: usize) -> Group {
        Group { registers, counting: Counting::Swapped, middle: self.rest }
    }
}
