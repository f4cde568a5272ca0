//! What `aesmith bench` measures: our best known kernels against the peers over message sizes, and
//! the goals, as structured rows.

use crate::error::TuneError;
use crate::options::Event;
use crate::workplace::Workplace;
use aesmith_cipher::Problem;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is measured.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// The problems; every one if empty.
    pub problems: Vec<Problem>,
    /// Message sizes in bytes; the standard ones if empty.
    pub sizes: Vec<usize>,
    /// Rounds of the interleaved measurement.
    pub rounds: usize,
    /// Set from outside to stop.
    pub interrupted: Arc<AtomicBool>,
}

/// One line of `bench --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The problem's name.
    pub problem: String,
    /// Bytes of a message (of each stream).
    pub bytes: u64,
    /// `aesmith`, `openssl`, `bound`, ...
    pub subject: String,
    /// Calibrated, median; per call for key schedules.
    pub cycles_per_byte: f64,
    /// First quartile.
    pub low: f64,
    /// Third quartile.
    pub high: f64,
    /// The kernel's name, or the library's name and version.
    pub kernel: String,
    /// `aesni`, `vaes`; empty where it is not known.
    pub technique: String,
    /// Ours against this one: `faster`, `slower`, `no evidence`; empty for ours and for bounds.
    pub verdict: String,
}

/// One line of the table of goals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// What is measured.
    pub what: String,
    /// The unit of the figures.
    pub unit: String,
    /// What must be reached.
    pub must: f64,
    /// What is aimed at.
    pub aim: Option<f64>,
    /// What was measured, if it could be.
    pub measured: Option<f64>,
    /// `aim reached`, `must reached`, `missed`, or why it was not measured.
    pub verdict: String,
}

/// Everything a benchmark found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bench {
    /// Costs.
    pub rows: Vec<Row>,
    /// The goals, where they were asked for.
    pub goals: Vec<Goal>,
    /// What could not be measured and why.
    pub notes: Vec<String>,
}

/// Measures problems over sizes, interleaved with the peers.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn bench(
    place: &mut Workplace,
    options: &BenchOptions,
    observer: &mut dyn FnMut(Event),
) -> Result<Bench, TuneError> {
    let _ = (place, options, observer);
    todo!()
}

/// Measures what the goals are about, and the search's own speed.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn goals(
    place: &mut Workplace,
    bench: &mut Bench,
    interrupted: &Arc<AtomicBool>,
    observer: &mut dyn FnMut(Event),
) -> Result<(), TuneError> {
    let _ = (place, bench, interrupted, observer);
    todo!()
}

/// A benchmark as text for a terminal.
pub fn text(bench: &Bench) -> String {
    let _ = bench;
    todo!()
}

/// docs/PERFORMANCE.md: the tables, with the machine that they were measured on.
pub fn performance_markdown(place: &Workplace, bench: &Bench) -> String {
    let _ = (place, bench);
    todo!()
}
