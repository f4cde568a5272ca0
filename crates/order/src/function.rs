//! Functions assembled from arranged blocks and the code between them, with the frame that they need.
//!
//! ```text
//! stack pointer   the header that the convention requires at the bottom of a frame
//!                 the function's own words
//!                 spilled values
//!                 registers saved for the caller
//! ```

mod turns;

use std::collections::BTreeSet;

use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};

use crate::inorder::block::insn;
use crate::inorder::{Arranged, Block, Constraints, Search, Spill, arrange};
use crate::modulo;

/// The maximum number of spilled values.
const SLOTS: usize = 16;
/// The size of frames is a multiple of this number of bytes, as all conventions require.
const FRAME: i32 = 16;

pub use turns::Loop;

/// The properties of a processor that functions need.
pub trait Target {
    /// The instruction table.
    fn isa(&self) -> &'static Isa;

    /// The timing table.
    fn timing(&self) -> &'static Timing;

    /// Registers that a function may change without saving them; those that are no arguments come first.
    fn volatile(&self) -> &'static [u8];

    /// Callee-saved registers.
    fn saved(&self) -> &'static [u8];

    /// The stack pointer.
    fn stack_pointer(&self) -> i32;

    /// The offset in bytes from the stack pointer to the function's own part of a frame.
    fn frame_header(&self) -> i32;

    /// The difference between the frame's start and the stack pointer, in bytes.
    fn bias(&self) -> i32 {
        0
    }

    /// Size in bytes of a register in the frame.
    fn slot(&self) -> i32 {
        4
    }

    /// True if every function has a frame, because the registers of its window are one.
    fn always_frames(&self) -> bool {
        false
    }

    /// Creates a frame of `bytes` bytes, or removes it.
    fn frame(&self, bytes: i32, make: bool) -> Vec<Item>;

    /// Moves a register to or from the frame, to spill and reload values; `None` if the processor's functions do not
    /// spill.
    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn>;

    /// Size in bytes, and alignment, of a callee-saved register in the frame.
    fn room(&self, _register: u8) -> i32 {
        self.slot()
    }

    /// Moves a callee-saved register to or from the frame.
    fn save(&self, register: u8, at: i32, store: bool) -> Vec<Insn> {
        self.spill(i32::from(register), at, store).into_iter().collect()
    }

    /// The fillers for the halves of aligned pairs, where instructions issue together only in such pairs; see
    /// [`Constraints::idle`].
    fn pairs(&self) -> Option<[Insn; 2]> {
        None
    }

    /// A jump to a label.
    fn jump(&self, label: &str) -> Item;

    /// A hint, an instruction of the second half of a pair, that the branch at a distance in bytes goes to a label,
    /// where instructions issue as aligned pairs; see [`aesmith_isa::timing::Hint`].
    fn hint(&self, _distance: i32, _label: &str) -> Option<Item> {
        None
    }

    /// The filler for a branch's delay slot; `None` where there is no such slot.
    fn idle(&self) -> Option<Insn> {
        None
    }

    /// The return instructions.
    fn leave(&self) -> Vec<Item>;

    /// Registers of arguments, in order.
    fn arguments(&self) -> &'static [u8];
}

/// A function under construction.
pub struct Function<'t, T: Target + ?Sized> {
    target: &'t T,
    symbol: String,
    search: Option<Search>,
    /// Registers that hold values across blocks.
    pub fixed: Vec<u8>,
    /// The number of words of the frame for the function's own use.
    pub words: i32,
    slots: usize,
    items: Vec<Item>,
    behind: Vec<Item>,
    used: BTreeSet<u8>,
    floor: Vec<Insn>,
    /// True while the blocks of a message's loop are being added; the next is true once they have been.
    turns: bool,
    whole: bool,
    /// The blocks of the iteration that is being added.
    turn_blocks: Vec<Block>,
    /// The longest loop-carried chain of dependences, in cycles.
    recurrence: f64,
}

impl<'t, T: Target + ?Sized> Function<'t, T> {
    /// An empty function. Without a search its blocks are only counted: they are neither ordered nor given registers.
    pub fn new(target: &'t T, symbol: &str, search: Option<Search>) -> Function<'t, T> {
        Function {
            target,
            symbol: symbol.into(),
            search,
            fixed: Vec::new(),
            words: 0,
            slots: 0,
            items: Vec::new(),
            behind: Vec::new(),
            used: BTreeSet::new(),
            floor: Vec::new(),
            turns: false,
            whole: false,
            turn_blocks: Vec::new(),
            recurrence: 0.0,
        }
    }

    /// The processor.
    pub fn target(&self) -> &'t T {
        self.target
    }

    /// Reserves a free register for a value that stays in it.
    ///
    /// # Errors
    /// No register is left.
    pub fn keep(&mut self) -> Result<u8, String> {
        let target = self.target;
        self.keep_of(target.saved().iter().chain(target.volatile()), |_| true)
    }

    /// Reserves a free register among those that fit; prefers one that need not be saved.
    ///
    /// # Errors
    /// No register is left.
    pub fn keep_where(&mut self, fits: impl Fn(u8) -> bool) -> Result<u8, String> {
        let target = self.target;
        self.keep_of(target.volatile().iter().chain(target.saved()), fits)
    }

    fn keep_of<'r>(
        &mut self,
        mut all: impl Iterator<Item = &'r u8>,
        fits: impl Fn(u8) -> bool,
    ) -> Result<u8, String> {
        let is_free = |r: u8| !self.fixed.contains(&r) && !self.target.arguments()[..5].contains(&r);
        let free = all.find(|&&r| is_free(r) && fits(r));
        let register = *free.ok_or("no register is left for a value that stays from block to block")?;
        self.fixed.push(register);
        Ok(register)
    }

    /// The offset in bytes of a word of the frame from the stack pointer.
    pub fn word(&self, number: i32) -> i32 {
        self.target.frame_header() + self.target.slot() * number
    }

    /// Orders a block, gives it registers and adds it.
    ///
    /// # Errors
    /// There are too few registers.
    pub fn add(&mut self, block: &Block) -> Result<(), String> {
        self.counts_block(block);
        let Some(search) = self.search else { return Ok(()) };
        let target = self.target;
        let arranged = self
            .constrained(|constraints| arrange(target.isa(), block, constraints, target.timing(), search))?;
        self.put(arranged);
        Ok(())
    }

    /// Calls `ask` with the constraints of the function's blocks.
    fn constrained<R>(&self, ask: impl FnOnce(&Constraints) -> R) -> R {
        let target = self.target;
        let all = target.volatile().iter().chain(target.saved());
        let free: Vec<u8> = all.copied().filter(|r| !self.fixed.contains(r)).collect();
        let from = self.word(self.words);
        let place = |slot: usize| from + target.slot() * slot as i32;
        let spilled = |slot: usize, r: i32, store: bool| {
            target.spill(r, place(slot), store).expect("asked only where values are spilled")
        };
        let (store, load) =
            (|slot: usize, r: i32| spilled(slot, r, true), |slot: usize, r: i32| spilled(slot, r, false));
        let spills = target.spill(i32::from(target.volatile()[0]), from, true).is_some();
        ask(&Constraints {
            free: &free,
            unmarked_is_constant: true,
            spill: spills.then_some(Spill { store: &store, load: &load, slots: SLOTS }),
            idle: target.pairs(),
            ..Constraints::default()
        })
    }

    /// Appends an arranged block.
    fn put(&mut self, arranged: Arranged) {
        self.align();
        self.slots = self.slots.max(arranged.slots);
        self.used.extend(arranged.used);
        self.items.extend(arranged.items);
    }

    /// Pads to the start of a pair, where instructions issue in aligned pairs.
    fn align(&mut self) {
        if let Some([_, second]) = self.target.pairs()
            && self.items.iter().filter(|item| insn(item).is_some()).count() % 2 == 1
        {
            self.items.push(Item::Insn(second));
        }
    }

    /// The label for a name in this function.
    pub fn place(&self, name: &str) -> String {
        format!(".L{}_{name}", self.symbol)
    }

    /// Adds a label here.
    pub fn label(&mut self, name: &str) {
        self.align();
        let place = self.place(name);
        self.items.push(Item::Label(place));
    }

    /// Adds items unchanged.
    pub fn items(&mut self, items: Vec<Item>) {
        self.counts(items.iter());
        self.items.extend(items);
    }

    /// Adds items that end in a branch. If the branch has a delay slot, the last instruction before these items moves
    /// there, provided that it changes nothing that they read.
    pub fn branch(&mut self, items: Vec<Item>) {
        let Some(idle) = self.target.idle() else { return self.items(items) };
        let isa = self.target.isa();
        let registers = |insn: &Insn, fields: &[(u8, bool)]| -> Vec<i32> {
            fields.iter().map(|&(place, _)| insn.fields[usize::from(place)]).collect()
        };
        let is_free = |before: &Insn| {
            let effects = &isa.of(before).effects;
            let written = registers(before, &effects.written_fields);
            let reads = |item: &Item| {
                insn(item).is_some_and(|of| {
                    registers(of, &isa.of(of).effects.read_fields).iter().any(|r| written.contains(r))
                })
            };
            effects.writes.is_empty() && !effects.jumps && !items.iter().any(reads)
        };
        let after_branch = |at: usize| {
            at > 0 && insn(&self.items[at - 1]).is_some_and(|before| isa.of(before).effects.jumps)
        };
        let moved = match self.items.last() {
            Some(Item::Insn(last)) if is_free(last) && !after_branch(self.items.len() - 1) => {
                self.items.pop()
            }
            _ => None,
        };
        self.counts(items.iter());
        self.items.extend(items);
        self.items.push(moved.unwrap_or(Item::Insn(idle)));
    }

    /// Begins the code that runs for each block of a message, or ends it at the second call. In a function with such a
    /// loop, only the loop counts.
    pub fn turn(&mut self) {
        if self.turns {
            self.whole = true;
            // With several blocks, one may restart a chain that another ends.
            if let [block] = self.turn_blocks.as_slice() {
                let target = self.target;
                let found = self.constrained(|constraints| {
                    modulo::bounds::recurrence(target.isa(), block, constraints, target.timing())
                });
                self.recurrence = self.recurrence.max(found.unwrap_or(0.0));
            }
        } else {
            self.floor.clear();
            self.recurrence = 0.0;
        }
        self.turn_blocks.clear();
        self.turns = !self.turns;
    }

    fn counts<'i>(&mut self, items: impl Iterator<Item = &'i Item>) {
        if self.turns || !self.whole {
            self.floor.extend(items.filter_map(insn).copied());
        }
    }

    fn counts_block(&mut self, block: &Block) {
        self.counts(block.pieces.iter().map(|piece| &piece.item));
        if self.turns {
            self.turn_blocks.push(block.clone());
        }
    }

    /// Puts the code that `write` adds after the function's return. It is code for rare cases, such as the carry of a
    /// counter, and bounds do not count it: there are calls that do not execute it.
    ///
    /// # Errors
    /// The errors of `write`.
    pub fn behind(&mut self, write: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let from = self.items.len();
        let counted = (self.floor.len(), self.turn_blocks.len());
        write(self)?;
        self.floor.truncate(counted.0);
        self.turn_blocks.truncate(counted.1);
        let moved = self.items.split_off(from);
        self.behind.extend(moved);
        Ok(())
    }

    /// The counted instructions, before spilling: those of its blocks, or only those that a message's block executes.
    pub fn floor(&self) -> &[Insn] {
        &self.floor
    }

    /// A lower bound in cycles for any order of its instructions: the time of the units and the issue width, and, in a
    /// loop with one block, the loop-carried chains of dependences.
    pub fn bound(&self) -> f64 {
        let target = self.target;
        target.timing().resources(target.isa(), &self.floor).max(self.recurrence)
    }

    /// Completes the function with its frame and returns it as a section.
    pub fn finish(mut self, code: u64) -> Section {
        let target = self.target;
        let kept: Vec<u8> = target
            .saved()
            .iter()
            .copied()
            .filter(|r| self.used.contains(r) || self.fixed.contains(r))
            .collect();
        let mut end = self.word(self.words + self.slots as i32);
        let mut places = Vec::new();
        for &r in &kept {
            let room = target.room(r);
            end += (target.bias() - end).rem_euclid(room);
            places.push((r, end));
            end += room;
        }
        let frame = if target.always_frames() || end > target.frame_header() {
            (end - target.bias() + FRAME - 1) / FRAME * FRAME
        } else {
            0
        };
        let moves = |store: bool| -> Vec<Item> {
            let each = places.iter().flat_map(|&(r, at)| target.save(r, at, store));
            each.map(Item::Insn).collect()
        };
        let (mut begin, mut end) = (Vec::new(), Vec::new());
        if frame > 0 {
            begin.extend(target.frame(frame, true));
            begin.extend(moves(true));
            end.extend(moves(false));
            end.extend(target.frame(frame, false));
        }
        let mut items = std::mem::replace(&mut self.items, begin);
        self.align();
        self.items.append(&mut items);
        self.items.append(&mut end);
        self.items.extend(target.leave());
        self.items.append(&mut self.behind);
        self.items.insert(0, Item::Label(self.symbol));
        Section { name: ".text", address: code, writable: false, items: self.items }
    }
}
