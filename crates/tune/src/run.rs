//! The run: baseline, starting points, search, race, the winner confirmed and remembered.

use crate::bound::variant_bound;
use crate::by_size::{SizeBest, bests_by_size};
use crate::choose::choose_technique;
use crate::contest::Contest;
use crate::crossover;
use crate::error::TuneError;
use crate::exploration::{Exploration, Explored};
use crate::floor::floor_per_byte;
use crate::handout::HandOut;
use crate::options::{Effort, Event, Options};
use crate::scope::Asked;
use crate::seeds::seeds;
use crate::workplace::Workplace;
use aesmith_arrange::{DIMENSIONS, Dim, Space, Technique, Variant};
use aesmith_cipher::{Problem, Task};
use aesmith_kernel::{Target, build};
use aesmith_search::racing::{Confirmed, Quartiles, Race, Racer, Standing};
use aesmith_search::{Budget, Outcome, Verdict, strategy};
use aesmith_wisdom::write::now_ms;
use aesmith_wisdom::{Best, Filter, RunId};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What `tune --json` ends with. Costs are cycles per byte; per call for key schedules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned {
    /// The problem's name.
    pub problem: String,
    /// Bytes of a message.
    pub size: u64,
    /// Variants tried.
    pub variants_tried: u64,
    /// Different kernels among those measured.
    pub kernels: u64,
    /// Seconds for all of it.
    pub seconds: f64,
    /// Variants a second in the search.
    pub variants_per_second: f64,
    /// The variant without any optimization.
    pub baseline_cycles_per_byte: f64,
    /// The confirmed winner: median.
    pub best_cycles_per_byte: f64,
    /// Its first quartile.
    pub best_low: f64,
    /// Its third quartile.
    pub best_high: f64,
    /// What the machine allows for the problem.
    pub bound_cycles_per_byte: Option<f64>,
    /// OpenSSL's libcrypto of the system, measured interleaved with the winner.
    pub openssl_cycles_per_byte: Option<f64>,
    /// OpenSSL's version.
    pub openssl_version: Option<String>,
    /// `faster`, `slower` or `no evidence`, against the baseline.
    pub against_baseline: String,
    /// How far from 1 a ratio had to be to say anything.
    pub noise_floor: f64,
    /// Level of the winner's certificate.
    pub certificate_level: String,
    /// Class of the winner's timing, from its proof: `CT2`, `CT1`, or `VT` for variable time.
    pub constant_time: String,
    /// The winner's kernel name.
    pub kernel: String,
    /// The winner's variant.
    pub variant: String,
    /// How its rounds are computed.
    pub technique: String,
    /// What became of the variants.
    pub outcomes: BTreeMap<String, u64>,
    /// Best screened cost so far: `(trial, cost)`.
    pub convergence: Vec<(u64, f64)>,
    /// The best for each message size, where sizes were asked for.
    pub by_size: Vec<SizeBest>,
    /// How messages were made.
    pub messages: String,
    /// The effort.
    pub effort: String,
    /// The strategy.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Key of the run in wisdom.
    pub run: String,
    /// Path of the report; set by whoever writes one.
    pub report: Option<String>,
}

/// Part of the time that is kept for the race and the other message sizes.
const KEPT: (f64, f64) = (0.1, 0.5);

/// Tunes a problem. Everything measured is in the store when this returns, however it returns.
///
/// # Errors
/// See [`TuneError`].
pub fn tune(
    place: &mut Workplace,
    options: &Options,
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned, TuneError> {
    let started = Instant::now();
    check(options)?;
    let name = options.strategy.clone().unwrap_or_else(|| default_strategy(options.effort).to_owned());
    strategy(&name).map_err(TuneError::Usage)?;
    let size = if options.problem.is_message() { options.size } else { 0 };
    let problem = options.problem.to_string();
    let recalled = if options.afresh { Vec::new() } else { recalled(place, options.problem, size)? };
    if !recalled.is_empty() {
        observer(Event::Note(&format!(
            "{} variants of earlier runs are in wisdom and are not measured again",
            recalled.len()
        )));
    }
    let technique = choose_technique(place, options, size, observer)?;
    let space = searched_space(place, options, technique)?;

    let by_size = options.sizes && options.problem.task == Task::Ctr && options.effort != Effort::Estimate;
    let budget = Budget {
        trials: if options.effort == Effort::Estimate { Some(0) } else { options.trials },
        time: search_time(options, by_size),
        interrupted: options.interrupted.clone(),
    };
    let mut starts = vec![baseline(options.problem, technique, &place.target)];
    starts.extend(seeds(options.problem, technique, &place.target));
    starts.extend(former_bests(place, options.problem)?);
    starts.retain(|v| within(v, &space));
    starts.dedup();
    let estimate = Budget { trials: Some(1 + starts.len() as u64), time: None, ..budget.clone() };
    observer(Event::Stage(&format!("searching {problem} at {size} bytes: {name}, seed {}", options.seed)));
    let wanted = Exploration {
        space: space.clone(),
        size,
        starts: starts.clone(),
        recalled,
        way: &name,
        label: &format!("{options:?}"),
        budget: if options.effort == Effort::Estimate { estimate } else { budget },
        seed: options.seed,
    };
    let Explored { found, run, key, .. } = wanted.run(place, observer)?;
    let searched = started.elapsed();

    let confirmed = {
        let mut contenders: Vec<Variant> = found.leaders.iter().map(|l| l.variant.clone()).collect();
        contenders.extend(starts.iter().cloned());
        let race = Race { interrupted: options.interrupted.clone(), ..Race::default() };
        let baseline = baseline(options.problem, technique, &place.target);
        run_race(place, run, &baseline, size, &race, &contenders, observer)?
    };
    let handout = remember(place, &key, options, size, &confirmed)?;
    let mut sizes = Vec::new();
    if by_size {
        sizes = bests_by_size(place, options, &space, &found, started, observer)?;
    }
    if sizes.len() > 1 && !options.interrupted.load(Ordering::Relaxed) {
        observer(Event::Stage("measuring from which length on which kernel is better"));
        crossover::measure(place, options.problem, technique, options.seed)?;
    }
    let openssl = openssl(place, options.problem, size, &handout, observer)?;
    let interrupted = options.interrupted.load(Ordering::Relaxed);
    place.store.set_state(run, if interrupted { "interrupted" } else { "finished" })?;

    let winner = &confirmed.winner;
    Ok(Tuned {
        problem,
        size: size as u64,
        variants_tried: found.trials,
        kernels: found.kernels,
        seconds: started.elapsed().as_secs_f64(),
        variants_per_second: found.trials as f64 / searched.as_secs_f64().max(1e-9),
        baseline_cycles_per_byte: confirmed.baseline.median,
        best_cycles_per_byte: winner.cost.median,
        best_low: winner.cost.low,
        best_high: winner.cost.high,
        bound_cycles_per_byte: variant_bound(place, &winner.variant, size),
        openssl_cycles_per_byte: openssl.as_ref().map(|(cost, _)| *cost),
        openssl_version: openssl.map(|(_, version)| version),
        against_baseline: winner.against_baseline.verdict.name().to_owned(),
        noise_floor: confirmed.noise_floor,
        certificate_level: handout.certificate.level.clone(),
        constant_time: handout.certificate.constant_time.clone(),
        kernel: handout.name.clone(),
        variant: winner.variant.to_string(),
        technique: handout.technique.clone(),
        outcomes: found.verdicts.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
        convergence: found.convergence,
        by_size: sizes,
        messages: "fresh random keys, IVs and texts for each evaluation".into(),
        effort: options.effort.name().into(),
        strategy: name,
        seed: options.seed,
        interrupted,
        run: key,
        report: None,
    })
}

fn check(options: &Options) -> Result<(), TuneError> {
    let Options { problem, size, .. } = options;
    if !problem.is_message() {
        return Ok(());
    }
    let whole = problem.task == Task::Ctr || size % 16 == 0;
    if *size == 0 || !whole || *size > 1 << 30 {
        return Err(TuneError::Usage(format!(
            "{problem} cannot be measured on messages of {size} bytes: the size is from 1 byte to 1 GiB, \
             and whole blocks of 16 bytes but in counter mode"
        )));
    }
    Ok(())
}

fn default_strategy(effort: Effort) -> &'static str {
    match effort {
        Effort::Exhaustive => "exhaustive",
        _ => "memetic",
    }
}

/// Time for the search alone.
fn search_time(options: &Options, by_size: bool) -> Option<Duration> {
    let kept = if by_size { KEPT.1 } else { KEPT.0 };
    match (options.time, options.effort.time()) {
        (Some(whole), _) => Some(whole.mul_f64(1.0 - kept)),
        (None, Some(_)) if options.trials.is_some() => None,
        (None, own) => own,
    }
}

/// The space searched: the problem's, or the paper's, with what the options fix; for an exhaustive
/// search nothing is left free that cannot be gone through.
fn searched_space(place: &Workplace, options: &Options, technique: Technique) -> Result<Space, TuneError> {
    let lanes = place.target.lanes_of(technique);
    let mut space = match options.paper {
        true => Space::paper(options.problem, lanes).filter(|_| technique == Technique::Aes).ok_or_else(|| {
            TuneError::Usage(format!(
                "the paper's subspace is one of counter mode with AES instructions, not of {} by {technique}",
                options.problem
            ))
        })?,
        false => Space::of(options.problem, technique, lanes),
    };
    if !options.paper {
        leave_streaming_out(&mut space, options.size);
    }
    if let Some(widths) = space.axes.iter_mut().find(|a| a.dimension.dim == Dim::Width) {
        match place.settings.scope.asked {
            Asked::Aesni => widths.values.retain(|&w| w == 0),
            Asked::Vaes => widths.values.retain(|&w| w > 0),
            Asked::Auto | Asked::Only(_) => {}
        }
    }
    for (dim, values) in &options.only {
        let Some(axis) = space.axes.iter_mut().find(|a| a.dimension.dim == *dim) else {
            return Err(TuneError::Usage(format!(
                "{} by technique {technique} has no dimension `{}`",
                options.problem, DIMENSIONS[*dim as usize].name
            )));
        };
        axis.values = values.clone();
    }
    if options.effort == Effort::Exhaustive && !options.paper && options.only.is_empty() {
        exhaustible(&mut space, lanes);
    }
    Ok(space)
}

/// Messages from this length on outgrow the second-level caches of today's processors.
const BEYOND_CACHES: usize = 8 << 20;

/// Streaming stores gain where the output outgrows the caches. In shorter messages they are as
/// fast at best, and many times slower where what was written is soon read or overwritten; a
/// kernel chosen at one length is handed out for every length. So they are searched for long
/// messages, or when asked for (`--only streaming=...`).
pub(crate) fn leave_streaming_out(space: &mut Space, size: usize) {
    if size < BEYOND_CACHES {
        for axis in space.axes.iter_mut().filter(|a| a.dimension.dim == Dim::Streaming) {
            axis.values = vec![0];
        }
    }
}

/// Brings the space down to what exhausting takes minutes: the widest registers, keys in registers
/// as the first so many, and the switches that change least at their defaults.
fn exhaustible(space: &mut Space, lanes: usize) {
    let cbc = matches!(space.problem.task, Task::CbcEncrypt { .. });
    for axis in &mut space.axes {
        let default = vec![axis.dimension.default];
        axis.values = match axis.dimension.dim {
            Dim::Width if !cbc => vec![lanes.ilog2() as u16],
            Dim::Width
            | Dim::Unroll
            | Dim::Interleave
            | Dim::Cached
            | Dim::Counter
            | Dim::Xor
            | Dim::Schedule => {
                continue;
            }
            Dim::Streams | Dim::Fold => continue,
            Dim::Keys => (0..16u32).step_by(5).map(|n| ((1u32 << n) - 1).min(0x7fff) as u16).collect(),
            Dim::Distance => vec![0, 1, 2, 4, 17],
            Dim::Interval => vec![0, 2, 4, 8],
            _ => default,
        };
    }
}

pub(crate) fn within(variant: &Variant, space: &Space) -> bool {
    variant.technique == space.technique
        && space.axes.iter().all(|a| a.values.contains(&variant.get(a.dimension.dim)))
}

/// What earlier runs measured. What they could not build or prove is tried again: it costs little,
/// and a newer version may be able to.
fn recalled(place: &Workplace, problem: Problem, size: usize) -> Result<Vec<(Variant, Outcome)>, TuneError> {
    let known = place.store.known(&Filter::exactly(&place.key, problem, size as u64))?;
    Ok(known
        .into_iter()
        .filter_map(|s| {
            let outcome = Outcome {
                cost: Some(s.cost?),
                verdict: Verdict::Measured,
                kernel_hash: s.sha256.and_then(|h| u64::from_str_radix(h.get(..16)?, 16).ok()),
                instructions_in_loop: s.instructions,
            };
            Some((s.variant.parse().ok()?, outcome))
        })
        .collect())
}

/// The bests of earlier runs, at any size.
pub(crate) fn former_bests(place: &Workplace, problem: Problem) -> Result<Vec<Variant>, TuneError> {
    let filter = Filter { processor: Some(place.key.clone()), problem: Some(problem), size: None };
    Ok(place.store.bests(&filter)?.iter().filter_map(|b| b.variant.parse().ok()).collect())
}

/// Runs one race; the judge's own failure comes before the race's.
pub(crate) fn run_race(
    place: &mut Workplace,
    run: RunId,
    baseline: &Variant,
    size: usize,
    race: &Race,
    contenders: &[Variant],
    observer: &mut dyn FnMut(Event),
) -> Result<Confirmed, TuneError> {
    let mut contest = Contest::new(place, run, size);
    let result = Racer { race, judge: &mut contest, progress: &mut |text| observer(Event::Stage(text)) }
        .run(baseline, contenders);
    match (contest.take_failure(), result) {
        (Some(failure), _) => Err(failure),
        (None, result) => result.map_err(TuneError::NoResult),
    }
}

/// The variant without any optimization; on wider registers where sixteen streams do not fit the
/// narrow ones.
pub fn baseline(problem: Problem, technique: Technique, target: &Target) -> Variant {
    let plain = Variant::plain(problem, technique);
    let widths = plain.get(Dim::Width)..(target.lanes_of(technique).max(1).ilog2() as u16 + 1);
    let mut wider = widths.map(|width| plain.clone().with(Dim::Width, width));
    wider.find(|v| build(v, target).is_ok()).unwrap_or(plain)
}

/// Stores the winner with its certificate.
pub(crate) fn remember(
    place: &mut Workplace,
    key: &str,
    options: &Options,
    size: usize,
    confirmed: &Confirmed,
) -> Result<HandOut, TuneError> {
    let problem = options.problem;
    let winner: &Standing = &confirmed.winner;
    let handout = HandOut::of_variant(&winner.variant, &place.target, &mut place.prover)?;
    let Quartiles { low, median, high } = winner.cost;
    let asked = place.settings.scope.asked;
    let restricted = options.paper || !options.only.is_empty() || matches!(asked, Asked::Aesni | Asked::Vaes);
    // The best of a part of the space is the best of all only if it beats what is known of the rest.
    let known = place.store.bests(&Filter::exactly(&place.key, problem, size as u64))?;
    let known = known
        .iter()
        .filter(|b| b.variant.parse().is_ok_and(|v: Variant| v.technique == winner.variant.technique));
    if restricted && known.into_iter().any(|b| b.median <= median) {
        return Ok(handout);
    }
    place.store.put_best(&Best {
        processor: place.key.clone(),
        problem: problem.to_string(),
        size: size as u64,
        run: key.to_owned(),
        confirmed_ms: now_ms(),
        variant: winner.variant.to_string(),
        sha256: handout.certificate.sha256.clone(),
        certificate: serde_json::to_value(&handout.certificate).expect("a certificate has a JSON form"),
        low,
        median,
        high,
        baseline: confirmed.baseline.median,
        bound: match winner.variant.technique {
            Technique::Aes => floor_per_byte(&place.model, &winner.variant, size),
            _ => variant_bound(place, &winner.variant, size),
        },
    })?;
    Ok(handout)
}

/// OpenSSL's median beside the winner's, and its version; `None` where there is none.
fn openssl(
    place: &mut Workplace,
    problem: Problem,
    size: usize,
    handout: &HandOut,
    observer: &mut dyn FnMut(Event),
) -> Result<Option<(f64, String)>, TuneError> {
    if !problem.is_message() {
        return Ok(None);
    }
    observer(Event::Stage("measuring OpenSSL beside the winner"));
    let how = aesmith_judge::Bench {
        sizes: vec![size],
        rounds: 12,
        cold: false,
        peers: Some(vec!["openssl".into()]),
    };
    let contenders = [aesmith_judge::Contender { name: "aesmith", code: &handout.bytes }];
    let rows = place.judge.bench(problem, &contenders, &how)?;
    Ok(rows
        .into_iter()
        .find(|r| r.subject == "openssl")
        .and_then(|r| Some((r.outcome.ok()?.cycles_per_byte(0.5), r.version))))
}
