//! The common path for timing calls: samples of screens, duels and benchmarks, of kernels and of other libraries'
//! functions, of throughput and of latency.
//!
//! Subjects are measured in interleaved rounds, in random order. Each round uses another layout, code placement and
//! message, the same for all subjects. A round takes a warm-up and [`SAMPLES`] samples, repeats them if they were
//! disturbed, and checks the subject's output. Calls on several streams are sampled with the streams at each
//! [`Spacing`], and the slowest counts.

use aesmith_cipher::Problem;
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::enter::RING;
use crate::fault::{FaultClass, JudgeError};
use crate::native::{Candidate, Core, Failure, REPEATS, bytes_per_call};
use crate::peers::{Call, Peer};
use crate::place::{LAYOUTS, Place, Spacing};
use crate::stage::{Prepared, Stream};
use crate::timing::{Quantity, Samples, Timing};

/// Samples a round.
const SAMPLES: usize = 5;
/// Samples of cold calls a round; each is preceded by 100 us of other work.
const COLD_SAMPLES: usize = 3;
/// Number of repeats of a disturbed measurement of cold calls: it takes so long that on a shared core it is nearly
/// always disturbed, and a further repeat would be, too.
const COLD_REPEATS: usize = 1;
/// Core cycles of scalar work before a cold call: about 100 us, after which a core has left the state that wide
/// instructions put it in.
const COLD_CYCLES: u64 = 300_000;

/// A participant of a measurement.
pub(crate) enum Subject<'a> {
    /// A kernel, whose first call was checked.
    Kernel(Candidate<'a>),
    /// A library's function.
    Peer(Problem, &'a dyn Peer),
}

impl Subject<'_> {
    fn problem(&self) -> Problem {
        match self {
            Subject::Kernel(candidate) => candidate.problem,
            Subject::Peer(problem, _) => *problem,
        }
    }
}

/// Parameters of the measurement of each subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Bytes of a message of each stream.
    pub size: usize,
    /// Number of rounds.
    pub rounds: usize,
    /// Throughput or latency.
    pub quantity: Quantity,
    /// One call after 100 us of scalar work, instead of calls in steady state.
    pub cold: bool,
}

/// The reason why a subject has no time: its fault, and the seed of the round in which it appeared.
pub(crate) struct Flaw {
    pub class: Option<FaultClass>,
    pub detail: String,
    pub seed: u64,
}

/// A call ready to be timed.
#[derive(Clone, Copy)]
pub(crate) struct Timed {
    function: *const u8,
    arguments: [u64; 5],
    ring: [u64; RING],
    watched: u64,
    calls: u64,
    quantity: Quantity,
}

impl Timed {
    /// Calls of a kernel, `calls` to a sample.
    pub(crate) fn of_kernel(
        function: *const u8,
        prepared: &Prepared,
        calls: u64,
        quantity: Quantity,
    ) -> Timed {
        let Prepared { arguments, watched, .. } = *prepared;
        Timed { function, arguments, ring: prepared.ring(), watched, calls, quantity }
    }
}

/// Parameters of the sampling of a call.
pub(crate) struct Sampling<'a> {
    /// The problem that the call solves.
    pub problem: Problem,
    /// Placement of its messages in memory.
    pub place: Place,
    /// Samples, at each spacing of its streams.
    pub samples: usize,
    /// One call after 100 us of scalar work, instead of calls in steady state.
    pub cold: bool,
    /// True if a sample that does not count precedes the others.
    pub warm_up: bool,
    /// Cycles a call below which the call is measured again, after recalibration of the clock.
    pub floor: Option<f64>,
    /// Cycles a call above which the call is given up after two samples.
    pub give_up_above: Option<f64>,
    /// Last bytes of the counters that successive samples start from; if empty, the streams' own.
    pub low_bytes: &'a [u8],
    /// Makes the timed call from a prepared one.
    pub timed: &'a dyn Fn(&Prepared) -> Timed,
}

/// Result of sampling.
pub(crate) struct Sampled {
    pub timing: Timing,
    /// The call as it was last prepared.
    pub prepared: Prepared,
    /// True if the call was given up.
    pub cut: bool,
}

impl Core {
    /// One sample: `calls` calls in a row.
    pub(crate) fn sample(&mut self, timed: &Timed, streams: &[Stream]) -> Result<u64, Failure> {
        self.stage.set_ivs(streams);
        let Timed { function, arguments, ring, watched, calls, quantity } = *timed;
        // SAFETY: kernels were seen to keep the ABI when they were checked, and run in a process that they may destroy;
        // peers keep it; the arguments are valid for both, and the results can be read.
        let ticks = unsafe {
            match quantity {
                Quantity::Throughput => self.entrance.independent(function, arguments, ring, calls),
                Quantity::Latency => self.entrance.dependent(function, arguments, watched, calls),
            }
        };
        ticks.map_err(|stopped| self.blame(stopped))
    }

    /// Measures the `subjects` without a fault so far in interleaved rounds; the first of them takes part twice.
    /// Returns the samples or fault of each, and the second set of samples of the first, whose distance from its first
    /// set is the noise floor.
    pub(crate) fn rounds(
        &mut self,
        subjects: &[Subject],
        mut outcomes: Vec<Result<Samples, Flaw>>,
        way: &Way,
        random: &mut SmallRng,
    ) -> Result<(Vec<Result<Samples, Flaw>>, Samples), JudgeError> {
        let mut order: Vec<(usize, bool)> =
            (0..subjects.len()).filter(|&i| outcomes[i].is_ok()).map(|i| (i, false)).collect();
        let mut again = Samples::default();
        if let Some(&(first, _)) = order.first() {
            order.push((first, true));
            again = empty(subjects[first].problem(), way);
        }
        for _ in 0..way.rounds {
            order.shuffle(random);
            let place = LAYOUTS[random.random_range(0..LAYOUTS.len())];
            let seed = random.random();
            self.messages.clear();
            for &(i, twice) in &order {
                let Ok(samples) = &mut outcomes[i] else { continue };
                let problem = subjects[i].problem();
                self.allow(problem, way.size, (SAMPLES + 2) * Spacing::of(problem).len() * (REPEATS + 1));
                let timed = self.round(&subjects[i], way, place, seed, random);
                self.entrance.allow(0.0);
                match timed {
                    Ok(timing) if twice => again.rounds.push(timing),
                    Ok(timing) => samples.rounds.push(timing),
                    Err(Failure::Judge(error)) => return Err(error),
                    Err(Failure::Candidate(class, detail)) => {
                        outcomes[i] = Err(Flaw { class: Some(class), detail, seed });
                    }
                    Err(Failure::Refused(detail)) => outcomes[i] = Err(Flaw { class: None, detail, seed }),
                }
            }
        }
        self.messages.clear();
        Ok((outcomes, again))
    }

    /// One subject's part of a round.
    fn round(
        &mut self,
        subject: &Subject,
        way: &Way,
        place: Place,
        seed: u64,
        placement: &mut SmallRng,
    ) -> Result<Timing, Failure> {
        let problem = subject.problem();
        let mut streams = self.messages_of(problem, way.size, seed);
        let calls = if way.cold { 1 } else { self.calls_per_sample(problem, way.size) };
        let how = |floor, timed| Sampling {
            problem,
            place,
            samples: if way.cold { COLD_SAMPLES } else { SAMPLES },
            cold: way.cold,
            warm_up: !way.cold,
            floor,
            give_up_above: None,
            low_bytes: &[],
            timed,
        };
        let prepared = self.stage.prepare(problem, &streams, place, Spacing::of(problem)[0])?;
        let timing = match subject {
            Subject::Kernel(candidate) => {
                let function = self.load(candidate.code, placement)?;
                let timed = |prepared: &Prepared| Timed::of_kernel(function, prepared, calls, way.quantity);
                let floor = candidate.floor.filter(|_| way.quantity == Quantity::Throughput);
                let taken = self.sampled(&how(floor, &timed), &mut streams, prepared)?;
                self.stage.again(&streams, &taken.prepared);
                self.check(problem, function, &streams, &taken.prepared)?;
                taken.timing
            }
            Subject::Peer(_, peer) => {
                let mut session = peer.session(problem, &streams).map_err(Failure::Refused)?;
                let (call, context): (Call, _) = session.entry();
                let timed = |prepared: &Prepared| {
                    let [_, iv, input, output, len] = prepared.five;
                    Timed {
                        function: call as *const u8,
                        arguments: [context as u64, iv, input, output, len],
                        ring: prepared.peer_ring(),
                        watched: prepared.watched,
                        calls,
                        quantity: way.quantity,
                    }
                };
                let taken = self.sampled(&how(None, &timed), &mut streams, prepared)?;
                self.stage.again(&streams, &taken.prepared);
                session.restart(&streams);
                let Timed { function, arguments, .. } = timed(&taken.prepared);
                self.check_peer(problem, function, arguments, &streams, &taken.prepared)?;
                taken.timing
            }
        };
        self.messages.insert((problem, way.size), streams);
        Ok(timing)
    }

    /// Warm-ups and samples of a prepared call, repeated if they were disturbed or are below the bound.
    pub(crate) fn sampled(
        &mut self,
        how: &Sampling,
        streams: &mut [Stream],
        mut prepared: Prepared,
    ) -> Result<Sampled, Failure> {
        let spacings = Spacing::of(how.problem);
        let drawn: Vec<u8> = streams.iter().map(|s| s.iv[15]).collect();
        let (mut timing, mut cut) = (Timing::default(), false);
        let repeats = if how.cold { COLD_REPEATS } else { REPEATS };
        for _ in 0..=repeats {
            timing = self.fresh_timing((how.timed)(&prepared).calls)?;
            timing.spacings = spacings.len();
            let before = self.is_clear()?;
            for &spacing in spacings {
                if spacings.len() > 1 {
                    prepared = self.stage.prepare(how.problem, streams, how.place, spacing)?;
                }
                let timed = (how.timed)(&prepared);
                cut = self.sample_all(&timed, how, streams, &mut timing)?;
                if cut {
                    timing.spacings = 1;
                    break;
                }
            }
            timing.clean = before && self.is_undisturbed(&timing)?;
            if self.holds(how.floor, &timing)? && (timing.clean || cut) {
                break;
            }
        }
        streams.iter_mut().zip(drawn).for_each(|(s, low)| s.iv[15] = low);
        Ok(Sampled { timing, prepared, cut })
    }

    /// Takes the samples at one spacing; true if the call is given up.
    fn sample_all(
        &mut self,
        timed: &Timed,
        how: &Sampling,
        streams: &mut [Stream],
        timing: &mut Timing,
    ) -> Result<bool, Failure> {
        if how.warm_up {
            self.sample(timed, streams)?;
        }
        for i in 0..how.samples.max(1) {
            if !how.low_bytes.is_empty() {
                streams.iter_mut().for_each(|s| s.iv[15] = how.low_bytes[i % how.low_bytes.len()]);
            }
            if how.cold {
                self.clock.work(&mut self.entrance, COLD_CYCLES)?;
            }
            timing.ticks.push(self.sample(timed, streams)?);
            let above = |limit| timing.cycles().skip(timing.ticks.len() - 2).all(|cycles| cycles > limit);
            if i == 1 && how.give_up_above.is_some_and(above) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A set of samples without any rounds.
pub(crate) fn empty(problem: Problem, way: &Way) -> Samples {
    Samples { rounds: Vec::new(), bytes: bytes_per_call(problem, way.size), quantity: way.quantity }
}
