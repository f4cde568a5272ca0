//! The measuring core: checks a kernel on this CPU, times it, and checks it again.
//!
//! One evaluation uses fresh keys, IVs and messages. It runs short messages of random lengths against guard pages at
//! either end and in place; then the whole message, which is compared byte for byte with the reference and which warms
//! the kernel up; then the samples; then the whole message once more. A sample times one call (or several back to back
//! if the message is too short to time one call: see [`crate::timing::Quantity`]). The IVs are reset before each
//! sample.
//!
//! The core does not protect its process from a kernel that writes outside its buffers; [`crate::NativeJudge`]
//! therefore runs it in a separate process.

mod checks;

use std::collections::HashMap;

use aesmith_cipher::Problem;
use rand::rngs::SmallRng;
use rand::{Rng, RngCore, SeedableRng};

use crate::clock::{Clock, FINE};
use crate::code::CodeMemory;
use crate::enter::Entrance;
use crate::fault::{Fault, FaultClass, JudgeError};
use crate::place::{LAYOUTS, Spacing};
use crate::probe::Probe;
use crate::rounds::{Flaw, Sampled, Sampling, Subject, Timed, Way, empty};
use crate::stage::{Prepared, Stage, Stream};
use crate::timing::{Quantity, Samples, Screen, Timing};

/// Bytes of code memory: enough for a kernel at any 64-byte offset in a page.
const CODE_ROOM: usize = 1 << 20;
/// Random bytes that messages are cut from; each evaluation starts at another offset, under new keys.
const POOL: usize = 1 << 17;
/// Bytes that one sample processes at least; a short message is called several times.
const SAMPLE_BYTES: usize = 8192;
/// Calls in a sample of a key set-up.
const KEY_CALLS: u64 = 64;
/// Maximum number of repeats of a measurement that was disturbed or is below the machine's bound.
pub(crate) const REPEATS: usize = 4;

/// Low bytes of the counters that successive samples of a screen start from. The time of a counter-mode kernel depends
/// on where in its 256 blocks a message starts (steps to an aligned group, table pointers, refreshes), and with one
/// random counter a screen would rank luck. These values have different remainders modulo 4, 8 and 16; the other 15
/// bytes are random.
const LOW_BYTES: [u8; 4] = [37, 122, 207, 48];

/// A kernel to judge.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The problem that it claims to solve.
    pub problem: Problem,
    /// Its machine code, with the entry at offset 0.
    pub code: &'a [u8],
    /// The machine's lower bound in cycles per call, less the uncertainty of the clock, if known. A time below it is
    /// measured again after the clock is recalibrated; if it stays below, it counts.
    pub floor: Option<f64>,
}

impl<'a> Candidate<'a> {
    /// A candidate without a known bound.
    pub fn new(problem: Problem, code: &'a [u8]) -> Self {
        Candidate { problem, code, floor: None }
    }
}

/// Parameters of a screen.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Screening {
    /// Message size, in bytes per stream.
    pub size: usize,
    /// Samples of each candidate.
    pub samples: usize,
    /// Candidates slower than this many cycles per call are given up after two samples.
    pub give_up_above: Option<f64>,
    /// Number of short messages on which each candidate is checked before the whole one.
    pub short_checks: usize,
    /// One call after 100 us of scalar work, instead of calls in steady state.
    pub cold: bool,
}

impl Screening {
    /// 15 samples of messages of `size` bytes in steady state, 3 short checks.
    pub fn of(size: usize) -> Self {
        Screening { size, samples: 15, give_up_above: None, short_checks: 3, cold: false }
    }
}

/// Parameters of interleaved measurement: each round measures every candidate once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Turns {
    /// Message size, in bytes per stream.
    pub size: usize,
    /// Number of rounds.
    pub rounds: usize,
    /// One call after 100 us of scalar work, instead of calls in steady state.
    pub cold: bool,
}

impl Turns {
    /// Interleaved calls in steady state.
    pub fn steady(size: usize, rounds: usize) -> Self {
        Turns { size, rounds, cold: false }
    }
}

/// Bytes that a call of `problem` with messages of `size` processes; 0 for key set-ups.
pub fn bytes_per_call(problem: Problem, size: usize) -> usize {
    if problem.is_message() { size * problem.streams() } else { 0 }
}

/// True if a sample is one call.
pub(crate) fn is_alone(problem: Problem, size: usize) -> bool {
    problem.is_message() && bytes_per_call(problem, size) > SAMPLE_BYTES / 2
}

/// The measuring core. A process has at most one.
pub struct Core {
    pub(crate) entrance: Entrance,
    pub(crate) clock: Clock,
    pub(crate) probe: Probe,
    code: CodeMemory,
    pub(crate) stage: Stage,
    pool: Vec<u8>,
    time_out: f64,
    /// Messages of the current batch, so that all candidates of a duel get the same ones.
    pub(crate) messages: HashMap<(Problem, usize), Vec<Stream>>,
}

/// A fault of the candidate, a peer's refusal, or a failure of the judge itself.
pub(crate) enum Failure {
    /// A peer does not take the problem.
    Refused(String),
    /// The candidate failed.
    Candidate(FaultClass, String),
    /// The judge failed.
    Judge(JudgeError),
}

impl From<JudgeError> for Failure {
    fn from(error: JudgeError) -> Self {
        Failure::Judge(error)
    }
}

impl Core {
    /// Starts the core: calibrates the clock and maps memory. `time_out` is the CPU time in seconds that one evaluation
    /// may take beyond the time that its number of bytes explains.
    pub fn start(seed: u64, time_out: f64) -> Result<Self, JudgeError> {
        let mut entrance = Entrance::new()?;
        let clock = Clock::start(&mut entrance)?;
        let mut pool = vec![0; POOL];
        SmallRng::seed_from_u64(seed).fill_bytes(&mut pool);
        let mut core = Core {
            entrance,
            clock,
            probe: Probe::new()?,
            code: CodeMemory::new(CODE_ROOM)?,
            stage: Stage::new()?,
            pool,
            time_out,
            messages: HashMap::new(),
        };
        for _ in 0..50 {
            core.probe.is_clear(&mut core.entrance, &core.clock)?;
        }
        Ok(core)
    }

    /// Calls made back to back in one sample: four times as many where the counter steps by tens of ticks.
    pub(crate) fn calls_per_sample(&self, problem: Problem, size: usize) -> u64 {
        let times = if is_alone(problem, size) || self.clock.step() <= FINE { 1 } else { 4 };
        match bytes_per_call(problem, size) {
            _ if !problem.is_message() => times * KEY_CALLS,
            bytes => times * (SAMPLE_BYTES / bytes.max(16)).max(1) as u64,
        }
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Measures the clock's ratio anew; see [`Clock`]. If the result is rejected because something shares the core, the
    /// previous ratio stays, and measurements are not `clean` until a calibration is accepted.
    pub(crate) fn calibrate(&mut self) -> Result<(), JudgeError> {
        match self.clock.calibrate(&mut self.entrance) {
            Ok(_) | Err(JudgeError::Clock(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Checks and times one candidate.
    pub fn screen(
        &mut self,
        candidate: &Candidate,
        how: &Screening,
        seed: u64,
    ) -> Result<Result<Screen, Fault>, JudgeError> {
        let samples = how.samples + Spacing::of(candidate.problem).len() * 2;
        self.allow(candidate.problem, how.size, samples * (REPEATS + 1));
        let outcome = self.try_screen(candidate, how, seed);
        self.entrance.allow(0.0);
        match outcome {
            Ok(screen) => Ok(Ok(screen)),
            Err(Failure::Judge(error)) => Err(error),
            Err(Failure::Candidate(class, detail)) => {
                Ok(Err(fault(candidate, how.size, seed, class, detail)))
            }
            Err(Failure::Refused(why)) => Err(JudgeError::Request(why)),
        }
    }

    /// Sets the CPU time for an evaluation: the fixed allowance plus about 60 cycles a byte.
    pub(crate) fn allow(&self, problem: Problem, size: usize, samples: usize) {
        let bytes = bytes_per_call(problem, size).max(SAMPLE_BYTES) * (samples + 8);
        self.entrance.allow(self.time_out + bytes as f64 * 2e-8);
    }

    fn try_screen(&mut self, candidate: &Candidate, how: &Screening, seed: u64) -> Result<Screen, Failure> {
        let problem = candidate.problem;
        let mut random = SmallRng::seed_from_u64(seed);
        let function = self.load(candidate.code, &mut random)?;
        self.check_short(problem, function, how.short_checks, &mut random)?;
        let mut streams = self.streams(problem, how.size, &mut random);
        let spacings = Spacing::of(problem);
        let prepared = self.stage.prepare(problem, &streams, LAYOUTS[0], spacings[0])?;
        self.check(problem, function, &streams, &prepared)?;
        let calls = if how.cold { 1 } else { self.calls_per_sample(problem, how.size) };
        let timed = |prepared: &Prepared| Timed::of_kernel(function, prepared, calls, Quantity::Throughput);
        let low_bytes = if problem.mode().has_counter() { &LOW_BYTES[..] } else { &[] };
        let sampling = Sampling {
            problem,
            place: LAYOUTS[0],
            samples: how.samples.div_ceil(spacings.len()),
            cold: how.cold,
            // With one spacing, the check already ran that layout.
            warm_up: spacings.len() > 1 && !how.cold,
            floor: candidate.floor,
            give_up_above: how.give_up_above,
            low_bytes,
            timed: &timed,
        };
        let Sampled { timing, prepared, cut } = self.sampled(&sampling, &mut streams, prepared)?;
        self.stage.again(&streams, &prepared);
        self.check(problem, function, &streams, &prepared)?;
        let turns = low_bytes.len().max(1);
        Ok(Screen { timing, bytes: bytes_per_call(problem, how.size), turns, cut })
    }

    /// Checks each candidate once and then measures the correct ones in `rounds` interleaved rounds, in random order.
    /// Each round uses another layout, code placement and message, the same for all candidates. The first candidate
    /// takes part twice. Returns the samples and the second set of samples of the first candidate, whose distance from
    /// its first set is the noise floor.
    pub fn duel(
        &mut self,
        candidates: &[Candidate],
        turns: Turns,
        seed: u64,
    ) -> Result<(Vec<Result<Samples, Fault>>, Samples), JudgeError> {
        let Turns { size, rounds, cold } = turns;
        let mut random = SmallRng::seed_from_u64(seed);
        let how = Screening { samples: 1, ..Screening::of(size) };
        let way = Way { size, rounds, quantity: Quantity::Throughput, cold };
        let mut screened = Vec::new();
        for c in candidates {
            let plain = Candidate { floor: None, ..*c };
            screened.push(self.screen(&plain, &how, random.random())?);
        }
        let of_screen = |(c, screen): (&Candidate, &Result<Screen, Fault>)| match screen {
            Ok(_) => Ok(empty(c.problem, &way)),
            Err(fault) => {
                Err(Flaw { class: Some(fault.class), detail: fault.detail.clone(), seed: fault.seed })
            }
        };
        let outcomes = candidates.iter().zip(&screened).map(of_screen).collect();
        let subjects: Vec<Subject> = candidates.iter().map(|c| Subject::Kernel(*c)).collect();
        let (outcomes, again) = self.rounds(&subjects, outcomes, &way, &mut random)?;
        let faulty = |(c, outcome): (&Candidate, Result<Samples, Flaw>)| {
            outcome.map_err(|Flaw { class, detail, seed }| {
                fault(c, size, seed, class.unwrap_or(FaultClass::Trap), detail)
            })
        };
        Ok((candidates.iter().zip(outcomes).map(faulty).collect(), again))
    }

    /// The messages of a round, the same for all candidates in it.
    pub(crate) fn messages_of(&mut self, problem: Problem, size: usize, seed: u64) -> Vec<Stream> {
        match self.messages.remove(&(problem, size)) {
            Some(streams) => streams,
            None => self.streams(problem, size, &mut SmallRng::seed_from_u64(seed)),
        }
    }

    /// True if the timing respects the candidate's bound; if not, recalibrates the clock before the next measurement.
    pub(crate) fn holds(&mut self, floor: Option<f64>, timing: &Timing) -> Result<bool, JudgeError> {
        let holds = floor.is_none_or(|floor| timing.best() >= floor);
        if !holds {
            self.calibrate()?;
        }
        Ok(holds)
    }

    /// Loads code at a random 64-byte offset in a page.
    pub(crate) fn load(&mut self, code: &[u8], random: &mut SmallRng) -> Result<*const u8, JudgeError> {
        let offset = random.random_range(0..64) * 64;
        self.code.load(code, offset)
    }

    pub(crate) fn is_clear(&mut self) -> Result<bool, JudgeError> {
        self.probe.is_clear(&mut self.entrance, &self.clock)
    }

    /// An empty timing with the current clock ratio; recalibrates a clock that moved.
    pub(crate) fn fresh_timing(&mut self, calls: u64) -> Result<Timing, JudgeError> {
        let now = self.clock.glance(&mut self.entrance)?;
        if !self.clock.is_sure() || (now / self.clock.ratio() - 1.0).abs() > 0.005 {
            self.calibrate()?;
        }
        Ok(Timing {
            ticks: Vec::with_capacity(16),
            calls,
            overhead: self.clock.overhead(),
            step: self.clock.step(),
            ratio: self.clock.ratio(),
            spacings: 1,
            clean: false,
        })
    }

    /// True if nothing else uses the core and its clock has not moved since `timing` was begun.
    pub(crate) fn is_undisturbed(&mut self, timing: &Timing) -> Result<bool, JudgeError> {
        let clear = self.is_clear()?;
        let moved = self.clock.glance(&mut self.entrance)? / timing.ratio - 1.0;
        Ok(clear && self.clock.is_sure() && moved.abs() <= 0.01)
    }

    /// Times a call of arbitrary code by the same rules as kernels; used for the machine's own figures.
    pub(crate) fn time_raw(
        &mut self,
        code: &[u8],
        arguments: [u64; 5],
        samples: usize,
    ) -> Result<Timing, JudgeError> {
        let function = self.code.load(code, 0)?;
        let mut timing = Timing::default();
        for _ in 0..=REPEATS {
            timing = self.fresh_timing(1)?;
            let before = self.is_clear()?;
            for _ in 0..samples {
                // SAFETY: this crate made the micro-benchmark and passes valid arguments.
                let ticks = unsafe { self.entrance.timed(function, arguments, 1) }.map_err(|s| {
                    JudgeError::Request(format!("a micro-benchmark was stopped by signal {}", s.signal))
                })?;
                timing.ticks.push(ticks);
            }
            timing.clean = before && self.is_undisturbed(&timing)?;
            if timing.clean {
                break;
            }
        }
        Ok(timing)
    }
}

/// The fault of an output that differs from the reference, or of a write outside the output.
fn wrong((outside, detail): (bool, String)) -> Failure {
    Failure::Candidate(if outside { FaultClass::OverWrite } else { FaultClass::Wrong }, detail)
}

fn fault(candidate: &Candidate, size: usize, seed: u64, class: FaultClass, detail: String) -> Fault {
    Fault { class, detail, problem: candidate.problem.to_string(), size, seed, code: candidate.code.to_vec() }
}
