//! The kernel that is handed out: the best known from wisdom, or the known-good starting point; in
//! counter mode, several behind compares of the message's length, with measured crossovers.

use crate::error::TuneError;
use crate::handout::HandOut;
use aesmith_cipher::Problem;
use aesmith_kernel::Target;
use aesmith_prove::Prover;
use aesmith_wisdom::Store;

/// The best known kernel of a problem for a processor. `store` may be absent: then the first
/// known-good starting point that the target can run is taken. A kernel handed out is proved anew.
///
/// # Errors
/// Trouble with the store, or no kernel.
pub fn best_known(
    store: Option<&Store>,
    processor: &str,
    problem: Problem,
    target: &Target,
    prover: &mut Prover,
) -> Result<HandOut, TuneError> {
    let _ = (store, processor, problem, target, prover);
    todo!()
}
