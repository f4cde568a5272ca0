//! `aesmith wisdom`: list, show, export, import, forget.

use crate::arguments::wisdom::{Form, Kind};
use crate::arguments::{Chosen, Wisdom};
use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::quantity::{show_moment, show_size};
use crate::sources::wisdom_path;
use aesmith_cipher::Calls;
use aesmith_processors::this_machine;
use aesmith_wisdom::record::UNITS;
use aesmith_wisdom::samples::Format;
use aesmith_wisdom::{Best, Costed, Filter, RunRow, Store, leaders};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::Path;

/// Runs one of the subcommands.
pub fn run(command: &Wisdom, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let path = wisdom_path(named)?;
    match command {
        Wisdom::List { chosen, last } => {
            let most = last.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
            list(&Store::open_to_read(&path)?, &filter(chosen), most, output)
        }
        Wisdom::Show { problem, size } => {
            let chosen = Filter { problem: Some(*problem), size: size.map(|s| s as u64), processor: None };
            show(&Store::open_to_read(&path)?, &chosen, output)
        }
        Wisdom::Export { chosen, kind, form, output: file, force } => {
            let table = match (kind, form) {
                (Kind::All, Form::Json) => None,
                (Kind::All, Form::Csv) => {
                    return Err(Failure::Usage(
                        "--as csv is one flat table, which --kind samples has; all of wisdom is lines of JSON".into(),
                    ));
                }
                (Kind::Samples, Form::Json) => Some(Format::Json),
                (Kind::Samples, Form::Csv) => Some(Format::Csv),
            };
            export(&Store::open_to_read(&path)?, (&filter(chosen), table), (file.as_deref(), *force), output)
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

/// The best confirmed results of the runs for each kind of calls, with its name; steady calls come first.
fn leaders_of(store: &Store, filter: &Filter, runs: &[RunRow]) -> Result<Vec<(Calls, Best)>, Failure> {
    let names: HashMap<&str, &str> = runs.iter().map(|r| (&*r.run.key, &*r.run.calls)).collect();
    let mut all = store.all_bests(filter)?;
    for best in &mut all {
        best.variant = aesmith_processors::today(&best.processor, &best.variant);
    }
    let mut found = Vec::new();
    for calls in Calls::ALL {
        let mine = all.iter().filter(|b| names.get(&*b.run) == Some(&calls.name())).cloned().collect();
        found.extend(leaders(mine).into_iter().map(|best| (calls, best)));
    }
    Ok(found)
}

fn list(store: &Store, filter: &Filter, most: usize, output: &mut Output) -> Result<(), Failure> {
    // The newest first, so that a user sees the latest result at once.
    let mut runs = store.all_runs(filter)?;
    runs.sort_by_key(|row| std::cmp::Reverse(row.run.started_ms));
    let mut bests = leaders_of(store, filter, &runs)?;
    bests.sort_by_key(|(_, best)| std::cmp::Reverse(best.confirmed_ms));
    let units: HashMap<String, String> =
        runs.iter().map(|r| (r.run.key.clone(), r.run.unit.clone())).collect();
    runs.truncate(most);
    bests.truncate(most);
    let costed = store.costed(filter, None, &aesmith_processors::today)?;
    if output.json {
        bests.iter().try_for_each(|best| output.object(&best_object(best)?))?;
        runs.iter().try_for_each(|run| output.object(&run_object(run)?))?;
        return costed.iter().try_for_each(|variant| output.object(&variant_object(variant)));
    }
    let processors = store.processors()?;
    let number = |key: &str| {
        let place = processors.iter().position(|p| p.key == key);
        place.map_or_else(|| "?".to_owned(), |p| format!("#{}", p + 1))
    };
    for unit in UNITS {
        let of_unit: Vec<_> =
            bests.iter().filter(|(_, b)| units.get(&b.run).map(String::as_str) == Some(*unit)).collect();
        // If there are no results at all, the first table says so.
        if !of_unit.is_empty() || (bests.is_empty() && unit == &UNITS[0]) {
            list_bests(unit, &of_unit, &number, output)?;
        }
    }
    output.line("Runs")?;
    let columns =
        ["problem", ">size", "calls", "strategy", ">seed", ">samples", "state", "started (UTC)", "CPU"];
    let mut table = Table::with(&columns);
    for row in &runs {
        let run = &row.run;
        table.row([
            run.problem.clone(),
            size(run.size),
            run.calls.clone(),
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
    list_costed(&costed, output)?;
    for processor in &processors {
        output.line(format!("CPU {}: {}, {}", number(&processor.key), processor.name, processor.key))?;
    }
    output.line(format!("Wisdom file: {}", store.path().display()))
}

/// A message length, if the cost depends on it.
fn size(bytes: u64) -> String {
    if bytes == 0 { "-".into() } else { show_size(bytes) }
}

/// A cost; costs per byte are small and need more decimals.
fn figure(unit: &str, cost: f64) -> String {
    if unit == UNITS[0] { format!("{cost:.4}") } else { format!("{cost:.1}") }
}

/// Prints the best confirmed results with costs in one unit.
fn list_bests(
    unit: &str,
    bests: &[&(Calls, Best)],
    number: &impl Fn(&str) -> String,
    output: &mut Output,
) -> Result<(), Failure> {
    output.line(format!("Best confirmed, in {unit}"))?;
    let mut table =
        Table::new("problem|>size|calls|>best|>baseline|>bound|proved|confirmed (UTC)|CPU|restricted to");
    let or_none = |cost: Option<f64>| cost.map_or_else(|| "-".into(), |c| figure(unit, c));
    for (calls, best) in bests {
        table.row([
            best.problem.clone(),
            size(best.size),
            calls.to_string(),
            figure(unit, best.median),
            or_none(best.baseline),
            or_none(best.bound),
            text_of(&best.certificate, "level"),
            show_moment(best.confirmed_ms),
            number(&best.processor),
            best.restriction.clone(),
        ]);
    }
    output.table(&table)?;
    output.line("")
}

/// Prints the results of machine models and exact judges for each problem, and the fewest cycles confirmed.
fn list_costed(all: &[Costed], output: &mut Output) -> Result<(), Failure> {
    if all.is_empty() {
        return Ok(());
    }
    output.line("Variants costed by machine models, in cycles of a block or key")?;
    let mut table = Table::new("processor|problem|>variants|>confirmed|>fewest cycles|judge");
    for rows in all.chunk_by(|a, b| (&a.processor, &a.problem) == (&b.processor, &b.problem)) {
        let confirmed: Vec<&Costed> = rows.iter().filter(|c| c.certificate.is_some()).collect();
        let cycles = |c: &Costed| c.judged.or(c.cycles).unwrap_or(f64::INFINITY);
        let best = confirmed.iter().min_by(|a, b| cycles(a).total_cmp(&cycles(b)));
        table.row([
            rows[0].processor.clone(),
            rows[0].problem.clone(),
            rows.len().to_string(),
            confirmed.len().to_string(),
            best.map_or_else(|| "-".into(), |c| format!("{:.1}", cycles(c))),
            best.and_then(|c| c.judge.clone()).unwrap_or_else(|| "-".into()),
        ]);
    }
    output.table(&table)?;
    output.line("")
}

fn show(store: &Store, filter: &Filter, output: &mut Output) -> Result<(), Failure> {
    let runs = store.all_runs(filter)?;
    let bests = leaders_of(store, filter, &runs)?;
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
    let units: HashMap<String, String> = runs.into_iter().map(|r| (r.run.key, r.run.unit)).collect();
    for best in &bests {
        if output.json {
            output.object(&best_object(best)?)?;
        } else {
            show_one(best, units.get(&best.1.run).map_or("", String::as_str), output)?;
        }
    }
    Ok(())
}

fn best_object((calls, best): &(Calls, Best)) -> Result<Value, Failure> {
    let mut value = tagged("best", best)?;
    value["calls"] = calls.name().into();
    Ok(value)
}

/// The variant has its own line and the rest follows `#`: the output is a valid variant file.
fn show_one((calls, best): &(Calls, Best), unit: &str, output: &mut Output) -> Result<(), Failure> {
    output.line(&best.variant)?;
    let shown = |cost: f64| figure(unit, cost);
    let beside = [("baseline", best.baseline), ("bound", best.bound)];
    let beside =
        beside.map(|(name, cost)| cost.map_or_else(String::new, |c| format!(", {name} {}", shown(c))));
    let at = if best.size == 0 { String::new() } else { format!(" at {}", show_size(best.size)) };
    let spread = if best.low < best.high {
        format!(" (quartiles {} to {})", shown(best.low), shown(best.high))
    } else {
        String::new()
    };
    let facts = [
        match calls {
            Calls::Steady => {
                format!("{}{at}, confirmed {} UTC", best.problem, show_moment(best.confirmed_ms))
            }
            Calls::Cold => format!(
                "{}{at}, {}, confirmed {} UTC",
                best.problem,
                calls.meaning(),
                show_moment(best.confirmed_ms)
            ),
        },
        format!("{} {unit}{spread}{}", shown(best.median), beside.concat()),
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
    (filter, table): (&Filter, Option<Format>),
    (file, force): (Option<&Path>, bool),
    output: &mut Output,
) -> Result<(), Failure> {
    let write = |to: &mut dyn Write| match table {
        None => store.export(filter, to),
        Some(format) => store.export_samples(filter, format, to),
    };
    let Some(file) = file else {
        write(output.stream())?;
        return Ok(());
    };
    let samples = overwrite::stream(file, None, force, |to| Ok(write(to)?))?;
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
    let done = Store::open(path)?.import(from, this_machine().table)?;
    if output.json {
        return output.object(&json!({
            "processors": done.processors,
            "runs": done.runs,
            "samples": done.samples,
            "bests": done.bests,
            "described": done.earlier,
            "known_samples": done.known_samples,
        }));
    }
    output.line(format!(
        "imported {} samples and {} bests in {} runs of {} new processors; {} samples were here already",
        done.samples, done.bests, done.runs, done.processors, done.known_samples
    ))
}

fn forget(path: &Path, filter: &Filter, yes: bool, output: &mut Output) -> Result<(), Failure> {
    // Forgetting must not create a missing store.
    let runs = Store::open_to_read(path)?.all_runs(filter)?;
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

/// An object of the store, with its kind.
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

/// The stored data of a variant that a machine model has costed.
fn variant_object(known: &Costed) -> Value {
    let costs = known.costs;
    json!({
        "kind": "variant",
        "processor": known.processor,
        "problem": known.problem,
        "variant": known.variant,
        "tool_version": known.tool_version,
        "sha256": known.sha256,
        "verdict": known.verdict(),
        "message": known.message,
        "cycles": known.cycles,
        "once": costs.map(|c| c.once),
        "flash": costs.map_or(0, |c| c.flash),
        "ram": costs.map_or(0, |c| c.ram),
        "stack": costs.map_or(0, |c| c.stack),
        "same_path": costs.is_some_and(|c| c.same_path),
        "blocks": costs.map_or(1, |c| c.blocks),
        "certificate": known.certificate,
        "judge": known.judge,
        "judged": known.judged,
        "time_ms": known.time_ms,
    })
}

fn text_of(certificate: &Value, field: &str) -> String {
    certificate.get(field).and_then(Value::as_str).unwrap_or("-").to_owned()
}
