//! The one path by which calls are timed: the samples of a screen, of a duel and of a benchmark, of
//! kernels and of other people's code, of one quantity or the other.
//!
//! Subjects are measured in turns, in random order, each round on another layout, code placement and
//! message, the same for all of them. A round takes a warm-up and [`SAMPLES`] samples, again when they
//! were disturbed, and checks what the subject computed.

use aesmith_cipher::Problem;
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::enter::RING;
use crate::fault::{FaultClass, JudgeError};
use crate::native::{Candidate, Core, Failure, REPEATS, bytes_per_call, calls_per_sample};
use crate::peers::{Call, Peer};
use crate::stage::{LAYOUTS, Place, Prepared, Stream};
use crate::timing::{Quantity, Samples, Timing};

/// Samples a round.
const SAMPLES: usize = 5;
/// Core cycles of scalar work before a cold call: about 100 us, after which a core has left the
/// state that wide instructions put it in.
const COLD_CYCLES: u64 = 300_000;

/// What takes part.
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

/// What is measured of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Bytes of a message of each stream.
    pub size: usize,
    /// How often each takes its turn.
    pub rounds: usize,
    /// Throughput or latency.
    pub quantity: Quantity,
    /// One call after 100 us of scalar work, instead of calls in steady state.
    pub cold: bool,
}

/// Why a subject has no time: its fault, and the seed of the round in which it showed.
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
    /// Calls of a kernel, as many to a sample as its message asks for.
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

impl Core {
    /// One sample: so many calls in a row.
    pub(crate) fn sample(&mut self, timed: &Timed, streams: &[Stream]) -> Result<u64, Failure> {
        self.stage.set_ivs(streams);
        let Timed { function, arguments, ring, watched, calls, quantity } = *timed;
        // SAFETY: kernels kept the ABI when they were checked and run in a process that they may destroy,
        // peers keep it; the arguments are valid for both, and the results can be read.
        let ticks = unsafe {
            match quantity {
                Quantity::Throughput => self.entrance.independent(function, arguments, ring, calls),
                Quantity::Latency => self.entrance.dependent(function, arguments, watched, calls),
            }
        };
        ticks.map_err(|stopped| self.blame(stopped))
    }

    /// Measures those of `subjects` that have no fault yet in turns; the first of them takes part twice.
    /// Gives the samples or faults of each, and the second set of the first's, whose distance from the
    /// first set is the noise floor.
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
                self.allow(subjects[i].problem(), way.size, (SAMPLES + 2) * (REPEATS + 1));
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
        let streams = self.messages_of(problem, way.size, seed);
        let prepared = self.stage.prepare(problem, &streams, place)?;
        let calls = if way.cold { 1 } else { calls_per_sample(problem, way.size) };
        let timing = match subject {
            Subject::Kernel(candidate) => {
                let function = self.load(candidate.code, placement)?;
                let timed = Timed::of_kernel(function, &prepared, calls, way.quantity);
                let floor = candidate.floor.filter(|_| way.quantity == Quantity::Throughput);
                let timing = self.timing(&timed, &streams, floor, way.cold)?;
                self.stage.again(&streams, &prepared);
                self.check(problem, function, &streams, &prepared)?;
                timing
            }
            Subject::Peer(_, peer) => {
                let mut session = peer.session(problem, &streams).map_err(Failure::Refused)?;
                let (call, context): (Call, _) = session.entry();
                let [_, iv, input, output, len] = prepared.five;
                let timed = Timed {
                    function: call as *const u8,
                    arguments: [context as u64, iv, input, output, len],
                    ring: prepared.peer_ring(),
                    watched: prepared.watched,
                    calls,
                    quantity: way.quantity,
                };
                let timing = self.timing(&timed, &streams, None, way.cold)?;
                self.stage.again(&streams, &prepared);
                session.restart(&streams);
                self.check_peer(problem, timed.function, timed.arguments, &streams, &prepared)?;
                timing
            }
        };
        self.messages.insert((problem, way.size), streams);
        Ok(timing)
    }

    /// Warm-up and samples, again where they were disturbed or are below the bound.
    fn timing(
        &mut self,
        timed: &Timed,
        streams: &[Stream],
        floor: Option<f64>,
        cold: bool,
    ) -> Result<Timing, Failure> {
        let mut timing = Timing::default();
        for _ in 0..=REPEATS {
            if !cold {
                self.sample(timed, streams)?;
            }
            timing = self.fresh_timing(timed.calls)?;
            let before = self.is_clear()?;
            for _ in 0..SAMPLES {
                if cold {
                    self.clock.work(&mut self.entrance, COLD_CYCLES)?;
                }
                timing.ticks.push(self.sample(timed, streams)?);
            }
            timing.clean = before && self.is_undisturbed(&timing)?;
            if self.holds(floor, &timing)? && timing.clean {
                break;
            }
        }
        Ok(timing)
    }
}

/// Samples of nothing yet.
pub(crate) fn empty(problem: Problem, way: &Way) -> Samples {
    Samples { rounds: Vec::new(), bytes: bytes_per_call(problem, way.size), quantity: way.quantity }
}
