//! A run with a noisy judge: baseline, starting points, search, race, and the winner confirmed and stored.

use crate::bench::{Bench, OURS, Row};
use crate::bound::shown_bound;
use crate::decide::by_size::{SizeBest, bests_by_size, measure_delivered};
use crate::decide::choose::choose_technique;
use crate::decide::crossover;
use crate::decide::race::{Raced, race};
use crate::decide::set_up;
use crate::deliver::Delivery;
use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::evaluate::exploration::{Exploration, Explored};
use crate::evaluate::pipeline::{COLD_SAMPLES, Counts};
use crate::evaluate::search_times::SearchTimes;
use crate::key_life::{self, SetUp};
use crate::options::{Event, OF_A_RUN, Room, RunRequest};
use crate::request::within;
use crate::run::begin::{self, Begun, begin, parts};
use crate::run::{Judging, Tuned, run};
use crate::starts::{former_bests, recalled};
use crate::workplace::Workplace;
use aesmith_arrange::{Space, Technique, Variant};
use aesmith_cipher::Calls;
use aesmith_search::Found;
use aesmith_search::racing::Race;
use aesmith_wisdom::RunId;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The kernel that won the race. Costs are cycles per byte; per call for key schedules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RaceResult {
    /// Bytes of a message.
    pub size: u64,
    /// Kind of calls for the costs and the choice of the kernel: `steady`, or `cold` for one call after 100
    /// microseconds of other work.
    pub calls: String,
    /// The restriction of the run in words; empty if none.
    pub restriction: String,
    /// Variants tried.
    pub variants_tried: u64,
    /// Number of different kernels measured.
    pub kernels: u64,
    /// Variants per second in the search.
    pub variants_per_second: f64,
    /// Time of the search by stage.
    pub search: SearchTimes,
    /// Cost of the variant with the least optimization allowed.
    pub baseline_cycles_per_byte: f64,
    /// Median cost of the confirmed winner.
    pub best_cycles_per_byte: f64,
    /// Its first quartile.
    pub best_low: f64,
    /// Its third quartile.
    pub best_high: f64,
    /// Lower bound of the machine for the problem; `None` for cold calls.
    pub bound_cycles_per_byte: Option<f64>,
    /// Cost of the system's OpenSSL libcrypto, measured interleaved with the delivered kernel for the report
    /// ([`RaceResult::take_openssl`]).
    pub openssl_cycles_per_byte: Option<f64>,
    /// OpenSSL's version.
    pub openssl_version: Option<String>,
    /// OpenSSL's cost divided by the winner's, both from the same rounds.
    pub times_faster_than_openssl: Option<f64>,
    /// `faster`, `slower` or `no evidence`, compared with the baseline.
    pub against_baseline: String,
    /// Deviation of a ratio from 1 that counts as noise.
    pub noise_floor: f64,
    /// True if the machine was quiet before the search and after the decision.
    pub quiet: bool,
    /// Level of the winner's certificate.
    pub certificate_level: String,
    /// Timing class of the winner, from its proof: `CT2`, `CT1`, or `VT` for variable time.
    pub constant_time: String,
    /// The winner's kernel name.
    pub kernel: String,
    /// The winner's variant.
    pub variant: String,
    /// Implementation of its rounds.
    pub technique: String,
    /// Number of variants for each outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Best screened cost so far: `(trial, cost)`.
    pub convergence: Vec<(u64, f64)>,
    /// The best kernel for each message size, if sizes were requested.
    pub by_size: Vec<SizeBest>,
    /// Cycles of a key set-up, in counter mode.
    pub key_set_up: Option<SetUp>,
    /// Assumed number of messages for each key.
    pub key_life: u64,
    /// True if the kernel reads a table that belongs to the key.
    pub key_table: bool,
    /// Kind of test messages.
    pub messages: String,
    /// The effort.
    pub effort: String,
    /// Key of the run in wisdom.
    pub run: String,
    /// Path of the report; set by its writer.
    pub report: Option<String>,
    /// Remaining time of a limited run, for the report.
    #[serde(skip)]
    pub room: Option<Room>,
    /// The kernel to be packaged; it contains the winner's variant at `size`.
    #[serde(skip)]
    pub delivery: Delivery,
}

/// Tunes a problem on this machine, by the calls that its workplace compares kernels by. Every measurement is
/// in the store when this returns, even with an error.
///
/// # Errors
/// See [`TuneError`].
pub fn tune(
    place: &mut Workplace,
    wanted: &RunRequest,
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned<RaceResult>, TuneError> {
    let started = Instant::now();
    wanted.check()?;
    let before = place.is_quiet(observer)?;
    let measuring = Measuring::new(place, wanted, started, observer)?;
    let mut tuned = run(measuring, wanted, started, observer)?;
    let after = place.is_quiet(observer)?;
    tuned.result.quiet = before && after;
    Ok(tuned)
}

/// The state of a run before its search, and the search's result.
struct Measuring<'p> {
    place: &'p mut Workplace,
    wanted: &'p RunRequest,
    started: Instant,
    size: usize,
    technique: Technique,
    baseline: Variant,
    plan: Plan,
    /// The search, once it ended.
    searched: Option<Searched>,
}

/// A finished search.
struct Searched {
    /// Its run, and the run's key.
    run: (RunId, String),
    /// When it ended.
    time: Duration,
    /// Statistics of its evaluations.
    counts: Counts,
}

impl<'p> Measuring<'p> {
    fn new(
        place: &'p mut Workplace,
        wanted: &'p RunRequest,
        started: Instant,
        observer: &mut dyn FnMut(Event),
    ) -> Result<Measuring<'p>, TuneError> {
        let strategy = begin::strategy(wanted)?;
        let problem = wanted.problem;
        let size = if problem.is_message() { wanted.bytes() } else { 0 };
        let recalled = match wanted.knows_nothing() {
            true => Vec::new(),
            false => recalled(&place.store, place.table(), (&place.key, problem, size))?,
        };
        if !recalled.is_empty() {
            observer(Event::Note(&format!(
                "{} variants of earlier runs are in wisdom and are not measured again",
                recalled.len()
            )));
        }
        let technique = choose_technique(place, wanted, size, observer)?;
        let former = |space: &Space| former_bests(place, problem, space);
        let Begun { space, baseline, mut starts } =
            begin(&place.settings.request, wanted, (technique, &place.target), former)?;
        // Variants measured earlier may exceed today's size limit.
        let limited = place.settings.request.budgets.flash.is_some();
        let target = place.target;
        let asked =
            |variant: &Variant| within(variant, &space) && (!limited || target.build(variant).is_ok());
        let known_good = 1 + starts.len() as u64;
        starts.retain(|variant| !limited || target.build(variant).is_ok());
        let recalled = recalled.into_iter().filter(|(variant, _)| asked(variant)).collect();
        let budget = begin::budget(wanted, known_good);
        let plan = Plan { space, strategy, starts, recalled, budget, seed: wanted.seed };
        Ok(Measuring { place, wanted, started, size, technique, baseline, plan, searched: None })
    }
}

impl Judging for Measuring<'_> {
    type Result = RaceResult;

    fn plan(&self) -> (Plan, String) {
        let Plan { strategy, seed, .. } = &self.plan;
        let cold = match self.place.calls() {
            Calls::Steady => String::new(),
            calls => format!("; {COLD_SAMPLES} samples of a variant, each of {}", calls.meaning()),
        };
        let (problem, size) = (self.wanted.problem, self.size);
        let what = format!("searching {problem} at {size} bytes: {strategy}, seed {seed}{cold}");
        (self.plan.clone(), what)
    }

    fn search(&mut self, plan: &Plan, observer: &mut dyn FnMut(Event)) -> Result<Found, TuneError> {
        let (place, size) = (&mut *self.place, self.size);
        set_up::measure(place, &self.baseline, size, plan.seed, self.wanted.until(1.0))?;
        let price = place.price(self.wanted.problem, size)?;
        let label = format!("{OF_A_RUN} {:?} {}", self.wanted, place.settings.request.restriction());
        let exploration = Exploration { plan: plan.clone(), size, label: &label, price };
        let Explored { found, run, key, counts } = exploration.run(place, observer)?;
        self.searched = Some(Searched { run: (run, key), time: self.started.elapsed(), counts });
        Ok(found)
    }

    fn decide(&mut self, found: Found, observer: &mut dyn FnMut(Event)) -> Result<RaceResult, TuneError> {
        let Measuring { place, wanted, size, technique, baseline, plan, searched, .. } = self;
        let (problem, size) = (wanted.problem, *size);
        let Some(Searched { run: (run, key), time: searched, counts }) = searched else {
            return Err(TuneError::NoResult("nothing was searched".into()));
        };
        observer(Event::Stage(&format!("racing the best of {problem} at {size} bytes")));
        let mut contenders: Vec<Variant> = found.leaders.iter().map(|l| l.variant.clone()).collect();
        contenders.extend(plan.starts.iter().cloned());
        let parts = parts(wanted);
        let parameters = Race {
            interrupted: wanted.interrupted.clone(),
            ends: wanted.until(parts.race),
            ..Race::default()
        };
        let raced = Raced { run: (*run, key), problem, size, baseline, race: &parameters };
        let won = race(place, &raced, &contenders, observer)?;
        let by_size = wanted.by_size();
        let room = |part: f64| Some(Room { ends: wanted.until(part)?, pace: won.pace?, size });
        let mut sizes = Vec::new();
        if by_size {
            let room = room(parts.sizes);
            sizes = bests_by_size(place, wanted, &found, (*technique, baseline), room, observer)?;
            let own = SizeBest {
                bytes: size as u64,
                cycles_per_byte: won.cost.median,
                bound_cycles_per_byte: shown_bound(place, &won.variant, size),
                dependent_call_cycles: None,
                variant: won.variant.to_string(),
            };
            sizes.push(own);
            sizes.sort_by_key(|best| best.bytes);
        }
        if by_size && !wanted.is_interrupted() {
            observer(Event::Stage("measuring from which length on which kernel is better"));
            if !crossover::measure(place, problem, wanted.seed, room(parts.crossover))? {
                observer(Event::Note(
                    "no time was left to compare kernels by length: one is chosen for all lengths, or as an earlier run found",
                ));
            }
        }
        let delivery = place.best_known(problem, size)?;
        if by_size && !wanted.is_interrupted() {
            measure_delivered(place, &delivery, size, &mut sizes, room(parts.delivered), observer)?;
        }
        Ok(RaceResult {
            size: size as u64,
            calls: place.calls().name().into(),
            restriction: place.settings.request.restriction(),
            variants_tried: found.trials,
            kernels: found.kernels,
            variants_per_second: found.trials as f64 / searched.as_secs_f64().max(1e-9),
            search: (*counts).into(),
            baseline_cycles_per_byte: won.baseline,
            best_cycles_per_byte: won.cost.median,
            best_low: won.cost.low,
            best_high: won.cost.high,
            bound_cycles_per_byte: shown_bound(place, &won.variant, size),
            openssl_cycles_per_byte: None,
            openssl_version: None,
            times_faster_than_openssl: None,
            against_baseline: won.against_baseline,
            noise_floor: won.noise_floor,
            quiet: false,
            certificate_level: delivery.certificate.level.clone(),
            constant_time: delivery.certificate.constant_time.clone(),
            kernel: delivery.name.clone(),
            variant: won.variant.to_string(),
            technique: delivery.technique.clone(),
            outcomes: found.verdicts.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            convergence: found.convergence,
            by_size: sizes,
            key_set_up: key_life::known(&place.store, &place.key, problem, &place.settings.request)?,
            key_life: place.settings.request.key_life.0,
            key_table: delivery.coverage.reads_table(),
            messages: "fresh random keys, IVs and texts for each evaluation".into(),
            effort: wanted.effort.name().into(),
            run: key.clone(),
            report: None,
            room: room(1.0),
            delivery,
        })
    }

    fn end(&mut self, state: &str) -> Result<(), TuneError> {
        if let Some(Searched { run: (run, _), .. }) = self.searched {
            self.place.store.set_state(run, state)?;
        }
        Ok(())
    }
}

impl RaceResult {
    /// Takes OpenSSL's figures from the report's measurement beside the delivered kernel; there is no other
    /// measurement, so report and console agree.
    pub fn take_openssl(&mut self, problem: &str, bench: &Bench) {
        let row = |subject: &str| {
            let at = |r: &&Row| r.problem == problem && r.bytes == self.size && r.subject == subject;
            bench.rows.iter().find(at)
        };
        let (Some(ours), Some(theirs), Ok(calls)) = (row(OURS), row("openssl"), self.calls.parse()) else {
            return;
        };
        if let (Some(our_cost), Some(their_cost)) = (ours.cost(calls), theirs.cost(calls)) {
            self.times_faster_than_openssl = Some(their_cost.median / our_cost.median);
            self.openssl_cycles_per_byte = Some(their_cost.median);
            self.openssl_version = Some(theirs.kernel.clone());
        }
    }
}
