//! Round keys: where rounds take them from, and the key schedules that make them (FIPS-197, 5.2 and 5.3.5).

use aesmith_cipher::block::xtime;
use aesmith_cipher::{Direction, KeySize};

use crate::function::Function;
use crate::machine::{Machine, Size, region};
use crate::rounds::{Rounds, TABLE_BYTES};
use crate::tables::Table;

/// Words of the round keys: in memory, and some of them in registers.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Where they are in memory.
    pub base: i32,
    /// Words that stay in registers, by their number.
    pub kept: Vec<(usize, u8)>,
}

impl Keys {
    /// In memory.
    pub fn at(base: i32) -> Keys {
        Keys { base, kept: Vec::new() }
    }

    /// Word `i` of the schedule.
    pub fn word(&self, w: &mut dyn Machine, i: usize) -> i32 {
        match self.kept.iter().find(|(number, _)| *number == i) {
            Some(&(_, register)) => i32::from(register),
            None => w.load(Size::Word, self.base, 4 * i as i32, None),
        }
    }

    /// The words of a round.
    pub fn round(&self, round: usize) -> impl FnMut(&mut dyn Machine, usize) -> i32 + '_ {
        move |w, j| self.word(w, 4 * round + j)
    }
}

/// SubWord of a word whose byte of row `rotated` comes first.
fn sub_word(w: &mut dyn Machine, rounds: &Rounds, word: i32, rotated: usize) -> i32 {
    let found = std::array::from_fn(|row| rounds.substituted(w, word, (row + rotated) % 4, row));
    w.gathered(found)
}

/// InvMixColumns of a word: the inverse's table of words has it behind the inverse S-box, which the S-box undoes.
fn unmixed(w: &mut dyn Machine, forward: &Rounds, inverse: &Rounds, word: i32) -> i32 {
    let parts: [i32; 4] = std::array::from_fn(|row| {
        let found = forward.substituted(w, word, row, row);
        inverse.contribution_of(w, found, row)
    });
    let (ab, cd) = (w.xor(parts[0], parts[1]), w.xor(parts[2], parts[3]));
    w.xor(ab, cd)
}

/// A key schedule: the key structure, the cipher key.
///
/// # Errors
/// Registers do not suffice.
pub fn schedule(
    f: &mut Function,
    size: KeySize,
    direction: Direction,
    words: u8,
) -> Result<Vec<Table>, String> {
    let mut forward = Rounds::new(Direction::Encrypt, words);
    let mut inverse = Rounds::new(Direction::Decrypt, words);
    let arguments = f.target().arguments();
    f.block(|w| {
        let [key, cipher_key] = [0, 1].map(|k| w.block().enter(arguments[k]));
        let registers: Vec<i32> = (0..words).map(|_| w.block().fresh()).collect();
        forward.put_addresses(w, &registers, 0);
        if direction == Direction::Decrypt {
            let registers: Vec<i32> = (0..words).map(|_| w.block().fresh()).collect();
            let label = Table::Words(Direction::Decrypt, words).label();
            for (k, &r) in registers.iter().enumerate() {
                w.put_address(r, label, TABLE_BYTES * k as i64);
            }
            inverse.bases = registers;
        }
        let (count, rounds) = (size.bits() / 32, size.rounds());
        let mut made: Vec<i32> = Vec::new();
        for i in 0..4 * (rounds + 1) {
            let word = if i < count {
                w.load(Size::Word, cipher_key, 4 * i as i32, None)
            } else {
                let mut changed = made[i - 1];
                if i.is_multiple_of(count) {
                    changed = sub_word(w, &forward, changed, 1);
                    let constant = (1..i / count).fold(1, |c, _| xtime(c));
                    changed = w.with_constant(changed, constant);
                } else if count == 8 && i % 8 == 4 {
                    changed = sub_word(w, &forward, changed, 0);
                }
                w.xor(made[i - count], changed)
            };
            made.push(word);
            let (mut at, mut stored) = (i, word);
            if direction == Direction::Decrypt {
                let round = i / 4;
                at = 4 * (rounds - round) + i % 4;
                if round > 0 && round < rounds {
                    stored = unmixed(w, &forward, &inverse, word);
                }
            }
            w.store(stored, key, 4 * at as i32, region::KEY_WORDS + at as u16);
        }
    })?;
    let mut tables = vec![Table::Words(Direction::Encrypt, words)];
    if direction == Direction::Decrypt {
        tables.push(Table::Words(Direction::Decrypt, words));
    }
    Ok(tables)
}
