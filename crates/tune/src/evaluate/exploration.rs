//! One search over this machine's kernels, recorded as a run in wisdom: every search with a noisy judge goes
//! through here.

use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::evaluate::pipeline::{Counts, Pipeline};
use crate::evaluate::search_times::SearchTimes;
use crate::key_life::Price;
use crate::options::Event;
use crate::workplace::Workplace;
use aesmith_arrange::Variant;
use aesmith_search::{Evaluate, Found, Outcome};
use aesmith_wisdom::RunId;
use serde_json::json;
use std::time::Instant;

/// A search to run.
#[derive(Clone, Debug)]
pub struct Exploration<'a> {
    /// The space and the strategy.
    pub plan: Plan,
    /// Bytes of a message; 0 for key set-ups.
    pub size: usize,
    /// The options of the run as recorded in wisdom.
    pub label: &'a str,
    /// The price of set-up that kernels need; the search includes it in costs.
    pub price: Price,
}

/// The result of a search.
pub struct Explored {
    /// Leaders, outcomes, convergence.
    pub found: Found,
    /// Statistics of its evaluations.
    pub counts: Counts,
    /// Its run, which the caller must finish.
    pub run: RunId,
    /// The run's key.
    pub key: String,
}

impl Exploration<'_> {
    /// Searches. The run stays open for further records, such as a race of the leaders.
    ///
    /// # Errors
    /// The strategy does not exist, or the store or the judge failed: the run is then marked as interrupted.
    pub fn run(self, place: &mut Workplace, observer: &mut dyn FnMut(Event)) -> Result<Explored, TuneError> {
        let Exploration { mut plan, size, label, price } = self;
        let problem = plan.space.plain.problem.to_string();
        let (run, key) = place.start_run(&problem, size, &plan.strategy, label, plan.seed)?;
        let priced = |variant: &Variant, outcome: Outcome| Outcome {
            cost: outcome.cost.map(|cost| cost + price.of(variant)),
            ..outcome
        };
        for (variant, outcome) in &mut plan.recalled {
            *outcome = priced(variant, outcome.clone());
        }
        let calls = place.calls();
        let ends = plan.budget.time.map(|time| Instant::now() + time);
        let mut pipeline = Pipeline::new(
            &mut place.judge,
            &mut place.prover,
            &mut place.store,
            &place.model,
            place.target,
            run,
            size,
            calls,
            ends,
            plan.budget.interrupted.clone(),
        );
        let mut judge = |batch: &[Variant]| -> Vec<Outcome> {
            let outcomes = pipeline.evaluate(batch);
            batch.iter().zip(outcomes).map(|(variant, outcome)| priced(variant, outcome)).collect()
        };
        let found = plan.search(&mut judge, observer);
        let counts = pipeline.counts();
        if let Some(failure) = pipeline.take_failure() {
            place.store.set_state(run, "interrupted")?;
            return Err(failure);
        }
        let found = found?;
        place.store.set_search(run, &json!(SearchTimes::from(counts)))?;
        Ok(Explored { found, counts, run, key })
    }
}
