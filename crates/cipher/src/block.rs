//! A single block and the key schedules, exactly as in FIPS-197. Simple: the reference for all tests.

use crate::problem::KeySize;

/// A block or a round key: byte `r + 4 c` is row `r`, column `c` of the state (FIPS-197, 3.4).
pub type Block = [u8; 16];

/// Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS-197, 4.2.1).
pub const fn xtime(a: u8) -> u8 {
    (a << 1) ^ (((a >> 7) & 1) * 0x1b)
}

/// Multiplication in GF(2^8).
pub const fn gf_mul(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = xtime(a);
        b >>= 1;
    }
    product
}

/// The S-box (FIPS-197, 5.1.1): inversion in GF(2^8), then the affine map.
pub const SBOX: [u8; 256] = sbox();
/// The inverse S-box.
pub const INV_SBOX: [u8; 256] = inverse(&SBOX);

const fn sbox() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut a = 0;
    while a < 256 {
        // The inverse is a^254, which gives 0 for 0.
        let (mut inverse, mut power, mut exponent) = (1u8, a as u8, 254u8);
        while exponent != 0 {
            if exponent & 1 == 1 {
                inverse = gf_mul(inverse, power);
            }
            power = gf_mul(power, power);
            exponent >>= 1;
        }
        let i = inverse;
        table[a] = i ^ i.rotate_left(1) ^ i.rotate_left(2) ^ i.rotate_left(3) ^ i.rotate_left(4) ^ 0x63;
        a += 1;
    }
    table
}

const fn inverse(table: &[u8; 256]) -> [u8; 256] {
    let mut inverted = [0u8; 256];
    let mut a = 0;
    while a < 256 {
        inverted[table[a] as usize] = a as u8;
        a += 1;
    }
    inverted
}

/// Row 0 of the MixColumns matrix; row `r` is row 0 rotated right by `r` (FIPS-197, 5.1.3).
pub const MIX: [u8; 4] = [2, 3, 1, 1];
/// Row 0 of the InvMixColumns matrix (FIPS-197, 5.3.3).
pub const INV_MIX: [u8; 4] = [14, 11, 13, 9];

/// ShiftRows as a permutation: byte `i` of the result is byte `SHIFT_ROWS[i]` of the argument.
pub const SHIFT_ROWS: [usize; 16] = shift_rows(1);
/// InvShiftRows, likewise.
pub const INV_SHIFT_ROWS: [usize; 16] = shift_rows(3);

const fn shift_rows(step: usize) -> [usize; 16] {
    let mut source = [0; 16];
    let mut i = 0;
    while i < 16 {
        let (row, column) = (i % 4, i / 4);
        source[i] = row + 4 * ((column + row * step) % 4);
        i += 1;
    }
    source
}

/// XOR of two blocks.
pub fn xor(a: Block, b: Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// SubBytes then ShiftRows.
pub fn sub_shift(s: Block) -> Block {
    std::array::from_fn(|i| SBOX[s[SHIFT_ROWS[i]] as usize])
}

/// InvShiftRows then InvSubBytes.
pub fn inv_sub_shift(s: Block) -> Block {
    std::array::from_fn(|i| INV_SBOX[s[INV_SHIFT_ROWS[i]] as usize])
}

/// Products of the numbers below 16, which the matrices consist of, with each byte.
static PRODUCTS: [[u8; 256]; 16] = products();

const fn products() -> [[u8; 256]; 16] {
    let mut products = [[0u8; 256]; 16];
    let mut at = 0;
    while at < 16 * 256 {
        products[at / 256][at % 256] = gf_mul((at / 256) as u8, (at % 256) as u8);
        at += 1;
    }
    products
}

/// MixColumns (with [`MIX`]) or InvMixColumns (with [`INV_MIX`]). A matrix consists of numbers below 16.
pub fn mix(s: Block, matrix: [u8; 4]) -> Block {
    std::array::from_fn(|i| {
        let (row, column) = (i % 4, i / 4 * 4);
        (0..4).fold(0, |sum, k| sum ^ PRODUCTS[matrix[(k + 4 - row) % 4] as usize][s[column + k] as usize])
    })
}

/// Round keys for encryption (FIPS-197, 5.2): `rounds + 1` blocks.
///
/// # Panics
/// If `key` is not `size.bytes()` long.
pub fn expand_key(size: KeySize, key: &[u8]) -> Vec<Block> {
    assert_eq!(key.len(), size.bytes(), "a key of AES-{} has {} bytes", size.bits(), size.bytes());
    let nk = size.bytes() / 4;
    let mut words: Vec<[u8; 4]> = key.chunks(4).map(|w| w.try_into().unwrap()).collect();
    let mut rcon = 1u8;
    for i in nk..4 * (size.rounds() + 1) {
        let mut t = words[i - 1];
        if i % nk == 0 {
            t.rotate_left(1);
            t = t.map(|b| SBOX[b as usize]);
            t[0] ^= rcon;
            rcon = xtime(rcon);
        } else if nk > 6 && i % nk == 4 {
            t = t.map(|b| SBOX[b as usize]);
        }
        words.push(std::array::from_fn(|k| words[i - nk][k] ^ t[k]));
    }
    words.chunks(4).map(|c| c.concat().try_into().unwrap()).collect()
}

/// Round keys for the equivalent inverse cipher (FIPS-197, 5.3.5), in order of use.
pub fn expand_key_inverse(size: KeySize, key: &[u8]) -> Vec<Block> {
    let mut keys = expand_key(size, key);
    keys.reverse();
    let last = keys.len() - 1;
    for k in &mut keys[1..last] {
        *k = mix(*k, INV_MIX);
    }
    keys
}

/// The cipher (FIPS-197, 5.1) under the round keys of [`expand_key`].
pub fn encrypt(keys: &[Block], block: Block) -> Block {
    let last = keys.len() - 1;
    let mut s = xor(block, keys[0]);
    for &k in &keys[1..last] {
        s = xor(mix(sub_shift(s), MIX), k);
    }
    xor(sub_shift(s), keys[last])
}

/// The equivalent inverse cipher under the round keys of [`expand_key_inverse`].
pub fn decrypt(keys: &[Block], block: Block) -> Block {
    let last = keys.len() - 1;
    let mut s = xor(block, keys[0]);
    for &k in &keys[1..last] {
        s = xor(mix(inv_sub_shift(s), INV_MIX), k);
    }
    xor(inv_sub_shift(s), keys[last])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(s: &str) -> Vec<u8> {
        (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
    }

    /// The examples of FIPS-197, appendix C.
    #[test]
    fn appendix_c() {
        let plain: Block = hex("00112233445566778899aabbccddeeff").try_into().unwrap();
        for (size, cipher) in [
            (KeySize::Aes128, "69c4e0d86a7b0430d8cdb78070b4c55a"),
            (KeySize::Aes192, "dda97ca4864cdfe06eaf70a0ec0d7191"),
            (KeySize::Aes256, "8ea2b7ca516745bfeafc49904b496089"),
        ] {
            let key: Vec<u8> = (0..size.bytes() as u8).collect();
            let out = encrypt(&expand_key(size, &key), plain);
            assert_eq!(out.to_vec(), hex(cipher));
            assert_eq!(decrypt(&expand_key_inverse(size, &key), out), plain);
        }
    }

    /// The last words of each expanded key in FIPS-197, appendix A.
    #[test]
    fn appendix_a() {
        let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
        assert_eq!(expand_key(KeySize::Aes128, &key)[10].to_vec(), hex("d014f9a8c9ee2589e13f0cc8b6630ca6"));
    }
}
