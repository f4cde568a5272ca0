//! The modes of SP 800-38A over whole messages in simple code: the required result of a kernel's call.

use crate::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse, xor};
use crate::ghash::hash;
use crate::problem::{Direction, Problem, Task};

/// The result of one stream's call of `problem`: the output, and the updated IV.
///
/// ECB and CBC process `input.len() / 16` whole blocks and ignore the rest, so the result has that many blocks; CTR
/// returns as many bytes as it takes. A CTR call that ends inside a block uses up that block.
///
/// # Panics
/// If `problem` is a key set-up, or the key has the wrong length.
pub fn message(problem: Problem, key: &[u8], iv: Block, input: &[u8]) -> (Vec<u8>, Block) {
    let blocks = input.chunks_exact(16).map(|b| Block::try_from(b).unwrap());
    let forward = || expand_key(problem.key, key);
    let inverse = || expand_key_inverse(problem.key, key);
    let mut chain = iv;
    let output = match problem.task {
        Task::Ecb(Direction::Encrypt) => {
            let keys = forward();
            blocks.flat_map(|b| encrypt(&keys, b)).collect()
        }
        Task::Ecb(Direction::Decrypt) => {
            let keys = inverse();
            blocks.flat_map(|b| decrypt(&keys, b)).collect()
        }
        Task::CbcEncrypt { .. } => {
            let keys = forward();
            blocks
                .flat_map(|b| {
                    chain = encrypt(&keys, xor(b, chain));
                    chain
                })
                .collect()
        }
        Task::CbcDecrypt => {
            let keys = inverse();
            blocks.flat_map(|b| xor(decrypt(&keys, b), std::mem::replace(&mut chain, b))).collect()
        }
        Task::Ctr => {
            let next = |counter| u128::from_be_bytes(counter).wrapping_add(1).to_be_bytes();
            return counted(&forward(), chain, next, input);
        }
        Task::Xts(direction) => {
            let keys = if direction == Direction::Encrypt { forward() } else { inverse() };
            let cipher = if direction == Direction::Encrypt { encrypt } else { decrypt };
            blocks
                .flat_map(|b| {
                    let tweak = chain;
                    chain = doubled(tweak);
                    xor(cipher(&keys, xor(b, tweak)), tweak)
                })
                .collect()
        }
        Task::Gcm(_) => panic!("{problem} has a value of GHASH, too"),
        Task::KeySchedule(_) | Task::CtrTable | Task::GcmTable => panic!("{problem} takes no message"),
    };
    (output, chain)
}

/// The bytes behind a call's IV: the IV or counter block, and in GCM the value of GHASH. [`Mode::iv_bytes`] of them count.
///
/// [`Mode::iv_bytes`]: crate::Mode::iv_bytes
pub type Chain = [u8; 32];

/// The result of one stream's call of any mode, as [`message`] gives it, with all bytes behind the IV.
///
/// # Panics
/// If `problem` is a key set-up, or the key has the wrong length.
pub fn call(problem: Problem, key: &[u8], chain: Chain, input: &[u8]) -> (Vec<u8>, Chain) {
    let half = |at: usize| Block::try_from(&chain[at..at + 16]).expect("16 bytes");
    let (output, first, second) = match problem.task {
        Task::Gcm(_) => gcm_text(problem, key, half(0), half(16), input),
        _ => {
            let (output, next) = message(problem, key, half(0), input);
            (output, next, half(16))
        }
    };
    (output, [first, second].concat().try_into().expect("32 bytes"))
}

/// The result of one call of GCM for the text of a message: the output, the next counter block, and the value of
/// GHASH, from the counter block and the value before.
///
/// # Panics
/// If `problem` is another one, or the key has the wrong length.
pub fn gcm_text(
    problem: Problem,
    key: &[u8],
    counter: Block,
    before: Block,
    input: &[u8],
) -> (Vec<u8>, Block, Block) {
    let Task::Gcm(direction) = problem.task else { panic!("{problem} is not GCM") };
    let keys = expand_key(problem.key, key);
    let (output, counter) = counted(&keys, counter, increment, input);
    let cipher = if direction == Direction::Encrypt { &output[..] } else { input };
    let value = hash(encrypt(&keys, [0; 16]), before, cipher);
    (output, counter, value)
}

/// A text encrypted by the ciphers of counters, and the counter behind it.
fn counted(
    keys: &[Block],
    mut counter: Block,
    next: impl Fn(Block) -> Block,
    input: &[u8],
) -> (Vec<u8>, Block) {
    let mut output = Vec::with_capacity(input.len());
    for part in input.chunks(16) {
        let stream = encrypt(keys, counter);
        output.extend(part.iter().zip(stream).map(|(p, s)| p ^ s));
        counter = next(counter);
    }
    (output, counter)
}

/// The tweak of the next block of XTS (IEEE 1619, 5.2): the product with x in GF(2^128), modulo x^128 + x^7 + x^2 + x + 1. Bit i
/// of the block as a little-endian number is the coefficient of x^i.
pub fn doubled(tweak: Block) -> Block {
    let value = u128::from_le_bytes(tweak);
    (value << 1 ^ if value >> 127 == 1 { 0x87 } else { 0 }).to_le_bytes()
}

/// A data unit of XTS (SP 800-38E; IEEE 1619, 5.3 and 5.4) of 16 bytes or more under two keys, with its number or what else
/// identifies it. A partial last block takes ciphertext from the one before.
pub fn xts(problem: Problem, [key, tweak_key]: [&[u8]; 2], unit: Block, text: &[u8]) -> Vec<u8> {
    let Task::Xts(direction) = problem.task else { panic!("{problem} is not XTS") };
    let first = encrypt(&expand_key(problem.key, tweak_key), unit);
    let tweaks: Vec<Block> =
        std::iter::successors(Some(first), |tweak| Some(doubled(*tweak))).take(text.len() / 16 + 1).collect();
    let one = |at: usize, block: &[u8]| message(problem, key, tweaks[at], block).0;
    let (blocks, rest) = (text.len() / 16, text.len() % 16);
    if rest == 0 {
        return message(problem, key, first, text).0;
    }
    let mut output = message(problem, key, first, &text[..16 * (blocks - 1)]).0;
    let (last, partial) = text[16 * (blocks - 1)..].split_at(16);
    // The block before the partial one is the last of the cipher; decryption begins there.
    let order = if direction == Direction::Encrypt { [blocks - 1, blocks] } else { [blocks, blocks - 1] };
    let stolen = one(order[0], last);
    output.extend(one(order[1], &[partial, &stolen[rest..]].concat()));
    output.extend(&stolen[..rest]);
    output
}

/// Returns the next counter block of GCM: its last 32 bits count (SP 800-38D, section 6.2).
pub fn increment(counter: Block) -> Block {
    let value = u128::from_be_bytes(counter);
    (value & !0xffff_ffff | u128::from((value as u32).wrapping_add(1))).to_be_bytes()
}

/// Authenticated encryption by GCM (SP 800-38D, 7.1): the ciphertext and the tag of 16 bytes.
pub fn gcm(problem: Problem, key: &[u8], nonce: &[u8], data: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
    let keys = expand_key(problem.key, key);
    let hash_key = encrypt(&keys, [0; 16]);
    let bits = |bytes: &[u8]| (8 * bytes.len() as u64).to_be_bytes();
    let first = match <[u8; 12]>::try_from(nonce) {
        Ok(nonce) => [&nonce[..], &[0, 0, 0, 1]].concat().try_into().expect("16 bytes"),
        Err(_) => hash(hash_key, hash(hash_key, [0; 16], nonce), &[[0; 8], bits(nonce)].concat()),
    };
    let before = hash(hash_key, [0; 16], data);
    let (output, _, value) = gcm_text(problem, key, increment(first), before, text);
    let value = hash(hash_key, value, &[bits(data), bits(text)].concat());
    (output, xor(value, encrypt(&keys, first)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::KeySize;

    fn hex(s: &str) -> Vec<u8> {
        (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
    }

    /// Test cases of the GCM specification (McGrew and Viega 2005, appendix B): without text, with additional data and a
    /// partial block, and with a nonce of 8 bytes and a key of 256 bits.
    #[test]
    fn gcm_as_specified() {
        let case = |size, key, nonce, data, text, cipher, tag| {
            let problem = Problem::new(size, Task::Gcm(Direction::Encrypt));
            let found = gcm(problem, &hex(key), &hex(nonce), &hex(data), &hex(text));
            assert_eq!((found.0, found.1.to_vec()), (hex(cipher), hex(tag)));
        };
        let (zeros, nonce) = ("00000000000000000000000000000000", "000000000000000000000000");
        case(KeySize::Aes128, zeros, nonce, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a");
        let (cipher, tag) = ("0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf");
        case(KeySize::Aes128, zeros, nonce, "", zeros, cipher, tag);
        let key = "feffe9928665731c6d6a8f9467308308";
        let data = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
        let text = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
                    b16aedf5aa0de657ba637b39";
        let cipher = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05\
                      1ba30b396a0aac973d58e091";
        let nonce = "cafebabefacedbaddecaf888";
        case(KeySize::Aes128, key, nonce, data, text, cipher, "5bc94fbc3221a5db94fae95ae7121a47");
        let cipher = "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0954cc2363bc73f78\
                      62ac430e64abe499f47c9b1f";
        let tag = "3a337dbf46a792c45e454913fe2ea8f2";
        case(KeySize::Aes256, &[key, key].concat(), "cafebabefacedbad", data, text, cipher, tag);
    }

    /// Vectors 1, 4 and 15 of IEEE 1619, annex B: two blocks; the first blocks of a longer unit; and 17 bytes.
    #[test]
    fn xts_as_specified() {
        let case = |keys: [&str; 2], unit: u64, text: &str, cipher: &str| {
            let unit: Block = u128::from(unit).to_le_bytes();
            let keys = keys.map(hex);
            let keys = [&keys[0][..], &keys[1][..]];
            for (direction, from, to) in
                [(Direction::Encrypt, text, cipher), (Direction::Decrypt, cipher, text)]
            {
                let problem = Problem::new(KeySize::Aes128, Task::Xts(direction));
                assert_eq!(xts(problem, keys, unit, &hex(from)), hex(to), "{problem}");
            }
        };
        let zeros = "00000000000000000000000000000000";
        let cipher = "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e";
        case([zeros; 2], 0, &[zeros; 2].concat(), cipher);
        let keys = ["27182818284590452353602874713526", "31415926535897932384626433832795"];
        let text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
        case(keys, 0, text, "27a7479befa1d476489f308cd4cfa6e2a96e4bbe3208ff25287dd3819616e89c");
        let keys = ["fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"];
        case(keys, 0x123456789a, "000102030405060708090a0b0c0d0e0f10", "6c1625db4671522d3d7599601de7ca09ed");
    }

    /// The first blocks of SP 800-38A, F.2.1 and F.5.1.
    #[test]
    fn sp800_38a() {
        let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
        let plain = hex("6bc1bee22e409f96e93d7e117393172a");
        let iv: Block = std::array::from_fn(|i| i as u8);
        let cbc = Problem::new(KeySize::Aes128, Task::CbcEncrypt { streams: 1 });
        assert_eq!(message(cbc, &key, iv, &plain).0, hex("7649abac8119b246cee98e9b12e9197d"));
        let counter: Block = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff").try_into().unwrap();
        let ctr = Problem::new(KeySize::Aes128, Task::Ctr);
        let (out, next) = message(ctr, &key, counter, &plain);
        assert_eq!(out, hex("874d6191b620e3261bef6864990db6ce"));
        assert_eq!(next[14..], [0xff, 0x00]);
    }
}
