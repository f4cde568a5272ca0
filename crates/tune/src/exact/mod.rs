//! A run where the judge is exact: search by the machine model, then proof and confirmation of the winner, or of
//! every point of the front. There is no race: the same kernel takes the same cycles every time.
//!
//! ```
//! use aesmith_processor::cost::Cost;
//! use aesmith_tune::front::front;
//!
//! let cost = |cycles: f64, flash: u64| Cost { cycles, once: 0.0, flash, ram: 0, stack: 0 };
//! // Neither of the first two beats the other; the third is beaten.
//! let on = front(&[(cost(1500.0, 2000), true), (cost(2500.0, 900), true), (cost(2600.0, 2100), true)]);
//! assert_eq!(on, [0, 1]);
//! ```

pub mod costing;
pub mod handout;
pub mod stored;
mod wanted;
mod winners;

use std::time::Instant;

use aesmith_arrange::{Space, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::certificate::Certificate;
use aesmith_processor::core::Core;
use aesmith_processor::cost::Cost;
use aesmith_search::{Progress, Search, search, strategy};
use aesmith_wisdom::{Filter, Store, WisdomError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::confirm::judge_of;
use crate::error::TuneError;
use crate::exact::costing::{Costing, Point};
use crate::exact::stored::in_full;
use crate::front::Objective;
use crate::options::Event;
pub use wanted::{Restriction, RunRequest, check_size};
use winners::winners;

/// A kernel that is proved and confirmed.
#[derive(Clone, Debug, Serialize)]
pub struct Winner {
    /// Its certificate, with all its costs.
    pub certificate: Certificate,
    /// Cycles below which no kernel of its dataflow can be.
    pub bound: Option<f64>,
    /// Why.
    pub bound_reason: String,
    /// Whether it was confirmed before this run.
    pub known: bool,
}

/// What came of tuning.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    /// The processor.
    pub processor: String,
    /// The problem.
    pub problem: String,
    /// What was sought.
    pub objective: Objective,
    /// The winner, or the front, the fewest cycles first.
    pub winners: Vec<Winner>,
    /// Cycles of the variant with the first value of every dimension, by the model, if it fits.
    pub baseline: Option<f64>,
    /// Variants of the space that was asked for.
    pub space: u64,
    /// The strategy.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// Variants costed now.
    pub tried: u64,
    /// Variants that wisdom knew.
    pub remembered: u64,
    /// Variants that cannot be built or do not fit.
    pub unfit: u64,
    /// How long it took.
    pub seconds: f64,
    /// Whether it was stopped.
    pub interrupted: bool,
    /// Sentences.
    pub notes: Vec<String>,
}

/// Variants of a space that is searched whole, unless a strategy or a number of trials is given.
const WHOLE: u128 = 30_000;
/// Variants whose order and allocation are searched.
const PROMISING: usize = 12;

/// Tunes.
pub fn tune(
    core: &'static Core,
    store: &mut Store,
    wanted: &RunRequest,
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned, TuneError> {
    if !(core.solves)(wanted.problem) {
        return Err(TuneError::Usage(not_solved(core, wanted.problem)));
    }
    let started = Instant::now();
    let mut notes = vec![wanted.timing.about(core)];
    if let Err(missing) = judge_of(core) {
        notes.push(format!("the machine model decides by itself: {missing}"));
    }
    observer(Event::Note(&notes.join("\n")));
    let space = wanted.space(core)?;
    let size = wanted.restriction.count(&space);
    let named = wanted.strategy.clone();
    let whole = named.is_none() && size <= WHOLE && wanted.trials.is_none_or(|most| u128::from(most) >= size);
    let name = named.unwrap_or_else(|| if whole { "exhaustive" } else { "memetic" }.to_owned());
    let mut costing = Costing::new(core, store, wanted, &space, &name)?;
    observer(Event::Stage(&format!(
        "costing variants of {} on {}, of a space of {size}: {name}, seed {}",
        wanted.problem, core.name, wanted.seed
    )));
    let request = Search {
        starts: if whole { shuffled(&space, wanted) } else { Vec::new() },
        recalled: costing.recalled(),
        ..Search::new(space, wanted.budget(), wanted.seed)
    };
    let mut strategy = strategy(&name).map_err(TuneError::Usage)?;
    search(strategy.as_mut(), &request, &mut costing, &mut |progress: &Progress| {
        observer(Event::Progress(progress));
    });
    observer(Event::Stage("searching orders and allocations of the best"));
    reorder(&mut costing, wanted, observer)?;
    if let Some(failure) = costing.take_failure() {
        return Err(failure.into());
    }
    observer(Event::Stage("proving and confirming"));
    let found = winners(core, &mut costing, wanted, &mut notes, observer);
    costing.end()?;
    let winners = match found? {
        Some(winners) => winners,
        None => {
            // Kernels have changed since they were stored: all of it is computed again.
            let note = "what wisdom knew is of other code than this version makes, and was computed again";
            observer(Event::Note(note));
            notes.push(note.into());
            drop(costing);
            let of = (Some(core.name.into()), Some(wanted.problem));
            store.forget(&Filter { processor: of.0, problem: of.1, size: None })?;
            let again = RunRequest { afresh: true, ..wanted.clone() };
            let mut tuned = tune(core, store, &again, observer)?;
            tuned.notes = notes;
            return Ok(tuned);
        }
    };
    let plain = core.table.plain(wanted.problem);
    let baseline = costing.points.iter().find(|p| p.variant == plain).map(|p| p.cost.cycles);
    Ok(Tuned {
        processor: core.name.into(),
        problem: wanted.problem.to_string(),
        objective: wanted.objective,
        winners,
        baseline,
        space: size as u64,
        tried: costing.tried,
        remembered: costing.remembered,
        strategy: name,
        seed: wanted.seed,
        unfit: costing.unfit.values().sum(),
        seconds: started.elapsed().as_secs_f64(),
        interrupted: wanted.interrupted.load(std::sync::atomic::Ordering::Relaxed),
        notes,
    })
}

/// All variants that are asked for of a space, by chance: a search that is cut short has seen something of everything.
fn shuffled(space: &Space, wanted: &RunRequest) -> Vec<Variant> {
    let mut all = space.variants();
    all.retain(|variant| wanted.restriction.admits(variant));
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(wanted.seed));
    all
}

/// Other orders and allocations of the promising variants, where there are any.
fn reorder(
    costing: &mut Costing,
    wanted: &RunRequest,
    observer: &mut dyn FnMut(Event),
) -> Result<(), WisdomError> {
    let candidates = costing.candidates();
    let plain = candidates.into_iter().map(|i| costing.points[i].clone()).filter(|p| p.variant.seed == 0);
    let promising: Vec<Point> = plain.take(PROMISING).collect();
    for (done, point) in promising.iter().enumerate() {
        if wanted.orders == 0 || costing.ends() {
            break;
        }
        let first = point.variant.clone().seeded(1);
        costing.cost(std::slice::from_ref(&first))?;
        if costing.of(&first).is_none_or(|other| other.sha256 == point.sha256) {
            continue;
        }
        let more: Vec<Variant> = (2..=wanted.orders).map(|seed| first.clone().seeded(seed)).collect();
        costing.cost(&more)?;
        observer(Event::Step(done as u64 + 1, promising.len() as u64));
    }
    Ok(())
}

/// Why a processor has nothing for a problem.
pub fn not_solved(core: &Core, problem: Problem) -> String {
    let solved: Vec<String> =
        Problem::all().into_iter().filter(|p| (core.solves)(*p)).map(|p| p.to_string()).collect();
    format!("there are no kernels of {problem} for {}; there are of {}", core.name, solved.join(", "))
}

/// The confirmed kernels of a problem that a store has, best by an objective and a size of message first. Where a
/// judge counts cycles, they decide, as they do among the finalists of a run.
pub fn confirmed(
    store: &Store,
    core: &Core,
    problem: Problem,
    (objective, size): (Objective, Option<usize>),
) -> Result<Vec<Certificate>, WisdomError> {
    let filter = Filter { processor: Some(core.name.into()), problem: Some(problem), ..Filter::default() };
    let mut all: Vec<Certificate> =
        store.costed(&filter, None)?.iter().filter_map(in_full).map(|c| c.classed(core)).collect();
    all.sort_by(|a, b| {
        let key = |c: &Certificate| objective.key(&Cost { cycles: c.cycles(), ..c.cost }.at(size));
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(all)
}
