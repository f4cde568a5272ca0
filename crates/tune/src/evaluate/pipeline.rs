//! Costs of a batch of variants: build, group by equal bytes, prove, screen, store.
//!
//! ```text
//! this thread      build, hash, prove ──► chunks of kernels ──► (next chunk meanwhile) ──► wisdom
//! measuring thread                        judge.screen ──► its worker process, on another CPU
//! ```
//!
//! A kernel that is not proved counts as refuted and never runs. Kernels with equal bytes are proved and
//! measured once: they have equal cost, and measuring the code for each of its variants would only let the
//! luckiest sample win.

use crate::error::TuneError;
use crate::evaluate::keeps_promises;
use crate::evaluate::record;
use crate::floor::least_believable;
use aesmith_arrange::{Likeness, Variant};
use aesmith_cipher::Calls;
use aesmith_judge::judge::{Judge, Outcome as JudgeOutcome, Trial};
use aesmith_native::{JudgeError, NativeJudge, Screen, Screening};
use aesmith_processor::measured::MachineModel;
use aesmith_processor::measured::{Kernel, Target, Unfit};
use aesmith_prove::{ConeCount, Prover};
use aesmith_search::{Evaluate, Outcome, Verdict};
use aesmith_wisdom::{RunId, Sample, Store};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Most kernels given to the worker at once: few enough that proving the next and measuring these overlap
/// within a batch, and enough that messages between the processes do not matter. For small batches it is a
/// quarter of the batch.
const CHUNK: usize = 16;
/// Samples of a screen.
const SAMPLES: usize = 12;
/// Samples of a screen of cold calls: two from each of the counters that a screen starts from. Each takes 100
/// microseconds of other work, which dominate the time of such a search.
pub const COLD_SAMPLES: usize = 8;
/// A candidate slower than the best so far by this factor is dropped after two samples.
const GIVE_UP: f64 = 2.0;

/// Most bytes of kernels kept as references for reduction proofs.
const MOST_LIKE: usize = 16 << 20;

/// SHA-256 of a kernel's bytes.
pub type Hash = [u8; 32];

/// Statistics of kernels, counted by distinct bytes, not by variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Distinct kernels built.
    pub kernels: u64,
    /// Built kernels that were proved.
    pub proved: u64,
    /// Proved kernels whose proof was a reduction to an earlier kernel.
    pub reduced: u64,
    /// Cones of rounds that proofs simplified, and cache hits for them.
    pub cones: ConeCount,
    /// Variants with bytes that were already known.
    pub shared: u64,
    /// Time for building kernels.
    pub building: Duration,
    /// Time for successful reductions to earlier kernels.
    pub reducing: Duration,
    /// Time for the other proofs, including attempted reductions.
    pub proving: Duration,
    /// Time that the measuring thread spent on screening, in parallel with the above.
    pub screening: Duration,
    /// Time for storing samples.
    pub storing: Duration,
}

/// The evaluator of one run.
pub struct Pipeline<'a> {
    /// Runs kernels.
    pub judge: &'a mut NativeJudge,
    /// Proves kernels.
    pub prover: &'a mut Prover,
    /// Stores every sample.
    pub store: &'a mut Store,
    /// The machine model, for lower bounds.
    pub model: &'a MachineModel,
    /// Features that kernels may use.
    pub target: Target,
    /// The run in the store.
    pub run: RunId,
    /// Bytes of a message.
    pub size: usize,
    /// Kind of calls to time.
    pub calls: Calls,
    /// Deadline of the search. A batch is then only answered in part: a proof may take longer than the
    /// remaining time.
    pub ends: Option<Instant>,
    /// Set by the user, or here when the store or the judge fails: the search then ends.
    pub interrupted: Arc<AtomicBool>,
    /// The prover's cone counts before this search.
    cones_before: ConeCount,
    state: State,
}

/// Knowledge that the pipeline has gained.
#[derive(Default)]
struct State {
    trial: u64,
    seen: HashMap<Hash, Outcome>,
    best: Option<f64>,
    counts: Counts,
    failure: Option<TuneError>,
    /// Least ratio of a measured cost to its bound, if below 1: only a kernel below that ratio is measured
    /// again. The confirmation decides if the bound is wrong.
    below: Option<f64>,
    /// The last proved kernel in each class of kernels that may differ only in order and registers.
    like: HashMap<Variant, Vec<u8>>,
    /// Total bytes of those kernels.
    like_bytes: usize,
}

/// Class of kernels that differ only in the order of instructions and in the registers of round keys. It is a
/// guess; the proof decides if they are alike.
fn likeness(variant: &Variant) -> Variant {
    let mut like = variant.clone();
    like.order.clear();
    for dimension in variant.dimensions() {
        match dimension.search.likeness {
            Likeness::None => {}
            Likeness::Nonzero => like.set(dimension, u16::from(variant.on(dimension))),
            Likeness::All => like.set(dimension, dimension.default),
        }
    }
    like
}

/// A proved kernel before measurement.
struct Proved {
    hash: Hash,
    kernel: Arc<Kernel>,
    floor: Option<f64>,
}

/// A chunk of kernels with their bounds, and the index of its first kernel.
type Chunk = (usize, Vec<(Arc<Kernel>, Option<f64>)>);

/// Source of the answer for a variant of the batch.
enum Place {
    /// Already known.
    Known(Outcome, Option<Hash>, String),
    /// The result of the batch's new kernel with this index.
    Fresh(usize),
}

/// Answers for a chunk: index of its first kernel, the judge's results, and the time it took.
type Answers = (usize, Result<Vec<JudgeOutcome<Screen>>, JudgeError>, Duration);

impl<'a> Pipeline<'a> {
    /// Creates a pipeline without prior knowledge.
    #[expect(clippy::too_many_arguments, reason = "these are the parts of a workplace, borrowed one by one")]
    pub fn new(
        judge: &'a mut NativeJudge,
        prover: &'a mut Prover,
        store: &'a mut Store,
        model: &'a MachineModel,
        target: Target,
        run: RunId,
        size: usize,
        calls: Calls,
        ends: Option<Instant>,
        interrupted: Arc<AtomicBool>,
    ) -> Self {
        let cones_before = prover.cones();
        Pipeline {
            judge,
            prover,
            store,
            model,
            target,
            run,
            size,
            calls,
            ends,
            interrupted,
            cones_before,
            state: State::default(),
        }
    }

    /// Statistics of kernels so far.
    pub fn counts(&self) -> Counts {
        Counts { cones: self.prover.cones().since(self.cones_before), ..self.state.counts }
    }

    /// The reason that the pipeline stopped answering, if it did.
    pub(crate) fn take_failure(&mut self) -> Option<TuneError> {
        self.state.failure.take()
    }

    fn try_evaluate(&mut self, batch: &[Variant]) -> Result<Vec<Outcome>, TuneError> {
        let how = Screening {
            samples: if self.calls.is_cold() { COLD_SAMPLES } else { SAMPLES },
            cold: self.calls.is_cold(),
            give_up_above: self.state.best.map(|b| b * GIVE_UP),
            ..Screening::of(self.size)
        };
        let mut fresh: Vec<Proved> = Vec::new();
        let mut places = Vec::with_capacity(batch.len());
        let mut screens: Vec<Option<JudgeOutcome<Screen>>> = Vec::new();
        let mut failed = None;
        let Pipeline { judge, prover, model, target, size, calls, ends, state, .. } = self;
        // Steady-state bounds do not apply to cold calls.
        let floors = (!calls.is_cold()).then_some(*model);
        let chunk = (batch.len() / 4).clamp(1, CHUNK);
        std::thread::scope(|scope| {
            let (to_judge, chunks) = mpsc::channel::<Chunk>();
            let (to_us, answers) = mpsc::channel::<Answers>();
            // The thread starts with the first chunk.
            let mut idle = Some((judge.calls(how), chunks, to_us));
            let mut sent = 0;
            let mut pending = 0;
            let mut send = |from: usize, fresh: &[Proved]| {
                if let Some((judge, chunks, to_us)) = idle.take() {
                    scope.spawn(move || measure(judge, &chunks, &to_us));
                }
                let chunk = fresh[from..].iter().map(|p| (p.kernel.clone(), p.floor)).collect();
                // The measuring thread ends after this channel is closed.
                to_judge.send((from, chunk)).expect("the measuring thread waits for chunks");
            };
            for variant in batch {
                if !places.is_empty() && ends.is_some_and(|end| Instant::now() >= end) {
                    break;
                }
                places.push(place(variant, target, prover, floors, *size, state, &mut fresh));
                if fresh.len() - sent == chunk {
                    send(sent, &fresh);
                    sent = fresh.len();
                    pending += 1;
                }
            }
            if fresh.len() > sent {
                send(sent, &fresh);
                pending += 1;
            }
            drop(to_judge);
            screens.resize_with(fresh.len(), || None);
            for _ in 0..pending {
                let (from, answer, time) = answers.recv().expect("each chunk is answered");
                state.counts.screening += time;
                match answer {
                    Ok(list) => {
                        for (slot, screen) in screens[from..].iter_mut().zip(list) {
                            *slot = Some(screen);
                        }
                    }
                    Err(error) => failed = Some(error),
                }
            }
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        self.finish(batch, places, &fresh, screens)
    }

    /// Converts answers to outcomes, and stores everything.
    fn finish(
        &mut self,
        batch: &[Variant],
        places: Vec<Place>,
        fresh: &[Proved],
        screens: Vec<Option<JudgeOutcome<Screen>>>,
    ) -> Result<Vec<Outcome>, TuneError> {
        let mut taken = vec![false; fresh.len()];
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut samples = Vec::with_capacity(batch.len());
        for (variant, place) in batch.iter().zip(places) {
            self.state.trial += 1;
            let trial = self.state.trial;
            let mut sample = Sample { trial, ..record::sample("screen", variant, self.size) };
            let outcome = match place {
                Place::Known(outcome, hash, message) => {
                    sample.sha256 = hash.map(|h| hexadecimal(&h));
                    sample.message = message;
                    outcome
                }
                Place::Fresh(index) => {
                    let kernel = &fresh[index];
                    let screen = screens[index].as_ref().expect("every chunk was answered");
                    sample.sha256 = Some(hexadecimal(&kernel.hash));
                    let verdict = match screen {
                        Ok(finding) => {
                            let screen = &finding.facts;
                            let part = kernel.floor.map(|floor| screen.timing.best() / floor);
                            if let Some(part) = part.filter(|part| *part < 1.0) {
                                self.state.below = Some(self.state.below.unwrap_or(1.0) * part);
                            }
                            let cycles = screen.cycles();
                            self.state.best = Some(self.state.best.map_or(cycles, |b| b.min(cycles)));
                            Verdict::Measured
                        }
                        Err(refusal) => Verdict::Fault(refusal.why.clone()),
                    };
                    sample = record::judged(sample, screen);
                    // The first variant with these bytes carries the raw samples.
                    if std::mem::replace(&mut taken[index], true) {
                        sample.cycles.clear();
                        sample.ticks.clear();
                    }
                    let outcome = Outcome {
                        cost: sample.cost,
                        verdict,
                        kernel_hash: Some(short(&kernel.hash)),
                        instructions_in_loop: kernel.kernel.loop_instructions,
                    };
                    self.state.seen.insert(kernel.hash, outcome.clone());
                    outcome
                }
            };
            sample.instructions = outcome.instructions_in_loop;
            sample.verdict = outcome.verdict.name().into();
            sample.cost = outcome.cost;
            if sample.cost.is_some() {
                sample.message.clear();
            }
            samples.push(sample);
            outcomes.push(outcome);
        }
        let started = Instant::now();
        self.store.record(self.run, &samples)?;
        self.state.counts.storing += started.elapsed();
        Ok(outcomes)
    }
}

/// The measuring thread.
fn measure<J: Judge<Kernel = Kernel, Facts = Screen, Error = JudgeError>>(
    mut judge: J,
    chunks: &mpsc::Receiver<Chunk>,
    answers: &mpsc::Sender<Answers>,
) {
    for (from, chunk) in chunks {
        let trials: Vec<Trial<Kernel>> =
            chunk.iter().map(|(kernel, floor)| Trial { kernel: &**kernel, floor: *floor }).collect();
        let started = Instant::now();
        let answer = judge.measure(&trials);
        // Sending fails only if the other thread is ending.
        let _ = answers.send((from, answer, started.elapsed()));
    }
}

/// Builds and proves a variant, unless its bytes are known.
fn place(
    variant: &Variant,
    target: &Target,
    prover: &mut Prover,
    floors: Option<&MachineModel>,
    size: usize,
    state: &mut State,
    fresh: &mut Vec<Proved>,
) -> Place {
    let started = Instant::now();
    let built = target.build(variant);
    state.counts.building += started.elapsed();
    let kernel: Kernel = match built {
        Ok(kernel) => kernel,
        Err(unfit) => {
            let verdict = match unfit {
                Unfit::Unsupported(_) => Verdict::Unsupported,
                Unfit::Registers { .. } | Unfit::Shape(_) => Verdict::DoesNotFit,
            };
            return Place::Known(Outcome::without_cost(verdict), None, unfit.to_string());
        }
    };
    let hash: Hash = Sha256::digest(&kernel.bytes).into();
    if let Some(outcome) = state.seen.get(&hash) {
        state.counts.shared += 1;
        return Place::Known(outcome.clone(), Some(hash), "the same bytes as an earlier trial's".into());
    }
    if let Some(index) = fresh.iter().position(|p| p.hash == hash) {
        state.counts.shared += 1;
        return Place::Fresh(index);
    }
    state.counts.kernels += 1;
    let outcome = Outcome {
        cost: None,
        verdict: Verdict::Refuted,
        kernel_hash: Some(short(&hash)),
        instructions_in_loop: kernel.loop_instructions,
    };
    let started = Instant::now();
    if state.like_bytes > MOST_LIKE {
        state.like.clear();
        state.like_bytes = 0;
    }
    let like = state.like.entry(likeness(variant)).or_default();
    let proof = prover.prove_like(variant.problem, &kernel.bytes, like);
    match proof.as_ref().is_ok_and(|proof| proof.reduced_to.is_some()) {
        true => {
            state.counts.reduced += 1;
            state.counts.reducing += started.elapsed();
        }
        false => {
            state.counts.proving += started.elapsed();
            if proof.is_ok() {
                state.like_bytes += kernel.bytes.len();
                like.clone_from(&kernel.bytes);
            }
        }
    }
    let unfit = match &proof {
        Err(refutation) => Some(refutation.to_string()),
        Ok(proof) => keeps_promises(variant, proof.is_variable_time(), proof.wiped).err(),
    };
    if let Some(why) = unfit {
        state.seen.insert(hash, outcome.clone());
        return Place::Known(outcome, Some(hash), why);
    }
    state.counts.proved += 1;
    let floor = floors
        .and_then(|model| least_believable(model, variant, size))
        .map(|f| f * state.below.unwrap_or(1.0));
    fresh.push(Proved { hash, kernel: Arc::new(kernel), floor });
    Place::Fresh(fresh.len() - 1)
}

impl Evaluate for Pipeline<'_> {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        if self.state.failure.is_some() {
            return Vec::new();
        }
        match self.try_evaluate(batch) {
            Ok(outcomes) => outcomes,
            Err(failure) => {
                self.state.failure = Some(failure);
                self.interrupted.store(true, Ordering::Relaxed);
                Vec::new()
            }
        }
    }
}

fn short(hash: &Hash) -> u64 {
    u64::from_be_bytes(std::array::from_fn(|i| hash[i]))
}

/// The hash as 64 hexadecimal digits.
pub fn hexadecimal(hash: &Hash) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    hash.iter().flat_map(|b| [b >> 4, b & 15]).map(|d| DIGITS[usize::from(d)] as char).collect()
}
