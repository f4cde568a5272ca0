//! Kernels and peers measured against each other: interleaved, in random order, each round on
//! another message, layout and code placement, over a range of message sizes.

use aesmith_cipher::Problem;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::fault::JudgeError;
use crate::native::{Core, Failure, REPEATS, bytes_per_call, calls_per_sample};
use crate::peers::{Call, Peer, Session};
use crate::stage::{LAYOUTS, Prepared, Stream};
use crate::timing::{Comparison, Samples, Timing, compare, noise_floor};

/// Core cycles of scalar work before a cold call: about 100 us, after which a core has left the
/// state that wide instructions put it in.
const COLD_CYCLES: u64 = 300_000;
/// Samples a round.
const SAMPLES: usize = 5;

/// What a bench does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// Message sizes, bytes a stream.
    pub sizes: Vec<usize>,
    /// Rounds for each size; at least 8 for a verdict, fewer are made of messages above 4 MiB.
    pub rounds: usize,
    /// One call after 100 us of scalar work, instead of calls in steady state.
    pub cold: bool,
    /// Names of the peers wanted; all that there are if `None`.
    pub peers: Option<Vec<String>>,
}

/// A subject at a size.
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
    /// Samples, or why there are none.
    pub outcome: Result<Samples, String>,
    /// The first kernel against this one: faster means that the first kernel is.
    pub first_against_this: Option<Comparison>,
    /// The A-against-A noise floor at this size.
    pub noise: Option<f64>,
}

/// A kernel in a bench.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    /// Its name in the table.
    pub name: &'a str,
    /// Its bytes.
    pub code: &'a [u8],
}

/// Why a subject has no time.
enum Stop {
    /// To be told in its row.
    Row(String),
    /// The judge's own trouble.
    Judge(JudgeError),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Candidate(class, text) => Stop::Row(format!("{class}: {text}")),
            Failure::Judge(error) => Stop::Judge(error),
        }
    }
}

impl From<JudgeError> for Stop {
    fn from(error: JudgeError) -> Self {
        Stop::Judge(error)
    }
}

enum Subject<'a> {
    Kernel(&'a [u8]),
    Peer(&'a dyn Peer),
}

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
        let mut subjects: Vec<(String, String, Subject)> = Vec::new();
        for k in kernels {
            subjects.push((k.name.to_owned(), String::new(), Subject::Kernel(k.code)));
        }
        for p in peers.iter().map(|p| &**p).filter(|p| p.supports(problem) && wanted(*p)) {
            subjects.push((p.name().to_owned(), p.version(), Subject::Peer(p)));
        }
        let mut rows = Vec::new();
        for &size in &how.sizes {
            let rounds = if bytes_per_call(problem, size) > 4 << 20 { how.rounds.min(8) } else { how.rounds };
            let mut outcomes: Vec<Result<Samples, String>> =
                vec![
                    Ok(Samples { rounds: Vec::new(), bytes: bytes_per_call(problem, size) });
                    subjects.len()
                ];
            let mut again = Samples { rounds: Vec::new(), bytes: bytes_per_call(problem, size) };
            // The first subject takes part twice: the noise floor.
            let mut order: Vec<usize> =
                (0..subjects.len()).chain((!subjects.is_empty()).then_some(0)).collect();
            for _ in 0..rounds {
                order.shuffle(&mut random);
                let place = LAYOUTS[random.random_range(0..LAYOUTS.len())];
                let streams = self.streams(problem, size, &mut random);
                let mut first_seen = false;
                for &i in &order {
                    if outcomes[i].is_err() {
                        continue;
                    }
                    self.allow(problem, size, (SAMPLES + 2) * (REPEATS + 1));
                    let prepared = self.stage.prepare(problem, &streams, place)?;
                    let timed = self.bench_round(
                        &subjects[i].2,
                        problem,
                        size,
                        &streams,
                        &prepared,
                        how.cold,
                        &mut random,
                    );
                    self.entrance.allow(0.0);
                    match (timed, &mut outcomes[i]) {
                        (Ok(timing), _) if i == 0 && std::mem::replace(&mut first_seen, true) => {
                            again.rounds.push(timing)
                        }
                        (Ok(timing), Ok(samples)) => samples.rounds.push(timing),
                        (Err(Stop::Judge(error)), _) => return Err(error),
                        (Err(Stop::Row(text)), outcome) => *outcome = Err(text),
                        (Ok(_), Err(_)) => {}
                    }
                }
            }
            let first = outcomes.first().and_then(|o| o.as_ref().ok()).cloned();
            let noise = first.as_ref().map(|f| noise_floor(f, &again)).filter(|n| n.is_finite());
            for ((name, version, _), outcome) in subjects.iter().zip(outcomes) {
                let first_against_this = match (&first, &outcome, noise) {
                    (Some(first), Ok(this), Some(noise)) => Some(compare(first, this, noise)),
                    _ => None,
                };
                rows.push(BenchRow {
                    problem: problem.to_string(),
                    size,
                    subject: name.clone(),
                    version: version.clone(),
                    outcome,
                    first_against_this: first_against_this.filter(|c| c.high.is_finite()),
                    noise,
                });
            }
        }
        Ok(rows)
    }

    /// One subject's part of a round.
    #[expect(clippy::too_many_arguments, reason = "a round is described by all of these")]
    fn bench_round(
        &mut self,
        subject: &Subject,
        problem: Problem,
        size: usize,
        streams: &[Stream],
        prepared: &Prepared,
        cold: bool,
        random: &mut SmallRng,
    ) -> Result<Timing, Stop> {
        let (function, arguments, mut session): (*const u8, [u64; 5], Option<Box<dyn Session>>) =
            match subject {
                Subject::Kernel(code) => (self.load(code, random)?, prepared.arguments, None),
                Subject::Peer(peer) => {
                    let mut session = peer.session(problem, streams).map_err(Stop::Row)?;
                    let (call, context): (Call, _) = session.entry();
                    let [_, iv, input, output, len] = prepared.five;
                    (call as *const u8, [context as u64, iv, input, output, len], Some(session))
                }
            };
        let calls = if cold { 1 } else { calls_per_sample(problem, size) };
        let is_peer = session.is_some();
        // SAFETY: kernels are run in a process that they may destroy, peers keep the ABI; the
        // arguments are valid for both.
        let sample = |core: &mut Core| unsafe { core.entrance.timed(function, arguments, calls) };
        let mut timing = Timing::default();
        for _ in 0..=REPEATS {
            if !cold {
                self.stage.set_ivs(streams);
                sample(self).map_err(|s| self.blame(s))?;
            }
            timing = self.fresh_timing(calls)?;
            let before = self.is_clear()?;
            for _ in 0..SAMPLES {
                self.stage.set_ivs(streams);
                if cold {
                    self.clock.work(&mut self.entrance, COLD_CYCLES)?;
                }
                timing.ticks.push(sample(self).map_err(|s| self.blame(s))?);
            }
            timing.clean = before && self.is_undisturbed(&timing)?;
            if timing.clean {
                break;
            }
        }
        self.stage.again(streams, prepared);
        if let Some(session) = &mut session {
            session.restart(streams);
        }
        // SAFETY: as above.
        let changed = unsafe { self.entrance.checked(function, arguments) }.map_err(|s| self.blame(s))?;
        if !changed.is_empty() {
            return Err(Stop::Row(format!("abi: not preserved: {}", changed.join(", "))));
        }
        self.stage
            .verify_but_iv(problem, streams, prepared, is_peer)
            .map_err(|(_, text)| Stop::Row(format!("wrong: {text}")))?;
        Ok(timing)
    }
}
