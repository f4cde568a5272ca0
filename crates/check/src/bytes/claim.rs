//! The specification over bytes. [`crate::spec`] says the same in numbers; a test compares both.

use crate::bytes::terms::{ByteId, Terms};
use crate::contract::Contract;
use crate::spec::product;
use alloc::vec::Vec;

/// A block or a round key.
pub type Block = [ByteId; 16];

/// Contents of the key's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keys {
    /// Round keys in order of use.
    Round,
    /// The round keys of encryption, for decryption.
    Forward,
    /// The cipher key, for encryption.
    Cipher,
    /// Round keys in order of use, which are those of a cipher key.
    Expanded,
    /// Round keys in order of use, each as slices for two equal blocks.
    Sliced,
    /// Slices of other keys, for encryption: ShiftRows is undone n times in key n, and the constant of the S-box is added but to
    /// the first.
    Unshifted,
}

impl Keys {
    /// All but the first, with their names.
    pub const ALL: [(&'static str, Keys); 5] = [
        ("forward", Keys::Forward),
        ("cipher", Keys::Cipher),
        ("expanded", Keys::Expanded),
        ("sliced", Keys::Sliced),
        ("unshifted", Keys::Unshifted),
    ];

    /// True if keys are slices.
    pub fn are_slices(self) -> bool {
        matches!(self, Keys::Sliced | Keys::Unshifted)
    }

    /// The number of bytes.
    pub fn bytes(self, contract: &Contract) -> usize {
        match self {
            Keys::Cipher => 4 * (usize::from(contract.rounds) - 6),
            _ => 16 * (usize::from(contract.rounds) + 1),
        }
    }
}

/// The round keys in order of use, of the bytes in the key's memory.
pub fn round_keys(terms: &mut Terms, keys: Keys, rounds: u8, memory: &[ByteId]) -> Vec<Block> {
    let mut all = memory.to_vec();
    if keys == Keys::Cipher {
        // FIPS-197, 5.2.
        let length = memory.len();
        let mut constant = 1;
        for word in length / 4..4 * (usize::from(rounds) + 1) {
            let place = word % (length / 4);
            let last: [ByteId; 4] = core::array::from_fn(|k| all[4 * word - 4 + k]);
            for k in 0..4 {
                let mut byte = last[k];
                if place == 0 || length == 32 && place == 4 {
                    byte = terms.sbox(false, if place == 0 { last[(k + 1) % 4] } else { byte });
                }
                if place == 0 && k == 0 {
                    let number = terms.constant(constant);
                    byte = terms.xor(byte, number);
                    constant = product(constant, 2);
                }
                all.push(terms.xor(all[4 * word - length + k], byte));
            }
        }
    }
    let mut blocks: Vec<Block> = all
        .chunks_exact(16)
        .map(|block| core::array::from_fn(|k| block[k]))
        .take(usize::from(rounds) + 1)
        .collect();
    if keys == Keys::Forward {
        blocks.reverse();
    }
    blocks
}

/// Round key n with ShiftRows undone n times, and the constant of the S-box added but to the first.
pub fn unshifted(terms: &mut Terms, key: &Block, number: usize) -> Block {
    let constant = terms.constant(if number > 0 { 0x63 } else { 0 });
    // Row r of the state moves right by r columns for each time.
    core::array::from_fn(|i| terms.xor(key[i % 4 + 4 * ((i / 4 + (4 - i % 4) * number) % 4)], constant))
}

/// A round key as slices: bit b of row r and column c becomes bits 2c and 2c + 1 of byte r of word 7 - b.
pub fn slices(terms: &mut Terms, key: &Block) -> [ByteId; 32] {
    core::array::from_fn(|at| {
        let (bit, row) = (7 - at / 4, at % 4);
        let mut all = terms.constant(0);
        for column in 0..4 {
            let moved = core::array::from_fn(|k| if k == bit { 3 << (2 * column) } else { 0 });
            let share = terms.mapped(key[4 * column + row], moved);
            all = terms.xor(all, share);
        }
        all
    })
}

/// The XOR of two blocks.
pub fn sum(terms: &mut Terms, a: &Block, b: &Block) -> Block {
    core::array::from_fn(|k| terms.xor(a[k], b[k]))
}

/// (Inv)MixColumns: each column times a circulant matrix, by its first row (FIPS-197, 5.1.3 and 5.3.3).
pub(crate) fn mix(terms: &mut Terms, state: &Block, is_inverse: bool) -> Block {
    let row = if is_inverse { [14, 11, 13, 9] } else { [2, 3, 1, 1] };
    let mut all = *state;
    for (i, byte) in all.iter_mut().enumerate() {
        *byte = terms.constant(0);
        for k in 0..4 {
            let share = terms.times(state[i / 4 * 4 + k], row[(k + 4 - i % 4) % 4]);
            *byte = terms.xor(*byte, share);
        }
    }
    all
}

/// The round keys of the equivalent inverse cipher in order of use (FIPS-197, 5.3.5).
pub fn inverted(terms: &mut Terms, keys: &[Block]) -> Vec<Block> {
    let last = keys.len() - 1;
    let all = keys.iter().enumerate().rev();
    all.map(|(k, key)| if k == 0 || k == last { *key } else { mix(terms, key, true) }).collect()
}

/// The cipher (FIPS-197, 5.1), the equivalent inverse cipher (5.3.5), or the inverse cipher (5.3), whose keys are those
/// of encryption and are added before InvMixColumns.
pub fn cipher(terms: &mut Terms, is_inverse: bool, is_forward: bool, keys: &[Block], block: &Block) -> Block {
    let mut state = sum(terms, block, &keys[0]);
    let step = if is_inverse { 3 } else { 1 };
    for (round, key) in keys.iter().enumerate().skip(1) {
        // Row r of the state moves left by r times the step (5.1.2 and 5.3.1).
        let moved: Block = core::array::from_fn(|i| state[i % 4 + 4 * ((i / 4 + i % 4 * step) % 4)]);
        state = moved.map(|byte| terms.sbox(is_inverse, byte));
        let is_mixed = round + 1 < keys.len();
        if is_mixed && !is_forward {
            state = mix(terms, &state, is_inverse);
        }
        state = sum(terms, &state, key);
        if is_mixed && is_forward {
            state = mix(terms, &state, is_inverse);
        }
    }
    state
}
