//! Compares kernels and peers over a range of message sizes, by the same rounds as duels (`rounds.rs`).

use aesmith_cipher::Problem;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

use crate::fault::JudgeError;
use crate::native::{Candidate, Core, bytes_per_call};
use crate::peers::Peer;
use crate::rounds::{Flaw, Subject, Way, empty};
use crate::timing::{Comparison, Quantity, Samples, compare, noise_floor};

/// Parameters of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// Message sizes, bytes a stream.
    pub sizes: Vec<usize>,
    /// Rounds for each size; a verdict needs at least 8. Messages above 4 MiB get fewer.
    pub rounds: usize,
    /// One call after 100 us of scalar work, instead of calls in steady state.
    pub cold: bool,
    /// Names of the peers to measure; all available ones if `None`.
    pub peers: Option<Vec<String>>,
    /// True if the latency of dependent calls is measured, in addition to the throughput of independent ones.
    pub latency: bool,
}

/// Result of one subject at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// The problem's name.
    pub problem: String,
    /// Message size, bytes a stream.
    pub size: usize,
    /// The kernel's name as given, or the peer's.
    pub subject: String,
    /// The peer's version; empty for kernels.
    pub version: String,
    /// True if it restricts itself to the CPU features that it is told to use.
    pub held: bool,
    /// Samples of independent calls, or the reason why there are none.
    pub outcome: Result<Samples, String>,
    /// Samples of dependent calls, if requested.
    pub latency: Option<Samples>,
    /// The first kernel compared with this subject: `Faster` means that the first kernel is faster.
    pub first_against_this: Option<Comparison>,
    /// The A-against-A noise floor at this size.
    pub noise: Option<f64>,
}

/// A kernel in a benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    /// Its name in the table.
    pub name: &'a str,
    /// Its machine code.
    pub code: &'a [u8],
}

/// Rounds of dependent calls; they give no verdict.
const LATENCY_ROUNDS: usize = 12;

impl Core {
    /// Measures kernels of `problem` and the peers that support it; rows by size, kernels first.
    pub fn bench(
        &mut self,
        problem: Problem,
        kernels: &[Contender],
        peers: &[Box<dyn Peer>],
        how: &Bench,
        seed: u64,
    ) -> Result<Vec<BenchRow>, JudgeError> {
        let mut random = SmallRng::seed_from_u64(seed);
        let wanted =
            |p: &dyn Peer| how.peers.as_ref().is_none_or(|names| names.iter().any(|n| n == p.name()));
        let mut names: Vec<(String, String, bool)> = Vec::new();
        let mut subjects: Vec<Subject> = Vec::new();
        for k in kernels {
            names.push((k.name.to_owned(), String::new(), true));
            subjects.push(Subject::Kernel(Candidate::new(problem, k.code)));
        }
        // Libraries offer no key set-up without an allocation.
        let comparable = |p: &&dyn Peer| problem.is_message() && p.supports(problem) && wanted(*p);
        for p in peers.iter().map(|p| &**p).filter(comparable) {
            names.push((p.name().to_owned(), p.version(), p.is_held()));
            subjects.push(Subject::Peer(problem, p));
        }
        let mut rows = Vec::new();
        for &size in &how.sizes {
            let rounds = if bytes_per_call(problem, size) > 4 << 20 { how.rounds.min(8) } else { how.rounds };
            let way = Way { size, rounds, quantity: Quantity::Throughput, cold: how.cold };
            let fresh = |way: &Way| subjects.iter().map(|_| Ok(empty(problem, way))).collect();
            let (outcomes, again) = self.rounds(&subjects, fresh(&way), &way, &mut random)?;
            let latencies = match how.latency {
                true => {
                    let rounds = rounds.min(LATENCY_ROUNDS);
                    let way = Way { quantity: Quantity::Latency, rounds, ..way };
                    self.rounds(&subjects, fresh(&way), &way, &mut random)?.0
                }
                false => Vec::new(),
            };
            let mut latencies = latencies.into_iter().map(Result::ok);
            let first = outcomes.first().and_then(|o| o.as_ref().ok()).cloned();
            let noise = first.as_ref().map(|f| noise_floor(f, &again)).filter(|n| n.is_finite());
            for ((name, version, held), outcome) in names.iter().zip(outcomes) {
                let first_against_this = match (&first, &outcome, noise) {
                    (Some(first), Ok(this), Some(noise)) => Some(compare(first, this, noise)),
                    _ => None,
                };
                rows.push(BenchRow {
                    problem: problem.to_string(),
                    size,
                    subject: name.clone(),
                    version: version.clone(),
                    held: *held,
                    outcome: outcome.map_err(said),
                    latency: latencies.next().flatten(),
                    first_against_this: first_against_this.filter(|c| c.high.is_finite()),
                    noise,
                });
            }
        }
        Ok(rows)
    }
}

fn said(flaw: Flaw) -> String {
    match flaw.class {
        Some(class) => format!("{class}: {}", flaw.detail),
        None => flaw.detail,
    }
}
