//! Rounds of the cipher and of the equivalent inverse cipher (FIPS-197, 5.1 and 5.3.5) by look-ups, on a state of four
//! columns.

use std::cell::Cell;
use std::ops::Range;

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
    /// Whether [`Rounds::last_contribution`] is asked for.
    pub by_index: bool,
    /// Addresses of the tables of words; where look-ups are by pointers, of the last if it is looked up by an index.
    pub bases: Vec<i32>,
    /// Registers that hold the address of the first table: an index is inserted into one, and the table's distance
    /// stands in the load. Without any, an index is added to its table's address.
    pub pointers: Vec<i32>,
    /// The pointer that is used next.
    turn: Cell<usize>,
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
        let (bases, pointers) = (Vec::new(), Vec::new());
        Rounds { direction, words, by_index: false, bases, pointers, turn: Cell::new(0), sbox: 0 }
    }

    /// Its tables, in their order in memory.
    pub fn tables(&self) -> Vec<Table> {
        let words = Table::Words(self.direction, self.words);
        match self.direction {
            Direction::Encrypt => vec![words],
            Direction::Decrypt => vec![words, Table::Bytes(Direction::Decrypt)],
        }
    }

    /// How many addresses its tables have: so many, with this number of pointers.
    pub fn addresses(&self, pointers: u8) -> usize {
        usize::from(pointers) + self.indexed(pointers.into()).len() + self.tables().len() - 1
    }

    /// The tables of words whose own addresses are needed.
    fn indexed(&self, pointers: usize) -> Range<u8> {
        match (pointers, self.by_index) {
            (0, _) => 0..self.words,
            (_, true) => self.words - 1..self.words,
            (_, false) => 0..0,
        }
    }

    /// Writes the addresses of its tables into registers, the first so many of which are pointers.
    pub fn put_addresses(&mut self, w: &mut dyn Machine, registers: &[i32], pointers: u8) {
        let words = self.tables()[0].label();
        let (pointers, rest) = registers.split_at(usize::from(pointers));
        for &r in pointers {
            w.put_address(r, words, 0);
        }
        let tables = self.indexed(pointers.len());
        let (bases, rest) = rest.split_at(tables.len());
        for (&r, k) in bases.iter().zip(tables) {
            w.put_address(r, words, TABLE_BYTES * i64::from(k));
        }
        if let Some(&r) = rest.first() {
            w.put_address(r, Table::Bytes(Direction::Decrypt).label(), 0);
            self.sbox = r;
        }
        (self.bases, self.pointers) = (bases.to_vec(), pointers.to_vec());
    }

    /// The entry of a table of words for a byte of a word.
    fn entry(&self, w: &mut dyn Machine, table: usize, word: i32, row: usize) -> i32 {
        if self.pointers.is_empty() {
            let index = w.index(word, row, SCALE);
            return w.entry(Size::Word, self.bases[table], index);
        }
        let turn = self.turn.replace(self.turn.get() + 1);
        let pointer = self.pointers[turn % self.pointers.len()];
        w.insert_index(pointer, word, row, SCALE);
        w.load(Size::Word, pointer, (TABLE_BYTES * table as i64) as i32, None)
    }

    /// The column whose byte of row `row` ShiftRows brings to column `j`.
    pub fn source(&self, j: usize, row: usize) -> usize {
        match self.direction {
            Direction::Encrypt => (j + row) % 4,
            Direction::Decrypt => (j + 4 - row) % 4,
        }
    }

    /// The row of a column to which ShiftRows brings a byte of column `from`: the other way round than [`Rounds::source`].
    pub fn row_from(&self, from: usize, j: usize) -> usize {
        (0..4).find(|&row| self.source(j, row) == from).expect("every column goes to every other")
    }

    /// What a byte of a word contributes to its column.
    pub fn contribution(&self, w: &mut dyn Machine, word: i32, row: usize) -> i32 {
        self.contribution_of(w, Found { value: word, row }, row)
    }

    /// What a byte that was found contributes to its column, as one of a row.
    pub fn contribution_of(&self, w: &mut dyn Machine, found: Found, row: usize) -> i32 {
        let entry = self.entry(w, if self.words == 4 { row } else { 0 }, found.value, found.row);
        if self.words == 4 || row == 0 { entry } else { w.turned(entry, row) }
    }

    /// What a byte of the last row contributes, by an index into its table.
    pub fn last_contribution(&self, w: &mut dyn Machine, index: i32) -> i32 {
        let base = *self.bases.last().expect("tables have addresses");
        let entry = w.entry(Size::Word, base, index);
        if self.words == 4 { entry } else { w.turned(entry, 3) }
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
            return Found { value: w.entry(Size::Byte, self.sbox, index), row: w.lowest_row() };
        }
        // With four tables, one has the byte at the row where it is wanted.
        let at = (0..usize::from(self.words)).find(|&from| plain_row(from, wanted) == Some(wanted));
        let from = at.unwrap_or(0);
        let value = self.entry(w, from, word, row);
        Found { value, row: plain_row(from, wanted).unwrap_or(0) }
    }
}
