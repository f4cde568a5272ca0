//! Instructions in sequence, in the few forms that kernels use.

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part};

use crate::table::{ALWAYS, insn};

/// Code in the making.
#[derive(Default)]
pub struct Code {
    /// The items written so far.
    pub items: Vec<Item>,
}

/// Registers as a register list field.
pub fn list(registers: &[i32]) -> i32 {
    registers.iter().fold(0, |l, r| l | 1 << r)
}

impl Code {
    /// An instruction that is always executed.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(insn(name, fields)));
    }

    /// Appends an instruction unchanged.
    pub fn insn(&mut self, insn: Insn) {
        self.items.push(Item::Insn(insn));
    }

    /// Data processing on two registers.
    pub fn op(&mut self, name: &str, rd: i32, rn: i32, rm: i32) {
        self.put(name, &[("rd", rd), ("rn", rn), ("rm", rm)]);
    }

    /// Data processing on a register and an immediate.
    pub(crate) fn op_i(&mut self, name: &str, rd: i32, rn: i32, con: u32) {
        self.put(&format!("{name}_i"), &[("rd", rd), ("rn", rn), ("con", con as i32)]);
    }

    /// Data processing with the second register shifted (`lsl`, `lsr`, `ror`); a shift by 0 is the plain form.
    pub(crate) fn op_sh(&mut self, name: &str, rd: i32, rn: i32, rm: i32, shift: &str, by: i32) {
        if by == 0 {
            self.op(name, rd, rn, rm);
        } else {
            self.put(&format!("{name}_{shift}"), &[("rd", rd), ("rn", rn), ("rm", rm), ("sh", by)]);
        }
    }

    /// A register move.
    pub fn mov(&mut self, rd: i32, rm: i32) {
        self.put("mov", &[("rd", rd), ("rm", rm)]);
    }

    /// Loads an immediate into a register.
    pub fn number(&mut self, rd: i32, con: u32) {
        self.put("mov_i", &[("rd", rd), ("con", con as i32)]);
    }

    /// `name` is `ldr`, `str`, `ldrb`, `strb`, or one of them with `_post`, `_pre`, `_down_pre`.
    pub fn memory(&mut self, name: &str, rd: i32, rn: i32, imm: i32) {
        self.put(name, &[("rd", rd), ("rn", rn), ("imm", imm)]);
    }

    /// Loads or stores several registers: `ldmia`, `stmdb_pre` and so on.
    pub fn several(&mut self, name: &str, rn: i32, registers: &[i32]) {
        self.put(name, &[("rn", rn), ("list", list(registers))]);
    }

    /// Binds a label here.
    pub fn label(&mut self, name: &str) {
        self.items.push(Item::Label(name.to_owned()));
    }

    /// A branch, if the condition of this number holds.
    pub fn branch_if(&mut self, cond: i32, label: &str) {
        self.items.push(Item::Linked {
            insn: insn("b", &[("cond", cond)]),
            field: "to".into(),
            label: label.to_owned(),
            addend: 0,
            part: Part::Distance,
        });
    }

    /// A branch.
    pub fn branch(&mut self, label: &str) {
        self.branch_if(ALWAYS, label);
    }
}
