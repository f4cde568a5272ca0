//! Addressing of tables: addresses in registers, and offsets from these.

use crate::machine::{Machine, Size};

/// The place of a table: an offset from the address in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The register.
    pub register: i32,
    /// The offset in bytes.
    pub offset: i32,
}

/// The addresses that a set of tables needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Addresses {
    /// The addresses, in bytes from the start of the first table.
    pub all: Vec<i32>,
    /// For each table, the index of its address, and its offset from there in bytes.
    pub of: Vec<(usize, i32)>,
}

impl Addresses {
    /// Chooses addresses for consecutive tables, given their offsets in bytes from the first one, and the reach of
    /// loads (see [`crate::machine::WordTarget::reach`]).
    pub fn of(tables: &[i32], reach: i32) -> Addresses {
        let mut found = Addresses::default();
        let Some((&first, &last)) = tables.first().zip(tables.last()) else { return found };
        for &table in tables {
            let reached = |at: &i32| (-reach..reach).contains(&(table - at));
            if !found.all.last().is_some_and(reached) {
                // The reach of an addition to the previous address is that of a load.
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

/// Writes the addresses of a label's tables into new registers.
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

/// Loads the entry of a table at an index in bytes.
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
