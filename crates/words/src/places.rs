//! Where tables are, as loads reach them: addresses in registers, and distances from these.

use crate::machine::{Machine, Size};

/// A table: so many bytes from the address in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The register.
    pub register: i32,
    /// The distance.
    pub offset: i32,
}

/// Addresses for tables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Addresses {
    /// Each of them, in bytes from the first table's begin.
    pub all: Vec<i32>,
    /// Of each table, by which address it is reached, and how far it is from there.
    pub of: Vec<(usize, i32)>,
}

impl Addresses {
    /// Of tables that begin so many bytes after the first of all, one after another, where loads reach so far (see
    /// [`crate::machine::WordTarget::reach`]).
    pub fn of(tables: &[i32], reach: i32) -> Addresses {
        let mut found = Addresses::default();
        let Some((&first, &last)) = tables.first().zip(tables.last()) else { return found };
        for &table in tables {
            let reached = |at: &i32| (-reach..reach).contains(&(table - at));
            if !found.all.last().is_some_and(reached) {
                // An addition comes as far from the address before as a load does.
                let next = found.all.last().map(|before| before + reach - 1).filter(reached);
                let begin = if last - first < reach { table } else { table + reach };
                found.all.push(next.unwrap_or(begin));
            }
            let which = found.all.len() - 1;
            found.of.push((which, table - found.all[which]));
        }
        found
    }
}

/// Writes the addresses of a label's tables into registers of their own.
pub fn put(w: &mut dyn Machine, label: &str, begins: &[i32], reach: i32) -> Vec<Place> {
    let found = Addresses::of(begins, reach);
    let registers: Vec<i32> = found.all.iter().map(|_| w.block().fresh()).collect();
    for (k, (&register, &at)) in registers.iter().zip(&found.all).enumerate() {
        match k.checked_sub(1) {
            Some(before) => w.put_near(register, registers[before], at - found.all[before]),
            None => w.put_address_after(register, label, at),
        }
    }
    found.of.iter().map(|&(which, offset)| Place { register: registers[which], offset }).collect()
}

/// What a table holds at an index in bytes.
pub fn entry(w: &mut dyn Machine, size: Size, place: Place, index: i32) -> i32 {
    w.entry_near(size, place.register, place.offset, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_reached() {
        let tables = [0, 1024, 2048, 3072, 4096, 4352, 5376];
        for (reach, addresses) in [(0, 7), (2048, 2), (4096, 1), (32768, 1)] {
            let found = Addresses::of(&tables, reach);
            assert_eq!(found.all.len(), addresses, "{reach}: {found:?}");
            for (table, &(which, offset)) in tables.iter().zip(&found.of) {
                assert_eq!(found.all[which] + offset, *table);
                assert!(offset == 0 || (-reach..reach).contains(&offset), "{reach}: {offset}");
            }
        }
        assert_eq!(Addresses::of(&[], 2048), Addresses::default());
    }
}
