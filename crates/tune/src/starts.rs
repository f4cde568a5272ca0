//! Where a search of kernels for this machine starts: the plainest variant of a space, known-good structures, and outcomes of earlier
//! runs.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use aesmith_arrange::{Exhaustive, Role, Space, Table, Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_cipher::mode::Next;
use aesmith_processor::measured::Target;
use aesmith_search::{Outcome, Verdict};
use aesmith_wisdom::{Filter, Store};

use crate::error::TuneError;
use crate::options::RunRequest;
use crate::request::{Request, within};
use crate::seeds::seeds;
use crate::workplace::Workplace;

/// Reduces the space so that exhausting it takes minutes: each dimension says what it keeps.
pub(crate) fn exhaustible(space: &mut Space) {
    let chains = space.plain.problem.mode().next() == Next::Output;
    for axis in &mut space.axes {
        axis.values = match axis.dimension.search.exhaustive {
            Exhaustive::All => continue,
            Exhaustive::Widest if chains => continue,
            Exhaustive::Widest => axis.values.last().copied().into_iter().collect(),
            Exhaustive::Some(values) => values.to_vec(),
            Exhaustive::Default => vec![axis.dimension.default],
        };
    }
}

/// Outcomes that earlier runs found on the processor with a key, for messages of a size in bytes. Variants that could not be
/// built or proved are tried again: that costs little, and a newer version may succeed.
///
/// # Errors
/// The store failed.
pub fn recalled(
    store: &Store,
    table: &'static Table,
    (key, problem, size): (&str, Problem, usize),
) -> Result<Vec<(Variant, Outcome)>, TuneError> {
    let known = store.known(&Filter::exactly(key, problem, size as u64))?;
    Ok(known
        .into_iter()
        .filter_map(|s| {
            let outcome = Outcome {
                cost: Some(s.cost?),
                verdict: Verdict::Measured,
                kernel_hash: s.sha256.and_then(|h| u64::from_str_radix(h.get(..16)?, 16).ok()),
                instructions_in_loop: s.instructions,
            };
            Some((table.parse(&s.variant).ok()?, outcome))
        })
        .collect())
}

/// Known-good structures of a space's problem and technique, fitted into the space.
pub(crate) fn fitted_seeds(request: &Request, space: &Space, target: &Target) -> Vec<Variant> {
    let seeds = seeds(space.plain.problem, space.plain.technique, target);
    seeds.iter().filter_map(|seed| request.bring(seed, space)).collect()
}

/// The best of earlier runs that are in a space, for any kind of calls: they are measured again.
pub(crate) fn former_bests(
    place: &Workplace,
    problem: Problem,
    space: &Space,
) -> Result<Vec<Variant>, TuneError> {
    let request = &place.settings.request;
    let filter = Filter { processor: Some(place.key.clone()), problem: Some(problem), size: None };
    let bests = place.store.all_bests(&filter)?;
    let former = bests.iter().filter_map(|b| place.table().parse(&b.variant).ok());
    Ok(former.filter(|v| request.admits(v) && within(v, space)).collect())
}

/// The variant without any optimization; on wider registers if sixteen streams do not fit the narrow ones.
pub fn baseline(problem: Problem, technique: Technique, target: &Target) -> Variant {
    let space = target.processor.table.space_by(problem, technique, target.lanes_of(technique));
    plainest(&space, target, &mut Patience::new()).unwrap_or(space.plain)
}

/// The limits of a search through spaces for a first kernel.
pub(crate) struct Patience<'a> {
    /// Number of variants that may still be built.
    left: usize,
    /// The run that the search is a part of, and the moment at which it ends.
    run: Option<(&'a RunRequest, Instant)>,
}

impl<'a> Patience<'a> {
    /// A search that ends after a number of variants, so that its result is the same at all times.
    pub(crate) fn new() -> Patience<'a> {
        Patience { left: 20_000, run: None }
    }

    /// A search that also ends after this part of a run's time, or some seconds, and when the run is interrupted.
    pub(crate) fn of_run(run: &'a RunRequest, part: f64) -> Patience<'a> {
        let most = Instant::now() + Duration::from_secs(20);
        Patience { run: Some((run, run.until(part).map_or(most, |end| end.min(most)))), ..Patience::new() }
    }

    /// Counts a variant that is built, and returns true if it is the last one.
    fn is_last(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0 || self.run.is_some_and(|(run, end)| run.is_interrupted() || Instant::now() >= end)
    }
}

/// The variant of a space with the least optimization: the plain one if the space contains it, otherwise with
/// the first allowed values. Every search of the space starts there.
pub(crate) fn plainest(space: &Space, target: &Target, patience: &mut Patience) -> Option<Variant> {
    let mut plain = space.plain.clone();
    for axis in &space.axes {
        if !axis.values.contains(&plain.get(axis.dimension.place)) {
            plain.set(axis.dimension.place, *axis.values.first()?);
        }
    }
    let fits = |v: &Variant| v.check().is_ok() && target.build(v).is_ok();
    let widths = space.axes.iter().find(|axis| axis.dimension.role == Some(Role::Width));
    let wider: Vec<Variant> = match widths {
        Some(axis) => axis.values.iter().map(|width| plain.clone().with(axis.dimension, *width)).collect(),
        None => vec![plain],
    };
    wider.into_iter().find(&fits).or_else(|| {
        let mut found = None;
        space.each(|variant| {
            found = fits(&variant).then_some(variant);
            let is_end = found.is_some() || patience.is_last();
            if is_end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    })
}
