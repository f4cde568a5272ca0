//! A column of a round in each technique: the contribution of each byte of the state.

use aesmith_cipher::block::{INV_MIX, INV_SBOX, MIX, SBOX, gf_mul};
use aesmith_cipher::problem::Direction;
use aesmith_extension::order::Order;
use aesmith_isa::assemble::Item;

use super::custom::{Instructions, Operand};
use super::order;
use super::rounds::fixed;
use super::sliced;
use super::writer::Writer;

/// The source of the last round's bytes with four tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// An S-box of 256 bytes.
    Bytes,
    /// An S-box, and tables of words for the inner bytes.
    Words,
    /// The cipher's tables, which also contain the S-box.
    Tables,
}

/// The implementation of SubBytes and MixColumns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// Four tables of 256 words, one per row (Daemen and Rijmen), and a form of the last round.
    Four(Last),
    /// The tables of rows 0 and 1, and one rotation for the other two rows together.
    Two,
    /// One table and rotations.
    One,
    /// Only the S-box; MixColumns on four bytes at a time.
    Sbox,
    /// For key schedules: the S-box as a circuit of gates, in constant time.
    Circuit,
    /// Custom instructions: those of an extension, or of Zkne and Zknd.
    Custom(Instructions),
}

/// Values in registers that all rounds use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bases {
    /// The address of the tables; for two and four tables, of their middle.
    pub table: i32,
    /// 0x80808080.
    pub tops: i32,
    /// 0x1b1b1b1b.
    pub folds: i32,
}

impl Bases {
    /// Leaves the needed bases in their fixed registers.
    pub fn last(&self, w: &mut Writer, needs: Needs) {
        if needs.table {
            w.block.leave(self.table, Some(fixed::TABLE));
        }
        if needs.mix {
            w.block.leave(self.tops, Some(fixed::TOPS));
            w.block.leave(self.folds, Some(fixed::FOLDS));
        }
    }

    /// The bases in their fixed registers.
    pub fn fixed() -> Bases {
        let [table, tops, folds] = [fixed::TABLE, fixed::TOPS, fixed::FOLDS].map(i32::from);
        Bases { table, tops, folds }
    }
}

/// The bases that code needs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Tables.
    pub table: bool,
    /// The constants of MixColumns with shifts.
    pub mix: bool,
}

impl Needs {
    /// The union of both.
    pub fn or(self, other: Needs) -> Needs {
        Needs { table: self.table | other.table, mix: self.mix | other.mix }
    }
}

/// A technique in a direction.
#[derive(Clone, Copy, Debug)]
pub struct Lookup {
    /// The technique.
    pub technique: Technique,
    /// The direction: the cipher or its inverse.
    pub direction: Direction,
}

/// The label of a kernel's tables.
pub const TABLES: &str = "aesmith_tables";

impl Lookup {
    /// The bases that rounds need.
    pub fn needs(&self) -> Needs {
        match self.technique {
            Technique::Four(_) | Technique::Two | Technique::One => Needs { table: true, mix: false },
            Technique::Sbox => Needs { table: true, mix: true },
            Technique::Circuit => Needs { table: false, mix: true },
            Technique::Custom(instructions) => instructions.rounds_need(),
        }
    }

    /// The bases that a key schedule for a direction needs.
    pub(crate) fn schedule_needs(&self, direction: Direction) -> Needs {
        let (substitutes, inverts) = match self.technique {
            Technique::Custom(instructions) => (instructions.substitutes(), instructions.inverts()),
            Technique::Circuit => (true, false),
            _ => (false, false),
        };
        Needs { table: !substitutes, mix: direction == Direction::Decrypt && !inverts }
    }

    /// Computes `bases` at the start.
    pub fn bases(&self, w: &mut Writer, needs: Needs) -> Bases {
        let mut bases = Bases::default();
        if needs.table {
            let middle = match self.technique {
                Technique::Four(_) => 2048,
                Technique::Two => 1024,
                _ => 0,
            };
            bases.table = w.address(TABLES, middle);
        }
        if needs.mix {
            bases.tops = w.constant(0x8080_8080);
            bases.folds = w.constant(0x1b1b_1b1b);
        }
        bases
    }

    /// The order of the state and round keys in rounds.
    pub fn order(&self) -> Order {
        match self.technique {
            Technique::Custom(instructions) => instructions.order,
            _ => Order::default(),
        }
    }

    /// Converts the text's columns to the order of rounds.
    pub fn enter(&self, w: &mut Writer, columns: [i32; 4]) -> [i32; 4] {
        order::entered(w, self.order(), columns)
    }

    /// Converts the state after the last round to columns.
    pub fn leave(&self, w: &mut Writer, state: [i32; 4]) -> [i32; 4] {
        order::left(w, self.order(), state)
    }

    /// The offset of a word of a round key, in bytes.
    pub(crate) fn key_place(&self, word: usize) -> i32 {
        4 * self.order().in_memory(word) as i32
    }

    /// The word of the state whose byte `row` moves to a column.
    pub fn from(&self, column: usize, row: usize) -> usize {
        match self.direction {
            Direction::Encrypt => (column + row) % 4,
            Direction::Decrypt => (column + 4 - row) % 4,
        }
    }

    /// Byte `row` of a word, substituted and mixed, added to a column. Not for [`Technique::Sbox`], which mixes
    /// whole columns, nor for instructions that do so ([`Instructions::share`]).
    pub fn add(&self, w: &mut Writer, bases: &Bases, column: i32, word: i32, row: usize) -> i32 {
        let part = match self.technique {
            Technique::Four(_) => {
                let at = scaled(w, bases.table, word, row);
                w.load("lw", at, 1024 * row as i32 - 2048, None)
            }
            Technique::Two => {
                let part = self.half(w, bases, word, row);
                if row < 2 { part } else { w.rotated(part, 16) }
            }
            Technique::One | Technique::Sbox | Technique::Circuit => {
                let at = scaled(w, bases.table, word, row);
                let part = w.load("lw", at, 0, None);
                if row == 0 { part } else { w.rotated(part, 32 - 8 * row as i32) }
            }
            Technique::Custom(instructions) => {
                return instructions.add(w, column, word, row).unwrap_or(column);
            }
        };
        w.xor(column, part)
    }

    /// An entry of two tables for byte `row` of a word: its contribution to a column, rotated by half a word
    /// for rows 2 and 3.
    fn half(&self, w: &mut Writer, bases: &Bases, word: i32, row: usize) -> i32 {
        let at = scaled(w, bases.table, word, row);
        w.load("lw", at, 1024 * (row as i32 % 2) - 1024, None)
    }

    /// The address and offset of the S-box.
    fn sbox(&self, w: &mut Writer, bases: &Bases) -> (i32, i32) {
        match self.technique {
            // This is just out of the range of an offset.
            Technique::Four(Last::Tables) => (bases.table, 1 - 2048),
            Technique::Four(_) => (w.with("addi", bases.table, 2047), 1),
            Technique::One | Technique::Two => (bases.table, 1024),
            Technique::Sbox | Technique::Circuit | Technique::Custom(_) => (bases.table, 0),
        }
    }

    /// The S-box values of bytes of words, from lowest to highest, added to a word if one is given.
    fn substituted(
        &self,
        w: &mut Writer,
        sbox: (i32, i32),
        to: Option<i32>,
        bytes: [(i32, usize); 4],
    ) -> i32 {
        let mut to = to;
        for (row, &(word, byte)) in bytes.iter().enumerate() {
            let words = self.technique == Technique::Four(Last::Words) && byte == row;
            if words && (row == 1 || row == 2) {
                let at = scaled(w, sbox.0, word, byte);
                let part = w.load("lw", at, sbox.1 + 256 + 1024 * (row as i32 - 1), None);
                to = Some(to.map_or(part, |to| w.xor(to, part)));
                continue;
            }
            let part = if self.technique == Technique::Four(Last::Tables) {
                let at = scaled(w, sbox.0, word, byte);
                w.load("lbu", at, sbox.1, None)
            } else {
                looked(w, sbox, word, byte)
            };
            let part = if row == 0 { part } else { w.shift("slli", part, 8 * row as i32) };
            to = Some(to.map_or(part, |to| w.xor(to, part)));
        }
        to.unwrap_or(0)
    }

    /// A column of the last round.
    pub fn last(
        &self,
        w: &mut Writer,
        bases: &Bases,
        state: [i32; 4],
        keys: &mut dyn FnMut(&mut Writer, usize) -> Operand,
    ) -> [i32; 4] {
        if let Technique::Custom(instructions) = self.technique {
            return instructions.round(w, bases, true, state, keys);
        }
        let sbox = self.sbox(w, bases);
        std::array::from_fn(|column| {
            let key = keys(w, column).word;
            let bytes = std::array::from_fn(|row| (state[self.from(column, row)], row));
            self.substituted(w, sbox, Some(key), bytes)
        })
    }

    /// A round; `keys` provides the words of the round key on demand.
    pub fn round(
        &self,
        w: &mut Writer,
        bases: &Bases,
        state: [i32; 4],
        keys: &mut dyn FnMut(&mut Writer, usize) -> Operand,
    ) -> [i32; 4] {
        if let Technique::Custom(instructions) = self.technique {
            return instructions.round(w, bases, false, state, keys);
        }
        std::array::from_fn(|column| {
            if self.technique == Technique::Sbox {
                let bytes = std::array::from_fn(|row| (state[self.from(column, row)], row));
                let word = self.substituted(w, (bases.table, 0), None, bytes);
                let mixed = mixed(w, bases, word, self.direction);
                let key = keys(w, column).word;
                return w.xor(mixed, key);
            }
            let key = keys(w, column).word;
            if self.technique == Technique::Two {
                let part = |w: &mut Writer, row| self.half(w, bases, state[self.from(column, row)], row);
                let [a, b, c, d] = std::array::from_fn(|row| part(w, row));
                let (near, far) = (w.xor(a, b), w.xor(c, d));
                let (up, down) = (w.shift("slli", far, 16), w.shift("srli", far, 16));
                return [near, up, down].into_iter().fold(key, |sum, part| w.xor(sum, part));
            }
            (0..4).fold(key, |sum, row| self.add(w, bases, sum, state[self.from(column, row)], row))
        })
    }

    /// SubWord (FIPS-197, 5.2) of a word, or of its RotWord if `turned`, added to another word.
    pub fn sub_word(&self, w: &mut Writer, bases: &Bases, to: Operand, word: i32, turned: bool) -> i32 {
        if let Technique::Custom(instructions) = self.technique
            && instructions.substitutes()
        {
            return instructions.sub_word(w, to, word, turned);
        }
        if self.technique == Technique::Circuit {
            let word = sliced::sub_word(w, word);
            let word = if turned { w.rotated(word, 8) } else { word };
            return w.xor(to.word, word);
        }
        let sbox = self.sbox(w, bases);
        let bytes = std::array::from_fn(|row| (word, (row + usize::from(turned)) % 4));
        self.substituted(w, sbox, Some(to.word), bytes)
    }

    /// InvMixColumns of a word of a round key.
    pub fn inverted(&self, w: &mut Writer, bases: &Bases, word: i32) -> i32 {
        let by_instructions = match self.technique {
            Technique::Custom(instructions) => instructions.inverse_mix(w, bases, word),
            _ => None,
        };
        by_instructions.unwrap_or_else(|| mixed(w, bases, word, Direction::Decrypt))
    }

    /// The tables' contents.
    pub fn tables(&self) -> Vec<Item> {
        let (sbox, matrix) = match self.direction {
            Direction::Encrypt => (SBOX, MIX),
            Direction::Decrypt => (INV_SBOX, INV_MIX),
        };
        // The column that results from a byte of row 0.
        let column = |x: u8| {
            let s = sbox[usize::from(x)];
            u32::from_le_bytes(std::array::from_fn(|row| gf_mul(s, matrix[(4 - row) % 4])))
        };
        let rotated = |by: u32| (0..=255).flat_map(|x| column(x).rotate_left(by).to_le_bytes()).collect();
        let shifted =
            |by: u32| sbox.iter().flat_map(|&s| (u32::from(s) << by).to_le_bytes()).collect::<Vec<u8>>();
        let mut parts: Vec<Vec<u8>> = match self.technique {
            Technique::Four(_) => (0..4).map(|row| rotated(8 * row)).collect(),
            Technique::Two => (0..2).map(|row| rotated(8 * row)).collect(),
            Technique::One => vec![rotated(0)],
            Technique::Sbox => Vec::new(),
            Technique::Custom(instructions) if instructions.rounds_need().table => Vec::new(),
            // With instructions, the S-box of a key schedule may be a table of its own.
            Technique::Circuit | Technique::Custom(_) => return Vec::new(),
        };
        if self.technique != Technique::Four(Last::Tables) {
            parts.push(sbox.to_vec());
        }
        if self.technique == Technique::Four(Last::Words) {
            parts.extend([shifted(8), shifted(16)]);
        }
        parts.into_iter().map(Item::Bytes).collect()
    }
}

/// A byte of a word, looked up in a table of bytes with this address and offset.
pub fn looked(w: &mut Writer, table: (i32, i32), word: i32, byte: usize) -> i32 {
    let index = match byte {
        3 => w.shift("srli", word, 24),
        0 => w.with("andi", word, 255),
        _ => {
            let down = w.shift("srli", word, 8 * byte as i32);
            w.with("andi", down, 255)
        }
    };
    let at = w.two("add", index, table.0);
    w.load("lbu", at, table.1, None)
}

/// The address of the word of a table at `table` for a byte of a word.
fn scaled(w: &mut Writer, table: i32, word: i32, byte: usize) -> i32 {
    let shifted = match byte {
        0 => w.shift("slli", word, 2),
        _ => w.shift("srli", word, 8 * byte as i32 - 2),
    };
    let index = w.with("andi", shifted, 0x3fc);
    w.two("add", index, table)
}

/// Four bytes times x (FIPS-197, 4.2.1).
fn doubled(w: &mut Writer, bases: &Bases, word: i32) -> i32 {
    let tops = w.two("and", word, bases.tops);
    let rest = w.xor(word, tops);
    let up = w.shift("slli", rest, 1);
    // 0x7f in bytes whose top bit was set.
    let down = w.shift("srli", tops, 7);
    let mask = w.two("sub", tops, down);
    let fold = w.two("and", mask, bases.folds);
    w.xor(up, fold)
}

/// MixColumns of a column, or its inverse.
pub fn mixed(w: &mut Writer, bases: &Bases, word: i32, direction: Direction) -> i32 {
    let mut word = word;
    if direction == Direction::Decrypt {
        // The inverse matrix is that of MixColumns times circ(5, 0, 4, 0) (Barreto).
        let turned = w.rotated(word, 16);
        let sum = w.xor(word, turned);
        let twice = doubled(w, bases, sum);
        let four = doubled(w, bases, twice);
        word = w.xor(word, four);
    }
    let turned = w.rotated(word, 8);
    let pair = w.xor(word, turned);
    let twice = doubled(w, bases, pair);
    let others = w.rotated(pair, 16);
    let sum = w.xor(twice, turned);
    w.xor(sum, others)
}
