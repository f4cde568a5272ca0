//! `aesmith tune`: runs a search, delivers the winner and its report, and prints the result.

pub mod bounds;
pub mod exam;
pub mod model;
pub mod race;

use crate::arguments::{self, Choice, Judging};
use crate::failure::Failure;
use crate::interrupt;
use crate::kernels::kernels;
use crate::output::{Output, say};
use crate::progress::Reporter;
use crate::sources::cpu_named;
use aesmith_processor::checked::Verdict;
use aesmith_tune::{Effort, RunRequest, TuneError, Tuned, Weights};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The part of the command that depends on the kind of judge.
pub trait Tuning {
    /// The result of a run.
    type Result: Serialize;

    /// Creates the display of the run's progress.
    fn reporter(&self) -> Reporter;

    /// Runs the search.
    fn tune(&mut self, reporter: &mut Reporter) -> Result<Tuned<Self::Result>, TuneError>;

    /// Writes the package and the report. A returned failure is the reason why there is no package; the winner is valid
    /// nevertheless.
    fn deliver(
        &mut self,
        tuned: &mut Tuned<Self::Result>,
        reporter: &mut Reporter,
    ) -> Result<Option<Failure>, Failure>;

    /// True if what was found is in wisdom, so that the same command goes on from there.
    fn is_kept(&self) -> bool {
        true
    }

    /// Adds the command's own data to the run's JSON object.
    fn add(&self, tuned: &Tuned<Self::Result>, object: &mut Value);

    /// Prints the result as text.
    fn print(&self, tuned: &Tuned<Self::Result>, output: &mut Output) -> Result<(), Failure>;
}

/// Tunes, writes the package and the report, and prints the result.
pub fn run(options: &arguments::Tune, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let wanted = RunRequest {
        effort: options.effort,
        time: options.time,
        trials: options.trials,
        seed: options.seed,
        strategy: options.strategy.clone(),
        size: options.size,
        afresh: options.afresh,
        alone: options.alone,
        weights: Weights::read(&options.weight)?,
        interrupted: interrupt::flag(),
        ..RunRequest::new(options.problem)
    };
    kernels(options.sought.processor.as_deref())?.tune(options, wanted, named, output)
}

/// Refuses a choice of judge where there is one way to find cycles.
pub fn has_one_judge(name: &str, options: &arguments::Tune) -> Result<(), Failure> {
    match options.judge {
        Judging::Model => Err(Failure::Usage(format!(
            "--judge chooses between the CPU of this machine and its model; on {name} there is one way to find cycles, which \
             `aesmith processors` names: leave --judge out"
        ))),
        Judging::Native => Ok(()),
    }
}

/// Tunes for this machine, by measurement or by its model.
pub fn here(
    options: &arguments::Tune,
    wanted: RunRequest,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    match options.judge {
        Judging::Model => through(model::OnModel::new(options, wanted, named)?, output),
        Judging::Native if options.choice.cpu.len() > 1 => levels(options, &wanted, named, output),
        Judging::Native => through(race::Race::new(options, wanted, named)?, output),
    }
}

/// Tunes one CPU level after another, each into its own folder.
fn levels(
    options: &arguments::Tune,
    wanted: &RunRequest,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let cpus = &options.choice.cpu;
    // Checks all levels before minutes of work.
    for cpu in cpus {
        cpu_named(std::slice::from_ref(cpu))?;
    }
    for (number, cpu) in cpus.iter().enumerate() {
        let folder = match &options.output {
            Some(folder) => folder.join(cpu),
            None => folder(options, &format!("-{cpu}")),
        };
        let choice = Choice { cpu: vec![cpu.clone()], ..options.choice.clone() };
        let own = arguments::Tune { choice, output: Some(folder), ..options.clone() };
        say(format!("level {} of {}: {cpu}", number + 1, cpus.len()));
        through(race::Race::new(&own, wanted.clone(), named)?, output)?;
    }
    say(format!(
        "`aesmith emit {} --cpu {} --as package -o DIR` makes a package of these levels",
        options.problem,
        cpus.join(",")
    ));
    Ok(())
}

/// Adds the verdict of the checker of proofs on the winner to a run's JSON object.
fn add_verdict(verdict: Option<&Verdict>, object: &mut Value) {
    object["checked"] = json!(verdict.and_then(Verdict::checked));
    object["unchecked"] = json!(verdict.and_then(Verdict::unchecked));
}

/// Runs a search, delivers its result, and prints it.
pub fn through<T: Tuning>(mut tuning: T, output: &mut Output) -> Result<(), Failure> {
    let mut reporter = tuning.reporter();
    let tuned = tuning.tune(&mut reporter);
    let mut tuned = match (tuned, interrupt::signal()) {
        (Ok(tuned), _) => tuned,
        (Err(_), Some(signal)) => {
            reporter.finish();
            say(match tuning.is_kept() {
                true => {
                    "aesmith: nothing is confirmed yet; all costs so far are kept, and the same command goes on from there"
                }
                false => {
                    "aesmith: nothing is proved yet; nothing was measured, and the same command begins again"
                }
            });
            return Err(Failure::Interrupted(signal));
        }
        (Err(error), None) => return Err(error.into()),
    };
    let refused = tuning.deliver(&mut tuned, &mut reporter)?;
    reporter.finish();
    if output.json {
        let mut object = serde_json::to_value(&tuned).map_err(|e| Failure::Other(e.to_string()))?;
        tuning.add(&tuned, &mut object);
        output.object(&object)?;
    } else {
        tuning.print(&tuned, output)?;
    }
    if let Some(failure) = refused {
        return Err(failure);
    }
    interrupt::signal().map_or(Ok(()), |signal| {
        say(match tuning.is_kept() {
            true => "aesmith: interrupted; the result is the best that is confirmed so far, and the same command goes on from there",
            false => "aesmith: interrupted; the result is the best of what was seen",
        });
        Err(Failure::Interrupted(signal))
    })
}

/// Refuses search options when there is no search: an estimate on this machine.
pub fn searched(options: &arguments::Tune) -> Result<(), Failure> {
    if options.effort != Effort::Estimate {
        return Ok(());
    }
    let given = [
        ("--trials", options.trials.is_some()),
        ("--strategy", options.strategy.is_some()),
        ("--time", options.time.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if given.is_empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--effort estimate measures the known-good variants and searches nothing, so that {} would do nothing; \
         --effort measure searches",
        given.join(" and ")
    )))
}

/// The strategy, seed and seconds of a run.
fn how<R>(tuned: &Tuned<R>) -> String {
    let Tuned { strategy, seed, seconds, .. } = tuned;
    let ending = if tuned.interrupted { "; interrupted" } else { "" };
    format!("strategy {strategy}, seed {seed}, {seconds:.1} s{ending}")
}

/// The folder of the package and the report: the named one, or one with the name of the problem and an addition.
fn folder(options: &arguments::Tune, addition: &str) -> PathBuf {
    options.output.clone().unwrap_or_else(|| format!("aesmith-{}{addition}", options.problem).into())
}
