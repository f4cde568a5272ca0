//! The run: baseline, starting points, search, race, the winner confirmed and remembered.

use crate::error::TuneError;
use crate::options::{Event, Options};
use crate::workplace::Workplace;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `tune --json` ends with. Costs are cycles per byte; per call for key schedules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned {
    /// The problem's name.
    pub problem: String,
    /// Bytes of a message.
    pub size: u64,
    /// Variants tried.
    pub variants_tried: u64,
    /// Different kernels among them.
    pub kernels: u64,
    /// Seconds for all of it.
    pub seconds: f64,
    /// Variants a second in the search.
    pub variants_per_second: f64,
    /// The variant without any optimization.
    pub baseline_cycles_per_byte: f64,
    /// The confirmed winner: median.
    pub best_cycles_per_byte: f64,
    /// Its first quartile.
    pub best_low: f64,
    /// Its third quartile.
    pub best_high: f64,
    /// What the machine allows for the problem.
    pub bound_cycles_per_byte: Option<f64>,
    /// OpenSSL's libcrypto of the system, measured interleaved with the winner.
    pub openssl_cycles_per_byte: Option<f64>,
    /// `faster`, `slower` or `no evidence`, against the baseline.
    pub against_baseline: String,
    /// Level of the winner's certificate.
    pub certificate_level: String,
    /// The winner's kernel name.
    pub kernel: String,
    /// The winner's variant.
    pub variant: String,
    /// How its rounds are computed.
    pub technique: String,
    /// What became of the variants.
    pub outcomes: BTreeMap<String, u64>,
    /// The best for each message size, where sizes were asked for.
    pub by_size: Vec<SizeBest>,
    /// The strategy.
    pub strategy: String,
    /// Its seed.
    pub seed: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Key of the run in wisdom.
    pub run: String,
    /// Path of the report; set by whoever writes one.
    pub report: Option<String>,
}

/// The best of one message size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeBest {
    /// Bytes of a message.
    pub bytes: u64,
    /// Confirmed median.
    pub cycles_per_byte: f64,
    /// The variant.
    pub variant: String,
}

/// Tunes a problem. Everything measured is in the store when this returns, however it returns.
///
/// # Errors
/// See [`TuneError`].
pub fn tune(
    place: &mut Workplace,
    options: &Options,
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned, TuneError> {
    let _ = (place, options, observer);
    todo!()
}
