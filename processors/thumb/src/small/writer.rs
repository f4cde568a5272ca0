//! Code for ARMv6-M over fixed registers: loads cost the same everywhere, so there is nothing to reorder; only
//! the choice of values in the eight low registers matters.

use aesmith_isa::Isa;
use aesmith_isa::assemble::Item;

use crate::kernels::writer::branch;
use crate::table::v6m;

/// Code in the making.
pub struct Code {
    /// The table.
    pub isa: &'static Isa,
    /// The items written so far.
    pub items: Vec<Item>,
}

impl Default for Code {
    fn default() -> Code {
        Code { isa: v6m(), items: Vec::new() }
    }
}

impl Code {
    /// Empty code.
    pub fn new() -> Code {
        Code::default()
    }

    /// Appends an instruction.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(self.isa.insn(name, fields)));
    }

    /// `eors`, `ands`, `orrs`, `bics`, `rors`, `muls` in place.
    pub fn op(&mut self, name: &str, rd: i32, rm: i32) {
        let second = if name == "muls" { "rn" } else { "rm" };
        self.put(&format!("{name}_reg"), &[("rd", rd), (second, rm)]);
    }

    /// A left shift.
    pub fn lsl(&mut self, rd: i32, rm: i32, by: i32) {
        self.put("lsls_imm", &[("rd", rd), ("rm", rm), ("sh", by)]);
    }

    /// A right shift.
    pub fn lsr(&mut self, rd: i32, rm: i32, by: i32) {
        self.put("lsrs_imm", &[("rd", rd), ("rm", rm), ("right", by)]);
    }

    /// A move between any registers.
    pub fn mov(&mut self, rd: i32, rm: i32) {
        self.put("mov_any", &[("rd", rd), ("rm", rm)]);
    }

    /// Loads a number below 256.
    pub fn number(&mut self, rd: i32, imm: i32) {
        self.put("movs_imm", &[("rd", rd), ("imm", imm)]);
    }

    /// Adds a number whose magnitude is below 256 in place.
    pub fn add(&mut self, rd: i32, imm: i32) {
        let name = if imm < 0 { "subs_imm8" } else { "adds_imm8" };
        self.put(name, &[("rd", rd), ("imm", imm.abs())]);
    }

    /// `ldr`, `str`, `ldrb`, `strb` with an offset, also from the stack pointer.
    pub fn memory(&mut self, name: &str, rt: i32, rn: i32, imm: i32) {
        if rn == super::SP {
            self.put(&format!("{name}_sp"), &[("rt", rt), ("imm", imm)]);
        } else {
            self.put(&format!("{name}_imm"), &[("rt", rt), ("rn", rn), ("imm", imm)]);
        }
    }

    /// `ldr`, `ldrb`, `strb` with an offset in a register.
    pub fn indexed(&mut self, name: &str, rt: i32, rn: i32, rm: i32) {
        self.put(&format!("{name}_reg"), &[("rt", rt), ("rn", rn), ("rm", rm)]);
    }

    /// `ldm` or `stm` of four registers, starting with `first`.
    pub fn four(&mut self, name: &str, rn: i32, first: i32) {
        self.put(name, &[("rn", rn), ("list", 15 << first)]);
    }

    /// Binds a label here.
    pub fn label(&mut self, label: &str) {
        self.items.push(Item::Label(label.to_owned()));
    }

    /// A branch. Conditional branches reach 256 bytes; for greater distances, one skips a `b`.
    pub fn branch(&mut self, name: &str, label: &str) {
        self.items.push(branch(self.isa, name, label));
    }

    /// Saves all callee-saved registers, and lr.
    pub fn save(&mut self) {
        self.put("push", &[("list", 0x40f0)]);
        for k in 0..4 {
            self.mov(4 + k, 8 + k);
        }
        self.put("push", &[("list", 0xf0)]);
    }

    /// Restores them and returns.
    pub fn back(&mut self) {
        self.put("pop", &[("list", 0xf0)]);
        for k in 0..4 {
            self.mov(8 + k, 4 + k);
        }
        self.put("pop", &[("list", 0x80f0)]);
    }
}
