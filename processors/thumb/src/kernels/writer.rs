//! Straight lines over virtual registers, in the few forms that kernels of ARMv7-M use, and the
//! functions around them.

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
/// Registers that a function may give away: those of its caller first, so that few are saved.
pub const FREE: [u8; 14] = [0, 1, 2, 3, 12, 14, 4, 5, 6, 7, 8, 9, 10, 11];
/// Memory that a kernel writes, or that may be the same as what it writes.
pub const TEXT: u16 = 1;
/// The stack's slots.
pub const STACK: u16 = 2;
/// Copies of round keys on the stack.
pub const COPIES: u16 = 3;

/// How lines are arranged.
pub struct How {
    /// The processor's timing.
    pub timing: &'static Timing,
    /// How long orders are searched.
    pub search: Search,
}

/// A value in a register, turned: the register rotated by so many bits to the left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turned {
    /// The register.
    pub v: i32,
    /// Bits, a number below 32.
    pub by: i32,
}

impl Turned {
    /// As the register has it.
    pub fn plain(v: i32) -> Turned {
        Turned { v, by: 0 }
    }
}

/// A straight line being written.
pub struct Line {
    /// The table.
    pub isa: &'static Isa,
    /// What was written.
    pub block: Block,
}

impl Default for Line {
    fn default() -> Line {
        Line { isa: v7m(), block: Block::default() }
    }
}

impl Line {
    /// An empty one for ARMv7-M.
    pub fn new() -> Line {
        Line::default()
    }

    /// An instruction.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.block.push(self.isa.insn(name, fields));
    }

    /// An instruction with a new register as its `rd`.
    pub fn made(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[&[("rd", rd)], fields].concat());
        rd
    }

    /// `rn` and `rm` by data processing of two registers.
    pub fn op(&mut self, name: &str, rn: i32, rm: i32) -> i32 {
        self.made(&format!("{name}.reg"), &[("rn", rn), ("rm", rm)])
    }

    /// The same with a shift (`lsl`, `lsr`, `ror`) of the second; by nothing it is the plain form.
    pub fn op_by(&mut self, name: &str, rn: i32, rm: i32, shift: &str, by: i32) -> i32 {
        let amount = if shift == "lsr" { "right" } else { "sh" };
        match by {
            0 => self.op(name, rn, rm),
            _ => self.made(&format!("{name}.{shift}"), &[("rn", rn), ("rm", rm), (amount, by)]),
        }
    }

    /// Data processing with a number.
    pub fn op_number(&mut self, name: &str, rn: i32, number: u32) -> i32 {
        self.made(&format!("{name}.imm"), &[("rn", rn), ("const", number as i32)])
    }

    /// A shift or rotation of one register.
    pub fn shifted(&mut self, shift: &str, rm: i32, by: i32) -> i32 {
        let amount = if shift == "lsr" { "right" } else { "sh" };
        self.made(&format!("mov.{shift}"), &[("rm", rm), (amount, by)])
    }

    /// The sum of two turned values, turned as the second is.
    pub fn xor(&mut self, a: Turned, b: Turned) -> Turned {
        // rotl(a, p) ^ rotl(b, q) = rotl(b ^ rotl(a, p - q), q), and rotl(a, n) = ror(a, -n).
        Turned { v: self.op_by("eor", b.v, a.v, "ror", (b.by - a.by).rem_euclid(32)), by: b.by }
    }

    /// A byte of a word, alone.
    pub fn byte(&mut self, word: i32, number: i32) -> i32 {
        match 8 * number {
            0 => self.made("uxtb.ror", &[("rm", word)]),
            24 => self.made("mov.lsr", &[("rm", word), ("right", 24)]),
            lsb => self.made("ubfx", &[("rn", word), ("lsb", lsb), ("size", 8)]),
        }
    }

    /// A word of memory that is only read.
    pub fn load(&mut self, base: i32, offset: i32) -> i32 {
        let rt = self.block.fresh();
        self.put("ldr.imm", &[("rt", rt), ("rn", base), ("imm", offset)]);
        rt
    }

    /// A word of a region.
    pub fn load_in(&mut self, base: i32, offset: i32, region: u16) -> i32 {
        let rt = self.block.fresh();
        let insn = self.isa.insn("ldr.imm", &[("rt", rt), ("rn", base), ("imm", offset)]);
        self.block.push_in(insn, region);
        rt
    }

    /// An entry of a table: `ldr` of words, `ldrb` of bytes, entries of so many bytes.
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

    /// A word of the pool behind the code.
    pub fn literal(&mut self, label: &str) -> i32 {
        let rt = self.block.fresh();
        let insn = self.isa.insn("ldr.literal", &[("rt", rt)]);
        self.block.item(pooled(insn, label), None);
        rt
    }

    /// The code, order and registers by the model, and the registers that it uses.
    pub fn arranged(&self, how: &How, free: &[u8]) -> Result<(Vec<Item>, Vec<i32>), String> {
        let (items, used, _) = self.arranged_with(how, free, 0)?;
        Ok((items, used))
    }

    /// The same; values that find no register go to slots from the stack pointer up, at most so many.
    /// How many it takes is returned.
    pub fn arranged_with(
        &self,
        how: &How,
        free: &[u8],
        slots: usize,
    ) -> Result<(Vec<Item>, Vec<i32>, usize), String> {
        self.arranged_by(how, free, slots, false)
    }

    /// The same without slots, in registers that make for few bytes, of a function of at most 1,020 bytes.
    pub fn arranged_short(&self, how: &How, free: &[u8]) -> Result<(Vec<Item>, Vec<i32>), String> {
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
        // Where results are late, an order that waits for none may want more registers than there are: then one that
        // is made for a processor which waits less.
        let arranged = arrange(isa, &self.block, &constraints, how.timing, how.search)
            .or_else(|_| arrange(isa, &self.block, &constraints, &CORTEX_M4, how.search))?;
        let narrowed = if short { narrowed_near } else { narrowed };
        let items = arranged.items.into_iter().map(|item| narrowed(isa, item)).collect();
        Ok((items, arranged.used.into_iter().map(i32::from).collect(), arranged.slots))
    }

    /// The same with as many registers as are worth their saving.
    pub fn arranged_frugally(&self, how: &How) -> Result<(Vec<Item>, Vec<i32>), String> {
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

/// An instruction that reads the word at a label behind it.
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

/// What a function of messages begins with: without any block, the number of which is the fifth argument, it returns. No
/// register but the twelfth is free there, and none of the lower ones.
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

/// Registers as the field of a list holds them.
pub fn list(registers: &[i32]) -> i32 {
    registers.iter().fold(0, |list, r| list | 1 << r)
}

/// Registers that belong to the caller (Procedure Call Standard for the Arm Architecture, 6.1.1).
pub const SAVED: [i32; 8] = [4, 5, 6, 7, 8, 9, 10, 11];

/// A function: its code between the saving of registers and the return. `arguments` are saved below
/// all others; `frame` is how many bytes lie on the stack before them when the code ends, and how
/// many the code finds below them.
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
            // Lists of one are other instructions in 32 bits.
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

/// The section of a function: aligned code, and words behind it: label and what it is the address of.
pub fn section(isa: &Isa, symbol: &str, items: Vec<Item>, pool: &[(&str, &str)]) -> Section {
    let mut all = vec![Item::Align(4), Item::Label(symbol.to_owned())];
    let halves: usize = items.iter().filter_map(insn).map(|i| usize::from(isa.of(i).bytes()) / 2).sum();
    all.extend(items);
    if halves % 2 == 1 {
        // Assemblers differ in what they fill with; this does nothing either.
        all.push(Item::Insn(isa.insn("mov_any", &[("rd", 8), ("rm", 8)])));
    }
    for (label, address) in pool {
        all.push(Item::Label((*label).to_owned()));
        all.push(Item::Word(Some((*address).to_owned()), 0));
    }
    Section { name: ".text", address: 0x1_0000, writable: false, items: all }
}
