//! Tables in memory. A byte of a row is looked up in the entries of its row: an entry is the column that the
//! byte contributes, in memory order.
//!
//! Either there are four tables, one for each row, or a single table with overlapping entries: its 8-byte
//! entries contain the contribution of a byte of row 0 twice, so that those of other rows begin at other bytes
//! of it (Bernstein and Schwabe, INDOCRYPT 2008, section 2: unaligned entries).

use aesmith_cipher::Direction;
use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_isa::assemble::{Item, Section};
use aesmith_words::tables::{Form, Table};

use super::code::Entry;

/// The address of tables.
const TABLES: u64 = 0x20000;

/// The form of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tables {
    /// True for a single table with overlapping entries, false for four tables.
    pub overlapping: bool,
}

/// The content of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// SubBytes and MixColumns, or their inverses.
    Columns(Direction),
    /// SubBytes or its inverse: the byte in its row, zeros in the other rows.
    Bytes(Direction),
}

impl Contents {
    fn label(self) -> &'static str {
        match self {
            Contents::Columns(Direction::Encrypt) => ".Lcolumns",
            Contents::Columns(Direction::Decrypt) => ".Linverse_columns",
            Contents::Bytes(Direction::Encrypt) => ".Lbytes",
            Contents::Bytes(Direction::Decrypt) => ".Linverse_bytes",
        }
    }
}

impl Tables {
    /// The entries for bytes of a row.
    pub fn entry(self, of: Contents, row: usize) -> Entry {
        let row = row as i32;
        let (from, scale) = match (self.overlapping, of) {
            (false, _) => (1024 * row, 2),
            (true, Contents::Columns(_)) => ((4 - row) % 4, 3),
            (true, Contents::Bytes(_)) => (3 - row, 3),
        };
        Entry { label: of.label(), from, scale }
    }

    /// The place of the single byte of an entry: those of row 0 begin with it.
    pub fn byte(self, direction: Direction) -> Entry {
        self.entry(Contents::Bytes(direction), 0)
    }

    /// The alignment of each table, which ensures that sums of its address and an index do not carry, as the
    /// prover would not follow that.
    pub fn alignment(self) -> u16 {
        if self.overlapping { 2048 } else { 1024 }
    }

    fn bytes(self, of: Contents) -> Vec<u8> {
        match of {
            Contents::Columns(direction) => {
                let copies = if self.overlapping { 1 } else { 4 };
                let columns = Table::Words(direction, Form::apart(copies)).bytes();
                if !self.overlapping {
                    return columns;
                }
                columns.chunks(4).flat_map(|column| [column, column].concat()).collect()
            }
            Contents::Bytes(direction) => {
                let sbox = if direction == Direction::Encrypt { SBOX } else { INV_SBOX };
                let entry = |byte: u8, size: usize, at: usize| {
                    let mut entry = vec![0; size];
                    entry[at] = byte;
                    entry
                };
                if self.overlapping {
                    return sbox.iter().flat_map(|&byte| entry(byte, 8, 3)).collect();
                }
                (0..4).flat_map(|row| sbox.iter().flat_map(move |&byte| entry(byte, 4, row))).collect()
            }
        }
    }

    /// A section of tables.
    pub fn section(self, all: &[Contents]) -> Section {
        let items = all.iter().flat_map(|&of| [Item::Label(of.label().into()), Item::Bytes(self.bytes(of))]);
        let items = std::iter::once(Item::Align(64)).chain(items).collect();
        Section { name: ".rodata", address: TABLES, writable: false, items }
    }
}
