//! AVR code in the making: instructions by name, labels, and the registers that a function saves.

use aesmith_isa::Isa;
use aesmith_isa::assemble::{Item, Part};

use super::super::table::isa;

/// A register.
pub type Reg = u8;

/// The pointer registers, low and high.
pub(crate) const XL: Reg = 26;
pub(crate) const XH: Reg = 27;
pub(crate) const YL: Reg = 28;
pub(crate) const YH: Reg = 29;
pub(crate) const ZL: Reg = 30;
pub(crate) const ZH: Reg = 31;

/// Registers that a function may change (calling convention of avr-gcc). Those that `ldi` reaches come last, so that
/// they are left for constants.
pub const SCRATCH: [Reg; 9] = [0, 18, 19, 20, 21, 22, 23, 24, 25];

/// Items in program order.
#[derive(Default)]
pub struct Writer {
    /// The items written so far.
    pub items: Vec<Item>,
    labels: u32,
}

impl Writer {
    fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(isa().insn(name, fields)));
    }

    /// An instruction on two registers.
    pub fn two(&mut self, name: &str, rd: Reg, rr: Reg) {
        self.put(name, &[("rd", rd.into()), ("rr", rr.into())]);
    }

    /// Writes `eor`.
    pub fn eor(&mut self, rd: Reg, rr: Reg) {
        self.two("eor", rd, rr);
    }

    /// Writes `mov`.
    pub fn mov(&mut self, rd: Reg, rr: Reg) {
        self.two("mov", rd, rr);
    }

    /// Moves a register pair (`movw`).
    pub fn movw(&mut self, ed: Reg, er: Reg) {
        self.put("movw", &[("ed", ed.into()), ("er", er.into())]);
    }

    /// An instruction on one register; `lsl` is encoded as `add` of the register to itself.
    pub fn one(&mut self, name: &str, rd: Reg) {
        self.put(name, &[("rd", rd.into())]);
    }

    /// An instruction on a register above r15 and an immediate.
    pub fn constant(&mut self, name: &str, hd: Reg, k: u8) {
        self.put(name, &[("hd", hd.into()), ("k", k.into())]);
    }

    /// `ldd` or `std` with a displacement from Y or Z, such as `ldd_y`.
    pub(crate) fn displaced(&mut self, name: &str, rd: Reg, q: u8) {
        self.put(name, &[("rd", rd.into()), ("q", q.into())]);
    }

    /// Writes `adiw` or `sbiw`.
    pub fn word(&mut self, name: &str, wd: Reg, q: u8) {
        self.put(name, &[("wd", wd.into()), ("q", q.into())]);
    }

    /// An instruction without operands.
    pub fn plain(&mut self, name: &str) {
        self.put(name, &[]);
    }

    /// A branch, `rjmp` or `rcall`.
    pub fn jump(&mut self, name: &str, label: &str) {
        self.items.push(jump(isa(), name, label));
    }

    /// A jump back to a bound label, at any distance.
    pub fn back(&mut self, label: &str) {
        let from = self.items.iter().position(|i| *i == Item::Label(label.into())).unwrap_or_default();
        let distance: u32 = self.items[from..]
            .iter()
            .map(|item| match item {
                Item::Insn(insn) | Item::Linked { insn, .. } => u32::from(isa().of(insn).bytes()),
                _ => 0,
            })
            .sum();
        if distance < 4090 {
            return self.jump("rjmp", label);
        }
        let insn = isa().insn("jmp", &[]);
        self.items.push(Item::Linked {
            insn,
            field: "w".into(),
            label: label.into(),
            addend: 0,
            part: Part::Whole,
        });
    }

    /// `breq` or `brne` to a label that is out of the range of a branch.
    pub fn far(&mut self, branch: &str, label: &str) {
        let other = if branch == "breq" { "brne" } else { "breq" };
        let on = self.fresh("on");
        self.jump(other, &on);
        self.jump("rjmp", label);
        self.label(&on);
    }

    /// A branch that skips the next instruction.
    pub(crate) fn over_one(&mut self, name: &str) {
        self.put(name, &[("t", 4)]);
    }

    /// Loads one byte of the address of a label.
    pub fn address(&mut self, hd: Reg, label: &str, byte: u8) {
        let insn = isa().insn("ldi", &[("hd", hd.into())]);
        self.items.push(Item::Linked {
            insn,
            field: "k".into(),
            label: label.into(),
            addend: 0,
            part: Part::Byte(byte),
        });
    }

    /// Binds a label here.
    pub fn label(&mut self, name: &str) {
        self.items.push(Item::Label(name.into()));
    }

    /// A new local label.
    pub fn fresh(&mut self, about: &str) -> String {
        self.labels += 1;
        format!(".L{about}_{}", self.labels)
    }

    /// A comment line.
    pub fn comment(&mut self, text: &str) {
        self.items.push(Item::Comment(text.into()));
    }
}

/// A branch, `rjmp` or `rcall`.
pub fn jump(isa: &Isa, name: &str, label: &str) -> Item {
    let insn = isa.insn(name, &[]);
    Item::Linked { insn, field: "t".into(), label: label.into(), addend: 0, part: Part::Distance }
}

/// The C function with this body, whose items from `after` on are subroutines: it saves callee-saved registers and
/// returns before the subroutines.
pub fn function(name: &str, mut body: Writer, after: usize) -> Writer {
    let written = written(&body.items);
    let kept: Vec<Reg> = (2..=17).chain([YL, YH]).filter(|r| written.contains(r)).collect();
    let subroutines = body.items.split_off(after);
    let mut code = Writer { items: Vec::new(), labels: body.labels };
    code.label(name);
    for &r in &kept {
        code.one("push", r);
    }
    code.items.append(&mut body.items);
    for &r in kept.iter().rev() {
        code.one("pop", r);
    }
    if written.contains(&1) {
        // The zero register of the calling convention.
        code.eor(1, 1);
    }
    code.plain("ret");
    code.items.extend(subroutines);
    code
}

/// The registers that instructions write.
fn written(items: &[Item]) -> Vec<Reg> {
    let mut registers = Vec::new();
    for item in items {
        let (Item::Insn(insn) | Item::Linked { insn, .. }) = item else { continue };
        let effects = &isa().of(insn).effects;
        for &(field, next) in &effects.written_fields {
            registers.push(insn.fields[usize::from(field)] as Reg + Reg::from(next));
        }
        registers.extend(effects.writes.iter().filter(|r| **r < 32));
    }
    registers.sort_unstable();
    registers.dedup();
    registers
}
