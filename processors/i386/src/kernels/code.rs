//! Code in the making: instructions with memory operands, and the stack frame of a function.
//!
//! ```text
//! stack pointer   the function's own words
//!                 callee-saved registers
//!                 the return address
//!                 arguments
//! ```

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part};

use crate::table::{EAX, EBP, EBX, EDI, ESI, ESP, isa};

/// Callee-saved registers, in the order in which they are pushed.
const SAVED: [i32; 4] = [EBP, EBX, ESI, EDI];

/// A memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// One of the function's own words.
    Own(i32),
    /// One byte of such a word, by its index.
    OwnByte(i32, i32),
    /// An argument of the function, by its number.
    Argument(i32),
    /// A register plus an offset.
    At(i32, i32),
    /// The entry of a table, indexed by a register.
    Entry(Entry, i32),
}

/// The entries of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The table's label.
    pub label: &'static str,
    /// The offset of the first entry from it, in bytes.
    pub from: i32,
    /// The size of an entry in bytes, as a power of two.
    pub scale: i32,
}

/// A function in the making.
#[derive(Debug)]
pub struct Code {
    symbol: String,
    words: i32,
    items: Vec<Item>,
    behind: Vec<Item>,
    /// The range of the items that run for each block.
    turn: Option<(usize, usize)>,
}

impl Code {
    /// A function with `words` words of its own.
    pub fn new(symbol: &str, words: i32) -> Code {
        let items = vec![Item::Label(symbol.into())];
        let mut code = Code { symbol: symbol.into(), words, items, behind: Vec::new(), turn: None };
        for register in SAVED {
            code.put("push", &[("r", register)]);
        }
        if words > 0 {
            code.number("sub", ESP, 4 * words);
        }
        code
    }

    /// Releases the frame, and returns.
    pub fn leave(&mut self) {
        if self.words > 0 {
            self.number("add", ESP, 4 * self.words);
        }
        for register in SAVED.into_iter().rev() {
            self.put("pop", &[("r", register)]);
        }
        self.put("ret", &[]);
    }

    /// All items of the function.
    pub fn finish(mut self) -> Vec<Item> {
        self.items.append(&mut self.behind);
        self.items
    }

    /// The instructions that run for each block; all of the function if it processes one block.
    pub fn of_a_block(&self) -> Vec<Insn> {
        let (from, until) = self.turn.unwrap_or((0, self.items.len()));
        let insns = self.items[from..until].iter().filter_map(|item| match item {
            Item::Insn(insn) | Item::Linked { insn, .. } => Some(*insn),
            _ => None,
        });
        insns.collect()
    }

    /// An instruction on registers and immediates.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(isa().insn(name, fields)));
    }

    /// An instruction on a register and an immediate, in the encoding that assemblers choose.
    pub fn number(&mut self, name: &str, register: i32, number: i32) {
        let (row, fields) = match (i8::try_from(number), register) {
            (Ok(_), _) => ("n8", vec![("m", register), ("n", number)]),
            (Err(_), EAX) => ("eax", vec![("n", number)]),
            (Err(_), _) => ("n32", vec![("m", register), ("n", number)]),
        };
        self.put(&format!("{name}_{row}"), &fields);
    }

    /// A right shift of a register.
    pub fn shift(&mut self, register: i32, places: i32) {
        self.put("shr_n", &[("m", register), ("c", places)]);
    }

    /// A byte of a register, by its row: the lowest or the second one.
    pub fn byte(&mut self, into: i32, of: i32, row: usize) {
        let name = if row.is_multiple_of(2) { "movzbl_l" } else { "movzbl_h" };
        self.put(name, &[("r", into), ("q", of)]);
    }

    /// An operation with a memory operand; `fields` are a register and other fields.
    pub fn memory(&mut self, name: &str, at: Memory, fields: &[(&str, i32)]) {
        let own = |at: i32| (ESP, at);
        let (base, distance) = match at {
            Memory::Own(word) => own(4 * word),
            Memory::OwnByte(word, byte) => own(4 * word + byte),
            Memory::Argument(number) => own(4 * (self.words + SAVED.len() as i32 + 1 + number)),
            Memory::At(base, distance) => (base, distance),
            Memory::Entry(entry, index) => return self.entry(name, entry, index, fields),
        };
        let of = if base == ESP { "stack" } else { "base" };
        let bytes = match distance {
            0 if base != EBP => 0,
            -128..128 => 8,
            _ => 32,
        };
        let mut all = fields.to_vec();
        all.extend((base != ESP).then_some(("b", base)));
        all.extend((bytes > 0).then_some(("d", distance)));
        self.put(&format!("{name}_{of}{bytes}"), &all);
    }

    fn entry(&mut self, name: &str, entry: Entry, index: i32, fields: &[(&str, i32)]) {
        let mut all = fields.to_vec();
        all.extend([("i", index), ("s", entry.scale)]);
        let insn = isa().insn(&format!("{name}_table"), &all);
        let (field, label) = ("d".to_owned(), entry.label.to_owned());
        self.items.push(Item::Linked { insn, field, label, addend: entry.from.into(), part: Part::Whole });
    }

    /// Loads a register.
    pub fn load(&mut self, register: i32, at: Memory) {
        self.memory("mov_r", at, &[("r", register)]);
    }

    /// Stores a register.
    pub fn store(&mut self, register: i32, at: Memory) {
        self.memory("mov_m", at, &[("r", register)]);
    }

    /// XORs a memory word into a register.
    pub fn xor(&mut self, register: i32, at: Memory) {
        self.memory("xor_r", at, &[("r", register)]);
    }

    /// Loads a byte, zero-extended.
    pub fn load_byte(&mut self, register: i32, at: Memory) {
        self.memory("movzbl_r", at, &[("r", register)]);
    }

    /// The label of a place.
    fn place(&self, name: &str) -> String {
        format!(".L{}_{name}", self.symbol)
    }

    /// Binds a label here.
    pub fn label(&mut self, name: &str) {
        self.items.push(Item::Label(self.place(name)));
    }

    /// A jump to a label; `_short` forms, which assemblers choose, reach at most 127 bytes.
    pub fn jump(&mut self, name: &str, to: &str) {
        let field = match name {
            "jmp" => "near",
            _ if name.ends_with("_short") => "short",
            _ => "far",
        };
        let field = field.to_owned();
        let (insn, label) = (isa().insn(name, &[]), self.place(to));
        self.items.push(Item::Linked { insn, field, label, addend: 0, part: Part::Distance });
    }

    /// Code that goes after the function's return.
    pub fn behind(&mut self, write: impl FnOnce(&mut Code)) {
        let from = self.items.len();
        write(self);
        let moved = self.items.split_off(from);
        self.behind.extend(moved);
    }

    /// Code that runs for each block.
    pub fn turn(&mut self, write: impl FnOnce(&mut Code)) {
        let from = self.items.len();
        write(self);
        self.turn = Some((from, self.items.len()));
    }
}

/// The start of a message function: returns if the number of blocks, the fifth argument, is zero.
pub fn entry(some: &str) -> Vec<Item> {
    let asks = isa().insn("cmp_m_n8_stack8", &[("d", 20), ("n", 0)]);
    let (insn, field, label) = (isa().insn("jne_short", &[]), "short".to_owned(), some.to_owned());
    let on = Item::Linked { insn, field, label, addend: 0, part: Part::Distance };
    vec![Item::Insn(asks), on, Item::Insn(isa().insn("ret", &[]))]
}
