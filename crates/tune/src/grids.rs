//! Kernels of grids: the least static bound that a proof admits, of the variants that a search costs; and where a card is in
//! this machine, the fastest of the best by that bound (`measured`).

mod bounding;
mod held;
pub mod landscape;
pub mod measured;
pub mod page;
pub mod remembered;
pub mod run;

use aesmith_arrange::{Dimension, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::cost::Cost;
use aesmith_processor::grid::certificate::{Evidence, ProvedGrid};
use aesmith_processor::grid::reach::Reach;
use aesmith_processor::grid::{Architecture, Counted, Gives, GridKernel, Grids};
use aesmith_processor::timing::Timing;
use serde::Serialize;

use crate::error::TuneError;
use crate::options::RunRequest;
use crate::request::Request;
use bounding::{Bounding, Built, told_apart};

/// A variant with its bound on the architecture that kernels are compared by.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// The variant.
    #[serde(serialize_with = "as_text")]
    pub variant: Variant,
    /// Its bound.
    pub counted: Counted,
    /// Bytes of shared memory of a block of threads.
    pub shared: u32,
    /// Bytes of code that a multiprocessor of that architecture keeps near it.
    #[serde(skip)]
    pub near: u32,
    /// Blocks of text that a block of threads takes in an iteration.
    #[serde(skip)]
    a_turn: u64,
    /// Multiprocessors of a device of that architecture.
    #[serde(skip)]
    multiprocessors: u64,
}

fn as_text<S: serde::Serializer>(variant: &Variant, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(variant)
}

impl Candidate {
    /// A kernel with its bound.
    fn new(built: &Built, counted: Counted) -> Candidate {
        let (program, architecture) = (&built.kernel.program, built.architecture);
        let of_a_thread = built.kernel.turns.iter().map(|turn| turn.blocks).max().unwrap_or(1);
        Candidate {
            variant: built.variant.clone(),
            counted,
            shared: program.shared,
            near: architecture.code,
            a_turn: u64::from(program.threads) * u64::from(of_a_thread.max(1)),
            multiprocessors: architecture.device.multiprocessors.into(),
        }
    }

    /// Its costs: clocks of a multiprocessor for a block of text, bytes of code, of shared memory, and of spilled registers. In
    /// messages of some blocks the busiest multiprocessor decides; that estimate takes all threads to be of one kind,
    /// and leaves out the filling of shared memory. [`Reach`] says it exactly of a proved kernel.
    pub fn cost(&self, blocks: Option<u64>) -> Cost {
        let clocks = self.counted.clocks;
        let cycles = blocks.map_or(clocks, |blocks| {
            let iterations = blocks.div_ceil(self.a_turn).div_ceil(self.multiprocessors);
            let busiest = (iterations * self.a_turn) as f64 * clocks;
            busiest * self.multiprocessors as f64 / blocks as f64
        });
        Cost {
            cycles,
            once: 0.0,
            flash: self.counted.code.into(),
            ram: self.shared.into(),
            stack: self.counted.spilled.into(),
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The winner, proved.
    pub winner: ProvedGrid,
    /// Kernels that were bounded by machine code, or by their text where there is no translator, the lowest bound first.
    pub candidates: Vec<Candidate>,
    /// The others, bounded by their text alone, since enough were translated.
    pub rest: Vec<Candidate>,
    /// Variants whose timing was proved to depend on secrets, where that is not allowed.
    pub variable: Vec<Variant>,
}

/// True if a kernel may be chosen whose time depends on no secret (`constant`), or does.
fn admits_time(timing: Timing, constant: bool) -> bool {
    timing == Timing::Variable || constant
}

/// True if a kernel with this evidence may be chosen.
fn admits(timing: Timing, evidence: &Evidence) -> bool {
    admits_time(timing, evidence.proof.constant_time)
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

/// The best kernel of a problem: all variants that are asked for are bounded, and proved from the best on until one may be
/// chosen. `goes_on` says before each after the first whether another is translated.
///
/// # Errors
/// The problem has no kernels, none satisfies the request, or one is not proved.
pub fn best(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Found, TuneError> {
    best_within(grids, problem, request, Gives::ANYTHING, symbol, goes_on)
}

/// Like [`best`], of kernels that take no more than a device gives.
///
/// # Errors
/// See [`best`].
pub fn best_within(
    grids: &Grids,
    problem: Problem,
    request: &Request,
    gives: Gives,
    symbol: &dyn Fn(Problem, bool) -> String,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Found, TuneError> {
    let bounding = all_bounded(grids, problem, request, gives)?;
    let all = bounding.translated(&all_of, goes_on)?;
    first_proved(grids, problem, (request, &bounding), symbol, all, &mut || true)
}

/// All variants that are asked for, bounded by their text.
fn all_bounded<'a>(
    grids: &'a Grids,
    problem: Problem,
    request: &'a Request,
    gives: Gives,
) -> Result<Bounding<'a>, TuneError> {
    if !(grids.solves)(problem) {
        return Err(TuneError::Usage(crate::exact::not_solved(grids, problem)));
    }
    let space = told_apart(grids, crate::exact::space(grids, request, &RunRequest::new(problem))?);
    let mut bounding = Bounding::new(grids, request, gives, None);
    for variant in space.variants().iter().filter(|variant| request.names(variant)) {
        bounding.cost(variant);
    }
    Ok(bounding)
}

/// Indices of all candidates.
fn all_of(candidates: &[Candidate]) -> Vec<usize> {
    (0..candidates.len()).collect()
}

/// Proves candidates, the best first, until one may be chosen. Where kernels are compared by speed at a length of message, those
/// that were translated are proved, as long as `goes_on` says so, and the one that takes the fewest clocks there is chosen; kernels
/// that spill registers, or whose code is far, come last even so.
fn first_proved(
    grids: &Grids,
    problem: Problem,
    (request, bounding): (&Request, &Bounding),
    symbol: &dyn Fn(Problem, bool) -> String,
    (candidates, rest): (Vec<Candidate>, Vec<Candidate>),
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Found, TuneError> {
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
        Some((_, winner)) => Ok(Found { winner, candidates, rest, variable }),
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

/// The counts of a kernel's machine code on the newest architecture that has it. `None` without a translator.
fn newest<'a>(grids: &Grids, proved: &'a ProvedGrid) -> Option<(&'a Counted, &'static Architecture)> {
    let architectures = grids.translator.architectures();
    let of = |counted: &'a Counted| {
        Some((counted, architectures.iter().find(|a| a.name == counted.architecture)?))
    };
    proved.certificate().counts.iter().rev().find_map(of)
}

/// Checks that a proved kernel keeps the limits, as far as its machine code is known. The error says which it does not keep.
fn holds(grids: &Grids, proved: &ProvedGrid, request: &Request) -> Result<(), String> {
    let shared = proved.kernel().program.shared.into();
    let (code, spilled) = newest(grids, proved).map_or((0, 0), |(c, _)| (c.code.into(), c.spilled.into()));
    let lack = request.budgets.lack([code, shared, spilled]);
    if lack.is_empty() { Ok(()) } else { Err(lack) }
}

/// Proves a kernel, and completes its certificate if it may be chosen; otherwise gives the evidence that its time depends on
/// secrets.
fn admitted(
    grids: &Grids,
    kernel: GridKernel,
    timing: Timing,
    symbol: &dyn Fn(Problem, bool) -> String,
) -> Result<Result<ProvedGrid, Evidence>, TuneError> {
    let variant = kernel.variant.clone();
    let refuted = |why| TuneError::NotProved(format!("`{variant}` is not proved: {why}"));
    let evidence = Evidence::of(grids, &kernel).map_err(refuted)?;
    if !admits(timing, &evidence) {
        return Ok(Err(evidence));
    }
    let name = symbol(variant.problem, !evidence.proof.constant_time);
    ProvedGrid::new(grids, kernel, &name).map(Ok).map_err(refuted)
}

/// Proves a variant. `None` if its time depends on secrets and that is not allowed.
fn proved(
    grids: &Grids,
    variant: &Variant,
    timing: Timing,
    symbol: &dyn Fn(Problem, bool) -> String,
) -> Result<Option<ProvedGrid>, TuneError> {
    let kernel = (grids.build)(variant).map_err(TuneError::NoResult)?;
    Ok(admitted(grids, kernel, timing, symbol)?.ok())
}

/// The kernels to measure on a card: the winner by the static bound and admissible kernels with the next
/// bounds, `most` in all; then variants that share the winner's count, up to twice `most` in all. Each is
/// proved. `goes_on` decides before each further kernel.
///
/// # Errors
/// A kernel is not proved.
pub fn finalists(
    grids: &Grids,
    found: &Found,
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

/// The kernel of a given variant, if it may be delivered.
///
/// # Errors
/// Its choices do not fit together, it is not proved, its timing depends on secrets where that is not allowed, or it
/// exceeds a limit.
pub fn given(
    grids: &Grids,
    variant: &Variant,
    request: &Request,
    symbol: &dyn Fn(Problem, bool) -> String,
) -> Result<ProvedGrid, TuneError> {
    let kernel = (grids.build)(variant).map_err(TuneError::Usage)?;
    let proved = admitted(grids, kernel, request.timing, symbol)?.map_err(|evidence| {
        TuneError::Usage(format!(
            "`{variant}` is of {}; constant time is asked for, and --allow-variable-time allows it",
            evidence.about
        ))
    })?;
    holds(grids, &proved, request).map_err(|lack| TuneError::Usage(format!("{lack}`{variant}` is given")))?;
    Ok(proved)
}
