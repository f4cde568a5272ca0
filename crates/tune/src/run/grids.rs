//! A run over kernels of grids: a search by static bounds, then machine code and proof of the best.

use std::time::Instant;

use aesmith_arrange::Space;
use aesmith_cipher::Problem;
use aesmith_processor::grid::{Gives, Grids};
use serde::Serialize;

use crate::decide::grids::{GridDecision, all_of, first_proved};
use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::evaluate::bounding::{Bounding, Candidate, told_apart};
use crate::options::{Effort, Event, RunRequest};
use crate::request::Request;
use crate::run::{Judging, Tuned, run};
use crate::wanted::{count, solved, space, strategy, whole_blocks};

/// The parts of a run's time after which the search is over, no other kernel is translated, and no other is proved.
const SEARCH: f64 = 0.3;
const TRANSLATION: f64 = 0.6;
const PROOFS: f64 = 0.8;

/// The decision of a run over kernels of grids.
#[derive(Clone, Debug, Serialize)]
pub struct GridResult {
    /// The processor.
    pub processor: String,
    /// The kernels with their bounds, and the winner.
    #[serde(skip)]
    pub found: GridDecision,
    /// Kernels that were bounded by machine code, or by their text where there is no translator, the best first.
    pub candidates: Vec<Candidate>,
    /// Variants whose time was proved to depend on secrets, where that is not allowed.
    pub variable_time: Vec<String>,
    /// Variants of the space that was asked for.
    pub space: u64,
    /// Variants of it that were bounded.
    pub tried: u64,
    /// Variants of it that cannot be built.
    pub unfit: u64,
}

/// A request for a run over kernels of grids.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The kernels that may be delivered.
    pub request: &'a Request,
    /// How the run searches.
    pub wanted: &'a RunRequest,
    /// Memory and threads that a device gives a block of threads.
    pub gives: Gives,
    /// The names of functions, by problem and by whether their time depends on secrets.
    pub symbol: &'a dyn Fn(Problem, bool) -> String,
}

/// Checks the length of a message that a run is for.
///
/// # Errors
/// The problem has no messages, or none of this length.
pub fn check_size(grids: &Grids, wanted: &RunRequest) -> Result<(), TuneError> {
    let (problem, Some(size)) = (wanted.problem, wanted.size) else { return Ok(()) };
    let name = grids.name;
    if problem.mode().writes.is_some() {
        return Err(TuneError::Usage(format!(
            "{problem} on {name} expands a key, which has one length: leave --size out"
        )));
    }
    whole_blocks(grids, problem, size)
}

/// Tunes a problem on a processor of grids, by static bounds.
///
/// # Errors
/// See [`TuneError`].
pub fn tune(
    grids: &Grids,
    asked: Asked<'_>,
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned<GridResult>, TuneError> {
    let Asked { request, wanted, gives, .. } = asked;
    solved(grids, wanted.problem)?;
    let started = Instant::now();
    check_size(grids, wanted)?;
    if let Err(missing) = grids.translator.present() {
        observer(Event::Note(&format!("kernels are bounded by their text: {missing}")));
    }
    let space = told_apart(grids, space(grids, request, wanted)?);
    let size = count(request, &space);
    let bounding = Bounding::new(grids, request, gives, wanted.size);
    run(Bounded { grids, asked, bounding, space, size, tried: 0 }, wanted, started, observer)
}

struct Bounded<'a> {
    grids: &'a Grids,
    asked: Asked<'a>,
    bounding: Bounding<'a>,
    space: Space,
    /// Variants of the space that are asked for.
    size: u128,
    tried: u64,
}

impl Bounded<'_> {
    /// The most kernels that are translated, each of which takes about a second.
    fn translations(&self) -> u64 {
        let own = match self.asked.wanted.effort {
            Effort::Estimate => 4,
            Effort::Measure => 16,
            Effort::Patient | Effort::Exhaustive => u64::MAX,
        };
        self.asked.wanted.trials.map_or(own, |most| most.min(own))
    }
}

impl Judging for Bounded<'_> {
    type Result = GridResult;

    fn plan(&self) -> (Plan, String) {
        let wanted = self.asked.wanted;
        let strategy = strategy(wanted, self.size);
        let what = format!(
            "bounding variants of {} on {}, of a space of {}: {strategy}, seed {}",
            wanted.problem, self.grids.name, self.size, wanted.seed
        );
        let (space, budget) = (self.space.clone(), wanted.budget(SEARCH, None));
        (Plan { space, strategy, starts: Vec::new(), recalled: Vec::new(), budget, seed: wanted.seed }, what)
    }

    fn search(
        &mut self,
        plan: &Plan,
        observer: &mut dyn FnMut(Event),
    ) -> Result<aesmith_search::Found, TuneError> {
        let found = plan.search(&mut self.bounding, observer)?;
        self.tried = found.trials;
        Ok(found)
    }

    fn decide(
        &mut self,
        _: aesmith_search::Found,
        observer: &mut dyn FnMut(Event),
    ) -> Result<GridResult, TuneError> {
        let wanted = self.asked.wanted;
        let (mut translated, most) = (1, self.translations());
        observer(Event::Stage("translating the best, and proving them"));
        let mut goes_on = || {
            translated += 1;
            observer(Event::Step(translated, most));
            translated <= most && !wanted.is_over(TRANSLATION)
        };
        let candidates = self.bounding.translated(&all_of, &mut goes_on)?;
        let of = (self.asked.request, &self.bounding);
        let mut has_time = || !wanted.is_over(PROOFS);
        let found =
            first_proved(self.grids, wanted.problem, of, self.asked.symbol, candidates, &mut has_time)?;
        Ok(GridResult {
            processor: self.grids.name.into(),
            candidates: found.candidates.clone(),
            variable_time: found.variable.iter().map(ToString::to_string).collect(),
            space: self.size as u64,
            tried: self.tried,
            unfit: self.bounding.unfit,
            found,
        })
    }

    /// Static bounds are not kept: they cost less to compute than to read.
    fn end(&mut self, _: &str) -> Result<(), TuneError> {
        Ok(())
    }
}
