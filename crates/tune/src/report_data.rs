//! From wisdom to a report's data.

use crate::bench::Bench;
use crate::error::TuneError;
use crate::options::Event;
use crate::workplace::Workplace;
use aesmith_cipher::Problem;
use aesmith_report::ReportData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Measures what the paper's three figures need and wisdom does not have, for `time` at most.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn paper_figures(
    place: &mut Workplace,
    problem: Problem,
    time: Duration,
    interrupted: &Arc<AtomicBool>,
    observer: &mut dyn FnMut(Event),
) -> Result<(), TuneError> {
    let _ = (place, problem, time, interrupted, observer);
    todo!()
}

/// The report of a problem from what wisdom has, and a benchmark where there is one.
///
/// # Errors
/// Trouble with the store.
pub fn report_data(
    place: &mut Workplace,
    problem: Problem,
    size: usize,
    bench: Option<&Bench>,
) -> Result<ReportData, TuneError> {
    let _ = (place, problem, size, bench);
    todo!()
}
