//! Functions on some blocks, and key schedules.

use aesmith_cipher::block::xtime;
use aesmith_cipher::{Direction, KeySize};
use aesmith_dataflow::technique::{inverse_mix_columns, round, sliced};
use aesmith_dataflow::{Choices, Round, Technique};

use crate::lower::{Constants, lowered, rotated};
use crate::machine::{Machine, region};

/// Bytes of a block.
const BLOCK: i32 = 16;

/// What a function on blocks does.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// The key's size.
    pub key: KeySize,
    /// Which way.
    pub direction: Direction,
    /// How a round is computed.
    pub technique: Technique,
    /// Whether ShiftRows is left out, and its place taken by other constants.
    pub fixsliced: bool,
    /// How many blocks a call takes.
    pub count: usize,
    /// How many are worked on side by side: 1, 2 or 4.
    pub group: usize,
}

/// Writes a function on blocks, whose arguments are in these registers: round keys in order of use, input, output.
///
/// # Errors
/// The technique has an operation that no such machine has.
pub fn blocks(
    w: &mut dyn Machine,
    constants: &mut Constants,
    of: Blocks,
    [key, input, output]: [i32; 3],
) -> Result<(), String> {
    let spread = of.group.ilog2() as u8;
    let choices = Choices { fixsliced: of.fixsliced, spread, ..Choices::default() };
    let rounds = of.key.rounds();
    let form = sliced(of.technique, choices, rounds, of.direction == Direction::Decrypt)
        .filter(|form| form.words == of.group && form.texts == of.group)
        .ok_or("the technique has no form of whole blocks")?;
    let mut keys = Vec::new();
    for (number, program) in form.keys.iter().enumerate() {
        let raw = w.load(key, BLOCK * number as i32, None);
        keys.push(lowered(w, constants, program, &[raw])?[0]);
    }
    for group in 0..of.count / of.group {
        let place = |k: usize| BLOCK * (of.group * group + k) as i32;
        let text: Vec<i32> = (0..of.group).map(|k| w.load(input, place(k), Some(region::TEXT))).collect();
        let mut state = lowered(w, constants, &form.pack, &text)?;
        for (number, program) in std::iter::once(&form.whiten).chain(&form.rounds).enumerate() {
            state.push(keys[number]);
            state = lowered(w, constants, program, &state)?;
        }
        for (k, &value) in lowered(w, constants, &form.unpack, &state)?.iter().enumerate() {
            w.store(value, output, place(k), region::TEXT);
        }
    }
    Ok(())
}

/// Writes a key schedule, whose arguments are in these registers: round keys, cipher key. Words of the key stand four
/// times in a register, so that ShiftRows changes nothing. Of 24 bytes 32 are loaded.
///
/// # Errors
/// As for [`blocks`].
pub fn schedule(
    w: &mut dyn Machine,
    constants: &mut Constants,
    (size, direction, technique): (KeySize, Direction, Technique),
    [key, cipher_key]: [i32; 2],
) -> Result<(), String> {
    let (count, rounds) = (size.bytes() / 4, size.rounds());
    let substitute = round(technique, Choices::default(), Round::EncryptLast)
        .ok_or("the technique has no rounds of whole blocks")?;
    let unmix = inverse_mix_columns(technique, Choices::default());
    let mut words = Vec::new();
    for part in 0..count.div_ceil(4) {
        let loaded = w.load(cipher_key, BLOCK * part as i32, None);
        for j in 0..4.min(count - 4 * part) as u8 {
            let control = constants.get(w, std::array::from_fn(|i| 4 * j + i as u8 % 4));
            words.push(w.shuffle(loaded, loaded, control));
        }
    }
    for i in count..4 * (rounds + 1) {
        let (before, mut key) = (words[i - 1], words[i - count]);
        let is_first = i.is_multiple_of(count);
        let is_substituted = is_first || count == 8 && i % 8 == 4;
        if !is_substituted {
            words.push(w.xor(before, key));
            continue;
        }
        let mut word = before;
        if is_first {
            word = rotated(w, constants, before, 1);
            let round = (1..i / count).fold(1, |c, _| xtime(c));
            let constant = constants.get(w, std::array::from_fn(|i| if i % 4 == 0 { round } else { 0 }));
            key = w.xor(key, constant);
        }
        words.push(lowered(w, constants, &substitute, &[word, key])?[0]);
    }
    for round in 0..=rounds {
        let [a, b, c, d] = std::array::from_fn(|j| words[4 * round + j]);
        let control =
            constants.get(w, std::array::from_fn(|i| if i % 8 < 4 { i as u8 } else { 16 + i as u8 }));
        let (low, high) = (w.shuffle(a, b, control), w.shuffle(c, d, control));
        let halves = constants.get(w, std::array::from_fn(|i| if i < 8 { i as u8 } else { 16 + i as u8 }));
        let mut stored = w.shuffle(low, high, halves);
        let mut at = round;
        if direction == Direction::Decrypt {
            at = rounds - round;
            if round > 0 && round < rounds {
                let unmix = unmix.as_ref().ok_or("the technique has no InvMixColumns")?;
                stored = lowered(w, constants, unmix, &[stored])?[0];
            }
        }
        w.store(stored, key, BLOCK * at as i32, region::KEYS + at as u16);
    }
    Ok(())
}
