//! Commands on processors that execute grids of threads: their kernels are text, and their cost is a static bound, or a
//! time measured on a card in this machine.

mod alone;
pub(super) mod measured;
mod report;

pub use report::report;

use super::count::named_text;
use crate::arguments::{self, Directions, Form, Keys};
use crate::commands::emit::naming;
use crate::deliver::write_verified;
use crate::failure::Failure;
use crate::output::{Output, Table, say};
use crate::sources::{request, text_of, variant_in, without_checker};
use aesmith_arrange::Variant;
use aesmith_emit::grid::{cuda_files, evidence_files, grid_files, grid_symbol, opencl_files};
use aesmith_emit::package::File;
use aesmith_processor::checked::{GridClaim, Verdict};
use aesmith_processor::grid::certificate::{Evidence, GridCertificate, ProvedGrid, counted};
use aesmith_processor::grid::{Counted, Gives, Grids};
use aesmith_tune::decide::grids::best;
use aesmith_tune::deliver::grids::given;
use aesmith_tune::front::{Budgets, Objective};
use aesmith_tune::{Request, TuneError};
use serde_json::json;
use std::path::Path;

/// Refuses options that would have no effect.
pub(super) fn refuse(grids: &Grids, options: &[(&str, bool)], why: &str) -> Result<(), Failure> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::Usage(format!(
            "{option} means nothing on {}: {why}; leave {option} out",
            grids.name
        ))),
        None => Ok(()),
    }
}

/// Why `--no-red-zone` means nothing.
pub(super) const NO_STACK: &str = "its threads run on no stack of a caller";

/// The request, after limits without an effect have been refused.
pub(super) fn asked(
    grids: &Grids,
    problem: aesmith_cipher::Problem,
    choice: &arguments::Choice,
    sought: &arguments::Sought,
) -> Result<Request, Failure> {
    refuse(grids, &[("--for", choice.calls.is_cold())], "nothing is measured there")?;
    let budgets = Budgets { flash: sought.max_flash, ram: sought.max_ram, stack: sought.max_stack };
    let request = request(grids.table, Some(problem), choice)?;
    Ok(Request { objective: sought.objective, budgets, ..request })
}

/// Parses a variant.
fn variant(grids: &'static Grids, text: &str) -> Result<Variant, Failure> {
    let read = grids.table.parse(text);
    read.map_err(|e| Failure::Usage(format!("`{text}` is no variant for {}: {e}", grids.name)))
}

/// True for the first calls: kernels that are translated where nothing is tuned. Each takes about a second.
pub(super) fn few() -> impl FnMut() -> bool {
    let mut left = 3;
    move || {
        left -= 1;
        left >= 0
    }
}

/// `aesmith emit`.
pub fn emit(
    grids: &'static Grids,
    options: &arguments::Emit,
    wisdom: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    options.one(grids.name)?;
    let language = match options.form {
        Form::Ptx | Form::Cuda => None,
        Form::Opencl => grids.others.iter().find(|language| language.name == "opencl"),
        _ => {
            let others: String =
                grids.others.iter().map(|other| format!(" or --as {}", other.name)).collect();
            return Err(Failure::Usage(format!(
                "kernels for {} are text: --as {}{others} or --as cuda. Other forms are not written yet",
                grids.name, grids.language
            )));
        }
    };
    let firmware = [
        ("--keys", options.keys != Keys::One),
        ("--directions", options.directions != Directions::One),
        ("--schedule", options.schedule.is_some()),
    ];
    refuse(grids, &firmware, "a file has one kernel, with the round keys of a launch")?;
    refuse(grids, &[("--no-red-zone", options.no_red_zone)], NO_STACK)?;
    without_checker(grids.name, options.checked)?;
    let request = asked(grids, options.problem(), &options.choice, &options.sought)?;
    let recipe = options.variant.as_ref().map(|file| Ok::<_, Failure>((file, text_of(file)?))).transpose()?;
    let prefix = recipe.as_ref().and_then(|(_, text)| aesmith_emit::recipe::prefix(text));
    let naming = naming(options.prefix.as_deref().or(prefix))?;
    let mut proved = match &recipe {
        Some((file, text)) => {
            let variant = variant(grids, &variant_in(file, text)?)?;
            if variant.problem != options.problem() {
                return Err(Failure::Usage(format!("`{variant}` is no variant of {}", options.problem())));
            }
            if !request.names(&variant) {
                return Err(Failure::Usage(format!("`{variant}` is not of the values that are asked for")));
            }
            given(grids, &variant, &request, &grid_symbol)?
        }
        None => {
            let (problem, gives) =
                (options.problem(), language.map_or(Gives::ANYTHING, |language| language.gives));
            let found = |gives: Gives| best(grids, problem, &request, gives, &grid_symbol, &mut few());
            // What was measured is the fastest: of what is sought by bytes, bounds decide.
            let by_speed = request.objective == Objective::Cycles && request.budgets == Budgets::default();
            let known = match by_speed {
                true => measured::known(grids, problem, &request, gives, wisdom)?,
                false => None,
            };
            match known {
                Some(proved) => proved,
                // The requested kernel may need more than most devices offer.
                None => {
                    found(gives)
                        .or_else(|error| match error {
                            TuneError::NoResult(_) if language.is_some() => found(Gives::ANYTHING),
                            error => Err(error),
                        })?
                        .winner
                }
            }
        }
    };
    // The name is a part of the text, by whose hash the wisdom knows kernels: only the chosen one is renamed.
    if naming.prefix().is_some() {
        let symbol = |problem, variable_time| naming.apply(&grid_symbol(problem, variable_time));
        proved = given(grids, &proved.kernel().variant, &request, &symbol)?;
    }
    let restated = language.map(|language| proved.restate(language).map(|text| (language, text)));
    let restated = restated.transpose().map_err(Failure::Other)?;
    let restated = restated.as_ref().map(|(language, text)| (*language, &text[..]));
    let files = match (options.form, restated) {
        (Form::Cuda, _) => cuda_files(grids, &proved).map_err(|e| Failure::Other(e.to_string()))?,
        (_, Some(restated)) => opencl_files(grids, &proved, restated),
        (_, None) => grid_files(grids, &proved, None),
    };
    let verdict = GridClaim::of(grids, &proved).judge();
    let paths = deliver((&proved, &verdict), files, (&options.output, options.force))?;
    if !output.json {
        return paths.iter().try_for_each(|path| output.line(path));
    }
    output.object(&json!({
        "problem": options.problem().to_string(),
        "processor": grids.name,
        "files": paths,
        "certificate": proved.certificate(),
        "checked": verdict.checked(),
        "unchecked": verdict.unchecked(),
    }))
}

/// Writes the files of a kernel, its certificate and, if the checker accepts one, its proof; returns their paths.
pub(super) fn deliver(
    (proved, verdict): (&ProvedGrid, &Verdict),
    mut files: Vec<File>,
    (directory, force): (&Path, bool),
) -> Result<Vec<String>, Failure> {
    proved.certificate().notes.iter().for_each(say);
    files.extend(evidence_files(proved, verdict).map_err(|e| Failure::Other(e.to_string()))?);
    write_verified(&files, directory, force)
}

/// Prints a kernel's certificate.
pub(super) fn print_certificate(certificate: &GridCertificate, output: &mut Output) -> Result<(), Failure> {
    let proof = &certificate.proof;
    let is_of_keys = |problem: aesmith_cipher::Problem| problem.mode().writes.is_some();
    let rightly = match certificate.problem.parse().is_ok_and(is_of_keys) {
        true => "keys expanded",
        false => "blocks of text enciphered",
    };
    output.line(format!(
        "    proved in {} ms; {}; {} threads a block, {} bytes of shared memory, {} {rightly} rightly in our interpreter",
        proof.microseconds / 1000,
        certificate.constant_time,
        proof.threads,
        proof.shared,
        certificate.tested_blocks
    ))?;
    print_counts(&certificate.counts, output)
}

fn print_counts(counts: &[Counted], output: &mut Output) -> Result<(), Failure> {
    if counts.is_empty() {
        return Ok(());
    }
    let columns =
        "machine code|>shared|>logic|>products|>all|>registers|>spilled|>clocks a block|>b/clk/SM|bound";
    let mut table = Table::new(columns);
    let a_block = |count: u32, blocks: u32| {
        let each = f64::from(count) / f64::from(blocks.max(1));
        if each.fract() == 0.0 { format!("{each:.0}") } else { format!("{each:.1}") }
    };
    for counted in counts {
        table.row([
            counted.architecture.clone(),
            a_block(counted.shared, counted.blocks),
            a_block(counted.logic, counted.blocks),
            a_block(counted.product, counted.blocks),
            a_block(counted.issued, counted.blocks),
            counted.registers.to_string(),
            counted.spilled.to_string(),
            format!("{:.2}", counted.clocks),
            format!("{:.2}", counted.bits),
            counted.limit.clone(),
        ]);
        // Each kind of threads has its own row.
        for (number, kind) in (1..).zip(&counted.kinds) {
            let counts = [kind.shared, kind.logic, kind.product, kind.issued];
            let mut row = vec![format!("  threads of kind {number}")];
            row.extend(counts.map(|count| a_block(count, kind.blocks)));
            row.resize(columns.split('|').count(), String::new());
            table.row(row);
        }
    }
    output.table(&table)?;
    output.line(
        "instructions a block of text, or a key, by the unit that executes them; static bounds, not measured",
    )
}

/// `aesmith count`.
pub fn count(
    grids: &'static Grids,
    what: &str,
    options: &arguments::Count,
    output: &mut Output,
) -> Result<(), Failure> {
    refuse(
        grids,
        &[("--classes", options.classes != arguments::CountAs::All)],
        "instructions are counted by units",
    )?;
    let variant = variant(grids, &named_text(what)?)?;
    let kernel = (grids.build)(&variant).map_err(Failure::Usage)?;
    let refuted = |why| Failure::NotProved(format!("`{variant}` is not proved: {why}"));
    let evidence = Evidence::of(grids, &kernel).map_err(refuted)?;
    grids
        .translator
        .present()
        .map_err(|why| Failure::Other(format!("machine code cannot be counted: {why}")))?;
    let counts = counted(grids, &(grids.print)(&kernel.program), &kernel).map_err(Failure::Other)?;
    if output.json {
        return output.object(&json!({
            "kernel": variant.to_string(),
            "problem": variant.problem.to_string(),
            "processor": grids.name,
            "class": evidence.class,
            "counts": counts,
        }));
    }
    output.line(format!("{variant}: {}", evidence.about))?;
    print_counts(&counts, output)
}
