//! The beginning of a search of kernels for the processor that is measured where the program runs, by measurements or by a
//! machine's model: the space, its starting points, and the budget.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use aesmith_arrange::{Space, Technique, Variant};
use aesmith_processor::measured::Target;
use aesmith_search::Budget;

use crate::error::TuneError;
use crate::options::{Effort, RunRequest};
use crate::request::Request;
use crate::starts::{Patience, exhaustible, fitted_seeds, plainest};

/// Fractions of a run's time limit at which the search, the race, the other message sizes, their comparison
/// by length and the benchmark of the delivered kernel must end. The rest is for the report.
pub(crate) struct Parts {
    search: f64,
    pub race: f64,
    pub sizes: f64,
    pub crossover: f64,
    pub delivered: f64,
}

/// Fractions with other message sizes.
const BY_SIZE: Parts = Parts { search: 0.3, race: 0.5, sizes: 0.75, crossover: 0.82, delivered: 0.87 };
/// Fractions without them.
const ALONE: Parts = Parts { search: 0.55, race: 0.85, sizes: 0.85, crossover: 0.85, delivered: 0.9 };
/// Least fraction of the remaining time for the search, after the machine has been measured.
const LEAST_SEARCH: f64 = 0.3;

/// The fractions of a run.
pub(crate) fn parts(wanted: &RunRequest) -> Parts {
    if wanted.by_size() { BY_SIZE } else { ALONE }
}

/// The space and the starting points of a search.
pub(crate) struct Begun {
    /// The part of the space that is asked for.
    pub space: Space,
    /// The variant of it with the least optimization.
    pub baseline: Variant,
    /// The baseline, and known-good variants unless the search starts from scratch.
    pub starts: Vec<Variant>,
}

/// Makes the space of a technique and its starting points; `former` gives those of earlier runs.
///
/// # Errors
/// No variant that is asked for becomes a kernel, or an error of `former`.
pub(crate) fn begin(
    request: &Request,
    wanted: &RunRequest,
    (technique, target): (Technique, &Target),
    former: impl FnOnce(&Space) -> Result<Vec<Variant>, TuneError>,
) -> Result<Begun, TuneError> {
    let problem = wanted.problem;
    let mut space = request.space(problem, technique, target, wanted.bytes())?;
    if wanted.effort == Effort::Exhaustive && !request.paper && request.only.is_empty() {
        exhaustible(&mut space);
    }
    wanted.weights.apply(&mut space)?;
    let mut patience = Patience::of_run(wanted, parts(wanted).search);
    let baseline = plainest(&space, target, &mut patience).ok_or_else(|| {
        TuneError::NoResult(format!(
            "no variant of {problem} by {technique} that was tried satisfies what is asked for and becomes a kernel; \
             `aesmith space {problem} --technique {technique}` says what each dimension means"
        ))
    })?;
    let mut starts = vec![baseline.clone()];
    if !wanted.alone {
        starts.extend(fitted_seeds(request, &space, target));
        starts.extend(former(&space)?);
    }
    let mut seen = HashSet::new();
    starts.retain(|variant| seen.insert(variant.clone()));
    Ok(Begun { space, baseline, starts })
}

/// The name of a run's strategy.
///
/// # Errors
/// There is no such strategy.
pub(crate) fn strategy(wanted: &RunRequest) -> Result<String, TuneError> {
    let default = match wanted.effort {
        Effort::Exhaustive => "exhaustive",
        _ => aesmith_search::DEFAULT,
    };
    let name = wanted.strategy.clone().unwrap_or_else(|| default.to_owned());
    aesmith_search::strategy(&name).map_err(TuneError::Usage)?;
    Ok(name)
}

/// The budget of a search; an estimate takes `known_good` variants alone.
pub(crate) fn budget(wanted: &RunRequest, known_good: u64) -> Budget {
    let (trials, time) = match wanted.effort {
        Effort::Estimate => (Some(known_good), None),
        _ => (wanted.trials, search_time(wanted)),
    };
    Budget { trials, time, interrupted: wanted.interrupted.clone() }
}

/// Time for the search alone.
fn search_time(options: &RunRequest) -> Option<Duration> {
    let now = Instant::now();
    let left = |part: f64| options.until(part).map(|end| end.saturating_duration_since(now));
    match (left(parts(options).search), options.effort.time()) {
        (Some(own), _) => Some(own.max(left(1.0).unwrap_or_default().mul_f64(LEAST_SEARCH))),
        (None, Some(_)) if options.trials.is_some() => None,
        (None, own) => own,
    }
}
