//! A look at variants when wisdom has none: promising ones first, in parallel, until a deadline.
//!
//! A descent from the plain variant, changing one dimension at a time, comes first and always finishes: it
//! reaches a good kernel after some dozens of variants. The other variants follow in order while time
//! remains.

use crate::evaluate::costing::{Made, made};
use crate::evaluate::pool::{parallel, threads};
use aesmith_arrange::Variant;
use aesmith_processor::core::Core;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The time for looking at variants, and a callback for progress.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// After this moment, no variant beyond the descent is begun.
    pub until: Option<Instant>,
    /// Receives progress as a sentence from time to time.
    pub tell: &'a dyn Fn(&str),
}

fn nobody(_: &str) {}

impl Default for Look<'_> {
    fn default() -> Self {
        Look { until: None, tell: &(nobody as fn(&str)) }
    }
}

/// Time before the first progress message, and between messages.
const QUIET: Duration = Duration::from_secs(3);

/// Builds and costs some variants of a problem. `key` ranks the admissible ones, the least best.
pub(crate) fn look(
    core: &'static Core,
    variants: &[Variant],
    how: Look,
    key: &dyn Fn(&Made) -> Option<[f64; 4]>,
) -> Vec<Made> {
    let mut looking = Looking { core, variants, how, made: BTreeMap::new(), said: Instant::now() };
    looking.descend(key);
    let left: Vec<usize> = (0..variants.len()).filter(|at| !looking.made.contains_key(at)).collect();
    for batch in left.chunks(2 * threads()) {
        if how.until.is_some_and(|end| Instant::now() >= end) {
            let seen = looking.made.len();
            (how.tell)(&format!("{}: {seen} of {} variants were looked at", looking.what(), variants.len()));
            break;
        }
        looking.cost(batch);
    }
    // In the order of the space: among equals the first is taken, which has made fewer choices.
    looking.made.into_values().flatten().collect()
}

struct Looking<'a> {
    core: &'static Core,
    variants: &'a [Variant],
    how: Look<'a>,
    /// Results of the variants looked at, by index.
    made: BTreeMap<usize, Option<Made>>,
    said: Instant,
}

impl Looking<'_> {
    fn what(&self) -> String {
        let problem = self.variants.first().map_or_else(String::new, |v| v.problem.to_string());
        format!("{problem} has not been tuned for on {}", self.core.name)
    }

    /// Moves from the plain variant to the best neighbour until none is better.
    fn descend(&mut self, key: &dyn Fn(&Made) -> Option<[f64; 4]>) {
        let Some(first) = self.variants.first() else { return };
        let plain = self.core.table.plain(first.problem);
        let mut here = self.variants.iter().position(|v| *v == plain).unwrap_or(0);
        loop {
            let near = |at: &usize| distance(self.core, &self.variants[here], &self.variants[*at]) <= 1;
            let new: Vec<usize> =
                (0..self.variants.len()).filter(|at| !self.made.contains_key(at)).filter(near).collect();
            if new.is_empty() {
                return;
            }
            self.cost(&new);
            let keys = self.made.iter().filter_map(|(at, made)| Some((key(made.as_ref()?)?, *at)));
            let best = keys.min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            match best {
                Some((_, best)) if best != here => here = best,
                _ => return,
            }
        }
    }

    /// Builds and costs variants on all processors of this machine.
    fn cost(&mut self, places: &[usize]) {
        let (core, variants) = (self.core, self.variants);
        for batch in places.chunks(2 * threads()) {
            let found = parallel(batch, |&at| made(core, &variants[at]).ok());
            self.made.extend(batch.iter().copied().zip(found));
            if self.said.elapsed() >= QUIET {
                self.said = Instant::now();
                let (done, all) = (self.made.len(), variants.len());
                (self.how.tell)(&format!("{}: looking at variants, {done} of {all}", self.what()));
            }
        }
    }
}

/// Number of dimensions in which two variants differ.
fn distance(core: &Core, a: &Variant, b: &Variant) -> usize {
    core.table.dimensions.iter().filter(|&dimension| a.get(dimension) != b.get(dimension)).count()
}
