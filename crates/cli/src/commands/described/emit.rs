//! `aesmith emit --processor`: firmware, from the best known kernels or from a given variant.

use super::{budgets, constant_time};
use crate::arguments::{self, Directions, Keys, Schedule};
use crate::failure::Failure;
use crate::output::Output;
use crate::sources::{variant_text, wisdom_path};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_cipher::{Problem, Task};
use aesmith_cores::core::Core;
use aesmith_emit_cores::package::write;
use aesmith_emit_cores::part::schedule_of;
use aesmith_emit_cores::{Form, Package, Part};
use aesmith_tune_cores::front::{Budgets, Objective};
use aesmith_tune_cores::handout::{HandOut, Wish, best, of_variant};
use aesmith_wisdom::{Store, WisdomError};
use serde_json::json;
use std::path::Path;

/// Writes the files and prints their paths.
pub fn run(
    core: &'static Core,
    options: &arguments::Emit,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let form = match options.form {
        arguments::Form::Asm => Form::Assembly,
        arguments::Form::C => Form::C,
        arguments::Form::Package => Form::Package,
    };
    let store = match Store::open_to_read(&wisdom_path(named)?) {
        Ok(store) => Some(store),
        Err(WisdomError::Missing(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let chosen = Chosen {
        problem: options.problem,
        keys: options.keys,
        directions: options.directions,
        schedule: options.schedule,
        variant: options.variant.as_deref().map(variant_text).transpose()?,
        objective: options.described.objective,
        budgets: budgets(&options.described),
        constant_time: constant_time(core, &options.choice),
    };
    let package = package(core, store.as_ref(), &chosen)?;
    let files = package.files(form).map_err(Failure::Other)?;
    write(&files, &options.output)
        .map_err(|e| Failure::Other(format!("{} cannot be written: {e}", options.output.display())))?;
    let paths: Vec<String> =
        files.iter().map(|f| options.output.join(&f.name).display().to_string()).collect();
    if output.json {
        return output.object(&json!({
            "problem": options.problem.to_string(),
            "processor": core.name,
            "package": package.name(),
            "files": paths,
        }));
    }
    paths.iter().try_for_each(|path| output.line(path))
}

/// The same mode in the other direction.
fn reverse(task: Task) -> Option<Task> {
    match task {
        Task::Ecb(Direction::Encrypt) => Some(Task::Ecb(Direction::Decrypt)),
        Task::Ecb(Direction::Decrypt) => Some(Task::Ecb(Direction::Encrypt)),
        Task::CbcEncrypt { streams: 1 } => Some(Task::CbcDecrypt),
        Task::CbcDecrypt => Some(Task::CbcEncrypt { streams: 1 }),
        Task::KeySchedule(Direction::Encrypt) => Some(Task::KeySchedule(Direction::Decrypt)),
        Task::KeySchedule(Direction::Decrypt) => Some(Task::KeySchedule(Direction::Encrypt)),
        // Counter mode is its own inverse.
        _ => None,
    }
}

/// What goes into a package.
pub struct Chosen {
    /// What is computed.
    pub problem: Problem,
    /// Key sizes.
    pub keys: Keys,
    /// Directions.
    pub directions: Directions,
    /// When round keys are made, if it matters.
    pub schedule: Option<Schedule>,
    /// The text form of a variant to take for the problem.
    pub variant: Option<String>,
    /// What is sought.
    pub objective: Objective,
    /// Hard limits.
    pub budgets: Budgets,
    /// Only kernels of constant time.
    pub constant_time: bool,
}

/// The package of the best known kernels.
pub fn package(core: &'static Core, store: Option<&Store>, options: &Chosen) -> Result<Package, Failure> {
    let parts = parts(core, store, options)?;
    Package::new(core, parts, options.keys == Keys::All).map_err(Failure::Other)
}

/// All kernels that go into the package.
fn parts(core: &'static Core, store: Option<&Store>, options: &Chosen) -> Result<Vec<Part>, Failure> {
    let sizes = if options.keys == Keys::All { KeySize::ALL.to_vec() } else { vec![options.problem.key] };
    let mut tasks = vec![options.problem.task];
    if options.directions == Directions::Both {
        tasks.extend(reverse(options.problem.task));
    }
    let on_the_fly = |c: &Firmware| match options.schedule {
        None => true,
        Some(Schedule::Before) => c.packing != Packing::CipherKey,
        Some(Schedule::Fly) => c.packing == Packing::CipherKey,
    };
    let mut parts: Vec<Part> = Vec::new();
    for &key in &sizes {
        for &task in &tasks {
            let problem = Problem::new(key, task);
            let handed = match &options.variant {
                Some(text) if problem == options.problem => of_variant(core, problem, text)?,
                _ => {
                    let wish = Wish {
                        problem,
                        objective: objective(options),
                        budgets: options.budgets,
                        constant_time: options.constant_time,
                        contract: &on_the_fly,
                    };
                    said(best(core, store, &wish)?, core)
                }
            };
            let contract = handed.made.kernel.contract;
            parts.push(part(handed));
            let Some((schedule, packing)) = schedule_of(&contract).filter(|_| problem.is_message()) else {
                continue;
            };
            if parts.iter().any(|p| p.problem() == schedule) {
                continue;
            }
            let makes = |c: &Firmware| c.packing == packing;
            let wish = Wish {
                problem: schedule,
                objective: objective(options),
                budgets: Budgets::default(),
                constant_time: options.constant_time,
                contract: &makes,
            };
            parts.push(part(said(best(core, store, &wish)?, core)));
        }
    }
    Ok(parts)
}

/// One kernel is handed out, whatever the front.
fn objective(options: &Chosen) -> Objective {
    match options.objective {
        Objective::Pareto => Objective::Cycles,
        objective => objective,
    }
}

fn part(handed: HandOut) -> Part {
    Part { certificate: handed.certificate, made: handed.made }
}

/// Says what has not been tuned for.
fn said(handed: HandOut, core: &Core) -> HandOut {
    if !handed.tuned {
        let problem = handed.made.kernel.contract.problem;
        eprintln!(
            "{problem} has not been tuned for on {0}: the best of some variants is taken; \
             `aesmith tune {problem} --processor {0}` looks at all",
            core.name
        );
    }
    handed
}
