//! The specification over terms: the chain value before a block, and its output.
//!
//! `tests/suite/model.rs` says the same in numbers; a test compares both.

use crate::field::{self, matrices::IDENTITY};
use crate::linear::Linear;
use crate::spec::{BOXES, Mode, Round, product, rounds};
use crate::symbolic::{Stop, Symbolic, WORDS, refused};
use crate::terms::{Atom, LaneId, Mask, Part, STREAM, Terms, ZERO, stream_of};
use alloc::vec::Vec;

/// The most blocks between two heads.
const FARTHEST: i128 = 256;

/// The IV in words. In counter mode it is a public number, most significant byte first.
pub fn iv(terms: &mut Terms, mode: Mode, stream: u8) -> Vec<Linear> {
    let part = Part::Chain(Linear::number(i128::from(stream) * STREAM));
    let iv = match mode {
        Mode::Ctr => {
            let (low, high) = (terms.word(Atom::Counter(0)), terms.word(Atom::Counter(1)));
            return [terms.swapped(&high), terms.swapped(&low)].into();
        }
        Mode::Gcm { .. } => return field::iv(terms),
        Mode::Xts => terms.mapped(part, IDENTITY),
        _ => terms.part(part),
    };
    [terms.half(iv, 0), terms.half(iv, 1)].into()
}

/// The words of the IV's memory before a block of text, by a known carry of the counter: the chain value, and in GCM the value of GHASH.
///
/// # Errors
/// The errors of [`chain_with`] and [`field::hash`].
pub fn iv_with(s: &mut Symbolic, block: &Linear, carry: &Linear) -> Result<Vec<Linear>, Stop> {
    let mut lanes = Vec::from([chain_with(s, block, carry)?]);
    if s.contract.mode.is_gcm() {
        lanes.push(field::hash(s, block)?);
    }
    Ok(lanes.into_iter().flat_map(|lane| [s.terms.half(lane, 0), s.terms.half(lane, 1)]).collect())
}

/// The cipher, or its inverse, with the round keys of a stream's key structure.
fn cipher(s: &mut Symbolic, block: LaneId, stream: usize) -> LaneId {
    let (round, last) = rounds(s.contract.is_inverse);
    let mut state = block;
    for number in 0..=s.contract.rounds {
        if number > 0 {
            state = s.round_of(if number < s.contract.rounds { round } else { last }, state);
        }
        let key = s.round_key(u16::from(number) + 16 * stream as u16);
        state = s.terms.xor(state, key);
    }
    state
}

/// Carries that the counter of a block may have: that of the first block that is not done, one more, or that of a short
/// message. Other modes have one, which is of no importance.
pub fn carries(s: &Symbolic) -> Vec<Linear> {
    let first = s.path.carry.clone();
    let mut all = Vec::from([first.clone()]);
    if s.contract.mode == Mode::Ctr {
        for carry in [first.offset_checked(1).unwrap_or_default(), Linear::default(), Linear::number(1)] {
            if !all.contains(&carry) {
                all.push(carry);
            }
        }
    }
    all
}

/// The chain value before a block of text, by a known carry of the counter.
///
/// # Errors
/// If the mode has none, or if it is not known by facts of the path.
pub fn chain(s: &mut Symbolic, block: &Linear) -> Result<LaneId, Stop> {
    let mut last = refused("the carry of a counter is not known");
    for carry in carries(s) {
        last = chain_with(s, block, &carry);
        if last.is_ok() {
            break;
        }
    }
    last
}

/// The chain value before a block of text, if its counter has this carry.
///
/// # Errors
/// If the mode has none, or if the carry is not known to be right.
pub fn chain_with(s: &mut Symbolic, block: &Linear, carry: &Linear) -> Result<LaneId, Stop> {
    match (s.contract.mode, s.contract.is_inverse) {
        (Mode::Ecb | Mode::Keys | Mode::Table, _) => refused("the mode has no chain value"),
        // The block of text before, if there is one for all values of the atoms.
        (Mode::Cbc, true) => {
            let part = match block.checked(&Linear::number(-1), 1) {
                Some(previous) if block.is_plainly_at_least(1) => Part::Text(previous),
                _ => Part::Chain(block.clone()),
            };
            Ok(s.terms.part(part))
        }
        (Mode::Gcm { .. }, _) => Ok(field::counter(&mut s.terms, block)),
        // A multiple of that before the blocks of this piece, which has a name.
        (Mode::Xts, _) => {
            let (first, distance) = since(s, block, 0)?;
            let matrix = s.terms.doubling(distance as usize);
            Ok(s.terms.mapped(Part::Chain(first), matrix))
        }
        // The output before. That before the blocks of this piece has a name.
        (Mode::Cbc, false) => {
            let stream = stream_of(block, 1).0;
            let (first, distance) = since(s, block, stream)?;
            let mut chain = s.terms.part(Part::Chain(first.clone()));
            for number in 0..distance {
                let Some(block) = first.offset_checked(number) else { return refused("too many blocks") };
                let text = s.terms.part(Part::Text(block));
                let sum = s.terms.xor(text, chain);
                chain = cipher(s, sum, stream);
            }
            Ok(chain)
        }
        (Mode::Ctr, _) => {
            let low = s.terms.word(Atom::Counter(0));
            let high = s.terms.word(Atom::Counter(1));
            let Some(sum) = low.checked(block, 1) else { return refused("too many blocks") };
            if !is_carry(s, &sum, carry) {
                return refused("the carry of a counter is not known");
            }
            let (low, high) = (sum.word(), high.plus(carry));
            let (first, second) = (s.terms.swapped(&high), s.terms.swapped(&low));
            Ok(s.terms.words(&first, &second))
        }
    }
}

/// The first block of a stream that is not done, and the number of blocks from there to another one.
fn since(s: &Symbolic, block: &Linear, stream: usize) -> Result<(Linear, i128), Stop> {
    let first = s.path.texts.get(stream).and_then(|text| text.done.divided(16));
    let Some(first) = first else { return refused("half a block is done, or there is no such stream") };
    match block.checked(&first, -1).and_then(|distance| distance.as_number()) {
        Some(distance @ 0..FARTHEST) => Ok((first, distance)),
        _ => refused("a chain value is at no known distance"),
    }
}

/// True if `carry` is known to be the integer part of `sum / 2^64`.
pub fn is_carry(s: &Symbolic, sum: &Linear, carry: &Linear) -> bool {
    let rest = sum.checked(carry, -WORDS);
    rest.is_some_and(|rest| s.is_within(&rest, WORDS - 1))
}

/// The round keys in order of use, of the cipher key that is the text (FIPS-197, 5.2 and 5.3.5).
fn round_keys(s: &mut Symbolic) -> Vec<LaneId> {
    let length = usize::from(s.contract.rounds) - 6;
    let column = |to: usize, from: usize| -> Mask {
        core::array::from_fn(|k| if k / 4 == to { (4 * from + k % 4) as u8 } else { ZERO })
    };
    // Each word is the first column of a lane, whose others are zero.
    let (mut words, mut constant) = (Vec::<LaneId>::new(), 1);
    for i in 0..4 * (length + 7) {
        if i < length {
            let block = s.terms.part(Part::Text(Linear::number(i as i128 / 4)));
            words.push(s.terms.shuffled(block, &column(0, i % 4)));
            continue;
        }
        let mut word = words[i - 1];
        if i % length == 0 || length > 6 && i % length == 4 {
            // ShiftRows keeps a state of equal columns, so that the last round is SubWord of each; RotWord comes first.
            let turn = usize::from(i % length == 0);
            word = s.terms.shuffled(word, &core::array::from_fn(|k| ((k + turn) % 4) as u8));
            word = s.terms.round(Round::EncryptLast, word);
            word = s.terms.shuffled(word, &column(0, 0));
        }
        if i % length == 0 {
            let number = s.terms.constant(u128::from(constant));
            word = s.terms.xor(word, number);
            constant = product(constant, 2);
        }
        words.push(s.terms.xor(words[i - length], word));
    }
    let mut keys = Vec::new();
    for four in words.chunks(4) {
        let mut key = s.terms.constant(0);
        for (number, &word) in four.iter().enumerate() {
            let word = s.terms.shuffled(word, &column(number, 0));
            key = s.terms.xor(key, word);
        }
        keys.push(key);
    }
    if s.contract.is_inverse {
        keys.reverse();
        let last = keys.len() - 1;
        for key in &mut keys[1..last] {
            *key = s.terms.round(Round::InverseMix, *key);
        }
    }
    keys
}

/// A block of the counter table: the share of the last byte of a counter block in the result of the first round.
fn table_block(s: &mut Symbolic, block: &Linear) -> Result<LaneId, Stop> {
    let Some(number @ 0..256) = block.as_number() else {
        return refused("there is no such block of the table");
    };
    // The S-box maps all other bytes to zero, which has no share.
    let others = [BOXES.1[0]; 16];
    let state = s.terms.constant(u128::from_le_bytes(others) & u128::MAX >> 8 | (number as u128) << 120);
    let (key, mut last) = (s.round_key(0), [ZERO; 16]);
    last[15] = 15;
    let key = s.terms.shuffled(key, &last);
    let state = s.terms.xor(state, key);
    Ok(s.round_of(Round::Encrypt, state))
}

/// The output of a block of text.
///
/// # Errors
/// The errors of [`chain_with`].
pub fn output_with(s: &mut Symbolic, block: &Linear, carry: &Linear) -> Result<LaneId, Stop> {
    let text = s.terms.part(Part::Text(block.clone()));
    match (s.contract.mode, s.contract.is_inverse) {
        (Mode::Keys, _) => {
            if s.keys.is_empty() {
                s.keys = round_keys(s);
            }
            let number = block.as_number().and_then(|number| usize::try_from(number).ok());
            match number.and_then(|number| s.keys.get(number)) {
                Some(&key) => Ok(key),
                None => refused("there is no such round key"),
            }
        }
        (Mode::Table, _) => table_block(s, block),
        (Mode::Ecb, _) => Ok(cipher(s, text, 0)),
        (Mode::Cbc, true) => {
            let (chain, state) = (chain_with(s, block, carry)?, cipher(s, text, 0));
            Ok(s.terms.xor(state, chain))
        }
        (Mode::Cbc, false) => {
            let chain = chain_with(s, block, carry)?;
            let sum = s.terms.xor(text, chain);
            Ok(cipher(s, sum, stream_of(block, 1).0))
        }
        (Mode::Xts, _) => {
            let tweak = chain_with(s, block, carry)?;
            let sum = s.terms.xor(text, tweak);
            let state = cipher(s, sum, 0);
            Ok(s.terms.xor(state, tweak))
        }
        (Mode::Ctr | Mode::Gcm { .. }, _) => {
            let counter = chain_with(s, block, carry)?;
            let stream = cipher(s, counter, 0);
            Ok(s.terms.xor(stream, text))
        }
    }
}
