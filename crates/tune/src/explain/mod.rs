//! Why the winner wins, for every processor: the variants that were tried, and the cost of each choice around
//! the winner; also facts about its instructions and bounds, which depend on whether its cycles are measured
//! or counted.

mod exact;
mod grids;
mod measured;

use aesmith_arrange::{Dimension, Values, Variant};
use aesmith_wisdom::Sampled;
use serde::Serialize;
use std::collections::BTreeMap;

pub use exact::{ExactExplanation, explain as explain_exact};
pub use grids::{GridExplanation, explain as explain_grid};
pub use measured::{explain, name};

/// An explanation of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The problem's name.
    pub problem: String,
    /// Lines for people, in order, under headings.
    pub sections: Vec<Section>,
}

/// A heading and its rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Names and values, as text.
    pub rows: Vec<(String, String)>,
}

fn tried(known: &[Sampled]) -> Section {
    let mut verdicts: BTreeMap<&str, u64> = BTreeMap::new();
    known.iter().for_each(|s| *verdicts.entry(&s.verdict).or_default() += 1);
    let kernels: std::collections::BTreeSet<&str> =
        known.iter().filter_map(|s| s.sha256.as_deref()).collect();
    let mut rows: Vec<(String, String)> =
        verdicts.into_iter().map(|(v, n)| (v.to_owned(), n.to_string())).collect();
    if !kernels.is_empty() {
        rows.push(("different kernels".into(), kernels.len().to_string()));
    }
    Section { title: "variants tried at this size".into(), rows }
}

/// The best cost in a search with each value of each dimension, relative to the overall best. Long ranges are
/// reduced to the winner's value, the best and the worst.
fn effects(winner: &Variant, known: &[Sampled]) -> Section {
    let samples: Vec<(Variant, f64)> =
        known.iter().filter_map(|s| Some((winner.table.parse(&s.variant).ok()?, s.cost?))).collect();
    let best = samples.iter().map(|(_, c)| *c).fold(f64::INFINITY, f64::min);
    let rows = winner
        .dimensions()
        .filter_map(|dimension| {
            let mut by_value: BTreeMap<u16, f64> = BTreeMap::new();
            for (variant, cost) in &samples {
                let at = by_value.entry(value(dimension, variant)).or_insert(f64::INFINITY);
                *at = at.min(*cost);
            }
            (by_value.len() > 1)
                .then(|| (dimension.name.to_owned(), effect(dimension, winner, best, &by_value)))
        })
        .collect();
    Section { title: "each choice, the others free".into(), rows }
}

/// The value of a dimension; for a mask the number of its bits.
fn value(dimension: &Dimension, variant: &Variant) -> u16 {
    let value = variant.get(dimension.place);
    if let Values::Mask(_) = dimension.values { value.count_ones() as u16 } else { value }
}

fn effect(dimension: &Dimension, winner: &Variant, best: f64, by_value: &BTreeMap<u16, f64>) -> String {
    let own = value(dimension, winner);
    let mut shown: Vec<(u16, f64)> = by_value.iter().map(|(v, c)| (*v, *c)).collect();
    if shown.len() > 6 {
        shown.sort_by(|a, b| a.1.total_cmp(&b.1));
        let worst = shown.last().copied();
        shown.truncate(4);
        shown.extend(by_value.get(&own).map(|c| (own, *c)));
        shown.extend(worst);
        shown.sort_by_key(|(v, _)| *v);
        shown.dedup_by_key(|(v, _)| *v);
    }
    let text = |(v, cost): &(u16, f64)| {
        let label = match dimension.values {
            Values::Mask(_) => format!("{v} bits"),
            _ => dimension.show(*v),
        };
        let mark = if *v == own { "*" } else { "" };
        format!("{label}{mark} {:+.1} %", 100.0 * (cost / best - 1.0))
    };
    shown.iter().map(text).collect::<Vec<_>>().join(", ")
}
