//! Races many screened variants to one confirmed winner: a second screen, duels that halve the field, and a
//! confirmation on fresh placement, so that a lucky sample does not win.
//!
//! The baseline takes part in everything. A contender that is faster than its own bound is measured again, because the
//! clock may have been disturbed. If it stays faster, the bound is wrong: the contender stays, the duels decide as
//! always, and the judge is told to correct the bound.

use aesmith_arrange::Variant;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A cost below this fraction of a kernel's bound is measured again. The half percent allows for errors of the bound,
/// which is measured too.
pub const FLOOR: f64 = 0.995;
/// Maximum number of repeats of a cost below the floor before it is accepted.
const AGAIN: usize = 3;

/// A means to measure contenders against each other. All costs are in cycles per byte.
pub trait Duel {
    /// One cheap sample of each; `None` if there is none.
    fn screen(&mut self, contenders: &[Variant]) -> Vec<Option<f64>>;
    /// `rounds` samples of each, interleaved in random order in one process: `samples[c][r]` belongs to contender `c`
    /// in round `r`. A contender that cannot run has no samples. A variant may occur twice among the contenders and is
    /// then measured twice: A against A.
    fn duel(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>>;
    /// Like [`Duel::duel`], but in a fresh process on fresh code and buffer placement.
    fn confirm(&mut self, contenders: &[Variant], rounds: usize) -> Vec<Vec<f64>>;
    /// The lower bound for this variant's instructions on this machine, if it is known.
    fn bound(&mut self, variant: &Variant) -> Option<f64>;
    /// Receives the median of a variant in the confirmation, in fresh processes. If it is below the variant's bound,
    /// the bound is wrong and must be corrected.
    fn confirmed(&mut self, variant: &Variant, median: f64);
}

/// Parameters of a race.
#[derive(Clone, Debug)]
pub struct Race {
    /// Rounds of the first duel; each further duel has twice as many.
    pub rounds: usize,
    /// Number of finalists in the confirmation, not counting the baseline.
    pub finalists: usize,
    /// Fresh processes in the confirmation.
    pub sessions: usize,
    /// Rounds in each of them.
    pub confirm_rounds: usize,
    /// Set from outside to skip to a short confirmation.
    pub interrupted: Arc<AtomicBool>,
    /// The deadline. Rounds, sessions and finalists are reduced to fit; a minimal confirmation is always made.
    pub ends: Option<Instant>,
}

impl Default for Race {
    fn default() -> Race {
        Race {
            rounds: 8,
            finalists: 4,
            sessions: 3,
            confirm_rounds: 60,
            interrupted: Arc::default(),
            ends: None,
        }
    }
}

/// Range of rounds of a confirmation (end excluded) that are too few for a verdict but enough for quartiles.
const FEW: (usize, usize) = (3, 20);
/// Fraction of a cost by which quartiles of a few rounds have to be apart.
const FAR: f64 = 0.1;
/// Rounds in each process of the shortest confirmation.
const LEAST_ROUNDS: usize = 5;
/// Minimum rounds of a duel; with fewer it is no better than the screen before it.
const LEAST_DUEL: usize = 3;
/// Fraction of the time left that one duel may take: others and the confirmation follow.
const DUEL: f64 = 0.3;

impl Race {
    /// True if its time is over.
    pub fn is_over(&self) -> bool {
        self.ends.is_some_and(|end| Instant::now() >= end)
    }

    /// The number of rounds that fit into the fraction `part` of the time left, with `contenders` contenders that take
    /// `pace` seconds a round each.
    pub fn affords(&self, part: f64, contenders: usize, pace: Option<f64>) -> usize {
        let (Some(end), Some(pace)) = (self.ends, pace) else { return usize::MAX };
        let left = end.saturating_duration_since(Instant::now()).as_secs_f64() * part;
        (left / (pace.max(1e-9) * contenders.max(1) as f64)) as usize
    }
}

/// `, about 12 s`, if the time is known and at least a second.
fn about(pace: Option<f64>, contenders: usize, rounds: usize) -> String {
    let seconds = pace.map_or(0.0, |pace| pace * (contenders * rounds) as f64);
    if seconds < 1.0 { String::new() } else { format!(", about {seconds:.0} s") }
}

/// Median and quartiles of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// First quartile.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub high: f64,
}

impl Quartiles {
    /// The quartiles of samples; `None` if there are none.
    pub fn of(samples: &[f64]) -> Option<Quartiles> {
        let sorted = sorted(samples);
        (!sorted.is_empty()).then(|| Quartiles {
            low: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            high: quantile(&sorted, 0.75),
        })
    }
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparative {
    /// The first is faster, by an interval outside the noise floor.
    Faster,
    /// The first is slower, by an interval outside the noise floor.
    Slower,
    /// Neither is significantly faster.
    NoEvidence,
}

impl Comparative {
    /// The name that tables print.
    pub fn name(self) -> &'static str {
        match self {
            Comparative::Faster => "faster",
            Comparative::Slower => "slower",
            Comparative::NoEvidence => "no evidence",
        }
    }
}

/// A comparison of two contenders, from samples taken in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Versus {
    /// Median of the ratios first / second.
    pub ratio: f64,
    /// The 95 % interval of that median.
    pub interval: (f64, f64),
    /// The verdict, given the noise floor.
    pub verdict: Comparative,
}

/// Result of a finalist in the confirmation.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The variant.
    pub variant: Variant,
    /// Its confirmed cost.
    pub cost: Quartiles,
    /// Its bound.
    pub bound: Option<f64>,
    /// Comparison with the baseline.
    pub against_baseline: Versus,
}

/// The outcome of a race.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmed {
    /// The winner: the best confirmed variant, or the baseline if none is significantly faster and none has quartiles
    /// below the baseline's.
    pub winner: Standing,
    /// The next best finalist, and the comparison of the winner with it.
    pub against_runner_up: Option<(Variant, Versus)>,
    /// The baseline's confirmed cost.
    pub baseline: Quartiles,
    /// Minimum significant distance of a ratio from 1: the ratio of the leading finalist to itself.
    pub noise_floor: f64,
    /// All finalists, best first.
    pub finalists: Vec<Standing>,
    /// Seconds that a round of one contender took, if measured.
    pub pace: Option<f64>,
}

/// A race in progress.
pub struct Racer<'a> {
    /// Its parameters.
    pub race: &'a Race,
    /// The judge that measures.
    pub judge: &'a mut dyn Duel,
    /// Receives a sentence about the next step.
    pub progress: &'a mut dyn FnMut(&str),
}

impl Racer<'_> {
    /// Runs the race. `contenders` are sorted best first; the baseline need not be among them.
    pub fn run(&mut self, baseline: &Variant, contenders: &[Variant]) -> Result<Confirmed, String> {
        let mut field: Vec<Variant> = Vec::new();
        for contender in contenders {
            if contender != baseline && !field.contains(contender) {
                field.push(contender.clone());
            }
        }
        let mut pace = None;
        if self.race.ends.is_some() {
            let few: Vec<Variant> = [baseline].into_iter().chain(field.first()).cloned().collect();
            // The first call also builds and proves them.
            self.judge.duel(&few, 1);
            let began = Instant::now();
            self.judge.duel(&few, 1);
            pace = Some(began.elapsed().as_secs_f64() / few.len() as f64);
        }
        // Screening a contender takes about as long as two rounds.
        if field.len() > self.race.finalists
            && !self.ends()
            && self.race.affords(DUEL, field.len(), pace) >= 2
        {
            self.screen(&mut field);
        }
        let mut rounds = self.race.rounds;
        while field.len() > self.race.finalists && !self.ends() {
            let contenders = field.len() + 1;
            let rounds_now = rounds.min(self.race.affords(DUEL, contenders, pace));
            if rounds_now < LEAST_DUEL {
                break;
            }
            let time = about(pace, contenders, rounds_now);
            (self.progress)(&format!("duel of {} variants, {rounds_now} rounds{time}", field.len()));
            let began = Instant::now();
            self.halve(&mut field, baseline, rounds_now)?;
            pace = Some(began.elapsed().as_secs_f64() / (contenders * rounds_now) as f64);
            rounds *= 2;
        }
        field.truncate(self.race.finalists);
        self.confirm(field, baseline, pace)
    }

    /// True if only the shortest confirmation remains to be done.
    fn ends(&self) -> bool {
        self.race.interrupted.load(Ordering::Relaxed) || self.race.is_over()
    }

    /// Number of processes of the confirmation and of rounds in each, limited by the time left; may drop finalists.
    fn lengths(&self, field: &mut Vec<Variant>, pace: Option<f64>) -> (usize, usize) {
        let (sessions, rounds) = (self.race.sessions.max(1), self.race.confirm_rounds);
        // The field, the baseline, and the leader's copy. Work after a race needs a part of its time, too.
        let affords = |field: &Vec<Variant>| self.race.affords(0.7, field.len() + 2, pace);
        if self.ends() {
            // Out of time, only the best two are confirmed; after an interruption, all finalists are.
            field.truncate(if self.race.is_over() { 2 } else { self.race.finalists });
            return (1, rounds.min(affords(field).max(LEAST_ROUNDS)));
        }
        let least = rounds.min(LEAST_ROUNDS);
        while field.len() > 1 && affords(field) < 2 * least {
            field.pop();
        }
        let all = affords(field).min(sessions * rounds);
        let sessions = sessions.min(all / least).max(1);
        (sessions, (all / sessions).clamp(least, rounds.max(least)))
    }

    fn believable(&mut self, variant: &Variant, cost: f64) -> bool {
        self.judge.bound(variant).is_none_or(|bound| cost >= FLOOR * bound)
    }

    /// Screens all again and sorts by the new costs: the original order rewards luck.
    fn screen(&mut self, field: &mut Vec<Variant>) {
        (self.progress)(&format!("second screen of {} variants", field.len()));
        let costs = self.judge.screen(field);
        let mut kept = Vec::new();
        for (variant, cost) in field.drain(..).zip(costs) {
            let mut cost = cost;
            for _ in 0..AGAIN {
                match cost {
                    Some(c) if !self.believable(&variant, c) => {
                        cost = self.judge.screen(std::slice::from_ref(&variant)).pop().flatten();
                    }
                    _ => break,
                }
            }
            kept.extend(cost.map(|c| (c, variant)));
        }
        kept.sort_by(|a, b| a.0.total_cmp(&b.0));
        field.extend(kept.into_iter().map(|(_, v)| v));
    }

    /// Runs one duel and keeps the better half.
    fn halve(&mut self, field: &mut Vec<Variant>, baseline: &Variant, rounds: usize) -> Result<(), String> {
        let mut all = vec![baseline.clone()];
        all.extend(field.iter().cloned());
        let samples = self.judge.duel(&all, rounds);
        if samples.first().is_none_or(Vec::is_empty) {
            return Err(no_baseline(baseline));
        }
        let mut ranked = Vec::new();
        for (variant, samples) in field.drain(..).zip(samples.into_iter().skip(1)) {
            let mut samples = samples;
            for _ in 0..AGAIN {
                if samples.is_empty() || self.believable(&variant, low(&samples)) {
                    break;
                }
                samples = self.judge.duel(std::slice::from_ref(&variant), rounds).pop().unwrap_or_default();
            }
            if samples.is_empty() {
                continue;
            }
            // In counter mode a round's cost depends on its counter, so the minimum over the rounds is the luckiest
            // counter: the median decides, as in the confirmation.
            ranked.push((quantile(&sorted(&samples), 0.5), variant));
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let keep = ranked.len().div_ceil(2).max(self.race.finalists.min(ranked.len()));
        field.extend(ranked.into_iter().take(keep).map(|(_, v)| v));
        Ok(())
    }

    fn confirm(
        &mut self,
        mut field: Vec<Variant>,
        baseline: &Variant,
        pace: Option<f64>,
    ) -> Result<Confirmed, String> {
        let (sessions, rounds) = self.lengths(&mut field, pace);
        let mut attempt = 0;
        loop {
            // Baseline, finalists, and a copy of the leader: A against A.
            let mut all = vec![baseline.clone()];
            all.extend(field.iter().cloned());
            all.push(field.first().unwrap_or(baseline).clone());
            let began = Instant::now();
            let (samples, copies) = self.sessions(&all, (sessions, rounds), pace);
            let pace = Some(began.elapsed().as_secs_f64() / (all.len() * sessions * rounds) as f64);
            if samples[0].is_empty() {
                return Err(no_baseline(baseline));
            }
            let medians: Vec<Option<f64>> =
                samples.iter().map(|s| Quartiles::of(s).map(|q| q.median)).collect();
            let mut doubted = false;
            for (variant, median) in all.iter().zip(&medians) {
                doubted |= median.is_some_and(|m| !self.believable(variant, m));
            }
            if doubted && attempt < AGAIN && !self.ends() {
                attempt += 1;
                (self.progress)("confirming again: a cost was below its bound");
                continue;
            }
            for (variant, median) in all.iter().zip(medians) {
                if let Some(median) = median {
                    self.judge.confirmed(variant, median);
                }
            }
            return Ok(Confirmed { pace, ..self.decide(&field, baseline, samples, &copies) });
        }
    }

    /// The samples of all sessions, and for each session the ratio of the last contender (a copy) to its original.
    fn sessions(
        &mut self,
        all: &[Variant],
        (sessions, rounds): (usize, usize),
        pace: Option<f64>,
    ) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut samples: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
        let mut copies = Vec::new();
        // The original is the first finalist, or the baseline if there is no finalist.
        let original = usize::from(all.len() > 2);
        for session in 1..=sessions {
            (self.progress)(&format!(
                "confirming {} variants, process {session} of {sessions}{}",
                all.len() - 2,
                about(pace, all.len(), rounds)
            ));
            let fresh = self.judge.confirm(all, rounds);
            if let (Some(a), Some(b)) = (fresh.last(), fresh.get(original)) {
                copies.extend(ratios(a, b).map(|r| quantile(&sorted(&r), 0.5)));
            }
            for (sum, more) in samples.iter_mut().zip(fresh) {
                sum.extend(more);
            }
        }
        (samples, copies)
    }

    fn decide(
        &mut self,
        field: &[Variant],
        baseline: &Variant,
        samples: Vec<Vec<f64>>,
        copies: &[f64],
    ) -> Confirmed {
        let copy = &samples[samples.len() - 1];
        let original = &samples[usize::from(!field.is_empty())];
        let itself = versus(copy, original, 0.0);
        let noise_floor = copies
            .iter()
            .copied()
            .chain([itself.interval.0, itself.interval.1])
            .map(|r| (r - 1.0).abs())
            .fold(0.0, f64::max);
        let standing = |variant: &Variant, s: &[f64], bound| {
            Some(Standing {
                variant: variant.clone(),
                cost: Quartiles::of(s)?,
                bound,
                against_baseline: versus(s, &samples[0], noise_floor),
            })
        };
        let mut finalists: Vec<(Standing, &Vec<f64>)> = Vec::new();
        for (variant, s) in field.iter().zip(&samples[1..]) {
            let bound = self.judge.bound(variant);
            finalists.extend(standing(variant, s, bound).map(|st| (st, s)));
        }
        finalists.sort_by(|a, b| a.0.cost.median.total_cmp(&b.0.cost.median));
        let base = Quartiles::of(&samples[0]).expect("the caller has refused a baseline without samples");
        // A few rounds, one of them disturbed, are not significant: then quartiles that lie far apart decide, and the
        // verdict stays.
        let rounds = samples[0].len();
        let is_better = |best: &Standing| match best.against_baseline.verdict {
            Comparative::Faster => true,
            Comparative::NoEvidence => {
                (FEW.0..FEW.1).contains(&rounds) && best.cost.high < base.low * (1.0 - FAR)
            }
            Comparative::Slower => false,
        };
        let faster = finalists.first().map(|(best, _)| best.clone()).filter(is_better);
        let won = faster.is_some();
        let winner = faster.unwrap_or_else(|| Standing {
            variant: baseline.clone(),
            cost: base,
            bound: self.judge.bound(baseline),
            against_baseline: versus(&samples[0], &samples[0], noise_floor),
        });
        let against_runner_up = match finalists.as_slice() {
            [(_, first), (second, other), ..] if won => {
                Some((second.variant.clone(), versus(first, other, noise_floor)))
            }
            [(first, other), ..] if !won => {
                Some((first.variant.clone(), versus(&samples[0], other, noise_floor)))
            }
            _ => None,
        };
        Confirmed {
            winner,
            against_runner_up,
            baseline: base,
            noise_floor,
            finalists: finalists.into_iter().map(|(s, _)| s).collect(),
            pace: None,
        }
    }
}

fn no_baseline(baseline: &Variant) -> String {
    format!("the baseline `{baseline}` could not be measured, so nothing can be compared with it")
}

/// Compares samples taken in the same rounds. The interval of the median ratio is that of order statistics, which makes
/// no assumption on the distribution: ranks n/2 -+ 0.98 sqrt(n).
pub fn versus(first: &[f64], second: &[f64], noise_floor: f64) -> Versus {
    let Some(ratios) = ratios(first, second) else {
        let interval = (0.0, f64::INFINITY);
        return Versus { ratio: f64::NAN, interval, verdict: Comparative::NoEvidence };
    };
    let sorted = sorted(&ratios);
    let n = sorted.len() as f64;
    let half = 0.98 * n.sqrt();
    let low = sorted[(n / 2.0 - half).floor().max(0.0) as usize];
    let high = sorted[((n / 2.0 + half).ceil() as usize).min(sorted.len() - 1)];
    // A 95 % statement needs at least five pairs that all agree.
    let verdict = if sorted.len() < 5 {
        Comparative::NoEvidence
    } else if high < 1.0 - noise_floor {
        Comparative::Faster
    } else if low > 1.0 + noise_floor {
        Comparative::Slower
    } else {
        Comparative::NoEvidence
    };
    Versus { ratio: quantile(&sorted, 0.5), interval: (low, high), verdict }
}

fn ratios(first: &[f64], second: &[f64]) -> Option<Vec<f64>> {
    let ratios: Vec<f64> = first.iter().zip(second).map(|(a, b)| a / b).filter(|r| r.is_finite()).collect();
    (!ratios.is_empty()).then_some(ratios)
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = samples.iter().copied().filter(|s| s.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The quantile of sorted samples, by linear interpolation.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// The fifth percentile: errors of samples are mostly upwards, but the minimum may come from a disturbed clock.
fn low(samples: &[f64]) -> f64 {
    let sorted = sorted(samples);
    if sorted.is_empty() { f64::INFINITY } else { quantile(&sorted, 0.05) }
}
