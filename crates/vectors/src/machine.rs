//! The operations that these kernels need from a processor: operations on 16 bytes, each of which becomes one or two
//! instructions. Byte 0 of a register is the first one in memory.

use aesmith_isa::assemble::Item;
use aesmith_order::function::Target;
use aesmith_order::inorder::Block;

use crate::lower::Constants;

/// Regions of memory that are written; see [`aesmith_order::inorder::Piece`]. Keys that are only read, and constants,
/// have no region.
pub mod region {
    /// Input and output, which may be the same.
    pub const TEXT: u16 = 0;
    /// The counter or chain.
    pub const IV: u16 = 1;
    /// The first of the regions for round keys that are written.
    pub const KEYS: u16 = 64;
}

/// Writes straight-line code over virtual registers. Operations return their result in a fresh register. Some need
/// constants in registers, which a function lists.
pub trait Machine {
    /// The block written so far.
    fn block(&mut self) -> &mut Block;

    /// `a ^ b`
    fn xor(&mut self, a: i32, b: i32) -> i32;

    /// `a & b`
    fn and(&mut self, a: i32, b: i32) -> i32;

    /// The AND of each byte with this one: `a & byte`.
    fn and_byte(&mut self, constants: &mut Constants, a: i32, byte: u8) -> i32;

    /// The XOR of each byte with this one: `a ^ byte`.
    fn xor_byte(&mut self, constants: &mut Constants, a: i32, byte: u8) -> i32;

    /// The upper half of each byte, moved to its lower half.
    fn upper_nibbles(&mut self, constants: &mut Constants, a: i32) -> i32;

    /// True if [`Machine::upper_nibbles`] clears the upper halves; otherwise their contents are undefined.
    fn clears_above_nibbles(&self) -> bool;

    /// Each byte shifted up by one bit; the highest bit is lost.
    fn twice(&mut self, constants: &mut Constants, a: i32) -> i32;

    /// The bit of an index for which [`Machine::look_up`] gives zero.
    fn nowhere(&self) -> u8;

    /// Maps each byte `x` to byte `x` of the table if it is below 16, and to zero if [`Machine::nowhere`] is the only
    /// bit set above the lowest four.
    fn look_up(&mut self, constants: &mut Constants, table: i32, index: i32) -> i32;

    /// A constant byte wherever bit 7 of `a` is 0, and zero elsewhere.
    fn where_positive(&mut self, constants: &mut Constants, byte: u8, a: i32) -> i32;

    /// Selects byte `i` from `a` by index, or from `b` by index plus 16, with the indices in the bytes of the constant
    /// `control`.
    fn shuffle(&mut self, a: i32, b: i32, control: i32) -> i32;

    /// The bytes of each word rotated by `bytes` places towards its first.
    fn rotate_words(&mut self, constants: &mut Constants, a: i32, bytes: u8) -> i32;

    /// Sums of 32-bit words, whose highest byte is the first in memory.
    fn add_words(&mut self, a: i32, b: i32) -> i32;

    /// Adds words as [`Machine::add_words`], in place: `into + a`.
    fn add_words_to(&mut self, into: i32, a: i32);

    /// The carries of the sums of words: 1 for each word with a carry, 0 for the others.
    fn carry_words(&mut self, a: i32, b: i32) -> i32;

    /// Each word moved to the place of the word before it, with zero in the last.
    fn words_before(&mut self, constants: &mut Constants, a: i32) -> i32;

    /// Loads a constant from memory, by its index.
    fn constant(&mut self, place: usize) -> i32;

    /// Loads 16 bytes at `base + offset`, both multiples of 16.
    fn load(&mut self, base: i32, offset: i32, region: Option<u16>) -> i32;

    /// Stores 16 bytes at `base + offset`, both multiples of 16.
    fn store(&mut self, value: i32, base: i32, offset: i32, region: u16);

    /// Copies a register into another.
    fn put(&mut self, into: i32, a: i32);

    /// Adds a constant to an address, in place.
    fn advance(&mut self, register: i32, by: i32);

    /// Adds a constant to the number in a register, in place.
    fn count(&mut self, constants: &mut Constants, register: i32, by: i32);

    /// Adds a constant to the number in a register, in place, and keeps only the lowest byte of the sum.
    fn count_byte(&mut self, constants: &mut Constants, register: i32, by: i32);

    /// Writes the sum of an address and a distance into a register.
    fn put_near(&mut self, register: i32, base: i32, distance: i32);

    /// Compares the number in a register with a constant, for a branch by [`VectorTarget::branch`] after the block.
    fn compare(&mut self, register: i32, number: i32, flag: Flag);

    /// Prepares in these registers the values that the machine keeps throughout a function, instead of computing them
    /// in each block.
    fn put_kept(&mut self, kept: &[u8]);
}

/// The control of a shuffle that rotates the bytes of each word by `bytes` places towards its first.
pub fn columns_rotated(bytes: u8) -> [u8; 16] {
    std::array::from_fn(|i| (i as u8 & 12) + (i as u8 + bytes) % 4)
}

/// The properties of a processor that vector kernels need.
pub trait VectorTarget: Target {
    /// Starts a block; `kept` are the registers that [`Machine::put_kept`] has prepared, if any.
    fn writer(&self, kept: &[u8]) -> Box<dyn Machine>;

    /// The number of registers that [`Machine::put_kept`] needs.
    fn keeps(&self) -> usize;

    /// True if a register can hold 16 bytes for these operations, or without `vector` numbers and addresses.
    fn fits(&self, register: u8, vector: bool) -> bool;

    /// True if there are enough registers for all round keys and constants of a function at once.
    fn is_roomy(&self) -> bool;

    /// Loads the last byte of the 16 bytes at an address, as a number, into a register.
    fn last_byte(&self, register: u8, address: u8) -> Vec<Item>;

    /// A jump to a label that is taken if the last comparison with this flag was below, or if it was not.
    fn branch(&self, flag: Flag, below: bool, label: &str) -> Item;
}

/// The result of a comparison; several may be made before their branches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flag {
    /// The comparison of the number of blocks, or any that is tested immediately.
    Blocks,
    /// The comparison that tells if the counter's last byte would wrap in another group.
    Wraps,
}
