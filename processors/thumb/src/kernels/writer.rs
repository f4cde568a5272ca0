//! Straight-line code over virtual registers, in the few instruction forms that ARMv7-M kernels use, and the
//! functions around it.

use aesmith_isa::assemble::{Item, Part, Section};
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};

use crate::cycles::CORTEX_M4;
use crate::narrow_forms::{narrow, narrowed, narrowed_near};
use crate::table::v7m;
use aesmith_order::inorder::block::insn;
use aesmith_order::inorder::{Block, Constraints, Search, Spill, arrange, price};

/// The stack pointer.
pub const SP: i32 = 13;
/// The link register.
pub const LR: i32 = 14;
/// The program counter.
pub const PC: i32 = 15;
/// Registers for allocation: caller-saved ones first, so that few are saved.
pub const FREE: [u8; 14] = [0, 1, 2, 3, 12, 14, 4, 5, 6, 7, 8, 9, 10, 11];
/// Memory region that a kernel writes, or that may overlap it.
pub const TEXT: u16 = 1;
/// The region of the stack slots.
pub const STACK: u16 = 2;
/// The region of copies of round keys on the stack.
pub(crate) const COPIES: u16 = 3;

/// Parameters of arranging lines.
pub struct How {
    /// The processor's timing.
    pub timing: &'static Timing,
    /// The effort of searching for orders.
    pub search: Search,
}

/// A rotated value in a register: its value is the register rotated left by `by` bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turned {
    /// The register.
    pub v: i32,
    /// Number of bits, below 32.
    pub by: i32,
}

impl Turned {
    /// An unrotated value.
    pub fn plain(v: i32) -> Turned {
        Turned { v, by: 0 }
    }
}

/// Straight-line code in the making.
pub struct Line {
    /// The table.
    pub isa: &'static Isa,
    /// The instructions written so far.
    pub block: Block,
}

impl Default for Line {
    fn default() -> Line {
        Line { isa: v7m(), block: Block::default() }
    }
}

impl Line {
    /// An empty line for ARMv7-M.
    pub fn new() -> Line {
        Line::default()
    }

    /// Appends an instruction.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.block.push(self.isa.insn(name, fields));
    }

    /// Appends an instruction with a new register as its `rd`.
    pub fn made(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[&[("rd", rd)], fields].concat());
        rd
    }

    /// A data processing instruction on `rn` and `rm`.
    pub fn op(&mut self, name: &str, rn: i32, rm: i32) -> i32 {
        self.made(&format!("{name}.reg"), &[("rn", rn), ("rm", rm)])
    }

    /// Like [`Line::op`], with the second operand shifted (`lsl`, `lsr`, `ror`); a shift by 0 is the plain form.
    pub(crate) fn op_by(&mut self, name: &str, rn: i32, rm: i32, shift: &str, by: i32) -> i32 {
        let amount = if shift == "lsr" { "right" } else { "sh" };
        match by {
            0 => self.op(name, rn, rm),
            _ => self.made(&format!("{name}.{shift}"), &[("rn", rn), ("rm", rm), (amount, by)]),
        }
    }

    /// A data processing instruction with an immediate.
    pub(crate) fn op_number(&mut self, name: &str, rn: i32, number: u32) -> i32 {
        self.made(&format!("{name}.imm"), &[("rn", rn), ("const", number as i32)])
    }

    /// A shift or rotation of one register.
    pub fn shifted(&mut self, shift: &str, rm: i32, by: i32) -> i32 {
        let amount = if shift == "lsr" { "right" } else { "sh" };
        self.made(&format!("mov.{shift}"), &[("rm", rm), (amount, by)])
    }

    /// The sum of two rotated values, with the rotation of the second.
    pub fn xor(&mut self, a: Turned, b: Turned) -> Turned {
        // rotl(a, p) ^ rotl(b, q) = rotl(b ^ rotl(a, p - q), q), and rotl(a, n) = ror(a, -n).
        Turned { v: self.op_by("eor", b.v, a.v, "ror", (b.by - a.by).rem_euclid(32)), by: b.by }
    }

    /// A byte of a word, zero-extended.
    pub fn byte(&mut self, word: i32, number: i32) -> i32 {
        match 8 * number {
            0 => self.made("uxtb.ror", &[("rm", word)]),
            24 => self.made("mov.lsr", &[("rm", word), ("right", 24)]),
            lsb => self.made("ubfx", &[("rn", word), ("lsb", lsb), ("size", 8)]),
        }
    }

    /// Loads a word of read-only memory.
    pub fn load(&mut self, base: i32, offset: i32) -> i32 {
        let rt = self.block.fresh();
        self.put("ldr.imm", &[("rt", rt), ("rn", base), ("imm", offset)]);
        rt
    }

    /// Loads a word of a region.
    pub(crate) fn load_in(&mut self, base: i32, offset: i32, region: u16) -> i32 {
        let rt = self.block.fresh();
        let insn = self.isa.insn("ldr.imm", &[("rt", rt), ("rn", base), ("imm", offset)]);
        self.block.push_in(insn, region);
        rt
    }

    /// An entry of a table: `ldr` for words, `ldrb` for bytes, in entries of `scale` bytes.
    pub fn entry(&mut self, name: &str, base: i32, index: i32, scale: i32) -> i32 {
        let rt = self.block.fresh();
        self.put(
            &format!("{name}.reg"),
            &[("rt", rt), ("rn", base), ("rm", index), ("sh", scale.trailing_zeros() as i32)],
        );
        rt
    }

    /// Stores a word.
    pub fn store(&mut self, v: i32, base: i32, offset: i32, region: u16) {
        let insn = self.isa.insn("str.imm", &[("rt", v), ("rn", base), ("imm", offset)]);
        self.block.push_in(insn, region);
    }

    /// Loads a word of the pool after the code.
    pub fn literal(&mut self, label: &str) -> i32 {
        let rt = self.block.fresh();
        let insn = self.isa.insn("ldr.literal", &[("rt", rt)]);
        self.block.item(pooled(insn, label), None);
        rt
    }

    /// The code with order and registers chosen by the model, and the registers that it uses.
    pub fn arranged(&self, how: &How, free: &[u8]) -> Result<(Vec<Item>, Vec<i32>), String> {
        let (items, used, _) = self.arranged_with(how, free, 0)?;
        Ok((items, used))
    }

    /// Like [`Line::arranged`], with at most this many stack slots for spilled values, from the stack pointer up.
    /// Also returns the number of used slots.
    pub(crate) fn arranged_with(
        &self,
        how: &How,
        free: &[u8],
        slots: usize,
    ) -> Result<(Vec<Item>, Vec<i32>, usize), String> {
        self.arranged_by(how, free, slots, false)
    }

    /// Like [`Line::arranged`], with registers that make the code short, for a function of at most 1,020 bytes.
    pub(crate) fn arranged_short(&self, how: &How, free: &[u8]) -> Result<(Vec<Item>, Vec<i32>), String> {
        let (items, used, _) = self.arranged_by(how, free, 0, true)?;
        Ok((items, used))
    }

    fn arranged_by(
        &self,
        how: &How,
        free: &[u8],
        slots: usize,
        short: bool,
    ) -> Result<(Vec<Item>, Vec<i32>, usize), String> {
        let isa = self.isa;
        let bytes = |i: &Insn| usize::from(isa.of(&narrow(isa, i).unwrap_or(*i)).bytes());
        let slot = |name: &'static str| {
            move |slot: usize, v: i32| isa.insn(name, &[("rt", v), ("rn", SP), ("imm", 4 * slot as i32)])
        };
        let (store, load) = (slot("str.imm"), slot("ldr.imm"));
        let constraints = Constraints {
            free,
            flags: &[],
            unmarked_is_constant: true,
            spill: (slots > 0).then_some(Spill { store: &store, load: &load, slots }),
            bytes: short.then_some(&bytes),
            idle: None,
        };
        // With long latencies, an order without stalls may need more registers than there are: then the order
        // for a processor with shorter latencies is used.
        let arranged = arrange(isa, &self.block, &constraints, how.timing, how.search)
            .or_else(|_| arrange(isa, &self.block, &constraints, &CORTEX_M4, how.search))?;
        let narrowed = if short { narrowed_near } else { narrowed };
        let items = arranged.items.into_iter().map(|item| narrowed(isa, item)).collect();
        Ok((items, arranged.used.into_iter().map(i32::from).collect(), arranged.slots))
    }

    /// Like [`Line::arranged`], with as many registers as are worth saving.
    pub(crate) fn arranged_frugally(&self, how: &How) -> Result<(Vec<Item>, Vec<i32>), String> {
        let mut best = self.arranged(how, &FREE)?;
        let cost = |(items, used): &(Vec<Item>, Vec<i32>)| {
            let saved = used.iter().filter(|r| SAVED.contains(r)).count() as u64;
            2 * saved + price::straight(self.isa, items.iter().filter_map(insn), &mut *how.timing.model())
        };
        for count in (5..FREE.len()).rev() {
            let Ok(found) = self.arranged(how, &FREE[..count]) else { break };
            if cost(&found) < cost(&best) {
                best = found;
            }
        }
        Ok(best)
    }
}

/// An instruction that reads the word at a following label.
pub fn pooled(insn: Insn, label: &str) -> Item {
    Item::Linked { insn, field: "imm".into(), label: label.to_owned(), addend: 0, part: Part::Ahead(4) }
}

/// A branch to a label.
pub fn branch(isa: &Isa, name: &str, label: &str) -> Item {
    let field = if name == "b.w" || name == "bl" { "far" } else { "label" };
    Item::Linked {
        insn: isa.insn(name, &[]),
        field: field.into(),
        label: label.to_owned(),
        addend: 0,
        part: Part::Distance,
    }
}

/// The start of a message function: returns if the number of blocks, the fifth argument, is zero. Only the
/// twelfth register is free there, and none of the lower ones.
pub fn entry(isa: &Isa, some: &str) -> Vec<Item> {
    let moved = |to: i32, from: i32| Item::Insn(isa.insn("mov_any", &[("rd", to), ("rm", from)]));
    vec![
        moved(12, 0),
        Item::Insn(isa.insn("ldr_sp", &[("rt", 0), ("imm", 0)])),
        Item::Insn(isa.insn("cmp_imm", &[("rn", 0), ("imm", 0)])),
        branch(isa, "bne", some),
        Item::Insn(isa.insn("bx", &[("rm", 14)])),
        Item::Label(some.to_owned()),
        moved(0, 12),
    ]
}

/// Registers as a register list field.
pub fn list(registers: &[i32]) -> i32 {
    registers.iter().fold(0, |list, r| list | 1 << r)
}

/// Callee-saved registers (Procedure Call Standard for the Arm Architecture, 6.1.1).
pub const SAVED: [i32; 8] = [4, 5, 6, 7, 8, 9, 10, 11];

/// A function: its code between the saving of registers and the return. `arguments` are saved below all
/// others. `frame` is the number of bytes to release below the saved registers after the code, and the number of
/// bytes to reserve before it.
pub fn function(isa: &Isa, arguments: &[i32], used: &[i32], frame: (i32, i32), code: Vec<Item>) -> Vec<Item> {
    let mut saved: Vec<i32> = SAVED.into_iter().filter(|r| used.contains(r)).collect();
    let returns_by_pop = used.contains(&LR);
    if returns_by_pop {
        saved.push(LR);
    }
    let several = |name: &str, registers: &[i32]| {
        let fields = [("rn", SP), ("list", list(registers))];
        let small = registers.iter().all(|&r| !(8..LR).contains(&r));
        Item::Insn(match (name, small, registers) {
            // A list of one register is another instruction in 32 bits.
            ("push", true, _) => isa.insn("push", &fields[1..]),
            ("pop", true, _) => isa.insn("pop", &fields[1..]),
            ("push", _, &[one]) => isa.insn("str.pre_down", &[("rt", one), ("rn", SP), ("imm", 4)]),
            ("pop", _, &[one]) => isa.insn("ldr.post_up", &[("rt", one), ("rn", SP), ("imm", 4)]),
            ("push", ..) => isa.insn("stmdb.back", &fields),
            _ => isa.insn("ldmia.back", &fields),
        })
    };
    let mut items = Vec::new();
    let below = [arguments, &saved[..]].concat();
    if !below.is_empty() {
        items.push(several("push", &below));
    }
    if frame.1 > 0 {
        items.push(Item::Insn(isa.insn("sp_down", &[("imm", frame.1)])));
    }
    items.extend(code);
    if frame.0 > 0 {
        items.push(Item::Insn(isa.insn("sp_up", &[("imm", frame.0)])));
    }
    if returns_by_pop {
        saved.pop();
        saved.push(PC);
    }
    if !saved.is_empty() {
        items.push(several("pop", &saved));
    }
    if !returns_by_pop {
        items.push(Item::Insn(isa.insn("bx", &[("rm", LR)])));
    }
    items
}

/// The section of a function: aligned code, and words after it, each with its label and the symbol whose
/// address it holds.
pub fn section(isa: &Isa, symbol: &str, items: Vec<Item>, pool: &[(&str, &str)]) -> Section {
    let mut all = vec![Item::Align(4), Item::Label(symbol.to_owned())];
    let halves: usize = items.iter().filter_map(insn).map(|i| usize::from(isa.of(i).bytes()) / 2).sum();
    all.extend(items);
    if halves % 2 == 1 {
        // Assemblers differ in their fill; this instruction has no effect either.
        all.push(Item::Insn(isa.insn("mov_any", &[("rd", 8), ("rm", 8)])));
    }
    for (label, address) in pool {
        all.push(Item::Label((*label).to_owned()));
        all.push(Item::Word(Some((*address).to_owned()), 0));
    }
    Section { name: ".text", address: 0x1_0000, writable: false, items: all }
}
