//! Annealing by the paper's Listing 1: 1,500 solutions from no optimization, with ten seeds, beside random
//! search and the start of an exhaustive search with as many trials.

use super::Work;
use aesmith_arrange::Space;
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_search::racing::Quartiles;
use aesmith_search::{Budget, Stop};
use aesmith_tune::TuneError;
use aesmith_tune::evaluate::Plan;
use aesmith_tune::evaluate::exploration::Exploration;
use aesmith_tune::key_life::Price;
use aesmith_tune::options::{DEFAULT_SIZE, Event};
use serde::{Deserialize, Serialize};

/// The paper's number of solutions, plus the start without optimization.
pub const TRIALS: u64 = 1501;
/// Number of seeds for strategies that use one.
pub const SEEDS: u64 = 10;
/// Strategies with their numbers of seeds.
const WAYS: [(&str, u64); 3] = [("annealing", SEEDS), ("random", SEEDS), ("exhaustive", 1)];
/// Trials at which the curves are sampled.
pub(crate) const READ_AT: [u64; 8] = [1, 10, 50, 150, 300, 600, 1000, 1501];
/// The options of these searches in wisdom.
const LABEL: &str = "reproduction, Listing 1";

/// Results of the strategies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// The problem, on xmm.
    pub problem: String,
    /// Trials of each search.
    pub trials: u64,
    /// The strategies.
    pub ways: Vec<Way>,
}

/// The searches of one strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// Its name.
    pub strategy: String,
    /// The lowest cost that each seed found, in cycles per byte.
    pub ends: Vec<f64>,
    /// Trials, and the first quartile, median and third quartile over the seeds of the lowest cost so far.
    pub line: Vec<(u64, f64, f64, f64)>,
}

/// The paper's space for AES-256-CTR on xmm.
fn space() -> Option<Space> {
    aesmith_tune::figures::table().paper(Problem::new(KeySize::Aes256, Task::Ctr), 1)
}

/// Runs all searches that are not done yet. `None` before the first is finished.
///
/// # Errors
/// The store or the judge failed.
pub fn run(work: &mut Work) -> Result<Option<Listing>, TuneError> {
    let Some(space) = space() else { return Ok(None) };
    let problem = space.plain.problem;
    let mut ways = Vec::new();
    for (strategy, seeds) in WAYS {
        let mut lines: Vec<Vec<(u64, f64)>> = Vec::new();
        for seed in 1..=seeds {
            let unit = format!("listing {problem} {strategy} {seed}");
            if let Some(line) = work.journal.get(&unit) {
                lines.push(line);
                continue;
            }
            if work.over() {
                work.leave(&format!("{strategy} with seed {seed}"));
                continue;
            }
            (work.observer)(Event::Stage(&format!("{strategy}, {TRIALS} trials, seed {seed} of {seeds}")));
            let budget = Budget { trials: Some(TRIALS), ..work.budget() };
            let (starts, recalled) = (Vec::new(), Vec::new());
            let plan =
                Plan { space: space.clone(), strategy: strategy.into(), starts, recalled, budget, seed };
            let wanted = Exploration { plan, size: DEFAULT_SIZE, label: LABEL, price: Price::default() };
            let explored = wanted.run(work.place, work.observer)?;
            let whole = matches!(explored.found.stop, Stop::Finished | Stop::Trials | Stop::Exhausted);
            work.place.store.set_state(explored.run, if whole { "finished" } else { "interrupted" })?;
            if whole {
                work.journal.put(&unit, &explored.found.convergence)?;
                lines.push(explored.found.convergence);
            } else {
                work.leave(&format!("{strategy} with seed {seed}"));
            }
        }
        ways.extend(way(strategy, &lines));
    }
    Ok((!ways.is_empty()).then(|| Listing { problem: problem.to_string(), trials: TRIALS, ways }))
}

fn way(strategy: &str, lines: &[Vec<(u64, f64)>]) -> Option<Way> {
    let at = |trial: u64, line: &Vec<(u64, f64)>| {
        line.iter().take_while(|(at, _)| *at <= trial).last().map(|(_, cost)| *cost)
    };
    let line = READ_AT.iter().filter_map(|&trial| {
        let costs: Option<Vec<f64>> = lines.iter().map(|line| at(trial, line)).collect();
        let q = Quartiles::of(&costs?)?;
        Some((trial, q.low, q.median, q.high))
    });
    let ends: Vec<f64> = lines.iter().filter_map(|line| Some(line.last()?.1)).collect();
    (!ends.is_empty()).then(|| Way { strategy: strategy.into(), line: line.collect(), ends })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_at_the_lowest_so_far() {
        let lines = [vec![(1, 2.0), (40, 1.0), (1501, 1.0)], vec![(1, 2.0), (200, 1.5), (1501, 1.5)]];
        let way = way("annealing", &lines).unwrap();
        assert_eq!(way.ends, [1.0, 1.5]);
        let median = |trial| way.line.iter().find(|l| l.0 == trial).unwrap().2;
        assert_eq!((median(1), median(50), median(300)), (2.0, 1.5, 1.25));
    }
}
