//! Rounds of the cipher and of the equivalent inverse cipher (FIPS-197, 5.1 and 5.3.5) on a state of four
//! columns.

use aesmith_cipher::{Direction, KeySize};

use super::tables::Table;
use super::writer::Writer;

/// The implementation of rounds, and the addresses of their tables.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Encryption or decryption.
    pub direction: Direction,
    /// The number of tables of words: zero if S-box and MixColumns are computed separately.
    pub words: u8,
    /// Addresses of the tables of words.
    pub bases: Vec<i32>,
    /// The address of the S-box.
    pub sbox: i32,
}

/// The source of round keys.
pub enum Keys {
    /// Memory: words from this register plus an offset.
    Memory(i32, i32),
    /// The schedule itself: its words so far, the key's size, the S-box.
    Fly(Vec<i32>, KeySize, i32),
}

impl Keys {
    /// Word `i` of the schedule.
    pub fn word(&mut self, w: &mut Writer, i: usize) -> i32 {
        match self {
            Keys::Memory(base, offset) => w.load("lwi", *base, *offset + 4 * i as i32, None),
            Keys::Fly(words, size, sbox) => {
                while words.len() <= i {
                    let next = scheduled(w, words, *size, *sbox);
                    words.push(next);
                }
                words[i]
            }
        }
    }
}

/// The next word of a key schedule (FIPS-197, 5.2) after these.
pub fn scheduled(w: &mut Writer, words: &[i32], size: KeySize, sbox: i32) -> i32 {
    let (i, count) = (words.len(), size.bits() / 32);
    let mut changed = words[i - 1];
    if i.is_multiple_of(count) {
        changed = substituted(w, changed, sbox, 1);
        let constant = (1..i / count).fold(1, |c, _| aesmith_cipher::block::xtime(c));
        changed = w.number("xori", changed, i32::from(constant));
    } else if count == 8 && i % 8 == 4 {
        changed = substituted(w, changed, sbox, 0);
    }
    w.xor(words[i - count], changed)
}

/// SubWord of a word, starting with byte `rotated`.
pub fn substituted(w: &mut Writer, word: i32, sbox: i32, rotated: usize) -> i32 {
    w.substituted(sbox, std::array::from_fn(|k| (word, (k + rotated) % 4)))
}

impl Rounds {
    /// Its tables, in their order in memory.
    pub fn tables(&self) -> Vec<Table> {
        let words = (self.words > 0).then_some(Table::Words(self.direction, self.words));
        words.into_iter().chain([Table::Bytes(self.direction)]).collect()
    }

    /// Loads the addresses of its tables into registers. The tables are stored one after another.
    pub fn addresses(&mut self, w: &mut Writer, registers: Option<&[u8]>) {
        let first = self.tables()[0];
        let count = usize::from(self.words) + 1;
        let mut made: Vec<i32> = Vec::new();
        for k in 0..count {
            let r = registers.map_or_else(|| w.block.fresh(), |r| i32::from(r[k]));
            if k == 0 {
                w.address_in(r, first);
            } else {
                w.offset_in(r, made[0], 1024 * k as i32);
            }
            made.push(r);
        }
        self.sbox = made[count - 1];
        made.pop();
        self.bases = made;
    }

    /// The column whose byte of row `k` ShiftRows moves to column `j`.
    fn source(&self, j: usize, k: usize) -> usize {
        match self.direction {
            Direction::Encrypt => (j + k) % 4,
            Direction::Decrypt => (j + 4 - k) % 4,
        }
    }

    /// A round other than the last, with key words from `first` on.
    pub fn round(&self, w: &mut Writer, s: [i32; 4], keys: &mut Keys, first: usize) -> [i32; 4] {
        std::array::from_fn(|j| {
            let column = if self.words == 0 { self.apart(w, s, j) } else { self.looked_up(w, s, j) };
            let key = keys.word(w, first + j);
            w.xor(column, key)
        })
    }

    fn looked_up(&self, w: &mut Writer, s: [i32; 4], j: usize) -> i32 {
        let found: [i32; 4] = std::array::from_fn(|k| {
            let index = w.index(s[self.source(j, k)], k);
            let table = match self.words {
                4 => k,
                2 => k % 2,
                _ => 0,
            };
            w.two("lw", self.bases[table], index)
        });
        let [a, b, c, d] = found;
        match self.words {
            4 => {
                let (ab, cd) = (w.xor(a, b), w.xor(c, d));
                w.xor(ab, cd)
            }
            2 => {
                let (ab, cd) = (w.xor(a, b), w.xor(c, d));
                let moved = w.two_rows(cd);
                w.xor(ab, moved)
            }
            _ => {
                let (c, d) = (w.two_rows(c), w.two_rows(d));
                let (even, odd) = (w.xor(a, c), w.xor(b, d));
                let moved = w.up_a_row(odd);
                w.xor(even, moved)
            }
        }
    }

    fn apart(&self, w: &mut Writer, s: [i32; 4], j: usize) -> i32 {
        let column = w.substituted(self.sbox, std::array::from_fn(|k| (s[self.source(j, k)], k)));
        match self.direction {
            Direction::Encrypt => w.mixed(column),
            Direction::Decrypt => w.unmixed(column),
        }
    }

    /// The last round.
    pub fn last(&self, w: &mut Writer, s: [i32; 4], keys: &mut Keys, first: usize) -> [i32; 4] {
        std::array::from_fn(|j| {
            let column = w.substituted(self.sbox, std::array::from_fn(|k| (s[self.source(j, k)], k)));
            let key = keys.word(w, first + j);
            w.xor(column, key)
        })
    }
}
