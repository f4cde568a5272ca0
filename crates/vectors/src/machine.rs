//! What these kernels ask of a processor: operations on 16 bytes, each of which becomes one or two instructions. Byte 0 of
//! a register is the one that stands first in memory.

use aesmith_isa::assemble::Item;
use aesmith_order::function::Target;
use aesmith_order::inorder::Block;

use crate::lower::Constants;

/// Regions of memory that are written; see [`aesmith_order::inorder::Piece`]. Keys that are only read, and constants, have
/// none.
pub mod region {
    /// Input and output, which may be the same.
    pub const TEXT: u16 = 0;
    /// The counter or chain.
    pub const IV: u16 = 1;
    /// Round keys that are written, from here on.
    pub const KEYS: u16 = 64;
}

/// Writes straight-line code over virtual registers. Operations give their result in a fresh register. Some need constants
/// in registers, of which a function has a list.
pub trait Machine {
    /// What was written so far.
    fn block(&mut self) -> &mut Block;

    /// `a ^ b`
    fn xor(&mut self, a: i32, b: i32) -> i32;

    /// `a & b`
    fn and(&mut self, a: i32, b: i32) -> i32;

    /// Each byte with this one: `a & byte`.
    fn and_byte(&mut self, constants: &mut Constants, a: i32, byte: u8) -> i32;

    /// Each byte with this one: `a ^ byte`.
    fn xor_byte(&mut self, constants: &mut Constants, a: i32, byte: u8) -> i32;

    /// The upper half of each byte in its lower half.
    fn upper_nibbles(&mut self, constants: &mut Constants, a: i32) -> i32;

    /// Whether the upper halves are zero then; else what is in them is not said.
    fn clears_above_nibbles(&self) -> bool;

    /// Each byte moved up by one bit, which is lost.
    fn twice(&mut self, constants: &mut Constants, a: i32) -> i32;

    /// The bit of an index for which [`Machine::look_up`] gives zero.
    fn nowhere(&self) -> u8;

    /// Each byte `x` becomes byte `x` of the table if it is below 16, and zero if of the bits above the lowest four only
    /// [`Machine::nowhere`] is set.
    fn look_up(&mut self, constants: &mut Constants, table: i32, index: i32) -> i32;

    /// This byte wherever bit 7 of `a` is 0, and zero elsewhere.
    fn where_positive(&mut self, constants: &mut Constants, byte: u8, a: i32) -> i32;

    /// Byte `i` becomes that of `a`, or 16 more that of `b`, which byte `i` of a constant numbers.
    fn shuffle(&mut self, a: i32, b: i32, control: i32) -> i32;

    /// Each word's bytes so many places on towards its first.
    fn rotate_words(&mut self, constants: &mut Constants, a: i32, bytes: u8) -> i32;

    /// Sums of words of 32 bits, the byte that stands first in memory being the highest.
    fn add_words(&mut self, a: i32, b: i32) -> i32;

    /// The same, in place: `into + a`.
    fn add_words_to(&mut self, into: i32, a: i32);

    /// 1 for each word whose sum with another has a carry, 0 for the others.
    fn carry_words(&mut self, a: i32, b: i32) -> i32;

    /// Each word in the place of the one before it, and zero in the last.
    fn words_before(&mut self, constants: &mut Constants, a: i32) -> i32;

    /// A constant from memory, by its place in the constants.
    fn constant(&mut self, place: usize) -> i32;

    /// 16 bytes at `base + offset`, both multiples of 16.
    fn load(&mut self, base: i32, offset: i32, region: Option<u16>) -> i32;

    /// Stores 16 bytes there.
    fn store(&mut self, value: i32, base: i32, offset: i32, region: u16);

    /// Puts what a register holds into this one.
    fn put(&mut self, into: i32, a: i32);

    /// Adds a number to an address, in place.
    fn advance(&mut self, register: i32, by: i32);

    /// Adds a number to one in a register, in place.
    fn count(&mut self, constants: &mut Constants, register: i32, by: i32);

    /// The same, and leaves the lowest byte of the sum.
    fn count_byte(&mut self, constants: &mut Constants, register: i32, by: i32);

    /// Puts an address and a distance from it into a register.
    fn put_near(&mut self, register: i32, base: i32, distance: i32);

    /// Compares the number in a register with this one, for a branch by [`VectorTarget::branch`] after the block.
    fn compare(&mut self, register: i32, number: i32, flag: Flag);

    /// Puts what the machine wants to have in registers throughout a function, and need not make in each block, into these.
    fn put_kept(&mut self, kept: &[u8]);
}

/// The control of a shuffle that moves the bytes of each word so many places on towards its first.
pub fn columns_rotated(bytes: u8) -> [u8; 16] {
    std::array::from_fn(|i| (i as u8 & 12) + (i as u8 + bytes) % 4)
}

/// A processor as far as vector kernels need it.
pub trait VectorTarget: Target {
    /// Writes a block; [`Machine::put_kept`] has put into these registers what it puts there, if they are any.
    fn writer(&self, kept: &[u8]) -> Box<dyn Machine>;

    /// How many registers [`Machine::put_kept`] wants.
    fn keeps(&self) -> usize;

    /// Whether a register holds 16 bytes for these operations, or numbers and addresses, as is asked for.
    fn fits(&self, register: u8, vector: bool) -> bool;

    /// Whether there are registers for all round keys and constants of a function at once.
    fn is_roomy(&self) -> bool;

    /// Puts the last byte of what an address points to, as a number, into a register.
    fn last_byte(&self, register: u8, address: u8) -> Vec<Item>;

    /// A jump to a label if what was last compared in a flag was below the number, or if it was not.
    fn branch(&self, flag: Flag, below: bool, label: &str) -> Item;
}

/// What a comparison found, of a few that are made before their branches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flag {
    /// Of the number of blocks, or whatever is asked right after it is compared.
    Blocks,
    /// Of the counter's last byte, whether it would wrap in another group.
    Wraps,
}
