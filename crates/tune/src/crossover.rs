//! From which message length on which kernel is better: the bests of all sizes measured against
//! each other at every size, and between sizes where the choice changes.
//!
//! The samples belong to a run of their own in wisdom; [`plan`] reads the newest and decides. Each
//! further kernel in a dispatcher costs cache and a compare, so a kernel that is within
//! a hundredth of a size's best keeps the size.

use crate::contest::Contest;
use crate::error::TuneError;
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_wisdom::read::RunRow;
use aesmith_wisdom::{Filter, Store};
use std::collections::BTreeMap;

/// Name of such runs in wisdom.
pub const STRATEGY: &str = "crossover";
/// Relative gain from which on another kernel is worth having.
const WORTH: f64 = 0.01;
/// Rounds of each measurement.
const ROUNDS: usize = 24;
/// Measurements between two sizes, halving the interval each time.
const HALVINGS: usize = 4;

/// Variants, each with the longest message that it is for; the last without a limit.
pub type Plan = Vec<(Option<usize>, Variant)>;

/// Costs of variants (text form) at sizes.
type Costs = BTreeMap<usize, BTreeMap<String, f64>>;

/// Measures the current bests of all sizes of a problem at each of their sizes, and bisects where
/// the choice changes.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn measure(
    place: &mut Workplace,
    problem: Problem,
    technique: Technique,
    seed: u64,
) -> Result<(), TuneError> {
    let filter = Filter { processor: Some(place.key.clone()), problem: Some(problem), size: None };
    let bests = place.store.bests(&filter)?;
    let mut variants: Vec<Variant> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    for best in &bests {
        let Ok(variant) = best.variant.parse::<Variant>() else { continue };
        if variant.technique != technique {
            continue;
        }
        sizes.push(best.size as usize);
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    let Some(&largest) = sizes.iter().max() else { return Ok(()) };
    let (run, _) = place.start_run(&problem.to_string(), largest, STRATEGY, technique.name(), seed)?;
    let mut costs = Costs::new();
    for &size in &sizes {
        let medians = Contest::new(place, run, size).medians(&variants, rounds(size))?;
        costs.insert(size, named(&variants, &medians));
    }
    let choice = choose(&costs);
    for pair in choice.windows(2) {
        let [(low, a), (high, b)] = pair else { continue };
        if a == b {
            continue;
        }
        let both: Vec<Variant> = [a, b].iter().filter_map(|text| text.parse().ok()).collect();
        let (mut low, mut high) = (*low, *high);
        for _ in 0..HALVINGS {
            let middle = between(low, high);
            if middle <= low || middle >= high {
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
    Ok(())
}

/// Fewer rounds for messages that take long.
fn rounds(size: usize) -> usize {
    if size > 1 << 18 { ROUNDS / 3 } else { ROUNDS }
}

/// The geometric mean, in whole blocks.
fn between(low: usize, high: usize) -> usize {
    ((low as f64 * high as f64).sqrt() as usize).next_multiple_of(16)
}

fn named(variants: &[Variant], medians: &[Option<f64>]) -> BTreeMap<String, f64> {
    variants.iter().zip(medians).filter_map(|(v, m)| Some((v.to_string(), (*m)?))).collect()
}

/// The dispatcher's plan from wisdom: variants, each with the longest message that it is for;
/// `None` if nothing of the kind was measured.
///
/// # Errors
/// Trouble with the store.
pub fn plan(
    store: &Store,
    processor: &str,
    problem: Problem,
    technique: Technique,
) -> Result<Option<Plan>, TuneError> {
    let filter = Filter { processor: Some(processor.to_owned()), problem: Some(problem), size: None };
    let runs = store.runs(&filter)?;
    // Runs of the first version say nothing of a technique and are of AES instructions.
    let of_technique =
        |options: &str| options == technique.name() || (options.is_empty() && technique == Technique::Aes);
    let measured =
        |r: &&RunRow| r.run.strategy == STRATEGY && r.run.state == "finished" && of_technique(&r.run.options);
    let Some(run) = runs.iter().rev().find(measured) else {
        return Ok(None);
    };
    let mut costs = Costs::new();
    store.each_sample(run.id, |_, sample| {
        // The duel's median counts; the screens before it are its entrance test.
        if let (Some(cost), "duel") = (sample.cost, sample.phase.as_str()) {
            costs.entry(sample.size as usize).or_default().insert(sample.variant, cost);
        }
        Ok(())
    })?;
    Ok(decide(&costs))
}

/// Sizes at which all variants were measured make the choice, the others move its borders.
fn decide(costs: &Costs) -> Option<Plan> {
    let most = costs.values().map(BTreeMap::len).max()?;
    let (grid, finer): (Costs, Costs) =
        costs.clone().into_iter().partition(|(_, c)| c.len() == most && most > 0);
    let choice = choose(&grid);
    let mut plan = Plan::new();
    for (index, (size, text)) in choice.iter().enumerate() {
        let variant: Variant = text.parse().ok()?;
        let limit = match choice.get(index + 1) {
            None => None,
            Some((_, next)) if next == text => continue,
            Some((above, next)) => {
                let inside = finer.range(size + 1..*above);
                let better = inside.filter(|(_, c)| match (c.get(text), c.get(next)) {
                    (Some(a), Some(b)) => a <= b,
                    _ => false,
                });
                Some(better.map(|(s, _)| *s).next_back().unwrap_or(*size))
            }
        };
        plan.push((limit, variant));
    }
    (!plan.is_empty()).then_some(plan)
}

/// For each size a variant, such that the sum of relative costs is least, with [`WORTH`] to pay for
/// each change from one size to the next: the shortest way through the table of costs.
fn choose(costs: &Costs) -> Vec<(usize, String)> {
    let sizes: Vec<usize> = costs.keys().copied().collect();
    let mut names: Vec<&String> = costs.values().flat_map(BTreeMap::keys).collect();
    names.sort_unstable();
    names.dedup();
    let relative = |size: usize, name: &String| {
        let row = &costs[&size];
        let best = row.values().copied().fold(f64::INFINITY, f64::min);
        row.get(name).map_or(f64::INFINITY, |c| c / best - 1.0)
    };
    let mut sums: Vec<f64> = vec![0.0; names.len()];
    let mut from: Vec<Vec<usize>> = Vec::new();
    for (index, &size) in sizes.iter().enumerate() {
        let cheapest = (0..names.len()).min_by(|&a, &b| sums[a].total_cmp(&sums[b])).unwrap_or(0);
        let mut next = sums.clone();
        let mut came = Vec::with_capacity(names.len());
        for (n, name) in names.iter().enumerate() {
            let changed = sums[cheapest] + WORTH;
            let stays = index == 0 || sums[n] <= changed;
            came.push(if stays { n } else { cheapest });
            next[n] = relative(size, name) + if stays { sums[n] } else { changed };
        }
        from.push(came);
        sums = next;
    }
    let Some(mut at) = (0..names.len()).min_by(|&a, &b| sums[a].total_cmp(&sums[b])) else {
        return Vec::new();
    };
    let mut choice = Vec::new();
    for (index, &size) in sizes.iter().enumerate().rev() {
        choice.push((size, names[at].clone()));
        at = from[index][at];
    }
    choice.reverse();
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: &str = "aes128-ctr width=xmm";
    const LONG: &str = "aes128-ctr width=zmm";

    fn costs(rows: &[(usize, f64, f64)]) -> Costs {
        let row = |&(size, a, b): &(usize, f64, f64)| {
            (size, BTreeMap::from([(SHORT.to_owned(), a), (LONG.to_owned(), b)]))
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn a_change_is_made_where_it_pays() {
        let table = costs(&[(16, 0.8, 1.0), (256, 0.3, 0.2), (4096, 0.3, 0.15)]);
        assert_eq!(choose(&table).iter().map(|(_, t)| t.as_str()).collect::<Vec<_>>(), [SHORT, LONG, LONG]);
        let table = costs(&[(16, 0.998, 1.0), (256, 0.3, 0.2)]);
        assert_eq!(choose(&table)[0].1, LONG, "two thousandths are not worth a kernel");
    }

    #[test]
    fn borders_are_where_they_were_measured() {
        let mut table = costs(&[(16, 0.8, 1.0), (48, 0.5, 0.6), (256, 0.3, 0.2), (512, 0.3, 0.1)]);
        let plan = decide(&table).unwrap();
        assert_eq!(plan.len(), 2);
        assert_eq!((plan[0].0, plan[1].0), (Some(48), None));
        // A third variant, measured at the sizes of the table only, makes the others finer ones.
        for size in [16, 256, 512] {
            table.get_mut(&size).unwrap().insert("aes128-ctr width=ymm".into(), 9.0);
        }
        assert_eq!(decide(&table).unwrap()[0].0, Some(48));
        assert_eq!(decide(&Costs::new()), None);
    }
}
