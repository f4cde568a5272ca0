//! Functions on a fixed number of blocks, and key schedules.

use aesmith_cipher::block::xtime;
use aesmith_cipher::{Direction, KeySize};
use aesmith_dataflow::program::Program;
use aesmith_dataflow::technique::{Sliced, inverse_mix_columns, round, sliced};
use aesmith_dataflow::{Choices, Round, Technique};

use crate::function::Function;
use crate::lower::{Constants, lowered};
use crate::machine::{Machine, region};

/// The size of a block in bytes.
pub(crate) const BLOCK: i32 = 16;

/// The choices of the rounds.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// The technique.
    pub technique: Technique,
    /// True if ShiftRows is left out and compensated by other constants.
    pub fixsliced: bool,
    /// True if round keys are added before MixColumns, where the technique supports that.
    pub early_key: bool,
    /// The number of blocks that are processed side by side: 1, 2 or 4.
    pub group: usize,
}

impl Rounds {
    /// The choices within the technique.
    pub(crate) fn choices(self) -> Choices {
        let spread = self.group.ilog2() as u8;
        Choices { fixsliced: self.fixsliced, early_key: self.early_key, spread, ..Choices::default() }
    }

    /// The programs of a problem.
    pub(crate) fn form(self, key: KeySize, direction: Direction) -> Result<Sliced, String> {
        sliced(self.technique, self.choices(), key.rounds(), direction == Direction::Decrypt)
            .filter(|form| form.words == self.group && form.texts == self.group)
            .ok_or_else(|| "the technique has no form of whole blocks".into())
    }
}

/// Writes a function on a fixed number of blocks, whose arguments are the round keys in order of use, input, output.
/// Where registers are few, a limited number of constants stays in them, and each group of blocks computes its round
/// keys.
///
/// # Errors
/// The technique has an operation that no such machine has, or there are too few registers.
pub fn blocks(
    f: &mut Function,
    (key, direction): (KeySize, Direction),
    rounds: Rounds,
    (count, kept): (usize, usize),
) -> Result<(), String> {
    let form = rounds.form(key, direction)?;
    let arguments = &f.target().arguments()[..3];
    f.inner.fixed.extend(arguments);
    let [key, input, output] = [0, 1, 2].map(|k| i32::from(arguments[k]));
    let roomy = f.target().is_roomy();
    let write = |w: &mut dyn Machine, constants: &mut Constants| {
        let made = |w: &mut dyn Machine, constants: &mut Constants, number: usize| {
            let raw = w.load(key, BLOCK * number as i32, None);
            Ok::<i32, String>(lowered(w, constants, &form.keys[number], &[raw])?[0])
        };
        let mut keys = Vec::new();
        if roomy {
            for number in 0..form.keys.len() {
                keys.push(made(w, constants, number)?);
            }
        }
        for group in 0..count / rounds.group {
            let place = |k: usize| BLOCK * (rounds.group * group + k) as i32;
            let load = |k: usize| w.load(input, place(k), Some(region::TEXT));
            let text: Vec<i32> = (0..rounds.group).map(load).collect();
            let mut state = lowered(w, constants, &form.pack, &text)?;
            for (number, program) in std::iter::once(&form.whiten).chain(&form.rounds).enumerate() {
                state.push(if roomy {
                    keys[number]
                } else {
                    constants.forget();
                    made(w, constants, number)?
                });
                state = lowered(w, constants, program, &state)?;
            }
            for (k, &value) in lowered(w, constants, &form.unpack, &state)?.iter().enumerate() {
                w.store(value, output, place(k), region::TEXT);
            }
        }
        Ok(())
    };
    if !roomy {
        f.prepare()?;
        f.keep_constants(kept, write)?;
    }
    f.block(write)
}

/// Writes a key schedule, whose arguments are the round keys, which it writes, and the cipher key. Each word of the key
/// is repeated four times in a register, so that ShiftRows has no effect. For a key of 24 bytes, 32 bytes are loaded.
///
/// # Errors
/// The errors of [`blocks`].
pub fn schedule(
    f: &mut Function,
    (size, direction, technique): (KeySize, Direction, Technique),
) -> Result<(), String> {
    let (count, rounds) = (size.bytes() / 4, size.rounds());
    let substitute = round(technique, Choices::default(), Round::EncryptLast)
        .ok_or("the technique has no rounds of whole blocks")?;
    let unmix = inverse_mix_columns(technique, Choices::default());
    let unmix = match direction {
        Direction::Encrypt => None,
        Direction::Decrypt => Some(unmix.ok_or("the technique has no InvMixColumns")?),
    };
    let arguments = &f.target().arguments()[..2];
    f.inner.fixed.extend(arguments);
    let [key, cipher_key] = [0, 1].map(|k| i32::from(arguments[k]));
    let roomy = f.target().is_roomy();
    if !roomy {
        f.prepare()?;
    }
    f.block(|w, constants| {
        let mut words = Vec::new();
        let mut loaded = 0;
        for i in 0..4 * (rounds + 1) {
            if !roomy {
                constants.forget();
            }
            if i < count {
                let j = i as u8 % 4;
                if j == 0 {
                    loaded = w.load(cipher_key, 4 * i as i32, None);
                }
                let control = constants.get(w, std::array::from_fn(|i| 4 * j + i as u8 % 4));
                words.push(w.shuffle(loaded, loaded, control));
            } else {
                let word = next_word(w, constants, &substitute, count, &words)?;
                words.push(word);
            }
            if i % 4 < 3 {
                continue;
            }
            let (round, last) = (i / 4, [words[i - 3], words[i - 2], words[i - 1], words[i]]);
            let mut stored = gathered(w, constants, last);
            let mut at = round;
            if let Some(unmix) = &unmix {
                at = rounds - round;
                if round > 0 && round < rounds {
                    stored = lowered(w, constants, unmix, &[stored])?[0];
                }
            }
            w.store(stored, key, BLOCK * at as i32, region::KEYS + at as u16);
        }
        Ok(())
    })
}

/// The next word of a key schedule, repeated four times; a key has `count` words.
fn next_word(
    w: &mut dyn Machine,
    constants: &mut Constants,
    substitute: &Program,
    count: usize,
    words: &[i32],
) -> Result<i32, String> {
    let i = words.len();
    let (mut word, mut key) = (words[i - 1], words[i - count]);
    if i.is_multiple_of(count) {
        word = w.rotate_words(constants, word, 1);
        let round = (1..i / count).fold(1, |c, _| xtime(c));
        let constant = constants.get(w, std::array::from_fn(|i| if i % 4 == 0 { round } else { 0 }));
        key = w.xor(key, constant);
    } else if count != 8 || i % 8 != 4 {
        return Ok(w.xor(word, key));
    }
    Ok(lowered(w, constants, substitute, &[word, key])?[0])
}

/// A round key from four words, each of which is repeated four times.
fn gathered(w: &mut dyn Machine, constants: &mut Constants, [a, b, c, d]: [i32; 4]) -> i32 {
    let control = constants.get(w, std::array::from_fn(|i| if i % 8 < 4 { i as u8 } else { 16 + i as u8 }));
    let (low, high) = (w.shuffle(a, b, control), w.shuffle(c, d, control));
    let halves = constants.get(w, std::array::from_fn(|i| if i < 8 { i as u8 } else { 16 + i as u8 }));
    w.shuffle(low, high, halves)
}
