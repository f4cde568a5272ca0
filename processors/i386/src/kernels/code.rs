//! Code in the making: instructions with their operands in memory, and the frame of a function.
//!
//! ```text
//! stack pointer   the function's own words
//!                 registers saved for the caller
//!                 the address of return
//!                 arguments
//! ```

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part};

use crate::table::{EAX, EBP, EBX, EDI, ESI, ESP, isa};

/// Registers that are saved for the caller, in the order in which they are pushed.
const SAVED: [i32; 4] = [EBP, EBX, ESI, EDI];

/// An operand in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// A word of the function's own.
    Own(i32),
    /// The byte so many of such a word.
    OwnByte(i32, i32),
    /// An argument of the function, by its number.
    Argument(i32),
    /// What a register and a distance from it say.
    At(i32, i32),
    /// The entry of a table that a register numbers.
    Entry(Entry, i32),
}

/// Where entries of a table are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The table's label.
    pub label: &'static str,
    /// How far behind it the first entry is.
    pub from: i32,
    /// Bytes from one to the next, as a power of two.
    pub scale: i32,
}

/// A function in the making.
#[derive(Debug)]
pub struct Code {
    symbol: String,
    words: i32,
    items: Vec<Item>,
    behind: Vec<Item>,
    /// Where those items begin and end that each block takes.
    turn: Option<(usize, usize)>,
}

impl Code {
    /// A function with so many words of its own.
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

    /// Undoes the frame, and returns.
    pub fn leave(&mut self) {
        if self.words > 0 {
            self.number("add", ESP, 4 * self.words);
        }
        for register in SAVED.into_iter().rev() {
            self.put("pop", &[("r", register)]);
        }
        self.put("ret", &[]);
    }

    /// All of it.
    pub fn finish(mut self) -> Vec<Item> {
        self.items.append(&mut self.behind);
        self.items
    }

    /// Instructions that a block takes; all of the function where there is one block.
    pub fn of_a_block(&self) -> Vec<Insn> {
        let (from, until) = self.turn.unwrap_or((0, self.items.len()));
        let insns = self.items[from..until].iter().filter_map(|item| match item {
            Item::Insn(insn) | Item::Linked { insn, .. } => Some(*insn),
            _ => None,
        });
        insns.collect()
    }

    /// An instruction of registers and numbers.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)]) {
        self.items.push(Item::Insn(isa().insn(name, fields)));
    }

    /// A register and a number, as assemblers choose the encoding.
    pub fn number(&mut self, name: &str, register: i32, number: i32) {
        let (row, fields) = match (i8::try_from(number), register) {
            (Ok(_), _) => ("n8", vec![("m", register), ("n", number)]),
            (Err(_), EAX) => ("eax", vec![("n", number)]),
            (Err(_), _) => ("n32", vec![("m", register), ("n", number)]),
        };
        self.put(&format!("{name}_{row}"), &fields);
    }

    /// Shifts a register to the right.
    pub fn shift(&mut self, register: i32, places: i32) {
        self.put("shr_n", &[("m", register), ("c", places)]);
    }

    /// A byte of a register, by its row: the lowest or that above it.
    pub fn byte(&mut self, into: i32, of: i32, row: usize) {
        let name = if row.is_multiple_of(2) { "movzbl_l" } else { "movzbl_h" };
        self.put(name, &[("r", into), ("q", of)]);
    }

    /// An operation with an operand in memory: a register, and fields of another kind.
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

    /// Adds what is in memory, bit by bit, to a register.
    pub fn xor(&mut self, register: i32, at: Memory) {
        self.memory("xor_r", at, &[("r", register)]);
    }

    /// Loads a byte, with zeros above it.
    pub fn load_byte(&mut self, register: i32, at: Memory) {
        self.memory("movzbl_r", at, &[("r", register)]);
    }

    /// The name of a place.
    fn place(&self, name: &str) -> String {
        format!(".L{}_{name}", self.symbol)
    }

    /// Puts a place here.
    pub fn label(&mut self, name: &str) {
        self.items.push(Item::Label(self.place(name)));
    }

    /// A jump to a place: assemblers choose `_short` ones where it is at most 127 bytes away.
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

    /// What is written here stands behind the function's return.
    pub fn behind(&mut self, write: impl FnOnce(&mut Code)) {
        let from = self.items.len();
        write(self);
        let moved = self.items.split_off(from);
        self.behind.extend(moved);
    }

    /// What is written here is done for each block.
    pub fn turn(&mut self, write: impl FnOnce(&mut Code)) {
        let from = self.items.len();
        write(self);
        self.turn = Some((from, self.items.len()));
    }
}

/// What a function of messages begins with: without any block, the number of which is the fifth argument, it returns.
pub fn entry(some: &str) -> Vec<Item> {
    let asks = isa().insn("cmp_m_n8_stack8", &[("d", 20), ("n", 0)]);
    let (insn, field, label) = (isa().insn("jne_short", &[]), "short".to_owned(), some.to_owned());
    let on = Item::Linked { insn, field, label, addend: 0, part: Part::Distance };
    vec![Item::Insn(asks), on, Item::Insn(isa().insn("ret", &[]))]
}
