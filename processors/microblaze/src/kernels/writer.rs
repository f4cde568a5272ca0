//! Straight-line MicroBlaze code over virtual registers. A word holds a column of the state, with row 0 in its
//! low byte, as in little-endian memory.

use std::collections::HashMap;

use aesmith_isa::assemble::{Item, Part};
use aesmith_isa::{Insn, Isa};

use super::super::table::isa;
use super::tables::Table;
use aesmith_order::inorder::Block;

/// The implementation of byte accesses.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// True if there is a barrel shifter.
    pub barrel: bool,
    /// True to extract bytes by a store of the word and loads, instead of shifts and masks.
    pub extract_by_memory: bool,
    /// True to join words from bytes in memory, instead of by shifts.
    pub join_by_stores: bool,
}

/// Regions of memory that are written; see [`aesmith_order::inorder::Piece`].
pub mod region {
    /// Input and output, which may overlap.
    pub const TEXT: u16 = 0;
    /// The initialization vector or counter.
    pub const IV: u16 = 1;
    /// The key, if it is written.
    pub const KEY: u16 = 2;
    /// Words of scratch on the stack from here on.
    pub const SCRATCH: u16 = 16;
    /// Words of a written key from here on.
    pub const KEY_WORDS: u16 = 64;
}

/// Words of scratch at the bottom of the frame.
pub(crate) const SCRATCH_WORDS: u16 = 16;

/// The stack pointer.
pub const SP: i32 = 1;

/// Writes a block.
pub struct Writer {
    /// The block written so far.
    pub block: Block,
    /// The implementation of byte accesses.
    pub shape: Shape,
    /// Words that are stored in scratch, by register.
    spread: HashMap<i32, u16>,
    next_scratch: u16,
    constants: HashMap<u32, i32>,
    isa: &'static Isa,
}

impl Writer {
    /// An empty block.
    pub fn new(shape: Shape) -> Writer {
        let (spread, constants) = (HashMap::new(), HashMap::new());
        Writer { block: Block::default(), shape, spread, next_scratch: 0, constants, isa: isa() }
    }

    /// Appends an instruction, with a region if the memory may be written.
    pub fn put(&mut self, name: &str, fields: &[(&str, i32)], region: Option<u16>) {
        let insn = self.isa.insn(name, fields);
        self.block.item(Item::Insn(insn), region);
    }

    /// An instruction on two registers.
    pub fn two(&mut self, name: &str, a: i32, b: i32) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[("rd", rd), ("ra", a), ("rb", b)], None);
        rd
    }

    /// A load from writable memory, at the sum of two registers.
    pub(crate) fn two_in(&mut self, name: &str, a: i32, b: i32, region: Option<u16>) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[("rd", rd), ("ra", a), ("rb", b)], region);
        rd
    }

    /// A store at the sum of two registers.
    pub fn store_at(&mut self, name: &str, value: i32, a: i32, b: i32, region: u16) {
        self.put(name, &[("rd", value), ("ra", a), ("rb", b)], Some(region));
    }

    /// An instruction on a register and an immediate.
    pub fn number(&mut self, name: &str, a: i32, imm: i32) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[("rd", rd), ("ra", a), ("imm", imm)], None);
        rd
    }

    /// An instruction on one register.
    pub fn one(&mut self, name: &str, a: i32) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[("rd", rd), ("ra", a)], None);
        rd
    }

    /// Adds an immediate to a register.
    pub fn advance(&mut self, r: i32, by: i32) {
        self.offset_in(r, r, by);
    }

    /// `lwi`, `lbui`.
    pub fn load(&mut self, name: &str, base: i32, offset: i32, region: Option<u16>) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[("rd", rd), ("ra", base), ("imm", offset)], region);
        rd
    }

    /// `swi`, `sbi`.
    pub fn store(&mut self, name: &str, value: i32, base: i32, offset: i32, region: u16) {
        self.put(name, &[("rd", value), ("ra", base), ("imm", offset)], Some(region));
    }

    /// Shifts by a constant: `bslli`, `bsrli`.
    pub fn shift(&mut self, name: &str, a: i32, count: i32) -> i32 {
        let rd = self.block.fresh();
        self.put(name, &[("rd", rd), ("ra", a), ("count", count)], None);
        rd
    }

    /// XOR.
    pub fn xor(&mut self, a: i32, b: i32) -> i32 {
        self.two("xor", a, b)
    }

    /// The address of a table.
    pub fn address(&mut self, table: Table) -> i32 {
        let rd = self.block.fresh();
        self.address_in(rd, table);
        rd
    }

    /// Loads the address of a table into a register.
    pub(crate) fn address_in(&mut self, rd: i32, table: Table) {
        let insn = self.isa.insn("addik_long", &[("rd", rd)]);
        let (field, label) = ("imm".into(), table.label().into());
        let item = Item::Linked { insn, field, label, addend: 0, part: Part::Whole };
        self.block.item(item, None);
    }

    /// A register plus an immediate, in a given register.
    pub(crate) fn offset_in(&mut self, rd: i32, base: i32, by: i32) {
        self.put("addik", &[("rd", rd), ("ra", base), ("imm", by)], None);
    }

    /// A 32-bit constant, loaded once per block.
    pub fn constant(&mut self, value: u32) -> i32 {
        if let Some(&v) = self.constants.get(&value) {
            return v;
        }
        let v = self.number("addik_long", 0, value as i32);
        self.constants.insert(value, v);
        v
    }

    fn scratch(&mut self) -> u16 {
        let word = self.next_scratch;
        self.next_scratch = (word + 1) % SCRATCH_WORDS;
        // The old word is overwritten.
        self.spread.retain(|_, w| *w != word);
        word
    }

    /// A byte of a word, zero-extended.
    pub fn byte(&mut self, word: i32, k: usize) -> i32 {
        if self.shape.extract_by_memory {
            let at = match self.spread.get(&word) {
                Some(&at) => at,
                None => {
                    let at = self.scratch();
                    self.store("swi", word, SP, 4 * i32::from(at), region::SCRATCH + at);
                    self.spread.insert(word, at);
                    at
                }
            };
            let offset = 4 * i32::from(at) + k as i32;
            return self.load("lbui", SP, offset, Some(region::SCRATCH + at));
        }
        match k {
            0 => self.number("andi", word, 0xff),
            3 => self.shift("bsrli", word, 24),
            _ => {
                let low = self.shift("bsrli", word, 8 * k as i32);
                self.number("andi", low, 0xff)
            }
        }
    }

    /// Four times a byte of a word: the offset of a word in a table.
    pub fn index(&mut self, word: i32, k: usize) -> i32 {
        if self.shape.extract_by_memory {
            let byte = self.byte(word, k);
            if self.shape.barrel {
                return self.shift("bslli", byte, 2);
            }
            let twice = self.two("addk", byte, byte);
            return self.two("addk", twice, twice);
        }
        let moved = match k {
            0 => self.shift("bslli", word, 2),
            _ => self.shift("bsrli", word, 8 * k as i32 - 2),
        };
        self.number("andi", moved, 0x3fc)
    }

    /// The word of four bytes.
    pub fn join(&mut self, bytes: [i32; 4]) -> i32 {
        if self.shape.join_by_stores {
            let at = self.scratch();
            for (k, byte) in bytes.into_iter().enumerate() {
                self.store("sbi", byte, SP, 4 * i32::from(at) + k as i32, region::SCRATCH + at);
            }
            return self.load("lwi", SP, 4 * i32::from(at), Some(region::SCRATCH + at));
        }
        let mut word = bytes[0];
        for (k, byte) in bytes.into_iter().enumerate().skip(1) {
            let moved = self.shift("bslli", byte, 8 * k as i32);
            word = self.two("or", word, moved);
        }
        word
    }

    /// Rotates up by one row: byte 0 becomes byte 1.
    pub(crate) fn up_a_row(&mut self, word: i32) -> i32 {
        if self.shape.barrel {
            let (low, high) = (self.shift("bslli", word, 8), self.shift("bsrli", word, 24));
            return self.two("or", low, high);
        }
        // Doubles eight times, with the carry entering at the bottom.
        let mut word = word;
        for _ in 0..8 {
            let doubled = self.two("add", word, word);
            word = self.two("addkc", doubled, 0);
        }
        word
    }

    /// Rotates down by one row: byte 1 becomes byte 0.
    pub(crate) fn down_a_row(&mut self, word: i32) -> i32 {
        if self.shape.barrel {
            let (low, high) = (self.shift("bsrli", word, 8), self.shift("bslli", word, 24));
            return self.two("or", low, high);
        }
        let half = self.two_rows(word);
        self.up_a_row(half)
    }

    /// Shifts down by this many bits.
    pub fn down(&mut self, word: i32, by: i32) -> i32 {
        if self.shape.barrel {
            return self.shift("bsrli", word, by);
        }
        (0..by).fold(word, |v, _| self.one("srl", v))
    }

    /// Shifts up by this many bits.
    pub fn up(&mut self, word: i32, by: i32) -> i32 {
        if self.shape.barrel {
            return self.shift("bslli", word, by);
        }
        (0..by).fold(word, |v, _| self.two("addk", v, v))
    }

    /// Rotates by two rows.
    pub fn two_rows(&mut self, word: i32) -> i32 {
        self.one("swaph", word)
    }

    /// Each byte times 2 in GF(2^8) (FIPS-197, 4.2.1): 0x1b if the byte's high bit is shifted out, as the
    /// difference of that bit and the same bit seven places lower, masked.
    pub fn doubled(&mut self, word: i32) -> i32 {
        let (high_bits, reduction) = (self.constant(0x8080_8080), self.constant(0x1b1b_1b1b));
        let high = self.two("and", word, high_bits);
        let low = self.xor(word, high);
        let twice = self.two("addk", low, low);
        let lower = if self.shape.barrel {
            self.shift("bsrli", high, 7)
        } else {
            (0..7).fold(high, |v, _| self.one("srl", v))
        };
        let ones = self.two("rsubk", lower, high);
        let reduced = self.two("and", ones, reduction);
        self.xor(twice, reduced)
    }

    /// MixColumns of a column: with u = a + 2a, 2a + (u + a' rotated ..) by rows.
    pub fn mixed(&mut self, word: i32) -> i32 {
        let twice = self.doubled(word);
        let thrice = self.xor(twice, word);
        // Row r has 2 a(r) + 3 a(r+1) + a(r+2) + a(r+3): three times the row below comes from a rotation by
        // three rows up, the others from rotations by two and one.
        let opposite = self.two_rows(thrice);
        let sum = self.xor(opposite, word);
        let moved = self.up_a_row(sum);
        let across = self.two_rows(word);
        let both = self.xor(twice, across);
        self.xor(both, moved)
    }

    /// InvMixColumns of a column: MixColumns after a -> a + 4 (a + a two rows further on).
    pub fn unmixed(&mut self, word: i32) -> i32 {
        let opposite = self.two_rows(word);
        let sum = self.xor(word, opposite);
        let twice = self.doubled(sum);
        let four = self.doubled(twice);
        let adjusted = self.xor(word, four);
        self.mixed(adjusted)
    }

    /// The S-box values of these bytes, from the table at `sbox`, as a word.
    pub fn substituted(&mut self, sbox: i32, bytes: [(i32, usize); 4]) -> i32 {
        let looked_up = bytes.map(|(word, k)| {
            let byte = self.byte(word, k);
            self.two("lbu", sbox, byte)
        });
        self.join(looked_up)
    }

    /// The instructions.
    pub fn insns(block: &Block) -> impl Iterator<Item = &Insn> {
        block.pieces.iter().filter_map(|p| aesmith_order::inorder::block::insn(&p.item))
    }
}
