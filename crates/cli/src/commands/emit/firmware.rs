//! `aesmith emit --processor`: firmware, from the best known kernels or from a given variant.

use crate::arguments::{self, Directions, Keys, Schedule};
use crate::failure::Failure;
use crate::handout;
use crate::output::{Output, say};
use crate::sources::{request_within, store_to_read, variant_text, wisdom_path};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::KeySize;
use aesmith_emit::package::sizes::{Sizes, sizes};
use aesmith_emit::package::{Form, Package};
use aesmith_emit::{Function, schedule_of};
use aesmith_processor::core::Core;
use aesmith_processor::cost::Cost;
use aesmith_processor::timing::Timing;
use aesmith_tune::exact::handout::{Delivery, KernelRequest, best, of_variant};
use aesmith_tune::front::{Budgets, Objective};
use aesmith_tune::{Request, TechniqueRequest, TuneError};
use aesmith_wisdom::Store;
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
    let store = store_to_read(&wisdom_path(named)?)?;
    let chosen = Chosen {
        problem: options.problem,
        keys: options.keys,
        directions: options.directions,
        schedule: options.schedule,
        variant: options.variant.as_deref().map(variant_text).transpose()?,
        request: request_within(core, options.problem, &options.choice, &options.sought)?,
        size: None,
    };
    if form == Form::C
        && (chosen.request.timing == Timing::Proved
            || core.cached && chosen.request.timing == Timing::Constant)
    {
        return Err(Failure::Usage(format!(
            "the C form for {0} looks tables up at secret addresses, and constant time is asked for{1}: `--as asm` \
             and `--as package` keep to it, and --allow-variable-time allows the C form",
            core.name,
            if core.cached { " (the default; it has a data cache)" } else { "" }
        )));
    }
    let package = package(core, store.as_ref(), &chosen)?;
    let files = package.files(form);
    let paths = handout::write(&files, &options.output, options.force)?;
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
    /// Which kernels may be handed out, and what is sought; the key schedule that a message's kernel needs is held to no
    /// technique and no dimension.
    pub request: Request,
    /// Bytes of a message over which cycles are counted.
    pub size: Option<usize>,
}

/// The package of the best known kernels.
pub fn package(core: &'static Core, store: Option<&Store>, options: &Chosen) -> Result<Package, Failure> {
    let function = |handed: Delivery| Function::of_firmware(core, handed.made.kernel, &handed.certificate);
    let functions = parts(core, store, options)?.into_iter().map(function).collect::<Result<Vec<_>, _>>()?;
    Ok(Package::of_blocks(core, &functions, options.keys == Keys::All)?)
}

/// All kernels that go into the package: as they are sought if they keep the limits together, else smaller ones.
fn parts(core: &'static Core, store: Option<&Store>, options: &Chosen) -> Result<Vec<Delivery>, Failure> {
    let sought = objective(options);
    // Functions on messages, then key schedules, which run once a key.
    let ways = [
        [sought, sought],
        [sought, Objective::Code],
        [Objective::Code, Objective::Code],
        [Objective::Ram, Objective::Ram],
    ];
    let mut nearest: Option<(f64, Sizes, Vec<Delivery>)> = None;
    // What is sought may be one of the others: each way is gone once.
    for (_, goals) in ways.iter().enumerate().filter(|(i, goals)| !ways[..*i].contains(goals)) {
        let parts = sought_by(core, store, options, *goals)?;
        let taken = taken(core, &parts);
        let excess = options.request.budgets.excess(&cost(taken));
        if nearest.as_ref().is_none_or(|(least, ..)| excess < *least) {
            nearest = Some((excess, taken, parts));
        }
        if excess == 0.0 {
            break;
        }
    }
    let (_, taken, parts) = nearest.unwrap_or_default();
    within(options.request.budgets, taken, &parts)?;
    let Sizes { flash, ram, stack } = taken;
    say(format!(
        "the functions of the package take {flash} bytes of flash, {ram} of RAM and {stack} of stack together, with \
         equal tables once"
    ));
    Ok(parts.into_iter().map(|part| said(part, core)).collect())
}

/// The kernels of a package, messages and key schedules each by its objective.
fn sought_by(
    core: &'static Core,
    store: Option<&Store>,
    options: &Chosen,
    [messages, schedules]: [Objective; 2],
) -> Result<Vec<Delivery>, Failure> {
    let sizes = if options.keys == Keys::All { KeySize::ALL.to_vec() } else { vec![options.problem.key] };
    let mut tasks = vec![options.problem.task];
    if options.directions == Directions::Both {
        tasks.extend(options.problem.reverse().map(|p| p.task));
    }
    let on_the_fly = |c: &Firmware| match options.schedule {
        None => true,
        Some(Schedule::Before) => c.packing != Packing::CipherKey,
        Some(Schedule::Fly) => c.packing == Packing::CipherKey,
    };
    let sought = &options.request;
    let of_messages = Request { objective: messages, ..sought.clone() };
    let (technique, only) = (TechniqueRequest::default(), Vec::new());
    let of_schedules = Request { objective: schedules, technique, only, ..sought.clone() };
    let mut parts: Vec<Delivery> = Vec::new();
    for &key in &sizes {
        for &task in &tasks {
            let problem = Problem::new(key, task);
            let handed = match &options.variant {
                Some(text) if problem == options.problem => {
                    asked_for(of_variant(core, problem, text)?, core, options)?
                }
                _ => {
                    let (request, size) = (&of_messages, options.size);
                    best(core, store, &KernelRequest { problem, request, size, contract: &on_the_fly })?
                }
            };
            let contract = handed.made.kernel.contract;
            parts.push(handed);
            let Some((schedule, packing)) = schedule_of(&contract).filter(|_| problem.is_message()) else {
                continue;
            };
            if parts.iter().any(|p| p.made.kernel.contract.problem == schedule) {
                continue;
            }
            let makes = |c: &Firmware| c.packing == packing;
            let made = |budgets: Budgets| {
                let request = &Request { budgets, ..of_schedules.clone() };
                best(core, store, &KernelRequest { problem: schedule, request, size: None, contract: &makes })
            };
            let made = match made(left(core, sought.budgets, &parts)) {
                // Its size tells how far the package is from the limits.
                Err(TuneError::NoResult(_)) => made(Budgets::default()),
                made => made,
            };
            parts.push(made?);
        }
    }
    Ok(parts)
}

/// A given variant's kernel, if it is as asked for.
fn asked_for(handed: Delivery, core: &Core, options: &Chosen) -> Result<Delivery, Failure> {
    let certificate = &handed.certificate;
    if !options.request.timing.admits(core, &certificate.proof) {
        return Err(Failure::Usage(format!(
            "`{}` is of {}; constant time is asked for, and --allow-variable-time allows it",
            certificate.variant, certificate.constant_time
        )));
    }
    if !options.request.names(&handed.made.kernel.variant) {
        return Err(Failure::Usage(format!(
            "`{}` is not of the technique and the values that are asked for",
            certificate.variant
        )));
    }
    Ok(handed)
}

/// What all parts of a package take together.
fn taken(core: &Core, parts: &[Delivery]) -> Sizes {
    sizes(core, parts.iter().map(|part| (&part.made.kernel, Sizes::from(&part.certificate.cost))))
}

/// As a cost, of which only memory is looked at.
fn cost(Sizes { flash, ram, stack }: Sizes) -> Cost {
    Cost { cycles: 0.0, once: 0.0, flash, ram, stack }
}

/// What the limits leave beside some parts.
fn left(core: &Core, limits: Budgets, parts: &[Delivery]) -> Budgets {
    let Sizes { flash, ram, .. } = taken(core, parts);
    Budgets {
        flash: limits.flash.map(|most| most.saturating_sub(flash)),
        ram: limits.ram.map(|most| most.saturating_sub(ram)),
        stack: limits.stack,
    }
}

/// Whether a package keeps the limits as a whole; if not, a sentence with the sizes of its parts.
fn within(limits: Budgets, taken: Sizes, parts: &[Delivery]) -> Result<(), Failure> {
    if limits.hold(&cost(taken)) {
        return Ok(());
    }
    let Sizes { flash, ram, stack } = taken;
    let sizes: Vec<String> = parts
        .iter()
        .map(|p| {
            let cost = &p.certificate.cost;
            format!(
                "{} takes {} of flash, {} of RAM and {} of stack",
                p.made.kernel.contract.problem, cost.flash, cost.ram, cost.stack
            )
        })
        .collect();
    Err(Failure::Other(format!(
        "the nearest package with its key schedules that was found would take {flash} bytes of flash, {ram} of RAM and {stack} of \
         stack, and the limit is {}: {}; no package is written",
        limits.describe(),
        sizes.join(", ")
    )))
}

/// One kernel is handed out, whatever the front.
fn objective(options: &Chosen) -> Objective {
    match options.request.objective {
        Objective::Pareto => Objective::Cycles,
        objective => objective,
    }
}

/// Says what has not been tuned for.
fn said(handed: Delivery, core: &Core) -> Delivery {
    if !handed.tuned {
        let problem = handed.made.kernel.contract.problem;
        say(format!(
            "{problem} has not been tuned for on {0}: the best of some variants is taken; \
             `aesmith tune {problem} --processor {0}` looks at all",
            core.name
        ));
    }
    handed
}
