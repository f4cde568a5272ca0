//! Word operations as RV32 instructions. Row 0 of a column is the lowest byte of a word.

use aesmith_isa::assemble::Item;
use aesmith_order::inorder::Block;
use aesmith_words::machine::region::IV;
use aesmith_words::machine::{LookedUp, Machine, Size};

use super::writer::Writer;
use super::writer::register::ZERO;

/// The range of an immediate of `addi`.
const NUMBERS: (i32, i32) = (-2048, 2047);

fn loads(size: Size) -> &'static str {
    match size {
        Size::Byte => "lbu",
        Size::Half => "lhu",
        Size::Word | Size::Double => "lw",
    }
}

impl Writer<'_> {
    fn put(&mut self, name: &str, fields: &[(&str, i32)], region: Option<u16>) {
        let insn = self.isa.insn(name, fields);
        self.block.item(Item::Insn(insn), region);
    }

    /// A word shifted up by this many bits, or down if negative.
    fn moved(&mut self, word: i32, up: i32) -> i32 {
        match up {
            0 => word,
            1.. => self.shift("slli", word, up),
            _ => self.shift("srli", word, -up),
        }
    }

    /// The byte from bit `low` on, multiplied by `1 << scale`, zero-extended.
    fn byte(&mut self, word: i32, low: i32, scale: i32) -> i32 {
        let moved = self.moved(word, scale - low);
        if low == 24 && scale == 0 { moved } else { self.with("andi", moved, 0xff << scale) }
    }
}

impl Machine for Writer<'_> {
    fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    fn xor_to(&mut self, into: i32, a: i32, b: i32) {
        self.put("xor", &[("rd", into), ("rs1", a), ("rs2", b)], None);
    }

    fn load_to(&mut self, into: i32, size: Size, base: i32, offset: i32, region: Option<u16>) {
        self.put(loads(size), &[("rd", into), ("rs1", base), ("imm", offset)], region);
    }

    fn store(&mut self, _: Size, value: i32, base: i32, offset: i32, region: u16) {
        self.put("sw", &[("rs2", value), ("rs1", base), ("imm", offset)], Some(region));
    }

    fn load_next(&mut self, base: i32, by: i32, region: Option<u16>) -> i32 {
        self.advance(base, by);
        self.load("lw", base, 0, region)
    }

    fn store_next(&mut self, value: i32, base: i32, by: i32, region: u16) {
        self.advance(base, by);
        self.store(value, base, 0, region);
    }

    fn low_bit(&self, row: usize) -> u8 {
        8 * row as u8
    }

    fn index(&mut self, word: i32, row: usize, scale: u8) -> i32 {
        self.byte(word, 8 * row as i32, scale.into())
    }

    fn entry(&mut self, size: Size, base: i32, index: i32) -> i32 {
        self.entry_near(size, base, 0, index)
    }

    fn entry_near(&mut self, size: Size, base: i32, offset: i32, index: i32) -> i32 {
        let at = self.two("add", base, index);
        self.load(loads(size), at, offset, None)
    }

    fn placed(&mut self, found: LookedUp, row: usize) -> i32 {
        let (from, to) = (i32::from(found.low), 8 * row as i32);
        if found.alone {
            return self.moved(found.value, to - from);
        }
        let byte = self.byte(found.value, from, 0);
        self.moved(byte, to)
    }

    fn turned(&mut self, word: i32, rows: usize) -> i32 {
        self.rotated(word, 32 - 8 * rows as i32)
    }

    fn sum(&mut self, a: i32, by: i32) -> i32 {
        self.with("addi", a, by)
    }

    fn advance(&mut self, register: i32, by: i32) {
        self.put("addi", &[("rd", register), ("rs1", register), ("imm", by)], None);
    }

    fn advance_and_test(&mut self, register: i32, by: i32) {
        self.advance(register, by);
    }

    fn with_constant(&mut self, word: i32, constant: u8) -> i32 {
        self.with("xori", word, constant.into())
    }

    fn put_address(&mut self, register: i32, label: &str) {
        self.address_to(register, label, 0);
    }

    fn put_address_after(&mut self, register: i32, label: &str, distance: i32) {
        self.address_to(register, label, distance.into());
    }

    fn put_near(&mut self, register: i32, base: i32, distance: i32) {
        let first = distance.clamp(NUMBERS.0, NUMBERS.1);
        self.put("addi", &[("rd", register), ("rs1", base), ("imm", first)], None);
        if first != distance {
            self.put_near(register, register, distance - first);
        }
    }

    /// Byte by byte, with the carry of each into the next.
    fn increment(&mut self, counter: i32, bytes: u8) {
        let put = |w: &mut Self, value: i32, at: i32| {
            w.put("sb", &[("rs2", value), ("rs1", counter), ("imm", at)], Some(IV));
        };
        let mut carry = None;
        for at in (0..i32::from(bytes)).rev() {
            let byte = self.load("lbu", counter, at, Some(IV));
            let sum = match carry {
                Some(carry) => self.two("add", byte, carry),
                None => self.with("addi", byte, 1),
            };
            put(self, sum, at);
            carry = Some(self.shift("srli", sum, 8));
        }
        (bytes..16).for_each(|at| put(self, ZERO.into(), at.into()));
    }

    fn store_byte_of(&mut self, value: i32, scale: u8, base: i32, offset: i32, region: u16) {
        let byte = self.moved(value, -i32::from(scale));
        self.put("sb", &[("rs2", byte), ("rs1", base), ("imm", offset)], Some(region));
    }
}
