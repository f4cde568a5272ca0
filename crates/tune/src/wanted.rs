//! The part of a processor's space that satisfies a request.

use std::ops::ControlFlow;

use aesmith_arrange::{Place, Space};
use aesmith_cipher::Problem;
use aesmith_processor::core::Core;
use aesmith_processor::processor::Processor;

use crate::error::TuneError;
use crate::options::RunRequest;
use crate::request::Request;

/// Number of variants of a space that a request admits.
pub fn count(request: &Request, space: &Space) -> u128 {
    // Only a technique is a restriction that the space does not express itself.
    if request.technique.one().is_none() {
        return space.count();
    }
    let mut all = 0;
    space.each(|variant| {
        all += u128::from(request.names(&variant));
        ControlFlow::Continue(())
    });
    all
}

/// Checks that cycles of a problem depend on the message length, and that the problem accepts this length.
///
/// # Errors
/// A message for the user; `option` is the option that gave the length.
pub fn check_size(core: &Core, problem: Problem, size: usize, option: &str) -> Result<(), TuneError> {
    if !problem.has_iv() {
        return Err(TuneError::Usage(format!(
            "{problem} on {} is called a block or a key at a time: no length of a message changes its cycles, \
             so leave {option} out",
            core.name
        )));
    }
    whole_blocks(core, problem, size)
}

/// Checks that a message consists of whole blocks.
///
/// # Errors
/// A message for the user.
pub(crate) fn whole_blocks(
    processor: &dyn Processor,
    problem: Problem,
    size: usize,
) -> Result<(), TuneError> {
    if size == 0 || !size.is_multiple_of(16) {
        return Err(TuneError::Usage(format!(
            "{problem} on {} takes whole blocks of 16 bytes, not {size} bytes",
            processor.name()
        )));
    }
    Ok(())
}

/// The part of the space that the request admits.
///
/// # Errors
/// No variant of the space satisfies the request.
pub fn space(processor: &dyn Processor, request: &Request, wanted: &RunRequest) -> Result<Space, TuneError> {
    let problem = wanted.problem;
    let mut space = processor.table().space(problem);
    for axis in &mut space.axes {
        if let Some((_, values)) = request.only.iter().find(|(dimension, _)| *dimension == axis.dimension) {
            axis.values.clone_from(values);
        }
    }
    wanted.weights.apply(&mut space)?;
    let mut techniques = Vec::new();
    let mut found = false;
    space.each(|variant| {
        found |= request.names(&variant);
        if !techniques.contains(&variant.technique.name()) {
            techniques.push(variant.technique.name());
        }
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match (found, techniques.is_empty()) {
        (true, _) => Ok(space),
        (false, true) => Err(TuneError::Usage(format!(
            "nothing is left to choose from: no variant of {problem} on {0} has these values together; \
             `aesmith space {problem} --processor {0}` says what each dimension means and where it applies",
            processor.name()
        ))),
        (false, false) => Err(TuneError::Usage(format!(
            "{} has no kernels of {problem} by the technique {}; it has {}",
            processor.name(),
            request.technique,
            techniques.join(", ")
        ))),
    }
}

/// Like [`space`], after the length of a message is held against the problem.
///
/// # Errors
/// See [`space`] and [`check_size`].
pub fn checked(core: &Core, request: &Request, wanted: &RunRequest) -> Result<Space, TuneError> {
    if let Some(size) = wanted.size {
        check_size(core, wanted.problem, size, "--size")?;
    }
    space(core, request, wanted)
}

/// The options of a run in words, for its record.
pub(crate) fn options(request: &Request, wanted: &RunRequest) -> String {
    let Request { objective, timing, technique, only, .. } = request;
    // Records of earlier versions have the indices of dimensions.
    let only: Vec<(Place, &[u16])> = only.iter().map(|(d, values)| (d.place, &values[..])).collect();
    let limits = request.budgets.describe();
    let limits = if limits.is_empty() { "none".to_owned() } else { limits };
    let trials = wanted.trials.map_or_else(|| "all".to_owned(), |t| t.to_string());
    let (own, orders) = wanted.effort.exact();
    let seconds = wanted.time.or(own).map_or_else(|| "any".to_owned(), |t| t.as_secs_f64().to_string());
    let size = wanted.size.map_or_else(|| "long".to_owned(), |s| s.to_string());
    format!(
        "objective={objective} timing={timing:?} technique={technique} only={only:?} limits={limits} size={size} \
         seconds={seconds} trials={trials} orders={orders}"
    )
}

/// Checks that a processor has kernels for a problem.
///
/// # Errors
/// It has none; the message names the problems that it has kernels for.
pub fn solved(processor: &dyn Processor, problem: Problem) -> Result<(), TuneError> {
    if processor.solves(problem) {
        return Ok(());
    }
    let solved: Vec<String> =
        Problem::all().into_iter().filter(|p| processor.solves(*p)).map(|p| p.to_string()).collect();
    let name = processor.name();
    let solved = solved.join(", ");
    Err(TuneError::Usage(format!("there are no kernels of {problem} for {name}; there are of {solved}")))
}

/// Variants of a space that is searched whole, unless a strategy or a number of trials is given.
const WHOLE: u128 = 30_000;

/// True if a run tries all of a space of `size` variants unless a strategy is given.
pub(crate) fn is_whole(wanted: &RunRequest, size: u128) -> bool {
    size <= WHOLE && wanted.trials.is_none_or(|most| u128::from(most) >= size)
}

/// The strategy of a run over a space of `size` variants.
pub(crate) fn strategy(wanted: &RunRequest, size: u128) -> String {
    let default = if is_whole(wanted, size) { "exhaustive" } else { aesmith_search::DEFAULT };
    wanted.strategy.clone().unwrap_or_else(|| default.to_owned())
}
