//! Rounds of the cipher and of the equivalent inverse cipher (FIPS-197, 5.1 and 5.3.5) by look-ups, on a state of four
//! columns.

use std::cell::Cell;

use aesmith_cipher::Direction;

use crate::machine::{LookedUp, Machine, Size};
use crate::places::{self, Addresses, Place};
use crate::tables::{Form, INNER, Table, plain_row};

/// The kind of look-ups in the last round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// The tables of words, read as words of which one byte is used.
    Words,
    /// The tables of words, read as the single byte, or as the 16 bits of its padded form.
    Parts,
    /// The S-box, 256 bytes; bytes are shifted into place. Decryption has only this and the forms with a table of one
    /// byte per word.
    Bytes,
    /// The form [`Last::Bytes`], with tables of one byte per word for the two bytes in the middle of a word
    /// ([`Table::Inner`]), which would otherwise be masked and shifted.
    Inner,
    /// A table of words that hold one S-box byte ([`Table::Spread`]), placed for this number of rows by as many base
    /// addresses. Decryption with padded words has no other form.
    Spread(u8),
}

/// The choices of the rounds, and the places of their tables.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// The direction.
    pub direction: Direction,
    /// The format of the tables of words. From the first round on, the state has the form of their entries.
    pub form: Form,
    /// The look-ups of the last round.
    pub last: Last,
    /// True if columns are summed up side by side, one word of the state after another, so that few values are live;
    /// otherwise one column after another.
    pub side_by_side: bool,
    /// True if `Rounds::last_contribution` is used.
    pub by_index: bool,
    /// The places of the tables of words; with pointers, only that of the last one, if it is looked up by an index.
    pub bases: Vec<Place>,
    /// Registers that hold the address of the first table: an index is inserted into one of them, and the load's offset
    /// selects the table. Without pointers, an index is added to its table's address.
    pub pointers: Vec<i32>,
    /// The pointer to use next.
    turn: Cell<usize>,
    /// The places of the last round's own tables.
    own: Vec<Place>,
}

impl Rounds {
    /// The rounds of a direction, without addresses.
    pub fn new(direction: Direction, form: Form, last: Last) -> Rounds {
        let (bases, pointers, own) = (Vec::new(), Vec::new(), Vec::new());
        let (side_by_side, by_index, turn) = (false, false, Cell::new(0));
        Rounds { direction, form, last, side_by_side, by_index, bases, pointers, turn, own }
    }

    /// The last round's own tables, and the offsets in them that need an address, in bytes.
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

    /// All tables, in memory order.
    pub fn tables(&self) -> Vec<Table> {
        let words = Table::Words(self.direction, self.form);
        std::iter::once(words).chain(self.own_tables().0).collect()
    }

    /// The offsets of the tables that need an address from the first table, in bytes: those of words, then the last
    /// round's own.
    fn begins(&self, pointers: usize) -> Vec<i32> {
        let words = Table::Words(self.direction, self.form).bytes().len() as i32;
        let own = self.own_tables().1.into_iter().map(|at| words + at);
        self.indexed(pointers).map(|k| self.form.begin(k)).chain(own).collect()
    }

    /// The number of registers for the addresses of its tables, with this number of pointers and this reach of loads.
    pub fn addresses(&self, pointers: u8, reach: i32) -> usize {
        usize::from(pointers) + Addresses::of(&self.begins(pointers.into()), reach).all.len()
    }

    /// The tables of words that need an address of their own.
    fn indexed(&self, pointers: usize) -> impl Iterator<Item = u8> + Clone + use<> {
        let all = self.form.addressed();
        let skipped = match (pointers, self.by_index) {
            (0, _) => 0,
            (_, true) => all.len() - 1,
            (_, false) => all.len(),
        };
        all.skip(skipped)
    }

    /// Writes the addresses of its tables into registers, the first `pointers` of which are pointers. Tables are
    /// consecutive: each address after the first is computed from the one before it.
    pub(crate) fn put_addresses(&mut self, w: &mut dyn Machine, registers: &[i32], pointers: u8, reach: i32) {
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

    /// The index of a byte of a word, which is in the form of the text or of the state.
    fn index(&self, w: &mut dyn Machine, word: i32, row: usize, is_text: bool) -> i32 {
        let (scale, odd) = (self.form.scale(), self.form.odd(row));
        if self.form.padded && !is_text {
            return w.padded_index(word, row, 0xff << scale | odd);
        }
        let index = w.index(word, row, scale);
        if odd > 0 { w.sum(index, odd) } else { index }
    }

    /// The place of a table; tables of a pair may share one.
    fn base(&self, table: usize) -> Place {
        self.bases[if self.form.shares() { table / 2 } else { table }]
    }

    /// Loads the entry of a table of words for a byte of a word.
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

    /// Writes only the address of the S-box for [`Last::Bytes`].
    pub(crate) fn put_sbox(&mut self, w: &mut dyn Machine) {
        self.own = places::put(w, Table::Bytes(self.direction).label(), &[0], 0);
    }

    /// The column whose byte of row `row` ShiftRows moves to column `j`.
    pub fn source(&self, j: usize, row: usize) -> usize {
        match self.direction {
            Direction::Encrypt => (j + row) % 4,
            Direction::Decrypt => (j + 4 - row) % 4,
        }
    }

    /// The row in which ShiftRows moves a byte of column `from` to column `j`: the inverse of [`Rounds::source`].
    pub(crate) fn row_from(&self, from: usize, j: usize) -> usize {
        (0..4).find(|&row| self.source(j, row) == from).expect("every column goes to every other")
    }

    /// Looks up in the table that serves a row, and rotates the entry for that row.
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

    /// The contribution of a byte of a word of the state to its column; with `is_text`, of the text before the first
    /// round.
    pub fn contribution(&self, w: &mut dyn Machine, word: i32, row: usize, is_text: bool) -> i32 {
        self.turned(w, row, |w, table| self.entry(w, table, word, row, is_text))
    }

    /// The contribution of a byte of the last row, given its index into the table.
    pub(crate) fn last_contribution(&self, w: &mut dyn Machine, index: i32) -> i32 {
        let base = *self.bases.last().expect("tables have addresses");
        self.turned(w, 3, |w, _| places::entry(w, self.form.size(), base, index))
    }

    /// Sums up columns side by side, into registers: the contributions of each word of the state, by row, and the keys.
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
                // In the middle of the round, some words of the state are dead and the sums are not needed yet.
                if from == 1 {
                    let key = key(w, j);
                    *column = w.xor(*column, key);
                }
            }
        }
    }

    /// A round but the last; `key` returns the words of its key.
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
            // If a table serves several rows, its entries are summed before they are rotated.
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

    /// The byte of a row of a word through the S-box of this direction, preferably at row `wanted`.
    pub fn substituted(
        &self,
        w: &mut dyn Machine,
        word: i32,
        row: usize,
        wanted: usize,
        is_text: bool,
    ) -> LookedUp {
        if let Last::Spread(_) = self.last {
            let index = self.index(w, word, row, is_text);
            // The second half of a shared entry is for bytes of odd rows.
            let rows = self.form.spread_rows();
            let half = if self.form.shares() { 2 * (row % 2) } else { 0 };
            let of = |k: usize| rows[half + k];
            let k = (0..self.own.len()).find(|&k| of(k) == wanted).unwrap_or(0);
            let value = places::entry(w, Size::Word, self.own[k], index);
            return LookedUp { value, low: w.low_bit(of(k)), alone: true };
        }
        if let (Last::Inner, Some(k)) = (self.last, INNER.into_iter().position(|inner| inner == wanted)) {
            let index = w.index(word, row, self.form.scale());
            return LookedUp {
                value: places::entry(w, Size::Word, self.own[1 + k], index),
                low: w.low_bit(wanted),
                alone: true,
            };
        }
        if matches!(self.last, Last::Bytes | Last::Inner) || self.direction == Direction::Decrypt {
            let index = w.index(word, row, 0);
            return LookedUp { value: places::entry(w, Size::Byte, self.own[0], index), low: 0, alone: true };
        }
        let tables = 0..usize::from(self.form.copies);
        // One table has the byte in its first row, and the next table, which the index may select instead, as well.
        let first = tables.clone().find(|&from| plain_row(from, 0) == Some(0));
        if let (Last::Parts, Some(table)) = (self.last, first) {
            let index = self.index(w, word, row, is_text);
            let (size, low) =
                if self.form.padded { (Size::Half, self.form.scale()) } else { (Size::Byte, 0) };
            return LookedUp { value: places::entry(w, size, self.base(table), index), low, alone: true };
        }
        // With four tables, one has the byte at the wanted row.
        let from = tables.clone().find(|&from| plain_row(from, wanted) == Some(wanted)).unwrap_or(0);
        let value = self.entry(w, from, word, row, is_text);
        LookedUp { value, low: w.low_bit(plain_row(from, wanted).unwrap_or(0)), alone: false }
    }
}
