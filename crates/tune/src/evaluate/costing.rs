//! Costs of variants by the machine model: the evaluator of a search with an exact judge. Every cost is
//! stored when it is found, and stored costs are not computed again.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use aesmith_arrange::{Space, Variant};
use aesmith_judge::judge::Judge;
use aesmith_processor::core::Core;
use aesmith_processor::cost::{BuiltKernel, Cost, Model, Modelled};
use aesmith_search::{Budget, Evaluate, Outcome, Verdict, kernel_hash};
use aesmith_wisdom::{Best, Costed, Filter, Sample, Store, WisdomError};

use crate::evaluate::pool::{parallel, threads};
use crate::evaluate::record::{Origin, Started};
use crate::evaluate::visited::Visited;
use crate::evaluate::{stored, told};
use crate::front::{Objective, front};
use crate::options::RunRequest;
use crate::request::Request;
use crate::wanted::options;

/// Variants that each processor of this machine costs between two looks at the clock: one may take seconds if
/// orders are searched.
const EACH: usize = 2;
/// Fractions of a limited run's time at which the search and the costing of other orders end: the rest is for
/// proofs and confirmation.
const SEARCH: f64 = 0.6;
const ORDERS: f64 = 0.75;
/// The version that is stored with every record; costs of other versions are taken again.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A costed variant.
#[derive(Clone, Debug)]
pub struct Point {
    /// The variant.
    pub variant: Variant,
    /// Its costs.
    pub cost: Cost,
    /// True if runs on different data took the same path.
    pub same_path: bool,
    /// SHA-256 of its program.
    pub sha256: String,
    /// Blocks that a call of a block function processes.
    pub blocks: u8,
}

/// Numbers of variants, and separately of their orders: a space counts variants, and each has thousands of
/// orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Variants of the space.
    pub variants: u64,
    /// Other orders and allocations of variants.
    pub orders: u64,
}

impl Tally {
    /// Counts one more variant.
    fn count(&mut self, variant: &Variant) {
        *(if variant.seed == 0 { &mut self.variants } else { &mut self.orders }) += 1;
    }

    /// The total.
    pub fn all(self) -> u64 {
        self.variants + self.orders
    }
}

/// The evaluator of one run.
pub struct Costing<'s> {
    core: &'static Core,
    store: &'s mut Store,
    request: &'s Request,
    wanted: &'s RunRequest,
    /// Its run in the store.
    run: Started,
    started: Instant,
    /// Known costs by a variant's text.
    known: HashMap<String, Costed>,
    /// Variants that were costed or known.
    pub visited: Visited<Point>,
    /// Variants that were costed in this run.
    pub tried: Tally,
    /// Variants whose cost was known.
    pub remembered: Tally,
    /// Numbers of variants that cannot be built, by reason.
    pub unfit: HashMap<String, u64>,
    /// The store's error, if it failed: the search then ends.
    failure: Option<WisdomError>,
}

impl<'s> Costing<'s> {
    /// Starts a run in the store, with the costs that the store has for a space.
    pub fn new(
        core: &'static Core,
        store: &'s mut Store,
        (request, wanted): (&'s Request, &'s RunRequest),
        space: &Space,
        strategy: &str,
    ) -> Result<Self, WisdomError> {
        let filter =
            Filter { processor: Some(core.name.into()), problem: Some(wanted.problem), ..Filter::default() };
        let today = |_: &str, text: &str| core.table.today(text).into_owned();
        let known =
            if wanted.knows_nothing() { Vec::new() } else { store.costed(&filter, Some(VERSION), &today)? };
        let run = begin(store, core, (request, wanted), strategy)?;
        let mut costing = Costing {
            core,
            store,
            request,
            wanted,
            run,
            started: Instant::now(),
            known: HashMap::new(),
            visited: Visited::default(),
            tried: Tally::default(),
            remembered: Tally::default(),
            unfit: HashMap::new(),
            failure: None,
        };
        for one in known {
            let variant = core.table.parse(&one.variant).ok();
            if let Some(variant) = variant.filter(|v| space.allows(v) && request.names(v)) {
                costing.remembered.count(&variant);
                let refuted = one.refuted.then(|| Err(one.message.clone()));
                costing.take(variant.clone(), refuted.unwrap_or_else(|| stored::point(&variant, &one)));
            }
            costing.known.insert(one.variant.clone(), one);
        }
        Ok(costing)
    }

    /// The stored cost of a variant.
    pub fn known(&self, variant: &Variant) -> Option<&Costed> {
        self.known.get(&variant.to_string())
    }

    /// The known outcomes, for a search to start with.
    pub fn recalled(&self) -> Vec<(Variant, Outcome)> {
        let variants: Vec<Variant> = self.visited.variants().cloned().collect();
        let outcomes = self.visited.outcomes(&variants, self.request, |point| self.outcome(point));
        variants.into_iter().zip(outcomes).collect()
    }

    /// Stores a kernel that is proved and tested, and the judge's counts for it.
    pub fn confirm(&mut self, (best, judged): (Best, Option<Sample>)) -> Result<(), WisdomError> {
        self.store.record(self.run.id, judged.as_slice())?;
        self.store.put_best(&best)
    }

    /// Stores the reason that a kernel is refused.
    pub(crate) fn refute(&mut self, point: &Point, why: &str) -> Result<(), WisdomError> {
        self.store.record(self.run.id, &[stored::refuted(point, why)])
    }

    /// The run in the store.
    pub(crate) fn stored_run(&self) -> &Started {
        &self.run
    }

    /// Stores that the run has ended.
    pub fn end(&mut self, state: &str) -> Result<(), WisdomError> {
        self.store.set_state(self.run.id, state)
    }

    /// Deletes the problem's stored results, and starts again with a strategy.
    pub fn forget(&mut self, strategy: &str) -> Result<(), WisdomError> {
        let (processor, problem) = (Some(self.core.name.into()), Some(self.wanted.problem));
        self.store.forget(&Filter { processor, problem, size: None })?;
        self.run = begin(self.store, self.core, (self.request, self.wanted), strategy)?;
        self.started = Instant::now();
        self.known.clear();
        self.visited = Visited::default();
        self.unfit.clear();
        (self.tried, self.remembered) = (Tally::default(), Tally::default());
        Ok(())
    }

    /// The budget of the search.
    pub fn budget(&self) -> Budget {
        self.wanted.budget(SEARCH, self.wanted.effort.exact().0)
    }

    /// True if the time for costing variants is over.
    fn is_late(&self) -> bool {
        match self.wanted.until(ORDERS) {
            Some(end) => Instant::now() >= end,
            None => self.wanted.effort.exact().0.is_some_and(|own| self.started.elapsed() >= own),
        }
    }

    /// True if the run is to end with the kernels that are confirmed by now.
    pub fn is_over(&self) -> bool {
        self.wanted.is_over(1.0)
    }

    /// The options of the run.
    pub fn wanted(&self) -> &'s RunRequest {
        self.wanted
    }

    /// The kernels that may be delivered.
    pub fn request(&self) -> &'s Request {
        self.request
    }

    /// The processor.
    pub fn core(&self) -> &'static Core {
        self.core
    }

    /// The reason that the evaluator stopped answering, if it did.
    pub(crate) fn take_failure(&mut self) -> Option<WisdomError> {
        self.failure.take()
    }

    /// True if the run must stop: interrupted, out of time, or out of trials.
    pub fn ends(&self) -> bool {
        self.failure.is_some()
            || self.wanted.is_interrupted()
            || self.is_late()
            || self.wanted.trials.is_some_and(|t| self.tried.all() + self.remembered.all() >= t)
    }

    fn take(&mut self, variant: Variant, result: Result<Point, String>) {
        let unfit = |why| *self.unfit.entry(why).or_default() += u64::from(variant.seed == 0);
        let point = result.map_err(unfit).ok();
        self.visited.take(variant, point);
    }

    /// True if a point satisfies the request.
    pub fn fits(&self, point: &Point) -> bool {
        self.request.budgets.hold(&point.cost)
            && (point.same_path || self.request.timing.needs_no_path(self.core))
            && self.wanted.keep.is_none_or(|keep| keep(point))
    }

    /// The sort key of points; the lowest is best.
    pub fn key(&self, point: &Point) -> [f64; 4] {
        self.request.objective.key(&point.cost.at(self.wanted.size))
    }

    /// The points that may win, best first.
    pub fn candidates(&self) -> Vec<usize> {
        let points = self.visited.points();
        let mut fit: Vec<usize> = (0..points.len()).filter(|&i| self.fits(&points[i])).collect();
        if self.request.objective == Objective::Pareto {
            let at = |i: &usize| (points[*i].cost.at(self.wanted.size), points[*i].same_path);
            let costs: Vec<_> = fit.iter().map(at).collect();
            return front(&costs).into_iter().map(|k| fit[k]).collect();
        }
        let key = |i: &usize| self.key(&points[*i]);
        fit.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b)));
        fit
    }

    /// The outcome that a strategy sees for a variant with costs.
    fn outcome(&self, point: &Point) -> Outcome {
        let [first, second, ..] = self.key(point);
        let over = if self.fits(point) { 0.0 } else { 1.0 + self.request.budgets.excess(&point.cost) };
        Outcome {
            cost: Some(told([first, second], over)),
            verdict: Verdict::Measured,
            kernel_hash: kernel_hash(&point.sha256),
            // The search may request this many orders by number.
            instructions_in_loop: u16::try_from(self.wanted.effort.exact().1).unwrap_or(u16::MAX),
        }
    }

    /// Costs variants, in parallel and in batches, until the run must stop.
    pub fn cost(&mut self, variants: &[Variant]) -> Result<(), WisdomError> {
        for batch in variants.chunks(EACH * threads()) {
            let fresh: Vec<Variant> = batch
                .iter()
                .filter(|v| self.request.names(v) && !self.visited.contains(v))
                .cloned()
                .collect();
            if fresh.is_empty() {
                continue;
            }
            if self.ends() {
                return Ok(());
            }
            let points = parallel(&fresh, |variant| point(self.core, variant));
            let trials = self.tried.all() + 1..;
            let all = trials.zip(fresh.iter().zip(&points));
            let samples: Vec<Sample> = all.map(|(trial, (v, r))| stored::modelled(trial, v, r)).collect();
            self.store.record(self.run.id, &samples)?;
            for (variant, result) in fresh.into_iter().zip(points) {
                self.tried.count(&variant);
                self.take(variant, result);
            }
        }
        Ok(())
    }
}

/// Starts a run in the store.
fn begin(
    store: &mut Store,
    core: &'static Core,
    (request, wanted): (&Request, &RunRequest),
    strategy: &str,
) -> Result<Started, WisdomError> {
    let options = options(request, wanted);
    let origin = Origin { strategy, options: &options, seed: wanted.seed, version: VERSION };
    stored::start(store, core, wanted.problem, origin)
}

impl Evaluate for Costing<'_> {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        if let Err(failure) = self.cost(batch) {
            self.failure = Some(failure);
            self.wanted.interrupted.store(true, Ordering::Relaxed);
        }
        self.visited.outcomes(batch, self.request, |point| self.outcome(point))
    }
}

/// A kernel with its costs by the machine model.
pub(crate) struct Made {
    pub kernel: BuiltKernel,
    pub cost: Cost,
    /// True if runs on different data took the same path.
    pub same_path: bool,
}

/// Builds and costs a variant.
pub(crate) fn made(core: &'static Core, variant: &Variant) -> Result<Made, String> {
    let kernel = BuiltKernel::new(core, (core.build)(variant)?)?;
    let Ok(outcome) = Model(core).measure_one(&kernel);
    let Modelled { cost, same_path } = outcome.map_err(|refusal| refusal.why)?.facts;
    Ok(Made { kernel, cost, same_path })
}

/// The point of a variant.
///
/// # Errors
/// It has no kernel, or none that the machine model can cost.
pub fn point(core: &'static Core, variant: &Variant) -> Result<Point, String> {
    let Made { kernel, cost, same_path } = made(core, variant)?;
    let blocks = kernel.kernel.contract.a_call();
    Ok(Point { variant: variant.clone(), cost, same_path, sha256: kernel.sha256, blocks })
}
