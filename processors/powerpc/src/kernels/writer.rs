//! Word operations as PowerPC instructions. Row 0 of a column is the highest byte of a word.

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part};
use aesmith_order::inorder::Block;
use aesmith_words::machine::{LookedUp, Machine, Size};

use crate::table::isa;

/// Writes a block.
#[derive(Default)]
pub struct Writer {
    block: Block,
}

impl Writer {
    fn put(&mut self, name: &str, fields: &[(&str, i32)], region: Option<u16>) {
        let insn: Insn = isa().insn(name, fields);
        self.block.item(Item::Insn(insn), region);
    }

    /// A word rotated left by this many bits, with only bits `mb` to `me` kept.
    fn field(&mut self, word: i32, by: i32, (mb, me): (i32, i32)) -> i32 {
        let ra = self.block.fresh();
        let sh = by.rem_euclid(32);
        self.put("rlwinm", &[("ra", ra), ("rs", word), ("sh", sh), ("mb", mb), ("me", me)], None);
        ra
    }
}

/// The first bit of a row, counted from the highest.
fn first_bit(row: usize) -> i32 {
    8 * row as i32
}

/// The first bit of a byte that was found, counted from the highest.
fn begin(found: LookedUp) -> i32 {
    24 - i32::from(found.low)
}

/// The name for a size among three; registers have 32 bits.
fn named(size: Size, names: [&'static str; 3]) -> &'static str {
    match size {
        Size::Byte => names[0],
        Size::Half => names[1],
        Size::Word | Size::Double => names[2],
    }
}

impl Machine for Writer {
    fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    fn xor_to(&mut self, into: i32, a: i32, b: i32) {
        self.put("xor", &[("ra", into), ("rs", a), ("rb", b)], None);
    }

    fn load_to(&mut self, into: i32, size: Size, base: i32, offset: i32, region: Option<u16>) {
        let name = named(size, ["lbz", "lhz", "lwz"]);
        self.put(name, &[("rt", into), ("ra", base), ("d", offset)], region);
    }

    fn store(&mut self, _: Size, value: i32, base: i32, offset: i32, region: u16) {
        self.put("stw", &[("rt", value), ("ra", base), ("d", offset)], Some(region));
    }

    fn load_next(&mut self, base: i32, by: i32, region: Option<u16>) -> i32 {
        let rt = self.block.fresh();
        self.put("lwzu", &[("rt", rt), ("ra", base), ("d", by)], region);
        rt
    }

    fn store_next(&mut self, value: i32, base: i32, by: i32, region: u16) {
        self.put("stwu", &[("rt", value), ("ra", base), ("d", by)], Some(region));
    }

    fn index(&mut self, word: i32, row: usize, scale: u8) -> i32 {
        let scale = i32::from(scale);
        self.field(word, first_bit(row) + 8 + scale, (24 - scale, 31 - scale))
    }

    fn insert_index(&mut self, pointer: i32, word: i32, row: usize, scale: u8) {
        let scale = i32::from(scale);
        let sh = (first_bit(row) + 8 + scale).rem_euclid(32);
        let fields = [("ra", pointer), ("rs", word), ("sh", sh), ("mb", 24 - scale), ("me", 31 - scale)];
        self.put("rlwimi", &fields, None);
    }

    fn entry(&mut self, size: Size, base: i32, index: i32) -> i32 {
        let rt = self.block.fresh();
        let name = named(size, ["lbzx", "lhzx", "lwzx"]);
        self.put(name, &[("rt", rt), ("ra", base), ("rb", index)], None);
        rt
    }

    fn placed(&mut self, found: LookedUp, row: usize) -> i32 {
        self.field(found.value, begin(found) - first_bit(row), (first_bit(row), first_bit(row) + 7))
    }

    /// Usually one of the four is in place already; the others are inserted into its register.
    fn gathered(&mut self, found: [LookedUp; 4]) -> i32 {
        let at = (0..4).find(|&row| begin(found[row]) == first_bit(row));
        let (first, word) = match at {
            Some(row) => (row, found[row].value),
            None => (0, self.field(found[0].value, begin(found[0]), (0, 31))),
        };
        for (row, from) in found.iter().enumerate().filter(|(row, _)| *row != first) {
            let sh = (begin(*from) - first_bit(row)).rem_euclid(32);
            let (mb, me) = (first_bit(row), first_bit(row) + 7);
            self.put("rlwimi", &[("ra", word), ("rs", from.value), ("sh", sh), ("mb", mb), ("me", me)], None);
        }
        word
    }

    fn turned(&mut self, word: i32, rows: usize) -> i32 {
        self.field(word, -first_bit(rows), (0, 31))
    }

    fn sum(&mut self, a: i32, by: i32) -> i32 {
        let rt = self.block.fresh();
        self.put("addi", &[("rt", rt), ("ra", a), ("si", by)], None);
        rt
    }

    fn advance(&mut self, register: i32, by: i32) {
        self.put("addi", &[("rt", register), ("ra", register), ("si", by)], None);
    }

    fn advance_and_test(&mut self, register: i32, by: i32) {
        self.put("addic.", &[("rt", register), ("ra", register), ("si", by)], None);
    }

    fn with_constant(&mut self, word: i32, constant: u8) -> i32 {
        let ra = self.block.fresh();
        self.put("xoris", &[("ra", ra), ("rs", word), ("ui", i32::from(constant) << 8)], None);
        ra
    }

    fn put_near(&mut self, register: i32, base: i32, distance: i32) {
        self.put("addi", &[("rt", register), ("ra", base), ("si", distance)], None);
    }

    fn put_address(&mut self, register: i32, label: &str) {
        let mut linked = |name: &str, fields: &[(&str, i32)], part: Part| {
            let (insn, field, label) = (isa().insn(name, fields), "si".to_owned(), label.to_owned());
            self.block.item(Item::Linked { insn, field, label, addend: 0, part }, None);
        };
        linked("lis", &[("rt", register)], Part::HighAdjusted);
        linked("addi", &[("rt", register), ("ra", register)], Part::LowSigned);
    }

    fn increment(&mut self, counter: i32, bytes: u8) {
        use aesmith_words::machine::region::IV;
        let words: [i32; 4] = std::array::from_fn(|k| self.load(Size::Word, counter, 4 * k as i32, Some(IV)));
        let (low, one) = match bytes {
            16 => (words[3], 1),
            _ => (self.field(words[3], 0, (0, 23)), 0x100),
        };
        let mut sums = [0; 4];
        sums[3] = self.block.fresh();
        self.put("addic", &[("rt", sums[3]), ("ra", low), ("si", one)], None);
        for k in (0..3).rev() {
            sums[k] = self.block.fresh();
            self.put("addze", &[("rt", sums[k]), ("ra", words[k])], None);
        }
        for (k, &sum) in sums.iter().enumerate() {
            self.store(Size::Word, sum, counter, 4 * k as i32, IV);
        }
    }

    fn store_byte_of(&mut self, value: i32, scale: u8, base: i32, offset: i32, region: u16) {
        let byte = self.field(value, -i32::from(scale), (24, 31));
        self.put("stb", &[("rt", byte), ("ra", base), ("d", offset)], Some(region));
    }
}
