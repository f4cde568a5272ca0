//! RV32 instructions written over virtual registers.

use std::collections::HashMap;

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::{Insn, Isa};

use aesmith_order::inorder::Block;

/// Registers of the calling convention (RISC-V ELF psABI, 1.1).
pub mod register {
    /// Reads as zero.
    pub const ZERO: u8 = 0;
    /// The return address.
    pub const RA: u8 = 1;
    /// The stack pointer.
    pub const SP: u8 = 2;
    /// The first argument.
    pub const A0: u8 = 10;
    /// Caller-saved registers.
    pub(crate) const CALLER: [u8; 15] = [10, 11, 12, 13, 14, 15, 16, 17, 5, 6, 7, 28, 29, 30, 31];
    /// Callee-saved registers.
    pub const SAVED: [u8; 12] = [8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];
}

/// Disjoint regions of memory.
pub mod region {
    /// A word of the text: `in` and `out` are equal or disjoint, so only words with the same offset may
    /// overlap.
    pub const TEXT: u16 = 0;
    /// A word of the IV or counter.
    pub const IV: u16 = 8;
    /// A word of the stack.
    pub const STACK: u16 = 16;
    /// A word of round keys, when these are written.
    pub const KEYS: u16 = 32;
}

/// Writes a block.
pub struct Writer<'a> {
    /// The available instructions.
    pub isa: &'a Isa,
    /// The instructions written so far.
    pub block: Block,
    /// True if registers of the context become virtual when first named: in code that is the only block of a
    /// function they need not be live to its end.
    virtual_arguments: bool,
    entered: HashMap<u8, i32>,
    /// Byte masks that have been computed.
    masks: HashMap<u8, i32>,
}

impl<'a> Writer<'a> {
    /// An empty block.
    pub fn new(isa: &'a Isa, virtual_arguments: bool) -> Writer<'a> {
        Writer {
            isa,
            block: Block::default(),
            virtual_arguments,
            entered: HashMap::new(),
            masks: HashMap::new(),
        }
    }

    /// True if there is an instruction with this name.
    pub fn has(&self, name: &str) -> bool {
        self.isa.find(name).is_some()
    }

    /// An argument of the function, or another value that is live throughout.
    pub fn lasting(&mut self, r: u8) -> i32 {
        if !self.virtual_arguments {
            return i32::from(r);
        }
        let block = &mut self.block;
        *self.entered.entry(r).or_insert_with(|| block.enter(r))
    }

    fn result(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        let rd = self.block.fresh();
        let mut all = vec![("rd", rd)];
        all.extend_from_slice(fields);
        self.block.push(self.isa.insn(name, &all));
        rd
    }

    /// An instruction on two registers.
    pub fn two(&mut self, name: &str, a: i32, b: i32) -> i32 {
        self.result(name, &[("rs1", a), ("rs2", b)])
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: i32, b: i32) -> i32 {
        self.two("xor", a, b)
    }

    /// An instruction on a register and an immediate.
    pub fn with(&mut self, name: &str, a: i32, imm: i32) -> i32 {
        self.result(name, &[("rs1", a), ("imm", imm)])
    }

    /// A shift by a constant.
    pub fn shift(&mut self, name: &str, a: i32, by: i32) -> i32 {
        self.result(name, &[("rs1", a), ("shamt", by)])
    }

    /// A rotation towards the low bits.
    pub fn rotated(&mut self, a: i32, by: i32) -> i32 {
        if self.has("rori") {
            return self.shift("rori", a, by);
        }
        let (low, high) = (self.shift("srli", a, by), self.shift("slli", a, 32 - by));
        self.two("or", low, high)
    }

    /// The bytes of a word whose bit is set in `bytes`; the others become zero.
    pub fn masked(&mut self, a: i32, bytes: u8) -> i32 {
        let bits = u32::from_le_bytes(std::array::from_fn(|k| if bytes >> k & 1 == 1 { 0xff } else { 0 }));
        if bits == 0xff {
            return self.with("andi", a, 0xff);
        }
        let mask = match self.masks.get(&bytes) {
            Some(&mask) => mask,
            None => {
                let mask = self.constant(bits);
                self.masks.insert(bytes, mask);
                mask
            }
        };
        self.two("and", a, mask)
    }

    /// A load, with a region if the memory may be written.
    pub fn load(&mut self, name: &str, base: i32, offset: i32, region: Option<u16>) -> i32 {
        let rd = self.block.fresh();
        let insn = self.isa.insn(name, &[("rd", rd), ("rs1", base), ("imm", offset)]);
        self.block.item(Item::Insn(insn), region);
        rd
    }

    /// A store of a word.
    pub fn store(&mut self, value: i32, base: i32, offset: i32, region: u16) {
        let insn = self.isa.insn("sw", &[("rs2", value), ("rs1", base), ("imm", offset)]);
        self.block.push_in(insn, region);
    }

    /// The address of a label plus `addend` bytes.
    pub fn address(&mut self, label: &str, addend: i64) -> i32 {
        let rd = self.block.fresh();
        self.address_to(rd, label, addend);
        rd
    }

    /// Like [`Writer::address`], in a given register.
    pub(crate) fn address_to(&mut self, rd: i32, label: &str, addend: i64) {
        let high = self.block.fresh();
        let part = |insn: Insn, field: &str, part: Part| Item::Linked {
            insn,
            field: field.into(),
            label: label.into(),
            addend,
            part,
        };
        let lui = self.isa.insn("lui", &[("rd", high)]);
        self.block.item(part(lui, "uimm", Part::High20), None);
        let addi = self.isa.insn("addi", &[("rd", rd), ("rs1", high)]);
        self.block.item(part(addi, "imm", Part::Low12), None);
    }

    /// A 32-bit constant.
    pub fn constant(&mut self, number: u32) -> i32 {
        let low = (number as i32) << 20 >> 20;
        let high = number.wrapping_add(0x800) >> 12;
        let rd = self.result("lui", &[("uimm", high as i32)]);
        if low == 0 { rd } else { self.with("addi", rd, low) }
    }

    /// Changes a register of the context.
    pub fn change(&mut self, name: &str, rd: u8, rs1: i32, imm: i32) {
        let fields = [("rd", i32::from(rd)), ("rs1", rs1), ("imm", imm)];
        self.block.push(self.isa.insn(name, &fields));
    }

    /// Copies a value to the register of an output.
    pub(crate) fn leave_in(&mut self, value: i32, r: u8) {
        let copy = self.with("addi", value, 0);
        self.block.leave(copy, Some(r));
    }
}
