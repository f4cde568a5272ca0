//! A look at variants when wisdom has none: promising ones first, in parallel, until a deadline.
//!
//! A descent comes first, changing one dimension at a time: from the best of the processor's known-good variants,
//! or else from the plain one, where it always finishes: it reaches a good kernel after some dozens of variants. If there
//! are limits, a descent towards them takes the first half of the time: what is fast may not fit. The other variants
//! follow in order while time remains, unless the look is brief.

use crate::evaluate::costing::{Made, made};
use crate::evaluate::pool::{parallel, threads};
use crate::front::Budgets;
use aesmith_arrange::Variant;
use aesmith_processor::core::Core;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The time for looking at variants, and a callback for progress.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// After this moment, no variant is begun beyond the known-good ones or, if none of them is admissible, the
    /// descent.
    pub until: Option<Instant>,
    /// True if the descent is enough where it began with a known-good variant.
    pub brief: bool,
    /// Limits of a package of which the kernel is a part: kernels that are small by them are looked for, too.
    pub limits: Budgets,
    /// Receives progress as a sentence from time to time.
    pub tell: &'a dyn Fn(&str),
}

impl Look<'_> {
    /// A look like this one with one of `shares` equal parts of the time that is left.
    pub fn share(self, shares: u32) -> Self {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        Look { until: self.until.map(|until| Instant::now() + left(until) / shares.max(1)), ..self }
    }

    /// True if the time is over.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|end| Instant::now() >= end)
    }
}

fn silent(_: &str) {}

impl Default for Look<'_> {
    fn default() -> Self {
        Look { until: None, brief: false, limits: Budgets::default(), tell: &(silent as fn(&str)) }
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
    let known_good = looking.known_good(key);
    if how.limits != Budgets::default() {
        looking.how = how.share(2);
        let small = |made: &Made| key(made).map(|_| smallness(made, how.limits));
        let from = looking.best(&small).unwrap_or_else(|| looking.plain());
        looking.descend(from, true, &small);
        looking.how = how;
    }
    looking.descend(known_good.unwrap_or_else(|| looking.plain()), known_good.is_some(), key);
    let is_enough = how.brief && known_good.is_some();
    let is_left = |at: &usize| !is_enough && !looking.made.contains_key(at);
    let left: Vec<usize> = (0..variants.len()).filter(is_left).collect();
    for batch in left.chunks(2 * threads()) {
        if looking.how.is_over() {
            let seen = looking.made.len();
            (how.tell)(&format!("{}: {seen} of {} variants were looked at", looking.what(), variants.len()));
            break;
        }
        looking.cost(batch);
    }
    // In the order of the space: among equals the first is taken, which has made fewer choices.
    looking.made.into_values().flatten().collect()
}

/// Ranks kernels by their excess over limits, then by size.
fn smallness(made: &Made, limits: Budgets) -> [f64; 4] {
    let cost = &made.cost;
    [limits.excess(cost), cost.flash as f64, (cost.ram + cost.stack) as f64, cost.cycles]
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
        format!("{problem} has not been tuned on {}", self.core.name)
    }

    /// The best variant so far that is admissible.
    fn best(&self, key: &dyn Fn(&Made) -> Option<[f64; 4]>) -> Option<usize> {
        let keys = self.made.iter().filter_map(|(at, made)| Some((key(made.as_ref()?)?, *at)));
        let best = keys.min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        best.map(|(_, at)| at)
    }

    /// Costs the known-good variants. Returns the best one that is admissible.
    fn known_good(&mut self, key: &dyn Fn(&Made) -> Option<[f64; 4]>) -> Option<usize> {
        let known = self.core.starting_points(self.variants.first()?.problem);
        let places: Vec<usize> = known.iter().filter_map(|variant| self.place(variant)).collect();
        self.cost(&places);
        self.best(key)
    }

    fn place(&self, variant: &Variant) -> Option<usize> {
        self.variants.iter().position(|v| v == variant)
    }

    /// The variant without any optimization, by index.
    fn plain(&self) -> usize {
        let plain = self.variants.first().map(|first| self.core.table.plain(first.problem));
        plain.and_then(|plain| self.place(&plain)).unwrap_or(0)
    }

    /// Moves to the best neighbour until none is better, or, if it is bounded, until time is over.
    fn descend(&mut self, from: usize, is_bounded: bool, key: &dyn Fn(&Made) -> Option<[f64; 4]>) {
        let mut here = from;
        while here < self.variants.len() {
            let near = |at: &usize| distance(self.core, &self.variants[here], &self.variants[*at]) <= 1;
            let new: Vec<usize> =
                (0..self.variants.len()).filter(|at| !self.made.contains_key(at)).filter(near).collect();
            for batch in new.chunks(2 * threads()) {
                if is_bounded && self.how.is_over() {
                    return;
                }
                self.cost(batch);
            }
            match self.best(key) {
                Some(best) if best != here => here = best,
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

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::processor::Record;

    fn least(found: &[Made]) -> f64 {
        found.iter().map(|made| made.cost.cycles).fold(f64::INFINITY, f64::min)
    }

    /// Without time only known-good variants are costed, the best of which is as good as what a whole descent finds; on a
    /// processor without any the descent finishes.
    #[test]
    fn time_bounds_the_descent_once_a_start_is_costed() {
        let core = aesmith_processors::core("cortex-m3").unwrap();
        let problem = "aes128-ecb".parse().unwrap();
        let starts = core.starting_points(problem);
        let mut variants: Vec<Variant> = core.table.all(problem).into_iter().take(400).collect();
        variants.extend(starts.iter().filter(|start| !variants.contains(start)).cloned().collect::<Vec<_>>());
        let key = |made: &Made| Some([made.cost.cycles, 0.0, 0.0, 0.0]);
        let over = Look { until: Some(Instant::now()), ..Look::default() };
        let known = look(core, &variants, over, &key);
        assert!(!known.is_empty() && known.len() <= starts.len(), "{} of {}", known.len(), starts.len());
        let bare: &Core = Box::leak(Box::new(Core { record: Record { starts: "", ..core.record }, ..*core }));
        let descended = look(bare, &variants, over, &key);
        assert!(descended.len() > starts.len(), "{}", descended.len());
        assert!(least(&known) <= least(&descended), "{} and {}", least(&known), least(&descended));
        // With time, a brief look costs the neighbours of the best known-good variant, too.
        let brief = look(core, &variants, Look { brief: true, ..Look::default() }, &key);
        assert!(
            known.len() < brief.len() && brief.len() < variants.len() / 2,
            "{} of {}",
            brief.len(),
            variants.len()
        );
        // With limits, small kernels are looked at, too, although the fastest ones are far from them.
        let limits = Budgets { flash: Some(1), ..Budgets::default() };
        let small = |made: &[Made]| made.iter().map(|made| made.cost.flash).min();
        let within = look(core, &variants, Look { brief: true, limits, ..Look::default() }, &key);
        let all = look(core, &variants, Look::default(), &key);
        assert!(
            small(&within) < small(&brief) && within.len() < all.len(),
            "{} of {}",
            within.len(),
            all.len()
        );
        assert!(least(&within) <= least(&brief));
        // A start that is not as asked for bounds nothing.
        let none = |_: &Made| None;
        assert!(look(core, &variants, over, &none).len() > starts.len());
    }
}
