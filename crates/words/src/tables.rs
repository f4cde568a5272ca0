//! Tables in memory, and their contents.

use aesmith_cipher::Direction;
use aesmith_cipher::block::{INV_MIX, INV_SBOX, MIX, SBOX, gf_mul};
use aesmith_isa::assemble::Item;

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// SubBytes and MixColumns, or their inverses, of a byte of row 0: 256 columns as they lie in memory. As many copies
    /// as said follow each other, each of a byte a row further on.
    Words(Direction, u8),
    /// The S-box or its inverse.
    Bytes(Direction),
}

impl Table {
    /// Its label.
    pub fn label(self) -> &'static str {
        match self {
            Table::Words(Direction::Encrypt, _) => ".Lwords",
            Table::Words(Direction::Decrypt, _) => ".Linverse_words",
            Table::Bytes(Direction::Encrypt) => ".Lsbox",
            Table::Bytes(Direction::Decrypt) => ".Linverse_sbox",
        }
    }

    /// Label and contents.
    pub fn items(self) -> Vec<Item> {
        vec![Item::Align(4), Item::Label(self.label().into()), Item::Bytes(self.bytes())]
    }

    /// Contents.
    pub fn bytes(self) -> Vec<u8> {
        let (direction, copies) = match self {
            Table::Bytes(Direction::Encrypt) => return SBOX.to_vec(),
            Table::Bytes(Direction::Decrypt) => return INV_SBOX.to_vec(),
            Table::Words(direction, copies) => (direction, copies),
        };
        let (sbox, mix) = match direction {
            Direction::Encrypt => (SBOX, MIX),
            Direction::Decrypt => (INV_SBOX, INV_MIX),
        };
        // Row r of the column that a byte of row `from` is multiplied into.
        let entry = |from: usize, x: usize| (0..4).map(move |r| gf_mul(mix[(4 + from - r) % 4], sbox[x]));
        (0..usize::from(copies)).flat_map(|from| (0..256).flat_map(move |x| entry(from, x))).collect()
    }
}

/// A row of a column at which a byte of row `from` stands alone, as SubBytes gives it: encryption multiplies by 1 in two
/// rows of four (FIPS-197, 5.1.3).
pub fn plain_row(from: usize, wanted: usize) -> Option<usize> {
    let is_plain = |row: usize| MIX[(4 + from - row) % 4] == 1;
    (0..4).map(|k| (wanted + k) % 4).find(|&row| is_plain(row))
}
