//! Types that all strategies share: the judge's answers, the budget, and [`Trials`], which counts trials, remembers the
//! best and stops.

use crate::neighbour::Neighbourhood;
use aesmith_arrange::{Space, Variant};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The result of trying a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Proved, run and timed.
    Measured,
    /// No kernel exists: too few registers, or moves of instructions that break a dependency.
    DoesNotFit,
    /// The proof failed.
    Refuted,
    /// It failed while it ran.
    Fault(String),
    /// This processor lacks an instruction that it needs.
    Unsupported,
    /// A recording does not have it. Such an answer is not a trial.
    NotRecorded,
}

impl Verdict {
    /// The verdict in one word, as in wisdom and in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Measured => "measured",
            Verdict::DoesNotFit => "does-not-fit",
            Verdict::Refuted => "refuted",
            Verdict::Fault(_) => "fault",
            Verdict::Unsupported => "unsupported",
            Verdict::NotRecorded => "not-recorded",
        }
    }
}

/// A judge's answer for one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Screened cost in cycles per byte; `None` unless measured.
    pub cost: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Equal hashes mean equal code.
    pub kernel_hash: Option<u64>,
    /// Number of instructions of the main loop that can be moved, or of orders if they are numbered; 0 forbids other
    /// orders.
    pub instructions_in_loop: u16,
}

impl Outcome {
    /// An answer from wisdom or a recording: verdict by name, message of a fault, cost, SHA-256 of the kernel in
    /// hexadecimal, and number of movable instructions.
    pub fn recorded(
        verdict: &str,
        message: &str,
        cost: Option<f64>,
        sha256: Option<&str>,
        instructions_in_loop: u16,
    ) -> Result<Outcome, String> {
        let verdict = match verdict {
            "measured" => Verdict::Measured,
            "does-not-fit" => Verdict::DoesNotFit,
            "refuted" => Verdict::Refuted,
            "unsupported" => Verdict::Unsupported,
            "fault" => Verdict::Fault(message.into()),
            other => return Err(format!("`{other}` is no verdict")),
        };
        if cost.is_some_and(|c| !c.is_finite() || c <= 0.0) {
            return Err("a cost must be a positive number".into());
        }
        if cost.is_some() != (verdict == Verdict::Measured) {
            return Err("what was measured has a cost, and nothing else has".into());
        }
        Ok(Outcome { cost, verdict, kernel_hash: sha256.and_then(kernel_hash), instructions_in_loop })
    }

    /// An answer without a cost.
    pub fn without_cost(verdict: Verdict) -> Outcome {
        Outcome { cost: None, verdict, kernel_hash: None, instructions_in_loop: 0 }
    }
}

/// The hash by which strategies tell kernels apart: the first 64 bits of the kernel's SHA-256, which is given in
/// hexadecimal.
pub fn kernel_hash(sha256: &str) -> Option<u64> {
    u64::from_str_radix(sha256.get(..16)?, 16).ok()
}

/// A function from variants to costs: this CPU through prover and judge, a recording, or a model.
///
/// A judge that measures repeats the measurement of a cost below the floor of that kernel's own bound before it answers
/// (see [`crate::racing::FLOOR`]), because a strategy would follow a disturbed clock. A cost that stays below is an
/// answer like any other.
pub trait Evaluate {
    /// One outcome for each variant, in order.
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome>;
}

impl<F: FnMut(&[Variant]) -> Vec<Outcome>> Evaluate for F {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        self(batch)
    }
}

/// Limits of a search; the first that is reached ends it.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Maximum number of variants to try.
    pub trials: Option<u64>,
    /// Maximum time.
    pub time: Option<Duration>,
    /// Set from outside (Ctrl-C) to stop after the batch in flight.
    pub interrupted: Arc<AtomicBool>,
}

impl Budget {
    /// A limit on the number of trials only.
    pub fn of_trials(trials: u64) -> Budget {
        Budget { trials: Some(trials), ..Budget::default() }
    }
}

/// Progress of a search.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Number of variants tried.
    pub trials: u64,
    /// Time so far.
    pub elapsed: Duration,
    /// Trials a second.
    pub rate: f64,
    /// The fraction of the budget that is used, 0 to 1; `None` without a limit.
    pub fraction: Option<f64>,
    /// The best so far and its screened cost.
    pub best: Option<(&'a Variant, f64)>,
}

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The strategy had nothing more to propose.
    Finished,
    /// The number of trials was reached.
    Trials,
    /// The time was up.
    Time,
    /// It was interrupted.
    Interrupted,
    /// No new variants were found: the space is exhausted.
    Exhausted,
}

/// A search: its space, starting points, limits and seed.
#[derive(Clone, Debug)]
pub struct Search {
    /// The space; a dimension with one value is fixed.
    pub space: Space,
    /// Variants measured directly after the baseline, such as the best known from wisdom.
    pub starts: Vec<Variant>,
    /// Its limits.
    pub budget: Budget,
    /// The trials depend only on the seed, the number of trials and the costs.
    pub seed: u64,
    /// Answers from an earlier part of the same run. They count as trials and take no time, so that a resumed run takes
    /// the same course and then continues.
    pub recalled: Vec<(Variant, Outcome)>,
}

impl Search {
    /// A search without starting points or earlier answers.
    pub fn new(space: Space, budget: Budget, seed: u64) -> Search {
        Search { space, starts: Vec::new(), budget, seed, recalled: Vec::new() }
    }
}

/// Results of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best of all by screened cost: a candidate for a race, not yet a winner.
    pub best: Option<(Variant, f64)>,
    /// The best variants of different code, best first, at most [`LEADERS`].
    pub leaders: Vec<Leader>,
    /// Number of variants tried.
    pub trials: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// `(trial, best so far)`: the improvements and the last trial.
    pub convergence: Vec<(u64, f64)>,
    /// Number of trials by verdict (see [`Verdict::name`]).
    pub verdicts: BTreeMap<&'static str, u64>,
    /// Number of different kernels among the measured variants.
    pub kernels: u64,
    /// The reason why it ended.
    pub stop: Stop,
}

/// Number of best variants that a search hands to the race.
pub const LEADERS: usize = 64;

/// One of the best variants of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Leader {
    /// The variant.
    pub variant: Variant,
    /// Its screened cost in cycles per byte.
    pub cost: f64,
    /// Hash of its code, if the judge reported it.
    pub kernel_hash: Option<u64>,
    /// Movable instructions of its main loop.
    pub instructions_in_loop: u16,
}

/// Number of variants sent to the judge at once, initially and at most. Between two lots the limits are checked,
/// samples are stored, and a judge that measures some variants while it proves the next ones has nothing to prove: lots
/// grow while they are quick.
const LOTS: (usize, usize) = (64, 512);
/// A lot that takes less than this is followed by a larger one.
const QUICK: Duration = Duration::from_millis(25);
/// A lot that takes more than this is followed by a smaller one.
const SLOW: Duration = Duration::from_millis(100);
/// Number of consecutive proposals without a trial after which the space counts as exhausted.
const IDLE: u64 = 50_000;
/// Number of trials after which schedules over the budget repeat if there is no limit.
const PERIOD: u64 = 10_000;

/// Maximum size of the next lot, from the time of the last one: at most a quarter of the trials so far, so that an
/// interrupted search stops soon.
fn next_lot(most: usize, had: usize, took: Duration, trials: u64) -> usize {
    match took {
        // The time of a small lot does not predict that of a large one.
        _ if took < QUICK && had == most => (2 * most).min(LOTS.1).min(most.max(trials as usize / 4)),
        _ if took > SLOW => (most / 2).max(1),
        _ => most,
    }
}

/// Receives a strategy's proposals: counts trials, remembers answers, and stops.
pub struct Trials<'a> {
    judge: &'a mut dyn Evaluate,
    progress: &'a mut dyn FnMut(&Progress),
    budget: Budget,
    started: Instant,
    count: u64,
    idle: u64,
    /// Maximum number of variants in the next lot.
    lot: usize,
    known: HashMap<Variant, Outcome>,
    recalled: HashMap<Variant, Outcome>,
    leaders: Vec<Leader>,
    hashes: HashMap<u64, f64>,
    convergence: Vec<(u64, f64)>,
    verdicts: BTreeMap<&'static str, u64>,
}

impl Trials<'_> {
    /// Answers for the variants, in order. Fewer answers than variants mean that the budget is used up, and the
    /// strategy returns. A variant that was tried before is answered from memory and is not a trial.
    pub fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        let mut answers = Vec::with_capacity(batch.len());
        let mut rest = batch;
        while !rest.is_empty() && self.over().is_none() {
            let started = Instant::now();
            let room = self.budget.trials.map_or(u64::MAX, |most| most - self.count);
            let (mut fresh, mut seen): (Vec<Variant>, HashSet<&Variant>) = (Vec::new(), HashSet::new());
            let mut most = self.lot.min(rest.len());
            for (place, variant) in rest[..most].iter().enumerate() {
                if !self.known.contains_key(variant) && seen.insert(variant) {
                    if fresh.len() as u64 == room {
                        // The variants before it need not all become trials: it may belong to the next lot.
                        most = place;
                        break;
                    }
                    fresh.push(variant.clone());
                }
            }
            let (lot, later) = rest.split_at(most);
            rest = later;
            self.judge_all(fresh, lot.len() as u64);
            answers.extend(lot.iter().map_while(|v| self.known.get(v).cloned()));
            self.report();
            self.lot = next_lot(self.lot, lot.len(), started.elapsed(), self.count);
        }
        answers
    }

    /// The answer for one variant, or `None` when the budget is used up.
    pub(crate) fn try_one(&mut self, variant: &Variant) -> Option<Outcome> {
        self.evaluate(std::slice::from_ref(variant)).pop()
    }

    /// The reason why the search is over, if it is.
    pub fn over(&self) -> Option<Stop> {
        if self.budget.interrupted.load(Ordering::Relaxed) {
            return Some(Stop::Interrupted);
        }
        if self.budget.trials.is_some_and(|most| self.count >= most) {
            return Some(Stop::Trials);
        }
        if self.budget.time.is_some_and(|most| self.started.elapsed() >= most) {
            return Some(Stop::Time);
        }
        (self.idle >= IDLE).then_some(Stop::Exhausted)
    }

    /// The fraction of the budget that is used, 0 to 1, for schedules over it. It depends on the clock only if the time
    /// is limited and the number of trials is not closer to its limit.
    pub fn fraction(&self) -> f64 {
        self.limited_fraction().unwrap_or((self.count % PERIOD) as f64 / PERIOD as f64)
    }

    fn limited_fraction(&self) -> Option<f64> {
        let trials = self.budget.trials.map(|most| self.count as f64 / most.max(1) as f64);
        let time = self.budget.time.map(|t| self.started.elapsed().as_secs_f64() / t.as_secs_f64().max(1e-9));
        let used = match (trials, time) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        used.map(|f| f.min(1.0))
    }

    /// Number of trials so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True if a variant already has an answer.
    pub fn is_known(&self, variant: &Variant) -> bool {
        self.known.contains_key(variant)
    }

    /// The best variants of different code so far, best first.
    pub fn leaders(&self) -> &[Leader] {
        &self.leaders
    }

    /// Asks the judge for variants without an answer; `proposals` is the number of proposals that `fresh` is left from.
    fn judge_all(&mut self, fresh: Vec<Variant>, proposals: u64) {
        if fresh.is_empty() {
            self.idle += proposals;
            return;
        }
        let before = self.count;
        let unknown: Vec<Variant> =
            fresh.iter().filter(|v| !self.recalled.contains_key(*v)).cloned().collect();
        let mut judged =
            if unknown.is_empty() { Vec::new() } else { self.judge.evaluate(&unknown) }.into_iter();
        for variant in fresh {
            let outcome = match self.recalled.remove(&variant) {
                Some(outcome) => Some(outcome),
                None => judged.next(),
            };
            // An interrupted judge may answer only the first part of a batch.
            let Some(outcome) = outcome else { break };
            self.learn(variant, outcome);
        }
        self.idle = if self.count == before { self.idle + proposals } else { 0 };
    }

    fn learn(&mut self, variant: Variant, outcome: Outcome) {
        *self.verdicts.entry(outcome.verdict.name()).or_default() += 1;
        if outcome.verdict != Verdict::NotRecorded {
            self.count += 1;
        }
        if let Some(cost) = outcome.cost.filter(|c| c.is_finite()) {
            if self.leaders.first().is_none_or(|best| cost < best.cost) {
                self.convergence.push((self.count, cost));
            }
            self.lead(&variant, cost, &outcome);
        }
        self.known.insert(variant, outcome);
    }

    fn lead(&mut self, variant: &Variant, cost: f64, outcome: &Outcome) {
        if let Some(hash) = outcome.kernel_hash {
            let seen = self.hashes.entry(hash).or_insert(f64::INFINITY);
            // Known code: only a lower sample of it changes anything.
            if *seen <= cost {
                return;
            }
            *seen = cost;
            self.leaders.retain(|l| l.kernel_hash != Some(hash));
        }
        let place = self.leaders.partition_point(|l| l.cost <= cost);
        if place < LEADERS {
            self.leaders.insert(
                place,
                Leader {
                    variant: variant.clone(),
                    cost,
                    kernel_hash: outcome.kernel_hash,
                    instructions_in_loop: outcome.instructions_in_loop,
                },
            );
            // Orders of one structure must not crowd out all other structures: the race needs a choice of structures.
            let alike = |l: &Leader| same_structure(&l.variant, variant);
            if self.leaders.iter().filter(|l| alike(l)).count() > LEADERS / 4
                && let Some(last) = self.leaders.iter().rposition(alike)
            {
                self.leaders.remove(last);
            }
            self.leaders.truncate(LEADERS);
        }
    }

    fn report(&mut self) {
        let elapsed = self.started.elapsed();
        let progress = Progress {
            trials: self.count,
            elapsed,
            rate: self.count as f64 / elapsed.as_secs_f64().max(1e-9),
            fraction: self.limited_fraction(),
            best: self.leaders.first().map(|l| (&l.variant, l.cost)),
        };
        (self.progress)(&progress);
    }
}

/// True if two variants differ only in the order of instructions.
fn same_structure(a: &Variant, b: &Variant) -> bool {
    a.dimensions().all(|d| a.get(d.place) == b.get(d.place))
}

/// Runs a strategy. The first trial is the baseline, for every strategy and space, so that a search that is cut short
/// is never worse than none.
pub fn search(
    strategy: &mut dyn crate::Strategy,
    search: &Search,
    judge: &mut dyn Evaluate,
    progress: &mut dyn FnMut(&Progress),
) -> Found {
    let mut trials = Trials {
        judge,
        progress,
        budget: search.budget.clone(),
        started: Instant::now(),
        count: 0,
        idle: 0,
        lot: LOTS.0,
        known: HashMap::new(),
        recalled: search.recalled.iter().cloned().collect(),
        leaders: Vec::new(),
        hashes: HashMap::new(),
        convergence: Vec::new(),
        verdicts: BTreeMap::new(),
    };
    // Not the plain variant if the space is restricted: values outside the space are not searched around.
    let mut first = vec![Neighbourhood::new(&search.space).start()];
    first.extend(search.starts.iter().cloned());
    if trials.evaluate(&first).len() == first.len() {
        strategy.run(&search.space, search.seed, &mut trials);
    }
    let stop = trials.over().unwrap_or(Stop::Finished);
    let mut convergence = trials.convergence;
    if let Some(&(trial, cost)) = convergence.last()
        && trial < trials.count
    {
        convergence.push((trials.count, cost));
    }
    Found {
        best: trials.leaders.first().map(|l| (l.variant.clone(), l.cost)),
        kernels: trials.hashes.len() as u64,
        leaders: trials.leaders,
        trials: trials.count,
        elapsed: trials.started.elapsed(),
        convergence,
        verdicts: trials.verdicts,
        stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_grow_while_they_are_quick_and_shrink_when_they_are_slow() {
        let (quick, slow, many) = (QUICK / 2, SLOW * 2, 10_000);
        let mut lot = LOTS.0;
        assert_eq!(next_lot(lot, lot, quick, 200), lot, "the search has hardly begun");
        for _ in 0..9 {
            lot = next_lot(lot, lot, quick, many);
        }
        assert_eq!(lot, LOTS.1);
        assert_eq!(next_lot(lot / 2, 8, quick, many), lot / 2, "a small lot says nothing of a large one");
        assert_eq!(next_lot(lot / 2, lot / 2, (QUICK + SLOW) / 2, many), lot / 2);
        for _ in 0..12 {
            lot = next_lot(lot, lot, slow, many);
        }
        assert_eq!(lot, 1);
    }
}
