//! A function: blocks that are ordered and allocated, the code between them, and the stack frame.
//!
//! ```text
//! r1 +  0   scratch for bytes of words, if it is used
//!    + 64   spilled values
//!           callee-saved registers
//! ```
//! The function calls nothing, so it needs no word for a return address below it (UG984, Stack Convention).

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part as Linked};
use aesmith_isa::timing::Timing;

use super::super::table::isa;
use super::tables::Table;
use super::writer::{SCRATCH_WORDS, SP, Writer};
use aesmith_order::inorder::{Block, Constraints, Search, Spill, arrange, block};

/// A piece of a function.
pub enum Part {
    /// Straight-line code.
    Block(Block),
    /// Items that stay unchanged.
    Items(Vec<Item>),
    /// A branch on a register, with the instruction for its delay slot; if there is none, the last instruction
    /// of the preceding block goes there if it may.
    Branch {
        /// The name of its row.
        name: &'static str,
        /// The register.
        register: i32,
        /// The target.
        label: String,
        /// The instruction in the delay slot.
        slot: Option<Insn>,
    },
}

/// A function before register allocation.
pub struct Function {
    /// Its pieces.
    pub parts: Vec<Part>,
    /// Its tables, in their order in memory.
    pub tables: Vec<Table>,
    /// Registers that keep a value across blocks.
    pub fixed: Vec<u8>,
    /// True if scratch space on the stack is used.
    pub scratch: bool,
    /// The code after the return.
    pub behind: Vec<Item>,
}

/// The code between a function's prologue and epilogue.
pub struct Body {
    /// Its items.
    pub items: Vec<Item>,
    /// Registers to save.
    pub used: Vec<u8>,
    /// The offset of their save area in the frame; the bytes below it are used.
    pub saves: i32,
}

/// Caller-saved registers; those that are not arguments come first.
pub const VOLATILE: [u8; 11] = [3, 4, 18, 11, 12, 10, 9, 8, 7, 6, 5];
/// Callee-saved registers.
pub const SAVED: [u8; 13] = [19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31];
/// The number of spill slots.
const SLOTS: usize = 48;
/// The number of order changes that local search tries.
pub const MOVES: u32 = 20_000;

/// A branch to a label.
pub fn branch(name: &str, register: Option<i32>, label: &str) -> Item {
    let fields: Vec<(&str, i32)> = register.map(|r| ("ra", r)).into_iter().collect();
    let insn = isa().insn(name, &fields);
    Item::Linked { insn, field: "off".into(), label: label.into(), addend: 0, part: Linked::Distance }
}

/// A load or a store in the frame.
pub fn memory(name: &str, register: i32, offset: i32) -> Insn {
    isa().insn(name, &[("rd", register), ("ra", SP), ("imm", offset)])
}

/// True if an instruction may follow a branch on this register instead of preceding it.
fn fits_slot(item: &Item, register: Option<i32>) -> bool {
    let Some(insn) = block::insn(item) else { return false };
    let row = isa().of(insn);
    let writes =
        row.effects.written_fields.iter().any(|&(f, _)| Some(insn.fields[usize::from(f)]) == register);
    !row.effects.jumps && row.bytes() == 4 && !writes
}

/// The items of a function; the instruction before its return moves to the return's delay slot if that is
/// empty.
pub(crate) fn in_slots(mut items: Vec<Item>) -> Vec<Item> {
    let named = |item: &Item, name: &str| block::insn(item).is_some_and(|i| isa().of(i).name == name);
    let is_jump = |item: &Item| block::insn(item).is_some_and(|i| isa().of(i).effects.jumps);
    let return_at = items.iter().position(|item| named(item, "rtsd"));
    let Some(at) = return_at.filter(|&at| at > 1 && items.get(at + 1).is_some_and(|next| named(next, "nop")))
    else {
        return items;
    };
    // The preceding instruction may be in the delay slot of a branch already.
    if fits_slot(&items[at - 1], Some(15)) && !is_jump(&items[at - 2]) {
        let last = items.remove(at - 1);
        items[at] = last;
    }
    items
}

impl Function {
    /// The instructions of its blocks.
    pub fn insns(&self) -> impl Iterator<Item = &Insn> {
        let blocks = self.parts.iter().filter_map(|p| match p {
            Part::Block(block) => Some(block),
            _ => None,
        });
        blocks.flat_map(Writer::insns)
    }

    /// Orders blocks and allocates registers; `saved` callee-saved registers may be used.
    pub fn arranged(self, saved: usize, seed: u32, timing: &'static Timing) -> Result<Body, String> {
        let isa = isa();
        let is_fixed = |r: &u8| self.fixed.contains(r);
        let mut used: Vec<u8> = self.fixed.iter().copied().filter(|r| SAVED.contains(r)).collect();
        let more = saved.saturating_sub(used.len());
        let free: Vec<u8> = VOLATILE
            .into_iter()
            .filter(|r| !is_fixed(r))
            .chain(SAVED.into_iter().filter(|r| !is_fixed(r)).take(more))
            .collect();
        let scratch = if self.scratch { 4 * i32::from(SCRATCH_WORDS) } else { 0 };
        let store = |slot: usize, r| memory("swi", r, scratch + 4 * slot as i32);
        let load = |slot: usize, r| memory("lwi", r, scratch + 4 * slot as i32);
        let mut slots = 0;
        let mut items: Vec<Item> = Vec::new();
        for part in self.parts {
            match part {
                Part::Block(block) => {
                    let constraints = Constraints {
                        free: &free,
                        flags: &[],
                        unmarked_is_constant: true,
                        spill: Some(Spill { store: &store, load: &load, slots: SLOTS }),
                        idle: None,
                        bytes: None,
                    };
                    let search = Search { seed, moves: if seed > 0 { MOVES } else { 0 } };
                    let arranged = arrange(isa, &block, &constraints, timing, search)?;
                    slots = slots.max(arranged.slots);
                    used.extend(arranged.used.iter().filter(|r| SAVED.contains(r)));
                    items.extend(arranged.items);
                }
                Part::Items(more) => items.extend(more),
                Part::Branch { name, register, label, slot } => {
                    let last = items.pop_if(|item| slot.is_none() && fits_slot(item, Some(register)));
                    items.push(branch(name, Some(register), &label));
                    let nop = || Item::Insn(isa.insn("nop", &[]));
                    items.push(slot.map(Item::Insn).or(last).unwrap_or_else(nop));
                }
            }
        }
        used.sort_unstable();
        used.dedup();
        Ok(Body { items, used, saves: scratch + 4 * slots as i32 })
    }

    /// Orders blocks, allocates registers, and adds the frame.
    pub fn finish(mut self, saved: usize, seed: u32, timing: &'static Timing) -> Result<Vec<Item>, String> {
        let isa = isa();
        let behind = std::mem::take(&mut self.behind);
        let Body { items: mut body, used, saves } = self.arranged(saved, seed, timing)?;
        let frame = saves + 4 * used.len() as i32;
        let places = || used.iter().zip(0..).map(|(&r, k)| (i32::from(r), saves + 4 * k));
        let moved = |by| Item::Insn(isa.insn("addik", &[("rd", SP), ("ra", SP), ("imm", by)]));
        let mut items = Vec::new();
        if frame > 0 {
            items.push(moved(-frame));
        }
        items.extend(places().map(|(r, at)| Item::Insn(memory("swi", r, at))));
        items.append(&mut body);
        items.extend(places().map(|(r, at)| Item::Insn(memory("lwi", r, at))));
        // The last instruction may be in the delay slot of a branch already.
        let taken = items.iter().rev().nth(1).and_then(block::insn).is_some_and(|i| isa.of(i).effects.jumps);
        let slot =
            if frame > 0 { Some(moved(frame)) } else { items.pop_if(|item| !taken && fits_slot(item, None)) };
        items.push(Item::Insn(isa.insn("rtsd", &[("ra", 15), ("imm", 8)])));
        items.push(slot.unwrap_or_else(|| Item::Insn(isa.insn("nop", &[]))));
        items.extend(behind);
        Ok(items)
    }
}
