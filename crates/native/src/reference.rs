//! The reference, fast enough to check every message that is timed: the RustCrypto crates `aes` and `ghash`, which use the
//! CPU's own instructions for rounds and products.
//!
//! If a block depends on the previous output block (CBC encryption), each block is checked against the previous
//! block of the output under test, so that the reference is parallel. By induction, if all blocks pass this check, all
//! are right.

use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use aesmith_cipher::block::{Block, MIX, SBOX, encrypt, expand_key, expand_key_inverse, gf_mul, xor};
use aesmith_cipher::contract::{TABLE_BYTES, hash_table};
use aesmith_cipher::mode::{Added, Enters, Hashed, KeyPart, Mode, Next, Unit};
use aesmith_cipher::modes::{Chain, doubled};
use aesmith_cipher::{Direction, KeySize, Problem};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

/// A problem's computation under one key.
pub struct Reference {
    cipher: Cipher,
    /// GHASH under the key's hash key, in modes that hash.
    hash: Option<Box<GHash>>,
}

/// The cipher under one key.
enum Cipher {
    /// 10 rounds.
    Aes128(Box<Aes128>),
    /// 12 rounds.
    Aes192(Box<Aes192>),
    /// 14 rounds.
    Aes256(Box<Aes256>),
}

type Blocks = [Array<u8, aes::cipher::consts::U16>];

impl Cipher {
    fn new(size: KeySize, key: &[u8]) -> Self {
        let fits = "the key has the length of its size";
        match size {
            KeySize::Aes128 => Cipher::Aes128(Box::new(Aes128::new_from_slice(key).expect(fits))),
            KeySize::Aes192 => Cipher::Aes192(Box::new(Aes192::new_from_slice(key).expect(fits))),
            KeySize::Aes256 => Cipher::Aes256(Box::new(Aes256::new_from_slice(key).expect(fits))),
        }
    }

    fn encrypt(&self, bytes: &mut [u8]) {
        let blocks: &mut Blocks = Array::slice_as_chunks_mut(bytes).0;
        match self {
            Cipher::Aes128(c) => c.encrypt_blocks(blocks),
            Cipher::Aes192(c) => c.encrypt_blocks(blocks),
            Cipher::Aes256(c) => c.encrypt_blocks(blocks),
        }
    }

    fn decrypt(&self, bytes: &mut [u8]) {
        let blocks: &mut Blocks = Array::slice_as_chunks_mut(bytes).0;
        match self {
            Cipher::Aes128(c) => c.decrypt_blocks(blocks),
            Cipher::Aes192(c) => c.decrypt_blocks(blocks),
            Cipher::Aes256(c) => c.decrypt_blocks(blocks),
        }
    }
}

impl Reference {
    /// The computation of `problem` under `key`, whose length is that of its size.
    pub fn new(problem: Problem, key: &[u8]) -> Self {
        let cipher = Cipher::new(problem.key, key);
        let hash = problem.mode().hashed().map(|_| {
            let mut hash_key = [0; 16];
            cipher.encrypt(&mut hash_key);
            Box::new(GHash::new(&hash_key.into()))
        });
        Reference { cipher, hash }
    }

    /// The value of GHASH after bytes, whose last block is padded with zeros.
    fn hashed(&self, before: Block, bytes: &[u8]) -> Block {
        let Some(hash) = self.hash.as_ref().filter(|_| !bytes.is_empty()) else { return before };
        let mut hash = hash.clone();
        // The hash begins with zeros: the value before is a part of the first block.
        let (first, rest) = bytes.split_at(bytes.len().min(16));
        let mut block = before;
        block.iter_mut().zip(first).for_each(|(b, f)| *b ^= f);
        hash.update(&[block.into()]);
        hash.update_padded(rest);
        hash.finalize().into()
    }

    /// Returns a description of the first error in the result of a message kernel's call, if any. `scratch` saves
    /// allocations.
    ///
    /// `input` and `output` are the `len` bytes of one stream. In modes of whole blocks, bytes after the last whole
    /// block are not checked; what is left behind the IV is not checked if `after` is `None`.
    pub fn verify(
        &self,
        mode: &Mode,
        before: Chain,
        input: &[u8],
        output: &[u8],
        after: Option<Chain>,
        scratch: &mut Vec<u8>,
    ) -> Result<(), String> {
        let Some(rule) = mode.rule else { return Err(format!("{} takes no message", mode.name)) };
        let half = |chain: &Chain, at: usize| Block::try_from(&chain[at..at + 16]).expect("16 bytes");
        let iv = half(&before, 0);
        let counted = match mode.unit {
            Unit::Block => input.len() / 16 * 16,
            Unit::Byte => input.len(),
        };
        let blocks = counted.div_ceil(16);
        let counter = u128::from_be_bytes(iv);
        let count = |by: usize| match rule.next {
            Next::Counter32 => {
                let low = (counter as u32).wrapping_add(by as u32);
                (counter & !u128::from(u32::MAX) | u128::from(low)).to_be_bytes()
            }
            _ => counter.wrapping_add(by as u128).to_be_bytes(),
        };
        let add_chain = |to: &mut [u8]| match rule.next {
            Next::Nothing => {}
            Next::Text => chain(to, iv, input),
            Next::Output => chain(to, iv, output),
            Next::Doubled => {
                for (block, tweak) in to.as_chunks_mut::<16>().0.iter_mut().zip(tweaks(iv)) {
                    *block = xor(*block, tweak);
                }
            }
            Next::Counter | Next::Counter32 => {
                for (i, block) in to.as_chunks_mut::<16>().0.iter_mut().enumerate() {
                    *block = xor(*block, count(i));
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
            Direction::Encrypt => self.cipher.encrypt(scratch),
            Direction::Decrypt => self.cipher.decrypt(scratch),
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
            Next::Counter | Next::Counter32 => count(blocks),
            Next::Doubled => tweaks(iv).nth(blocks).expect("there is no last one"),
        };
        let Some(after) = after else { return Ok(()) };
        let hash = rule.hashed.map(|hashed| match hashed {
            Hashed::Text => self.hashed(half(&before, 16), input),
            Hashed::Output => self.hashed(half(&before, 16), output),
        });
        let parts = [("IV", half(&after, 0), wanted_iv)].into_iter();
        let value = hash.map(|wanted| ("value of GHASH", half(&after, 16), wanted));
        for (name, found, wanted) in parts.chain(value) {
            if found != wanted {
                return Err(format!("the {name} left behind is {found:02x?}, not {wanted:02x?}"));
            }
        }
        Ok(())
    }
}

/// The tweaks of XTS from one on.
fn tweaks(first: Block) -> impl Iterator<Item = Block> {
    std::iter::successors(Some(first), |tweak| Some(doubled(*tweak)))
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

/// Computes a part of the key structure behind the round keys, whose bytes are given, from the round keys.
pub fn key_table(part: KeyPart, round_keys: &[u8], bytes: &mut [u8]) {
    match part {
        KeyPart::RoundKeys => bytes.copy_from_slice(round_keys),
        KeyPart::CounterTable => {
            counter_table(round_keys, bytes.try_into().expect("the bytes of a counter table"));
        }
        KeyPart::HashTable => {
            let hash_key = encrypt(round_keys.as_chunks().0, [0; 16]);
            bytes.copy_from_slice(&hash_table(hash_key));
        }
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
    use aesmith_cipher::modes::call;

    #[test]
    fn agrees_with_the_oracle_on_every_problem() {
        let key: [u8; 32] = std::array::from_fn(|i| (i * 37 + 5) as u8);
        // A counter that carries into its upper half within the message, and a value of GHASH.
        let before: Chain = [(u128::from(u64::MAX) - 1).to_be_bytes(), [9; 16]].concat().try_into().unwrap();
        let mut scratch = Vec::new();
        for problem in Problem::all().into_iter().filter(Problem::is_message) {
            let key = &key[..problem.key.bytes()];
            let reference = Reference::new(problem, key);
            for len in [0, 16, 23, 160] {
                let input: Vec<u8> = (0..len).map(|i| (i * 11 + 3) as u8).collect();
                let (mut output, after) = call(problem, key, before, &input);
                output.resize(len, 0);
                let mut verify =
                    |o: &[u8], v| reference.verify(problem.mode(), before, &input, o, Some(v), &mut scratch);
                assert_eq!(verify(&output, after), Ok(()), "{problem}, {len} bytes");
                if problem.has_iv() {
                    for at in [0, problem.mode().iv_bytes() - 1] {
                        let mut other = after;
                        other[at] ^= 1;
                        assert!(verify(&output, other).is_err(), "{problem}");
                    }
                }
                if len > 0 {
                    output[len / 2 / 16] ^= 1;
                    assert!(verify(&output, after).is_err(), "{problem}");
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
