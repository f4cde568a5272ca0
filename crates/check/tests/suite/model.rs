//! The specification in numbers: FIPS-197, the modes of SP 800-38A, GCM and XTS, by the rounds of the checker.

use aesmith_check::spec::{Block, HASH_ZEROS, Mode, POWERS, Round, last_byte, rounds};

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
            word = word.map(substituted);
        }
        if i % length == 0 {
            word[0] ^= constant;
            constant = constant << 1 ^ if constant < 0x80 { 0 } else { 0x1b };
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

/// A block of the counter table: the share of the counter's last byte in the result of the first round.
pub fn table_entry(first_key: Block, value: u8) -> Block {
    last_byte(value ^ (first_key >> 120) as u8)
}

/// A product in the field of GCM (SP 800-38D, 6.3, algorithm 1).
pub fn product(x: Block, y: Block) -> Block {
    let (x, mut v, mut z) = (x.swap_bytes(), y.swap_bytes(), 0);
    for bit in (0..128).rev() {
        z ^= if x >> bit & 1 == 1 { v } else { 0 };
        v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    z.swap_bytes()
}

/// A power of the hash key.
pub fn power(key: Block, exponent: usize) -> Block {
    (1..exponent).fold(key, |power, _| product(power, key))
}

/// The entry of a power: the power divided by x, with its bytes reversed. x^-1 = x^127 + x^6 + x + 1.
pub fn entry(power: Block) -> Block {
    let value = power.swap_bytes();
    value << 1 ^ if value >> 127 == 1 { 0xc2 << 120 | 1 } else { 0 }
}

/// The bytes of the key structure behind the round keys of GCM, from the last power on.
pub fn hash_table(keys: &[Block]) -> Vec<u8> {
    let key = cipher(keys, 0, false);
    let entries = (1..=POWERS as usize).rev().flat_map(|exponent| entry(power(key, exponent)).to_le_bytes());
    entries.chain([0; HASH_ZEROS as usize]).collect()
}

/// The result of a call on a text of GCM, and the counter block and the value of GHASH after it.
pub fn gcm(
    keys: &[Block],
    hashes_text: bool,
    mut counter: Block,
    mut hash: Block,
    text: &[u8],
) -> (Vec<u8>, Block, Block) {
    let (mut all, key) = (Vec::new(), cipher(keys, 0, false));
    for part in text.chunks(16) {
        let stream = cipher(keys, counter, false).to_le_bytes();
        let out: Vec<u8> = part.iter().zip(stream).map(|(text, key)| text ^ key).collect();
        let hashed = if hashes_text { part } else { &out };
        let block = hashed.iter().rev().fold(0, |block, &byte| block << 8 | Block::from(byte));
        hash = product(hash ^ block, key);
        all.extend(out);
        // The last four bytes count.
        let number = (counter >> 96) as u32;
        let next = number.swap_bytes().wrapping_add(1).swap_bytes();
        counter = counter << 32 >> 32 | Block::from(next) << 96;
    }
    (all, counter, hash)
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
    if mode == Mode::Table {
        return ((0..=255).flat_map(|value| table_entry(keys[0], value).to_le_bytes()).collect(), chain);
    }
    for part in text.chunks(16).filter(|part| mode == Mode::Ctr || part.len() == 16) {
        let block = part.iter().rev().fold(0, |block, &byte| block << 8 | Block::from(byte));
        let out = match mode {
            Mode::Ecb | Mode::Keys | Mode::Table => cipher(keys, block, is_inverse),
            Mode::Xts => cipher(keys, block ^ chain, is_inverse) ^ chain,
            Mode::Gcm { .. } => panic!("GCM has a value of GHASH, too"),
            Mode::Cbc if is_inverse => cipher(keys, block, true) ^ chain,
            Mode::Cbc => cipher(keys, block ^ chain, false),
            Mode::Ctr => block ^ cipher(keys, chain, false),
        };
        chain = match mode {
            Mode::Ecb | Mode::Keys | Mode::Table => chain,
            Mode::Cbc if is_inverse => block,
            Mode::Cbc => out,
            Mode::Ctr => chain.swap_bytes().wrapping_add(1).swap_bytes(),
            Mode::Xts => chain << 1 ^ if chain >> 127 == 1 { 0x87 } else { 0 },
            Mode::Gcm { .. } => chain,
        };
        all.extend(out.to_le_bytes().iter().take(part.len()));
    }
    (all, chain)
}

/// The S-box of a byte: the last round of a block with it in the first place, which no row moves.
fn substituted(byte: u8) -> u8 {
    Round::EncryptLast.apply(Block::from(byte)) as u8
}
