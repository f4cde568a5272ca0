//! The specification: FIPS-197 and the modes of SP 800-38A, in numbers.
//!
//! [`crate::claim`] states the same over terms, with the rounds of this file as operations.

use alloc::vec::Vec;

/// A block or a round key as a number: byte `i` of the standard is `value >> 8 * i`.
pub type Block = u128;

/// A part of the cipher that an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Round {
    /// SubBytes, ShiftRows, MixColumns.
    Encrypt,
    /// SubBytes, ShiftRows.
    EncryptLast,
    /// InvSubBytes, InvShiftRows, InvMixColumns.
    Decrypt,
    /// InvSubBytes, InvShiftRows.
    DecryptLast,
    /// InvMixColumns alone.
    InverseMix,
}

impl Round {
    /// All, with their names in certificates.
    pub const ALL: [(Round, &'static str); 5] = [
        (Round::Encrypt, "enc"),
        (Round::EncryptLast, "enclast"),
        (Round::Decrypt, "dec"),
        (Round::DecryptLast, "declast"),
        (Round::InverseMix, "imc"),
    ];

    /// The value for a state. FIPS-197, 5.1 and 5.3, without AddRoundKey.
    pub fn apply(self, state: Block) -> Block {
        self.linear(match self {
            Round::Encrypt | Round::EncryptLast => substitute(state, false),
            Round::Decrypt | Round::DecryptLast => substitute(state, true),
            Round::InverseMix => state,
        })
    }

    /// The part of it behind SubBytes or InvSubBytes, which is linear over XOR.
    pub fn linear(self, state: Block) -> Block {
        match self {
            Round::Encrypt => mix(shift(state, 1), [2, 3, 1, 1]),
            Round::EncryptLast => shift(state, 1),
            Round::Decrypt => mix(shift(state, 3), [14, 11, 13, 9]),
            Round::DecryptLast => shift(state, 3),
            Round::InverseMix => mix(state, [14, 11, 13, 9]),
        }
    }
}

/// A product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS-197, 4.2).
pub const fn product(a: u8, b: u8) -> u8 {
    let (mut a, mut b, mut sum) = (a, b, 0);
    while b != 0 {
        if b & 1 == 1 {
            sum ^= a;
        }
        a = (a << 1) ^ (if a >= 0x80 { 0x1b } else { 0 });
        b >>= 1;
    }
    sum
}

/// Multiplicative inverses; that of 0 is 0.
pub(crate) const INVERSES: [u8; 256] = {
    let mut all = [0; 256];
    let mut a = 0;
    while a < 256 {
        // The power 254.
        let (mut power, mut n) = (1, 0);
        while n < 254 {
            power = product(power, a as u8);
            n += 1;
        }
        all[a] = power;
        a += 1;
    }
    all
};

/// The S-box and its inverse (FIPS-197, 5.1.1 and 5.3.2).
pub(crate) const BOXES: ([u8; 256], [u8; 256]) = {
    let (mut forward, mut inverse) = ([0; 256], [0; 256]);
    let mut a = 0;
    while a < 256 {
        let power = INVERSES[a];
        let mut value = 0x63;
        let mut k = 0;
        while k < 5 {
            value ^= power.rotate_left(k);
            k += 1;
        }
        forward[a] = value;
        inverse[value as usize] = a as u8;
        a += 1;
    }
    (forward, inverse)
};

fn substitute(state: Block, is_inverse: bool) -> Block {
    let table = if is_inverse { &BOXES.1 } else { &BOXES.0 };
    Block::from_le_bytes(state.to_le_bytes().map(|byte| table[usize::from(byte)]))
}

/// Row `r` of the state moves left by `r * step` columns (FIPS-197, 5.1.2 and 5.3.1). Byte `r + 4 c` is in row `r` and
/// column `c`.
fn shift(state: Block, step: usize) -> Block {
    let old = state.to_le_bytes();
    Block::from_le_bytes(core::array::from_fn(|i| old[i % 4 + 4 * ((i / 4 + i % 4 * step) % 4)]))
}

/// Each column times a circulant matrix, by its first row (FIPS-197, 5.1.3 and 5.3.3).
fn mix(state: Block, row: [u8; 4]) -> Block {
    let old = state.to_le_bytes();
    Block::from_le_bytes(core::array::from_fn(|i| {
        (0..4).fold(0, |sum, k| sum ^ product(row[(k + 4 - i % 4) % 4], old[i / 4 * 4 + k]))
    }))
}

/// The round keys (FIPS-197, 5.2).
pub fn key_schedule(key: &[u8]) -> Vec<Block> {
    let length = key.len() / 4;
    let mut words: Vec<[u8; 4]> = key.chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]]).collect();
    let mut constant = 1;
    for i in length..4 * (length + 7) {
        let mut word = words[i - 1];
        if i % length == 0 {
            word.rotate_left(1);
        }
        if i % length == 0 || length > 6 && i % length == 4 {
            word = word.map(|byte| BOXES.0[usize::from(byte)]);
        }
        if i % length == 0 {
            word[0] ^= constant;
            constant = product(constant, 2);
        }
        words.push(core::array::from_fn(|k| words[i - length][k] ^ word[k]));
    }
    let numbers = words.iter().map(|&word| u128::from(u32::from_le_bytes(word)));
    let numbers: Vec<u128> = numbers.collect();
    numbers.chunks(4).map(|c| c[0] | c[1] << 32 | c[2] << 64 | c[3] << 96).collect()
}

/// The round keys of the equivalent inverse cipher, in order of use (FIPS-197, 5.3.5).
pub fn inverse_key_schedule(key: &[u8]) -> Vec<Block> {
    let mut keys = key_schedule(key);
    keys.reverse();
    let last = keys.len() - 1;
    for key in &mut keys[1..last] {
        *key = Round::InverseMix.apply(*key);
    }
    keys
}

/// The cipher or, with the keys of [`inverse_key_schedule`], the equivalent inverse cipher (FIPS-197, 5.1 and 5.3.5).
pub fn cipher(keys: &[Block], block: Block, is_inverse: bool) -> Block {
    let (round, last) = rounds(is_inverse);
    let middle = &keys[1..keys.len() - 1];
    let state = middle.iter().fold(block ^ keys[0], |state, key| round.apply(state) ^ key);
    last.apply(state) ^ keys[keys.len() - 1]
}

/// The place of the counter table in the key structure, and its bytes: a block for each value of the counter's last byte.
pub const TABLE: core::ops::Range<i128> = 256..256 + 256 * 16;

/// The share of the last byte of a block, which is byte 15, in the result of a round.
pub fn last_byte(byte: u8) -> Block {
    mix(shift(Block::from(BOXES.0[usize::from(byte)]) << 120, 1), [2, 3, 1, 1])
}

/// A block of the counter table: the share of the counter's last byte in the result of the first round.
pub fn table_entry(first_key: Block, value: u8) -> Block {
    last_byte(value ^ (first_key >> 120) as u8)
}

/// The middle and the last round of the cipher or its inverse.
pub const fn rounds(is_inverse: bool) -> (Round, Round) {
    if is_inverse { (Round::Decrypt, Round::DecryptLast) } else { (Round::Encrypt, Round::EncryptLast) }
}

/// A mode of operation (SP 800-38A, 6), or the key schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Electronic codebook.
    Ecb,
    /// Cipher block chaining.
    Cbc,
    /// Counter mode; the counter is the whole block, a big-endian number.
    Ctr,
    /// The key schedule (FIPS-197, 5.2): the text is the cipher key, the output the round keys in order of use.
    Keys,
}

/// The result of a call on a message, and the chain value after it. Counter mode takes any number of bytes; the other
/// modes take whole blocks and leave the rest alone.
pub fn message(
    mode: Mode,
    is_inverse: bool,
    keys: &[Block],
    mut chain: Block,
    text: &[u8],
) -> (Vec<u8>, Block) {
    let mut all = Vec::new();
    if mode == Mode::Keys {
        let keys = if is_inverse { inverse_key_schedule(text) } else { key_schedule(text) };
        return (keys.iter().flat_map(|key| key.to_le_bytes()).collect(), chain);
    }
    for part in text.chunks(16).filter(|part| mode == Mode::Ctr || part.len() == 16) {
        let block = part.iter().rev().fold(0, |block, &byte| block << 8 | Block::from(byte));
        let out = match mode {
            Mode::Ecb | Mode::Keys => cipher(keys, block, is_inverse),
            Mode::Cbc if is_inverse => cipher(keys, block, true) ^ chain,
            Mode::Cbc => cipher(keys, block ^ chain, false),
            Mode::Ctr => block ^ cipher(keys, chain, false),
        };
        chain = match mode {
            Mode::Ecb | Mode::Keys => chain,
            Mode::Cbc if is_inverse => block,
            Mode::Cbc => out,
            Mode::Ctr => chain.swap_bytes().wrapping_add(1).swap_bytes(),
        };
        all.extend(out.to_le_bytes().iter().take(part.len()));
    }
    (all, chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS-197, appendix C.
    #[test]
    fn examples_of_the_standard() {
        let text = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.swap_bytes();
        for (bytes, cipher_text) in [
            (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128),
            (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
            (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
        ] {
            let key: Vec<u8> = (0..bytes).collect();
            let out = cipher(&key_schedule(&key), text, false);
            assert_eq!(out, cipher_text.swap_bytes());
            assert_eq!(cipher(&inverse_key_schedule(&key), out, true), text);
        }
    }

    /// A round is the sum of shares of bytes, that of the last one being S times the last column of MixColumns.
    #[test]
    fn shares_of_the_last_byte() {
        let state = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978_u128;
        for byte in 0..=255_u8 {
            let s = Round::EncryptLast.apply(u128::from(byte)) as u8;
            let column = [s, s, product(3, s), product(2, s)];
            assert_eq!(last_byte(byte), u128::from(u32::from_le_bytes(column)));
            let other = state ^ u128::from(byte) << 120;
            let change = Round::Encrypt.apply(state) ^ Round::Encrypt.apply(other);
            assert_eq!(change, last_byte(1) ^ last_byte(byte ^ 1));
        }
        // Split by any set of bytes.
        for mask in [0xff << 120, 0xffff_ffff, 0x00ff_00ff_u128] {
            let (a, b) = (Round::Encrypt.apply(state & mask), Round::Encrypt.apply(state & !mask));
            assert_eq!(a ^ b ^ Round::Encrypt.apply(0), Round::Encrypt.apply(state));
        }
    }

    /// SP 800-38A, F.2.1 and F.5.1, the first two blocks.
    #[test]
    fn examples_of_the_modes() {
        let bytes = |hex: &str| -> Vec<u8> {
            (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
        };
        let keys = key_schedule(&bytes("2b7e151628aed2a6abf7158809cf4f3c"));
        let inverse = inverse_key_schedule(&bytes("2b7e151628aed2a6abf7158809cf4f3c"));
        let text = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
        let iv = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.swap_bytes();
        let (cbc, chain) = message(Mode::Cbc, false, &keys, iv, &text);
        assert_eq!(cbc, bytes("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"));
        assert_eq!(chain.to_le_bytes(), cbc[16..]);
        assert_eq!(message(Mode::Cbc, true, &inverse, iv, &cbc), (text.clone(), chain));
        let counter = 0xf0f1_f2f3_f4f5_f6f7_f8f9_fafb_fcfd_feff_u128;
        let (ctr, next) = message(Mode::Ctr, false, &keys, counter.swap_bytes(), &text);
        assert_eq!(ctr, bytes("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"));
        assert_eq!(next, (counter + 2).swap_bytes());
        assert_eq!(message(Mode::Ctr, false, &keys, u128::MAX, &text[..20]).1, 1_u128.swap_bytes());
        assert_eq!(message(Mode::Ecb, false, &keys, 0, &text[..31]).0.len(), 16);
    }
}
