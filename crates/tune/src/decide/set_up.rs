//! Measures the set-ups of a key, interleaved with a kernel.

use std::time::Instant;

use aesmith_arrange::Variant;
use aesmith_cipher::Task;

use crate::decide::contest::Contest;
use crate::error::TuneError;
use crate::key_life::{STRATEGY, set_ups};
use crate::workplace::Workplace;

/// Rounds of each measurement.
const ROUNDS: usize = 24;
/// Least number of rounds, if time is short.
const FEWEST: usize = 3;
/// Fraction of the remaining time that the measurement may take in a run with a time limit.
const PART: f64 = 0.1;

/// Measures the deliverable set-ups interleaved with a kernel, in fewer rounds if the run must end soon. Does
/// nothing in other modes, where all kernels of a problem share one set-up.
///
/// # Errors
/// The store or the judge failed.
pub fn measure(
    place: &mut Workplace,
    kernel: &Variant,
    size: usize,
    seed: u64,
    ends: Option<Instant>,
) -> Result<(), TuneError> {
    let problem = kernel.problem;
    if problem.task != Task::Ctr {
        return Ok(());
    }
    let mut all = vec![kernel.clone()];
    for set_up in set_ups(problem) {
        let delivered = place.best_known(set_up, 0)?;
        all.extend(delivered.variants.into_iter().map(|(_, variant)| variant));
    }
    let restriction = place.settings.request.restriction();
    let (run, _) = place.start_run(&problem.to_string(), size, STRATEGY, &restriction, seed)?;
    let mut contest = Contest::new(place, run, size);
    let mut rounds = ROUNDS;
    if let Some(end) = ends {
        let began = Instant::now();
        contest.medians(&all, FEWEST)?;
        let round = began.elapsed().as_secs_f64() / FEWEST as f64;
        let left = end.saturating_duration_since(Instant::now()).as_secs_f64();
        rounds = ((left * PART / round.max(1e-9)) as usize).min(ROUNDS);
    }
    if rounds > FEWEST {
        contest.medians(&all, rounds)?;
    }
    place.store.set_state(run, "finished")?;
    Ok(())
}
