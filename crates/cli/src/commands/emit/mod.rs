//! `aesmith emit`: the best known kernels, or given variants, as code with certificates.

pub mod firmware;
mod fitted;
mod linked;

use crate::arguments::{self, Choice, Directions, Form, Keys, Source};
use crate::deliver::{Provider, Set, package_of, write_verified};
use crate::failure::Failure;
use crate::kernels::kernels;
use crate::output::{Output, say};
use crate::quantity::grouped;
use crate::sources::{cpu_named, recipe, what, wisdom_path_to_read};
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_emit::c::with_c_form;
use aesmith_emit::package::{self, File, Package};
use aesmith_emit::recipe::Part;
use aesmith_emit::{NATIVE, Naming};
use aesmith_processors::this_machine;
use aesmith_tune::Delivery;
use aesmith_tune::deliver::join::joined;
use aesmith_tune::deliver::judged::Judged;
use fitted::{Fitted, fitted};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::path::Path;

/// The refusal of a form that has no kernels for a processor.
pub fn not_of_grids() -> Failure {
    Failure::Usage("--as ptx, opencl and cuda are for GPUs: --processor gpu".into())
}

/// Writes the files and prints their paths.
pub fn run(options: &arguments::Emit, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    kernels(options.sought.processor.as_deref())?.emit(options, named, output)
}

/// Writes kernels of this machine.
pub fn measured(options: &arguments::Emit, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let firmware = [
        ("--keys", options.keys != Keys::One),
        ("--directions", options.directions != Directions::One),
        ("--schedule", options.schedule.is_some()),
    ];
    if let Some((option, _)) = firmware.iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!(
            "{option} is for packages of firmware; on this machine's processor name the problems of the package \
             (aes128-ecb,aes256-ecb-dec), and leave {option} out"
        )));
    }
    promises_in_c(options)?;
    // A wrong name is reported before kernels are proved.
    options.choice.cpu.iter().try_for_each(|cpu| cpu_named(std::slice::from_ref(cpu)).map(drop))?;
    naming(options.prefix.as_deref())?;
    let Fitted { sets, files, package } = fitted(options, named)?;
    let paths = write_verified(&files, &options.output, options.force)?;
    if let Some(package) = &package {
        said_sizes(package);
    }
    if !output.json {
        return paths.iter().try_for_each(|path| output.line(path));
    }
    // The order in which a CPU tries the levels.
    let levels = package.as_ref().map_or(&[][..], Package::levels);
    let of_level =
        |sets: &[Set], level: &String| sets.iter().position(|set| set.naming.level() == Some(level.as_str()));
    let first = |sets: &[Set]| levels.first().and_then(|level| of_level(sets, level)).unwrap_or(0);
    let mut object = about(&sets[0][first(&sets[0])]);
    object["problem"] = json!(options.problem().to_string());
    object["files"] = json!(paths);
    // The sizes of C are not known before it is compiled.
    object["sizes"] = json!(package.as_ref().and_then(Package::sizes).map(|sizes| firmware::memory(&sizes)));
    object["parts"] = package.as_ref().map_or(json!([]), firmware::parts_of);
    let named = |sets: &[Set]| -> Value {
        let of = levels.iter().filter_map(|level| Some(about(&sets[of_level(sets, level)?])));
        of.collect::<Vec<_>>().into()
    };
    let of_problem = |(problem, sets): (&Problem, &Vec<Set>)| {
        let mut object = about(&sets[first(sets)]);
        object["problem"] = json!(problem.to_string());
        object["levels"] = named(sets);
        object
    };
    object["levels"] = named(&sets[0]);
    let asked = sets[0].iter().filter(|_| sets[0].len() > 1).filter_map(|set| set.naming.level());
    let left_out = asked.filter(|level| !levels.iter().any(|other| other == level));
    object["left_out"] = json!(left_out.collect::<Vec<_>>());
    object["problems"] = options.problems.iter().zip(&sets).map(of_problem).collect::<Vec<_>>().into();
    output.object(&object)
}

/// The size in bytes from which a function's size is reported.
const LARGE: u64 = 64 << 10;

/// Reports the memory of a package, and the reason if it is large.
fn said_sizes(package: &Package) {
    let Some(all) = package.sizes() else { return };
    for part in package.parts().iter().filter(|part| part.sizes.flash >= LARGE) {
        say(format!(
            "{} takes {} bytes of code and constants, as the fastest variant that is known; --max-code BYTES limits \
             the package",
            part.symbol,
            grouped(part.sizes.flash.into())
        ));
    }
    say(format!(
        "{}: {} bytes of code and constants, {} of stack",
        package.name(),
        grouped(all.flash.into()),
        grouped(all.stack.into())
    ));
}

/// Renders a set of functions as JSON.
fn about(set: &Set) -> Value {
    let Judged { kernel, verdict } = set.main();
    json!({
        "level": set.naming.level(),
        "kernel": kernel.name,
        "variants": kernel.variants.iter().map(|(limit, v)| json!({
            "longest": limit,
            "variant": v.to_string(),
        })).collect::<Vec<_>>(),
        "certificate_level": kernel.certificate.level,
        "checked": verdict.checked(),
        "unchecked": verdict.unchecked(),
    })
}

/// The best known kernels of each requested level.
fn best_known(
    options: &arguments::Emit,
    problem: Problem,
    named: Option<&Path>,
) -> Result<Vec<Set>, Failure> {
    let levels = in_order(&options.choice.cpu);
    let several = levels.len() > 1;
    // The name contains the native level only beside other levels.
    let native = |cpu| (several && cpu == NATIVE).then_some(NATIVE);
    levels.into_iter().map(|cpu| nearest(options, problem, named, (cpu, native(cpu)))).collect()
}

/// The best known kernel of a CPU with its key set-up. If none is within the limit of bytes, the smallest known one: the
/// package is then too large, and the message says how large packages of small kernels are. A search through a whole space
/// for a kernel that is smaller than all known ones takes minutes: that is for `tune`. The sizes of C are not known.
fn nearest(
    options: &arguments::Emit,
    problem: Problem,
    named: Option<&Path>,
    (cpu, level): (&str, Option<&str>),
) -> Result<Set, Failure> {
    let most = options.sought.max_flash;
    let in_c = in_c(options);
    let mut provider = provider(options, problem, (named, options.prefix.as_deref()), (Some(cpu), level))?;
    let mut best = |problem| match most {
        Some(most) if !in_c => provider.within_or_smallest(problem, options.size, most),
        _ => Ok(provider.source().best(problem, options.size)?),
    };
    let mut main = best(problem)?;
    let schedule = problem.is_message().then(|| best(problem.key_schedule())).transpose()?;
    let table = problem.key_table().filter(|_| main.coverage.reads_table()).map(&mut best).transpose()?;
    if in_c {
        for variant in &mut main.written {
            *variant = its_c_form(variant, &provider)?;
        }
        for (_, variant) in &mut main.variants {
            *variant = with_c_form(variant);
        }
    }
    provider.set(main, schedule, table)
}

/// True if kernels are emitted as C.
fn in_c(options: &arguments::Emit) -> bool {
    options.form == Form::C || options.form == Form::Package && options.source == Source::C
}

/// Refuses promises about the machine code of C, which a compiler chooses.
fn promises_in_c(options: &arguments::Emit) -> Result<(), Failure> {
    if !in_c(options) {
        return Ok(());
    }
    if options.no_red_zone {
        return Err(Failure::Usage(
            "--no-red-zone is checked in proofs of assembly, and a compiler chooses where C keeps its values: emit assembly, \
             or compile the C with -mno-red-zone"
                .into(),
        ));
    }
    if options.checked {
        return Err(Failure::Usage(
            "--checked is about proofs of machine code, which a compiler makes of C: emit assembly, or compile the C and give \
             the object to `aesmith verify --checked`"
                .into(),
        ));
    }
    Ok(())
}

/// A variant found, or the nearest one with a C form, which is reported.
fn its_c_form(variant: &Variant, provider: &Provider) -> Result<Variant, Failure> {
    let written = with_c_form(variant);
    if written != *variant {
        if !provider.request.admits(&written) {
            return Err(Failure::Usage(format!(
                "`{variant}` has no C form, and `{written}`, which has one, is not what is asked for"
            )));
        }
        say(format!("`{variant}` has no C form: written is `{written}`"));
    }
    Ok(written)
}

/// Levels in order of preference where neither needs nor measured cost decide: this machine's first, then the greatest.
/// In the table of levels a superset follows its subset.
fn in_order(names: &[String]) -> Vec<&str> {
    let place = |name: &&str| match *name {
        NATIVE => Reverse(this_machine().requirements.levels.len()),
        name => Reverse(
            this_machine()
                .requirements
                .levels
                .iter()
                .position(|l| [Some(l.name), l.alias].contains(&Some(name)))
                .unwrap_or(0),
        ),
    };
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(place);
    if names.is_empty() { vec![NATIVE] } else { names }
}

/// Rebuilds the functions of a package from its recipe.
fn from_recipe(
    options: &arguments::Emit,
    problem: Problem,
    (file, text): (&Path, &str),
    named: Option<&Path>,
) -> Result<Vec<Set>, Failure> {
    let recipe = recipe(file, text, problem)?;
    let prefix = options.prefix.as_deref().or(aesmith_emit::recipe::prefix(text));
    let says_cpu = recipe.parts.iter().any(|part| part.level.is_some() || part.cpu.is_some());
    if says_cpu && !options.choice.cpu.is_empty() {
        return Err(Failure::Usage(format!(
            "{} says for which CPU its variants are, so that --cpu has nothing to say",
            file.display()
        )));
    }
    let asked = options.choice.cpu.first().map(String::as_str);
    let mut sets = Vec::new();
    for part in &recipe.parts {
        let cpu = part.cpu.as_deref().or(part.level.as_deref()).or(asked);
        let mut provider = provider(options, problem, (named, prefix), (cpu, part.level.as_deref()))?;
        if part.level.is_none() && part.cpu.is_some() {
            provider.naming = provider.naming.without_level();
        }
        sets.push(made_of(part, file, problem, &mut provider)?);
    }
    Ok(sets)
}

/// Builds the functions of one part of a recipe.
fn made_of(part: &Part, file: &Path, problem: Problem, provider: &mut Provider) -> Result<Set, Failure> {
    let set_up = part.schedule.iter().chain(&part.table);
    for variant in part.message.iter().map(|(_, variant)| variant).chain(set_up) {
        if !provider.request.admits(variant) {
            return Err(Failure::Usage(format!(
                "{} has a variant of technique {} that is left out by --technique, --width or --only, or by \
                 constant time being asked for (the default): --allow-variable-time allows look-ups at \
                 secret addresses",
                file.display(),
                variant.technique
            )));
        }
    }
    let Provider { target, request, prover, .. } = provider;
    let mut one = |variant: &Variant| Delivery::of_variant(variant, target, request, prover);
    let schedule = part.schedule.as_ref().map(&mut one).transpose()?;
    let table = part.table.as_ref().map(&mut one).transpose()?;
    let source = provider.source();
    let schedule = schedule.map(|kernel| source.given(kernel)).transpose()?;
    let table = table.map(|kernel| source.given(kernel)).transpose()?;
    if let Some(main) = [&schedule, &table].into_iter().flatten().find(|h| h.problem == problem) {
        let main = main.clone();
        return provider.set(main, None, None);
    }
    let plan: Vec<(Option<usize>, Variant)> =
        part.message.iter().map(|(limit, v)| (limit.map(|l| l as usize), v.clone())).collect();
    let Provider { target, request, prover, .. } = provider;
    let main = joined(&plan, target, request, prover)?;
    let main = provider.source().given(main)?;
    provider.set(main, schedule, table)
}

/// The source of the kernels of a CPU, with the requested prefix and this level in their names.
fn provider(
    options: &arguments::Emit,
    problem: Problem,
    (named, prefix): (Option<&Path>, Option<&str>),
    (cpu, level): (Option<&str>, Option<&str>),
) -> Result<Provider, Failure> {
    let cpu = cpu.map(str::to_owned).into_iter().collect();
    let choice = Choice { cpu, ..options.choice.clone() };
    // The limit on the bytes of known kernels is set for each: see `nearest`.
    let limit = options.sought.max_flash.filter(|_| options.variant.is_some() || in_c(options));
    let mut provider = Provider::new(
        &wisdom_path_to_read(named)?,
        &what(&choice, Some(problem))?
            .limited(limit)
            .without_red_zone(options.no_red_zone)
            .checked(options.checked),
    )?;
    let level = level.or(provider.naming.level()).map(str::to_owned);
    if prefix.is_some() {
        provider.naming = naming(prefix)?;
    }
    if let Some(level) = level {
        provider.naming = provider.naming.at_level(&level);
    }
    Ok(provider)
}

/// The naming with a prefix.
pub fn naming(prefix: Option<&str>) -> Result<Naming, Failure> {
    let of = |prefix: &str| {
        Naming::with_prefix(prefix).map_err(|e| Failure::Usage(format!("--prefix {prefix}: {e}")))
    };
    prefix.map_or_else(|| Ok(Naming::default()), of)
}

/// The files in the requested form, and their package.
fn files(options: &arguments::Emit, problems: &[Vec<Set>]) -> Result<(Vec<File>, Option<Package>), Failure> {
    let in_c = in_c(options);
    if options.portable && !in_c {
        return Err(Failure::Usage(
            "--portable is of C: `--as c --portable`, or `--as package --source c --portable`".into(),
        ));
    }
    let sets = &problems[0];
    if problems.len() > 1 && (options.form != Form::Package || in_c) {
        return Err(Failure::Usage(
            "several problems go into one package of assembly (`--as package`), which has the keys that they share: \
             other forms have one problem each"
                .into(),
        ));
    }
    if problems.len() > 1 || sets.len() > 1 {
        if options.form != Form::Package || in_c {
            return Err(Failure::Usage(
                "several levels go into one package of assembly (`--as package`), which has the C that asks the \
                 CPU and chooses: files of assembly alone have nothing that chooses, and C is compiled for one \
                 level as a whole; make those one by one"
                    .into(),
            ));
        }
        let package = package_of(problems)?;
        package.notes().iter().for_each(say);
        return Ok((package.files(package::Form::Package), Some(package)));
    }
    let set = &sets[0];
    let alone = |files: Vec<File>| (files, None);
    let of = |package: Package, form| (package.files(form), Some(package));
    match options.form {
        _ if in_c && (options.portable || set.is_on_words()) => {
            set.portable(options.form == Form::Package).map(alone)
        }
        Form::Asm => Ok(of(set.package()?, package::Form::Assembly)),
        Form::C => set.c().map(alone),
        Form::Ptx | Form::Opencl | Form::Cuda => Err(not_of_grids()),
        Form::Package if options.source == Source::C => Ok(of(set.package_in_c()?, package::Form::Package)),
        Form::Package => Ok(of(set.package()?, package::Form::Package)),
    }
}
