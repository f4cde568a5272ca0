//! Relations between round keys. Round keys are free in a proof, which holds for every key, but the key structure holds
//! those of a key schedule (FIPS-197, 5.2): most words are sums of two others. A kernel that derives some round keys
//! from others is correct only because of this.

use aesmith_cipher::block::{INV_MIX, MIX};

use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::intern::FastMap;
use crate::lanes::terms::{Atom, Terms};

/// A key schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// Number of words of the cipher key.
    pub words: usize,
    /// Number of rounds.
    pub rounds: usize,
    /// True for that of the equivalent inverse cipher (5.3.5), in order of use.
    pub inverse: bool,
}

/// Words of the key schedule as sums of words that are not sums, by stream and number.
pub type KeyWords = FastMap<(u8, usize), [Form; 4]>;

impl Terms {
    /// A byte of a round key, expressed by words that are not sums of others.
    pub fn scheduled(&mut self, of: Schedule, known: &mut KeyWords, key: (u8, u8), index: u8) -> Form {
        let (stream, round) = key;
        let place = if of.inverse { of.rounds - usize::from(round) } else { usize::from(round) };
        let word = self.schedule_word(of, known, stream, 4 * place + usize::from(index) / 4);
        let word = if of.is_mixed(place) { self.mixed(word, INV_MIX) } else { word };
        word[usize::from(index) % 4]
    }

    /// Word `i` of the key schedule of the cipher.
    fn schedule_word(&mut self, of: Schedule, known: &mut KeyWords, stream: u8, i: usize) -> [Form; 4] {
        if let Some(&word) = known.get(&(stream, i)) {
            return word;
        }
        let free = i < of.words || i.is_multiple_of(of.words) || (of.words > 6 && i % of.words == 4);
        let word = if free {
            let place = i / 4;
            let round = (if of.inverse { of.rounds - place } else { place }) as u8;
            let lane = self.atom(Atom::Key { stream, round });
            let (atom, _) = self.member(lane, 0);
            let bytes = std::array::from_fn(|b| {
                self.forms.atom(ByteAtom::Lane { atom, index: (4 * (i % 4) + b) as u8 })
            });
            if of.is_mixed(place) { self.mixed(bytes, MIX) } else { bytes }
        } else {
            let before = self.schedule_word(of, known, stream, i - of.words);
            let last = self.schedule_word(of, known, stream, i - 1);
            std::array::from_fn(|b| self.forms.add(before[b], last[b]))
        };
        known.insert((stream, i), word);
        word
    }

    fn mixed(&mut self, word: [Form; 4], matrix: [u8; 4]) -> [Form; 4] {
        std::array::from_fn(|row| {
            let parts: [(Form, u32); 4] =
                std::array::from_fn(|k| (word[k], u32::from(matrix[(k + 4 - row) % 4])));
            self.forms.combine(&parts)
        })
    }
}

impl Schedule {
    /// True if the key structure holds InvMixColumns of the words of this round of the cipher.
    fn is_mixed(self, place: usize) -> bool {
        self.inverse && place != 0 && place != self.rounds
    }
}
