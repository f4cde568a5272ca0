//! `aesmith wisdom`: list, show, export, import, forget.

use crate::arguments::{Chosen, Wisdom};
use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::quantity::{show_moment, show_size};
use crate::sources::wisdom_path;
use aesmith_wisdom::{Best, Described, Filter, RunRow, Store, leaders};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::Path;

/// Runs one of the subcommands.
pub fn run(command: &Wisdom, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let path = wisdom_path(named)?;
    match command {
        Wisdom::List(chosen) => list(&Store::open_to_read(&path)?, &filter(chosen), output),
        Wisdom::Show { problem, size } => {
            let chosen = Filter { problem: Some(*problem), size: size.map(|s| s as u64), processor: None };
            show(&Store::open_to_read(&path)?, &chosen, output)
        }
        Wisdom::Export { chosen, output: file, force } => {
            export(&Store::open_to_read(&path)?, &filter(chosen), (file.as_deref(), *force), output)
        }
        Wisdom::Import { file } => import(&path, file, output),
        Wisdom::Forget { chosen, all, yes } => {
            if chosen.problem.is_none() && chosen.size.is_none() && !all {
                return Err(Failure::Usage(
                    "say what to forget: a problem, a --size, or --all for everything".into(),
                ));
            }
            forget(&path, &filter(chosen), *yes, output)
        }
    }
}

fn filter(chosen: &Chosen) -> Filter {
    Filter { processor: None, problem: chosen.problem, size: chosen.size.map(|s| s as u64) }
}

fn list(store: &Store, filter: &Filter, output: &mut Output) -> Result<(), Failure> {
    let (bests, runs) = (leaders(store.bests(filter)?), store.runs(filter)?);
    let described = store.described(filter)?;
    if output.json {
        for best in &bests {
            output.object(&tagged("best", best)?)?;
        }
        runs.iter().try_for_each(|run| output.object(&run_object(run)?))?;
        return described.iter().try_for_each(|row| output.object(&tagged("described", row)?));
    }
    let processors = store.processors()?;
    let number = |key: &str| {
        let place = processors.iter().position(|p| p.key() == key);
        place.map_or_else(|| "?".to_owned(), |p| format!("#{}", p + 1))
    };
    output.line("Best confirmed, in cycles/byte (calibrated core cycles)")?;
    let mut table = Table::new(&[
        "problem",
        ">size",
        ">best",
        ">baseline",
        ">bound",
        "proved",
        "confirmed (UTC)",
        "CPU",
        "restricted to",
    ]);
    for best in &bests {
        table.row([
            best.problem.clone(),
            show_size(best.size),
            format!("{:.4}", best.median),
            format!("{:.4}", best.baseline),
            best.bound.map_or_else(|| "-".into(), |b| format!("{b:.4}")),
            text_of(&best.certificate, "level"),
            show_moment(best.confirmed_ms),
            number(&best.processor),
            best.restriction.clone(),
        ]);
    }
    output.table(&table)?;
    output.line("")?;
    output.line("Runs")?;
    let mut table =
        Table::new(&["problem", ">size", "strategy", ">seed", ">samples", "state", "started (UTC)", "CPU"]);
    for row in &runs {
        let run = &row.run;
        table.row([
            run.problem.clone(),
            show_size(run.size),
            run.strategy.clone(),
            run.seed.to_string(),
            row.samples.to_string(),
            run.state.clone(),
            show_moment(run.started_ms),
            number(&run.processor),
        ]);
    }
    output.table(&table)?;
    output.line("")?;
    list_described(&described, output)?;
    for processor in &processors {
        output.line(format!("CPU {}: {}, {}", number(&processor.key()), processor.name, processor.key()))?;
    }
    output.line(format!("Wisdom file: {}", store.path().display()))
}

/// Of described processors, how much is known of each problem, and the fewest cycles confirmed.
fn list_described(all: &[Described], output: &mut Output) -> Result<(), Failure> {
    if all.is_empty() {
        return Ok(());
    }
    output.line("Described processors, in cycles of a block or key")?;
    let mut table =
        Table::new(&["processor", "problem", ">variants", ">confirmed", ">fewest cycles", "judge"]);
    for rows in all.chunk_by(|a, b| (&a.processor, &a.problem) == (&b.processor, &b.problem)) {
        let confirmed: Vec<&Described> = rows.iter().filter(|d| d.certificate.is_some()).collect();
        let cycles = |d: &Described| d.judged.or(d.cycles).unwrap_or(f64::INFINITY);
        let best = confirmed.iter().min_by(|a, b| cycles(a).total_cmp(&cycles(b)));
        table.row([
            rows[0].processor.clone(),
            rows[0].problem.clone(),
            rows.len().to_string(),
            confirmed.len().to_string(),
            best.map_or_else(|| "-".into(), |d| format!("{:.1}", cycles(d))),
            best.and_then(|d| d.judge.clone()).unwrap_or_else(|| "-".into()),
        ]);
    }
    output.table(&table)?;
    output.line("")
}

fn show(store: &Store, filter: &Filter, output: &mut Output) -> Result<(), Failure> {
    let bests = leaders(store.bests(filter)?);
    if bests.is_empty() {
        let problem = filter.problem.map_or_else(String::new, |p| p.to_string());
        let size = filter.size.map_or_else(String::new, |s| format!(" at {}", show_size(s)));
        let finds = match filter.problem {
            Some(problem) if !problem.is_tuned() => {
                ", which is not tuned: there is nothing to choose".to_owned()
            }
            _ => format!("; `aesmith tune {problem}` finds a best"),
        };
        return Err(Failure::NothingKnown(format!("nothing is confirmed of {problem}{size} yet{finds}")));
    }
    for best in &bests {
        if output.json {
            output.object(&tagged("best", best)?)?;
        } else {
            show_one(best, output)?;
        }
    }
    Ok(())
}

/// The variant stands on a line of its own and the rest behind `#`: what is printed is a variant file.
fn show_one(best: &Best, output: &mut Output) -> Result<(), Failure> {
    output.line(&best.variant)?;
    let bound = best.bound.map_or_else(String::new, |b| format!(", bound {b:.4}"));
    let facts = [
        format!(
            "{} at {}, confirmed {} UTC",
            best.problem,
            show_size(best.size),
            show_moment(best.confirmed_ms)
        ),
        format!(
            "{:.4} cycles/byte (quartiles {:.4} to {:.4}), baseline {:.4}{bound}",
            best.median, best.low, best.high, best.baseline
        ),
        format!(
            "proved {}, constant time {}, SHA-256 {}",
            text_of(&best.certificate, "level"),
            text_of(&best.certificate, "constant_time"),
            best.sha256
        ),
        match best.restriction.as_str() {
            "" => format!("processor {}, run {}", best.processor, best.run),
            restriction => {
                format!("processor {}, run {}, restricted to {restriction}", best.processor, best.run)
            }
        },
    ];
    facts.iter().try_for_each(|fact| output.line(format!("# {fact}")))
}

fn export(
    store: &Store,
    filter: &Filter,
    (file, force): (Option<&Path>, bool),
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(file) = file else {
        store.export(filter, output.stream())?;
        return Ok(());
    };
    let samples = overwrite::stream(file, None, force, |to| Ok(store.export(filter, to)?))?;
    if output.json {
        return output.object(&json!({ "file": file.display().to_string(), "samples": samples }));
    }
    output.line(format!("{samples} samples exported to {}", file.display()))
}

fn import(path: &Path, file: &Path, output: &mut Output) -> Result<(), Failure> {
    let from: Box<dyn BufRead> = if file.as_os_str() == "-" {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        Box::new(BufReader::new(crate::regular::open(file)?))
    };
    let done = Store::open(path)?.import(from)?;
    if output.json {
        return output.object(&json!({
            "processors": done.processors,
            "runs": done.runs,
            "samples": done.samples,
            "bests": done.bests,
            "described": done.described,
            "known_samples": done.known_samples,
        }));
    }
    output.line(format!(
        "imported {} samples and {} bests in {} runs of {} new processors; {} samples were here already",
        done.samples, done.bests, done.runs, done.processors, done.known_samples
    ))
}

fn forget(path: &Path, filter: &Filter, yes: bool, output: &mut Output) -> Result<(), Failure> {
    // An absent store must not come into being by forgetting.
    let runs = Store::open_to_read(path)?.runs(filter)?;
    if !yes {
        let samples: u64 = runs.iter().map(|r| r.samples).sum();
        let question = format!("forget {} runs with {samples} samples", runs.len());
        if !std::io::stdin().is_terminal() {
            return Err(Failure::Usage(format!("to {question}, add --yes")));
        }
        let mut to = std::io::stderr();
        write!(to, "{question}? [y/N] ").and_then(|()| to.flush())?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        if !matches!(answer.trim(), "y" | "Y" | "yes") {
            return Err(Failure::Other("nothing was forgotten".into()));
        }
    }
    let forgotten = Store::open(path)?.forget(filter)?;
    if output.json {
        return output.object(&json!({ "runs": forgotten }));
    }
    output.line(format!("{forgotten} runs forgotten"))
}

/// An object of the store, with its kind said.
fn tagged(kind: &str, stored: &impl serde::Serialize) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(stored).map_err(|e| Failure::Other(e.to_string()))?;
    if let Some(object) = value.as_object_mut() {
        object.insert("kind".into(), kind.into());
    }
    Ok(value)
}

fn run_object(row: &RunRow) -> Result<Value, Failure> {
    let mut value = tagged("run", &row.run)?;
    if let Some(object) = value.as_object_mut() {
        object.insert("samples".into(), row.samples.into());
        object.insert("best_screened".into(), row.best.into());
    }
    Ok(value)
}

fn text_of(certificate: &Value, field: &str) -> String {
    certificate.get(field).and_then(Value::as_str).unwrap_or("-").to_owned()
}
