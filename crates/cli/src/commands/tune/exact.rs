//! `aesmith tune --processor`: searches, proves, confirms, and prints the winner or the front.

use crate::arguments::{self, Directions, Keys};
use crate::commands::emit::firmware::{Chosen, package};
use crate::failure::Failure;
use crate::handout;
use crate::interrupt;
use crate::output::{Output, Table, say, wrap};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::grouped;
use crate::sources::{budgets, restriction, timing, wisdom_path};
use aesmith_processor::core::Core;
use aesmith_tune::Effort;
use aesmith_tune::exact::RunRequest;
use aesmith_tune::exact::{Tuned, Winner, tune};
use aesmith_wisdom::Store;
use std::path::Path;
use std::time::Duration;

/// Longest time, and orders and allocations tried of each promising variant.
pub fn effort(effort: Effort) -> (Option<Duration>, u32) {
    match effort {
        Effort::Estimate => (Some(Duration::from_secs(5)), 0),
        Effort::Measure => (Some(Duration::from_secs(40)), 16),
        Effort::Patient => (Some(Duration::from_secs(300)), 300),
        Effort::Exhaustive => (None, 3000),
    }
}

/// Tunes for a processor whose judges are exact.
pub fn run(
    core: &'static Core,
    options: &arguments::Tune,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let directory =
        options.output.clone().unwrap_or_else(|| format!("aesmith-{}-{}", options.problem, core.name).into());
    // Before minutes of work, as far as names are known.
    overwrite::allowed(&directory.join("report.html"), options.force)?;
    let (time, orders) = effort(options.effort);
    let wanted = RunRequest {
        objective: options.sought.objective,
        budgets: budgets(&options.sought),
        timing: timing(&options.choice),
        time: options.time.or(time),
        trials: options.trials,
        orders,
        seed: options.seed,
        strategy: options.strategy.clone(),
        size: options.size,
        restriction: restriction(core, options.problem, &options.choice)?,
        afresh: options.afresh,
        interrupted: interrupt::flag(),
        ..RunRequest::new(options.problem)
    };
    // Before anything is opened or written.
    wanted.space(core)?;
    let mut store = Store::open(&wisdom_path(named)?)?;
    let mut reporter = Reporter::new("cycles");
    let tuned = tune(core, &mut store, &wanted, &mut |event| reporter.show(event));
    reporter.finish();
    let tuned = match (tuned, interrupt::signal()) {
        (Ok(tuned), _) => tuned,
        (Err(error), Some(signal)) => {
            say(format!("aesmith: interrupted before there was a result ({error}); what was costed is kept"));
            return Err(Failure::Interrupted(signal));
        }
        (Err(error), None) => return Err(error.into()),
    };
    let (files, refused) = hand_out(core, &store, &wanted, (&directory, options.force))?;
    if output.json {
        let mut object = serde_json::to_value(&tuned).map_err(|e| Failure::Other(e.to_string()))?;
        object["files"] = files.into();
        output.object(&object)?;
    } else {
        print(core, &tuned, output)?;
        output.line("")?;
        let what = if refused.is_none() { "package and report" } else { "report, without a package" };
        output.line(format!("{what}: {}", directory.display()))?;
    }
    if let Some(failure) = refused {
        return Err(failure);
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

/// Writes the package of the winner and the report, and returns their paths, and why there is no package
/// where one that is as asked for cannot be made: the winner stands, and its report is written.
fn hand_out(
    core: &'static Core,
    store: &Store,
    wanted: &RunRequest,
    (directory, force): (&Path, bool),
) -> Result<(Vec<String>, Option<Failure>), Failure> {
    let report = directory.join("report.html");
    crate::commands::report::front::write(
        core,
        store,
        Some(wanted.problem),
        (wanted.timing, &wanted.restriction),
        (&report, force),
    )?;
    let mut paths = vec![report.display().to_string()];
    let chosen = Chosen {
        problem: wanted.problem,
        keys: Keys::One,
        directions: Directions::One,
        schedule: None,
        variant: None,
        objective: wanted.objective,
        budgets: wanted.budgets,
        timing: wanted.timing,
        restriction: wanted.restriction.clone(),
        size: wanted.size,
    };
    let files = package(core, Some(store), &chosen)
        .and_then(|p| Ok(p.files(aesmith_emit::package::firmware::Form::Package)?));
    match files {
        Ok(files) => {
            paths.extend(handout::write(&files, directory, force)?);
        }
        Err(why) => return Ok((paths, Some(why))),
    }
    Ok((paths, None))
}

/// A figure of cycles: whole numbers stay whole.
pub fn cycles(value: f64) -> String {
    if value.fract().abs() < 0.005 { grouped(value.round() as u128) } else { format!("{value:.2}") }
}

/// A table of winners.
pub fn table(winners: &[Winner]) -> Table {
    let mut table = Table::new(&[
        "kernel",
        ">cycles",
        ">bound",
        ">model",
        ">flash",
        ">RAM",
        ">stack",
        "constant time",
        "judged by",
    ]);
    for (number, winner) in (1..).zip(winners) {
        let c = &winner.certificate;
        let judged = if c.judged_cycles.is_some() { &c.judge } else { "machine model" };
        table.row([
            number.to_string(),
            cycles(c.cycles()),
            winner.bound.map_or("-".into(), cycles),
            cycles(c.cost.cycles),
            grouped(c.cost.flash.into()),
            grouped(c.cost.ram.into()),
            grouped(c.cost.stack.into()),
            if c.is_variable_time() {
                "no"
            } else if c.is_constant_time() {
                "yes"
            } else {
                "here"
            }
            .to_owned(),
            judged.to_owned(),
        ]);
    }
    table
}

fn print(core: &Core, tuned: &Tuned, output: &mut Output) -> Result<(), Failure> {
    let unit = match tuned.winners.first() {
        Some(w) if w.certificate.problem.contains("key") => "a key",
        _ => "a block of 16 bytes",
    };
    output.line(format!("{} on {}, cycles of {unit}, bytes of memory", tuned.problem, core.name))?;
    output.line("")?;
    output.table(&table(&tuned.winners))?;
    output.line("")?;
    if let (Some(baseline), Some(best)) = (tuned.baseline, tuned.winners.first()) {
        output.line(format!(
            "The variant without any choice made takes {} cycles by the model, {:.2} times the best's.",
            cycles(baseline),
            baseline / best.certificate.cost.cycles
        ))?;
    }
    let known = tuned.winners.iter().filter(|w| w.known).count();
    output.line(format!(
        "{} variants costed by {}, seed {}, in {:.1} s, {} known before, of a space of {}; {} do not fit{}",
        grouped(tuned.tried.into()),
        tuned.strategy,
        tuned.seed,
        tuned.seconds,
        grouped(tuned.remembered.into()),
        grouped(tuned.space.into()),
        grouped(tuned.unfit.into()),
        if tuned.interrupted { "; interrupted" } else { "" }
    ))?;
    if known > 0 {
        output.line(format!(
            "{known} of {} were proved and confirmed before, and their code is the same: not judged again",
            tuned.winners.len()
        ))?;
    }
    for note in &tuned.notes {
        wrap(note, "", 100).iter().try_for_each(|l| output.line(l))?;
    }
    for (number, winner) in (1..).zip(&tuned.winners) {
        let c = &winner.certificate;
        output.line("")?;
        output.line(format!("{number}  {}", c.variant))?;
        let tested = format!(
            "proved, constant time: {}; {} calls right in {}{}",
            c.constant_time,
            grouped(c.tested_calls.into()),
            c.judge,
            match c.same_cycles {
                Some(true) => ", all of equal length in equal cycles",
                Some(false) => ", cycles depend on data",
                None => "",
            }
        );
        let once = (c.cost.once.abs() > 0.005)
            .then(|| format!("a message costs {} cycles more", cycles(c.cost.once)));
        let bound = winner.bound.map(|b| {
            format!("{:.1} % above the bound: {}", (c.cycles() / b - 1.0) * 100.0, winner.bound_reason)
        });
        let notes = c.notes.iter().cloned();
        for text in [tested].into_iter().chain(once).chain(bound).chain(notes) {
            wrap(&text, "   ", 100).iter().try_for_each(|l| output.line(l))?;
        }
    }
    Ok(())
}
