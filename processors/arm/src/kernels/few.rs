//! All rounds of a block in eight registers, so that fewer are saved: two columns of a round are computed one
//! after the other, then the other two together, as the last bytes of a word are looked up in its own register.
//! Round key words are loaded one by one when a column is done, which costs no more than four at once on
//! processors with single-cycle loads. The next byte's extraction and look-up come between a look-up and its
//! use, so that there are no stalls.

use aesmith_arrange::Variant;
use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::Section;
use aesmith_order::inorder::{Arranged, Block, Constraints, Search, arrange};

use super::block::tables;
use super::plan::{KEY, LR, OUT, PC, SAVED, SP, TABLE, section};
use super::rounds::{Last, Tail, extract, load, load_byte, turn};
use super::writer::Code;
use crate::cycles::ARM9TDMI;
use crate::table::isa;

/// The address of the text.
const IN: u8 = 1;
/// Registers for columns and look-ups; the text's address is dead first.
const FREE: [u8; 8] = [IN, 3, 4, 5, 6, 7, 8, 9];

/// Memory region of the text and the result, which may overlap.
const TEXT: u16 = 1;

/// The partial sum of a column: a register, and the right rotation by which it yields the sum.
type Sum = Option<(i32, i32)>;

/// A loaded value that is not added yet.
enum Pending {
    /// An entry of the table, with its rotation.
    Entry(i32, i32),
    /// A byte of the last round, and its position.
    Byte(i32, i32),
    /// A word of a round key.
    Word(i32),
}

#[derive(Default)]
struct Line {
    code: Code,
    /// Provides virtual registers.
    block: Block,
    /// Indices of the instructions that access text.
    text: Vec<usize>,
    sums: [Sum; 4],
    pending: Option<(usize, Pending)>,
}

/// The word whose byte `row` moves to a column.
fn source(direction: Direction, column: usize, row: usize) -> usize {
    match direction {
        Direction::Encrypt => (column + row) % 4,
        Direction::Decrypt => (column + 4 - row) % 4,
    }
}

impl Line {
    /// Adds the pending value.
    fn add(&mut self) {
        let Some((column, pending)) = self.pending.take() else { return };
        let to = self.block.fresh();
        let sum = self.sums[column];
        self.sums[column] = Some(match (pending, sum) {
            (Pending::Entry(v, by), None) => (v, by),
            (Pending::Byte(v, _) | Pending::Word(v), None) => (v, 0),
            (Pending::Entry(v, by), Some((sum, due))) => {
                self.code.op_sh("eor", to, sum, v, "ror", (32 + by - due) % 32);
                (to, due)
            }
            (Pending::Byte(v, by), Some((sum, _))) => {
                self.code.op_sh("eor", to, sum, v, "lsl", by);
                (to, 0)
            }
            (Pending::Word(v), Some((sum, due))) => {
                self.code.op_sh("eor", to, v, sum, "ror", due);
                (to, 0)
            }
        });
    }

    fn loaded(&mut self, column: usize, pending: Pending) {
        self.add();
        self.pending = Some((column, pending));
    }

    /// Word `column` of round key `round`.
    fn key(&mut self, round: usize, column: usize) {
        let word = self.block.fresh();
        self.code.memory("ldr", word, KEY, 16 * round as i32 + 4 * column as i32);
        self.loaded(column, Pending::Word(word));
    }

    /// The contribution of byte `row` of a word to a column in a round with MixColumns.
    fn entry(&mut self, direction: Direction, word: i32, row: usize, column: usize) {
        let (index, entry) = (self.block.fresh(), self.block.fresh());
        extract(&mut self.code, index, word, row);
        load(&mut self.code, entry, index, row);
        self.loaded(column, Pending::Entry(entry, turn(direction, row)));
    }

    /// The contribution of byte `row` of a word to a column in the last round.
    fn byte(&mut self, word: i32, row: usize, column: usize, last: Last) {
        let mut index = word;
        if row < 3 || last == Last::Table {
            index = self.block.fresh();
            extract(&mut self.code, index, word, row);
        }
        let byte = self.block.fresh();
        load_byte(&mut self.code, byte, index, row, last);
        self.loaded(column, Pending::Byte(byte, 8 * row as i32));
    }

    fn state(&mut self) -> [i32; 4] {
        self.add();
        std::mem::take(&mut self.sums).map(|sum| sum.map_or(0, |(v, _)| v))
    }

    fn mixed(&mut self, direction: Direction, round: usize, state: [i32; 4]) -> [i32; 4] {
        for column in [0, 1] {
            for row in 0..4 {
                self.entry(direction, state[source(direction, column, row)], row, column);
            }
            self.key(round, column);
        }
        for (word, register) in state.into_iter().enumerate() {
            for column in [2, 3] {
                let row = (0..4).find(|&row| source(direction, column, row) == word).unwrap_or(0);
                self.entry(direction, register, row, column);
            }
        }
        self.key(round, 2);
        self.key(round, 3);
        self.state()
    }

    /// The last round; each column is stored when it is done.
    fn last(&mut self, direction: Direction, round: usize, state: [i32; 4], last: Last) {
        for column in 0..4 {
            self.key(round, column);
            if column < 3 {
                self.stored(column);
            }
            for row in 0..4 {
                self.byte(state[source(direction, column, row)], row, column, last);
            }
        }
        // Fills the latency of the last byte.
        self.stored(3);
        self.add();
        self.stored(4);
    }

    /// Stores the column before this one.
    fn stored(&mut self, column: usize) {
        if let Some((sum, _)) = column.checked_sub(1).and_then(|before| self.sums[before]) {
            self.text.push(self.code.items.len());
            self.code.memory("str", sum, OUT, 4 * (column as i32 - 1));
        }
    }

    /// The text plus the first round key.
    fn whitened(&mut self) -> [i32; 4] {
        let text = self.block.enter(IN);
        for column in 0..4 {
            let word = self.block.fresh();
            self.text.push(self.code.items.len());
            self.code.memory("ldr", word, text, 4 * column as i32);
            self.loaded(column, Pending::Word(word));
            self.key(0, column);
        }
        self.state()
    }

    fn arranged(mut self) -> Result<Arranged, String> {
        for (at, item) in self.code.items.into_iter().enumerate() {
            self.block.item(item, self.text.contains(&at).then_some(TEXT));
        }
        let constraints = Constraints { free: &FREE, unmarked_is_constant: true, ..Constraints::default() };
        arrange(isa(), &self.block, &constraints, &ARM9TDMI, Search::default())
    }
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn function(variant: &Variant, symbol: &str, direction: Direction) -> Result<Section, String> {
    let (tables, tail) = tables(variant, direction, TABLE);
    let rounds = variant.problem.key.rounds();
    let mut line = Line::default();
    let mut state = line.whitened();
    for round in 1..rounds {
        state = line.mixed(direction, round, state);
    }
    let last = match tail {
        Tail::Table => Last::Table,
        Tail::Below => Last::Below,
        Tail::Ready(base) => Last::Substitution(base),
        Tail::Substitution { offset, base } => {
            line.code.op_i("add", base, TABLE, offset);
            Last::Substitution(base)
        }
    };
    line.last(direction, rounds, state, last);
    let arranged = line.arranged()?;
    let saved: Vec<i32> = SAVED.into_iter().filter(|&r| arranged.used.contains(&(r as u8))).collect();
    let mut before = Code::default();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code { items: arranged.items };
    code.several("ldmia_pre", SP, &saved);
    code.mov(PC, LR);
    Ok(section(symbol, tables, before, code))
}
