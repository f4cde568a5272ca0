//! Every technique of the dataflow stage, run as a program in the symbolic domain, is the round of FIPS-197.

use crate::programs::{domain, input, key, round, run};
use aesmith_dataflow::Round;
use aesmith_dataflow::technique::{self, Choices, Sliced, Technique};
use aesmith_isa::lanes::AesRound;
use aesmith_prove::lanes::symbolic::Symbolic;
use aesmith_prove::lanes::terms::Lane;

const ROUNDS: [(Round, AesRound); 4] = [
    (Round::Encrypt, AesRound::Encrypt),
    (Round::EncryptLast, AesRound::EncryptLast),
    (Round::Decrypt, AesRound::Decrypt),
    (Round::DecryptLast, AesRound::DecryptLast),
];

fn all_choices() -> Vec<Choices> {
    let mut all = Vec::new();
    for byte_shuffle in [false, true] {
        for multiples in 0..2 {
            for three_input in [false, true] {
                all.push(Choices { byte_shuffle, multiples, three_input, ..Choices::default() });
            }
        }
    }
    all
}

#[test]
fn rounds_of_whole_blocks_are_followed() {
    let mut symbolic = domain("aes128-ecb", &[]);
    let mut programs = 0;
    for technique in Technique::ALL {
        for choices in all_choices() {
            for (which, aes) in ROUNDS {
                let Some(program) = technique::round(technique, choices, which) else { continue };
                programs += 1;
                let (text, k0, k1, k2) = (
                    input(&mut symbolic, 0),
                    key(&mut symbolic, 0),
                    key(&mut symbolic, 1),
                    key(&mut symbolic, 2),
                );
                let state = symbolic.terms.xor(text, k0);
                let mut found = run(&mut symbolic, &program, &[state, k1])[0];
                found = run(&mut symbolic, &program, &[found, k2])[0];
                let expected = round(&mut symbolic, aes, state, k1);
                let expected = round(&mut symbolic, aes, expected, k2);
                assert!(
                    symbolic.terms.same(found, expected),
                    "{technique} {choices:?} {which:?}: {} {:?}",
                    symbolic.terms.describe(found, 3),
                    symbolic.blur
                );
            }
        }
    }
    assert!(programs > 0);
}

/// A group of blocks through all rounds of a sliced form: the results and the expected blocks.
fn group(symbolic: &mut Symbolic, sliced: &Sliced, inverse: bool) -> (Vec<Lane>, Vec<Lane>) {
    let texts: Vec<Lane> = (0..sliced.texts).map(|b| input(symbolic, b)).collect();
    let keys: Vec<Lane> = (0..sliced.keys.len()).map(|r| key(symbolic, r)).collect();
    let prepared: Vec<Vec<Lane>> =
        sliced.keys.iter().zip(&keys).map(|(p, &k)| run(symbolic, p, &[k])).collect();
    let mut state = run(symbolic, &sliced.pack, &texts);
    state = run(symbolic, &sliced.whiten, &[state, prepared[0].clone()].concat());
    for (program, key) in sliced.rounds.iter().zip(&prepared[1..]) {
        state = run(symbolic, program, &[state, key.clone()].concat());
    }
    let found = run(symbolic, &sliced.unpack, &state);
    let (inner, last) = match inverse {
        false => (AesRound::Encrypt, AesRound::EncryptLast),
        true => (AesRound::Decrypt, AesRound::DecryptLast),
    };
    let expected = texts.into_iter().map(|text| {
        let mut state = symbolic.terms.xor(text, keys[0]);
        for (r, &key) in keys.iter().enumerate().skip(1) {
            state = round(symbolic, if r + 1 == keys.len() { last } else { inner }, state, key);
        }
        state
    });
    (found, expected.collect())
}

#[test]
fn groups_of_blocks_are_followed() {
    let mut programs = 0;
    for technique in Technique::ALL {
        for (spread, rounds) in [(0, 14), (1, 6), (2, 6)] {
            for fixsliced in [false, true] {
                for byte_shuffle in [false, true] {
                    for inverse in [false, true] {
                        let choices = Choices { spread, fixsliced, byte_shuffle, ..Choices::default() };
                        let Some(sliced) = technique::sliced(technique, choices, rounds, inverse) else {
                            continue;
                        };
                        let mut symbolic = domain("aes256-ecb", &[]);
                        let (found, expected) = group(&mut symbolic, &sliced, inverse);
                        for (block, (&f, &e)) in found.iter().zip(&expected).enumerate() {
                            assert!(
                                symbolic.terms.same(f, e),
                                "{technique} {choices:?} {inverse} block {block}: {} {:?}",
                                symbolic.terms.describe(f, 3),
                                symbolic.blur
                            );
                        }
                        programs += 1;
                    }
                }
            }
        }
    }
    assert!(programs > 0);
}
