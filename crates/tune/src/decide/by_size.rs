//! The best kernel for each class of message lengths; the dispatcher chooses among them.

use crate::bound::{correct, shown_bound};
use crate::decide::race::{Raced, race};
use crate::deliver::Delivery;
use crate::deliver::chosen;
use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::evaluate::exploration::{Exploration, Explored};
use crate::options::{Event, Room, RunRequest, other_sizes};
use crate::request::within;
use crate::starts::{fitted_seeds, former_bests};
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_native::{Bench, Contender};
use aesmith_search::racing::Race;
use aesmith_search::{Budget, Found};
use serde::Serialize;
use std::time::{Duration, Instant};

/// The best kernel for one message size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeBest {
    /// Bytes of a message.
    pub bytes: u64,
    /// Median throughput of independent calls, in cycles per byte: of the variant as confirmed if a run was
    /// for this size, else of the delivered kernel, which chooses the variant by length.
    pub cycles_per_byte: f64,
    /// Lower bound of the machine.
    pub bound_cycles_per_byte: Option<f64>,
    /// Median latency of dependent calls of the delivered kernel: cycles from one call's arguments to its
    /// last result.
    pub dependent_call_cycles: Option<f64>,
    /// The variant.
    pub variant: String,
}

/// Least time for the search and race at one size, in rounds of one kernel: screening of the starting points,
/// the shortest confirmation, and its process.
const LEAST_ROUNDS: f64 = 60.0;

/// Finds the best kernel for each other message size: leaders of the search and starting points raced at that
/// size. The best structure depends on the length only through set-up, tail and table, so the leaders at the
/// search's size are not the only contenders.
///
/// # Errors
/// The store or the judge failed, or a size has no kernel.
pub(crate) fn bests_by_size(
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
        if options.is_interrupted() {
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
            field.extend(fitted_seeds(&request, &space, &place.target));
            field.extend(former_bests(place, problem, &space)?);
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
        let parameters = Race {
            rounds,
            finalists: 3,
            sessions: 2,
            confirm_rounds: rounds * 5,
            interrupted: options.interrupted.clone(),
            ends,
        };
        let raced = Raced { run: (run, &key), problem, size, baseline, race: &parameters };
        let won = race(place, &raced, &contenders, observer)?;
        place.store.set_state(run, "finished")?;
        bests.push(SizeBest {
            bytes: size as u64,
            cycles_per_byte: won.cost.median,
            bound_cycles_per_byte: shown_bound(place, &won.variant, size),
            dependent_call_cycles: None,
            variant: won.variant.to_string(),
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

/// Rounds of the measurement of the delivered kernel.
const ROUNDS: usize = 12;
/// Least number of rounds; with fewer it is not measured.
const FEWEST: usize = 3;

/// Measures the delivered kernel: independent calls at the sizes other than `own` that were confirmed, and
/// dependent calls at all sizes. A kernel that chooses among variants by length spends some cycles on the
/// choice. Races of its variants do not measure these, but short messages pay them: the figure shown for a
/// length is the cost of a call of that length. If kernels are compared by cold calls, cold calls are
/// measured, and no bound is checked.
///
/// # Errors
/// The store or the judge failed.
pub(crate) fn measure_delivered(
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
        let Ok(variant) = place.table().parse(&best.variant) else { continue };
        best.bound_cycles_per_byte = shown_bound(place, &variant, best.bytes as usize);
    }
    Ok(())
}
