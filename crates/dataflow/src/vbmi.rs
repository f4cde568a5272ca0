//! The technique with whole look-ups: SubBytes is one look-up per byte among the 256 entries of the S-box in registers
//! (vpermi2b), so no address depends on a secret.

use crate::Round;
use crate::program::{Node, Program, Table, Word};
use crate::steps::{self, Doubling};
use crate::technique::Choices;

/// The doubling method of these choices.
pub fn doubling(choices: Choices) -> Doubling {
    if choices.multiples == 0 { Doubling::Mask } else { Doubling::Lookup }
}

/// A round: see [`crate::technique::round`]. The S-box includes the constant that doubling leaves out.
pub fn round(choices: Choices, round: Round) -> Program {
    let doubling = doubling(choices);
    let mut p = Program::new(Word::Lane, 2);
    let (state, key) = (p.input(0), p.input(1));
    let inverse = matches!(round, Round::Decrypt | Round::DecryptLast);
    let state = steps::shift_rows(&mut p, state, inverse);
    let table = match (round, doubling) {
        (Round::Encrypt, Doubling::Lookup) => Table::SboxWith1b,
        (Round::Decrypt, Doubling::Lookup) => Table::InverseSboxWith36,
        (Round::Encrypt | Round::EncryptLast, _) => Table::Sbox,
        (Round::Decrypt | Round::DecryptLast, _) => Table::InverseSbox,
    };
    let s = p.push(Node::Substitute(table, state));
    let out = match round {
        Round::Encrypt => steps::mix_columns(&mut p, s, key, doubling),
        Round::Decrypt => steps::inverse_mix_columns_of(&mut p, s, key, doubling),
        Round::EncryptLast | Round::DecryptLast => p.xor(s, key),
    };
    p.outputs.push(out);
    p
}
