//! The reference, fast enough to check every message that is timed: the RustCrypto `aes` crate, which uses the CPU's
//! own AES instructions.
//!
//! If a block depends on the previous output block (CBC encryption), each block is checked against the previous
//! block of the output under test, so that the reference is parallel. By induction, if all blocks pass this check, all
//! are right.

use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use aesmith_cipher::block::{Block, MIX, SBOX, expand_key, expand_key_inverse, gf_mul, xor};
use aesmith_cipher::contract::TABLE_BYTES;
use aesmith_cipher::mode::{Added, Enters, Mode, Next, Unit};
use aesmith_cipher::{Direction, KeySize, Problem};

/// The cipher under one key.
pub enum Reference {
    /// 10 rounds.
    Aes128(Box<Aes128>),
    /// 12 rounds.
    Aes192(Box<Aes192>),
    /// 14 rounds.
    Aes256(Box<Aes256>),
}

type Blocks = [Array<u8, aes::cipher::consts::U16>];

impl Reference {
    /// The cipher under `key`, whose length is that of `size`.
    pub fn new(size: KeySize, key: &[u8]) -> Self {
        let fits = "the key has the length of its size";
        match size {
            KeySize::Aes128 => Reference::Aes128(Box::new(Aes128::new_from_slice(key).expect(fits))),
            KeySize::Aes192 => Reference::Aes192(Box::new(Aes192::new_from_slice(key).expect(fits))),
            KeySize::Aes256 => Reference::Aes256(Box::new(Aes256::new_from_slice(key).expect(fits))),
        }
    }

    fn encrypt(&self, bytes: &mut [u8]) {
        let blocks: &mut Blocks = Array::slice_as_chunks_mut(bytes).0;
        match self {
            Reference::Aes128(c) => c.encrypt_blocks(blocks),
            Reference::Aes192(c) => c.encrypt_blocks(blocks),
            Reference::Aes256(c) => c.encrypt_blocks(blocks),
        }
    }

    fn decrypt(&self, bytes: &mut [u8]) {
        let blocks: &mut Blocks = Array::slice_as_chunks_mut(bytes).0;
        match self {
            Reference::Aes128(c) => c.decrypt_blocks(blocks),
            Reference::Aes192(c) => c.decrypt_blocks(blocks),
            Reference::Aes256(c) => c.decrypt_blocks(blocks),
        }
    }

    /// Returns a description of the first error in the result of a message kernel's call, if any. `scratch` saves
    /// allocations.
    ///
    /// `input` and `output` are the `len` bytes of one stream. In modes of whole blocks, bytes after the last whole
    /// block are not checked; the IV is not checked if `iv_after` is `None`.
    pub fn verify(
        &self,
        mode: &Mode,
        iv: Block,
        input: &[u8],
        output: &[u8],
        iv_after: Option<Block>,
        scratch: &mut Vec<u8>,
    ) -> Result<(), String> {
        let Some(rule) = mode.rule.filter(|rule| rule.hashed.is_none()) else {
            return Err(format!("{} is not checked against the reference", mode.name));
        };
        let counted = match mode.unit {
            Unit::Block => input.len() / 16 * 16,
            Unit::Byte => input.len(),
        };
        let blocks = counted.div_ceil(16);
        let counter = u128::from_be_bytes(iv);
        let add_chain = |to: &mut [u8]| match rule.next {
            Next::Nothing => {}
            Next::Text => chain(to, iv, input),
            Next::Output => chain(to, iv, output),
            Next::Counter32 => unreachable!("modes that hash are refused"),
            Next::Counter => {
                for (i, block) in to.as_chunks_mut::<16>().0.iter_mut().enumerate() {
                    *block = xor(*block, counter.wrapping_add(i as u128).to_be_bytes());
                }
            }
        };
        scratch.clear();
        if rule.enters != Enters::Chain {
            scratch.extend_from_slice(&input[..counted]);
        }
        scratch.resize(16 * blocks, 0);
        if rule.enters != Enters::Text {
            add_chain(scratch);
        }
        match mode.direction {
            Direction::Encrypt => self.encrypt(scratch),
            Direction::Decrypt => self.decrypt(scratch),
        }
        match rule.added {
            Added::Nothing => {}
            Added::Text => scratch.iter_mut().zip(input).for_each(|(s, i)| *s ^= i),
            Added::Chain => add_chain(scratch),
        }
        scratch.truncate(counted);
        let right = &output[..counted];
        if scratch[..] != right[..] {
            let at = scratch.iter().zip(right).position(|(a, b)| a != b).unwrap_or(0);
            return Err(format!(
                "the output differs from the reference from byte {at} on (block {}, byte {} of it)",
                at / 16,
                at % 16
            ));
        }
        let wanted_iv = match rule.next {
            Next::Nothing => iv,
            Next::Text => last_block(input, counted).unwrap_or(iv),
            Next::Output => last_block(output, counted).unwrap_or(iv),
            Next::Counter32 => unreachable!("modes that hash are refused"),
            Next::Counter => counter.wrapping_add(blocks as u128).to_be_bytes(),
        };
        if let Some(iv_after) = iv_after.filter(|iv| *iv != wanted_iv) {
            return Err(format!("the IV left behind is {iv_after:02x?}, not {wanted_iv:02x?}"));
        }
        Ok(())
    }
}

fn last_block(bytes: &[u8], whole: usize) -> Option<Block> {
    Some(Block::try_from(bytes.get(whole.checked_sub(16)?..whole)?).expect("16 bytes"))
}

/// XORs block i of `blocks` with `iv` (i = 0) or with block i - 1 of `before`, the data it is chained to.
fn chain(blocks: &mut [u8], iv: Block, before: &[u8]) {
    if let Some(first) = blocks.first_chunk_mut::<16>() {
        *first = xor(*first, iv);
        blocks[16..].iter_mut().zip(before).for_each(|(b, c)| *b ^= c);
    }
}

/// The round keys that the kernel of `problem` reads, in order of use, as bytes.
pub fn round_keys(problem: Problem, key: &[u8]) -> Vec<u8> {
    match problem.mode().direction {
        Direction::Decrypt => {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("aes") {
                let mut keys = expand_key(problem.key, key);
                keys.reverse();
                let last = keys.len() - 1;
                // SAFETY: AES is present.
                keys[1..last].iter_mut().for_each(|k| *k = unsafe { inverse_mix(*k) });
                return keys.concat();
            }
            expand_key_inverse(problem.key, key).concat()
        }
        Direction::Encrypt => expand_key(problem.key, key).concat(),
    }
}

/// InvMixColumns by the CPU's instruction: the portable version takes ten microseconds a key.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "aes")]
fn inverse_mix(block: Block) -> Block {
    use std::arch::x86_64::{__m128i, _mm_aesimc_si128};
    // SAFETY: both types are 16 bytes of plain data.
    unsafe {
        let mixed = _mm_aesimc_si128(std::mem::transmute::<Block, __m128i>(block));
        std::mem::transmute::<__m128i, Block>(mixed)
    }
}

/// Computes the counter table of the key structure (see [`aesmith_cipher::contract`]), the structure's bytes from 256
/// on, for the first of the round keys.
pub fn counter_table(first_round_key: &[u8], table: &mut [u8; TABLE_BYTES]) {
    static COLUMNS: std::sync::OnceLock<Vec<[u8; 4]>> = std::sync::OnceLock::new();
    let columns = COLUMNS.get_or_init(|| {
        SBOX.iter().map(|&s| std::array::from_fn(|row| gf_mul(MIX[(7 - row) % 4], s))).collect()
    });
    for (value, entry) in table.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        *entry = [0; 16];
        entry[..4].copy_from_slice(&columns[value ^ usize::from(first_round_key[15])]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::Task;
    use aesmith_cipher::contract::table_entry;
    use aesmith_cipher::modes::message;

    #[test]
    fn agrees_with_the_oracle_on_every_problem() {
        let key: [u8; 32] = std::array::from_fn(|i| (i * 37 + 5) as u8);
        // A counter that carries into its upper half within the message.
        let iv = (u128::from(u64::MAX) - 1).to_be_bytes();
        let mut scratch = Vec::new();
        for problem in Problem::all().into_iter().filter(Problem::is_message) {
            let key = &key[..problem.key.bytes()];
            let reference = Reference::new(problem.key, key);
            for len in [0, 16, 23, 160] {
                let input: Vec<u8> = (0..len).map(|i| (i * 11 + 3) as u8).collect();
                let (mut output, iv_after) = message(problem, key, iv, &input);
                output.resize(len, 0);
                let mut verify =
                    |o: &[u8], v| reference.verify(problem.mode(), iv, &input, o, Some(v), &mut scratch);
                assert_eq!(verify(&output, iv_after), Ok(()), "{problem}, {len} bytes");
                if problem.has_iv() {
                    assert!(verify(&output, xor(iv_after, [1; 16])).is_err(), "{problem}");
                }
                if len > 0 {
                    output[len / 2 / 16] ^= 1;
                    assert!(verify(&output, iv_after).is_err(), "{problem}");
                }
            }
        }
    }

    #[test]
    fn keys_and_tables_are_the_contract_s() {
        let key: [u8; 32] = std::array::from_fn(|i| (i * 29 + 1) as u8);
        for size in KeySize::ALL {
            let key = &key[..size.bytes()];
            let inverse = round_keys(Problem::new(size, Task::CbcDecrypt), key);
            assert_eq!(inverse, expand_key_inverse(size, key).concat());
            let keys = round_keys(Problem::new(size, Task::Ctr), key);
            let mut table = [0; TABLE_BYTES];
            counter_table(&keys, &mut table);
            let first = Block::try_from(&keys[..16]).unwrap();
            let wanted: Vec<Block> = (0..=255).map(|v| table_entry(&first, v)).collect();
            assert_eq!(table[..], wanted.concat()[..]);
        }
    }
}
