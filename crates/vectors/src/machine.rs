//! What these kernels ask of a processor: operations on 16 bytes, each of which becomes one or two instructions. Byte 0 of
//! a register is the one that stands first in memory.

use aesmith_order::inorder::Block;

/// Regions of memory that are written; see [`aesmith_order::inorder::Piece`]. Keys that are only read, and constants, have
/// none.
pub mod region {
    /// Input and output, which may be the same.
    pub const TEXT: u16 = 0;
    /// Round keys that are written, from here on.
    pub const KEYS: u16 = 64;
}

/// Writes straight-line code over virtual registers. Operations give their result in a fresh register.
pub trait Machine {
    /// What was written so far.
    fn block(&mut self) -> &mut Block;

    /// `a ^ b`
    fn xor(&mut self, a: i32, b: i32) -> i32;

    /// Each byte with this one: `a & byte`.
    fn and_byte(&mut self, a: i32, byte: u8) -> i32;

    /// Each byte with this one: `a ^ byte`.
    fn xor_byte(&mut self, a: i32, byte: u8) -> i32;

    /// The upper half of each byte in its lower half; what is in the upper half is not said.
    fn upper_nibbles(&mut self, a: i32) -> i32;

    /// Each byte moved up by one bit, which is lost.
    fn twice(&mut self, a: i32) -> i32;

    /// Each byte `x` becomes byte `x` of the table if it is below 16, and zero if only its bit 7 is set beside the lowest
    /// four.
    fn look_up(&mut self, table: i32, index: i32) -> i32;

    /// Byte `i` becomes that of `a`, or 16 more that of `b`, which byte `i` of a constant numbers.
    fn shuffle(&mut self, a: i32, b: i32, control: i32) -> i32;

    /// Each word's bytes so many places on towards its first, by another instruction than [`Machine::shuffle`], if that is
    /// wanted.
    fn rotate_words(&mut self, a: i32, bytes: u8) -> Option<i32>;

    /// A constant from memory, by its place in the constants.
    fn constant(&mut self, place: usize) -> i32;

    /// 16 bytes at `base + offset`, both multiples of 16.
    fn load(&mut self, base: i32, offset: i32, region: Option<u16>) -> i32;

    /// Stores 16 bytes there.
    fn store(&mut self, value: i32, base: i32, offset: i32, region: u16);
}
