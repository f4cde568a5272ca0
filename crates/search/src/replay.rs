//! Strategies run against a recorded space: compared without hardware and without noise.
//!
//! A recording is lines of JSON, each with a `variant` in text form and its `cost` in cycles per
//! byte (or `verdict` other than `measured`); other lines, such as those of a wisdom export that
//! are no samples, are passed over.

use crate::strategies::strategy;
use crate::trial::{Budget, Evaluate, Outcome, Search, Verdict, search};
use aesmith_arrange::{Space, Variant};
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt;

/// Recorded answers for the variants of one problem.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    answers: HashMap<Variant, Outcome>,
    /// The variants in the order in which they first stood in the recording.
    order: Vec<Variant>,
}

/// What a line of a recording may have; everything else in it is passed over.
#[derive(Deserialize)]
struct Line {
    variant: Option<String>,
    cost: Option<f64>,
    verdict: Option<String>,
    sha256: Option<String>,
    #[serde(default)]
    instructions: u16,
}

impl Recording {
    /// Reads JSON lines. Of a variant that stands there more than once, the lowest cost counts.
    pub fn read(text: &str) -> Result<Recording, String> {
        let mut recording = Recording::default();
        for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let wrong = |why: String| format!("line {} of the recording: {why}", number + 1);
            let line: Line = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
            let Some(text) = line.variant else { continue };
            let variant: Variant = text.parse().map_err(|e| wrong(format!("{e}")))?;
            if recording.order.first().is_some_and(|v| v.problem != variant.problem) {
                return Err(wrong(format!("{} in a recording of another problem", variant.problem)));
            }
            let verdict = line.verdict.as_deref().unwrap_or("measured");
            let outcome =
                Outcome::recorded(verdict, "recorded", line.cost, line.sha256.as_deref(), line.instructions)
                    .map_err(wrong)?;
            recording.add(variant, outcome);
        }
        // Without a recorded order, moves of instructions lead nowhere.
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

    /// How many variants it has.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The lowest recorded cost.
    pub fn best(&self) -> Option<f64> {
        self.answers.values().filter_map(|o| o.cost).min_by(f64::total_cmp)
    }

    /// The smallest space that holds every recorded structure: each dimension with the values that
    /// occur. `None` of an empty recording.
    pub fn space(&self) -> Option<Space> {
        let mut space = Space::new(self.order.first()?.problem, 4);
        for axis in &mut space.axes {
            let mut values: Vec<u16> = self.order.iter().map(|v| v.get(axis.dimension.place)).collect();
            values.sort_unstable();
            values.dedup();
            axis.values = values;
        }
        Some(space)
    }
}

/// How a replay answers for a variant that was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Not at all: the strategy is told, and it is no trial.
    NotRecorded,
    /// As the recorded variant that differs in the fewest dimensions; of those, the first recorded.
    Nearest,
}

/// A judge that answers from a recording.
#[derive(Debug)]
pub struct Replay<'r> {
    recording: &'r Recording,
    missing: Missing,
}

impl<'r> Replay<'r> {
    /// A judge over a recording.
    pub fn new(recording: &'r Recording, missing: Missing) -> Self {
        Replay { recording, missing }
    }

    fn nearest(&self, variant: &Variant) -> Option<&Outcome> {
        let differ = |other: &&Variant| {
            let dims = aesmith_arrange::dimensions(variant.problem, variant.technique);
            dims.filter(|d| variant.get(d.place) != other.get(d.place)).count()
        };
        self.recording.order.iter().min_by_key(differ).map(|v| &self.recording.answers[v])
    }
}

impl Evaluate for Replay<'_> {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
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

/// Strategies side by side: best cost so far against trials, mean over seeds.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Trials at which the columns stand.
    pub checkpoints: Vec<u64>,
    /// Name of each strategy and its mean best cost at each checkpoint.
    pub rows: Vec<(String, Vec<f64>)>,
}

/// Runs each strategy (in the form `name:option=value`) for so many trials with seeds 0, 1, ...
/// against judges that `judge` makes, and compares.
pub fn compare(
    strategies: &[&str],
    space: &Space,
    trials: u64,
    seeds: u64,
    judge: &mut dyn FnMut() -> Box<dyn Evaluate>,
) -> Result<Comparison, String> {
    let mut checkpoints: Vec<u64> = [64, 32, 16, 8, 4, 2, 1].iter().map(|part| trials / part).collect();
    checkpoints.retain(|c| *c > 0);
    checkpoints.dedup();
    let mut rows = Vec::new();
    for text in strategies {
        let mut sums = vec![0.0; checkpoints.len()];
        for seed in 0..seeds {
            let request = Search::new(space.clone(), Budget::of_trials(trials), seed);
            let found = search(strategy(text)?.as_mut(), &request, judge().as_mut(), &mut |_| {});
            for (sum, checkpoint) in sums.iter_mut().zip(&checkpoints) {
                let upto = found.convergence.iter().take_while(|(trial, _)| trial <= checkpoint);
                *sum += upto.last().map_or(f64::NAN, |(_, cost)| *cost);
            }
        }
        rows.push(((*text).to_owned(), sums.into_iter().map(|s| s / seeds as f64).collect()));
    }
    Ok(Comparison { checkpoints, rows })
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("trials".len());
        write!(f, "{:wide$}", "trials")?;
        self.checkpoints.iter().try_for_each(|c| write!(f, " {c:>9}"))?;
        for (name, means) in &self.rows {
            write!(f, "\n{name:wide$}")?;
            means.iter().try_for_each(|m| write!(f, " {m:>9.4}"))?;
        }
        writeln!(f)
    }
}
