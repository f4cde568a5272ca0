//! The calling contract of every kernel, for all variants and processors.
//!
//! The arguments are those of the mode's record ([`crate::mode::Mode::arguments`]), in order (System V AMD64:
//! `rdi rsi rdx rcx r8`):
//!
//! | task | arguments |
//! |---|---|
//! | ECB | `key`, `in`, `out`, `len` |
//! | CBC, CTR, GCM, XTS | `key`, `iv`, `in`, `out`, `len` |
//! | CBC encryption of N > 1 streams | the same five, each the address of an array of N |
//! | key schedule | `key` (written), `key_bytes` (read) |
//! | counter table, powers of the hash key | `key` (round keys read, table or powers written) |
//!
//! `in` and `out` are the same address or do not overlap; `iv`, `key`, the argument arrays and the kernel's stack do
//! not overlap with either. Lengths are below 2^63. ECB, CBC and XTS process `len / 16` blocks.
//!
//! The key structure, in bytes:
//!
//! ```text
//!   0 .. 16 (rounds + 1)   round keys in order of use
//! 256 .. 4352              CTR: table of first-round contributions
//! 256 .. 816               GCM: powers of the hash key, the highest first, and zeros
//! ```
//!
//! GCM (SP 800-38D), the text of a message: `iv` is the counter block of the next block of text, whose last four bytes count,
//! and behind it the value of GHASH before that block. Both are updated. A call that ends inside a block uses up that block, padded with zeros in GHASH.
//!
//! XTS (IEEE 1619, 5.3 and 5.4), whole blocks of a data unit: `iv` is the tweak of the next block, and is updated.

use crate::block::{Block, MIX, SBOX, gf_mul};
use crate::ghash::{multiply, power};

/// The offset of the counter table in the key structure, in bytes.
pub const TABLE_OFFSET: usize = 256;
/// Size of the counter table in bytes: one block for each value of the last counter byte.
pub const TABLE_BYTES: usize = 256 * 16;

/// Size of the largest key structure in bytes.
pub const KEY_BYTES: usize = TABLE_OFFSET + TABLE_BYTES;

/// The offset of the powers of the hash key in the key structure, in bytes.
pub const HASH_OFFSET: usize = 256;
/// The number of powers of the hash key.
pub const POWERS: usize = 32;
/// The end of the powers, from which on zeros follow that a register may hold beside powers, in bytes.
pub const HASH_END: usize = HASH_OFFSET + 16 * POWERS;
/// The zeros behind the powers, in bytes.
pub const HASH_ZEROS: usize = 48;

/// The stored power of a hash key with an exponent of 1 or more, which stands `16 * exponent` bytes before [`HASH_END`]: the
/// power divided by x, with its bytes reversed. As little-endian numbers the carry-less product of such an entry and of a
/// block with its bytes reversed is then the product in the field, whose coefficient of x^k is bit 255 - k, before reduction.
pub fn hash_entry(hash_key: Block, exponent: usize) -> Block {
    entry_of(power(hash_key, exponent))
}

/// The entry of a power.
fn entry_of(power: Block) -> Block {
    // x^-1 = x^127 + x^6 + x + 1, for the polynomial of the field is x^128 + x^7 + x^2 + x + 1; bit k is x^(127 - k).
    const INVERSE_OF_X: u128 = 0xc2 << 120 | 1;
    let value = u128::from_be_bytes(power);
    let carry = if value >> 127 == 1 { INVERSE_OF_X } else { 0 };
    (value << 1 ^ carry).to_le_bytes()
}

/// The bytes of the key structure from [`HASH_OFFSET`] on: the entries of all powers of a hash key, and the zeros behind them.
pub fn hash_table(hash_key: Block) -> Vec<u8> {
    let powers = std::iter::successors(Some(hash_key), |power| Some(multiply(*power, hash_key)));
    let mut entries: Vec<Block> = powers.take(POWERS).map(entry_of).collect();
    entries.reverse();
    [entries.concat(), vec![0; HASH_ZEROS]].concat()
}

/// Entry `value` of the counter table: the contribution of counter byte 15 to the state after the first round's
/// MixColumns. ShiftRows takes byte 15 (row 3, column 3) to row 3 of column 0, so only bytes 0..4 are non-zero
/// (Bernstein and Schwabe 2008, section 4; Park and Lee, TCHES 2018).
pub fn table_entry(first_round_key: &Block, value: u8) -> Block {
    let s = SBOX[(value ^ first_round_key[15]) as usize];
    // This is column 3 of the MixColumns matrix, top to bottom: MIX rotated.
    std::array::from_fn(|row| if row < 4 { gf_mul(MIX[(3 + 4 - row) % 4], s) } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The carry-less product of two numbers.
    fn product(a: u128, b: u128) -> (u128, u128) {
        (0..128)
            .filter(|i| b >> i & 1 == 1)
            .fold((0, 0), |(low, high), i| (low ^ a << i, high ^ if i == 0 { 0 } else { a >> (128 - i) }))
    }

    #[test]
    fn each_entry_stands_at_its_exponent() {
        let (key, table) = ([0x9d; 16], hash_table([0x9d; 16]));
        assert_eq!(table.len(), HASH_END + HASH_ZEROS - HASH_OFFSET);
        for exponent in [1, 2, 7, POWERS] {
            let at = HASH_END - HASH_OFFSET - 16 * exponent;
            assert_eq!(table[at..at + 16], hash_entry(key, exponent), "{exponent}");
        }
        assert_eq!(table[HASH_END - HASH_OFFSET..], [0; HASH_ZEROS]);
    }

    #[test]
    fn products_with_an_entry_are_products_in_the_field() {
        let (x, key) = (0x0388dace60b6a392f328c2b971b2fe78u128.to_be_bytes(), [0x9d; 16]);
        for exponent in [1, 2, 7] {
            let entry = u128::from_le_bytes(hash_entry(key, exponent));
            let (low, high) = product(u128::from_be_bytes(x), entry);
            // Bit k of the upper half is x^(127 - k); of the lower half x^(255 - k), which is reduced here.
            let reduced = (0..128).filter(|k| low >> k & 1 == 1).fold(high.to_be_bytes(), |sum, k| {
                let x = (1u128 << 126).to_be_bytes();
                let term = power(x, 255 - k);
                std::array::from_fn(|i| sum[i] ^ term[i])
            });
            assert_eq!(reduced, multiply(x, power(key, exponent)), "{exponent}");
        }
    }
}
