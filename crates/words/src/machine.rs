//! The operations that word kernels need from a processor; each becomes one instruction where the processor has one.

use aesmith_isa::assemble::Item;
use aesmith_order::function::Target;
use aesmith_order::inorder::Block;

/// The size of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A byte; the rest of the register is zero.
    Byte,
    /// Two bytes; the rest of the register is zero.
    Half,
    /// A word of 32 bits; the rest of a wider register is zero.
    Word,
    /// 64 bits.
    Double,
}

impl Size {
    /// The size in bytes.
    pub fn bytes(self) -> i32 {
        match self {
            Size::Byte => 1,
            Size::Half => 2,
            Size::Word => 4,
            Size::Double => 8,
        }
    }
}

/// The byte result of a look-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LookedUp {
    /// The register that holds it; it has no other reader.
    pub value: i32,
    /// The lowest bit of the byte in the register.
    pub low: u8,
    /// True if all other bits of the register are zero.
    pub alone: bool,
}

/// The lowest bit of a row's byte in a word of a big-endian processor: row 0 is the highest byte.
pub fn low_bit(row: usize) -> u8 {
    24 - 8 * row as u8
}

/// Regions of memory that are written; see [`aesmith_order::inorder::Piece`]. Round keys and tables are only read and
/// have no region.
pub mod region {
    /// Input and output, which may be the same.
    pub const TEXT: u16 = 0;
    /// The initialization vector or counter.
    pub const IV: u16 = 1;
    /// The function's own words of its frame.
    pub const FRAME: u16 = 2;
    /// The first of the regions for words of a key that is written.
    pub const KEY_WORDS: u16 = 64;
}

/// Writes straight-line code over virtual registers. Registers are numbers as in [`aesmith_isa::Insn`]: physical ones,
/// or those of [`Block::fresh`]. Operations return their result in a fresh register unless stated otherwise.
pub trait Machine {
    /// The block written so far.
    fn block(&mut self) -> &mut Block;

    /// Computes `a ^ b` into a register.
    fn xor_to(&mut self, into: i32, a: i32, b: i32);

    /// `a ^ b`.
    fn xor(&mut self, a: i32, b: i32) -> i32 {
        let into = self.block().fresh();
        self.xor_to(into, a, b);
        into
    }

    /// Loads from `base + offset` into a register.
    fn load_to(&mut self, into: i32, size: Size, base: i32, offset: i32, region: Option<u16>);

    /// Loads from `base + offset`.
    fn load(&mut self, size: Size, base: i32, offset: i32, region: Option<u16>) -> i32 {
        let into = self.block().fresh();
        self.load_to(into, size, base, offset, region);
        into
    }

    /// The size of a register.
    fn whole(&self) -> Size {
        Size::Word
    }

    /// Stores a word, or all of a register of [`Size::Double`], at `base + offset`.
    fn store(&mut self, size: Size, value: i32, base: i32, offset: i32, region: u16);

    /// Advances `base` by `by` bytes and loads the word there.
    fn load_next(&mut self, base: i32, by: i32, region: Option<u16>) -> i32;

    /// Advances `base` by `by` bytes and stores a word there.
    fn store_next(&mut self, value: i32, base: i32, by: i32, region: u16);

    /// The byte of a row of a word, times `1 << scale`.
    fn index(&mut self, word: i32, row: usize, scale: u8) -> i32;

    /// Extracts these bits of a row's 16 bits in a padded word: a byte shifted up by some bits, and other bits among
    /// these. A padded word has 16 bits for each row, row 0 the highest; in rows 0 and 2 no other bits are set. Only
    /// called for processors with padded words among their choices.
    fn padded_index(&mut self, _word: i32, _row: usize, _bits: i32) -> i32 {
        unreachable!("no choice of this processor pads words")
    }

    /// Pads a word, with each byte shifted up by `scale` bits. Only called together with [`Machine::padded_index`].
    fn padded(&mut self, _word: i32, _scale: u8) -> i32 {
        unreachable!("no choice of this processor pads words")
    }

    /// Inserts [`Machine::index`] into the bits of a pointer from `scale` on: an address in a table that is aligned to
    /// its size. Only called for processors with pointers among their choices.
    fn insert_index(&mut self, _pointer: i32, _word: i32, _row: usize, _scale: u8) {
        unreachable!("no choice of this processor has pointers into tables")
    }

    /// True if a word of a round key is added to a column last, so that its load can be late where registers are few.
    /// Otherwise it is added in between, so that fewer additions wait for the last look-up.
    fn adds_keys_last(&self) -> bool {
        false
    }

    /// The lowest bit of a row's byte in a word, by the processor's byte order.
    fn low_bit(&self, row: usize) -> u8 {
        low_bit(row)
    }

    /// Loads the entry of the table at `base` at an index in bytes.
    fn entry(&mut self, size: Size, base: i32, index: i32) -> i32;

    /// Loads the entry of the table at `offset` bytes from `base` at an index in bytes. Only called for processors that
    /// return a distance in [`WordTarget::reach`].
    fn entry_near(&mut self, size: Size, base: i32, offset: i32, index: i32) -> i32 {
        assert_eq!(offset, 0, "this processor has said that its tables have an address each");
        self.entry(size, base, index)
    }

    /// The word with this byte at a row, and zeros elsewhere.
    fn placed(&mut self, found: LookedUp, row: usize) -> i32;

    /// The word whose rows are these bytes.
    fn gathered(&mut self, found: [LookedUp; 4]) -> i32 {
        let placed: [i32; 4] = std::array::from_fn(|row| self.placed(found[row], row));
        let (ab, cd) = (self.xor(placed[0], placed[1]), self.xor(placed[2], placed[3]));
        self.xor(ab, cd)
    }

    /// A word rotated by rows: row 0 becomes row `rows`.
    fn turned(&mut self, word: i32, rows: usize) -> i32;

    /// The sum of a register and a constant of at most 12 bits and a sign.
    fn sum(&mut self, a: i32, by: i32) -> i32;

    /// Adds a constant to a register, in place.
    fn advance(&mut self, register: i32, by: i32);

    /// Adds a constant to a register, in place, so that [`WordTarget::if_zero`] can test right after this block if the
    /// result is zero.
    fn advance_and_test(&mut self, register: i32, by: i32);

    /// A word with a round constant added to the byte of row 0.
    fn with_constant(&mut self, word: i32, constant: u8) -> i32;

    /// The address of a label in a register.
    fn put_address(&mut self, register: i32, label: &str);

    /// The address `distance` bytes after a label, at most 15 bits, in a register.
    fn put_address_after(&mut self, register: i32, label: &str, distance: i32) {
        self.put_address(register, label);
        if distance > 0 {
            self.put_near(register, register, distance);
        }
    }

    /// The sum of an address and a distance, at most 15 bits and a sign, in a register.
    fn put_near(&mut self, register: i32, base: i32, distance: i32);

    /// Increments the first `bytes` bytes of the counter in memory, and clears those after them: 16 bytes, or 15 where
    /// the last byte has wrapped.
    fn increment(&mut self, counter: i32, bytes: u8);

    /// Stores the byte at bit `scale` of a register, which may have other bits above it, at `base + offset`.
    fn store_byte_of(&mut self, value: i32, scale: u8, base: i32, offset: i32, region: u16);
}

/// The properties of a processor that word kernels need.
pub trait WordTarget: Target {
    /// Starts a block.
    fn writer(&self) -> Box<dyn Machine>;

    /// The number of bytes before an address, and one less after it, at which a table may be for loads of its entries
    /// by that address and an index. With zero, each table has an address of its own.
    fn reach(&self) -> i32 {
        0
    }

    /// True if the last byte of a counter is incremented alone, and the bytes before it only when it wraps. Otherwise
    /// the counter is one number of 16 bytes, which is cheap on a processor with this byte order.
    fn advances_last_byte(&self) -> bool {
        false
    }

    /// A jump to a label if the register of the last [`Machine::advance_and_test`] is zero.
    fn if_zero(&self, register: u8, label: &str) -> Vec<Item>;

    /// True if iterations are counted in a register of the function; otherwise the register passed to
    /// [`WordTarget::count`] is free afterwards.
    fn counts_in_register(&self) -> bool {
        false
    }

    /// Starts the count: the number of iterations is the register's value plus `more`.
    fn count(&self, register: u8, more: i32) -> Vec<Item>;

    /// Counts an iteration, and jumps to a label if more are left; the register is that of [`WordTarget::count`].
    fn again(&self, register: u8, label: &str) -> Vec<Item>;
}
