//! The search over a described processor's variants: all of them where they are few, else random
//! ones and descents from the best; then orders and allocations of the promising. Every cost is
//! stored as it is found, and what is stored is not computed again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::core::Core;
use aesmith_wisdom::{Best, Costed, Filter, Sample, Store, WisdomError};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::exact::front::{Budgets, Objective, front};
use crate::exact::stored::{self, Origin, Started};
use aesmith_processor::cost::{Cost, Made};
use aesmith_processor::timing::Timing;

/// Variants of a space that is searched whole, unless a number of trials is given.
const WHOLE: usize = 30_000;
/// Variants that each processor of this machine costs between two looks at the clock: one may take
/// seconds, where orders are searched.
const EACH: usize = 2;
/// Variants whose order and allocation are searched.
const PROMISING: usize = 12;
/// Variants from which descents start.
const STARTS: usize = 8;

/// What is to be found.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What is computed.
    pub problem: Problem,
    /// What is sought.
    pub objective: Objective,
    /// Hard limits.
    pub budgets: Budgets,
    /// How a kernel's time may depend on secrets.
    pub timing: Timing,
    /// Longest time.
    pub time: Option<Duration>,
    /// Most variants to cost.
    pub trials: Option<u64>,
    /// Orders and allocations tried of each promising variant.
    pub seeds: u32,
    /// Seed of the search.
    pub seed: u64,
    /// Whether what is stored is computed again.
    pub afresh: bool,
    /// Which kernels count, if not all.
    pub only: Option<fn(&Point) -> bool>,
    /// Set to stop.
    pub interrupted: Arc<AtomicBool>,
}

/// What long work says.
pub enum Event<'a> {
    /// A stage begins.
    Stage(&'a str),
    /// So many of so many are done.
    Step(u64, u64),
    /// A sentence.
    Note(&'a str),
}

/// A costed variant.
#[derive(Clone, Debug)]
pub struct Point {
    /// The variant.
    pub variant: Variant,
    /// Its costs.
    pub cost: Cost,
    /// Whether different data went the same way.
    pub same_path: bool,
    /// SHA-256 of its program.
    pub sha256: String,
    /// Blocks that a call of a block function takes.
    pub blocks: u8,
}

/// A search under way.
pub struct Search<'s> {
    core: &'static Core,
    store: &'s mut Store,
    wanted: &'s Wanted,
    /// Its run in the store.
    run: Started,
    started: Instant,
    /// What is known, by a variant's text.
    known: HashMap<String, Costed>,
    /// What has been costed, or was known.
    pub points: Vec<Point>,
    /// Which variants have been looked at in this search.
    seen: HashMap<Variant, Option<usize>>,
    /// Variants that were costed now.
    pub tried: u64,
    /// Variants that were known.
    pub remembered: u64,
    /// Variants that cannot be built, by the reason.
    pub unfit: HashMap<String, u64>,
}

impl<'s> Search<'s> {
    /// Over what the store knows already; starts a run there.
    pub fn new(core: &'static Core, store: &'s mut Store, wanted: &'s Wanted) -> Result<Self, WisdomError> {
        let filter =
            Filter { processor: Some(core.name.into()), problem: Some(wanted.problem), ..Filter::default() };
        let version = env!("CARGO_PKG_VERSION");
        let known = if wanted.afresh { Vec::new() } else { store.costed(&filter, Some(version))? };
        let known = known.into_iter().map(|k| (k.variant.clone(), k)).collect();
        let options = stored::options(wanted);
        let origin = Origin { strategy: "descent", options: &options, seed: wanted.seed, version };
        let run = stored::start(store, core, wanted.problem, origin)?;
        Ok(Search {
            core,
            store,
            wanted,
            run,
            started: Instant::now(),
            known,
            points: Vec::new(),
            seen: HashMap::new(),
            tried: 0,
            remembered: 0,
            unfit: HashMap::new(),
        })
    }

    /// What is known of a variant from before.
    pub fn known(&self, variant: &Variant) -> Option<&Costed> {
        self.known.get(&variant.to_string())
    }

    /// Stores a kernel that is proved and tested, and what the judge counted of it.
    pub fn confirm(&mut self, (best, judged): (Best, Option<Sample>)) -> Result<(), WisdomError> {
        self.store.record(self.run.id, judged.as_slice())?;
        self.store.put_best(&best)
    }

    /// Stores why a kernel is refused.
    pub fn refute(&mut self, point: &Point, why: &str) -> Result<(), WisdomError> {
        self.store.record(self.run.id, &[stored::refuted(point, why)])
    }

    /// The run in the store.
    pub fn stored_run(&self) -> &Started {
        &self.run
    }

    /// Stores that the run has ended.
    pub fn end(&mut self) -> Result<(), WisdomError> {
        let interrupted = self.wanted.interrupted.load(Ordering::Relaxed);
        self.store.set_state(self.run.id, if interrupted { "interrupted" } else { "finished" })
    }

    /// Whether to stop: asked to, out of time, or out of trials.
    pub fn ends(&self) -> bool {
        self.wanted.interrupted.load(Ordering::Relaxed)
            || self.wanted.time.is_some_and(|t| self.started.elapsed() >= t)
            || self.wanted.trials.is_some_and(|t| self.tried >= t)
    }

    /// Searches, and returns the number of variants of the space.
    pub fn run(&mut self, observer: &mut dyn FnMut(Event)) -> Result<u64, WisdomError> {
        let core = self.core;
        let mut all = core.table.all(self.wanted.problem);
        let size = all.len() as u64;
        let mut random = ChaCha8Rng::seed_from_u64(self.wanted.seed);
        // The plain variant stays in front: a search that is cut short has a baseline.
        all[1..].shuffle(&mut random);
        let most = self.wanted.trials.map_or(WHOLE, |t| t as usize);
        let whole = all.len() <= most;
        if !whole {
            all.truncate((most / 2).max(1));
        }
        observer(Event::Stage(&format!(
            "costing {} of {size} variants of {} on {}",
            all.len(),
            self.wanted.problem,
            core.name
        )));
        self.evaluate(&all, observer)?;
        if !whole {
            observer(Event::Stage("descending from the best"));
            self.descend(&mut random, observer)?;
        }
        observer(Event::Stage("searching orders and allocations of the best"));
        self.reorder(observer)?;
        Ok(size)
    }

    /// Costs variants, in parallel and in batches; what is known is taken over.
    fn evaluate(&mut self, variants: &[Variant], observer: &mut dyn FnMut(Event)) -> Result<(), WisdomError> {
        let total = variants.len() as u64;
        let at_once = EACH * threads();
        for (number, batch) in variants.chunks(at_once).enumerate() {
            let mut fresh = Vec::new();
            for variant in batch {
                if self.seen.contains_key(variant) || fresh.contains(variant) {
                    continue;
                }
                match self.known.get(&variant.to_string()).cloned() {
                    Some(known) => self.remember(variant, &known),
                    None => fresh.push(variant.clone()),
                }
            }
            if !fresh.is_empty() {
                if self.ends() {
                    return Ok(());
                }
                let made = costed(self.core, &fresh);
                let trials = self.tried + 1..;
                let samples: Vec<Sample> =
                    trials.zip(&made).map(|(trial, (v, r))| stored::modelled(trial, v, r)).collect();
                self.store.record(self.run.id, &samples)?;
                self.tried += samples.len() as u64;
                for (variant, result) in made {
                    self.take(variant, result);
                }
            }
            observer(Event::Step((number * at_once + batch.len()) as u64, total));
        }
        Ok(())
    }

    fn take(&mut self, variant: Variant, result: Result<Point, String>) {
        let place = match result {
            Ok(point) => {
                self.points.push(point);
                Some(self.points.len() - 1)
            }
            Err(why) => {
                *self.unfit.entry(why).or_default() += 1;
                None
            }
        };
        self.seen.insert(variant, place);
    }

    fn remember(&mut self, variant: &Variant, known: &Costed) {
        self.remembered += 1;
        let refuted = known.refuted.then(|| Err(known.message.clone()));
        self.take(variant.clone(), refuted.unwrap_or_else(|| stored::point(variant, known)));
    }

    /// Whether a point is as asked for.
    pub fn fits(&self, point: &Point) -> bool {
        self.wanted.budgets.hold(&point.cost)
            && (point.same_path || self.wanted.timing != Timing::Proved)
            && self.wanted.only.is_none_or(|only| only(point))
    }

    /// The points that may win, best first.
    pub fn candidates(&self) -> Vec<usize> {
        let mut fit: Vec<usize> = (0..self.points.len()).filter(|&i| self.fits(&self.points[i])).collect();
        if self.wanted.objective == Objective::Pareto {
            let points: Vec<_> =
                fit.iter().map(|&i| (self.points[i].cost, self.points[i].same_path)).collect();
            return front(&points).into_iter().map(|k| fit[k]).collect();
        }
        let key = |i: &usize| self.wanted.objective.key(&self.points[*i].cost);
        fit.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b)));
        fit
    }

    /// From each of the best, to the neighbour in one dimension that is better, until none is.
    fn descend(
        &mut self,
        random: &mut ChaCha8Rng,
        observer: &mut dyn FnMut(Event),
    ) -> Result<(), WisdomError> {
        let starts: Vec<usize> = self.candidates().into_iter().take(STARTS).collect();
        for start in starts {
            let mut at = start;
            while !self.ends() {
                let mut near = self.points[at].variant.neighbours();
                near.shuffle(random);
                self.evaluate(&near, observer)?;
                let places = near.iter().filter_map(|v| self.seen.get(v).copied().flatten());
                let key = |i: usize| self.wanted.objective.key(&self.points[i].cost);
                let better = places
                    .filter(|&i| self.fits(&self.points[i]) && key(i) < key(at))
                    .min_by(|&a, &b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
                match better {
                    Some(next) => at = next,
                    None => break,
                }
            }
        }
        // What is left of the trials goes to variants nobody has looked at.
        while !self.ends() && self.wanted.trials.is_some() {
            let fresh: Vec<Variant> =
                (0..EACH * threads()).map(|_| any(self.core, self.wanted.problem, random)).collect();
            let before = self.tried;
            self.evaluate(&fresh, observer)?;
            if self.tried == before {
                break;
            }
        }
        Ok(())
    }

    /// Other orders and allocations of the promising variants, where there are any.
    fn reorder(&mut self, observer: &mut dyn FnMut(Event)) -> Result<(), WisdomError> {
        let plain = |i: &usize| self.points[*i].variant.seed == 0;
        let promising: Vec<Point> = self
            .candidates()
            .into_iter()
            .filter(plain)
            .take(PROMISING)
            .map(|i| self.points[i].clone())
            .collect();
        for (done, point) in promising.iter().enumerate() {
            if self.wanted.seeds == 0 || self.ends() {
                break;
            }
            let seeded = |seed: u32| point.variant.clone().seeded(seed);
            self.evaluate(&[seeded(1)], &mut |_| ())?;
            let other = self.seen.get(&seeded(1)).copied().flatten();
            if other.is_none_or(|i| self.points[i].sha256 == point.sha256) {
                continue;
            }
            let more: Vec<Variant> = (2..=self.wanted.seeds).map(seeded).collect();
            self.evaluate(&more, &mut |_| ())?;
            observer(Event::Step(done as u64 + 1, promising.len() as u64));
        }
        Ok(())
    }
}

/// How many variants are costed at a time.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Costs variants on all processors of this machine.
fn costed(core: &'static Core, variants: &[Variant]) -> Vec<(Variant, Result<Point, String>)> {
    let threads = threads().min(variants.len());
    let next = Mutex::new(variants.iter());
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(variant) = next.lock().ok().and_then(|mut n| n.next()) {
                    let point = point(core, variant);
                    if let Ok(mut found) = found.lock() {
                        found.push((variant.clone(), point));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    let place = |v: &Variant| variants.iter().position(|w| w == v);
    found.sort_by_key(|(v, _)| place(v));
    found
}

/// Builds and costs a variant.
pub fn point(core: &'static Core, variant: &Variant) -> Result<Point, String> {
    let made = Made::new(core, (core.build)(variant)?)?;
    let (cost, same_path) = made.cost(core)?;
    let blocks = made.kernel.contract.blocks;
    Ok(Point { variant: variant.clone(), cost, same_path, sha256: made.sha256, blocks })
}

/// A random variant.
fn any(core: &Core, problem: Problem, random: &mut ChaCha8Rng) -> Variant {
    let mut variant = core.table.plain(problem);
    for dimension in core.table.dimensions {
        if (dimension.applies)(&variant) {
            let value = dimension.values.at(random.random_range(0..dimension.values.count()));
            variant = variant.with(dimension, value).clamped();
        }
    }
    variant
}
