//! Measures the best kernels of all message lengths against each other at every length, and between lengths where the choice
//! changes. [`crate::deliver::lengths`] decides by these samples, which belong to a run of their own in wisdom.

use std::collections::BTreeMap;

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_wisdom::Filter;

use crate::decide::contest::Contest;
use crate::deliver::lengths::{Costs, STRATEGY, choose};
use crate::error::TuneError;
use crate::options::Room;
use crate::workplace::Workplace;

/// Rounds of each measurement.
const ROUNDS: usize = 24;
/// Least number of rounds; with fewer nothing is compared.
const FEWEST: usize = 4;
/// Measurements between two sizes, halving the interval each time.
const HALVINGS: usize = 4;

/// Measures the deliverable best kernels of all sizes against each other at each of their sizes, and bisects
/// where the choice changes. False if there is no time for that.
///
/// # Errors
/// The store or the judge failed.
pub fn measure(
    place: &mut Workplace,
    problem: Problem,
    seed: u64,
    room: Option<Room>,
) -> Result<bool, TuneError> {
    let mut variants: Vec<Variant> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    let filter = Filter { processor: Some(place.key.clone()), problem: Some(problem), size: None };
    let mut all: Vec<usize> = place.store.bests(&filter)?.iter().map(|best| best.size as usize).collect();
    all.sort_unstable();
    all.dedup();
    for size in all {
        let best = place.best_at(problem, size)?;
        if let Some(variant) = best.and_then(|best| place.table().parse(&best.variant).ok()) {
            sizes.push(size);
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
    }
    let Some(&largest) = sizes.iter().max() else { return Ok(true) };
    // Half of the time is for lengths between the sizes.
    let most = room.map_or(ROUNDS, |room| room.rounds(&sizes, 2 * variants.len(), ROUNDS));
    if most < FEWEST {
        return Ok(false);
    }
    let rounds = |size: usize| rounds(size).min(most);
    let restriction = place.settings.request.restriction();
    let (run, _) = place.start_run(&problem.to_string(), largest, STRATEGY, &restriction, seed)?;
    let mut costs = Costs::new();
    for &size in &sizes {
        let medians = Contest::new(place, run, size).medians(&variants, rounds(size))?;
        costs.insert(size, named(&variants, &medians));
    }
    let choice = choose(&costs, None, &|_| true).choice;
    for pair in choice.windows(2) {
        let [(low, a), (high, b)] = pair else { continue };
        if a == b {
            continue;
        }
        let both: Vec<Variant> = [a, b].iter().filter_map(|text| place.table().parse(text).ok()).collect();
        let (mut low, mut high) = (*low, *high);
        for _ in 0..HALVINGS {
            let middle = between(low, high);
            let late = room.is_some_and(|room| room.rounds(&[middle], 2, ROUNDS) < FEWEST);
            if middle <= low || middle >= high || late {
                break;
            }
            let medians = Contest::new(place, run, middle).medians(&both, rounds(middle))?;
            match medians[..] {
                [Some(a), Some(b)] if a <= b => low = middle,
                [Some(_), Some(_)] => high = middle,
                _ => break,
            }
        }
    }
    place.store.set_state(run, "finished")?;
    Ok(true)
}

/// Number of rounds: fewer for long messages.
fn rounds(size: usize) -> usize {
    if size > 1 << 18 { ROUNDS / 3 } else { ROUNDS }
}

/// The geometric mean, rounded up to whole blocks.
fn between(low: usize, high: usize) -> usize {
    ((low as f64 * high as f64).sqrt() as usize).next_multiple_of(16)
}

fn named(variants: &[Variant], medians: &[Option<f64>]) -> BTreeMap<String, f64> {
    variants.iter().zip(medians).filter_map(|(v, m)| Some((v.to_string(), (*m)?))).collect()
}
