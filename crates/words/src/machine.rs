//! What word kernels ask of a processor: operations, each of which becomes one instruction where it has it.

use aesmith_isa::assemble::Item;
use aesmith_order::function::Target;
use aesmith_order::inorder::Block;

/// How much of memory is loaded.
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
    /// In bytes.
    pub fn bytes(self) -> i32 {
        match self {
            Size::Byte => 1,
            Size::Half => 2,
            Size::Word => 4,
            Size::Double => 8,
        }
    }
}

/// A byte that a look-up found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The register that it is in. Nobody else reads it.
    pub value: i32,
    /// Its lowest bit there.
    pub low: u8,
    /// Whether all other bits there are zero.
    pub alone: bool,
}

/// The lowest bit of a row's byte in a word of a big-endian processor: row 0 is the highest byte.
pub fn low_bit(row: usize) -> u8 {
    24 - 8 * row as u8
}

/// Regions of memory that are written; see [`aesmith_order::inorder::Piece`]. Round keys and tables are only read, and
/// have none.
pub mod region {
    /// Input and output, which may be the same.
    pub const TEXT: u16 = 0;
    /// The initialization vector or counter.
    pub const IV: u16 = 1;
    /// The function's own words of its frame.
    pub const FRAME: u16 = 2;
    /// Words of a key that is written, from here on.
    pub const KEY_WORDS: u16 = 64;
}

/// Writes straight-line code over virtual registers. Registers are numbers as in [`aesmith_isa::Insn`]: physical ones, or those of
/// [`Block::fresh`]. Operations give their result in a fresh register unless they say otherwise.
pub trait Machine {
    /// What was written so far.
    fn block(&mut self) -> &mut Block;

    /// `a ^ b` into a register.
    fn xor_to(&mut self, into: i32, a: i32, b: i32);

    /// `a ^ b`.
    fn xor(&mut self, a: i32, b: i32) -> i32 {
        let into = self.block().fresh();
        self.xor_to(into, a, b);
        into
    }

    /// What is in memory at `base + offset` into a register.
    fn load_to(&mut self, into: i32, size: Size, base: i32, offset: i32, region: Option<u16>);

    /// What is in memory at `base + offset`.
    fn load(&mut self, size: Size, base: i32, offset: i32, region: Option<u16>) -> i32 {
        let into = self.block().fresh();
        self.load_to(into, size, base, offset, region);
        into
    }

    /// A register's size.
    fn whole(&self) -> Size {
        Size::Word
    }

    /// Stores a word, or all of a register of [`Size::Double`], at `base + offset`.
    fn store(&mut self, size: Size, value: i32, base: i32, offset: i32, region: u16);

    /// Moves `base` on by so many bytes and loads the word there.
    fn load_next(&mut self, base: i32, by: i32, region: Option<u16>) -> i32;

    /// Moves `base` on by so many bytes and stores a word there.
    fn store_next(&mut self, value: i32, base: i32, by: i32, region: u16);

    /// The byte of a row of a word, times `1 << scale`.
    fn index(&mut self, word: i32, row: usize, scale: u8) -> i32;

    /// These bits of a row's 16 bits of a padded word: a byte some bits up, and what else is wanted of these. Such a word has
    /// 16 bits for each row, row 0 the highest; of rows 0 and 2 no other bits are set. Asked only of processors that have
    /// padded words among their choices.
    fn padded_index(&mut self, _word: i32, _row: usize, _bits: i32) -> i32 {
        unreachable!("no choice of this processor pads words")
    }

    /// A word padded, with each byte so many bits up. Asked only where [`Machine::padded_index`] is.
    fn padded(&mut self, _word: i32, _scale: u8) -> i32 {
        unreachable!("no choice of this processor pads words")
    }

    /// Puts [`Machine::index`] into a pointer's bits from `scale` on, in the place of those there: an address in a table
    /// that is at a multiple of its size. Asked only of processors that have pointers among their choices.
    fn insert_index(&mut self, _pointer: i32, _word: i32, _row: usize, _scale: u8) {
        unreachable!("no choice of this processor has pointers into tables")
    }

    /// Whether a word of a round key is added to a column at the end: where registers are few, its load may wait until
    /// then. Else it is added in between, so that fewer additions wait for the last look-up.
    fn adds_keys_last(&self) -> bool {
        false
    }

    /// The lowest bit of a row's byte in a word, by the processor's order of bytes.
    fn low_bit(&self, row: usize) -> u8 {
        low_bit(row)
    }

    /// What a table at `base` holds at an index in bytes.
    fn entry(&mut self, size: Size, base: i32, index: i32) -> i32;

    /// What a table so many bytes from `base` holds at an index in bytes. Asked only of processors that say in
    /// [`WordTarget::reach`] how far.
    fn entry_near(&mut self, size: Size, base: i32, offset: i32, index: i32) -> i32 {
        assert_eq!(offset, 0, "this processor has said that its tables have an address each");
        self.entry(size, base, index)
    }

    /// The word that has this byte at a row, and zeros beside it.
    fn placed(&mut self, found: Found, row: usize) -> i32;

    /// The word whose rows are these bytes.
    fn gathered(&mut self, found: [Found; 4]) -> i32 {
        let placed: [i32; 4] = std::array::from_fn(|row| self.placed(found[row], row));
        let (ab, cd) = (self.xor(placed[0], placed[1]), self.xor(placed[2], placed[3]));
        self.xor(ab, cd)
    }

    /// A word with each byte so many rows on: what was in row 0 is in row `rows`.
    fn turned(&mut self, word: i32, rows: usize) -> i32;

    /// A register and a number, at most 12 bits and a sign.
    fn sum(&mut self, a: i32, by: i32) -> i32;

    /// Adds a number to a register, in place.
    fn advance(&mut self, register: i32, by: i32);

    /// Adds a number to a register, in place, so that [`WordTarget::if_zero`] can ask right after this block whether it is
    /// zero now.
    fn advance_and_test(&mut self, register: i32, by: i32);

    /// A word with a round constant added to the byte of row 0.
    fn with_constant(&mut self, word: i32, constant: u8) -> i32;

    /// The address of a label in a register.
    fn put_address(&mut self, register: i32, label: &str);

    /// The address that is so many bytes after a label, at most 15 bits of them, in a register.
    fn put_address_after(&mut self, register: i32, label: &str, distance: i32) {
        self.put_address(register, label);
        if distance > 0 {
            self.put_near(register, register, distance);
        }
    }

    /// An address and a distance from it, at most 15 bits and a sign, in a register.
    fn put_near(&mut self, register: i32, base: i32, distance: i32);

    /// Adds one to the first so many bytes of the counter in memory, and clears those after them: 16, or 15 where the
    /// last byte has wrapped.
    fn increment(&mut self, counter: i32, bytes: u8);

    /// Stores the byte that a register is, times `1 << scale` and whatever is above it, at `base + offset`.
    fn store_byte_of(&mut self, value: i32, scale: u8, base: i32, offset: i32, region: u16);
}

/// A processor as far as word kernels need it.
pub trait WordTarget: Target {
    /// Writes a block.
    fn writer(&self) -> Box<dyn Machine>;

    /// How far from an address a table may be whose entries are loaded by it and an index: so many bytes before it, and one
    /// less behind it. With none, each table has an address of its own.
    fn reach(&self) -> i32 {
        0
    }

    /// Whether the last byte of a counter is advanced by itself, and those before it where it wraps: else the counter is
    /// one number of 16 bytes, which costs little on a processor that has its bytes in this order.
    fn advances_last_byte(&self) -> bool {
        false
    }

    /// A jump to a label if the register that [`Machine::advance_and_test`] was last told of is zero.
    fn if_zero(&self, register: u8, label: &str) -> Vec<Item>;

    /// Whether turns are counted in a register of the function's; else that of [`WordTarget::count`] is free afterwards.
    fn counts_in_register(&self) -> bool {
        false
    }

    /// Begins to count: turns are those in the register, and so many more.
    fn count(&self, register: u8, more: i32) -> Vec<Item>;

    /// Counts a turn, and jumps to a label if more are left; the register is that of [`WordTarget::count`].
    fn again(&self, register: u8, label: &str) -> Vec<Item>;
}
