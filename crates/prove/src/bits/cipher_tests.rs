//! Tests that the specification over bits agrees with the cipher on constants, and so do the packed forms of its key.

use aesmith_cipher::block::{decrypt, encrypt};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bits::cipher::{self, State};
use crate::bits::forms::{Bit, Bits, Byte};

fn constant(byte: u8) -> Byte {
    std::array::from_fn(|i| Bit::from(byte >> i & 1))
}

fn number(byte: &Byte) -> u8 {
    byte.iter().rev().fold(0, |n, &bit| {
        assert!(bit <= 1, "it is a constant");
        n << 1 | bit as u8
    })
}

#[test]
fn schedules_and_blocks_of_constants_are_the_cipher() {
    let mut random = ChaCha8Rng::seed_from_u64(42);
    for size in KeySize::ALL {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            for packing in [Packing::RoundKeys, Packing::ForwardKeys, Packing::CipherKey] {
                if (direction, packing) == (Direction::Encrypt, Packing::ForwardKeys) {
                    continue;
                }
                let problem = Problem::new(size, Task::Ecb(direction));
                let contract = Firmware { problem, packing, blocks: 1 };
                let mut bits = Bits::new();
                let key: Vec<u8> = (0..size.bytes()).map(|_| random.random()).collect();
                let raw: Vec<Byte> = key.iter().map(|&byte| constant(byte)).collect();
                let keys = cipher::round_keys(&mut bits, &contract, &raw).expect("is a schedule");
                // From the cipher key alone, decryption uses the straightforward inverse.
                let as_forward = packing == Packing::CipherKey && direction == Direction::Decrypt;
                let of = if as_forward { Packing::ForwardKeys } else { packing };
                let wanted = Firmware { packing: of, ..contract }.round_keys(&key);
                let found: Vec<[u8; 16]> = keys.iter().map(|key| key.each_ref().map(number)).collect();
                assert_eq!(found, wanted, "{problem} {packing:?}");
                let text: [u8; 16] = random.random();
                let block = text.map(constant);
                let out = cipher::block(&mut bits, &contract, &keys, &block).expect("is a block");
                let forward = aesmith_cipher::block::expand_key(size, &key);
                let right = match direction {
                    Direction::Encrypt => encrypt(&forward, text),
                    Direction::Decrypt => {
                        decrypt(&aesmith_cipher::block::expand_key_inverse(size, &key), text)
                    }
                };
                assert_eq!(out.each_ref().map(number), right, "{problem} {packing:?}");
            }
        }
    }
}

#[test]
fn forms_of_the_key_are_those_that_are_packed() {
    let mut random = ChaCha8Rng::seed_from_u64(43);
    for packing in [
        Packing::RoundKeys,
        Packing::Tiles,
        Packing::Padded(3),
        Packing::Padded(4),
        Packing::Fixsliced,
        Packing::FixslicedUnshifted,
        Packing::Masks(1),
        Packing::WordsAndMasks(3),
    ] {
        let keys: Vec<[u8; 16]> = (0..11).map(|_| random.random()).collect();
        let states: Vec<State> = keys.iter().map(|key| key.map(constant)).collect();
        let matrix = cipher::packing(packing, keys.len()).expect("is affine");
        let packed = cipher::pack(&mut Bits::new(), &matrix, &states);
        let found: Vec<u8> = packed.iter().map(number).collect();
        assert_eq!(found, packing.pack(&keys), "{packing:?}");
    }
}
