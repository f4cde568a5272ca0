//! Rounds with look-ups, in seven registers: the address of the round keys, and six for the state.
//!
//! Two of the state's four words are in registers whose two low bytes are accessible, and two in the frame. The
//! first word's bytes are looked up into four registers, the last of them its own; the contributions of the
//! other words are added to these directly from the table. So no value is moved from one register to another.

use aesmith_cipher::Direction;

use super::code::{Code, Memory};
use super::tables::{Contents, Tables};
use crate::table::{EAX, EBP, EBX, ECX, EDI, EDX, ESI};

/// The register with the address of the round keys.
pub const KEYS: i32 = EBP;
/// The register that holds no word of the state between rounds.
pub const FREE: i32 = EDI;
/// Registers of the state; those with accessible bytes come first.
const REGISTERS: [i32; 6] = [EAX, ECX, EDX, EBX, ESI, EDI];
/// Words of the frame that hold two words of the state.
pub(crate) const PARKED: [i32; 2] = [0, 1];

/// The place of a word of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A register with accessible bytes.
    Register(i32),
    /// A word of the frame.
    Own(i32),
}

/// The implementation of rounds.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Encryption or decryption.
    pub direction: Direction,
    /// The tables.
    pub tables: Tables,
    /// True to load the bytes of words in the frame individually, false to load the words first.
    pub from_memory: bool,
}

/// The columns that words contribute to.
#[derive(Clone, Copy)]
struct Sums {
    /// A register for each column.
    columns: [i32; 4],
    /// The tables.
    of: Contents,
    /// True for contributions that are wanted, by word and row.
    wanted: fn(usize, usize) -> bool,
}

/// The two uses of a table: load into a register, or add to one.
const LOOK_UP: &str = "mov_r";
const ADD: &str = "xor_r";

/// True for all bytes of a word.
fn all(_: usize, _: usize) -> bool {
    true
}

impl Rounds {
    /// The column to which ShiftRows moves a byte of a word.
    pub fn column(&self, word: usize, row: usize) -> usize {
        match self.direction {
            Direction::Encrypt => (word + 4 - row) % 4,
            Direction::Decrypt => (word + row) % 4,
        }
    }

    /// Tables that rounds read.
    pub fn contents(&self) -> [Contents; 2] {
        [Contents::Columns(self.direction), Contents::Bytes(self.direction)]
    }

    fn look(&self, code: &mut Code, how: &str, into: i32, of: Contents, row: usize, index: i32) {
        code.memory(how, Memory::Entry(self.tables.entry(of, row), index), &[("r", into)]);
    }

    /// The contribution of a byte of the last row, by its value in a register.
    pub(crate) fn last_row(&self, code: &mut Code, register: i32) {
        self.look(code, LOOK_UP, register, self.contents()[0], 3, register);
    }

    /// Loads the contributions of a word in a register into these four registers by row; the last one may be
    /// the word's own.
    pub fn begin(&self, code: &mut Code, word: i32, into: [i32; 4], of: Contents) {
        for (row, into) in into.into_iter().enumerate() {
            if row == 2 {
                code.shift(word, 16);
            }
            code.byte(into, word, row);
            self.look(code, LOOK_UP, into, of, row, into);
        }
    }

    /// A round on a state, into four registers, one per column; the round key is `key` bytes after the first.
    pub fn round(&self, code: &mut Code, state: [Place; 4], key: i32, of: Contents) -> [i32; 4] {
        self.round_of(code, state, key, of, all)
    }

    /// Like [`Rounds::round`], with only the wanted contributions, by word and row; all bytes of the first word
    /// in a register must be wanted.
    pub fn round_of(
        &self,
        code: &mut Code,
        state: [Place; 4],
        key: i32,
        of: Contents,
        wanted: fn(usize, usize) -> bool,
    ) -> [i32; 4] {
        let mut whole = Vec::new();
        let mut parked = Vec::new();
        for (word, place) in state.into_iter().enumerate() {
            match place {
                Place::Register(register) => whole.push((word, register)),
                Place::Own(at) => parked.push((word, at)),
            }
        }
        let [(first, x), (second, y)] = whole[..] else { unreachable!("two words are in registers") };
        let free: Vec<i32> = REGISTERS.into_iter().filter(|&r| r != x && r != y).collect();
        let into = [free[0], free[1], free[2], x];
        self.begin(code, x, into, of);
        let mut columns = [0; 4];
        for (row, register) in into.into_iter().enumerate() {
            columns[self.column(first, row)] = register;
        }
        for (column, register) in columns.into_iter().enumerate() {
            code.xor(register, Memory::At(KEYS, key + 4 * column as i32));
        }
        let index = free[3];
        let sums = Sums { columns, of, wanted };
        self.add(code, second, y, index, &sums);
        for (word, at) in parked {
            if self.from_memory {
                for row in (0..4).filter(|&row| wanted(word, row)) {
                    // Alternates two registers, so that one look-up waits less for the other.
                    let index = if row % 2 == 0 { index } else { y };
                    code.load_byte(index, Memory::OwnByte(at, row as i32));
                    self.look(code, ADD, columns[self.column(word, row)], of, row, index);
                }
            } else if (0..4).any(|row| wanted(word, row)) {
                code.load(y, Memory::Own(at));
                self.add(code, word, y, index, &sums);
            }
        }
        columns
    }

    /// Adds the contributions of a word in a register, which is free afterwards.
    fn add(&self, code: &mut Code, word: usize, register: i32, index: i32, sums: &Sums) {
        for row in 0..4 {
            if row == 2 && (2..4).any(|row| (sums.wanted)(word, row)) {
                code.shift(register, 16);
            }
            if (sums.wanted)(word, row) {
                let index = if row == 3 { register } else { index };
                code.byte(index, register, row);
                self.look(code, ADD, sums.columns[self.column(word, row)], sums.of, row, index);
            }
        }
    }

    /// Converts columns in registers to a state: two of them go to the frame, first the one whose bytes are not
    /// accessible.
    pub(crate) fn parked(&self, code: &mut Code, columns: [i32; 4]) -> [Place; 4] {
        let mut order: Vec<usize> = (0..4).collect();
        order.sort_by_key(|&column| std::cmp::Reverse(columns[column]));
        let mut places = columns.map(Place::Register);
        for (at, &column) in PARKED.into_iter().zip(&order) {
            code.store(columns[column], Memory::Own(at));
            places[column] = Place::Own(at);
        }
        places
    }

    /// A state of words that are loaded and modified one after another: `word` writes one into a register.
    pub fn entered(&self, code: &mut Code, mut word: impl FnMut(&mut Code, i32, usize)) -> [Place; 4] {
        std::array::from_fn(|column| {
            let register = [EAX, ECX, EDX, EDX][column];
            word(code, register, column);
            code.xor(register, Memory::At(KEYS, 4 * column as i32));
            match column.checked_sub(2) {
                None => Place::Register(register),
                Some(at) => {
                    code.store(register, Memory::Own(PARKED[at]));
                    Place::Own(PARKED[at])
                }
            }
        })
    }

    /// All rounds from number `first` on, including the last, from the state before them; returns its columns.
    pub fn rest(&self, code: &mut Code, first: usize, last: usize, mut state: [Place; 4]) -> [i32; 4] {
        let [columns, bytes] = self.contents();
        for round in first..last {
            let done = self.round(code, state, 16 * round as i32, columns);
            state = self.parked(code, done);
        }
        self.round(code, state, 16 * last as i32, bytes)
    }
}
