//! A function put together from arranged blocks and what stands between them, with the frame that it needs.
//!
//! ```text
//! stack pointer   what the convention wants at the bottom of a frame
//!                 the function's own words
//!                 values spilled
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

/// How many values may be spilled.
const SLOTS: usize = 16;
/// Frames are multiples of so many bytes, as all conventions ask for.
const FRAME: i32 = 16;

pub use turns::Loop;

/// A processor as far as functions need it.
pub trait Target {
    /// Its instructions.
    fn isa(&self) -> &'static Isa;

    /// Its timing.
    fn timing(&self) -> &'static Timing;

    /// Registers that a function may change without saving them, those first that are no arguments.
    fn volatile(&self) -> &'static [u8];

    /// Registers that it must leave as they were.
    fn saved(&self) -> &'static [u8];

    /// The stack pointer.
    fn stack_pointer(&self) -> i32;

    /// Where the function's own part of a frame begins, from the stack pointer.
    fn frame_header(&self) -> i32;

    /// Bytes from the stack pointer to the frame's begin.
    fn bias(&self) -> i32 {
        0
    }

    /// Bytes of a register in the frame.
    fn slot(&self) -> i32 {
        4
    }

    /// Whether every function has a frame: the registers of its window are that.
    fn always_frames(&self) -> bool {
        false
    }

    /// Makes a frame of so many bytes, and the same undone.
    fn frame(&self, bytes: i32, make: bool) -> Vec<Item>;

    /// Moves a register to or from the frame: how values are spilled, if they are at all.
    fn spill(&self, register: i32, at: i32, store: bool) -> Option<Insn>;

    /// Bytes that a register saved for the caller takes in the frame, at a multiple of that.
    fn room(&self, _register: u8) -> i32 {
        self.slot()
    }

    /// Moves a register that is saved for the caller to or from the frame.
    fn save(&self, register: u8, at: i32, store: bool) -> Vec<Insn> {
        self.spill(i32::from(register), at, store).into_iter().collect()
    }

    /// Where instructions issue together only as aligned pairs: what stands in a half that has none, see
    /// [`Constraints::idle`].
    fn pairs(&self) -> Option<[Insn; 2]> {
        None
    }

    /// A jump to a label.
    fn jump(&self, label: &str) -> Item;

    /// Where instructions issue as aligned pairs, one of the second half that says of the branch at a distance in bytes that it
    /// goes to a label, see [`aesmith_isa::timing::Hint`].
    fn hint(&self, _distance: i32, _label: &str) -> Option<Item> {
        None
    }

    /// What stands in the delay slot of a branch if nothing else can; nothing where there is no such slot.
    fn idle(&self) -> Option<Insn> {
        None
    }

    /// The return.
    fn leave(&self) -> Vec<Item>;

    /// Registers of arguments, in order.
    fn arguments(&self) -> &'static [u8];
}

/// A function in the making.
pub struct Function<'t, T: Target + ?Sized> {
    target: &'t T,
    symbol: String,
    search: Option<Search>,
    /// Registers that hold something from block to block.
    pub fixed: Vec<u8>,
    /// Words of the frame for the function's own use.
    pub words: i32,
    slots: usize,
    items: Vec<Item>,
    behind: Vec<Item>,
    used: BTreeSet<u8>,
    floor: Vec<Insn>,
    /// Whether each block of a message is being written, and whether that was written.
    turns: bool,
    whole: bool,
    /// The blocks of the turn that is being written.
    turn_blocks: Vec<Block>,
    /// The longest chain of dependences from a turn to the next, in cycles.
    recurrence: f64,
}

impl<'t, T: Target + ?Sized> Function<'t, T> {
    /// An empty function. Without a search its blocks are only counted: neither order nor registers are looked for.
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

    /// A register that nothing is in yet, for a value that stays.
    ///
    /// # Errors
    /// There is none left.
    pub fn keep(&mut self) -> Result<u8, String> {
        let target = self.target;
        self.keep_of(target.saved().iter().chain(target.volatile()), |_| true)
    }

    /// The same, of those that fit; one that need not be saved if there is any.
    ///
    /// # Errors
    /// There is none left.
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

    /// Where a word of the frame is, from the stack pointer.
    pub fn word(&self, number: i32) -> i32 {
        self.target.frame_header() + self.target.slot() * number
    }

    /// Adds a block.
    ///
    /// # Errors
    /// Registers do not suffice.
    pub fn add(&mut self, block: &Block) -> Result<(), String> {
        self.counts_block(block);
        let Some(search) = self.search else { return Ok(()) };
        let target = self.target;
        let arranged = self
            .constrained(|constraints| arrange(target.isa(), block, constraints, target.timing(), search))?;
        self.put(arranged);
        Ok(())
    }

    /// Asks with the constraints of the function's blocks.
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

    /// Puts an arranged block here.
    fn put(&mut self, arranged: Arranged) {
        self.align();
        self.slots = self.slots.max(arranged.slots);
        self.used.extend(arranged.used);
        self.items.extend(arranged.items);
    }

    /// Fills up to the begin of a pair, where instructions issue in such.
    fn align(&mut self) {
        if let Some([_, second]) = self.target.pairs()
            && self.items.iter().filter(|item| insn(item).is_some()).count() % 2 == 1
        {
            self.items.push(Item::Insn(second));
        }
    }

    /// The name of a place.
    pub fn place(&self, name: &str) -> String {
        format!(".L{}_{name}", self.symbol)
    }

    /// Puts a place here.
    pub fn label(&mut self, name: &str) {
        self.align();
        let place = self.place(name);
        self.items.push(Item::Label(place));
    }

    /// Adds items as they are.
    pub fn items(&mut self, items: Vec<Item>) {
        self.counts(items.iter());
        self.items.extend(items);
    }

    /// Adds items that end in a branch. If that has a delay slot, the last instruction before these items is put there,
    /// should it change nothing that they read.
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

    /// What follows is done for each block of a message until this is called again: of such a function, nothing else
    /// counts.
    pub fn turn(&mut self) {
        if self.turns {
            self.whole = true;
            // Of several blocks one may begin anew what another ends.
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

    /// What is written here stands behind the function's return.
    ///
    /// # Errors
    /// Those of what is written.
    pub fn behind(&mut self, write: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let from = self.items.len();
        write(self)?;
        let moved = self.items.split_off(from);
        self.behind.extend(moved);
        Ok(())
    }

    /// Instructions of its blocks, before registers are spilled: of a message, those that a block takes.
    pub fn floor(&self) -> &[Insn] {
        &self.floor
    }

    /// Cycles that no order of its instructions is below: what units and width take for them, and, of a loop whose turn is
    /// one block, the chains of dependences from turn to turn.
    pub fn bound(&self) -> f64 {
        let target = self.target;
        target.timing().resources(target.isa(), &self.floor).max(self.recurrence)
    }

    /// The function with its frame, as a section.
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
