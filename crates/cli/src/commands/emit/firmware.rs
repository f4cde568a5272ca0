//! `aesmith emit --processor`: firmware, from the best known kernels or from a given variant.

use super::{linked, naming, promises_in_c};
use crate::arguments::{self, Directions, Keys, Schedule};
use crate::deliver;
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::sources::{
    LOOKING, request_within, store_to_read, variants_of, wisdom_path_to_read, without_checker,
    without_red_zone,
};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::KeySize;
use aesmith_emit::package::sizes::{PartSizes, Sizes, filled_at_most};
use aesmith_emit::package::{Form, Package, Scope, check_listed};
use aesmith_emit::recipe::Given;
use aesmith_emit::{EmitError, Function, Naming};
use aesmith_processor::core::Core;
use aesmith_processor::timing::Timing;
use aesmith_tune::Request;
use aesmith_tune::deliver::firmware::CoreDelivery;
use aesmith_tune::deliver::package::{PackageParts, PackageRequest, keeps, package as find_parts};
use aesmith_tune::evaluate::look::Look;
use aesmith_wisdom::Store;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Writes the files and prints their paths.
pub fn run(
    core: &'static Core,
    options: &arguments::Emit,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    one_or_listed(options)?;
    promises_in_c(options)?;
    without_red_zone(core, options.no_red_zone)?;
    without_checker(core.name, options.checked)?;
    let form = match options.form {
        arguments::Form::Asm => Form::Assembly,
        arguments::Form::C => Form::C,
        // The forms for grids have been refused already.
        arguments::Form::Package | arguments::Form::Ptx | arguments::Form::Opencl | arguments::Form::Cuda => {
            Form::Package
        }
    };
    let store = store_to_read(&wisdom_path_to_read(named)?)?;
    let Given { variants: given, untuned, prefix } =
        options.variant.as_deref().map(variants_of).transpose()?.unwrap_or_default();
    let chosen = Chosen {
        problems: options.problems.clone(),
        keys: options.keys,
        directions: options.directions,
        naming: naming(options.prefix.as_deref().or(prefix.as_deref()))?,
        schedule: options.schedule,
        given,
        untuned,
        request: request_within(core, options.problem(), &options.choice, &options.sought)?,
        size: None,
        linked: output.json && form != Form::C,
        in_c: form == Form::C,
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
    let SizedPackage { package, taken } = package(core, store.as_ref(), &chosen)?;
    let paths = deliver::write_verified(&package.files(form), &options.output, options.force)?;
    if output.json {
        return output.object(&json!({
            "problem": options.problem().to_string(),
            "problems": options.problems.iter().map(Problem::to_string).collect::<Vec<_>>(),
            "processor": core.name,
            "package": package.name(),
            "files": paths,
            // The sizes of C are not known before it is compiled.
            "sizes": (form != Form::C).then(|| taken.object()),
            "parts": if form == Form::C { json!([]) } else { tuned_parts(&package) },
        }));
    }
    paths.iter().try_for_each(|path| output.line(path))
}

/// A package, and the memory that a program with all of it takes.
pub struct SizedPackage {
    /// The package.
    pub package: Package,
    /// Its sizes in bytes.
    pub taken: PackageSizes,
}

/// Sizes in bytes, and true if a linker determined them.
#[derive(Clone, Copy)]
pub struct PackageSizes {
    sizes: Sizes,
    linked: bool,
}

impl PackageSizes {
    fn object(&self) -> Value {
        let mut object = memory(&self.sizes);
        object["by"] = json!(if self.linked { "linker" } else { "model" });
        object
    }
}

/// Renders sizes as JSON.
pub fn memory(sizes: &Sizes) -> Value {
    json!({ "flash": sizes.flash, "ram": sizes.ram, "stack": sizes.stack })
}

/// Renders the sizes of each function of a package as JSON.
pub fn parts_of(package: &Package) -> Value {
    package.parts().iter().map(part_of).collect()
}

fn part_of(part: &PartSizes) -> Value {
    let mut object = memory(&part.sizes);
    object["symbol"] = json!(part.symbol);
    object
}

/// Renders the sizes of each function of a package as JSON, and whether a search found it.
fn tuned_parts(package: &Package) -> Value {
    let part = |part: &PartSizes| {
        let mut object = part_of(part);
        object["tuned"] = json!(part.tuned);
        object
    };
    package.parts().iter().map(part).collect()
}

/// The contents of a package.
pub struct Chosen {
    /// The problems.
    pub problems: Vec<Problem>,
    /// Key sizes.
    pub keys: Keys,
    /// Directions.
    pub directions: Directions,
    /// The prefix of names.
    pub naming: Naming,
    /// The time at which round keys are made, if it is restricted.
    pub schedule: Option<Schedule>,
    /// Text forms of variants to take for their problems, including key schedules.
    pub given: Vec<(Problem, String)>,
    /// Problems of them whose variants no search chose.
    pub untuned: Vec<Problem>,
    /// Requirements on kernels, and the objective. The key schedule that a message's kernel needs may have any
    /// technique and any dimensions.
    pub request: Request,
    /// Bytes of the message over which cycles are counted.
    pub size: Option<usize>,
    /// True to link the package for its sizes, which also happens if memory is limited.
    pub linked: bool,
    /// True if the package's C alone is written.
    pub in_c: bool,
}

/// The maximum number of attempts to choose kernels: another one follows if the linker's additions break a limit that
/// the model keeps.
const CHOICES: usize = 3;

/// Makes the package of the best known kernels.
pub fn package(
    core: &'static Core,
    store: Option<&Store>,
    options: &Chosen,
) -> Result<SizedPackage, Failure> {
    let limits = options.request.budgets;
    let until = Instant::now() + LOOKING;
    let mut request = options.request.clone();
    let mut nearest: Option<Sizes> = None;
    let mut linker = false;
    for _ in 0..CHOICES {
        let PackageParts { parts, sizes } = match (parts(core, store, options, (&request, until)), nearest) {
            (Ok(parts), _) => parts,
            (Err(why), None) => return Err(why),
            (Err(_), Some(_)) => break,
        };
        let function = |d: &CoreDelivery| {
            let function = Function::of_firmware(core, d.made.kernel.clone(), &d.certificate)?;
            let function = Function { symbol: options.naming.apply(&function.symbol), ..function };
            Ok::<_, EmitError>(match options.tuned(d) {
                Some(tuned) => function.found(tuned, &tune_command(d, core)),
                None => function,
            })
        };
        let functions = parts.iter().map(function).collect::<Result<Vec<_>, _>>()?;
        let scope = match (options.keys, options.problems.len()) {
            (Keys::All, _) => Scope::AnyKey,
            (Keys::One, 1) => Scope::Problem,
            (Keys::One, _) => Scope::Several,
        };
        let package = Package::of_blocks(core, &functions, scope)?;
        let matters = options.linked || limits.flash.is_some() || limits.ram.is_some();
        let linked = if matters { linked::sizes(core, &package)? } else { None };
        let filled = || filled_at_most(core, parts.iter().map(|part| &part.made.kernel));
        let taken = match (linked, matters) {
            (Some(linked), _) => linked,
            // Without a linker its fill is not known: limits must hold for the maximum.
            (None, true) => sizes.beside(filled()),
            (None, false) => sizes,
        };
        if keeps(limits, taken) {
            let Sizes { flash, ram, stack } = taken;
            let by = match (linked.is_some(), matters) {
                (true, _) => {
                    "as the processor's stock linker puts them behind other code and data, with what it fills up"
                }
                (false, true) => {
                    "with equal tables once and the most that a linker fills up for alignment, as none is here"
                }
                (false, false) => "with equal tables once",
            };
            let what = match options.in_c {
                true => "the assembly of the package, not its C, would take",
                false => "the functions of the package take",
            };
            say(format!("{what} {flash} bytes of flash, {ram} of RAM and {stack} of stack together, {by}"));
            let untuned = parts.iter().filter(|part| options.tuned(part) == Some(false));
            untuned.for_each(|part| say_untuned(part, core));
            return Ok(SizedPackage {
                package,
                taken: PackageSizes { sizes: taken, linked: linked.is_some() },
            });
        }
        // The reduction is the size of the C beside the assembly, and the alignment fill.
        let left =
            |most: u64, linked: u64, modelled: u64| most.saturating_sub(linked.saturating_sub(modelled));
        request.budgets.flash = limits.flash.map(|most| left(most, taken.flash, sizes.flash));
        request.budgets.ram = limits.ram.map(|most| left(most, taken.ram, sizes.ram));
        nearest = Some(taken);
        linker = linked.is_some();
    }
    let by = match linker {
        true => "as the processor's stock linker puts it,",
        false => "with the most that a linker fills up for alignment, as none is here,",
    };
    let Sizes { flash, ram, stack } = nearest.unwrap_or_default();
    Err(Failure::Other(format!(
        "{}the nearest package that was found takes {flash} bytes of flash, {ram} of RAM and {stack} of stack {by} \
         and the limit is {}; no package is written",
        limits.lack([flash, ram, stack]),
        limits.describe()
    )))
}

/// Finds all kernels of the package.
fn parts(
    core: &'static Core,
    store: Option<&Store>,
    options: &Chosen,
    (request, until): (&Request, Instant),
) -> Result<PackageParts, Failure> {
    let problems = options.functions();
    options.held_to(&problems)?;
    let wanted = PackageRequest {
        problems: problems.clone(),
        given: &options.given,
        request,
        size: options.size,
        contract: &|c: &Firmware| match options.schedule {
            None => true,
            Some(Schedule::Before) => c.packing != Packing::CipherKey,
            Some(Schedule::Fly) => c.packing == Packing::CipherKey,
        },
        how: Look { until: Some(until), brief: true, tell: &|text| say(text), ..Look::default() },
    };
    let found = find_parts(core, store, &wanted)?;
    for part in &found.parts {
        let problem = part.made.kernel.contract.problem;
        if problems.contains(&problem) && options.given.iter().any(|(given, _)| *given == problem) {
            asked_for(part, core, options)?;
        }
    }
    Ok(found)
}

/// Refuses options for packages of one problem if there are several, and duplicate problems.
fn one_or_listed(options: &arguments::Emit) -> Result<(), Failure> {
    let problems = &options.problems;
    check_listed(problems).map_err(|why| Failure::Usage(why.to_string()))?;
    let of_one = [
        ("--keys all", options.keys == Keys::All),
        ("--directions both", options.directions == Directions::Both),
    ];
    match of_one.iter().find(|(_, given)| *given && problems.len() > 1) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option} goes with one problem: beside several, name each that is wanted, such as aes256-ecb,aes256-ecb-dec"
        ))),
        None => Ok(()),
    }
}

impl Chosen {
    /// The functions of the package, without the key schedules that are added.
    fn functions(&self) -> Vec<Problem> {
        let [only] = self.problems[..] else { return self.problems.clone() };
        let sizes = if self.keys == Keys::All { KeySize::ALL.to_vec() } else { vec![only.key] };
        let mut tasks = vec![only.task];
        if self.directions == Directions::Both {
            tasks.extend(only.reverse().map(|p| p.task));
        }
        sizes.iter().flat_map(|&key| tasks.iter().map(move |&task| Problem::new(key, task))).collect()
    }

    /// True if a search found a kernel, false if it is the best of some variants; `None` if its variant was given by
    /// itself.
    fn tuned(&self, part: &CoreDelivery) -> Option<bool> {
        let problem = part.made.kernel.contract.problem;
        let given = self.given.iter().any(|(given, _)| *given == problem);
        if given { self.untuned.contains(&problem).then_some(false) } else { Some(part.tuned) }
    }

    /// Refuses variants for problems outside the package: a recipe is used completely.
    fn held_to(&self, functions: &[Problem]) -> Result<(), Failure> {
        let schedule = |problem: &Problem| functions.iter().any(|f| f.key == problem.key && f.is_message());
        let foreign = self.given.iter().find(|(problem, _)| {
            !functions.contains(problem) && (problem.is_message() || !schedule(problem))
        });
        let Some((problem, _)) = foreign else { return Ok(()) };
        let all: Vec<String> = functions.iter().map(Problem::to_string).collect();
        Err(Failure::Usage(format!(
            "the file of --variant has one of {problem}, and asked for is {}: ask for {problem}, too, or take its line out",
            all.join(", ")
        )))
    }
}

/// Refuses a given variant whose kernel does not meet the request.
fn asked_for(delivery: &CoreDelivery, core: &Core, options: &Chosen) -> Result<(), Failure> {
    let certificate = &delivery.certificate;
    if !options.request.timing.admits(core, &certificate.proof) {
        return Err(Failure::Usage(format!(
            "`{}` is of {}; constant time is asked for, and --allow-variable-time allows it",
            certificate.variant, certificate.constant_time
        )));
    }
    if !options.request.names(&delivery.made.kernel.variant) {
        return Err(Failure::Usage(format!(
            "`{}` is not of the technique and the values that are asked for",
            certificate.variant
        )));
    }
    Ok(())
}

/// The command of a search for a kernel's problem.
fn tune_command(delivery: &CoreDelivery, core: &Core) -> String {
    format!("aesmith tune {} --processor {}", delivery.made.kernel.contract.problem, core.name)
}

/// Prints a note that a problem has not been tuned.
fn say_untuned(delivery: &CoreDelivery, core: &Core) {
    say(format!(
        "{} has not been tuned on {}: the best of some variants is taken; `{}` looks at all",
        delivery.made.kernel.contract.problem,
        core.name,
        tune_command(delivery, core)
    ));
}
