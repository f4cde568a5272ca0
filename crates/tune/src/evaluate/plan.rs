//! The search that proposes variants to an evaluation.

use aesmith_arrange::{Space, Variant};
use aesmith_search::{Budget, Evaluate, Found, Outcome, Search, search, strategy};

use crate::error::TuneError;
use crate::options::Event;

/// A search to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The space to search.
    pub space: Space,
    /// The strategy, `name` or `name:option=value,...`.
    pub strategy: String,
    /// Its starting points.
    pub starts: Vec<Variant>,
    /// Known outcomes, which are not costed again.
    pub recalled: Vec<(Variant, Outcome)>,
    /// Its limits.
    pub budget: Budget,
    /// Seed of the search's random numbers.
    pub seed: u64,
}

impl Plan {
    /// Searches, and reports progress.
    ///
    /// # Errors
    /// The strategy does not exist.
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
