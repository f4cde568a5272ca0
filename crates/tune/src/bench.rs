//! The measurements of `aesmith bench`: our best known kernels against the peers over message sizes.

use crate::bound::{correct, steady_bound};
use crate::deliver::Delivery;
use crate::deliver::chosen;
use crate::error::TuneError;
use crate::options::Event;
use crate::options::SIZES;
use crate::tables::{figure, size};
use crate::workplace::Workplace;
use aesmith_cipher::mode::Unit;
use aesmith_cipher::{Calls, Problem};
use aesmith_native::timing::{Samples, Verdict};
use aesmith_native::{BenchRow, Contender};
use aesmith_report::Cost;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use crate::tables::text;

/// The subject of our own rows.
pub const OURS: &str = "aesmith";

/// Options of a benchmark.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// The problems; every one if empty.
    pub problems: Vec<Problem>,
    /// Message sizes in bytes; the standard ones if empty.
    pub sizes: Vec<usize>,
    /// The message size whose best known kernel is measured, at all sizes.
    pub best_at: usize,
    /// Rounds of the interleaved measurement.
    pub rounds: usize,
    /// True if one call after 100 us of other work is measured, too.
    pub cold: bool,
    /// Set from outside to stop.
    pub interrupted: Arc<AtomicBool>,
}

/// One line of `bench --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The problem's name.
    pub problem: String,
    /// Bytes of a message (of each stream); 0 for key set-ups.
    pub bytes: u64,
    /// `aesmith`, `openssl`, `bound`, ...
    pub subject: String,
    /// Throughput of independent calls: calibrated, median; cycles per call for key set-ups.
    pub cycles_per_byte: f64,
    /// First quartile.
    pub low: f64,
    /// Third quartile.
    pub high: f64,
    /// Latency of dependent calls: cycles from one call's arguments to its last result, median.
    pub dependent_call_cycles: Option<f64>,
    /// One call after other work, if requested.
    pub cold: Option<Cold>,
    /// Medians for several streams, by their placement relative to each other. The worst counts.
    pub spacings: Option<Spacings>,
    /// The kernel's name, or the library's version.
    pub kernel: String,
    /// `aesni`, `vaes`; empty if unknown.
    pub technique: String,
    /// Our kernel compared with this subject: `faster`, `slower`, `no evidence`; empty for our rows and
    /// bounds.
    pub verdict: String,
}

impl Row {
    /// Cost of calls of one kind; `None` if those were not measured.
    pub fn cost(&self, calls: Calls) -> Option<Cost> {
        match calls {
            Calls::Steady => Some(Cost { median: self.cycles_per_byte, low: self.low, high: self.high }),
            Calls::Cold => {
                let cold = self.cold.as_ref()?;
                Some(Cost { median: cold.cycles_per_byte, low: cold.low, high: cold.high })
            }
        }
    }
}

/// One call after 100 us of scalar work, as in a program with rare messages: wide registers are powered down,
/// and calls do not overlap. Cycles per byte; cycles per call for a key set-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cold {
    /// Median.
    pub cycles_per_byte: f64,
    /// First quartile.
    pub low: f64,
    /// Third quartile.
    pub high: f64,
    /// Our kernel compared with this subject: `faster`, `slower`, `no evidence`; empty for our rows.
    pub verdict: String,
}

/// Medians of a call on several streams, by their placement relative to each other
/// ([`aesmith_native::place::Spacing`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spacings {
    /// Each stream at the beginning of a page.
    pub pages: f64,
    /// Streams at odd distances.
    pub odd: f64,
    /// Streams scattered.
    pub scattered: f64,
}

/// The greatest acceptable loss between spacings.
pub(crate) const MOST_LOST: f64 = 0.10;

impl Spacings {
    /// Medians of samples that were taken at all spacings.
    pub fn of(samples: &Samples) -> Option<Spacings> {
        let [pages, odd, scattered] = samples.by_spacing()[..] else { return None };
        Some(Spacings { pages, odd, scattered })
    }

    /// The slowdown of the worst spacing against the best, as a fraction.
    pub fn lost(&self) -> f64 {
        let all = [self.pages, self.odd, self.scattered];
        all.into_iter().fold(0.0, f64::max) / all.into_iter().fold(f64::INFINITY, f64::min) - 1.0
    }
}

impl fmt::Display for Spacings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [pages, odd, scattered] = [self.pages, self.odd, self.scattered].map(figure);
        let lost = 100.0 * self.lost();
        write!(
            f,
            "streams at pages {pages}, at odd distances {odd}, scattered {scattered}: {lost:.1} % between them"
        )
    }
}

/// The results of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// When they were measured, in UTC; empty if that is not known.
    #[serde(default)]
    pub made: String,
    /// Costs.
    pub rows: Vec<Row>,
    /// Failed measurements with their reasons, and other remarks.
    pub notes: Vec<String>,
}

impl Bench {
    /// A row's median.
    pub fn median(&self, problem: &str, bytes: usize, subject: &str) -> Option<f64> {
        let found = |r: &&Row| r.problem == problem && r.bytes == bytes as u64 && r.subject == subject;
        self.rows.iter().find(found).map(|r| r.cycles_per_byte)
    }
}

/// Measures problems over sizes, interleaved with the peers.
///
/// # Errors
/// The store or the judge failed.
pub fn bench(
    place: &mut Workplace,
    options: &BenchOptions,
    observer: &mut dyn FnMut(Event),
) -> Result<Bench, TuneError> {
    let all = Problem::all();
    let problems = if options.problems.is_empty() { &all } else { &options.problems };
    let sizes: Vec<usize> = if options.sizes.is_empty() { SIZES.to_vec() } else { options.sizes.clone() };
    let mut bench = Bench::default();
    if !place.is_quiet(observer)? {
        bench.notes.push("the machine was not quiet when the benchmark began".into());
    }
    for (index, &problem) in problems.iter().enumerate() {
        if options.interrupted.load(Ordering::Relaxed) {
            bench.notes.push("interrupted: the problems after the last row were not measured".into());
            break;
        }
        observer(Event::Stage(&format!("measuring {problem}")));
        observer(Event::Step(index as u64, problems.len() as u64));
        let kernel = match place.best_known(problem, options.best_at) {
            Ok(kernel) => kernel,
            Err(error @ (TuneError::Wisdom(_) | TuneError::Judge(_))) => return Err(error),
            Err(error) => {
                bench.notes.push(error.to_string());
                continue;
            }
        };
        bench.notes.extend(kernel.notes.iter().cloned());
        let sizes = match problem.is_message() {
            true => whole(problem, &sizes, &mut bench.notes),
            false => vec![0],
        };
        let measured = measured(place, &kernel, &sizes, options.rounds, false)?;
        let cold = match options.cold {
            true => self::measured(place, &kernel, &sizes, options.rounds, true)?,
            false => Vec::new(),
        };
        for (row, why) in cold.iter().filter_map(|row| Some((row, row.outcome.as_ref().err()?))) {
            bench.notes.push(format!("{} of {problem} at {} bytes, cold: {why}", row.subject, row.size));
        }
        for row in measured.iter().filter(|r| r.subject == OURS) {
            if let Ok(samples) = &row.outcome {
                let cost = samples.cycles_per_byte(0.5);
                bench.notes.extend(correct(place, chosen(&kernel, row.size), row.size, cost)?);
            }
        }
        for &size in &sizes {
            bench.rows.extend(bound_row(place, &kernel, size));
            for row in measured.iter().filter(|r| r.size == size) {
                match &row.outcome {
                    Ok(samples) => {
                        bench.notes.extend(free(place, row).filter(|note| !bench.notes.contains(note)));
                        let same = |c: &&BenchRow| c.size == size && c.subject == row.subject;
                        let row = row_of(row, samples, cold.iter().find(same), &kernel);
                        bench.notes.extend(lost(&row));
                        bench.rows.push(row);
                    }
                    Err(why) => {
                        bench.notes.push(format!("{} of {problem} at {size} bytes: {why}", row.subject));
                    }
                }
            }
        }
    }
    Ok(bench)
}

/// A note on a library that cannot be restricted to the lesser CPU that our kernels are made for.
fn free(place: &Workplace, row: &BenchRow) -> Option<String> {
    place.settings.cpu.filter(|_| !row.held)?;
    Some(format!(
        "{} runs its code for the whole of this CPU, and cannot be held to {}: it is no comparison between equals",
        row.subject,
        place.target.cpu()
    ))
}

/// A note on our kernel if its speed depends on the placement of streams.
fn lost(row: &Row) -> Option<String> {
    let spacings = row.spacings.filter(|spacings| row.subject == OURS && spacings.lost() > MOST_LOST)?;
    let most = 100.0 * MOST_LOST;
    Some(format!("{} at {}: {spacings}, more than {most:.0} %", row.problem, size(row.bytes)))
}

/// The sizes that a problem accepts: whole blocks, except in modes that count bytes.
fn whole(problem: Problem, sizes: &[usize], notes: &mut Vec<String>) -> Vec<usize> {
    let counts_bytes = problem.mode().unit == Unit::Byte;
    let fits = |size: &usize| *size > 0 && (counts_bytes || size.is_multiple_of(16));
    for size in sizes.iter().filter(|s| !fits(s)) {
        notes.push(format!(
            "{problem} is not measured on messages of {size} bytes, which are no whole blocks"
        ));
    }
    sizes.iter().copied().filter(fits).collect()
}

/// Measures our kernel and the libraries as `tune` compares them; each call alone after other work if `cold`.
fn measured(
    place: &mut Workplace,
    kernel: &Delivery,
    sizes: &[usize],
    rounds: usize,
    cold: bool,
) -> Result<Vec<BenchRow>, TuneError> {
    let how = aesmith_native::Bench { sizes: sizes.to_vec(), rounds, cold, peers: None, latency: !cold };
    let contenders = [Contender { name: OURS, code: &kernel.bytes }];
    Ok(place.judge.bench(kernel.problem, &contenders, &how)?)
}

/// Our kernel compared with this row's subject; empty for our own rows.
pub fn verdict_of(row: &BenchRow) -> String {
    let verdict = row.first_against_this.filter(|_| row.subject != OURS).map(|c| match c.verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::NoEvidence => "no evidence",
    });
    verdict.unwrap_or_default().to_owned()
}

fn row_of(row: &BenchRow, samples: &Samples, cold: Option<&BenchRow>, kernel: &Delivery) -> Row {
    let ours = row.subject == OURS;
    let cold = cold.and_then(|row| {
        let samples = row.outcome.as_ref().ok()?;
        Some(Cold {
            cycles_per_byte: samples.cycles_per_byte(0.5),
            low: samples.cycles_per_byte(0.25),
            high: samples.cycles_per_byte(0.75),
            verdict: verdict_of(row),
        })
    });
    Row {
        problem: row.problem.clone(),
        bytes: row.size as u64,
        subject: row.subject.clone(),
        cycles_per_byte: samples.cycles_per_byte(0.5),
        low: samples.cycles_per_byte(0.25),
        high: samples.cycles_per_byte(0.75),
        dependent_call_cycles: row.latency.as_ref().map(|s| s.quantile(0.5)).filter(|c| c.is_finite()),
        cold,
        spacings: Spacings::of(samples),
        kernel: if ours { kernel.name.clone() } else { row.version.clone() },
        technique: if ours { kernel.technique.clone() } else { String::new() },
        verdict: verdict_of(row),
    }
}

fn bound_row(place: &Workplace, kernel: &Delivery, size: usize) -> Option<Row> {
    let problem = kernel.problem;
    let bound = steady_bound(place, chosen(kernel, size), size)?;
    Some(Row {
        problem: problem.to_string(),
        bytes: size as u64,
        subject: "bound".into(),
        cycles_per_byte: bound,
        low: bound,
        high: bound,
        dependent_call_cycles: None,
        cold: None,
        spacings: None,
        kernel: "measured machine model".into(),
        technique: String::new(),
        verdict: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_native::Timing;

    #[test]
    fn what_is_lost_between_spacings_is_said() {
        let timing = |scale: u64| Timing {
            ticks: [790, 240, 200].map(|ticks: u64| ticks * scale).to_vec(),
            calls: 1,
            ratio: 1.0,
            spacings: 3,
            ..Timing::default()
        };
        let samples =
            Samples { rounds: vec![timing(1), timing(3), timing(1)], bytes: 1000, ..Samples::default() };
        let spacings = Spacings::of(&samples).unwrap();
        assert_eq!(spacings, Spacings { pages: 0.79, odd: 0.24, scattered: 0.2 });
        assert_eq!(format!("{:.3}", spacings.lost()), "2.950");
        let said = spacings.to_string();
        assert!(said.contains("at pages 0.7900") && said.contains("295.0 %"), "{said}");
        assert!(Spacings { pages: 0.21, odd: 0.2, scattered: 0.2 }.lost() < MOST_LOST);
        let one = Samples { rounds: vec![Timing { spacings: 1, ..timing(1) }], ..samples };
        assert_eq!(Spacings::of(&one), None);
    }
}
