//! The best kernel for each class of message lengths, which the dispatcher chooses among.

use crate::bound::{correct, shown_bound};
use crate::error::TuneError;
use crate::explain::chosen;
use crate::exploration::{Exploration, Explored};
use crate::handout::Delivery;
use crate::measuring::{champion, starts_of};
use crate::options::{Event, Room, RunRequest};
use crate::request::within;
use crate::run::Plan;
use crate::title::Raced;
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_native::{Bench, Contender};
use aesmith_search::racing::Race;
use aesmith_search::{Budget, Found};
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The best of one message size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeBest {
    /// Bytes of a message.
    pub bytes: u64,
    /// Throughput of independent calls, median: of the variant, as it was confirmed, where a run is about
    /// this size; else of the kernel that is handed out, which chooses it by length.
    pub cycles_per_byte: f64,
    /// What the machine allows.
    pub bound_cycles_per_byte: Option<f64>,
    /// Latency of dependent calls of the kernel that is handed out: cycles from one call's arguments to its
    /// last result, median.
    pub dependent_call_cycles: Option<f64>,
    /// The variant.
    pub variant: String,
}

/// Message sizes for which a problem has a best of its own.
pub const SIZES: [usize; 7] = [16, 64, 256, 1024, 4096, 32 << 10, 1 << 20];

/// Most bytes of other sizes than a run's own, all streams together: a race at more takes minutes.
const LONGEST: usize = SIZES[SIZES.len() - 1];

/// Rounds of one kernel in whose time a size is searched and raced at the least: starting points screened, a confirmation of the
/// shortest kind, and the process that it is in.
const LEAST_ROUNDS: f64 = 60.0;

/// The sizes besides the one that a run is for; of several streams those that are not too long together.
pub fn other_sizes(problem: Problem, size: usize) -> impl Iterator<Item = usize> {
    SIZES.into_iter().filter(move |&s| s != size && s.saturating_mul(problem.streams()) <= LONGEST)
}

/// The best for each other message size: leaders of the search and starting points raced at that
/// size. Which structure is best depends on the length through set-up, tail and table only, so the
/// leaders at the search's size are not all that take part.
///
/// # Errors
/// Trouble with the store or the judge, or no kernel at a size.
pub fn bests_by_size(
    place: &mut Workplace,
    options: &RunRequest,
    found: &Found,
    (technique, baseline): (Technique, &Variant),
    room: Option<Room>,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<SizeBest>, TuneError> {
    let problem = options.problem;
    let request = place.settings.request.clone();
    let all = other_sizes(problem, options.bytes()).count();
    let mut bests = Vec::new();
    let mut skipped = Vec::new();
    for (index, size) in other_sizes(problem, options.bytes()).enumerate() {
        if options.interrupted.load(Ordering::Relaxed) {
            break;
        }
        let share = room.map_or(Duration::from_secs(3), |room| {
            room.ends.saturating_duration_since(Instant::now()) / (all - index) as u32
        });
        if room.is_some_and(|room| share.as_secs_f64() < LEAST_ROUNDS * room.pace_at(size)) {
            skipped.push(size);
            observer(Event::LeftOut);
            continue;
        }
        let ends = room.map(|_| Instant::now() + share);
        observer(Event::Stage(&format!("searching and racing {problem} at {size} bytes")));
        let mut space = request.space(problem, technique, &place.target, size)?;
        options.weights.apply(&mut space)?;
        let mut field: Vec<Variant> = found.leaders.iter().take(12).map(|l| l.variant.clone()).collect();
        field.retain(|v| within(v, &space));
        if !options.alone {
            field.extend(starts_of(place, problem, &space)?);
        }
        let plan = Plan {
            space,
            strategy: "memetic".into(),
            starts: field.clone(),
            recalled: Vec::new(),
            budget: Budget {
                trials: options.trials.map(|n| n / all as u64),
                time: Some(share.mul_f64(if room.is_some() { 0.4 } else { 0.6 })),
                interrupted: options.interrupted.clone(),
            },
            seed: options.seed,
        };
        let wanted = Exploration { plan, size, label: "by size", price: place.price(problem, size)? };
        let Explored { found, run, key, .. } = wanted.run(place, observer)?;
        let mut contenders: Vec<Variant> = found.leaders.into_iter().take(24).map(|l| l.variant).collect();
        contenders.extend(field.iter().cloned());
        let rounds = if size > 1 << 18 { 4 } else { 8 };
        let race = Race {
            rounds,
            finalists: 3,
            sessions: 2,
            confirm_rounds: rounds * 5,
            interrupted: options.interrupted.clone(),
            ends,
        };
        let raced = Raced { run: (run, &key), problem, size, baseline, race: &race };
        let champion = champion(place, &raced, &contenders, observer)?;
        place.store.set_state(run, "finished")?;
        bests.push(SizeBest {
            bytes: size as u64,
            cycles_per_byte: champion.cost.median,
            bound_cycles_per_byte: shown_bound(place, &champion.variant, size),
            dependent_call_cycles: None,
            variant: champion.variant.to_string(),
        });
    }
    if !skipped.is_empty() {
        let sizes: Vec<String> = skipped.iter().map(usize::to_string).collect();
        observer(Event::Note(&format!(
            "no time was left to search for messages of {} bytes: a longer --time, or none, has it",
            sizes.join(", ")
        )));
    }
    Ok(bests)
}

/// Rounds in which the kernel that is handed out is measured.
const ROUNDS: usize = 12;
/// Rounds below which it is not.
const FEWEST: usize = 3;

/// Measures the kernel that is handed out: independent calls at the other sizes than `own`, where they were
/// confirmed, and dependent ones at all. A kernel that chooses among variants by length takes some cycles to
/// choose, which the races of its variants do not see, and short messages do: what is shown of a length is
/// what a call of that length takes. Where kernels are compared by cold calls, it is those that are measured, and no
/// bound is held against them.
///
/// # Errors
/// Trouble with the store or the judge.
pub(crate) fn measure_handed_out(
    place: &mut Workplace,
    kernel: &Delivery,
    own: usize,
    bests: &mut [SizeBest],
    room: Option<Room>,
    observer: &mut dyn FnMut(Event),
) -> Result<(), TuneError> {
    let sizes: Vec<usize> = bests.iter().map(|b| b.bytes as usize).collect();
    let cold = place.calls().is_cold();
    let rounds = room.map_or(ROUNDS, |room| room.rounds(&sizes, 2, ROUNDS));
    if rounds < FEWEST {
        return Ok(());
    }
    let how = Bench { sizes, rounds, cold, peers: Some(Vec::new()), latency: !cold };
    let contenders = [Contender { name: "aesmith", code: &kernel.bytes }];
    for row in place.judge.bench(kernel.problem, &contenders, &how)? {
        let Some(best) = bests.iter_mut().find(|best| best.bytes == row.size as u64) else { continue };
        let dependent = row.latency.map(|samples| samples.quantile(0.5));
        best.dependent_call_cycles = dependent.filter(|cycles| cycles.is_finite());
        let Ok(samples) = row.outcome else { continue };
        if row.size == own {
            continue;
        }
        let variant = chosen(kernel, row.size).clone();
        best.cycles_per_byte = samples.cycles_per_byte(0.5);
        best.variant = variant.to_string();
        if !cold && let Some(note) = correct(place, &variant, row.size, best.cycles_per_byte)? {
            observer(Event::Note(&note));
        }
    }
    for best in bests {
        let Ok(variant) = best.variant.parse() else { continue };
        best.bound_cycles_per_byte = shown_bound(place, &variant, best.bytes as usize);
    }
    Ok(())
}
