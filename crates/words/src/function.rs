//! A function put together from arranged blocks and what stands between them, with the frame that it needs.
//!
//! ```text
//! stack pointer   what the convention wants at the bottom of a frame
//!                 the function's own words
//!                 values spilled
//!                 registers saved for the caller
//! ```

use std::collections::BTreeSet;

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Section};
use aesmith_order::inorder::block::insn;
use aesmith_order::inorder::{Constraints, Search, Spill, arrange};

use crate::machine::{Machine, Target};
use crate::tables::Table;

/// How many values may be spilled.
const SLOTS: usize = 16;
/// Frames are multiples of so many bytes, as all conventions ask for.
const FRAME: i32 = 16;

/// A function in the making.
pub struct Function<'t> {
    target: &'t dyn Target,
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
}

impl<'t> Function<'t> {
    /// An empty function. Without a search its blocks are only counted: neither order nor registers are looked for.
    pub fn new(target: &'t dyn Target, symbol: &str, search: Option<Search>) -> Function<'t> {
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
        }
    }

    /// The processor.
    pub fn target(&self) -> &'t dyn Target {
        self.target
    }

    /// A register that nothing is in yet, for a value that stays.
    ///
    /// # Errors
    /// There is none left.
    pub fn keep(&mut self) -> Result<u8, String> {
        let all = self.target.saved().iter().chain(self.target.volatile());
        let free =
            all.copied().find(|r| !self.fixed.contains(r) && !self.target.arguments()[..5].contains(r));
        let register = free.ok_or("no register is left for a value that stays from block to block")?;
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
    pub fn block(&mut self, write: impl FnOnce(&mut dyn Machine)) -> Result<(), String> {
        let mut writer = self.target.writer();
        write(&mut *writer);
        let block = std::mem::take(writer.block());
        self.counts(block.pieces.iter().map(|piece| &piece.item));
        let Some(search) = self.search else { return Ok(()) };
        let target = self.target;
        let all = target.volatile().iter().chain(target.saved());
        let free: Vec<u8> = all.copied().filter(|r| !self.fixed.contains(r)).collect();
        let from = self.word(self.words);
        let store = |slot: usize, r: i32| target.spill(r, from + target.slot() * slot as i32, true);
        let load = |slot: usize, r: i32| target.spill(r, from + target.slot() * slot as i32, false);
        let constraints = Constraints {
            free: &free,
            flags: &[],
            unmarked_is_constant: true,
            spill: Some(Spill { store: &store, load: &load, slots: SLOTS }),
            idle: None,
            bytes: None,
        };
        let arranged = arrange(target.isa(), &block, &constraints, target.timing(), search)?;
        self.slots = self.slots.max(arranged.slots);
        self.used.extend(arranged.used);
        self.items.extend(arranged.items);
        Ok(())
    }

    /// The name of a place.
    pub fn place(&self, name: &str) -> String {
        format!(".L{}_{name}", self.symbol)
    }

    /// Puts a place here.
    pub fn label(&mut self, name: &str) {
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
        } else {
            self.floor.clear();
        }
        self.turns = !self.turns;
    }

    fn counts<'i>(&mut self, items: impl Iterator<Item = &'i Item>) {
        if self.turns || !self.whole {
            self.floor.extend(items.filter_map(insn).copied());
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

    /// The function with its frame, as a section, and its tables.
    pub fn finish(mut self, tables: &[Table], code: u64, data: u64) -> Vec<Section> {
        let target = self.target;
        let kept: Vec<u8> = target
            .saved()
            .iter()
            .copied()
            .filter(|r| self.used.contains(r) || self.fixed.contains(r))
            .collect();
        let saves = self.word(self.words + self.slots as i32);
        let end = saves + target.slot() * kept.len() as i32;
        let frame = if target.always_frames() || end > target.frame_header() {
            (end - target.bias() + FRAME - 1) / FRAME * FRAME
        } else {
            0
        };
        let moves = |store: bool| -> Vec<Item> {
            let one = |(k, &r): (usize, &u8)| {
                Item::Insn(target.spill(i32::from(r), saves + target.slot() * k as i32, store))
            };
            kept.iter().enumerate().map(one).collect()
        };
        let mut items = vec![Item::Label(self.symbol.clone())];
        if frame > 0 {
            items.extend(target.frame(frame, true));
            items.extend(moves(true));
        }
        items.append(&mut self.items);
        if frame > 0 {
            items.extend(moves(false));
            items.extend(target.frame(frame, false));
        }
        items.extend(target.leave());
        items.append(&mut self.behind);
        let mut sections = vec![Section { name: ".text", address: code, writable: false, items }];
        if !tables.is_empty() {
            let items = tables.iter().flat_map(|table| table.items()).collect();
            sections.push(Section { name: ".rodata", address: data, writable: false, items });
        }
        sections
    }
}
