//! A function composed of arranged blocks, labels and branches, with its stack frame.

use std::collections::BTreeSet;

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};

use super::writer::Writer;
use super::writer::register::{CALLER, RA, SAVED, SP, ZERO};
use aesmith_order::inorder::block::insn;
use aesmith_order::inorder::{Constraints, Search, Spill, arrange};
use aesmith_processor::attach::Attached;

/// The target that a function is written for.
#[derive(Clone, Copy)]
pub struct Target {
    /// The available instructions.
    pub isa: &'static Isa,
    /// The timing of its instructions.
    pub timing: &'static Timing,
    /// The processor's custom instructions for AES.
    pub instructions: Option<&'static Attached>,
    /// The effort of searching for orders.
    pub search: Search,
}

/// A function in the making.
pub struct Function {
    target: Target,
    symbol: String,
    /// Registers that are live throughout.
    lasting: Vec<u8>,
    /// The number of callee-saved registers that may be used after saving them.
    saved: usize,
    /// Stack bytes for the function's own use, at the stack pointer.
    pub scratch: i32,
    /// The number of stack slots above it for spilled values; without any, a block that would spill is refused.
    pub slots: usize,
    /// The number of slots that blocks use.
    taken: usize,
    /// Cycles of all blocks, once each, according to the model.
    pub cycles: u64,
    /// Cycles of all blocks without stalls.
    pub floor: u64,
    items: Vec<Item>,
    used: BTreeSet<u8>,
}

impl Function {
    /// An empty function. Blocks leave `lasting` registers unchanged.
    pub fn new(target: Target, symbol: &str, lasting: &[u8], saved: usize) -> Function {
        Function {
            target,
            symbol: symbol.into(),
            lasting: lasting.to_vec(),
            saved,
            scratch: 0,
            slots: 0,
            taken: 0,
            cycles: 0,
            floor: 0,
            items: Vec::new(),
            used: lasting.iter().copied().collect(),
        }
    }

    /// Adds a block; with `alone`, one that starts with the arguments in their registers and needs none of them
    /// afterwards.
    pub fn block(&mut self, alone: bool, write: impl FnOnce(&mut Writer)) -> Result<(), String> {
        let lasting = self.lasting.clone();
        self.arranged(alone, if alone { &[] } else { &lasting }, write)
    }

    /// Adds a block that may write the lasting registers other than these.
    pub(crate) fn block_before(
        &mut self,
        lasting: &[u8],
        write: impl FnOnce(&mut Writer),
    ) -> Result<(), String> {
        self.arranged(false, lasting, write)
    }

    fn arranged(
        &mut self,
        alone: bool,
        lasting: &[u8],
        write: impl FnOnce(&mut Writer),
    ) -> Result<(), String> {
        let Target { isa, timing, search, .. } = self.target;
        let mut w = Writer::new(isa, alone);
        write(&mut w);
        let free: Vec<u8> = CALLER
            .iter()
            .chain(SAVED.iter().take(self.saved))
            .copied()
            .filter(|r| !lasting.contains(r))
            .collect();
        let at = |name: &str, field: &str, slot: usize, v: i32| {
            let imm = self.scratch + 4 * slot as i32;
            isa.insn(name, &[(field, v), ("rs1", i32::from(SP)), ("imm", imm)])
        };
        let store = |slot, v| at("sw", "rs2", slot, v);
        let load = |slot, v| at("lw", "rd", slot, v);
        let spill = (self.slots > 0).then_some(Spill { store: &store, load: &load, slots: self.slots });
        let constraints =
            Constraints { free: &free, unmarked_is_constant: true, spill, ..Constraints::default() };
        for piece in &w.block.pieces {
            if let Some(insn) = aesmith_order::inorder::block::insn(&piece.item) {
                self.floor += u64::from(timing.alone(isa, insn));
            }
        }
        let arranged = arrange(isa, &w.block, &constraints, timing, search)?;
        self.taken = self.taken.max(arranged.slots);
        self.cycles += arranged.cycles;
        self.used.extend(arranged.used);
        self.items.extend(arranged.items);
        Ok(())
    }

    /// The label of a place in the function.
    pub fn place(&self, name: &str) -> String {
        format!(".L{}_{name}", self.symbol)
    }

    /// Binds a label here.
    pub fn label(&mut self, name: &str) {
        self.items.push(Item::Label(self.place(name)));
    }

    /// A branch to a label, at most 4 KiB away.
    pub fn branch(&mut self, name: &str, rs1: u8, rs2: u8, to: &str) {
        let insn = self.target.isa.insn(name, &[("rs1", i32::from(rs1)), ("rs2", i32::from(rs2))]);
        self.linked(insn, to);
    }

    /// A jump to a label.
    pub fn jump(&mut self, to: &str) {
        let place = self.place(to);
        self.items.push(jump(self.target.isa, &place));
    }

    fn linked(&mut self, insn: Insn, to: &str) {
        let (field, label) = ("off".to_owned(), self.place(to));
        self.items.push(Item::Linked { insn, field, label, addend: 0, part: Part::Distance });
    }

    /// An instruction, unarranged: `rd = name(rs1, imm)`.
    pub fn with(&mut self, name: &str, rd: u8, rs1: u8, imm: i32) {
        let fields = [("rd", i32::from(rd)), ("rs1", i32::from(rs1)), ("imm", imm)];
        self.items.push(Item::Insn(self.target.isa.insn(name, &fields)));
    }

    /// An instruction on two registers, unarranged.
    pub fn two(&mut self, name: &str, rd: u8, rs1: u8, rs2: u8) {
        let fields = [("rd", i32::from(rd)), ("rs1", i32::from(rs1)), ("rs2", i32::from(rs2))];
        self.items.push(Item::Insn(self.target.isa.insn(name, &fields)));
    }

    /// A store of a byte, unarranged.
    pub(crate) fn store_byte(&mut self, value: u8, base: u8, offset: i32) {
        let fields = [("rs2", i32::from(value)), ("rs1", i32::from(base)), ("imm", offset)];
        self.items.push(Item::Insn(self.target.isa.insn("sb", &fields)));
    }

    /// Callee-saved registers that it uses.
    fn kept(&self) -> Vec<u8> {
        SAVED.iter().copied().filter(|r| self.used.contains(r)).collect()
    }

    /// The total cost of frame and blocks, once each, for comparing choices of registers.
    pub fn cost(&self) -> u64 {
        // A store and a load each, of two cycles on most cores, and two moves of the stack pointer.
        let kept = self.kept().len() as u64;
        self.cycles + 4 * kept + if kept > 0 { 2 } else { 0 }
    }

    /// The code, with its frame.
    pub fn finish(self) -> Vec<Item> {
        let isa = self.target.isa;
        let kept = self.kept();
        let saves = self.scratch + 4 * self.taken as i32;
        let frame = (saves + 4 * kept.len() as i32 + 15) & !15;
        let sp = i32::from(SP);
        let moved = |by: i32| Item::Insn(isa.insn("addi", &[("rd", sp), ("rs1", sp), ("imm", by)]));
        let slots = |name: &str, field: &str| -> Vec<Item> {
            let slot = |(k, &r): (usize, &u8)| {
                let imm = saves + 4 * k as i32;
                Item::Insn(isa.insn(name, &[(field, i32::from(r)), ("rs1", sp), ("imm", imm)]))
            };
            kept.iter().enumerate().map(slot).collect()
        };
        let mut items = vec![Item::Label(self.symbol.clone())];
        if frame > 0 {
            items.push(moved(-frame));
            items.extend(slots("sw", "rs2"));
        }
        items.extend(self.items.iter().cloned());
        if frame > 0 {
            items.extend(slots("lw", "rd"));
            items.push(moved(frame));
        }
        items.push(Item::Insn(isa.insn("jalr", &[("rd", i32::from(ZERO)), ("rs1", i32::from(RA))])));
        items
    }
}

/// A jump to a label.
pub fn jump(isa: &Isa, label: &str) -> Item {
    let insn = isa.insn("jal", &[("rd", i32::from(ZERO))]);
    Item::Linked { insn, field: "off".into(), label: label.into(), addend: 0, part: Part::Distance }
}

/// The range of a branch, in bytes.
const BRANCH: usize = 4096;

/// Replaces branches over a jump by branches to its target, if that is in range.
pub fn near(isa: &Isa, items: Vec<Item>) -> Vec<Item> {
    let place = |label: &str| items.iter().position(|item| matches!(item, Item::Label(l) if l == label));
    let is_near = |from: usize, to: usize| {
        let between = &items[from.min(to)..from.max(to)];
        4 * between.iter().filter(|item| insn(item).is_some()).count() < BRANCH
    };
    let turned = |at: usize| -> Option<Item> {
        let (Item::Linked { insn: over, label: next, .. }, Item::Linked { insn: jump, label: to, .. }) =
            (items.get(at)?, items.get(at + 1)?)
        else {
            return None;
        };
        let is_jump = isa.of(jump).name == "jal" && jump.fields.iter().all(|&f| f == 0);
        if !is_jump || place(next)? != at + 2 || !is_near(at, place(to)?) {
            return None;
        }
        let name = match isa.of(over).name.as_str() {
            "beq" => "bne",
            "bne" => "beq",
            _ => return None,
        };
        let of = |field: &str| isa.operand(over, field).unwrap_or(0);
        let insn = isa.insn(name, &[("rs1", of("rs1")), ("rs2", of("rs2"))]);
        let (field, label) = ("off".to_owned(), to.clone());
        Some(Item::Linked { insn, field, label, addend: 0, part: Part::Distance })
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let near = turned(at);
        at += if near.is_some() { 2 } else { 1 };
        found.push(near.unwrap_or_else(|| items[at - 1].clone()));
    }
    found
}
