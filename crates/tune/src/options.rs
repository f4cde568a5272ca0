//! The options of a run, and the events that it reports.

use crate::error::TuneError;
use crate::evaluate::costing::Point;
use crate::weights::Weights;
use aesmith_cipher::{Problem, Task, problem::nearest};
use aesmith_search::{Budget, Progress};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Message sizes for which a problem has its own best kernel.
pub const SIZES: [usize; 7] = [16, 64, 256, 1024, 4096, 32 << 10, 1 << 20];

/// Most bytes, over all streams, of sizes other than the run's own: a race at more takes minutes.
const ALL_STREAMS: usize = SIZES[SIZES.len() - 1];

/// The sizes besides the run's own, without those that are too long over all streams together.
pub fn other_sizes(problem: Problem, size: usize) -> impl Iterator<Item = usize> {
    SIZES.into_iter().filter(move |&s| s != size && s.saturating_mul(problem.streams()) <= ALL_STREAMS)
}

/// Amount of work for a result, named as in FFTW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Bounds and measurements of the known-good starting points, without search. Takes seconds.
    Estimate,
    /// A search of some seconds.
    Measure,
    /// A search of some minutes.
    Patient,
    /// Every variant of the chosen subset of dimensions.
    Exhaustive,
}

impl Effort {
    /// Names, least effort first.
    pub const NAMES: [(&'static str, Effort); 4] = [
        ("estimate", Effort::Estimate),
        ("measure", Effort::Measure),
        ("patient", Effort::Patient),
        ("exhaustive", Effort::Exhaustive),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Effort::NAMES[self as usize].0
    }

    /// Default time for the search with an exact judge, and number of orders and allocations to try for each
    /// promising variant.
    pub fn exact(self) -> (Option<Duration>, u32) {
        match self {
            Effort::Estimate => (Some(Duration::from_secs(5)), 0),
            Effort::Measure => (Some(Duration::from_secs(40)), 16),
            Effort::Patient => (Some(Duration::from_secs(300)), 300),
            Effort::Exhaustive => (None, 3000),
        }
    }

    /// Default time for the search with a noisy judge; no limit for [`Effort::Exhaustive`].
    pub fn time(self) -> Option<Duration> {
        match self {
            Effort::Estimate => Some(Duration::ZERO),
            Effort::Measure => Some(Duration::from_secs(20)),
            Effort::Patient => Some(Duration::from_secs(180)),
            Effort::Exhaustive => None,
        }
    }
}

impl FromStr for Effort {
    type Err = String;

    fn from_str(text: &str) -> Result<Effort, String> {
        Effort::NAMES.iter().find(|(name, _)| *name == text).map(|(_, e)| *e).ok_or_else(|| {
            let names: Vec<String> = Effort::NAMES.iter().map(|(n, _)| n.to_string()).collect();
            format!(
                "there is no effort `{text}`; did you mean {}? All are: {}",
                nearest(text, &names, 1).join(""),
                names.join(", ")
            )
        })
    }
}

/// Prefix of a run's options in wisdom; searches of parts and benchmarks use other words there.
pub(crate) const OF_A_RUN: &str = "Options";

/// The moment when a run was requested; its time counts from there. It is not recorded among the run's
/// options in wisdom.
#[derive(Clone, Copy)]
pub struct Began(pub Instant);

impl std::fmt::Debug for Began {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("now")
    }
}

/// The remaining time of a run, and the time that a round of measurements takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// The end of the run.
    pub ends: Instant,
    /// Seconds per round of one kernel.
    pub pace: f64,
    /// Message size in bytes for that pace.
    pub size: usize,
}

impl Room {
    /// Seconds per round of one kernel at a size: proportional to the size for longer messages, and no less
    /// for shorter ones, for which a round makes more calls.
    pub(crate) fn pace_at(&self, size: usize) -> f64 {
        self.pace * (size as f64 / self.size.max(1) as f64).max(1.0)
    }

    /// Number of rounds, at most `most`, that time permits for `kernels` kernels at each of these sizes.
    pub fn rounds(&self, sizes: &[usize], kernels: usize, most: usize) -> usize {
        let round: f64 = sizes.iter().map(|&size| self.pace_at(size)).sum::<f64>() * kernels as f64;
        let left = self.ends.saturating_duration_since(Instant::now()).as_secs_f64();
        ((left / round.max(1e-9)) as usize).min(most)
    }
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The problem.
    pub problem: Problem,
    /// Amount of work.
    pub effort: Effort,
    /// Time for the whole run; if absent, the effort's time applies to the search alone.
    pub time: Option<Duration>,
    /// The moment of the request.
    pub began: Began,
    /// Largest number of variants to try.
    pub trials: Option<u64>,
    /// Seed of the search, of keys and messages.
    pub seed: u64,
    /// The strategy, `name` or `name:option=value,...`; by default that of the effort.
    pub strategy: Option<String>,
    /// Changes to the frequencies in the processor's table with which dimensions are changed.
    pub weights: Weights,
    /// True if the search starts from scratch: neither known-good variants nor the best of earlier runs are
    /// tried first, and no earlier costs are reused. The best known kernel is delivered even so.
    pub alone: bool,
    /// Bytes of a message (of each stream). Default: [`DEFAULT_SIZE`] with a noisy judge; one more block of a
    /// long message with an exact one.
    pub size: Option<usize>,
    /// True if costs known from wisdom are measured again.
    pub afresh: bool,
    /// True if the best kernel for each class of message sizes is also found, for the dispatcher.
    pub sizes: bool,
    /// With an exact judge, selects the kernels that count among the requested ones.
    pub keep: Option<fn(&Point) -> bool>,
    /// Set from outside (Ctrl-C) to end the run with its results so far.
    pub interrupted: Arc<AtomicBool>,
}

impl RunRequest {
    /// The moment when a fraction of the run's time is over, if it has a time limit.
    pub fn until(&self, part: f64) -> Option<Instant> {
        self.time.map(|whole| self.began.0 + whole.mul_f64(part))
    }

    /// True if a fraction of the run's time is over.
    pub fn is_past(&self, part: f64) -> bool {
        self.until(part).is_some_and(|end| Instant::now() >= end)
    }

    /// True if the run is to end with its results so far.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// True if a fraction of the run's time is over, or the run is to end with its results so far.
    pub fn is_over(&self, part: f64) -> bool {
        self.is_past(part) || self.is_interrupted()
    }

    /// The budget of a search that ends after a fraction of the run's time; without a time limit, after `own`.
    pub fn budget(&self, part: f64, own: Option<Duration>) -> Budget {
        let left = self.until(part).map(|end| end.saturating_duration_since(Instant::now()));
        Budget { trials: self.trials, time: left.or(own), interrupted: self.interrupted.clone() }
    }

    /// True if costs of earlier runs are ignored.
    pub(crate) fn knows_nothing(&self) -> bool {
        self.afresh || self.alone
    }

    /// Number of stages of a run, each announced by one [`Event::Stage`]: the search, the race, the other
    /// sizes and their crossovers. An interrupted run has fewer.
    pub fn stages(&self) -> usize {
        let sizes = if self.by_size() { other_sizes(self.problem, self.bytes()).count() + 1 } else { 0 };
        2 + sizes
    }

    /// Bytes of a message with a noisy judge.
    pub fn bytes(&self) -> usize {
        self.size.unwrap_or(DEFAULT_SIZE)
    }

    /// True if each class of message sizes gets its own best kernel.
    pub fn by_size(&self) -> bool {
        self.sizes && self.problem.is_message() && self.effort != Effort::Estimate
    }
}

/// Longest message that is tuned for, over all streams together. One measurement of longer ones takes
/// seconds, and a search and its confirmation make hundreds: no limit of time or trials could be kept (at 64
/// MiB, three trials and their confirmation took more than nine minutes).
pub const LONGEST: usize = 4 << 20;

impl RunRequest {
    /// Checks that the message size suits the problem's mode and can be tuned for. [`crate::tune`] calls
    /// this; a command may call it before it opens anything.
    ///
    /// # Errors
    /// [`TuneError::Usage`] with the reason and an alternative.
    pub fn check(&self) -> Result<(), TuneError> {
        let (problem, size) = (self.problem, self.bytes());
        if !problem.is_message() {
            return Ok(());
        }
        let whole = problem.task == Task::Ctr || size.is_multiple_of(16);
        if size == 0 || !whole {
            return Err(TuneError::Usage(format!(
                "{problem} cannot be measured on messages of {size} bytes: they are of one byte or more, and of \
                 whole blocks of 16 bytes but in counter mode"
            )));
        }
        if size.saturating_mul(problem.streams()) > LONGEST {
            return Err(TuneError::Usage(format!(
                "messages of {size} bytes are too long to tune {problem} for: measuring more than {} MiB in all takes \
                 so long that limits of time and trials could not be kept. Beyond the caches kernels differ by their \
                 stores: tune for shorter messages with --only streaming=yes, and without; `emit` and `bench` take \
                 any size",
                LONGEST >> 20
            )));
        }
        Ok(())
    }
}

/// Message size by default.
pub const DEFAULT_SIZE: usize = 32 << 10;

impl RunRequest {
    /// The options of `aesmith tune PROBLEM`.
    pub fn new(problem: Problem) -> RunRequest {
        RunRequest {
            problem,
            effort: Effort::Measure,
            time: None,
            began: Began(Instant::now()),
            trials: None,
            seed: 1,
            strategy: None,
            weights: Weights::default(),
            alone: false,
            size: None,
            afresh: false,
            sizes: true,
            keep: None,
            interrupted: Arc::default(),
        }
    }
}

/// Events that a run reports to its observer. Observers are closures: `&mut dyn FnMut(Event)`.
#[derive(Debug)]
pub enum Event<'a> {
    /// The next stage, a sentence without a full stop.
    Stage(&'a str),
    /// A stage is skipped for lack of time.
    LeftOut,
    /// The next step within a stage.
    Detail(&'a str),
    /// A search's progress.
    Progress(&'a Progress<'a>),
    /// Progress other than that of a search: steps done, and their total.
    Step(u64, u64),
    /// Information for the user that is not an error.
    Note(&'a str),
}

impl Event<'_> {
    /// The event within a stage of other work.
    pub fn inside(self) -> Self {
        match self {
            Event::Stage(stage) => Event::Detail(stage),
            event => event,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_bests_by_size_and_key_set_ups_have_none() {
        let of = |name: &str| RunRequest::new(name.parse().unwrap());
        for name in
            ["aes128-ctr", "aes192-ecb", "aes256-ecb-dec", "aes128-cbc", "aes256-cbc-dec", "aes128-cbc-x4"]
        {
            assert!(of(name).by_size(), "{name}");
            // Of four streams, 1 MiB each is too long.
            let others = if name.ends_with("x4") { 5 } else { 6 };
            assert_eq!(of(name).stages(), 2 + others + 1, "{name}: the other sizes and their crossovers");
            assert!(!RunRequest { sizes: false, ..of(name) }.by_size(), "{name}");
            assert!(!RunRequest { effort: Effort::Estimate, ..of(name) }.by_size(), "{name}");
        }
        assert!(!of("aes128-key").by_size() && of("aes128-key").stages() == 2);
    }

    #[test]
    fn no_other_size_is_longer_than_a_run_may_be_for() {
        for problem in Problem::all().into_iter().filter(Problem::is_message) {
            for size in other_sizes(problem, DEFAULT_SIZE) {
                let run = RunRequest { size: Some(size), ..RunRequest::new(problem) };
                assert!(run.check().is_ok() && size != DEFAULT_SIZE, "{problem} at {size} bytes");
            }
        }
    }
}
