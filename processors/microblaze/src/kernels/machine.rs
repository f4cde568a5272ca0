//! The word operations that processors share, as MicroBlaze instructions.

use aesmith_isa::assemble::{Item, Part};
use aesmith_order::inorder::Block;
use aesmith_words::machine::{LookedUp, Machine, Size};

use super::super::table::isa;
use super::writer::{Writer, region};

/// The load instruction, and the one with the sum of two registers as address.
fn loads(size: Size) -> [&'static str; 2] {
    match size {
        Size::Byte => ["lbui", "lbu"],
        Size::Half => ["lhui", "lhu"],
        Size::Word | Size::Double => ["lwi", "lw"],
    }
}

impl Writer {
    /// A word shifted up by this many bits, or down if negative.
    fn moved(&mut self, word: i32, up: i32) -> i32 {
        match up {
            0 => word,
            1.. => self.up(word, up),
            _ => self.down(word, -up),
        }
    }
}

impl Machine for Writer {
    fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    fn xor_to(&mut self, into: i32, a: i32, b: i32) {
        self.put("xor", &[("rd", into), ("ra", a), ("rb", b)], None);
    }

    fn load_to(&mut self, into: i32, size: Size, base: i32, offset: i32, region: Option<u16>) {
        self.put(loads(size)[0], &[("rd", into), ("ra", base), ("imm", offset)], region);
    }

    fn store(&mut self, _: Size, value: i32, base: i32, offset: i32, region: u16) {
        Writer::store(self, "swi", value, base, offset, region);
    }

    fn load_next(&mut self, base: i32, by: i32, region: Option<u16>) -> i32 {
        Writer::advance(self, base, by);
        Writer::load(self, "lwi", base, 0, region)
    }

    fn store_next(&mut self, value: i32, base: i32, by: i32, region: u16) {
        Writer::advance(self, base, by);
        Writer::store(self, "swi", value, base, 0, region);
    }

    fn adds_keys_last(&self) -> bool {
        true
    }

    fn low_bit(&self, row: usize) -> u8 {
        8 * row as u8
    }

    fn index(&mut self, word: i32, row: usize, scale: u8) -> i32 {
        match scale {
            0 => self.byte(word, row),
            2 => Writer::index(self, word, row),
            _ => unreachable!("tables here are of bytes or of words"),
        }
    }

    fn entry(&mut self, size: Size, base: i32, index: i32) -> i32 {
        self.two(loads(size)[1], base, index)
    }

    fn placed(&mut self, found: LookedUp, row: usize) -> i32 {
        let (from, to) = (i32::from(found.low), 8 * row as i32);
        if found.alone {
            return self.moved(found.value, to - from);
        }
        let byte = self.byte(found.value, usize::from(found.low) / 8);
        self.moved(byte, to)
    }

    /// Single bytes are joined as the variant selects.
    fn gathered(&mut self, found: [LookedUp; 4]) -> i32 {
        if found.iter().all(|f| f.alone && f.low == 0) {
            return self.join(found.map(|f| f.value));
        }
        let [a, b, c, d] = std::array::from_fn(|row| self.placed(found[row], row));
        let (ab, cd) = (Writer::xor(self, a, b), Writer::xor(self, c, d));
        Writer::xor(self, ab, cd)
    }

    fn turned(&mut self, word: i32, rows: usize) -> i32 {
        match rows {
            1 => self.up_a_row(word),
            2 => self.two_rows(word),
            _ => self.down_a_row(word),
        }
    }

    fn sum(&mut self, a: i32, by: i32) -> i32 {
        self.number("addik", a, by)
    }

    fn advance(&mut self, register: i32, by: i32) {
        Writer::advance(self, register, by);
    }

    fn advance_and_test(&mut self, register: i32, by: i32) {
        Writer::advance(self, register, by);
    }

    fn with_constant(&mut self, word: i32, constant: u8) -> i32 {
        self.number("xori", word, constant.into())
    }

    fn put_address(&mut self, register: i32, label: &str) {
        let insn = isa().insn("addik_long", &[("rd", register)]);
        let (field, label) = ("imm".into(), label.to_owned());
        self.block.item(Item::Linked { insn, field, label, addend: 0, part: Part::Whole }, None);
    }

    fn put_near(&mut self, register: i32, base: i32, distance: i32) {
        self.offset_in(register, base, distance);
    }

    /// Byte by byte: a result above a byte carries into the next one.
    fn increment(&mut self, counter: i32, bytes: u8) {
        let mut carry = None;
        for at in (0..i32::from(bytes)).rev() {
            let byte = Writer::load(self, "lbui", counter, at, Some(region::IV));
            let sum = match carry {
                Some(carry) => self.two("addk", byte, carry),
                None => self.number("addik", byte, 1),
            };
            Writer::store(self, "sbi", sum, counter, at, region::IV);
            carry = Some(self.down(sum, 8));
        }
        (bytes..16).for_each(|at| Writer::store(self, "sbi", 0, counter, at.into(), region::IV));
    }

    fn store_byte_of(&mut self, value: i32, scale: u8, base: i32, offset: i32, region: u16) {
        let byte = self.moved(value, -i32::from(scale));
        Writer::store(self, "sbi", byte, base, offset, region);
    }
}
