//! The rounds of FIPS-197 in numbers. [`crate::claim`] has the cipher, the modes and the key schedule over terms, with
//! these rounds as operations; `tests/suite/model.rs` says the same in numbers, and tests compare both.

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

/// The place of the counter table in the key structure, and its bytes: a block for each value of the counter's last byte.
pub const TABLE: core::ops::Range<i128> = 256..256 + 256 * 16;

/// The number of powers of GCM's hash key in the key structure.
pub const POWERS: i128 = 32;
/// The end of the entries of these powers, the first of which stands last.
pub const HASH_END: i128 = TABLE.start + 16 * POWERS;
/// The bytes of zeros behind.
pub const HASH_ZEROS: i128 = 48;

/// The share of the last byte of a block, which is byte 15, in the result of a round.
pub fn last_byte(byte: u8) -> Block {
    mix(shift(Block::from(BOXES.0[usize::from(byte)]) << 120, 1), [2, 3, 1, 1])
}

/// The middle and the last round of the cipher or its inverse.
pub const fn rounds(is_inverse: bool) -> (Round, Round) {
    if is_inverse { (Round::Decrypt, Round::DecryptLast) } else { (Round::Encrypt, Round::EncryptLast) }
}

/// A mode of operation (SP 800-38A, 6; SP 800-38D; SP 800-38E), the key schedule, or the counter table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Electronic codebook.
    Ecb,
    /// Cipher block chaining.
    Cbc,
    /// Counter mode; the counter is the whole block, a big-endian number.
    Ctr,
    /// The text of a message in GCM, with its part of GHASH: of the text if it is deciphered, else of the output.
    Gcm {
        /// True if it is deciphered.
        hashes_text: bool,
    },
    /// Whole blocks of a data unit in XTS.
    Xts,
    /// The key schedule (FIPS-197, 5.2): the text is the cipher key, the output the round keys in order of use.
    Keys,
    /// The counter table of round keys: the output is [`TABLE`].
    Table,
}

impl Mode {
    /// True if a text is enciphered or deciphered.
    pub fn is_of_text(self) -> bool {
        !matches!(self, Mode::Keys | Mode::Table)
    }

    /// True if it is one of SP 800-38A: only these, and key schedules, have rules for processors other than x86-64.
    pub fn is_plain(self) -> bool {
        matches!(self, Mode::Ecb | Mode::Cbc | Mode::Ctr)
    }

    /// True if a part of GHASH is computed.
    pub fn is_gcm(self) -> bool {
        matches!(self, Mode::Gcm { .. })
    }

    /// True if blocks have counters; then texts may end with a part of a block.
    pub fn has_counter(self) -> bool {
        self == Mode::Ctr || self.is_gcm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
