//! Key expansion (FIPS-197, 5.2) on demand: forwards for the cipher, and backwards, from the last round key,
//! for the equivalent inverse cipher.

use aesmith_cipher::block::xtime;
use aesmith_cipher::problem::{Direction, KeySize};

use super::lookup::{Bases, Lookup};
use super::writer::Writer;

/// The relation of a word to the preceding one and to the one a cipher key earlier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Their sum.
    Sum,
    /// With SubWord of RotWord, and this constant.
    Turned(u8),
    /// With SubWord.
    Substituted,
}

/// The words of a schedule.
pub struct Schedule {
    /// Its S-box, in both directions that of the cipher.
    pub lookup: Lookup,
    /// The size of the key.
    pub size: KeySize,
    /// The registers of the tables.
    pub bases: Bases,
    /// The words computed so far.
    words: Vec<Option<i32>>,
    /// The words of the equivalent inverse cipher: InvMixColumns of the others.
    inverted: Vec<Option<i32>>,
}

impl Schedule {
    /// A schedule that starts with the words of the cipher key.
    pub fn new(lookup: Lookup, size: KeySize, bases: Bases, key: &[i32]) -> Schedule {
        let total = 4 * (size.rounds() + 1);
        let mut words: Vec<Option<i32>> = key.iter().copied().map(Some).collect();
        words.resize(total, None);
        Schedule { lookup, size, bases, words, inverted: vec![None; total] }
    }

    fn count(&self) -> usize {
        self.size.bytes() / 4
    }

    fn link(&self, index: usize) -> Link {
        let count = self.count();
        if index.is_multiple_of(count) {
            Link::Turned((1..index / count).fold(1, |c, _| xtime(c)))
        } else if count > 6 && index % count == 4 {
            Link::Substituted
        } else {
            Link::Sum
        }
    }

    /// The third word of a recurrence from two known ones.
    fn linked(&self, w: &mut Writer, link: Link, word: i32, before: i32) -> i32 {
        match link {
            Link::Sum => w.xor(word, before),
            Link::Turned(constant) => {
                let sum = w.with("xori", word, i32::from(constant));
                self.lookup.sub_word(w, &self.bases, super::custom::Operand::spent(sum), before, true)
            }
            Link::Substituted => {
                self.lookup.sub_word(w, &self.bases, super::custom::Operand::kept(word), before, false)
            }
        }
    }

    /// A word, computed from earlier words.
    pub fn word(&mut self, w: &mut Writer, index: usize) -> i32 {
        if let Some(word) = self.words[index] {
            return word;
        }
        let (old, before) = (self.word(w, index - self.count()), self.word(w, index - 1));
        let word = self.linked(w, self.link(index), old, before);
        self.words[index] = Some(word);
        word
    }

    /// Forgets all but the last words, from which the earlier ones are computed again.
    pub fn turn(&mut self, w: &mut Writer) {
        let total = self.words.len();
        self.word(w, total - 1);
        let last = total - self.count();
        self.words[..last].fill(None);
    }

    /// A word, computed from later words. Requires [`Schedule::turn`].
    pub fn back(&mut self, w: &mut Writer, index: usize) -> i32 {
        if let Some(word) = self.words[index] {
            return word;
        }
        let later = index + self.count();
        let (new, before) = (self.back(w, later), self.back(w, later - 1));
        let word = self.linked(w, self.link(later), new, before);
        self.words[index] = Some(word);
        word
    }

    /// InvMixColumns of a word, computed from later words: sums of words are also sums of these.
    pub(crate) fn back_inverted(&mut self, w: &mut Writer, index: usize) -> i32 {
        let later = index + self.count();
        let known = |k: usize| self.inverted.get(k).copied().flatten();
        let word = match (known(later), known(later - 1)) {
            (Some(new), Some(before)) if self.link(later) == Link::Sum => w.xor(new, before),
            _ => {
                let word = self.back(w, index);
                self.lookup.inverted(w, &self.bases, word)
            }
        };
        self.inverted[index] = Some(word);
        word
    }

    /// A word of a round key, in order of use. Backwards, the words must be requested in that order.
    pub fn key(&mut self, w: &mut Writer, direction: Direction, round: usize, column: usize) -> i32 {
        let rounds = self.size.rounds();
        match direction {
            Direction::Encrypt => self.word(w, 4 * round + column),
            Direction::Decrypt if round == 0 || round == rounds => {
                self.back(w, 4 * (rounds - round) + column)
            }
            Direction::Decrypt => self.back_inverted(w, 4 * (rounds - round) + column),
        }
    }
}
