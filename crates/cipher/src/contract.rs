//! The calling contract of every kernel, for all variants and processors.
//!
//! The arguments are those of the mode's record ([`crate::mode::Mode::arguments`]), in order (System V AMD64:
//! `rdi rsi rdx rcx r8`):
//!
//! | task | arguments |
//! |---|---|
//! | ECB | `key`, `in`, `out`, `len` |
//! | CBC, CTR | `key`, `iv`, `in`, `out`, `len` |
//! | CBC encryption of N > 1 streams | the same five, each the address of an array of N |
//! | key schedule | `key` (written), `key_bytes` (read) |
//! | counter table | `key` (round keys read, table written) |
//!
//! `in` and `out` are the same address or do not overlap; `iv`, `key`, the argument arrays and the kernel's stack do
//! not overlap with either. Lengths are below 2^63. ECB and CBC process `len / 16` blocks.
//!
//! The key structure, in bytes:
//!
//! ```text
//!   0 .. 16 (rounds + 1)   round keys in order of use
//! 256 .. 4352              CTR only: table of first-round contributions
//! ```

use crate::block::{Block, MIX, SBOX, gf_mul};

/// The offset of the counter table in the key structure, in bytes.
pub const TABLE_OFFSET: usize = 256;
/// Size of the counter table in bytes: one block for each value of the last counter byte.
pub const TABLE_BYTES: usize = 256 * 16;

/// Size of the key structure in bytes.
pub const KEY_BYTES: usize = TABLE_OFFSET + TABLE_BYTES;

/// Entry `value` of the counter table: the contribution of counter byte 15 to the state after the first round's
/// MixColumns. ShiftRows takes byte 15 (row 3, column 3) to row 3 of column 0, so only bytes 0..4 are non-zero
/// (Bernstein and Schwabe 2008, section 4; Park and Lee, TCHES 2018).
pub fn table_entry(first_round_key: &Block, value: u8) -> Block {
    let s = SBOX[(value ^ first_round_key[15]) as usize];
    // This is column 3 of the MixColumns matrix, top to bottom: MIX rotated.
    std::array::from_fn(|row| if row < 4 { gf_mul(MIX[(3 + 4 - row) % 4], s) } else { 0 })
}
