//! The cost of a key's set-up per call. Some kernels of counter mode read a table that belongs to the key: 4
//! KiB more memory, and more time for the set-up. Such a kernel pays off only if its calls gain more than
//! that over all uses of a key.
//!
//! The set-ups are measured interleaved with a kernel; the samples belong to a run of their own in wisdom.

use crate::error::TuneError;
use crate::request::Request;
use aesmith_arrange::{Role, Variant};
use aesmith_cipher::{Problem, Task};
use aesmith_wisdom::{Filter, Store};
use serde::Serialize;

/// Name of the runs that measure set-ups.
pub const STRATEGY: &str = "key-set-up";
/// Number of calls, with messages of the requested length, for which one key is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLife(pub u64);

impl KeyLife {
    /// The default: the number of 16 KiB records in which TLS carries a web page of 2 MiB. Keys of disks and
    /// of long connections live longer, which makes little difference from here on.
    pub const DEFAULT: KeyLife = KeyLife(128);
}

impl Default for KeyLife {
    fn default() -> KeyLife {
        KeyLife::DEFAULT
    }
}

/// Measured cycles of the set-up of one key of counter mode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SetUp {
    /// The round keys.
    pub schedule_cycles: f64,
    /// The counter table.
    pub table_cycles: f64,
}

/// The part of a kernel's price besides its own cost: the set-up of the table that it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Cycles per byte of a kernel that reads the table.
    table: f64,
}

impl Price {
    /// The price for messages of `size` bytes. A set-up that was never measured costs nothing.
    pub fn new(set_up: Option<SetUp>, life: KeyLife, size: usize) -> Price {
        let bytes = life.0 as f64 * size.max(1) as f64;
        Price { table: set_up.map_or(0.0, |set_up| set_up.table_cycles / bytes) }
    }

    /// The price of a variant, in cycles per byte.
    pub fn of(self, variant: &Variant) -> f64 {
        if reads_table(variant) { self.table } else { 0.0 }
    }

    /// The price of the table, in cycles per byte.
    pub fn of_table(self) -> f64 {
        self.table
    }
}

/// True if a variant's loop reads the counter table of the key structure.
pub fn reads_table(variant: &Variant) -> bool {
    variant.problem.task == Task::Ctr
        && variant.get(Role::CachedRounds) == 1
        && !variant.technique.on_words()
        && !variant.sliced()
}

/// The problems of a key set-up: round keys, and the key's table if there is one.
pub(crate) fn set_ups(problem: Problem) -> Vec<Problem> {
    [problem.key_schedule()].into_iter().chain(problem.key_table()).collect()
}

/// The last measured costs of set-ups under the same restriction.
///
/// # Errors
/// The store failed.
pub fn known(
    store: &Store,
    processor: &str,
    problem: Problem,
    request: &Request,
) -> Result<Option<SetUp>, TuneError> {
    if problem.task != Task::Ctr {
        return Ok(None);
    }
    let filter = Filter { processor: Some(processor.to_owned()), problem: Some(problem), size: None };
    let restriction = request.restriction();
    let runs = store.runs(&filter)?;
    let Some(run) = runs
        .iter()
        .rev()
        .find(|r| r.run.strategy == STRATEGY && r.run.state == "finished" && r.run.options == restriction)
    else {
        return Ok(None);
    };
    let mut cycles = [None; 2];
    store.each_sample(run.id, |_, sample| {
        let of = sample.variant.split(' ').next().and_then(|problem| problem.parse::<Problem>().ok());
        if let (Some(cost), "duel") = (sample.cost, sample.phase.as_str())
            && let Some(which) = set_ups(problem).iter().position(|set_up| Some(*set_up) == of)
        {
            cycles[which] = Some(cost);
        }
        Ok(())
    })?;
    let [Some(schedule_cycles), Some(table_cycles)] = cycles else { return Ok(None) };
    Ok(Some(SetUp { schedule_cycles, table_cycles }))
}

/// The price of tables for messages of a size, from stored measurements.
///
/// # Errors
/// The store failed.
pub fn price(
    store: &Store,
    processor: &str,
    problem: Problem,
    request: &Request,
    size: usize,
) -> Result<Price, TuneError> {
    Ok(Price::new(known(store, processor, problem, request)?, request.key_life, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions;

    const SET_UP: SetUp = SetUp { schedule_cycles: 120.0, table_cycles: 512.0 };

    #[test]
    fn a_table_costs_each_byte_its_part_of_the_set_up() {
        let price = Price::new(Some(SET_UP), KeyLife(4), 64);
        let table = dimensions::variant("aes256-ctr width=zmm cached=1").unwrap();
        assert_eq!(price.of(&table), 2.0);
        assert_eq!(Price::new(Some(SET_UP), KeyLife(8), 128).of(&table), 0.5);
        for text in [
            "aes256-ctr width=zmm cached=2",
            "aes256-ctr",
            "aes256-ctr technique=table cached=1",
            "aes256-ctr technique=gfni layout=sliced cached=2",
        ] {
            assert_eq!(price.of(&dimensions::variant(text).unwrap()), 0.0, "{text} has no table of a key");
        }
        assert_eq!(Price::new(None, KeyLife(1), 16).of(&table), 0.0);
    }
}
