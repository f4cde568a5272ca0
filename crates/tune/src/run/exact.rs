//! A run with an exact judge: search by the machine model, then proof and confirmation of the winner, or of
//! every point of the front. There is no race: a kernel takes the same cycles every time.
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

use std::collections::HashSet;
use std::time::Instant;

use aesmith_arrange::{Space, Variant};
use aesmith_processor::core::Core;
use aesmith_search::Found;
use aesmith_wisdom::{Store, WisdomError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::decide::exact::{Winner, winners};
use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::evaluate::confirm::judge_of;
use crate::evaluate::costing::{Costing, Point};
use crate::front::Objective;
use crate::options::{Event, RunRequest};
use crate::request::Request;
use crate::run::{Judging, Tuned, run};
use crate::wanted::{checked, count, is_whole, solved, strategy};

/// The confirmed kernels, and counts of the costed variants.
#[derive(Clone, Debug, Serialize)]
pub struct ExamResult {
    /// The processor.
    pub processor: String,
    /// The objective.
    pub objective: Objective,
    /// The winner, or the front sorted by cycles.
    pub winners: Vec<Winner>,
    /// Modelled cycles of the variant with the first value of every dimension, if it fits.
    pub baseline: Option<f64>,
    /// Variants of the requested space.
    pub space: u64,
    /// Variants of it that were costed in this run.
    pub tried: u64,
    /// Variants of it whose cost wisdom knew.
    pub remembered: u64,
    /// Other orders and allocations of the best variants, costed in this run.
    pub orders: u64,
    /// Other orders and allocations whose cost wisdom knew.
    pub orders_remembered: u64,
    /// Variants of it that cannot be built.
    pub unfit: u64,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Variants whose order and allocation are searched.
const PROMISING: usize = 12;

/// Tunes a problem on a processor whose judges are exact. Every cost is in the store when this returns, even
/// with an error.
///
/// # Errors
/// See [`TuneError`].
pub fn tune(
    core: &'static Core,
    store: &mut Store,
    (request, wanted): (&Request, &RunRequest),
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned<ExamResult>, TuneError> {
    solved(core, wanted.problem)?;
    let started = Instant::now();
    let mut notes = vec![request.timing.about(core)];
    if let Err(missing) = judge_of(core) {
        notes.push(format!("the machine model decides by itself: {missing}"));
    }
    observer(Event::Note(&notes.join("\n")));
    let space = checked(core, request, wanted)?;
    let size = count(request, &space);
    let strategy = strategy(wanted, size);
    let whole = wanted.strategy.is_none() && is_whole(wanted, size);
    let mut starts = core.starting_points(wanted.problem);
    starts.retain(|variant| !wanted.alone && request.names(variant) && space.allows(variant));
    if whole {
        starts.extend(shuffled(&space, request, wanted.seed));
    }
    let mut seen = HashSet::new();
    starts.retain(|variant| seen.insert(variant.clone()));
    let costing = Costing::new(core, store, (request, wanted), &space, &strategy)?;
    run(Examining { costing, space, size, strategy, starts, notes }, wanted, started, observer)
}

/// A run with an exact judge.
struct Examining<'s> {
    costing: Costing<'s>,
    space: Space,
    /// Variants of the space that the request admits.
    size: u128,
    strategy: String,
    starts: Vec<Variant>,
    notes: Vec<String>,
}

impl Examining<'_> {
    /// Searches orders and allocations of the best, then proves, examines and judges; `None` if stored costs
    /// belong to other code.
    fn winners(&mut self, observer: &mut dyn FnMut(Event)) -> Result<Option<Vec<Winner>>, TuneError> {
        observer(Event::Stage("searching orders and allocations of the best"));
        reorder(&mut self.costing, observer)?;
        if let Some(failure) = self.costing.take_failure() {
            return Err(failure.into());
        }
        observer(Event::Stage("proving and confirming"));
        winners(&mut self.costing, &mut self.notes, observer)
    }
}

impl Judging for Examining<'_> {
    type Result = ExamResult;

    fn plan(&self) -> (Plan, String) {
        let (wanted, seed) = (self.costing.wanted(), self.costing.wanted().seed);
        let plan = Plan {
            space: self.space.clone(),
            strategy: self.strategy.clone(),
            starts: self.starts.clone(),
            recalled: self.costing.recalled(),
            budget: self.costing.budget(),
            seed,
        };
        let what = format!(
            "costing variants of {} on {}, of a space of {}: {}, seed {seed}",
            wanted.problem,
            self.costing.core().name,
            self.size,
            self.strategy
        );
        (plan, what)
    }

    fn search(&mut self, plan: &Plan, observer: &mut dyn FnMut(Event)) -> Result<Found, TuneError> {
        plan.search(&mut self.costing, observer)
    }

    fn decide(&mut self, _: Found, observer: &mut dyn FnMut(Event)) -> Result<ExamResult, TuneError> {
        let winners = match self.winners(observer)? {
            Some(winners) => winners,
            None => {
                // Kernels have changed since they were stored.
                let note =
                    "what wisdom knew is of other code than this version makes, and was computed again";
                observer(Event::Note(note));
                self.notes.push(note.into());
                self.costing.forget(&self.strategy)?;
                let (plan, _) = self.plan();
                self.search(&plan, observer)?;
                let changed = || TuneError::NoResult("kernels change while they are costed".into());
                self.winners(observer)?.ok_or_else(changed)?
            }
        };
        let costing = &self.costing;
        let plain = costing.core().table.plain(costing.wanted().problem);
        let baseline = costing.visited.points().iter().find(|p| p.variant == plain).map(|p| p.cost.cycles);
        Ok(ExamResult {
            processor: costing.core().name.into(),
            objective: costing.request().objective,
            winners,
            baseline,
            space: self.size as u64,
            tried: costing.tried.variants,
            remembered: costing.remembered.variants,
            orders: costing.tried.orders,
            orders_remembered: costing.remembered.orders,
            unfit: costing.unfit.values().sum(),
            notes: std::mem::take(&mut self.notes),
        })
    }

    fn end(&mut self, state: &str) -> Result<(), TuneError> {
        Ok(self.costing.end(state)?)
    }
}

/// All variants of a space that the request admits, in random order: a search that is cut short has sampled
/// the whole space.
fn shuffled(space: &Space, request: &Request, seed: u64) -> Vec<Variant> {
    let mut all = space.variants();
    all.retain(|variant| request.names(variant));
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    all
}

/// Costs other orders and allocations of the promising variants, if there are any.
fn reorder(costing: &mut Costing, observer: &mut dyn FnMut(Event)) -> Result<(), WisdomError> {
    let (_, orders) = costing.wanted().effort.exact();
    let candidates = costing.candidates();
    let plain =
        candidates.into_iter().map(|i| costing.visited.points()[i].clone()).filter(|p| p.variant.seed == 0);
    let promising: Vec<Point> = plain.take(PROMISING).collect();
    for (done, point) in promising.iter().enumerate() {
        if orders == 0 || costing.ends() {
            break;
        }
        let first = point.variant.clone().seeded(1);
        costing.cost(std::slice::from_ref(&first))?;
        if costing.visited.of(&first).is_none_or(|other| other.sha256 == point.sha256) {
            continue;
        }
        let more: Vec<Variant> = (2..=orders).map(|seed| first.clone().seeded(seed)).collect();
        costing.cost(&more)?;
        observer(Event::Step(done as u64 + 1, promising.len() as u64));
    }
    Ok(())
}
