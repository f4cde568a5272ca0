//! A run on any processor with any judge: a search, then a decision among the best.
//!
//! The costing of candidates and the decision depend on the judge. With a noisy judge ([`native`]), each kernel is proved and
//! measured when it is found, and the best race. With an exact judge ([`exact`]), the machine model costs all, and the best are
//! proved and judged. Static bounds ([`grids`], [`modelled`]) decide by themselves, and the best are proved.

mod begin;
pub mod exact;
pub mod grids;
pub mod modelled;
pub mod native;

use std::collections::BTreeMap;
use std::time::Instant;

use aesmith_search::Found;
use serde::Serialize;

use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::options::{Event, RunRequest};

/// The parts of a run that depend on the kind of judge.
pub trait Judging {
    /// The result of the decision.
    type Result: Serialize;

    /// The plan of the search, and a sentence that describes it.
    fn plan(&self) -> (Plan, String);

    /// Searches; every cost is stored before the next is taken.
    ///
    /// # Errors
    /// The store or the judge failed.
    fn search(&mut self, plan: &Plan, observer: &mut dyn FnMut(Event)) -> Result<Found, TuneError>;

    /// Decides among the best that were found, and stores the decision.
    ///
    /// # Errors
    /// The store or the judge failed, or no kernel satisfies the request.
    fn decide(&mut self, found: Found, observer: &mut dyn FnMut(Event)) -> Result<Self::Result, TuneError>;

    /// Stores that the run has ended.
    ///
    /// # Errors
    /// The store failed.
    fn end(&mut self, state: &str) -> Result<(), TuneError>;
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned<R> {
    /// The problem's name.
    pub problem: String,
    /// The strategy.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// True if the search started from scratch.
    pub alone: bool,
    /// Requested weights of dimensions, by name.
    pub weights: BTreeMap<String, u32>,
    /// Seconds for the whole run.
    pub seconds: f64,
    /// True if it was interrupted.
    pub interrupted: bool,
    /// The decision.
    #[serde(flatten)]
    pub result: R,
}

/// Runs a search and its decision; `started` is the beginning of the run.
///
/// # Errors
/// Errors of the judging.
pub(crate) fn run<J: Judging>(
    mut judging: J,
    wanted: &RunRequest,
    started: Instant,
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned<J::Result>, TuneError> {
    let (plan, what) = judging.plan();
    observer(Event::Stage(&what));
    let found = judging.search(&plan, observer)?;
    let result = judging.decide(found, observer);
    let interrupted = wanted.is_interrupted();
    // A search that found no admissible kernel has finished, too.
    judging.end(if interrupted { "interrupted" } else { "finished" })?;
    Ok(Tuned {
        problem: wanted.problem.to_string(),
        strategy: plan.strategy,
        seed: wanted.seed,
        alone: wanted.alone,
        weights: wanted.weights.0.clone(),
        seconds: started.elapsed().as_secs_f64(),
        interrupted,
        result: result?,
    })
}
