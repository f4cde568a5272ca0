//! Tests of whole sliced programs on groups of blocks, against the cipher.

use aesmith_cipher::KeySize;
use aesmith_cipher::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse};
use aesmith_dataflow::circuits::CIRCUITS;
use aesmith_dataflow::program::{Program, Word};
use aesmith_dataflow::technique::{KeyForm, Sliced, sliced};
use aesmith_dataflow::{Choices, Technique, quads, slices};

/// Pseudorandom bytes, the same each time (xorshift, Marsaglia 2003).
struct Bytes(u64);

impl Bytes {
    fn block(&mut self) -> Block {
        std::array::from_fn(|_| {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 32) as u8
        })
    }
}

/// The words of a block, from the low bytes to the high ones.
fn words(word: Word, block: &Block) -> impl Iterator<Item = u128> {
    block.chunks(word.bits() as usize / 8).map(|bytes| {
        let mut whole = [0; 16];
        whole[..bytes.len()].copy_from_slice(bytes);
        u128::from_le_bytes(whole)
    })
}

fn run(program: &Program, mut state: Vec<u128>, keys: &[u128]) -> Vec<u128> {
    state.extend(keys);
    program.run(&state)
}

fn holds(form: &Sliced, size: KeySize, inverse: bool, what: &str) {
    let word = form.pack.word;
    let mut bytes = Bytes(0x9e37_79b9_7f4a_7c15);
    let key = [bytes.block(), bytes.block()].concat()[..size.bytes()].to_vec();
    let keys = if inverse { expand_key_inverse(size, &key) } else { expand_key(size, &key) };
    assert_eq!(form.keys.len(), keys.len(), "{what}");
    assert_eq!(form.rounds.len(), size.rounds(), "{what}");
    let prepared: Vec<Vec<u128>> = form
        .keys
        .iter()
        .zip(&keys)
        .map(|(program, key)| program.run(&words(word, key).collect::<Vec<_>>()))
        .collect();
    if form.key_form == KeyForm::Byte {
        for lane in prepared.iter().flatten() {
            assert_eq!(*lane, u128::from(*lane as u8) * (u128::MAX / 255), "{what}: one byte, repeated");
        }
    }
    let blocks: Vec<Block> = (0..form.texts).map(|_| bytes.block()).collect();
    let texts: Vec<u128> = blocks.iter().flat_map(|block| words(word, block)).collect();
    let mut state = run(&form.pack, texts, &[]);
    assert_eq!(state.len(), form.words, "{what}");
    state = run(&form.whiten, state, &prepared[0]);
    for (round, key) in form.rounds.iter().zip(&prepared[1..]) {
        state = run(round, state, key);
    }
    let found = run(&form.unpack, state, &[]);
    let cipher = if inverse { decrypt } else { encrypt };
    let expected: Vec<u128> =
        blocks.iter().flat_map(|&block| words(word, &cipher(&keys, block)).collect::<Vec<_>>()).collect();
    assert_eq!(found, expected, "{what}, AES-{}, inverse: {inverse}", size.bits());
}

fn all_choices() -> Vec<Choices> {
    let mut all = Vec::new();
    for circuit in 0..CIRCUITS.len() as u8 {
        for spread in 0..3 {
            for flags in 0..8 {
                let flag = |i: u8| flags >> i & 1 == 1;
                let choices = Choices { circuit, spread, ..Choices::default() };
                all.push(Choices {
                    fixsliced: flag(0),
                    byte_shuffle: flag(1),
                    three_input: flag(2),
                    multiples: flags & 1,
                    early_key: flag(1),
                    ..choices
                });
            }
        }
    }
    all
}

#[test]
fn sliced_groups_are_the_cipher() {
    let mut forms = 0;
    for technique in Technique::ALL {
        for choices in all_choices() {
            for size in KeySize::ALL {
                for inverse in [false, true] {
                    if let Some(form) = sliced(technique, choices, size.rounds(), inverse) {
                        holds(&form, size, inverse, &format!("{technique} {choices:?}"));
                        forms += 1;
                    }
                }
            }
        }
    }
    assert!(forms > 0);
}

#[test]
fn quads_are_the_cipher() {
    for circuit in 0..CIRCUITS.len() as u8 {
        let choices = Choices { circuit, ..Choices::default() };
        for size in KeySize::ALL {
            for inverse in [false, true] {
                let form = quads::sliced(choices, size.rounds(), inverse);
                assert_eq!((form.words, form.texts), (8, 4));
                holds(&form, size, inverse, &format!("quads {choices:?}"));
            }
        }
    }
}

#[test]
fn slices_on_words_are_the_cipher() {
    for three_input in [false, true] {
        for size in KeySize::ALL {
            for inverse in [false, true] {
                let choices = Choices { three_input, ..Choices::default() };
                let form = slices::sliced_on_words(choices, size.rounds(), inverse);
                assert_eq!((form.words, form.texts), (32, 16));
                holds(&form, size, inverse, &format!("slices on words {choices:?}"));
            }
        }
    }
}
