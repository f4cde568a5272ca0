//! Strategies run against a recorded space, and so compared without hardware and without noise.
//!
//! A recording is a file of [`crate::recording`], or lines of JSON, each with a `variant` in text form and its `cost`
//! in cycles per byte (or a `verdict` other than `measured`); other lines, such as lines of a wisdom export that are
//! not samples, are skipped.

use crate::racing::Quartiles;
use crate::rank::{Rank, rank};
use crate::recording;
use crate::strategies::strategy;
use crate::trial::{Budget, Evaluate, Outcome, Search, Verdict, search};
use aesmith_arrange::{Space, Table, Variant};
use serde::Deserialize;
use std::collections::HashMap;
use std::ops::Range;

/// Recorded answers for the variants of one problem.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    answers: HashMap<Variant, Outcome>,
    /// The variants in the order of their first occurrence in the recording.
    order: Vec<Variant>,
    /// Its first line, and its space, if it is the file of a whole space.
    whole: Option<(recording::Header, Space)>,
}

/// The fields of a line of a recording that are used; all others are ignored.
#[derive(Deserialize)]
struct Sampled {
    variant: Option<String>,
    cost: Option<f64>,
    verdict: Option<String>,
    sha256: Option<String>,
    #[serde(default)]
    instructions: u16,
}

impl Recording {
    /// Reads a file, compressed or not, of either format, of a processor with these dimensions.
    ///
    /// # Errors
    /// A description of what is wrong with it, as the end of a sentence.
    pub fn read_file(bytes: &[u8], table: &'static Table) -> Result<Recording, String> {
        let text = recording::text(bytes)?;
        let Some(header) = recording::header(&text) else { return Recording::read(&text, table) };
        let header = header?;
        let space = recording::space(&header, table)?;
        let mut read = Recording::default();
        recording::each(&text, &space, &mut |variant, answer| {
            let outcome = match answer {
                Ok((kernel, cost)) => Outcome {
                    cost: Some(cost),
                    verdict: Verdict::Measured,
                    kernel_hash: Some(kernel),
                    instructions_in_loop: 0,
                },
                Err(verdict) => Outcome::without_cost(verdict),
            };
            read.add(variant, outcome);
        })?;
        read.whole = Some((header, space));
        Ok(read)
    }

    /// The header, if it is the file of a whole space.
    pub fn header(&self) -> Option<&recording::Header> {
        self.whole.as_ref().map(|(header, _)| header)
    }

    /// Reads JSON lines. If a variant occurs more than once, its lowest cost counts.
    pub fn read(text: &str, table: &'static Table) -> Result<Recording, String> {
        let mut recording = Recording::default();
        for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let wrong = |why: String| format!("line {} of the recording: {why}", number + 1);
            let line: Sampled = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
            let Some(text) = line.variant else { continue };
            let variant = table.parse(&text).map_err(|e| wrong(format!("{e}")))?;
            if recording.order.first().is_some_and(|v| v.problem != variant.problem) {
                return Err(wrong(format!("{} in a recording of another problem", variant.problem)));
            }
            let verdict = line.verdict.as_deref().unwrap_or("measured");
            let outcome =
                Outcome::recorded(verdict, "recorded", line.cost, line.sha256.as_deref(), line.instructions)
                    .map_err(wrong)?;
            recording.add(variant, outcome);
        }
        // Without a recorded order, moves of instructions are useless.
        if recording.order.iter().all(|v| v.order.is_empty()) {
            recording.answers.values_mut().for_each(|o| o.instructions_in_loop = 0);
        }
        Ok(recording)
    }

    fn add(&mut self, variant: Variant, outcome: Outcome) {
        match self.answers.get_mut(&variant) {
            Some(old) if old.cost.is_none_or(|old| outcome.cost.is_some_and(|new| new < old)) => {
                *old = outcome
            }
            Some(_) => {}
            None => {
                self.order.push(variant.clone());
                self.answers.insert(variant, outcome);
            }
        }
    }

    /// The number of variants.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True if it has no variants.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The lowest recorded cost.
    pub fn best(&self) -> Option<f64> {
        self.answers.values().filter_map(|o| o.cost).min_by(f64::total_cmp)
    }

    /// The smallest space that holds every recorded structure: each dimension with the values that occur. `None` if the
    /// recording is empty.
    pub fn space(&self) -> Option<Space> {
        if let Some((_, space)) = &self.whole {
            return Some(space.clone());
        }
        let first = self.order.first()?;
        let mut space = first.table.space(first.problem);
        for axis in &mut space.axes {
            let mut values: Vec<u16> = self.order.iter().map(|v| v.get(axis.dimension.place)).collect();
            values.sort_unstable();
            values.dedup();
            axis.values = values;
        }
        Some(space)
    }
}

/// The answer of a replay for a variant that was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// None: the strategy is told so, and it is not a trial.
    NotRecorded,
    /// The answer of the recorded variant that differs in the fewest dimensions; of those, the first recorded.
    Nearest,
}

/// A judge that answers from a recording.
#[derive(Debug)]
pub struct Replay<'r> {
    recording: &'r Recording,
    missing: Missing,
    /// Number of requested variants that were not recorded.
    pub not_recorded: u64,
}

impl<'r> Replay<'r> {
    /// A judge over a recording.
    pub fn new(recording: &'r Recording, missing: Missing) -> Self {
        Replay { recording, missing, not_recorded: 0 }
    }

    fn nearest(&self, variant: &Variant) -> Option<&Outcome> {
        let differ = |other: &&Variant| {
            variant.dimensions().filter(|d| variant.get(d.place) != other.get(d.place)).count()
        };
        self.recording.order.iter().min_by_key(differ).map(|v| &self.recording.answers[v])
    }
}

impl Evaluate for Replay<'_> {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        let missing = batch.iter().filter(|variant| !self.recording.answers.contains_key(*variant)).count();
        self.not_recorded += missing as u64;
        let answer = |variant| {
            let known = self.recording.answers.get(variant);
            let known = known.or_else(|| match self.missing {
                Missing::NotRecorded => None,
                Missing::Nearest => self.nearest(variant),
            });
            known.cloned().unwrap_or_else(|| Outcome::without_cost(Verdict::NotRecorded))
        };
        batch.iter().map(answer).collect()
    }
}

/// Results of a strategy on a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The strategy with its options.
    pub strategy: String,
    /// For each seed, pairs of the trial and the lowest cost so far: the improvements and the last trial.
    pub seeds: Vec<Vec<(u64, f64)>>,
    /// Number of proposed variants that were not recorded, over all seeds. They are not trials.
    pub not_recorded: u64,
}

/// Strategies side by side on a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The lowest recorded cost.
    pub optimum: f64,
    /// Maximum trials of each search.
    pub trials: u64,
    /// The strategies.
    pub lines: Vec<Line>,
}

/// Searches with a strategy (in the form `name:option=value`) and each of `seeds`, for `trials` trials each.
///
/// # Errors
/// There is no such strategy; or `stop` returned true between two searches.
pub fn line(
    text: &str,
    space: &Space,
    trials: u64,
    seeds: Range<u64>,
    judge: &mut dyn Evaluate,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Line, String> {
    let mut line = Line { strategy: text.to_owned(), seeds: Vec::new(), not_recorded: 0 };
    for seed in seeds {
        if stop() {
            return Err("interrupted; nothing is kept of a replay, which takes seconds".into());
        }
        let request = Search::new(space.clone(), Budget::of_trials(trials), seed);
        line.seeds.push(search(strategy(text)?.as_mut(), &request, judge, &mut |_| {}).convergence);
    }
    Ok(line)
}

/// Runs strategies against a recording. The result depends only on the recording, the space with its weights, the
/// strategies and the seeds.
///
/// # Errors
/// The errors of [`line()`]; or the recording is empty.
pub fn compare(
    recording: &Recording,
    space: &Space,
    strategies: &[String],
    trials: u64,
    seeds: Range<u64>,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Comparison, String> {
    let optimum = recording.best().ok_or("nothing of it was measured")?;
    let one = |text: &String| {
        let mut judge = Replay::new(recording, Missing::NotRecorded);
        let found = line(text, space, trials, seeds.clone(), &mut judge, stop)?;
        Ok(Line { not_recorded: judge.not_recorded, ..found })
    };
    let lines = strategies.iter().map(one).collect::<Result<_, String>>()?;
    Ok(Comparison { optimum, trials, lines })
}

impl Line {
    /// The lowest cost that each seed had found by a trial; infinite if it had not found any.
    pub fn at(&self, trial: u64) -> Vec<f64> {
        let one = |line: &Vec<(u64, f64)>| {
            line.iter().take_while(|(at, _)| *at <= trial).last().map_or(f64::INFINITY, |(_, cost)| *cost)
        };
        self.seeds.iter().map(one).collect()
    }

    /// The quartiles of these costs over the seeds; `None` if some seed had not found any.
    pub fn quartiles(&self, trial: u64) -> Option<Quartiles> {
        let costs = self.at(trial);
        Quartiles::of(&costs).filter(|_| costs.iter().all(|cost| cost.is_finite()))
    }

    /// The first trial at which each seed had a cost of at most `most`; `None` if it never had.
    pub fn reached(&self, most: f64) -> Vec<Option<u64>> {
        let first = |line: &Vec<(u64, f64)>| line.iter().find(|(_, cost)| *cost <= most).map(|(at, _)| *at);
        self.seeds.iter().map(first).collect()
    }

    /// The median of these trials; `None` if half of the seeds never reached the cost.
    pub fn median_reached(&self, most: f64) -> Option<u64> {
        let mut trials: Vec<u64> =
            self.reached(most).into_iter().map(|trial| trial.unwrap_or(u64::MAX)).collect();
        trials.sort_unstable();
        trials.get(trials.len() / 2).copied().filter(|trial| *trial != u64::MAX)
    }

    /// Tests if its costs by a trial are lower than another's.
    pub fn against(&self, other: &Line, trial: u64) -> Option<Rank> {
        rank(&self.at(trial), &other.at(trial))
    }
}
