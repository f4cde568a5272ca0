//! Message lengths from which another kernel is better, by the newest comparison in wisdom ([`crate::decide::crossover`]).
//!
//! Each further kernel in a dispatcher costs cache and a compare, so a kernel within one percent of a size's best keeps the size.

use std::collections::BTreeMap;

use aesmith_arrange::{Table, Variant};
use aesmith_cipher::Problem;
use aesmith_wisdom::read::RunRow;
use aesmith_wisdom::{Filter, Store};

use crate::error::TuneError;
use crate::key_life::{self, Price, reads_table};
use crate::request::Request;

/// Name of such runs in wisdom.
pub const STRATEGY: &str = "crossover";
/// Relative gain that justifies another kernel.
const WORTH: f64 = 0.01;
/// Variants, each with its longest message in bytes; the last has no limit.
pub type Plan = Vec<(Option<usize>, Variant)>;

/// Costs by size and variant (text form).
pub(crate) type Costs = BTreeMap<usize, BTreeMap<String, f64>>;

/// Variants (text form) by size, and the sum of their relative losses against the best at each size.
pub(crate) struct Choice {
    cost: f64,
    pub choice: Vec<(usize, String)>,
}

/// The dispatcher's plan from wisdom: variants, each with its longest message. At the requested size it has
/// the kernel to be delivered. `None` if no comparison with that kernel was measured.
///
/// # Errors
/// The store failed.
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
        // The duel's median counts; the screens before it only admit kernels to it.
        if let (Some(cost), "duel") = (sample.cost, sample.phase.as_str()) {
            costs.entry(sample.size as usize).or_default().insert(sample.variant, cost);
        }
        Ok(())
    })?;
    let price = key_life::price(store, processor, problem, request, size)?;
    let plan = decide(variant.table, &costs, Some((size, &variant.to_string())), price);
    Ok(plan.filter(|plan| plan.iter().all(|(_, variant)| request.admits(variant))))
}

/// Sizes at which all variants were measured determine the choice, the others refine its borders. If `fixed`
/// gives a size's variant, the plan uses it there or does not exist. A plan with a kernel that reads the
/// key's table pays for the table at every length, once: it must beat the best plan without a table by that
/// much.
fn decide(table: &'static Table, costs: &Costs, fixed: Option<(usize, &str)>, price: Price) -> Option<Plan> {
    let most = costs.values().map(BTreeMap::len).max()?;
    let (grid, finer): (Costs, Costs) =
        costs.clone().into_iter().partition(|(_, c)| c.len() == most && most > 0);
    if fixed.is_some_and(|(size, text)| !grid.get(&size).is_some_and(|row| row.contains_key(text))) {
        return None;
    }
    let needs_table = |text: &str| table.parse(text).is_ok_and(|variant| reads_table(&variant));
    let any = choose(&grid, fixed, &|_| true);
    let without = choose(&grid, fixed, &|text| !needs_table(text));
    let set_up: f64 = grid.values().map(|row| price.of_table() / least(row)).sum();
    let pays = fixed.is_some_and(|(_, text)| needs_table(text)) || any.cost + set_up < without.cost;
    let with_table = any.choice.iter().any(|(_, text)| needs_table(text));
    let choice = if with_table && !pays { without.choice } else { any.choice };
    let mut plan = Plan::new();
    for (index, (size, text)) in choice.iter().enumerate() {
        let variant = table.parse(text).ok()?;
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

/// Chooses a variant for each size such that the sum of relative costs is least, with a cost of [`WORTH`] for
/// each change between neighbouring sizes: the shortest path through the table of costs. If `fixed` gives a
/// size's variant, the path goes through it; other variants must be allowed.
pub(crate) fn choose(costs: &Costs, fixed: Option<(usize, &str)>, allowed: &dyn Fn(&str) -> bool) -> Choice {
    let sizes: Vec<usize> = costs.keys().copied().collect();
    let mut names: Vec<&String> = costs.values().flat_map(BTreeMap::keys).collect();
    names.sort_unstable();
    names.dedup();
    let relative = |size: usize, name: &String| {
        let fixed_here = fixed.filter(|(at, _)| *at == size);
        if fixed_here.map_or(!allowed(name), |(_, text)| text != name) {
            return f64::INFINITY;
        }
        let row = &costs[&size];
        row.get(name).map_or(f64::INFINITY, |c| c / least(row) - 1.0)
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
        return Choice { cost: 0.0, choice: Vec::new() };
    };
    let cost = sums[at];
    let mut choice = Vec::new();
    for (index, &size) in sizes.iter().enumerate().rev() {
        choice.push((size, names[at].clone()));
        at = from[index][at];
    }
    choice.reverse();
    Choice { cost, choice }
}

/// The least cost at a size.
fn least(row: &BTreeMap<String, f64>) -> f64 {
    row.values().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_life::{KeyLife, SetUp};
    use aesmith_x86::dimensions;

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
            choose(&table, None, &|_| true).choice.iter().map(|(_, t)| t.as_str()).collect::<Vec<_>>(),
            [SHORT, LONG, LONG]
        );
        let table = costs(&[(16, 0.998, 1.0), (256, 0.3, 0.2)]);
        assert_eq!(
            choose(&table, None, &|_| true).choice[0].1,
            LONG,
            "two thousandths are not worth a kernel"
        );
    }

    #[test]
    fn a_plan_has_the_kernel_that_is_delivered_at_its_size() {
        let table = costs(&[(16, 0.8, 1.0), (256, 0.3, 0.2), (4096, 0.15, 0.1499)]);
        let at = |plan: &Plan, size: usize| {
            let (_, variant) = plan.iter().find(|(limit, _)| limit.is_none_or(|l| size <= l)).unwrap();
            variant.clone()
        };
        for text in [SHORT, LONG] {
            let variant = dimensions::variant(text).unwrap();
            let plan = decide(&dimensions::TABLE, &table, Some((4096, text)), Price::default()).unwrap();
            assert_eq!(at(&plan, 4096), variant);
            let plan = decide(&dimensions::TABLE, &table, Some((256, text)), Price::default()).unwrap();
            assert_eq!(at(&plan, 256), variant);
        }
        assert_eq!(
            decide(&dimensions::TABLE, &table, Some((4096, "aes128-ctr width=ymm")), Price::default()),
            None,
            "it was not measured with it"
        );
        assert_eq!(
            decide(&dimensions::TABLE, &table, Some((64, LONG)), Price::default()),
            None,
            "nothing was measured at that size"
        );
    }

    #[test]
    fn borders_are_where_they_were_measured() {
        let mut table = costs(&[(16, 0.8, 1.0), (48, 0.5, 0.6), (256, 0.3, 0.2), (512, 0.3, 0.1)]);
        let plan = decide(&dimensions::TABLE, &table, None, Price::default()).unwrap();
        assert_eq!(plan.len(), 2);
        assert_eq!((plan[0].0, plan[1].0), (Some(48), None));
        // A third variant, measured only at the sizes of the table, makes the other sizes finer ones.
        for size in [16, 256, 512] {
            table.get_mut(&size).unwrap().insert("aes128-ctr width=ymm".into(), 9.0);
        }
        assert_eq!(decide(&dimensions::TABLE, &table, None, Price::default()).unwrap()[0].0, Some(48));
        assert_eq!(decide(&dimensions::TABLE, &Costs::new(), None, Price::default()), None);
    }

    /// A kernel with a table gains 2 % from 4 KiB on, and its table takes 400 cycles.
    #[test]
    fn a_table_that_does_not_pay_within_a_key_life_is_not_chosen() {
        const TABLE: &str = "aes128-ctr width=zmm cached=1";
        let row =
            |plain: f64, table: f64| BTreeMap::from([(LONG.to_owned(), plain), (TABLE.to_owned(), table)]);
        let costs = Costs::from([
            (256, row(0.3, 0.3)),
            (4096, row(0.2, 0.196)),
            (32768, row(0.2, 0.196)),
            (1 << 20, row(0.2, 0.196)),
        ]);
        let set_up = SetUp { schedule_cycles: 100.0, table_cycles: 400.0 };
        let plan = |fixed, life, size| {
            let plan =
                decide(&dimensions::TABLE, &costs, fixed, Price::new(Some(set_up), KeyLife(life), size))
                    .unwrap();
            plan.iter().any(|(_, variant)| reads_table(variant))
        };
        assert!(plan(None, 128, 32768), "400 cycles in 4 MiB are nothing");
        assert!(!plan(None, 1, 4096), "400 cycles in 4 KiB are 0.1 of a cycle a byte");
        assert!(!plan(Some((4096, LONG)), 1, 32768));
        assert!(plan(Some((4096, TABLE)), 1, 4096), "what is delivered at its size stays");
    }
}
