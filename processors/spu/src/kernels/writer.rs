//! Operations of kernels on 16 bytes as SPU instructions.

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part};
use aesmith_order::inorder::Block;
use aesmith_vectors::machine::Machine;

use crate::table::isa;

/// The label of the constants.
pub const CONSTANTS: &str = ".Lconstants";

/// Writes a block.
pub struct Writer {
    block: Block,
    /// Whether upper nibbles are moved down in the even pipe.
    nibbles_even: bool,
    /// Whether columns are rotated in the even pipe.
    columns_even: bool,
}

impl Writer {
    /// With these choices of pipes.
    pub fn new(nibbles_even: bool, columns_even: bool) -> Writer {
        Writer { block: Block::default(), nibbles_even, columns_even }
    }

    fn put(&mut self, name: &str, fields: &[(&str, i32)]) -> i32 {
        let rt = self.block.fresh();
        let all: Vec<(&str, i32)> = fields.iter().copied().chain([("rt", rt)]).collect();
        let insn: Insn = isa().insn(name, &all);
        self.block.push(insn);
        rt
    }

    /// With a number that a field has as a signed byte.
    fn with_byte(&mut self, name: &str, a: i32, byte: u8) -> i32 {
        self.put(name, &[("ra", a), ("ten", i32::from(byte as i8))])
    }
}

impl Machine for Writer {
    fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    fn xor(&mut self, a: i32, b: i32) -> i32 {
        self.put("xor", &[("ra", a), ("rb", b)])
    }

    fn and_byte(&mut self, a: i32, byte: u8) -> i32 {
        self.with_byte("andbi", a, byte)
    }

    fn xor_byte(&mut self, a: i32, byte: u8) -> i32 {
        self.with_byte("xorbi", a, byte)
    }

    fn upper_nibbles(&mut self, a: i32) -> i32 {
        let name = if self.nibbles_even { "rothmi" } else { "rotqmbii" };
        self.put(name, &[("ra", a), ("seven", -4)])
    }

    fn twice(&mut self, a: i32) -> i32 {
        let moved = self.put("shlqbii", &[("ra", a), ("seven", 1)]);
        self.and_byte(moved, 0xfe)
    }

    fn look_up(&mut self, table: i32, index: i32) -> i32 {
        self.shuffle(table, table, index)
    }

    fn shuffle(&mut self, a: i32, b: i32, control: i32) -> i32 {
        self.put("shufb", &[("ra", a), ("rb", b), ("rc", control)])
    }

    fn rotate_words(&mut self, a: i32, bytes: u8) -> Option<i32> {
        self.columns_even.then(|| self.put("roti", &[("ra", a), ("seven", 8 * i32::from(bytes))]))
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
}
