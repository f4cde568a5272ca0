//! One run, whatever the processor and its judge: a search, then a decision among the best.
//!
//! How candidates are costed and who decides depends on the judge. Where it is noisy ([`crate::measuring`]), each
//! kernel is proved and measured as it is found, and the best race. Where it is exact ([`crate::exact`]), the machine
//! model costs all, and the best are proved and judged.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use aesmith_arrange::{Space, Variant};
use aesmith_search::{Budget, Evaluate, Found, Outcome, Search, search, strategy};
use serde::Serialize;

use crate::error::TuneError;
use crate::options::{Event, RunRequest};

/// A search to be done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is searched.
    pub space: Space,
    /// The strategy, `name` or `name:option=value,...`.
    pub strategy: String,
    /// Where it starts.
    pub starts: Vec<Variant>,
    /// What is known already and not costed again.
    pub recalled: Vec<(Variant, Outcome)>,
    /// When it ends.
    pub budget: Budget,
    /// Of the search's random numbers.
    pub seed: u64,
}

impl Plan {
    /// Searches, and tells its progress.
    ///
    /// # Errors
    /// There is no such strategy.
    pub fn search(
        &self,
        evaluator: &mut dyn Evaluate,
        observer: &mut dyn FnMut(Event),
    ) -> Result<Found, TuneError> {
        let mut strategy = strategy(&self.strategy).map_err(TuneError::Usage)?;
        let wanted = Search {
            starts: self.starts.clone(),
            recalled: self.recalled.clone(),
            ..Search::new(self.space.clone(), self.budget.clone(), self.seed)
        };
        Ok(search(strategy.as_mut(), &wanted, evaluator, &mut |p| observer(Event::Progress(p))))
    }
}

/// What a run leaves to its kind of judge.
pub trait Judging {
    /// What the decision says.
    type Result: Serialize;

    /// What is searched, and a sentence that says so.
    fn plan(&self) -> (Plan, String);

    /// Searches; every cost is in the store before the next is taken.
    ///
    /// # Errors
    /// Trouble with the store or the judge.
    fn search(&mut self, plan: &Plan, observer: &mut dyn FnMut(Event)) -> Result<Found, TuneError>;

    /// Decides among the best that were found, and stores the decision.
    ///
    /// # Errors
    /// Trouble with the store or the judge; nothing that was found is as asked for.
    fn decide(&mut self, found: Found, observer: &mut dyn FnMut(Event)) -> Result<Self::Result, TuneError>;

    /// Stores that the run has ended.
    ///
    /// # Errors
    /// Trouble with the store.
    fn end(&mut self, state: &str) -> Result<(), TuneError>;
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned<R> {
    /// The problem's name.
    pub problem: String,
    /// The strategy.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// Whether the search started from nothing.
    pub alone: bool,
    /// Weights of dimensions that were asked for, by name.
    pub weights: BTreeMap<String, u32>,
    /// Seconds for all of it.
    pub seconds: f64,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// What was decided.
    #[serde(flatten)]
    pub result: R,
}

/// A run that began at some moment.
///
/// # Errors
/// Those of the judging.
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
    let interrupted = wanted.interrupted.load(Ordering::Relaxed);
    // A search that found nothing as asked for has finished, too.
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
