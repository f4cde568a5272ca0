//! Selective exhaustive searches, as in the paper: every combination of some values of the important
//! dimensions, and the common properties of the fastest kernels.

use super::{SIZE, Work};
use aesmith_arrange::{Axis, Space, Technique, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_tune::TuneError;
use aesmith_tune::figures::{SPILLED, table};
use aesmith_tune::options::Event;
use aesmith_wisdom::Filter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of the fastest kernels to examine, as in the paper.
pub(crate) const FASTEST: usize = 200;
/// The options of these searches in wisdom.
const LABEL: &str = "reproduction, selective exhaustive";
/// Register widths by number of blocks.
const WIDTHS: [&str; 5] = ["", "xmm", "ymm", "", "zmm"];

/// One search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The problem.
    pub problem: String,
    /// The register width.
    pub width: String,
    /// Variants of the part.
    pub variants: u64,
    /// Number of variants tried; time ran out for the others.
    pub tried: u64,
    /// Number of different kernels measured.
    pub kernels: u64,
    /// The lowest screened cost, in cycles per byte.
    pub fastest: f64,
    /// Screened cost of the slowest of the `FASTEST`.
    pub last: f64,
    /// Median screened cost of all kernels.
    pub median: f64,
    /// Relative difference below which costs may be equal.
    pub noise: f64,
    /// Properties of the fastest kernels.
    pub properties: Vec<Property>,
    /// True if the search finished; statements are only tested on finished ones. Entries of a journal are
    /// finished.
    #[serde(default = "ended")]
    pub whole: bool,
}

fn ended() -> bool {
    true
}

/// A choice, and the frequency of each of its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Value, number of the fastest kernels with it, number of all kernels with it.
    pub values: Vec<(String, u64, u64)>,
}

/// A property to examine: name, and its value for a kernel.
pub type Look = (&'static str, fn(&Variant, u32) -> String);

/// A kernel's choices as the paper names them; `keys` is the number of round keys in registers, including
/// spilled ones. The paper counts variables that it declares in C, some of which the compiler spills.
pub const LOOKS: [Look; 5] = [
    (KEYS, |_, keys| keys.to_string()),
    (INTERLEAVED, |v, _| interleaved(v).to_string()),
    (INTERVAL, |v, _| v.get("ii").to_string()),
    (DISTANCE, |v, _| v.get("distance").to_string()),
    (PREFETCH, |v, _| match v.get("prefetch") {
        1 => (v.get("ahead") + 1).to_string(),
        2 => "register".into(),
        _ => "none".into(),
    }),
];
/// Names of the properties.
pub const KEYS: &str = "round keys in registers or spilled";
/// Blocks in flight.
pub(crate) const INTERLEAVED: &str = "blocks interleaved";
/// Software pipelining.
pub(crate) const INTERVAL: &str = "initiation interval";
/// Steps between interleaved blocks.
pub const DISTANCE: &str = "interleave distance";
/// Iterations by which text is prefetched into the cache.
pub(crate) const PREFETCH: &str = "iterations prefetched ahead";

/// Number of blocks in flight: of one message, or one of each stream in a group.
fn interleaved(variant: &Variant) -> u16 {
    match variant.problem.task {
        Task::CbcEncrypt { streams } if variant.on("together") => u16::from(streams),
        Task::CbcEncrypt { .. } => 1,
        _ => variant.get("interleave").max(1),
    }
}

/// A space with fewer values for some dimensions; the others have their default.
fn part(problem: Problem, lanes: usize, some: impl Fn(&str) -> Option<Vec<u16>>) -> Space {
    let mut space = table().space_by(problem, Technique::default(), lanes);
    for axis in &mut space.axes {
        axis.values = match axis.dimension.name {
            "width" => vec![lanes.ilog2() as u16],
            name => some(name).unwrap_or_else(|| vec![axis.dimension.default]),
        };
    }
    space
}

/// The part of a problem's space that is searched here.
pub fn space(problem: Problem, lanes: usize) -> Space {
    let streams = problem.streams();
    let keys = aesmith_tune::figures::Figure::keys(problem.key);
    // On xmm, spills are included, as the paper's compiler spilled, too.
    let overflow = if lanes == 1 { vec![0, SPILLED] } else { vec![0] };
    let ctr = |name: &str| {
        Some(match name {
            "keys" => keys.clone(),
            "overflow" => overflow.clone(),
            "interleave" => (1..=12).collect(),
            "ii" => vec![0, 2, 3, 4, 5, 6, 8],
            "distance" => vec![0, 1, 2, 4],
            "prefetch" => vec![0, 1, 2],
            "source" => vec![1],
            "ahead" => vec![0, 1, 2, 3],
            "fold" => vec![0, 1],
            _ => return None,
        })
    };
    let cbc = |name: &str| {
        Some(match name {
            "keys" => keys.clone(),
            "overflow" => overflow.clone(),
            "unroll" => vec![1, 2, 3, 4],
            "together" if streams > 1 => vec![0, 1],
            "distance" if streams > 1 => vec![0, 1, 2, 4],
            "prefetch" => vec![0, 1, 2],
            "source" => vec![1],
            "ahead" => vec![0, 1, 2, 3],
            "xor" => vec![0, 1, 2],
            // One stream has fewer choices, so these vary, too.
            "loop" if streams == 1 => vec![0, 1],
            "align" if streams == 1 => vec![0, 1, 2, 3],
            _ => return None,
        })
    };
    match problem.task {
        Task::CbcEncrypt { .. } => part(problem, lanes, cbc),
        _ => part(problem, lanes, ctr),
    }
}

/// The paper's options for CBC of one to four streams, with keys counted as a number.
pub(crate) fn papers_cbc() -> Vec<Space> {
    (1..=4)
        .map(|streams| {
            let problem = Problem::new(KeySize::Aes256, Task::CbcEncrypt { streams });
            let whole = table().space_by(problem, Technique::default(), 1);
            part(problem, 1, |name| {
                let values = |axis: &Axis| axis.values.clone();
                match name {
                    "keys" => Some(aesmith_tune::figures::Figure::keys(KeySize::Aes256)),
                    "unroll" | "distance" | "prefetch" | "source" | "ahead" | "restrict" | "streaming"
                    | "xor" => whole.axes.iter().find(|axis| axis.dimension.name == name).map(values),
                    "together" if streams > 1 => Some(vec![0, 1]),
                    _ => None,
                }
            })
        })
        .collect()
}

/// The searches for this CPU: on xmm as in the paper, and on the widest registers that the streams fill.
fn all(most: usize) -> Vec<(Problem, usize)> {
    let tasks = std::iter::once(Task::Ctr).chain((1..=4).map(|streams| Task::CbcEncrypt { streams }));
    let problems =
        tasks.flat_map(|task| [KeySize::Aes128, KeySize::Aes256].map(|key| Problem::new(key, task)));
    problems
        .flat_map(|problem| {
            let fills = |lanes: &usize| problem.task == Task::Ctr || problem.streams().is_multiple_of(*lanes);
            let widest = [4, 2].into_iter().filter(|lanes| *lanes <= most).find(fills);
            std::iter::once(1).chain(widest).map(move |lanes| (problem, lanes))
        })
        .collect()
}

/// Runs all searches that are not done yet.
///
/// # Errors
/// The store or the judge failed.
pub fn run(work: &mut Work) -> Result<Vec<Selection>, TuneError> {
    let mut found = Vec::new();
    for (problem, lanes) in all(work.place.target.lanes()) {
        let unit = format!("selective {problem} {}", WIDTHS[lanes]);
        let done: Option<Selection> = work.journal.get(&unit);
        match done {
            Some(done) => found.push(done),
            None if work.over() => {
                work.leave(&format!("selective exhaustive search of {problem} on {}", WIDTHS[lanes]))
            }
            None => {
                (work.observer)(Event::Stage(&format!(
                    "selective exhaustive search of {problem} on {}",
                    WIDTHS[lanes]
                )));
                let (selection, whole) = search(work, problem, lanes)?;
                match selection {
                    Some(selection) if whole => {
                        work.journal.put(&unit, &selection)?;
                        found.push(selection);
                    }
                    partly => {
                        work.leave(&format!("the rest of {unit}"));
                        found.extend(partly);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// One search, and true if it finished. `None` if too little was measured for a result.
fn search(work: &mut Work, problem: Problem, lanes: usize) -> Result<(Option<Selection>, bool), TuneError> {
    let space = space(problem, lanes);
    let (tried, whole) = work.exhaust(&space, "exhaustive:shuffled=1", LABEL)?;
    let kernels = kernels(work, &space)?;
    if kernels.len() <= 2 * FASTEST {
        return Ok((None, whole));
    }
    let code = work.proved(&kernels[0].1)?;
    let (_, noise) = work.medians(problem, &[&code, &code], 24)?;
    let keys = |(_, variant): &(f64, Variant)| match variant.get("overflow") {
        SPILLED => variant.get("keys").count_ones(),
        _ => work.place.target.build(variant).map_or(0, |kernel| kernel.keys_in_registers.count_ones()),
    };
    let keys: Vec<u32> = kernels.iter().map(keys).collect();
    let properties = LOOKS.iter().filter_map(|(name, look)| {
        let mut values: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (place, ((_, variant), keys)) in kernels.iter().zip(&keys).enumerate() {
            let (top, all) = values.entry(look(variant, *keys)).or_default();
            *top += u64::from(place < FASTEST);
            *all += 1;
        }
        let mut values: Vec<(String, u64, u64)> = values.into_iter().map(|(v, (t, a))| (v, t, a)).collect();
        values.sort_by_key(|(value, ..)| value.parse::<u64>().unwrap_or(u64::MAX));
        // A property that all kernels share is not a finding.
        (values.len() > 1).then(|| Property { name: (*name).into(), values })
    });
    let selection = Selection {
        problem: problem.to_string(),
        width: WIDTHS[lanes].into(),
        variants: u64::try_from(space.count()).unwrap_or(u64::MAX),
        tried,
        kernels: kernels.len() as u64,
        fastest: kernels[0].0,
        last: kernels[FASTEST - 1].0,
        median: kernels[kernels.len() / 2].0,
        noise,
        properties: properties.collect(),
        whole,
    };
    Ok((Some(selection), whole))
}

/// Each measured kernel of a space, represented by its plainest variant, sorted by cost.
pub fn kernels(work: &Work, space: &Space) -> Result<Vec<(f64, Variant)>, TuneError> {
    let known = work.place.store.known(&Filter::exactly(&work.place.key, space.plain.problem, SIZE))?;
    let mut kernels: BTreeMap<String, (f64, Variant)> = BTreeMap::new();
    for sampled in known {
        let (Some(cost), Some(hash), Ok(variant)) =
            (sampled.cost, sampled.sha256, work.place.table().parse(&sampled.variant))
        else {
            continue;
        };
        if !variant.order.is_empty() || !space.allows(&variant) {
            continue;
        }
        match kernels.get_mut(&hash) {
            Some((lowest, plainest)) => {
                *lowest = lowest.min(cost);
                if variant.to_string() < plainest.to_string() {
                    *plainest = variant;
                }
            }
            None => {
                kernels.insert(hash, (cost, variant));
            }
        }
    }
    let mut kernels: Vec<(f64, Variant)> = kernels.into_values().collect();
    kernels.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(kernels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tens_of_thousands_of_variants_are_searched_of_each_mode() {
        for key in [KeySize::Aes128, KeySize::Aes256] {
            let of = |problem: Problem, lanes| space(problem, lanes).count();
            let counted = all(4).into_iter().filter(|(problem, _)| problem.key == key);
            let (mut ctr, mut cbc) = (Vec::new(), 0);
            for (problem, lanes) in counted {
                match problem.task {
                    Task::Ctr => ctr.push(of(problem, lanes)),
                    _ => cbc += of(problem, lanes),
                }
            }
            assert_eq!(ctr.len(), 2);
            assert!(ctr.iter().all(|count| *count >= 40_000), "{ctr:?}");
            assert!(cbc >= 40_000, "{cbc}");
        }
    }

    #[test]
    fn streams_fill_the_widest_registers() {
        let widths = |streams| {
            let all = all(4).into_iter();
            let of = all.filter(|(p, _)| p.key == KeySize::Aes128 && p.task == Task::CbcEncrypt { streams });
            of.map(|(_, lanes)| lanes).collect::<Vec<_>>()
        };
        assert_eq!((widths(1), widths(2), widths(3), widths(4)), (vec![1], vec![1, 2], vec![1], vec![1, 4]));
        assert!(all(1).iter().all(|(_, lanes)| *lanes == 1));
    }
}
