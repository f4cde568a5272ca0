//! Facts about counter tables ([`crate::lanes::tables`]) at a loop's head.
//!
//! A table number in the head's state stands for the table of the current iteration: if the head holds a table in a
//! place and its rests in registers, these are rests of the table that is there. An iteration that builds the table
//! anew keeps this, if the registers then hold rests of the new one. So every occurrence of the head's number is
//! compared as the number of the table in its place after the iteration. All other numbers stay unchanged.

use super::{Head, Induction};
use crate::lanes::memory::Place;
use crate::lanes::state::Path;
use crate::lanes::symbolic::Symbolic;
use crate::lanes::tables::KnownTable;

/// The number, after the iteration, for a number of the head, where `tables` are the head's table and the one in its
/// place.
pub(super) fn table_now(tables: Option<(u16, u16)>, number: u16) -> u16 {
    match tables {
        Some((old, new)) if old == number => new,
        _ => number,
    }
}

impl Induction {
    /// Proves at the head a table that the body proved when it read it: the head's memory may hold it already. True if
    /// it does.
    pub(super) fn proves_at_head(&mut self, symbolic: &mut Symbolic, head: &mut Head) -> bool {
        let (None, Some((base, offset, _))) = (head.path.table, symbolic.path.table) else { return false };
        std::mem::swap(&mut symbolic.path, &mut head.path);
        let proved = symbolic.prove_table(Place { base, stream: 0, offset });
        if let Ok(table) = proved {
            symbolic.path.table = Some((base, offset, table));
        }
        std::mem::swap(&mut symbolic.path, &mut head.path);
        proved.is_ok()
    }

    /// Forgets the blocks of tables that the iteration does not keep. True if there were any. A table is made once, and
    /// its blocks are further back with every iteration; blocks of constant bytes are kept, and those that an iteration
    /// makes anew.
    pub(super) fn weaken_tables(&mut self, symbolic: &mut Symbolic, head: &mut Path) -> bool {
        let before = head.known_tables.len();
        let known = std::mem::take(&mut head.known_tables);
        head.known_tables = known.into_iter().filter(|table| self.keeps(symbolic, table)).collect();
        head.known_tables.len() != before
    }

    fn keeps(&mut self, symbolic: &mut Symbolic, table: &KnownTable) -> bool {
        let number = table_now(self.table, table.number);
        let Some(new) = symbolic.path.known_tables.iter().find(|other| other.number == number) else {
            return false;
        };
        let new = new.block;
        self.later(symbolic, table.block).is_some_and(|old| self.are_same(symbolic, &old, &new))
    }
}
