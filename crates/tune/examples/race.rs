//! Writes the race of a tuning run as data, so that a test replays it without the machine: what each contender
//! answered, in the order in which it was asked.
//!
//! `aesmith tune PROBLEM --json --wisdom FILE` names the run; `cargo run -p aesmith-tune --example race -- FILE RUN ...`
//! writes an array of them. Of one stream: a round is some samples, of which the least is its cost.

use aesmith_cipher::Calls;
use aesmith_native::native::bytes_per_call;
use aesmith_tune::Request;
use aesmith_tune::key_life;
use aesmith_wisdom::{Filter, Sample, Store};
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;

/// Samples of a round in steady state, and of cold calls.
const SAMPLES: [usize; 2] = [5, 3];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("name a wisdom file and runs")?;
    let races: Vec<Value> = words.map(|key| race(Path::new(&path), &key)).collect::<Result<_, _>>()?;
    let lines: Vec<String> = races.iter().map(Value::to_string).collect();
    println!("[\n{}\n]", lines.join(",\n"));
    Ok(())
}

/// One run's race.
fn race(path: &Path, key: &str) -> Result<Value, Box<dyn Error>> {
    let store = Store::open_to_read(path)?;
    let runs = store.all_runs(&Filter::default())?;
    let row = runs.iter().find(|row| row.run.key == key).ok_or_else(|| format!("there is no run {key}"))?;
    let mut samples: Vec<Sample> = Vec::new();
    store.each_sample(row.id, |_, sample| {
        samples.extend((sample.trial == 0).then_some(sample));
        Ok(())
    })?;
    let bests = store.all_best_history(&Filter::default())?;
    let mut bests = bests.iter().filter(|best| best.run == key);
    let (Some(best), None) = (bests.next(), bests.next()) else {
        return Err(format!(
            "the run {key} confirmed nothing, was held against an earlier one, or chose smaller code"
        )
        .into());
    };
    let bytes = bytes_per_call(row.run.problem.parse()?, row.run.size as usize).max(1) as f64;
    let a_round = SAMPLES[usize::from(row.run.calls.parse::<Calls>()?.is_cold())];
    let mut variants: Vec<&str> = Vec::new();
    let mut answers = Vec::new();
    for sample in &samples {
        let place = variants.iter().position(|v| *v == sample.variant).unwrap_or_else(|| {
            variants.push(&sample.variant);
            variants.len() - 1
        });
        let costs: Vec<f64> = match sample.phase.as_str() {
            "screen" => sample.cost.into_iter().collect(),
            _ => sample.cycles.chunks(a_round).map(|round| least(round) / bytes).collect(),
        };
        answers.push(json!([sample.phase, place, costs]));
    }
    let (problem, calls) = (row.run.problem.parse()?, row.run.calls.parse()?);
    let store = store.about(calls);
    let set_up = key_life::known(&store, &row.run.processor, problem, &Request::default())?;
    Ok(json!({
        "problem": row.run.problem,
        "size": row.run.size,
        "calls": row.run.calls,
        // What the race adds to the cost of a kernel that reads the table of a key.
        "table_cycles": set_up.map_or(0.0, |set_up| set_up.table_cycles),
        "variants": variants,
        "answers": answers,
        "winner": best.variant,
        "median": best.median,
    }))
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
