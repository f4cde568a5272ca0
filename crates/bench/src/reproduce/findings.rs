//! The paper's statements, and their validity here: each statement with the numbers that decide it.

use super::listing::Listing;
use super::modes::Modes;
use super::selective::{FASTEST, INTERLEAVED, INTERVAL, KEYS, PREFETCH, Selection};
use super::surfaces::Again;
use aesmith_search::rank::rank;
use serde::{Deserialize, Serialize};

/// Verdict on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// The statement holds.
    Holds,
    /// The statement does not hold.
    DoesNotHold,
    /// Neither is shown.
    NoEvidence,
}

impl Said {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Said::Holds => "holds",
            Said::DoesNotHold => "does not hold",
            Said::NoEvidence => "no evidence",
        }
    }
}

/// A statement of the paper, and the finding here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The statement.
    pub statement: String,
    /// The subject of this test.
    pub of: String,
    /// The verdict.
    pub said: Said,
    /// The numbers.
    pub numbers: String,
}

/// A statement about the fastest kernels: a sentence, the property, and a test of its values.
type Statement = (&'static str, &'static str, fn(u64) -> bool);

const STATEMENTS: [Statement; 4] = [
    ("the fastest keep 10 or more round keys in registers, spilled ones included", KEYS, |keys| keys >= 10),
    ("the fastest interleave 6 to 12 blocks", INTERLEAVED, |blocks| (6..=12).contains(&blocks)),
    ("the fastest that are software-pipelined have an initiation interval of 2 or 3", INTERVAL, |ii| {
        ii == 2 || ii == 3
    }),
    ("the fastest prefetch three iterations ahead", PREFETCH, |ahead| ahead == 3),
];

/// Number of standard deviations by which a share among the fastest must exceed that among all.
const CLEAR: f64 = 3.0;

/// Compares a share among the fastest kernels with that among all.
///
/// A statement holds if it is true of most of the fastest, and of clearly more of them than of all kernels.
/// It does not hold if it is true of fewer than half. There is no evidence if the fastest are not faster
/// beyond the noise.
fn said((top, of_top): (u64, u64), (all, of_all): (u64, u64), apart: bool) -> Said {
    if of_top == 0 || of_all == 0 || !apart {
        return Said::NoEvidence;
    }
    let (n, m) = (of_top as f64, of_all as f64);
    let (p, q) = (top as f64 / n, all as f64 / m);
    let pooled = (top + all) as f64 / (n + m);
    let deviation = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)).sqrt();
    if p < 0.5 {
        Said::DoesNotHold
    } else if deviation > 0.0 && (p - q) / deviation >= CLEAR {
        Said::Holds
    } else {
        Said::NoEvidence
    }
}

/// Tests every statement on everything it applies to.
pub fn findings(
    searches: &[Selection],
    modes: &Modes,
    listing: Option<&Listing>,
    figures: &[Again],
) -> Vec<Finding> {
    let mut found: Vec<Finding> = STATEMENTS
        .iter()
        .flat_map(|statement| searches.iter().filter(|s| s.whole).filter_map(|s| of_search(statement, s)))
        .collect();
    found.extend(speed_up(modes));
    found.extend(listing.and_then(annealing));
    found.extend(figures.iter().filter(|figure| figure.cells.len() == figure.all).filter_map(more_keys));
    found
}

fn of_search(&(statement, name, is): &Statement, search: &Selection) -> Option<Finding> {
    let property = search.properties.iter().find(|p| p.name == name)?;
    // The interval only concerns kernels that have one.
    let counts = |value: &str| name != INTERVAL || value != "0";
    let (mut top, mut all) = ((0, 0), (0, 0));
    let mut possible = false;
    for (value, fast, any) in property.values.iter().filter(|(value, ..)| counts(value)) {
        let fits = value.parse().is_ok_and(is);
        possible |= fits;
        top = (top.0 + if fits { *fast } else { 0 }, top.1 + fast);
        all = (all.0 + if fits { *any } else { 0 }, all.1 + any);
    }
    let of = format!("{} on {}", search.problem, search.width);
    // A statement that no kernel of the search can satisfy is not tested.
    if !possible {
        return None;
    }
    let apart = search.median > search.fastest * (1.0 + search.noise);
    let share = |(fits, of): (u64, u64)| 100.0 * fits as f64 / (of.max(1)) as f64;
    Some(Finding {
        statement: statement.into(),
        of,
        said: said(top, all, apart),
        numbers: format!(
            "{} of {} ({:.0} %) among the fastest {FASTEST}, {:.0} % of all {}; the fastest take {:.4} to {:.4} \
             cycles/byte, the median of all {:.4}, noise {:.1} %",
            top.0,
            top.1,
            share(top),
            share(all),
            all.1,
            search.fastest,
            search.last,
            search.median,
            100.0 * search.noise
        ),
    })
}

/// The paper's mean speed-up over all modes.
const MEAN_SPEED_UP: f64 = 1.43;

fn speed_up(modes: &Modes) -> Vec<Finding> {
    modes
        .means
        .iter()
        .map(|mean| Finding {
            statement: format!("the mean speed-up over a baseline is {MEAN_SPEED_UP}"),
            of: format!("{}, {} modes", mean.baseline, mean.modes),
            said: if mean.mean >= MEAN_SPEED_UP { Said::Holds } else { Said::DoesNotHold },
            numbers: format!("the mean is {:.2} here, from {:.2} to {:.2}", mean.mean, mean.least, mean.most),
        })
        .collect()
}

/// Annealing compared with random search for as many trials.
fn annealing(listing: &Listing) -> Option<Finding> {
    let ends = |name: &str| listing.ways.iter().find(|w| w.strategy == name).map(|w| &w.ends);
    let (ours, others) = (ends("annealing")?, ends("random")?);
    let first = ends("exhaustive").and_then(|ends| ends.first().copied());
    let rank = rank(ours, others)?;
    let said = match rank.words() {
        "lower" => Said::Holds,
        "higher" => Said::DoesNotHold,
        _ => Said::NoEvidence,
    };
    let middle = |costs: &[f64]| {
        let mut sorted = costs.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let exhaustive = first.map_or(String::new(), |cost| {
        format!("; the first {} variants of an exhaustive search reach {cost:.4}", listing.trials)
    });
    Some(Finding {
        statement: "annealing finds better kernels than a search without guidance for as many trials".into(),
        of: format!("{} on xmm, {} trials, {} seeds", listing.problem, listing.trials, ours.len()),
        said,
        numbers: format!(
            "annealing {:.4} cycles/byte in the median of its seeds, random search {:.4}; annealing is better in \
             {:.0} % of the pairs (rank test of Mann and Whitney, z = {:.1}){exhaustive}",
            middle(ours),
            middle(others),
            100.0 * rank.lower,
            rank.z
        ),
    })
}

/// Tests that more keys in registers are faster, by the median of each row of a figure.
fn more_keys(figure: &Again) -> Option<Finding> {
    let row = |keys: usize| {
        let mut costs: Vec<f64> = figure.cells.iter().filter(|c| c.keys == keys).map(|c| c.direct).collect();
        costs.sort_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied()
    };
    let rows: Vec<f64> = (0..=15).filter_map(row).collect();
    if rows.len() < 16 {
        return None;
    }
    let (few, many) = (rows[0], rows[10..].iter().copied().fold(f64::INFINITY, f64::min));
    let ratio = few / many;
    let said = if ratio > 1.0 + figure.noise {
        Said::Holds
    } else if ratio < 1.0 - figure.noise {
        Said::DoesNotHold
    } else {
        Said::NoEvidence
    };
    Some(Finding {
        statement: "more round keys in registers are faster than none".into(),
        of: format!("Figure {}, {} on xmm", figure.number, figure.problem),
        said,
        numbers: format!(
            "the median of the row without keys is {few:.4} cycles/byte, of the best row of 10 and more {many:.4}; noise \
             {:.1} %",
            100.0 * figure.noise
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::selective::Property;
    use super::*;

    #[test]
    fn a_statement_holds_where_most_of_the_fastest_are_so_and_more_than_of_all() {
        assert_eq!(said((180, 200), (3000, 10_000), true), Said::Holds);
        assert_eq!(said((20, 200), (3000, 10_000), true), Said::DoesNotHold);
        assert_eq!(said((120, 200), (6000, 10_000), true), Said::NoEvidence, "as many as of all");
        assert_eq!(said((180, 200), (3000, 10_000), false), Said::NoEvidence, "not faster than the noise");
        assert_eq!(said((0, 0), (0, 10_000), true), Said::NoEvidence);
    }

    fn search(values: &[(&str, u64, u64)]) -> Selection {
        let values = values.iter().map(|(v, t, a)| ((*v).to_owned(), *t, *a)).collect();
        Selection {
            problem: "aes256-ctr".into(),
            width: "xmm".into(),
            variants: 50_000,
            tried: 50_000,
            kernels: 9000,
            fastest: 0.7,
            last: 0.72,
            median: 0.9,
            noise: 0.01,
            properties: vec![Property { name: INTERVAL.into(), values }],
            whole: true,
        }
    }

    #[test]
    fn a_search_that_was_cut_short_has_no_verdict() {
        let whole = search(&[("0", 150, 4000), ("2", 30, 500), ("5", 20, 4500)]);
        let cut = Selection { whole: false, ..whole.clone() };
        let verdicts = |search: Selection| findings(&[search], &Modes::default(), None, &[]).len();
        assert!(verdicts(whole) > 0);
        assert_eq!(verdicts(cut), 0);
    }

    #[test]
    fn kernels_without_pipelining_do_not_count_for_the_interval() {
        let found = of_search(&STATEMENTS[2], &search(&[("0", 150, 4000), ("2", 30, 500), ("5", 20, 4500)]));
        let found = found.unwrap();
        assert_eq!(found.said, Said::Holds, "{}", found.numbers);
        assert!(found.numbers.starts_with("30 of 50"), "{}", found.numbers);
        assert_eq!(of_search(&STATEMENTS[2], &search(&[("0", 200, 4000), ("5", 0, 5000)])), None);
    }
}
