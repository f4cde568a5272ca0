//! Block functions, and loops over blocks in CTR and CBC mode.
//!
//! | register | block function | modes |
//! |---|---|---|
//! | r5 | key | key |
//! | r6, r7 | in, out | iv, in |
//! | r8, r9 | | out, blocks left |
//!
//! A function with a loop keeps these, and the addresses of tables, in fixed registers; one without leaves them
//! to the allocation.

use crate::dimensions;
use aesmith_cipher::Task;
use aesmith_isa::assemble::Item;

use super::super::table::isa;
use super::function::{Function, Part, branch};
use super::rounds::{Keys, Rounds};
use super::tables::Table;
use super::writer::{Shape, Writer, region};
use aesmith_arrange::{Choice, Variant};

/// The registers of the state between rounds in a loop.
const STATE: [u8; 4] = [19, 20, 21, 22];
/// The value of the key pointer at the last round.
pub const END: u8 = 31;
/// The register that a branch tests.
pub(crate) const TEST: u8 = 18;
/// The register with the address of the round keys.
pub const KEY: i32 = 5;

/// Registers of a mode's pointers.
pub struct Pointers {
    iv: i32,
    input: i32,
    /// The address of the output.
    pub output: i32,
    left: i32,
}

/// A function in the making.
pub struct Modes<'a> {
    variant: &'a Variant,
    /// The implementation of byte accesses.
    pub shape: Shape,
    /// The implementation of rounds.
    pub rounds: Rounds,
    /// Its pointers.
    pub pointers: Pointers,
    /// The number of rounds.
    pub count: usize,
}

/// The function of a variant.
pub fn function(variant: &Variant, shape: Shape) -> Function {
    let direction = variant.problem.mode().direction;
    let words = if variant.is(dimensions::Technique::Table) {
        variant.choice().map_or(4, dimensions::Tables::number)
    } else {
        0
    };
    let rounds = Rounds { direction, words, bases: Vec::new(), sbox: 0 };
    let block = matches!(variant.problem.task, Task::Ecb(_));
    let pointers = if block {
        Pointers { iv: 0, input: 6, output: 7, left: 0 }
    } else {
        Pointers { iv: 6, input: 7, output: 8, left: 9 }
    };
    let count = variant.problem.key.rounds();
    let mut modes = Modes { variant, shape, rounds, pointers, count };
    let looped = variant.is(dimensions::Rounds::Looped);
    if variant.is(dimensions::Technique::Bitsliced) {
        return modes.sliced(block);
    }
    if block && !looped { modes.straight() } else { modes.with_loops(block, looped) }
}

impl Modes<'_> {
    /// A block function without loops.
    fn straight(&mut self) -> Function {
        let mut w = Writer::new(self.shape);
        let [key, input, output] = [5, 6, 7].map(|r| w.block.enter(r));
        self.pointers = Pointers { input, output, ..self.pointers };
        self.rounds.addresses(&mut w, None);
        let tables = self.rounds.tables();
        let mut keys = Keys::Memory(key, 0);
        if self.variant.is(dimensions::Schedule::Fly) {
            let size = self.variant.problem.key;
            let words = (0..size.bits() / 32).map(|i| keys.word(&mut w, i)).collect();
            keys = Keys::Fly(words, size, self.rounds.sbox);
        }
        let state = self.start(&mut w, &mut keys);
        let state = (1..self.count).fold(state, |s, r| self.rounds.round(&mut w, s, &mut keys, 4 * r));
        self.end(&mut w, state, &mut keys, 4 * self.count);
        self.function(vec![Part::Block(w.block)], tables, Vec::new(), Vec::new())
    }

    /// The function with these parts.
    pub fn function(
        &self,
        parts: Vec<Part>,
        tables: Vec<Table>,
        fixed: Vec<u8>,
        behind: Vec<Item>,
    ) -> Function {
        let scratch = self.shape.extract_by_memory || self.shape.join_by_stores;
        Function { parts, tables, fixed, scratch, behind }
    }

    fn with_loops(&mut self, block: bool, looped: bool) -> Function {
        let mut fixed: Vec<u8> = if block { vec![5, 7] } else { vec![5, 6, 7, 8, 9] };
        let bases: &[u8] = if block { &[8, 9, 10, 11, 12] } else { &[10, 11, 12, 3, 4] };
        let bases = &bases[..usize::from(self.rounds.words) + 1];
        fixed.extend(bases);
        if looped {
            fixed.extend(STATE);
            fixed.push(END);
        }
        if looped || !block {
            fixed.push(TEST);
        }
        let mut parts = Vec::new();
        let mut w = Writer::new(self.shape);
        self.rounds.addresses(&mut w, Some(bases));
        let tables = self.rounds.tables();
        let span = 16 * (self.count as i32 - 1);
        if looped {
            w.offset_in(i32::from(END), KEY, span);
        }
        if block {
            self.pointers.input = w.block.enter(6);
        } else {
            parts.push(Part::Block(std::mem::take(&mut w.block)));
            parts.push(Part::Items(vec![Item::Label(".Lblock".into())]));
            w = Writer::new(self.shape);
        }
        let mut keys = Keys::Memory(KEY, 0);
        let mut state = self.start(&mut w, &mut keys);
        if looped {
            w = self.round_loop(w, state, &mut parts);
            state = STATE.map(|r| w.block.enter(r));
            self.end(&mut w, state, &mut keys, 4);
            if !block {
                w.advance(KEY, -span);
            }
        } else {
            state = (1..self.count).fold(state, |s, r| self.rounds.round(&mut w, s, &mut keys, 4 * r));
            self.end(&mut w, state, &mut keys, 4 * self.count);
        }
        let behind = self.next_block(w, block, &mut parts);
        self.function(parts, tables, fixed, behind)
    }

    /// Ends a block, and continues with the next one of a message; returns the code to put after the function.
    pub fn next_block(&self, mut w: Writer, block: bool, parts: &mut Vec<Part>) -> Vec<Item> {
        let mut behind = Vec::new();
        if !block {
            w.advance(self.pointers.input, 16);
            w.advance(self.pointers.left, -1);
        }
        if self.variant.problem.task == Task::Ctr {
            behind = self.count_up(&mut w);
        }
        parts.push(Part::Block(w.block));
        if !behind.is_empty() {
            parts.push(Part::Items(vec![
                branch("beqi", Some(i32::from(TEST)), ".Lcarry"),
                Item::Label(".Lcounted".into()),
            ]));
        }
        if !block {
            let out = self.pointers.output;
            let slot = isa().insn("addik", &[("rd", out), ("ra", out), ("imm", 16)]);
            let (register, label) = (self.pointers.left, ".Lblock".to_owned());
            parts.push(Part::Branch { name: "bneid", register, label, slot: Some(slot) });
        }
        behind
    }

    /// Ends the block before the loop, and writes the loop; returns the writer for the code after it.
    fn round_loop(&self, mut w: Writer, state: [i32; 4], parts: &mut Vec<Part>) -> Writer {
        for (v, r) in state.into_iter().zip(STATE) {
            w.block.leave(v, Some(r));
        }
        parts.push(Part::Block(w.block));
        parts.push(Part::Items(vec![Item::Label(".Lround".into())]));
        let mut w = Writer::new(self.shape);
        let state = STATE.map(|r| w.block.enter(r));
        let state = self.rounds.round(&mut w, state, &mut Keys::Memory(KEY, 0), 4);
        for (v, r) in state.into_iter().zip(STATE) {
            w.block.leave(v, Some(r));
        }
        Self::next_round(w, 16, parts);
        Writer::new(self.shape)
    }

    /// Ends a round of a loop: advances the key by `bytes` bytes.
    pub(crate) fn next_round(mut w: Writer, bytes: i32, parts: &mut Vec<Part>) {
        w.advance(KEY, bytes);
        let test = w.two("rsubk", KEY, i32::from(END));
        w.block.leave(test, Some(TEST));
        parts.push(Part::Block(w.block));
        parts.push(Part::Branch {
            name: "bneid",
            register: i32::from(TEST),
            label: ".Lround".into(),
            slot: None,
        });
    }

    /// The state before the first round.
    fn start(&self, w: &mut Writer, keys: &mut Keys) -> [i32; 4] {
        let text = self.text(w);
        std::array::from_fn(|j| {
            let key = keys.word(w, j);
            w.xor(text[j], key)
        })
    }

    /// The input of the cipher.
    pub fn text(&self, w: &mut Writer) -> [i32; 4] {
        let Pointers { iv, input, .. } = self.pointers;
        std::array::from_fn(|j| {
            let at = 4 * j as i32;
            let (text, vector) = (Some(region::TEXT), Some(region::IV));
            match self.variant.problem.task {
                Task::Ctr => w.load("lwi", iv, at, vector),
                Task::CbcEncrypt { .. } => {
                    let (word, chain) = (w.load("lwi", input, at, text), w.load("lwi", iv, at, vector));
                    w.xor(word, chain)
                }
                _ => w.load("lwi", input, at, text),
            }
        })
    }

    /// The last round, and the stores after it.
    fn end(&self, w: &mut Writer, state: [i32; 4], keys: &mut Keys, first: usize) {
        let state = self.rounds.last(w, state, keys, first);
        self.stored(w, state);
    }

    /// Stores the output for the cipher's result.
    pub fn stored(&self, w: &mut Writer, state: [i32; 4]) {
        let Pointers { iv, input, output, .. } = self.pointers;
        let mut state = state;
        let task = self.variant.problem.task;
        let mut vector = state;
        for j in 0..4 {
            let at = 4 * j as i32;
            if matches!(task, Task::Ctr | Task::CbcDecrypt) {
                // In CBC decryption it is the ciphertext, which becomes the next vector.
                vector[j] = w.load("lwi", input, at, Some(region::TEXT));
            }
            let mask = match task {
                Task::Ctr => vector[j],
                Task::CbcDecrypt => w.load("lwi", iv, at, Some(region::IV)),
                _ => continue,
            };
            state[j] = w.xor(state[j], mask);
        }
        for j in 0..4 {
            if matches!(task, Task::CbcDecrypt | Task::CbcEncrypt { .. }) {
                w.store("swi", vector[j], iv, 4 * j as i32, region::IV);
            }
            w.store("swi", state[j], output, 4 * j as i32, region::TEXT);
        }
    }

    /// Increments the counter's last byte; returns the code that carries into the others, to put after the
    /// function.
    fn count_up(&self, w: &mut Writer) -> Vec<Item> {
        let iv = self.pointers.iv;
        let byte = w.load("lbui", iv, 15, Some(region::IV));
        let next = w.number("addik", byte, 1);
        w.store("sbi", next, iv, 15, region::IV);
        let test = w.number("andi", next, 0xff);
        w.block.leave(test, Some(TEST));
        let isa = isa();
        let test = i32::from(TEST);
        let mut items = vec![Item::Label(".Lcarry".into())];
        for at in (0..15).rev() {
            let memory = |name| Item::Insn(isa.insn(name, &[("rd", test), ("ra", iv), ("imm", at)]));
            let number = |name, imm| Item::Insn(isa.insn(name, &[("rd", test), ("ra", test), ("imm", imm)]));
            items.extend([memory("lbui"), number("addik", 1), memory("sbi"), number("andi", 0xff)]);
            if at > 0 {
                items.push(branch("bnei", Some(test), ".Lcounted"));
            }
        }
        items.push(branch("bri", None, ".Lcounted"));
        items
    }
}
