//! Rounds of the cipher and of the equivalent inverse cipher (FIPS-197, 5.1 and 5.3.5) by look-ups, on a state of four
//! columns.

use std::cell::Cell;

use aesmith_cipher::Direction;

use crate::machine::{Found, Machine, Size};
use crate::places::{self, Addresses, Place};
use crate::tables::{Form, INNER, Table, plain_row};

/// How the bytes of the last round are looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// In the tables of words, as words of which one byte is wanted.
    Words,
    /// In the tables of words, as the byte that is wanted, or as its padding's 16 bits.
    Parts,
    /// In the S-box, 256 bytes; bytes are shifted to where they are wanted. Decryption has no other without a table of words
    /// with one byte each.
    Bytes,
    /// The same, and tables of words with one byte each for the two that are in the midst of a word ([`Table::Inner`]):
    /// these would be both masked and shifted.
    Inner,
    /// In a table of words with one byte each ([`Table::Spread`]), by so many addresses: for bytes of so many rows it has
    /// them where they are wanted. Decryption of padded words has no other.
    Spread(u8),
}

/// How rounds are computed, and where their tables are.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Which way.
    pub direction: Direction,
    /// Its tables of words. The state has their entries' form from the first round on.
    pub form: Form,
    /// The last round.
    pub last: Last,
    /// Whether columns are summed up side by side, a word of the state after another, so that few values are alive; else
    /// one after another.
    pub side_by_side: bool,
    /// Whether [`Rounds::last_contribution`] is asked for.
    pub by_index: bool,
    /// Where the tables of words are; where look-ups are by pointers, of the last if it is looked up by an index.
    pub bases: Vec<Place>,
    /// Registers that hold the address of the first table: an index is inserted into one, and the table's distance
    /// stands in the load. Without any, an index is added to its table's address.
    pub pointers: Vec<i32>,
    /// The pointer that is used next.
    turn: Cell<usize>,
    /// Where the last round's own tables are.
    own: Vec<Place>,
}

impl Rounds {
    /// Of a direction, without addresses yet.
    pub fn new(direction: Direction, form: Form, last: Last) -> Rounds {
        let (bases, pointers, own) = (Vec::new(), Vec::new(), Vec::new());
        let (side_by_side, by_index, turn) = (false, false, Cell::new(0));
        Rounds { direction, form, last, side_by_side, by_index, bases, pointers, turn, own }
    }

    /// The last round's own tables, and where in them begins what has an address.
    fn own_tables(&self) -> (Vec<Table>, Vec<i32>) {
        let bytes = Table::Bytes(self.direction);
        match (self.last, self.direction) {
            (Last::Spread(addresses), direction) => {
                let words = (0..i32::from(addresses)).map(|k| Size::Word.bytes() * k);
                (vec![Table::Spread(direction, self.form)], words.collect())
            }
            (Last::Inner, direction) => {
                let begin = bytes.bytes().len() as i32;
                let inner = (0..INNER.len() as i32).map(|k| begin + 256 * Size::Word.bytes() * k);
                (vec![bytes, Table::Inner(direction)], std::iter::once(0).chain(inner).collect())
            }
            (Last::Bytes, _) | (_, Direction::Decrypt) => (vec![bytes], vec![0]),
            (_, Direction::Encrypt) => (Vec::new(), Vec::new()),
        }
    }

    /// Its tables, in their order in memory.
    pub fn tables(&self) -> Vec<Table> {
        let words = Table::Words(self.direction, self.form);
        std::iter::once(words).chain(self.own_tables().0).collect()
    }

    /// Where tables begin that have addresses, from the first of all: those of words, then the last round's own.
    fn begins(&self, pointers: usize) -> Vec<i32> {
        let words = Table::Words(self.direction, self.form).bytes().len() as i32;
        let own = self.own_tables().1.into_iter().map(|at| words + at);
        self.indexed(pointers).map(|k| self.form.begin(k)).chain(own).collect()
    }

    /// How many registers the addresses of its tables take, with this number of pointers, where loads reach so far.
    pub fn addresses(&self, pointers: u8, reach: i32) -> usize {
        usize::from(pointers) + Addresses::of(&self.begins(pointers.into()), reach).all.len()
    }

    /// The tables of words whose own addresses are needed.
    fn indexed(&self, pointers: usize) -> impl Iterator<Item = u8> + Clone + use<> {
        let all = self.form.addressed();
        let skipped = match (pointers, self.by_index) {
            (0, _) => 0,
            (_, true) => all.len() - 1,
            (_, false) => all.len(),
        };
        all.skip(skipped)
    }

    /// Writes the addresses of its tables into registers, the first so many of which are pointers. Tables follow each
    /// other: an address after the first is a distance from the one before it.
    pub fn put_addresses(&mut self, w: &mut dyn Machine, registers: &[i32], pointers: u8, reach: i32) {
        let words = Table::Words(self.direction, self.form);
        let found = Addresses::of(&self.begins(pointers.into()), reach);
        let (pointers, rest) = registers.split_at(usize::from(pointers));
        let places = pointers.iter().map(|_| 0).chain(found.all.iter().copied());
        let mut before: Option<(i32, i32)> = None;
        for (&register, place) in registers.iter().zip(places) {
            match before {
                Some((near, from)) => w.put_near(register, near, place - from),
                None => w.put_address_after(register, words.label(), place),
            }
            before = Some((register, place));
        }
        let mut all: Vec<Place> =
            found.of.iter().map(|&(which, offset)| Place { register: rest[which], offset }).collect();
        self.own = all.split_off(self.indexed(pointers.len()).count());
        (self.bases, self.pointers) = (all, pointers.to_vec());
    }

    /// The index of a byte of a word, which has the form of the text or that of the state.
    fn index(&self, w: &mut dyn Machine, word: i32, row: usize, is_text: bool) -> i32 {
        let (scale, odd) = (self.form.scale(), self.form.odd(row));
        if self.form.padded && !is_text {
            return w.padded_index(word, row, 0xff << scale | odd);
        }
        let index = w.index(word, row, scale);
        if odd > 0 { w.sum(index, odd) } else { index }
    }

    /// The address of a table that has one, or shares that of the one before it.
    fn base(&self, table: usize) -> Place {
        self.bases[if self.form.shares() { table / 2 } else { table }]
    }

    /// The entry of a table of words for a byte of a word.
    fn entry(&self, w: &mut dyn Machine, table: usize, word: i32, row: usize, is_text: bool) -> i32 {
        if self.pointers.is_empty() {
            let index = self.index(w, word, row, is_text);
            return places::entry(w, self.form.size(), self.base(table), index);
        }
        let turn = self.turn.replace(self.turn.get() + 1);
        let pointer = self.pointers[turn % self.pointers.len()];
        w.insert_index(pointer, word, row, self.form.scale());
        w.load(self.form.size(), pointer, self.form.begin(table as u8), None)
    }

    /// Puts the address of the S-box alone, in which [`Last::Bytes`] looks.
    pub fn put_sbox(&mut self, w: &mut dyn Machine) {
        self.own = places::put(w, Table::Bytes(self.direction).label(), &[0], 0);
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

    /// The table for a row, and an entry of it as one of the row.
    fn turned(
        &self,
        w: &mut dyn Machine,
        row: usize,
        entry: impl FnOnce(&mut dyn Machine, usize) -> i32,
    ) -> i32 {
        let copies = usize::from(self.form.copies);
        let entry = entry(w, row % copies);
        let turns = row - row % copies;
        if turns == 0 { entry } else { w.turned(entry, turns) }
    }

    /// What a byte of a word of the state contributes to its column; of the text, before the first round.
    pub fn contribution(&self, w: &mut dyn Machine, word: i32, row: usize, is_text: bool) -> i32 {
        self.turned(w, row, |w, table| self.entry(w, table, word, row, is_text))
    }

    /// What a byte of the last row contributes, by an index into its table.
    pub fn last_contribution(&self, w: &mut dyn Machine, index: i32) -> i32 {
        let base = *self.bases.last().expect("tables have addresses");
        self.turned(w, 3, |w, _| places::entry(w, self.form.size(), base, index))
    }

    /// Columns summed up side by side, into registers: what each word of the state contributes to each, by row, and their
    /// keys.
    fn side_by_side(
        &self,
        w: &mut dyn Machine,
        into: [i32; 4],
        mut key: impl FnMut(&mut dyn Machine, usize) -> i32,
        mut contribution: impl FnMut(&mut dyn Machine, usize, usize) -> i32,
    ) {
        let mut columns: [i32; 4] = std::array::from_fn(|j| contribution(w, 0, self.row_from(0, j)));
        for from in 1..4 {
            for (j, column) in columns.iter_mut().enumerate() {
                let found = contribution(w, from, self.row_from(from, j));
                if from == 3 {
                    w.xor_to(into[j], *column, found);
                    continue;
                }
                *column = w.xor(*column, found);
                // In the middle, where some words of the state are done with and sums are not needed yet.
                if from == 1 {
                    let key = key(w, j);
                    *column = w.xor(*column, key);
                }
            }
        }
    }

    /// A round but the last, with the words of its key.
    pub fn round(
        &self,
        w: &mut dyn Machine,
        s: [i32; 4],
        is_text: bool,
        mut key: impl FnMut(&mut dyn Machine, usize) -> i32,
    ) -> [i32; 4] {
        if self.side_by_side {
            let into = std::array::from_fn(|_| w.block().fresh());
            self.side_by_side(w, into, key, |w, from, row| self.contribution(w, s[from], row, is_text));
            return into;
        }
        std::array::from_fn(|j| {
            let entry = |w: &mut dyn Machine, row: usize| {
                let table = row % usize::from(self.form.copies);
                self.entry(w, table, s[self.source(j, row)], row, is_text)
            };
            let [a, b, c, d] = std::array::from_fn(|row| entry(w, row));
            let early = (!w.adds_keys_last()).then(|| key(w, j));
            // Where tables stand for several rows, what they give is turned together.
            let [ab, cd] = match self.form.copies {
                4 => [w.xor(a, b), w.xor(c, d)],
                2 => {
                    let (ab, cd) = (w.xor(a, b), w.xor(c, d));
                    [ab, w.turned(cd, 2)]
                }
                _ => {
                    let (c, d) = (w.turned(c, 2), w.turned(d, 2));
                    let (even, odd) = (w.xor(a, c), w.xor(b, d));
                    [even, w.turned(odd, 1)]
                }
            };
            let Some(key) = early else {
                let column = w.xor(ab, cd);
                let key = key(w, j);
                return w.xor(column, key);
            };
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
        if self.side_by_side {
            return self.side_by_side(w, into, key, |w, from, row| {
                let found = self.substituted(w, s[from], row, row, false);
                w.placed(found, row)
            });
        }
        for (j, &into) in into.iter().enumerate() {
            let found =
                std::array::from_fn(|row| self.substituted(w, s[self.source(j, row)], row, row, false));
            let column = w.gathered(found);
            let key = key(w, j);
            w.xor_to(into, column, key);
        }
    }

    /// The byte of a row of a word through the S-box of its direction, wanted at a row.
    pub fn substituted(
        &self,
        w: &mut dyn Machine,
        word: i32,
        row: usize,
        wanted: usize,
        is_text: bool,
    ) -> Found {
        if let Last::Spread(_) = self.last {
            let index = self.index(w, word, row, is_text);
            // The second half of a shared entry is for bytes of odd rows.
            let rows = self.form.spread_rows();
            let half = if self.form.shares() { 2 * (row % 2) } else { 0 };
            let of = |k: usize| rows[half + k];
            let k = (0..self.own.len()).find(|&k| of(k) == wanted).unwrap_or(0);
            let value = places::entry(w, Size::Word, self.own[k], index);
            return Found { value, low: w.low_bit(of(k)), alone: true };
        }
        if let (Last::Inner, Some(k)) = (self.last, INNER.into_iter().position(|inner| inner == wanted)) {
            let index = w.index(word, row, self.form.scale());
            return Found {
                value: places::entry(w, Size::Word, self.own[1 + k], index),
                low: w.low_bit(wanted),
                alone: true,
            };
        }
        if matches!(self.last, Last::Bytes | Last::Inner) || self.direction == Direction::Decrypt {
            let index = w.index(word, row, 0);
            return Found { value: places::entry(w, Size::Byte, self.own[0], index), low: 0, alone: true };
        }
        let tables = 0..usize::from(self.form.copies);
        // A table has the byte in its first row, and the one after it, which may be meant by the index, too.
        let first = tables.clone().find(|&from| plain_row(from, 0) == Some(0));
        if let (Last::Parts, Some(table)) = (self.last, first) {
            let index = self.index(w, word, row, is_text);
            let (size, low) =
                if self.form.padded { (Size::Half, self.form.scale()) } else { (Size::Byte, 0) };
            return Found { value: places::entry(w, size, self.base(table), index), low, alone: true };
        }
        // With four tables, one has the byte at the row where it is wanted.
        let from = tables.clone().find(|&from| plain_row(from, wanted) == Some(wanted)).unwrap_or(0);
        let value = self.entry(w, from, word, row, is_text);
        Found { value, low: w.low_bit(plain_row(from, wanted).unwrap_or(0)), alone: false }
    }
}
