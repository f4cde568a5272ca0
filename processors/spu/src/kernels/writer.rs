//! Kernel operations on 16 bytes as SPU instructions.

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part};
use aesmith_order::inorder::Block;
use aesmith_vectors::function::CONSTANTS;
use aesmith_vectors::lower::Constants;
use aesmith_vectors::machine::{Flag, Machine, columns_rotated};

use super::target::flagged;
use crate::table::isa;

/// Writes a block.
pub struct Writer {
    block: Block,
    /// True to shift upper nibbles down in the even pipe.
    nibbles_even: bool,
    /// True to rotate columns in the even pipe.
    columns_even: bool,
}

impl Writer {
    /// A writer with these choices of pipes.
    pub fn new(nibbles_even: bool, columns_even: bool) -> Writer {
        Writer { block: Block::default(), nibbles_even, columns_even }
    }

    fn put_new(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        let rt = self.block.fresh();
        let all: Vec<(&str, i32)> = fields.iter().copied().chain([("rt", rt)]).collect();
        let insn: Insn = isa().insn(name, &all);
        self.block.push(insn);
        rt
    }

    /// An instruction with an immediate, which the field holds as a signed byte.
    fn with_byte(&mut self, name: &str, a: i32, byte: u8) -> i32 {
        self.put_new(name, &[("ra", a), ("ten", i32::from(byte as i8))])
    }
}

impl Machine for Writer {
    fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    fn xor(&mut self, a: i32, b: i32) -> i32 {
        self.put_new("xor", &[("ra", a), ("rb", b)])
    }

    fn and(&mut self, a: i32, b: i32) -> i32 {
        self.put_new("and", &[("ra", a), ("rb", b)])
    }

    fn and_byte(&mut self, _: &mut Constants, a: i32, byte: u8) -> i32 {
        self.with_byte("andbi", a, byte)
    }

    fn xor_byte(&mut self, _: &mut Constants, a: i32, byte: u8) -> i32 {
        self.with_byte("xorbi", a, byte)
    }

    fn upper_nibbles(&mut self, _: &mut Constants, a: i32) -> i32 {
        let name = if self.nibbles_even { "rothmi" } else { "rotqmbii" };
        self.put_new(name, &[("ra", a), ("seven", -4)])
    }

    fn clears_above_nibbles(&self) -> bool {
        false
    }

    fn twice(&mut self, constants: &mut Constants, a: i32) -> i32 {
        let moved = self.put_new("shlqbii", &[("ra", a), ("seven", 1)]);
        self.and_byte(constants, moved, 0xfe)
    }

    fn nowhere(&self) -> u8 {
        0x80
    }

    fn look_up(&mut self, _: &mut Constants, table: i32, index: i32) -> i32 {
        self.shuffle(table, table, index)
    }

    /// A look-up whose index is only the byte's sign: the lowest bits select among equal entries.
    fn where_positive(&mut self, constants: &mut Constants, byte: u8, a: i32) -> i32 {
        let index = self.and_byte(constants, a, 0x8f);
        let table = constants.byte(self, byte);
        self.shuffle(table, table, index)
    }

    fn shuffle(&mut self, a: i32, b: i32, control: i32) -> i32 {
        self.put_new("shufb", &[("ra", a), ("rb", b), ("rc", control)])
    }

    fn rotate_words(&mut self, constants: &mut Constants, a: i32, bytes: u8) -> i32 {
        if self.columns_even {
            return self.put_new("roti", &[("ra", a), ("seven", 8 * i32::from(bytes))]);
        }
        let control = constants.get(self, columns_rotated(bytes));
        self.shuffle(a, a, control)
    }

    fn add_words(&mut self, a: i32, b: i32) -> i32 {
        self.put_new("a", &[("ra", a), ("rb", b)])
    }

    fn add_words_to(&mut self, into: i32, a: i32) {
        self.block.push(isa().insn("a", &[("rt", into), ("ra", into), ("rb", a)]));
    }

    fn carry_words(&mut self, a: i32, b: i32) -> i32 {
        self.put_new("cg", &[("ra", a), ("rb", b)])
    }

    fn words_before(&mut self, _: &mut Constants, a: i32) -> i32 {
        self.put_new("shlqbyi", &[("ra", a), ("up", 4)])
    }

    fn constant(&mut self, place: usize) -> i32 {
        let rt = self.block.fresh();
        let (insn, field) = (isa().insn("lqr", &[("rt", rt)]), "off".to_owned());
        let (label, addend) = (CONSTANTS.to_owned(), 16 * place as i64);
        self.block.item(Item::Linked { insn, field, label, addend, part: Part::Distance }, None);
        rt
    }

    fn load(&mut self, base: i32, offset: i32, region: Option<u16>) -> i32 {
        let rt = self.block.fresh();
        let insn = isa().insn("lqd", &[("rt", rt), ("ra", base), ("quads", offset)]);
        self.block.item(Item::Insn(insn), region);
        rt
    }

    fn store(&mut self, value: i32, base: i32, offset: i32, region: u16) {
        let insn = isa().insn("stqd", &[("rt", value), ("ra", base), ("quads", offset)]);
        self.block.push_in(insn, region);
    }

    fn put(&mut self, into: i32, a: i32) {
        self.block.push(isa().insn("ori", &[("rt", into), ("ra", a), ("ten", 0)]));
    }

    fn advance(&mut self, register: i32, by: i32) {
        self.put_near(register, register, by);
    }

    /// Only the first word changes.
    fn count(&mut self, constants: &mut Constants, register: i32, by: i32) {
        let bytes = by.to_be_bytes();
        let by = constants.get(self, std::array::from_fn(|i| if i < 4 { bytes[i] } else { 0 }));
        self.add_words_to(register, by);
    }

    fn count_byte(&mut self, constants: &mut Constants, register: i32, by: i32) {
        if by != 0 {
            self.count(constants, register, by);
        }
        self.block.push(isa().insn("andi", &[("rt", register), ("ra", register), ("ten", 0xff)]));
    }

    fn put_near(&mut self, register: i32, base: i32, distance: i32) {
        self.block.push(isa().insn("ai", &[("rt", register), ("ra", base), ("ten", distance)]));
    }

    fn compare(&mut self, register: i32, number: i32, flag: Flag) {
        let found = self.put_new("clgti", &[("ra", register), ("ten", number - 1)]);
        // The comparison results of the other words are meaningless.
        let alone = self.put_new("rotqmbyi", &[("ra", found), ("seven", -12)]);
        let flag = flagged(flag);
        self.block.push(isa().insn("shlqbyi", &[("rt", flag), ("ra", alone), ("up", 12)]));
    }

    /// Does nothing: constants are near the program, and offsets are in instructions.
    fn put_kept(&mut self, _: &[u8]) {}
}
