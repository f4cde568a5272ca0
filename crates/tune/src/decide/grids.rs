//! The decision among kernels of grids: the least static bound that a proof admits. Where a card is in this machine, the fastest of
//! the best by that bound wins ([`crate::decide::card`]).

use aesmith_arrange::{Dimension, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::grid::reach::Reach;
use aesmith_processor::grid::{Gives, Grids};

use crate::deliver::grids::{holds, newest, proved};
use crate::error::TuneError;
use crate::evaluate::bounding::{Bounding, Candidate, told_apart};
use crate::options::RunRequest;
use crate::request::Request;
use crate::wanted::{solved, space};

/// The result of a search.
#[derive(Clone, Debug)]
pub struct GridDecision {
    /// The winner, proved.
    pub winner: ProvedGrid,
    /// Kernels that were bounded by machine code, or by their text where there is no translator, the lowest bound first.
    pub candidates: Vec<Candidate>,
    /// The others, bounded by their text alone, since enough were translated.
    pub rest: Vec<Candidate>,
    /// Variants whose timing was proved to depend on secrets, where that is not allowed.
    pub variable: Vec<Variant>,
}

/// The variants that static bounds do not tell apart from one.
fn alike(grids: &Grids, first: &Variant, request: &Request) -> Vec<Variant> {
    let mut all = vec![first.clone()];
    let is_plain = |d: &&Dimension| grids.on_card.contains(&d.name) && first.get(*d) == d.default;
    for d in first.dimensions().filter(is_plain) {
        all = all.iter().flat_map(|variant| d.all().map(|value| variant.clone().with(d, value))).collect();
    }
    let is_alike = |variant: &Variant| variant != first && variant.check().is_ok() && request.names(variant);
    all.into_iter().filter(is_alike).collect()
}

/// The best kernel of a problem that takes no more than a device gives: all variants that are asked for are bounded, and proved
/// from the best on until one may be chosen. `goes_on` says before each after the first whether another is translated.
///
/// # Errors
/// The problem has no kernels, none satisfies the request, or one is not proved.
pub fn best(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    gives: Gives,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<GridDecision, TuneError> {
    let bounding = all_bounded(grids, problem, request, gives)?;
    let all = bounding.translated(&all_of, goes_on)?;
    first_proved(grids, problem, (request, &bounding), symbol, all, &mut || true)
}

/// All variants that are asked for, bounded by their text.
pub(crate) fn all_bounded<'a>(
    grids: &'a Grids,
    problem: Problem,
    request: &'a Request,
    gives: Gives,
) -> Result<Bounding<'a>, TuneError> {
    solved(grids, problem)?;
    let space = told_apart(grids, space(grids, request, &RunRequest::new(problem))?);
    let mut bounding = Bounding::new(grids, request, gives, None);
    for variant in space.variants().iter().filter(|variant| request.names(variant)) {
        bounding.cost(variant);
    }
    Ok(bounding)
}

/// Indices of all candidates.
pub(crate) fn all_of(candidates: &[Candidate]) -> Vec<usize> {
    (0..candidates.len()).collect()
}

/// Proves candidates, the best first, until one may be chosen. Where kernels are compared by speed at a length of message, those
/// that were translated are proved, as long as `goes_on` says so, and the one that takes the fewest clocks there is chosen; kernels
/// that spill registers, or whose code is far, come last even so.
pub(crate) fn first_proved(
    grids: &Grids,
    problem: Problem,
    (request, bounding): (&Request, &Bounding),
    symbol: &dyn Fn(Problem, bool) -> String,
    (candidates, rest): (Vec<Candidate>, Vec<Candidate>),
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<GridDecision, TuneError> {
    let mut variable = Vec::new();
    let mut best: Option<((bool, bool, f64), ProvedGrid)> = None;
    let blocks = bounding.blocks().filter(|_| request.objective.is_speed());
    for candidate in &candidates {
        if best.is_some() && (blocks.is_none() || !goes_on()) {
            break;
        }
        let Some(proved) = proved(grids, &candidate.variant, request.timing, symbol)? else {
            variable.push(candidate.variant.clone());
            continue;
        };
        let clocks = match (blocks, newest(grids, &proved)) {
            (Some(blocks), Some((counted, architecture))) => {
                let reach = Reach::of(grids, &proved, counted, architecture).map_err(TuneError::NoResult)?;
                reach.clocks_of(blocks, true)
            }
            // Without machine code the order of candidates decides.
            _ => candidates.len() as f64,
        };
        let rank = (candidate.counted.spilled > 0, candidate.counted.code > candidate.near, clocks);
        if best.as_ref().is_none_or(|(least, _)| rank < *least) {
            best = Some((rank, proved));
        }
    }
    match best {
        Some((_, winner)) => Ok(GridDecision { winner, candidates, rest, variable }),
        None if candidates.is_empty() => {
            let least =
                bounding.nearest().map(|cost| request.budgets.lack([cost.flash, cost.ram, cost.stack]));
            Err(TuneError::NoResult(format!(
                "{}no variant of {problem} on {} is as asked for",
                least.unwrap_or_default(),
                grids.name
            )))
        }
        None => Err(TuneError::NoResult(format!(
            "all {} variants of {problem} that are as asked for are of variable time on {}; --allow-variable-time allows them",
            variable.len(),
            grids.name
        ))),
    }
}

/// The kernels to measure on a card: the winner by the static bound and admissible kernels with the next
/// bounds, `most` in all; then variants that share the winner's count, up to twice `most` in all. Each is
/// proved. `goes_on` decides before each further kernel.
///
/// # Errors
/// A kernel is not proved.
pub fn finalists(
    grids: &Grids,
    found: &GridDecision,
    request: &Request,
    most: usize,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<ProvedGrid>, TuneError> {
    let first = &found.winner.kernel().variant;
    let others = found.candidates.iter().map(|candidate| candidate.variant.clone());
    let others = others.filter(|variant| variant != first && !found.variable.contains(variant));
    let mut finalists = vec![found.winner.clone()];
    for (variants, most) in
        [(others.collect::<Vec<_>>(), most), (alike(grids, first, request), most.saturating_mul(2))]
    {
        for variant in variants {
            if finalists.len() >= most || !goes_on() {
                break;
            }
            let proved = proved(grids, &variant, request.timing, symbol)?;
            finalists.extend(proved.filter(|proved| holds(grids, proved, request).is_ok()));
        }
    }
    Ok(finalists)
}
