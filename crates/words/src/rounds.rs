//! Rounds of the cipher and of the equivalent inverse cipher (FIPS-197, 5.1 and 5.3.5) by look-ups, on a state of four
//! columns.

use aesmith_cipher::Direction;

use crate::machine::{Found, Machine, Size};
use crate::tables::{Table, plain_row};

/// How rounds are computed, and where their tables are.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Which way.
    pub direction: Direction,
    /// How many tables of words there are: 4, or 1 whose entries are turned.
    pub words: u8,
    /// Addresses of the tables of words.
    pub bases: Vec<i32>,
    /// The address of the S-box, for decryption's last round.
    pub sbox: i32,
}

/// Bytes of a table of words.
pub const TABLE_BYTES: i64 = 1024;
/// Bytes of one of its entries, as a power of two.
pub const SCALE: u8 = 2;

impl Rounds {
    /// Of a direction, without addresses yet.
    pub fn new(direction: Direction, words: u8) -> Rounds {
        Rounds { direction, words, bases: Vec::new(), sbox: 0 }
    }

    /// Its tables, in their order in memory.
    pub fn tables(&self) -> Vec<Table> {
        let words = Table::Words(self.direction, self.words);
        match self.direction {
            Direction::Encrypt => vec![words],
            Direction::Decrypt => vec![words, Table::Bytes(Direction::Decrypt)],
        }
    }

    /// How many addresses its tables have.
    pub fn addresses(&self) -> usize {
        usize::from(self.words) + self.tables().len() - 1
    }

    /// Writes the addresses of its tables into registers.
    pub fn put_addresses(&mut self, w: &mut dyn Machine, registers: &[i32]) {
        let words = self.tables()[0].label();
        let (bases, rest) = registers.split_at(usize::from(self.words));
        for (k, &r) in bases.iter().enumerate() {
            w.put_address(r, words, TABLE_BYTES * k as i64);
        }
        if let Some(&r) = rest.first() {
            w.put_address(r, Table::Bytes(Direction::Decrypt).label(), 0);
            self.sbox = r;
        }
        self.bases = bases.to_vec();
    }

    /// The column whose byte of row `row` ShiftRows brings to column `j`.
    pub fn source(&self, j: usize, row: usize) -> usize {
        match self.direction {
            Direction::Encrypt => (j + row) % 4,
            Direction::Decrypt => (j + 4 - row) % 4,
        }
    }

    /// What a byte of a word contributes to its column.
    pub fn contribution(&self, w: &mut dyn Machine, word: i32, row: usize) -> i32 {
        let index = w.index(word, row, SCALE);
        self.contribution_at(w, index, row)
    }

    /// The same of an index into a table of words.
    pub fn contribution_at(&self, w: &mut dyn Machine, index: i32, row: usize) -> i32 {
        if self.words == 4 {
            return w.entry(Size::Word, self.bases[row], index);
        }
        let entry = w.entry(Size::Word, self.bases[0], index);
        if row == 0 { entry } else { w.turned(entry, row) }
    }

    /// A round but the last, with the words of its key.
    pub fn round(
        &self,
        w: &mut dyn Machine,
        s: [i32; 4],
        mut key: impl FnMut(&mut dyn Machine, usize) -> i32,
    ) -> [i32; 4] {
        std::array::from_fn(|j| {
            let [a, b, c, d] = std::array::from_fn(|row| self.contribution(w, s[self.source(j, row)], row));
            let key = key(w, j);
            let (ab, cd) = (w.xor(a, b), w.xor(c, d));
            let keyed = w.xor(ab, key);
            w.xor(keyed, cd)
        })
    }

    /// The last round, into registers.
    pub fn last(
        &self,
        w: &mut dyn Machine,
        s: [i32; 4],
        mut key: impl FnMut(&mut dyn Machine, usize) -> i32,
        into: [i32; 4],
    ) {
        for (j, &into) in into.iter().enumerate() {
            let found = std::array::from_fn(|row| self.substituted(w, s[self.source(j, row)], row, row));
            let column = w.gathered(found);
            let key = key(w, j);
            w.xor_to(into, column, key);
        }
    }

    /// The byte of a row of a word through the S-box of its direction, wanted at a row.
    pub fn substituted(&self, w: &mut dyn Machine, word: i32, row: usize, wanted: usize) -> Found {
        if self.direction == Direction::Decrypt {
            let index = w.index(word, row, 0);
            return Found { value: w.entry(Size::Byte, self.sbox, index), row: w.lowest_row(), alone: true };
        }
        let index = w.index(word, row, SCALE);
        // With four tables, one has the byte at the row where it is wanted.
        let tables = 0..usize::from(self.words);
        let at = tables.clone().find(|&from| plain_row(from, wanted) == Some(wanted));
        let from = at.unwrap_or(0);
        let row = plain_row(from, wanted).unwrap_or(0);
        Found { value: w.entry(Size::Word, self.bases[from], index), row, alone: false }
    }
}
