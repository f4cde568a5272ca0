//! Word operations as SPARC instructions. Words are in the lower halves of registers, whose upper halves are
//! arbitrary.

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part};
use aesmith_order::inorder::Block;
use aesmith_words::machine::region::IV;
use aesmith_words::machine::{LookedUp, Machine, Size, low_bit};

use crate::table::isa;

/// Writes a block.
#[derive(Default)]
pub struct Writer {
    block: Block,
    /// True to make an index of a byte by one shift and a mask in its place; otherwise a byte is shifted down,
    /// masked and shifted up.
    scaled: bool,
    /// True to shift padded words as 32-bit words if that saves the mask.
    narrow: bool,
}

impl Writer {
    /// A writer with these choices.
    pub fn new(scaled: bool, narrow: bool) -> Writer {
        Writer { block: Block::default(), scaled, narrow }
    }

    fn put(&mut self, name: &str, fields: &[(&str, i32)], region: Option<u16>) {
        let insn: Insn = isa().insn(name, fields);
        self.block.item(Item::Insn(insn), region);
    }

    fn linked(&mut self, name: &str, fields: &[(&str, i32)], field: &str, (label, part): (&str, Part)) {
        let (insn, field, label) = (isa().insn(name, fields), field.to_owned(), label.to_owned());
        self.block.item(Item::Linked { insn, field, label, addend: 0, part }, None);
    }

    /// An operation on a register and an immediate.
    fn with(&mut self, name: &str, a: i32, number: i32) -> i32 {
        let rd = self.block.fresh();
        let field = if isa().operand(&isa().insn(name, &[]), "shcnt").is_some() { "shcnt" } else { "simm" };
        self.put(name, &[("rd", rd), ("rs1", a), (field, number)], None);
        rd
    }

    /// An operation on two registers.
    fn of(&mut self, name: &str, a: i32, b: i32) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[("rd", rd), ("rs1", a), ("rs2", b)], None);
        rd
    }

    /// A word shifted up by this many bits, or down if negative. The bits below are lost; the bits above the
    /// word stay.
    fn moved(&mut self, word: i32, up: i32) -> i32 {
        match up {
            0 => word,
            1.. => self.with("sll_i", word, up),
            _ => self.with("srl_i", word, -up),
        }
    }

    /// The byte from bit `low` on, multiplied by `1 << scale`, zero-extended.
    fn byte(&mut self, word: i32, low: i32, scale: i32) -> i32 {
        if low == 24 && scale == 0 {
            return self.moved(word, -24);
        }
        let moved = self.moved(word, scale - low);
        self.with("and_i", moved, 0xff << scale)
    }
}

/// The low bit of a row's byte.
fn low(row: usize) -> i32 {
    low_bit(row).into()
}

impl Machine for Writer {
    fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    fn whole(&self) -> Size {
        Size::Double
    }

    fn xor_to(&mut self, into: i32, a: i32, b: i32) {
        self.put("xor", &[("rd", into), ("rs1", a), ("rs2", b)], None);
    }

    fn load_to(&mut self, into: i32, size: Size, base: i32, offset: i32, region: Option<u16>) {
        let name = match size {
            Size::Byte => "ldub_i",
            Size::Half => "lduh_i",
            Size::Word => "lduw_i",
            Size::Double => "ldx_i",
        };
        self.put(name, &[("rd", into), ("rs1", base), ("simm", offset)], region);
    }

    fn store(&mut self, size: Size, value: i32, base: i32, offset: i32, region: u16) {
        let name = if size == Size::Double { "stx_i" } else { "stw_i" };
        self.put(name, &[("rd", value), ("rs1", base), ("simm", offset)], Some(region));
    }

    fn load_next(&mut self, base: i32, by: i32, region: Option<u16>) -> i32 {
        self.advance(base, by);
        self.load(Size::Word, base, 0, region)
    }

    fn store_next(&mut self, value: i32, base: i32, by: i32, region: u16) {
        self.advance(base, by);
        self.store(Size::Word, value, base, 0, region);
    }

    fn index(&mut self, word: i32, row: usize, scale: u8) -> i32 {
        let scale = i32::from(scale);
        if self.scaled {
            return self.byte(word, low(row), scale);
        }
        let byte = self.byte(word, low(row), 0);
        self.moved(byte, scale)
    }

    fn padded_index(&mut self, word: i32, row: usize, bits: i32) -> i32 {
        match row {
            0 => self.with("srlx_i", word, 48),
            1 => {
                let moved = self.with("srlx_i", word, 32);
                self.with("and_i", moved, bits)
            }
            2 if self.narrow => self.with("srl_i", word, 16),
            2 => {
                let moved = self.with("srlx_i", word, 16);
                self.with("and_i", moved, bits)
            }
            _ => self.with("and_i", word, bits),
        }
    }

    fn padded(&mut self, word: i32, scale: u8) -> i32 {
        let bytes: [i32; 4] = std::array::from_fn(|row| self.byte(word, low(row), 0));
        let mut sum = bytes[0];
        for &byte in &bytes[1..] {
            let up = self.with("sllx_i", sum, 16);
            sum = self.of("or", up, byte);
        }
        self.with("sllx_i", sum, scale.into())
    }

    fn entry(&mut self, size: Size, base: i32, index: i32) -> i32 {
        let name = match size {
            Size::Byte => "ldub",
            Size::Half => "lduh",
            Size::Word => "lduw",
            Size::Double => "ldx",
        };
        self.of(name, base, index)
    }

    fn placed(&mut self, found: LookedUp, row: usize) -> i32 {
        let (from, to) = (i32::from(found.low), low(row));
        if found.alone {
            return self.moved(found.value, to - from);
        }
        let byte = self.byte(found.value, from, 0);
        self.moved(byte, to)
    }

    fn turned(&mut self, word: i32, rows: usize) -> i32 {
        let by = 8 * rows as i32;
        let (down, up) = (self.moved(word, -by), self.moved(word, 32 - by));
        self.of("or", down, up)
    }

    fn sum(&mut self, a: i32, by: i32) -> i32 {
        self.with("add_i", a, by)
    }

    fn advance(&mut self, register: i32, by: i32) {
        self.put("add_i", &[("rd", register), ("rs1", register), ("simm", by)], None);
    }

    fn advance_and_test(&mut self, register: i32, by: i32) {
        self.advance(register, by);
    }

    fn with_constant(&mut self, word: i32, constant: u8) -> i32 {
        let rd = self.block.fresh();
        // Sets the upper 22 bits of a word.
        self.put("sethi", &[("rd", rd), ("imm", i32::from(constant) << 14)], None);
        self.of("xor", word, rd)
    }

    /// A 44-bit address, in the parts that linkers have relocations for, for programs linked to a fixed address
    /// or not.
    fn put_address(&mut self, register: i32, label: &str) {
        let same = [("rd", register), ("rs1", register)];
        self.linked("sethi", &same[..1], "imm", (label, Part::Upper44));
        self.linked("or_i", &same, "simm", (label, Part::Middle44));
        self.put("sllx_i", &[same[0], same[1], ("shcnt", 12)], None);
        self.linked("or_i", &same, "simm", (label, Part::Lower44));
    }

    fn put_near(&mut self, register: i32, base: i32, distance: i32) {
        let first = distance.clamp(-4096, 4095);
        self.put("add_i", &[("rd", register), ("rs1", base), ("simm", first)], None);
        if first != distance {
            self.put_near(register, register, distance - first);
        }
    }

    /// The sum of a word has its carry in bit 32.
    fn increment(&mut self, counter: i32, bytes: u8) {
        let words: [i32; 4] = std::array::from_fn(|k| self.load(Size::Word, counter, 4 * k as i32, Some(IV)));
        let (low, one) = match bytes {
            16 => (words[3], 1),
            _ => (self.with("andn_i", words[3], 0xff), 0x100),
        };
        let mut sum = self.with("add_i", low, one);
        self.store(Size::Word, sum, counter, 12, IV);
        for k in (0..3).rev() {
            let carry = self.with("srlx_i", sum, 32);
            sum = self.of("add", words[k], carry);
            self.store(Size::Word, sum, counter, 4 * k as i32, IV);
        }
    }

    fn store_byte_of(&mut self, value: i32, scale: u8, base: i32, offset: i32, region: u16) {
        let byte = self.with("srl_i", value, scale.into());
        self.put("stb_i", &[("rd", byte), ("rs1", base), ("simm", offset)], Some(region));
    }
}
