//! Evaluation of variants by a judge: build, join kernels of equal bytes, prove where the judge runs them, measure, store.
//!
//! A noisy judge measures proved kernels, one at a time ([`pipeline`], recorded by [`exploration`]). A table of timing costs
//! kernels on all processors of this machine at once, and the best are proved and examined ([`costing`], [`confirm`]). Static
//! bounds of grids ([`bounding`]) and costs by a machine's model ([`modelled`]) take less time than to read them, and are not stored.

pub mod bounding;
pub mod confirm;
pub mod costing;
pub mod exam;
pub mod exploration;
pub mod look;
pub mod modelled;
pub mod pipeline;
mod plan;
mod pool;
pub mod record;
pub mod search_times;
pub mod stored;
pub mod visited;

pub use plan::Plan;

use aesmith_arrange::{Role, Variant};

/// Checks the findings of a proof against the promises of a variant: constant time unless its technique looks
/// up secrets, and no secrets left behind if it wipes.
///
/// # Errors
/// A message with the promise and the finding.
pub(crate) fn keeps_promises(variant: &Variant, variable_time: bool, wiped: bool) -> Result<(), String> {
    if variable_time && !variant.technique.looks_up_secrets() {
        return Err(format!(
            "`{variant}` was to be of constant time, and its proof found addresses that depend on secrets"
        ));
    }
    if variant.on(Role::Wipe) && !wiped {
        return Err(format!(
            "`{variant}` was to clear registers and stack of secrets, and its proof found some that are left"
        ));
    }
    Ok(())
}

/// Added to the cost that a strategy is told of a kernel that may not win: more than any kernel's cycles or bytes.
const PENALTY: f64 = 1e9;

/// The cost that a strategy is told of a kernel with two goals. The second only decides between equals of the first. `over` is 0 if
/// the kernel may win, and otherwise grows with its distance to the limits, so that the way back is downhill.
pub(crate) fn told([first, second]: [f64; 2], over: f64) -> f64 {
    (first + second * 1e-7 + over * PENALTY).max(f64::MIN_POSITIVE)
}
