//! The paper's Figure 3 as a table: the baselines, the best, and the speed-ups of each mode. Baselines are
//! our kernel without any optimization, and naive C through compilers.

use super::Work;
use super::selective::{kernels, space};
use aesmith_arrange::{Space, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_dataflow::Technique;
use aesmith_tune::TuneError;
use aesmith_tune::options::Event;
use aesmith_tune::via::{Compiler, compiled};
use serde::{Deserialize, Serialize};

/// Number of the search's fastest kernels to measure beside the baselines.
const CONTENDERS: usize = 6;
const ROUNDS: usize = 48;

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Modes {
    /// Its rows.
    pub rows: Vec<Row>,
    /// The mean speed-up over each baseline.
    pub means: Vec<Mean>,
    /// The compilers' versions.
    pub compilers: Vec<String>,
}

/// A mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// `CTR`, `CTR-SP` (software-pipelined), `CBC-1` to `CBC-4`.
    pub mode: String,
    /// Bits of the key.
    pub key_bits: u32,
    /// Register width.
    pub width: String,
    /// Our kernel without any optimization, in cycles per byte.
    pub naive: Option<f64>,
    /// Naive C through gcc -O3.
    pub gcc: Option<f64>,
    /// Naive C through clang -O3.
    pub clang: Option<f64>,
    /// The best kernel found, measured beside them.
    pub best: f64,
    /// Its variant.
    pub variant: String,
    /// A-against-A noise floor of the measurement: one kernel is measured twice.
    pub noise: f64,
}

/// A mean over modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The baseline.
    pub baseline: String,
    /// The arithmetic mean of the speed-ups, as the paper has it.
    pub mean: f64,
    /// The least speed-up.
    pub least: f64,
    /// The greatest speed-up.
    pub most: f64,
    /// Number of modes.
    pub modes: usize,
}

/// Mode, its problem, and true if it is software-pipelined.
fn all() -> Vec<(String, Problem, Option<bool>)> {
    let mut all = Vec::new();
    for key in [KeySize::Aes128, KeySize::Aes256] {
        all.push(("CTR".to_owned(), Problem::new(key, Task::Ctr), Some(false)));
        all.push(("CTR-SP".to_owned(), Problem::new(key, Task::Ctr), Some(true)));
        for streams in 1..=4 {
            all.push((format!("CBC-{streams}"), Problem::new(key, Task::CbcEncrypt { streams }), None));
        }
    }
    all
}

/// Computes all rows that are not done yet.
///
/// # Errors
/// The store or the judge failed.
pub fn run(work: &mut Work) -> Result<Modes, TuneError> {
    let mut modes = Modes::default();
    for compiler in Compiler::ALL {
        match compiler.find() {
            Ok((_, version)) => modes.compilers.push(version),
            Err(why) => work.notes.push(why.to_string()),
        }
    }
    for (mode, problem, pipelined) in all() {
        let unit = format!("mode {mode} {}", problem.key.bits());
        if let Some(row) = work.journal.get(&unit) {
            modes.rows.push(row);
            continue;
        }
        if work.over() {
            work.leave(&format!("{mode} with keys of {} bits in the table of Figure 3", problem.key.bits()));
            continue;
        }
        (work.observer)(Event::Stage(&format!("Figure 3: {mode} with keys of {} bits", problem.key.bits())));
        if let Some(row) = row(work, &mode, problem, pipelined)? {
            work.journal.put(&unit, &row)?;
            modes.rows.push(row);
        } else {
            work.left.push(format!("{unit}: nothing of it was measured in the searches above"));
        }
    }
    modes.means = means(&modes.rows);
    Ok(modes)
}

fn row(
    work: &mut Work,
    mode: &str,
    problem: Problem,
    pipelined: Option<bool>,
) -> Result<Option<Row>, TuneError> {
    let mut part: Space = space(problem, 1);
    for axis in part.axes.iter_mut().filter(|axis| axis.dimension.name == "ii") {
        axis.values.retain(|value| pipelined.is_none_or(|pipelined| pipelined == (*value > 0)));
    }
    let contenders: Vec<Variant> =
        kernels(work, &part)?.into_iter().take(CONTENDERS).map(|(_, variant)| variant).collect();
    if contenders.is_empty() {
        return Ok(None);
    }
    let naive = aesmith_tune::starts::baseline(problem, Technique::default(), &work.place.target);
    let mut codes = Vec::new();
    for variant in contenders.iter().chain([&naive]) {
        codes.push(work.proved(variant)?);
    }
    let compiled = Compiler::ALL.map(|compiler| compiled(&naive, compiler).ok());
    codes.extend(compiled.iter().flatten().cloned());
    let codes: Vec<&[u8]> = codes.iter().map(Vec::as_slice).collect();
    let (costs, noise) = work.medians(problem, &codes, ROUNDS)?;
    let (ours, others) = costs.split_at(contenders.len());
    let best = ours.iter().zip(&contenders).filter_map(|(cost, variant)| Some(((*cost)?, variant)));
    let Some((best, variant)) = best.min_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(None) };
    let mut rest = others[1..].iter().copied();
    let mut of = |there: bool| if there { rest.next().flatten() } else { None };
    let (gcc, clang) = (of(compiled[0].is_some()), of(compiled[1].is_some()));
    Ok(Some(Row {
        mode: mode.into(),
        key_bits: problem.key.bits() as u32,
        width: "xmm".into(),
        naive: others[0],
        gcc,
        clang,
        best,
        variant: variant.to_string(),
        noise,
    }))
}

/// A column of the table.
type Column = (&'static str, fn(&Row) -> Option<f64>);

fn means(rows: &[Row]) -> Vec<Mean> {
    let columns: [Column; 3] = [
        ("our kernel without optimization", |row| row.naive),
        ("naive C through gcc -O3", |row| row.gcc),
        ("naive C through clang -O3", |row| row.clang),
    ];
    columns
        .into_iter()
        .filter_map(|(baseline, cost)| {
            let ratios: Vec<f64> = rows.iter().filter_map(|row| Some(cost(row)? / row.best)).collect();
            let least = ratios.iter().copied().min_by(f64::total_cmp)?;
            let most = ratios.iter().copied().max_by(f64::total_cmp)?;
            let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
            Some(Mean { baseline: baseline.into(), mean, least, most, modes: ratios.len() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_the_rows_that_have_the_baseline() {
        let row = |naive, gcc, best| Row {
            mode: "CTR".into(),
            key_bits: 128,
            width: "xmm".into(),
            naive,
            gcc,
            clang: None,
            best,
            variant: String::new(),
            noise: 0.0,
        };
        let means = means(&[row(Some(3.0), Some(2.0), 1.0), row(Some(1.0), None, 1.0)]);
        assert_eq!(means.len(), 2, "no row has clang's");
        assert_eq!((means[0].mean, means[0].least, means[0].most, means[0].modes), (2.0, 1.0, 3.0, 2));
        assert_eq!((means[1].mean, means[1].modes), (2.0, 1));
    }

    #[test]
    fn every_mode_of_the_paper_is_there() {
        assert_eq!(all().len(), 12);
    }
}
