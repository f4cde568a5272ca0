//! The modes of SP 800-38A over whole messages in simple code: the required result of a kernel's call.

use crate::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse, xor};
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
            let keys = forward();
            let mut output = Vec::with_capacity(input.len());
            for part in input.chunks(16) {
                let stream = encrypt(&keys, chain);
                output.extend(part.iter().zip(stream).map(|(p, s)| p ^ s));
                chain = u128::from_be_bytes(chain).wrapping_add(1).to_be_bytes();
            }
            output
        }
        Task::KeySchedule(_) | Task::CtrTable => panic!("{problem} takes no message"),
    };
    (output, chain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::KeySize;

    /// The first blocks of SP 800-38A, F.2.1 and F.5.1.
    #[test]
    fn sp800_38a() {
        let hex = |s: &str| -> Vec<u8> {
            (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
        };
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
