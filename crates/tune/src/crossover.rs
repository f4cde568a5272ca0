//! From which message length on which kernel is better: the bests of all sizes measured against
//! each other at every size, and between sizes where the choice changes.
//!
//! The samples belong to a run of their own in wisdom; [`plan`] reads the newest and decides. Each
//! further kernel in a dispatcher costs cache and a compare, so a kernel that is within
//! a hundredth of a size's best keeps the size.

use crate::contest::Contest;
use crate::error::TuneError;
use crate::request::Request;
use crate::workplace::Workplace;
use aesmith_arrange::Variant;
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

/// Measures the bests of all sizes that may be handed out against each other at each of their sizes,
/// and bisects where the choice changes.
///
/// # Errors
/// Trouble with the store or the judge.
pub fn measure(place: &mut Workplace, problem: Problem, seed: u64) -> Result<(), TuneError> {
    let mut variants: Vec<Variant> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    let filter = Filter { processor: Some(place.key.clone()), problem: Some(problem), size: None };
    let mut all: Vec<usize> = place.store.bests(&filter)?.iter().map(|best| best.size as usize).collect();
    all.sort_unstable();
    all.dedup();
    for size in all {
        let best = place.best_at(problem, size)?;
        if let Some(variant) = best.and_then(|best| best.variant.parse::<Variant>().ok()) {
            sizes.push(size);
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
    }
    let Some(&largest) = sizes.iter().max() else { return Ok(()) };
    let restriction = place.settings.request.restriction();
    let (run, _) = place.start_run(&problem.to_string(), largest, STRATEGY, &restriction, seed)?;
    let mut costs = Costs::new();
    for &size in &sizes {
        let medians = Contest::new(place, run, size).medians(&variants, rounds(size))?;
        costs.insert(size, named(&variants, &medians));
    }
    let choice = choose(&costs, None);
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

/// The dispatcher's plan from wisdom: variants, each with the longest message that it is for. At the
/// size that is asked for it has the kernel that is to be handed out. `None` if nothing of the kind
/// was measured with that kernel.
///
/// # Errors
/// Trouble with the store.
pub fn plan(
    store: &Store,
    processor: &str,
    problem: Problem,
    request: &Request,
    (size, variant): (usize, &Variant),
) -> Result<Option<Plan>, TuneError> {
    let filter = Filter { processor: Some(processor.to_owned()), problem: Some(problem), size: None };
    let runs = store.runs(&filter)?;
    let restriction = request.restriction();
    let measured =
        |r: &&RunRow| r.run.strategy == STRATEGY && r.run.state == "finished" && r.run.options == restriction;
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
    let plan = decide(&costs, Some((size, &variant.to_string())));
    Ok(plan.filter(|plan| plan.iter().all(|(_, variant)| request.admits(variant))))
}

/// Sizes at which all variants were measured make the choice, the others move its borders. Where a
/// size's variant is given, the plan has it there, or there is none.
fn decide(costs: &Costs, fixed: Option<(usize, &str)>) -> Option<Plan> {
    let most = costs.values().map(BTreeMap::len).max()?;
    let (grid, finer): (Costs, Costs) =
        costs.clone().into_iter().partition(|(_, c)| c.len() == most && most > 0);
    if fixed.is_some_and(|(size, text)| !grid.get(&size).is_some_and(|row| row.contains_key(text))) {
        return None;
    }
    let choice = choose(&grid, fixed);
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
/// each change from one size to the next: the shortest way through the table of costs. Where a size's
/// variant is given, the way goes through it.
fn choose(costs: &Costs, fixed: Option<(usize, &str)>) -> Vec<(usize, String)> {
    let sizes: Vec<usize> = costs.keys().copied().collect();
    let mut names: Vec<&String> = costs.values().flat_map(BTreeMap::keys).collect();
    names.sort_unstable();
    names.dedup();
    let relative = |size: usize, name: &String| {
        if fixed.is_some_and(|(at, text)| at == size && text != name) {
            return f64::INFINITY;
        }
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
        assert_eq!(
            choose(&table, None).iter().map(|(_, t)| t.as_str()).collect::<Vec<_>>(),
            [SHORT, LONG, LONG]
        );
        let table = costs(&[(16, 0.998, 1.0), (256, 0.3, 0.2)]);
        assert_eq!(choose(&table, None)[0].1, LONG, "two thousandths are not worth a kernel");
    }

    #[test]
    fn a_plan_has_the_kernel_that_is_handed_out_at_its_size() {
        let table = costs(&[(16, 0.8, 1.0), (256, 0.3, 0.2), (4096, 0.15, 0.1499)]);
        let at = |plan: &Plan, size: usize| {
            let (_, variant) = plan.iter().find(|(limit, _)| limit.is_none_or(|l| size <= l)).unwrap();
            variant.clone()
        };
        for text in [SHORT, LONG] {
            let variant: Variant = text.parse().unwrap();
            let plan = decide(&table, Some((4096, text))).unwrap();
            assert_eq!(at(&plan, 4096), variant);
            let plan = decide(&table, Some((256, text))).unwrap();
            assert_eq!(at(&plan, 256), variant);
        }
        assert_eq!(decide(&table, Some((4096, "aes128-ctr width=ymm"))), None, "it was not measured with it");
        assert_eq!(decide(&table, Some((64, LONG))), None, "nothing was measured at that size");
    }

    #[test]
    fn borders_are_where_they_were_measured() {
        let mut table = costs(&[(16, 0.8, 1.0), (48, 0.5, 0.6), (256, 0.3, 0.2), (512, 0.3, 0.1)]);
        let plan = decide(&table, None).unwrap();
        assert_eq!(plan.len(), 2);
        assert_eq!((plan[0].0, plan[1].0), (Some(48), None));
        // A third variant, measured at the sizes of the table only, makes the others finer ones.
        for size in [16, 256, 512] {
            table.get_mut(&size).unwrap().insert("aes128-ctr width=ymm".into(), 9.0);
        }
        assert_eq!(decide(&table, None).unwrap()[0].0, Some(48));
        assert_eq!(decide(&Costs::new(), None), None);
    }
}
