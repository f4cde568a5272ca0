//! Round keys: their sources in the rounds, and the key schedules that compute them (FIPS-197, 5.2 and 5.3.5).

use std::cell::RefCell;

use aesmith_cipher::block::xtime;
use aesmith_cipher::firmware::sum_of;
use aesmith_cipher::{Direction, KeySize, Problem};

use crate::function::{self, Function};
use crate::machine::{Machine, Size, region};
use crate::modes::Choices;
use crate::places::{self, Place};
use crate::rounds::{Last, Rounds};
use crate::tables::{Form, Table};

/// Words of the round keys: in memory, and some of them in registers. Where the state is padded, all words are 64 bits
/// wide, and all round keys are padded but the first and the last, which are added to text.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The register of their address.
    base: i32,
    /// Words that stay in registers, by their number.
    pub kept: Vec<(usize, u8)>,
    problem: Problem,
    form: Form,
    /// The number of words of a round, after the first, that are computed from words of the previous round.
    remade: u8,
    /// Words that this block has in registers.
    at_hand: RefCell<Vec<(usize, i32)>>,
}

impl Keys {
    /// Round keys in memory.
    pub fn at(base: i32, problem: Problem, choices: Choices) -> Keys {
        let (kept, at_hand) = (Vec::new(), RefCell::default());
        Keys { base, kept, problem, form: choices.form, remade: choices.remade, at_hand }
    }

    /// Starts a block, in which no word is in a register yet.
    pub fn begin(&self) {
        self.at_hand.borrow_mut().clear();
    }

    /// Loads a word in its memory format.
    pub fn load(&self, w: &mut dyn Machine, i: usize) -> i32 {
        let size = self.form.size();
        w.load(size, self.base, size.bytes() * i as i32, None)
    }

    /// The two words whose XOR is a word, if all three are in the form of the state within rounds.
    fn made_of(&self, i: usize) -> Option<[usize; 2]> {
        let (column, last) = (i % 4, self.problem.key.rounds());
        let is_middle = |i: usize| i / 4 > 0 && i / 4 < last;
        let of = sum_of(self.problem, i).filter(|_| column > 0 && column <= usize::from(self.remade))?;
        of.into_iter().chain([i]).all(is_middle).then_some(of)
    }

    /// Returns word `i` of the schedule.
    pub fn word(&self, w: &mut dyn Machine, i: usize) -> i32 {
        if let Some(&(_, register)) = self.kept.iter().find(|(number, _)| *number == i) {
            return i32::from(register);
        }
        let find = |i: usize| {
            let kept = self.kept.iter().find(|(number, _)| *number == i).map(|&(_, r)| i32::from(r));
            kept.or_else(|| self.at_hand.borrow().iter().find(|(number, _)| *number == i).map(|&(_, v)| v))
        };
        let both = self.made_of(i).and_then(|[a, b]| Some((find(a)?, find(b)?)));
        let word = match both {
            Some((a, b)) => w.xor(a, b),
            None => self.load(w, i),
        };
        self.at_hand.borrow_mut().push((i, word));
        word
    }

    /// The words of a round.
    pub fn round(&self, round: usize) -> impl FnMut(&mut dyn Machine, usize) -> i32 + '_ {
        move |w, j| self.word(w, 4 * round + j)
    }
}

/// SubWord of a word, starting at the byte of row `rotated`.
fn sub_word(w: &mut dyn Machine, rounds: &Rounds, word: i32, rotated: usize) -> i32 {
    let found = std::array::from_fn(|row| rounds.substituted(w, word, (row + rotated) % 4, row, true));
    w.gathered(found)
}

/// InvMixColumns of a word, with a table of each byte's contribution.
fn unmixed(w: &mut dyn Machine, form: Form, tables: &[Place], word: i32) -> i32 {
    let copies = tables.len();
    let parts: [i32; 4] = std::array::from_fn(|row| {
        let index = w.index(word, row, form.scale());
        let entry = places::entry(w, form.size(), tables[row % copies], index);
        let turns = row - row % copies;
        if turns == 0 { entry } else { w.turned(entry, turns) }
    });
    let (ab, cd) = (w.xor(parts[0], parts[1]), w.xor(parts[2], parts[3]));
    w.xor(ab, cd)
}

/// True if a word of a schedule is the XOR of two earlier ones without an S-box.
pub fn is_sum(size: KeySize, i: usize) -> bool {
    let count = size.bits() / 32;
    i >= count && !i.is_multiple_of(count) && !(count == 8 && i % 8 == 4)
}

/// The choices of a key schedule.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// The format of its tables of words.
    pub form: Form,
    /// True if its S-box is a table of bytes; otherwise the tables of words for encryption contain it.
    pub bytes: bool,
    /// The shift in bits of each byte within 16 bits in the round keys that it computes, if they are padded.
    pub padded: Option<u8>,
}

/// Writes a key schedule, whose arguments are the key structure and the cipher key.
///
/// # Errors
/// There are too few registers.
pub fn schedule(
    f: &mut Function,
    size: KeySize,
    direction: Direction,
    schedule: Schedule,
) -> Result<Vec<Table>, String> {
    let Schedule { form, bytes, padded } = schedule;
    let last = if bytes { Last::Bytes } else { Last::Words };
    let mut forward = Rounds::new(Direction::Encrypt, form, last);
    let (arguments, reach) = (f.target().arguments(), f.target().reach());
    function::block(f, |w| {
        let [key, cipher_key] = [0, 1].map(|k| w.block().enter(arguments[k]));
        if bytes {
            forward.put_sbox(w);
        } else {
            let registers: Vec<i32> = (0..forward.addresses(0, reach)).map(|_| w.block().fresh()).collect();
            forward.put_addresses(w, &registers, 0, reach);
        }
        let mut inverse = Vec::new();
        if direction == Direction::Decrypt {
            let begins: Vec<i32> = (0..form.copies).map(|k| form.begin(k)).collect();
            inverse = places::put(w, Table::Unmixed(form).label(), &begins, reach);
        }
        let (count, rounds) = (size.bits() / 32, size.rounds());
        let mut made: Vec<i32> = Vec::new();
        let mut unmixed_words: Vec<Option<i32>> = Vec::new();
        for i in 0..4 * (rounds + 1) {
            let word = if i < count {
                w.load(Size::Word, cipher_key, 4 * i as i32, None)
            } else {
                let mut changed = made[i - 1];
                if i.is_multiple_of(count) {
                    changed = sub_word(w, &forward, changed, 1);
                    let constant = (1..i / count).fold(1, |c, _| xtime(c));
                    changed = w.with_constant(changed, constant);
                } else if !is_sum(size, i) {
                    changed = sub_word(w, &forward, changed, 0);
                }
                w.xor(made[i - count], changed)
            };
            made.push(word);
            let (mut at, mut stored) = (i, word);
            if direction == Direction::Decrypt {
                let round = i / 4;
                at = 4 * (rounds - round) + i % 4;
                let is_middle = round > 0 && round < rounds;
                if is_middle {
                    // InvMixColumns is linear, so the image of a sum is the sum of the images.
                    let of = |i: Option<usize>| i.and_then(|i| unmixed_words[i]);
                    stored = match (is_sum(size, i), of(i.checked_sub(count)), of(i.checked_sub(1))) {
                        (true, Some(a), Some(b)) => w.xor(a, b),
                        _ => unmixed(w, form, &inverse, word),
                    };
                }
                unmixed_words.push(is_middle.then_some(stored));
            }
            let size = if padded.is_some() { Size::Double } else { Size::Word };
            if let Some(scale) = padded.filter(|_| at / 4 > 0 && at / 4 < rounds) {
                stored = w.padded(stored, scale);
            }
            w.store(size, stored, key, size.bytes() * at as i32, region::KEY_WORDS + at as u16);
        }
    })?;
    let sbox = if bytes { Table::Bytes(Direction::Encrypt) } else { Table::Words(Direction::Encrypt, form) };
    let inverse = (direction == Direction::Decrypt).then_some(Table::Unmixed(form));
    Ok(std::iter::once(sbox).chain(inverse).collect())
}
