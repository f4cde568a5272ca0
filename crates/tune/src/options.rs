//! What a run is asked for, and what it tells on its way.

use crate::by_size::other_sizes;
use crate::error::TuneError;
use crate::exact::costing::Point;
use crate::weights::Weights;
use aesmith_cipher::{Problem, Task, problem::nearest};
use aesmith_search::Progress;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How much is done for a result, as FFTW names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Bounds, and the known-good starting points measured; no search. Seconds.
    Estimate,
    /// A search of some seconds.
    Measure,
    /// A search of minutes.
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

    /// Where the judge is exact: time for the search where none is asked for, and how many orders and allocations of
    /// each promising variant are tried.
    pub fn exact(self) -> (Option<Duration>, u32) {
        match self {
            Effort::Estimate => (Some(Duration::from_secs(5)), 0),
            Effort::Measure => (Some(Duration::from_secs(40)), 16),
            Effort::Patient => (Some(Duration::from_secs(300)), 300),
            Effort::Exhaustive => (None, 3000),
        }
    }

    /// Where the judge is noisy: time for the search where none is asked for; without limit for
    /// [`Effort::Exhaustive`].
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

/// How the options of a run begin in wisdom; searches of parts and benchmarks note other words there.
pub(crate) const OF_A_RUN: &str = "Options";

/// The moment at which a run was asked for, from which its time counts. It is no part of what wisdom notes as the run's options.
#[derive(Clone, Copy)]
pub struct Began(pub Instant);

impl std::fmt::Debug for Began {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("now")
    }
}

/// The time that is left to a run, and what a round of measurements takes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// When the run is to be over.
    pub ends: Instant,
    /// Seconds that a round of one kernel takes.
    pub pace: f64,
    /// Bytes of the messages that it takes this for.
    pub size: usize,
}

impl Room {
    /// Seconds that a round of one kernel takes at a size: in proportion to it for longer messages, no less for shorter ones, of
    /// which a round makes more calls.
    pub fn pace_at(&self, size: usize) -> f64 {
        self.pace * (size as f64 / self.size.max(1) as f64).max(1.0)
    }

    /// Rounds, at most `most`, of so many kernels at each of some sizes, for which there is time.
    pub fn rounds(&self, sizes: &[usize], kernels: usize, most: usize) -> usize {
        let round: f64 = sizes.iter().map(|&size| self.pace_at(size)).sum::<f64>() * kernels as f64;
        let left = self.ends.saturating_duration_since(Instant::now()).as_secs_f64();
        ((left / round.max(1e-9)) as usize).min(most)
    }
}

/// How a run is to search, and for what.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The problem.
    pub problem: Problem,
    /// How much is done.
    pub effort: Effort,
    /// Time for the run, with all that belongs to it; the effort's own for the search alone if not given.
    pub time: Option<Duration>,
    /// When it was asked for.
    pub began: Began,
    /// Most variants to try.
    pub trials: Option<u64>,
    /// Seed of the search, of keys and messages.
    pub seed: u64,
    /// The strategy, `name` or `name:option=value,...`; the effort's own if not given.
    pub strategy: Option<String>,
    /// How often dimensions are changed, where that is not as their table says.
    pub weights: Weights,
    /// The search starts from nothing: neither known-good variants nor bests of earlier runs are tried first, and no
    /// cost of earlier runs is taken over. What is handed out is the best known even so.
    pub alone: bool,
    /// Bytes of a message (of each stream); without, [`DEFAULT_SIZE`] where the judge is noisy, and one block more of a
    /// long message where it is exact.
    pub size: Option<usize>,
    /// Measure again what wisdom knows already.
    pub afresh: bool,
    /// Also find the best for each class of message sizes, for the dispatcher.
    pub sizes: bool,
    /// Where the judge is exact: which kernels count, if not all that are asked for.
    pub keep: Option<fn(&Point) -> bool>,
    /// Set from outside (Ctrl-C) to come to an end with what there is.
    pub interrupted: Arc<AtomicBool>,
}

impl RunRequest {
    /// When a part of the run's time is over, where it has a time.
    pub fn until(&self, part: f64) -> Option<Instant> {
        self.time.map(|whole| self.began.0 + whole.mul_f64(part))
    }

    /// Whether costs of earlier runs are left aside.
    pub fn knows_nothing(&self) -> bool {
        self.afresh || self.alone
    }

    /// The stages of a run, each of which is announced by one [`Event::Stage`]: the search, the race,
    /// the other sizes and their crossovers. An interrupted run has fewer.
    pub fn stages(&self) -> usize {
        let sizes = if self.by_size() { other_sizes(self.problem, self.bytes()).count() + 1 } else { 0 };
        2 + sizes
    }

    /// Bytes of a message where the judge is noisy.
    pub fn bytes(&self) -> usize {
        self.size.unwrap_or(DEFAULT_SIZE)
    }

    /// Whether each class of message sizes gets a best of its own.
    pub fn by_size(&self) -> bool {
        self.sizes && self.problem.is_message() && self.effort != Effort::Estimate
    }
}

/// The longest messages that are tuned for, all streams together. One measurement of longer ones takes seconds,
/// and a search and its confirmation are hundreds: no limit of time or trials could be kept (at 64 MiB, three
/// trials and their confirmation took more than nine minutes).
pub const LONGEST: usize = 4 << 20;

impl RunRequest {
    /// Whether messages of this size are of the problem's mode and can be tuned for; [`crate::tune`] asks, and a
    /// command may before it opens anything.
    ///
    /// # Errors
    /// [`TuneError::Usage`]: why not, and what to do instead.
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

/// Message size where none is asked for.
pub const DEFAULT_SIZE: usize = 32 << 10;

impl RunRequest {
    /// What `aesmith tune PROBLEM` does.
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

/// What a run tells its observer. Observers are closures: `&mut dyn FnMut(Event)`.
#[derive(Debug)]
pub enum Event<'a> {
    /// What is done next, a sentence without a full stop.
    Stage(&'a str),
    /// A stage that there was no time for.
    LeftOut,
    /// What is done next within a stage.
    Detail(&'a str),
    /// A search's progress.
    Progress(&'a Progress<'a>),
    /// Progress of something that is no search: done, of so many.
    Step(u64, u64),
    /// Something the person should know, though nothing has failed.
    Note(&'a str),
}

impl Event<'_> {
    /// The same within a stage of other work.
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
