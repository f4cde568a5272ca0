//! A short search in a part of a problem's space, and the median of what it finds: for goals that
//! are about a part, such as "xmm registers only" or "without caching".

use crate::contest::Contest;
use crate::error::TuneError;
use crate::options::Event;
use crate::pipeline::{Counts, Pipeline};
use crate::seeds::seeds;
use crate::workplace::Workplace;
use aesmith_arrange::{Dim, Space, Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_kernel::Target;
use aesmith_search::racing::{Race, Racer};
use aesmith_search::{Budget, Found, Search, search, strategy};
use aesmith_wisdom::{Filter, RunId};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A part of a space.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The problem.
    pub problem: Problem,
    /// The technique.
    pub technique: Technique,
    /// Bytes of a message.
    pub size: usize,
    /// What is fixed, and to what.
    pub only: &'a [(Dim, &'a [u16])],
}

impl Part<'_> {
    /// The space of the part.
    pub fn space(&self, target: &Target) -> Space {
        let mut space = Space::of(self.problem, self.technique, target.lanes_of(self.technique));
        for axis in &mut space.axes {
            if let Some((_, values)) = self.only.iter().find(|(dim, _)| *dim == axis.dimension.dim) {
                axis.values.retain(|v| values.contains(v));
            }
        }
        space
    }

    pub(crate) fn holds(&self, variant: &Variant) -> bool {
        variant.technique == self.technique
            && self.only.iter().all(|(dim, values)| values.contains(&variant.get(*dim)))
    }

    /// The best few that wisdom knows of the part, and the starting points in it.
    fn starts(&self, place: &Workplace) -> Result<Vec<Variant>, TuneError> {
        let filter = Filter::exactly(&place.key, self.problem, self.size as u64);
        let mut known = place.store.known(&filter)?;
        known.retain(|s| s.cost.is_some());
        known.sort_by(|a, b| a.cost.partial_cmp(&b.cost).unwrap_or(std::cmp::Ordering::Equal));
        let mut starts: Vec<Variant> =
            known.iter().filter_map(|s| s.variant.parse().ok()).filter(|v| self.holds(v)).take(8).collect();
        let mut filled = seeds(self.problem, self.technique, &place.target);
        for variant in &mut filled {
            // A starting point is brought into the part where one value says how.
            for (dim, values) in self.only {
                if let [value] = values {
                    variant.set(*dim, *value);
                }
            }
        }
        starts
            .extend(filled.into_iter().map(Variant::clamped).filter(|v| self.holds(v) && v.check().is_ok()));
        let mut seen = Vec::new();
        starts.retain(|v| {
            !seen.contains(v) && {
                seen.push(v.clone());
                true
            }
        });
        Ok(starts)
    }
}

/// Searches a part under a budget; what was found, how its evaluations went, and its run.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn explore(
    place: &mut Workplace,
    part: &Part,
    way: &str,
    budget: Budget,
    seed: u64,
    observer: &mut dyn FnMut(Event),
) -> Result<(Found, Counts, RunId), TuneError> {
    let starts = part.starts(place)?;
    let space = part.space(&place.target);
    explore_space(place, space, part.size, starts, way, PART, budget, seed, observer)
}

/// What wisdom calls a search in a part of a space.
pub const PART: &str = "part of the space";

/// Searches a space from given starts; `label` is what wisdom notes as the run's options.
///
/// # Errors
/// Trouble with the store or the judge.
#[expect(clippy::too_many_arguments, reason = "a search is described by all of these")]
pub fn explore_space(
    place: &mut Workplace,
    space: Space,
    size: usize,
    starts: Vec<Variant>,
    way: &str,
    label: &str,
    budget: Budget,
    seed: u64,
    observer: &mut dyn FnMut(Event),
) -> Result<(Found, Counts, RunId), TuneError> {
    let mut strategy = strategy(way).map_err(TuneError::Usage)?;
    let (run, _) = place.start_run(&space.problem.to_string(), size, way, label, seed)?;
    let interrupted = budget.interrupted.clone();
    let request = Search { starts, ..Search::new(space, budget, seed) };
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
    let found = search(strategy.as_mut(), &request, &mut pipeline, &mut |p| observer(Event::Progress(p)));
    let counts = pipeline.counts();
    if let Some(failure) = pipeline.take_failure() {
        return Err(failure);
    }
    place.store.set_state(run, "finished")?;
    Ok((found, counts, run))
}

/// The best of a part after a short search and a short race: the variant and its median cost.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn best_of(
    place: &mut Workplace,
    part: &Part,
    budget: Budget,
    observer: &mut dyn FnMut(Event),
) -> Result<Option<(Variant, f64)>, TuneError> {
    let interrupted: Arc<AtomicBool> = budget.interrupted.clone();
    let (found, _, run) = explore(place, part, "memetic", budget, 1, observer)?;
    let mut contenders: Vec<Variant> =
        found.leaders.into_iter().map(|l| l.variant).filter(|v| part.holds(v)).take(16).collect();
    for start in part.starts(place)? {
        if !contenders.contains(&start) {
            contenders.push(start);
        }
    }
    let large = part.size > 1 << 20;
    let race = Race {
        rounds: if large { 4 } else { 8 },
        finalists: 3,
        sessions: if large { 1 } else { 2 },
        confirm_rounds: if large { 8 } else { 40 },
        interrupted,
    };
    contenders.truncate(if large { 4 } else { 24 });
    let baseline = crate::run::baseline(part.problem, part.technique, &place.target);
    let mut contest = Contest::new(place, run, part.size);
    let result =
        Racer { race: &race, judge: &mut contest, progress: &mut |_| {} }.run(&baseline, &contenders);
    if let Some(failure) = contest.take_failure() {
        return Err(failure);
    }
    let confirmed = result.map_err(TuneError::NoResult)?;
    let first = confirmed.finalists.into_iter().find(|s| part.holds(&s.variant));
    Ok(first.map(|s| (s.variant, s.cost.median)))
}
