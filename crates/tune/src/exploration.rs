//! One search, recorded as a run in wisdom: every search of this crate goes through here.

use crate::error::TuneError;
use crate::key_life::Price;
use crate::options::Event;
use crate::pipeline::{Counts, Pipeline};
use crate::workplace::Workplace;
use aesmith_arrange::{Space, Variant};
use aesmith_search::{Budget, Evaluate, Found, Outcome, Search, search, strategy};
use aesmith_wisdom::RunId;

/// A search to be done.
#[derive(Clone, Debug)]
pub struct Exploration<'a> {
    /// What is searched.
    pub space: Space,
    /// Bytes of a message; 0 for key set-ups.
    pub size: usize,
    /// Where it starts.
    pub starts: Vec<Variant>,
    /// What is known already and not measured again.
    pub recalled: Vec<(Variant, Outcome)>,
    /// The strategy, with its options.
    pub way: &'a str,
    /// What wisdom notes as the run's options.
    pub label: &'a str,
    /// When it ends.
    pub budget: Budget,
    /// Of the search's random numbers.
    pub seed: u64,
    /// Of what kernels need set up: the search compares with it.
    pub price: Price,
}

/// What came of it.
pub struct Explored {
    /// Leaders, outcomes, convergence.
    pub found: Found,
    /// How its evaluations went.
    pub counts: Counts,
    /// Its run, which is still to be finished.
    pub run: RunId,
    /// The run's key.
    pub key: String,
}

impl Exploration<'_> {
    /// Searches. The run stays open for what else belongs to it, such as a race of the leaders.
    ///
    /// # Errors
    /// Trouble with the store or the judge; the run is then marked as interrupted.
    pub fn run(self, place: &mut Workplace, observer: &mut dyn FnMut(Event)) -> Result<Explored, TuneError> {
        let Exploration { space, size, starts, recalled, way, label, budget, seed, price } = self;
        let mut strategy = strategy(way).map_err(TuneError::Usage)?;
        let (run, key) = place.start_run(&space.plain.problem.to_string(), size, way, label, seed)?;
        let interrupted = budget.interrupted.clone();
        let priced = |variant: &Variant, outcome: Outcome| Outcome {
            cost: outcome.cost.map(|cost| cost + price.of(variant)),
            ..outcome
        };
        let recalled = recalled.into_iter().map(|(v, outcome)| (v.clone(), priced(&v, outcome))).collect();
        let request = Search { starts, recalled, ..Search::new(space, budget, seed) };
        let mut pipeline = Pipeline::new(
            &mut place.judge,
            &mut place.prover,
            &mut place.store,
            &place.model,
            place.target,
            run,
            size,
            interrupted,
        );
        let mut judge = |batch: &[Variant]| -> Vec<Outcome> {
            let outcomes = pipeline.evaluate(batch);
            batch.iter().zip(outcomes).map(|(variant, outcome)| priced(variant, outcome)).collect()
        };
        let found = search(strategy.as_mut(), &request, &mut judge, &mut |p| observer(Event::Progress(p)));
        let counts = pipeline.counts();
        if let Some(failure) = pipeline.take_failure() {
            place.store.set_state(run, "interrupted")?;
            return Err(failure);
        }
        Ok(Explored { found, counts, run, key })
    }
}
