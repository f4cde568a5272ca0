//! Kernels of grids that are delivered: proved, of an admissible timing, and within the limits.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::grid::certificate::{Evidence, ProvedGrid};
use aesmith_processor::grid::{Architecture, Counted, GridKernel, Grids};
use aesmith_processor::timing::Timing;

use crate::error::TuneError;
use crate::request::Request;

/// True if a kernel may be chosen whose time depends on no secret (`constant`), or does.
pub(crate) fn admits_time(timing: Timing, constant: bool) -> bool {
    timing == Timing::Variable || constant
}

/// True if a kernel with this evidence may be chosen.
fn admits(timing: Timing, evidence: &Evidence) -> bool {
    admits_time(timing, evidence.proof.constant_time)
}

/// The counts of a kernel's machine code on the newest architecture that has it. `None` without a translator.
pub(crate) fn newest<'a>(
    grids: &Grids,
    proved: &'a ProvedGrid,
) -> Option<(&'a Counted, &'static Architecture)> {
    let architectures = grids.translator.architectures();
    let of = |counted: &'a Counted| {
        Some((counted, architectures.iter().find(|a| a.name == counted.architecture)?))
    };
    proved.certificate().counts.iter().rev().find_map(of)
}

/// Checks that a proved kernel keeps the limits, as far as its machine code is known. The error says which it does not keep.
pub(crate) fn holds(grids: &Grids, proved: &ProvedGrid, request: &Request) -> Result<(), String> {
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
    let named = |evidence: &Evidence| symbol(variant.problem, !evidence.proof.constant_time);
    let proved = ProvedGrid::admitted(grids, kernel, &|evidence| admits(timing, evidence), &named);
    proved.map_err(|why| TuneError::NotProved(format!("`{variant}` is not proved: {why}")))
}

/// Proves a variant. `None` if its time depends on secrets and that is not allowed.
pub(crate) fn proved(
    grids: &Grids,
    variant: &Variant,
    timing: Timing,
    symbol: &dyn Fn(Problem, bool) -> String,
) -> Result<Option<ProvedGrid>, TuneError> {
    let kernel = (grids.build)(variant).map_err(TuneError::NoResult)?;
    Ok(admitted(grids, kernel, timing, symbol)?.ok())
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
