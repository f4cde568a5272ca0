//! The specification: FIPS-197 over bits.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use aesmith_cipher::Direction;
use aesmith_cipher::block::{INV_MIX, INV_SHIFT_ROWS, MIX, SHIFT_ROWS};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::KeySize;

use crate::bits::forms::{Bit, Bits, Byte, ONE, ZERO};

/// A block of 16 bytes, as bits.
pub type State = [Byte; 16];

/// Multiplication by x (FIPS-197, 4.2.1).
pub fn xtime(bits: &mut Bits, a: Byte) -> Byte {
    std::array::from_fn(|i| {
        let shifted = if i == 0 { ZERO } else { a[i - 1] };
        if 0x1b >> i & 1 == 1 { bits.xor(shifted, a[7]) } else { shifted }
    })
}

/// XOR of bytes.
pub fn add(bits: &mut Bits, a: Byte, b: Byte) -> Byte {
    std::array::from_fn(|i| bits.xor(a[i], b[i]))
}

/// XOR of blocks.
pub fn add_key(bits: &mut Bits, s: &State, k: &State) -> State {
    std::array::from_fn(|i| add(bits, s[i], k[i]))
}

fn times(bits: &mut Bits, by: u8, mut a: Byte) -> Byte {
    let mut product = [ZERO; 8];
    let mut by = by;
    while by != 0 {
        if by & 1 == 1 {
            product = add(bits, product, a);
        }
        by >>= 1;
        if by != 0 {
            a = xtime(bits, a);
        }
    }
    product
}

fn mix(bits: &mut Bits, s: &State, matrix: [u8; 4]) -> State {
    std::array::from_fn(|i| {
        let (row, column) = (i % 4, i / 4 * 4);
        (0..4).fold([ZERO; 8], |sum, k| {
            let product = times(bits, matrix[(k + 4 - row) % 4], s[column + k]);
            add(bits, sum, product)
        })
    })
}

/// The S-box of a byte of forms. All inputs here are independent: they are XORs of different key bits.
fn sub(bits: &mut Bits, x: Byte, inverse: bool) -> Result<Byte, String> {
    bits.sbox(x, inverse).ok_or_else(|| "the specification meets an S-box input of dependent bits".into())
}

fn sub_shift(bits: &mut Bits, s: &State, inverse: bool) -> Result<State, String> {
    let rows = if inverse { INV_SHIFT_ROWS } else { SHIFT_ROWS };
    let mut out = [[ZERO; 8]; 16];
    for (i, byte) in out.iter_mut().enumerate() {
        *byte = sub(bits, s[rows[i]], inverse)?;
    }
    Ok(out)
}

/// The cipher (FIPS-197, 5.1).
pub fn encrypt(bits: &mut Bits, keys: &[State], block: &State) -> Result<State, String> {
    let last = keys.len() - 1;
    let mut s = add_key(bits, block, &keys[0]);
    for key in &keys[1..last] {
        let t = sub_shift(bits, &s, false)?;
        let t = mix(bits, &t, MIX);
        s = add_key(bits, &t, key);
    }
    let t = sub_shift(bits, &s, false)?;
    Ok(add_key(bits, &t, &keys[last]))
}

/// The equivalent inverse cipher (FIPS-197, 5.3.5), with keys in order of use.
fn decrypt_equivalent(bits: &mut Bits, keys: &[State], block: &State) -> Result<State, String> {
    let last = keys.len() - 1;
    let mut s = add_key(bits, block, &keys[0]);
    for key in &keys[1..last] {
        let t = sub_shift(bits, &s, true)?;
        let t = mix(bits, &t, INV_MIX);
        s = add_key(bits, &t, key);
    }
    let t = sub_shift(bits, &s, true)?;
    Ok(add_key(bits, &t, &keys[last]))
}

/// The inverse cipher (FIPS-197, 5.3), with keys in order of encryption.
fn decrypt_forward(bits: &mut Bits, keys: &[State], block: &State) -> Result<State, String> {
    let last = keys.len() - 1;
    let mut s = add_key(bits, block, &keys[last]);
    for key in keys[1..last].iter().rev() {
        let t = sub_shift(bits, &s, true)?;
        let t = add_key(bits, &t, key);
        s = mix(bits, &t, INV_MIX);
    }
    let t = sub_shift(bits, &s, true)?;
    Ok(add_key(bits, &t, &keys[0]))
}

/// The key schedule (FIPS-197, 5.2).
pub fn expand(bits: &mut Bits, size: KeySize, key: &[Byte]) -> Result<Vec<State>, String> {
    let nk = size.bytes() / 4;
    let mut words: Vec<[Byte; 4]> = key.chunks(4).map(|w| [w[0], w[1], w[2], w[3]]).collect();
    let mut rcon = 1u8;
    for i in nk..4 * (size.rounds() + 1) {
        let mut t = words[i - 1];
        if i % nk == 0 {
            t.rotate_left(1);
        }
        if i % nk == 0 || nk > 6 && i % nk == 4 {
            for byte in &mut t {
                *byte = sub(bits, *byte, false)?;
            }
        }
        if i % nk == 0 {
            for (j, bit) in t[0].iter_mut().enumerate() {
                *bit ^= u32::from(rcon >> j & 1);
            }
            rcon = aesmith_cipher::block::xtime(rcon);
        }
        let before = words[i - nk];
        words.push(std::array::from_fn(|k| add(bits, before[k], t[k])));
    }
    Ok(words.chunks(4).map(|c| std::array::from_fn(|i| c[i / 4][i % 4])).collect())
}

/// Round keys in the order and form of [`Firmware::round_keys`].
pub fn round_keys(bits: &mut Bits, contract: &Firmware, cipher_key: &[Byte]) -> Result<Vec<State>, String> {
    let mut keys = expand(bits, contract.problem.key, cipher_key)?;
    if is_equivalent_inverse(contract) {
        keys.reverse();
        let last = keys.len() - 1;
        for key in &mut keys[1..last] {
            *key = mix(bits, key, INV_MIX);
        }
    }
    Ok(keys)
}

/// True if the round keys are those of the equivalent inverse cipher.
pub(crate) fn is_equivalent_inverse(contract: &Firmware) -> bool {
    contract.direction() == Direction::Decrypt
        && !matches!(contract.packing, Packing::ForwardKeys | Packing::CipherKey)
}

/// A block enciphered or deciphered under its round keys, as the contract says.
pub fn block(bits: &mut Bits, contract: &Firmware, keys: &[State], block: &State) -> Result<State, String> {
    match contract.direction() {
        Direction::Encrypt => encrypt(bits, keys, block),
        Direction::Decrypt if is_equivalent_inverse(contract) => decrypt_equivalent(bits, keys, block),
        Direction::Decrypt => decrypt_forward(bits, keys, block),
    }
}

/// Each bit of a packed key: whether it is complemented, and the round-key bits whose sum it is, counted from byte 0,
/// lowest bit first.
pub type Matrix = Vec<(bool, Vec<u32>)>;

/// A packing as a matrix, found by probing unit vectors and checked on sums of them.
pub fn packing(packing: Packing, keys: usize) -> Result<Arc<Matrix>, String> {
    type Known = HashMap<(Packing, usize), Arc<Matrix>>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(matrix) = known.get(&(packing, keys)) {
        return Ok(Arc::clone(matrix));
    }
    let zero = vec![[0; 16]; keys];
    let constant = packing.pack(&zero);
    let mut matrix: Matrix =
        (0..constant.len() * 8).map(|i| (constant[i / 8] >> (i % 8) & 1 == 1, Vec::new())).collect();
    for bit in 0..keys * 128 {
        let mut unit = zero.clone();
        unit[bit / 128][bit / 8 % 16] = 1 << (bit % 8);
        for (place, (image, base)) in packing.pack(&unit).iter().zip(&constant).enumerate() {
            let mut differs = image ^ base;
            while differs != 0 {
                matrix[8 * place + differs.trailing_zeros() as usize].1.push(bit as u32);
                differs &= differs - 1;
            }
        }
    }
    for seed in 1..4u8 {
        let mut state = seed;
        let sample: Vec<[u8; 16]> = zero
            .iter()
            .map(|k| {
                k.map(|_| {
                    state = state.wrapping_mul(109).wrapping_add(89);
                    state ^ state >> 3
                })
            })
            .collect();
        let image = packing.pack(&sample);
        let affine = matrix.iter().enumerate().all(|(place, (c, of))| {
            let sum = of.iter().fold(*c, |s, &bit| {
                let bit = bit as usize;
                s ^ (sample[bit / 128][bit / 8 % 16] >> (bit % 8) & 1 == 1)
            });
            sum == (image[place / 8] >> (place % 8) & 1 == 1)
        });
        if !affine {
            return Err(format!(
                "the form of the key '{}' is no affine function of its bits",
                packing.name()
            ));
        }
    }
    let matrix = Arc::new(matrix);
    known.insert((packing, keys), Arc::clone(&matrix));
    Ok(matrix)
}

/// Round keys as they are stored in memory.
pub fn pack(bits: &mut Bits, matrix: &Matrix, keys: &[State]) -> Vec<Byte> {
    let of = |bit: u32| keys[bit as usize / 128][bit as usize / 8 % 16][bit as usize % 8];
    let packed: Vec<Bit> = matrix
        .iter()
        .map(|(constant, sum)| {
            let sum = bits.sum(sum.iter().map(|&b| of(b)));
            if *constant { sum ^ ONE } else { sum }
        })
        .collect();
    packed.chunks(8).map(|c| std::array::from_fn(|i| c[i])).collect()
}
