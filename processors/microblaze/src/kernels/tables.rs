//! Tables in memory, and their contents.

use aesmith_cipher::Direction;
use aesmith_cipher::block::gf_mul;
use aesmith_isa::assemble::Item;
use aesmith_words::tables::{Form, Table as Shared};

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// SubBytes and MixColumns of a byte of row 0, in this number of copies, each rotated by one row more.
    Words(Direction, u8),
    /// The S-box or its inverse.
    Bytes(Direction),
    /// Round constants (FIPS-197, 5.2).
    Constants,
    /// Products of a byte in GF(2^8) with 2 or 3.
    Times(u8),
}

impl Table {
    /// Its label.
    pub fn label(self) -> &'static str {
        match self {
            Table::Words(direction, count) => Shared::Words(direction, Form::apart(count)).label(),
            Table::Bytes(direction) => Shared::Bytes(direction).label(),
            Table::Constants => ".Lconstants",
            Table::Times(2) => ".Ltimes2",
            Table::Times(_) => ".Ltimes3",
        }
    }

    /// Label and contents.
    pub fn items(self) -> Vec<Item> {
        vec![Item::Align(4), Item::Label(self.label().into()), Item::Bytes(self.bytes())]
    }

    fn bytes(self) -> Vec<u8> {
        match self {
            Table::Words(direction, count) => Shared::Words(direction, Form::apart(count)).bytes(),
            Table::Bytes(direction) => Shared::Bytes(direction).bytes(),
            Table::Times(by) => (0..=255).map(|x| gf_mul(by, x)).collect(),
            Table::Constants => std::iter::successors(Some(1u8), |&c| Some(gf_mul(2, c))).take(10).collect(),
        }
    }
}
