//! `aesmith count`: a kernel's instructions for a block, by class.

use super::pass_on::pass_on;
use super::verify::functions;
use crate::arguments::{self, CountAs};
use crate::failure::Failure;
use crate::kernels::kernels as kernels_of;
use crate::output::{Output, Table};
use crate::sources::variant_text;
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::core::Core;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::measured::Target;
use aesmith_processors::this_machine;
use aesmith_tune::count::{
    BASELINE, Classes, Executed, Mix, Waterfall, executed, executed_on, number, operations, published_of,
    waterfall, waterfall_on,
};
use serde_json::json;
use std::path::Path;

/// A kernel to be counted: its name, problem, bytes, and variant, if known.
type Named = (String, Problem, Vec<u8>, Option<Variant>);

/// The counts of a kernel.
struct Counted {
    name: String,
    problem: Problem,
    counts: Executed,
    /// The saving of each choice.
    fall: Option<Waterfall>,
    /// Operations of the technique's own form.
    form: Option<Vec<(&'static str, f64)>>,
    /// True if there are published figures of its technique.
    is_published: bool,
}

/// Counts a variant, or every kernel in a file.
pub fn run(options: &arguments::Count, output: &mut Output) -> Result<(), Failure> {
    let Some(what) = options.what.as_deref() else { return pass_on() };
    kernels_of(options.processor.as_deref())?.count(what, options, output)
}

/// Counts kernels of this machine's processor, for any of its CPUs.
pub fn measured(what: &str, options: &arguments::Count, output: &mut Output) -> Result<(), Failure> {
    // Counting runs no kernel, so that kernels for any CPU are counted on any other.
    let target = Target::all(this_machine());
    for (name, problem, bytes, variant) in kernels(what, &target)? {
        let counts = executed(target.processor, problem, &bytes)?;
        let fall = variant.as_ref().map(|v| waterfall(v, &target)).transpose()?;
        let form = variant.as_ref().and_then(operations);
        let is_published = variant.is_some_and(|v| v.has("tables"));
        show(Counted { name, problem, counts, fall, form, is_published }, options.classes, output)?;
    }
    Ok(())
}

/// Counts a variant of another processor, in its table's interpreter.
pub fn counted(
    core: &'static Core,
    what: &str,
    options: &arguments::Count,
    output: &mut Output,
) -> Result<(), Failure> {
    let text = text_of(what)?;
    let wrong = |why: String| Failure::Usage(format!("`{text}` is no variant for {}: {why}", core.name));
    // The text may omit the processor; omitted dimensions are as in the plain variant.
    let variant = core.table.parse(&text).map_err(|e| wrong(e.to_string()))?;
    let problem = variant.problem;
    let made = (core.build)(&variant).and_then(|kernel| BuiltKernel::new(core, kernel)).map_err(wrong)?;
    let counts = executed_on(core, &made)?;
    let fall = Some(waterfall_on(core, &variant)?);
    let name = variant.to_string();
    show(Counted { name, problem, counts, fall, form: None, is_published: false }, options.classes, output)
}

/// The text form of a variant that is named by its text or by its file.
pub(super) fn text_of(what: &str) -> Result<String, Failure> {
    let path = Path::new(what);
    if path.exists() { variant_text(path) } else { Ok(what.to_owned()) }
}

/// Prints the counts of a kernel.
fn show(kernel: Counted, shown: CountAs, output: &mut Output) -> Result<(), Failure> {
    let Counted { name, problem, counts, fall, form, is_published } = kernel;
    if output.json {
        return output.object(&json!({
            "kernel": name,
            "problem": problem.to_string(),
            "steady": counts.steady,
            "at_4096": counts.at_4096,
            "waterfall": fall,
            "processor_independent": form.map(|rows| {
                rows.iter().map(|(name, n)| (name.to_string(), json!(n))).collect::<serde_json::Map<_, _>>()
            }),
        }));
    }
    print((&name, problem), &counts, shown, output)?;
    print_form(form, is_published, output)?;
    if let Some(fall) = fall.filter(|fall| !fall.steps.is_empty()) {
        output.line("")?;
        print_waterfall(&fall, output)?;
    }
    Ok(())
}

fn kernels(what: &str, target: &Target) -> Result<Vec<Named>, Failure> {
    let path = Path::new(what);
    let code = path.extension().is_some_and(|e| ["o", "so", "s", "S"].iter().any(|known| e == *known));
    if code {
        let claims = functions(path)?;
        if claims.is_empty() {
            return Err(Failure::Other(format!(
                "{what} has no function named for a problem (aesmith_aes256_ctr, ...), so there is nothing to count"
            )));
        }
        let counted = |(name, problem, bytes): (String, Problem, Result<Vec<u8>, String>)| {
            let bytes = bytes.map_err(|why| Failure::Other(format!("{what}: {why}")))?;
            Ok((name, problem, bytes, None))
        };
        return claims.into_iter().map(counted).collect();
    }
    let text = text_of(what)?;
    let table = target.processor.table;
    let variant = table
        .parse(&text)
        .map_err(|e| Failure::Usage(format!("`{text}` is no file, and no variant: {e}")))?;
    let kernel =
        target.build(&variant).map_err(|e| Failure::Other(format!("`{variant}` is no kernel: {e}")))?;
    Ok(vec![(variant.to_string(), variant.problem, kernel.bytes, Some(variant))])
}

/// Names and numbers of the requested classes.
fn rows(classes: &Classes, shown: CountAs) -> Vec<(&'static str, f64)> {
    match shown {
        CountAs::All => classes.rows().to_vec(),
        CountAs::BernsteinSchwabe => Mix::of(classes).rows().to_vec(),
    }
}

fn print(
    (name, problem): (&str, Problem),
    counts: &Executed,
    shown: CountAs,
    output: &mut Output,
) -> Result<(), Failure> {
    output.line(name)?;
    let unit = if problem.is_message() { ">a block" } else { ">a call" };
    let mut table = Table::new(&format!("instructions|{unit}|>of 4096 bytes"));
    let whole = counts.at_4096;
    let cell = |of: &dyn Fn(&Classes) -> f64| whole.as_ref().map_or(String::new(), |w| number(of(w)));
    for (i, (name, n)) in rows(&counts.steady, shown).into_iter().enumerate() {
        table.row([name.to_owned(), number(n), cell(&|c| rows(c, shown)[i].1)]);
    }
    table.row(["all".into(), number(counts.steady.instructions), cell(&|c| c.instructions)]);
    table.row(["that also load".into(), number(counts.steady.combined), cell(&|c| c.combined)]);
    output.table(&table)
}

/// Prints the operations of the technique's own form, beside published figures.
fn print_form(
    form: Option<Vec<(&'static str, f64)>>,
    is_published: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if let Some(rows) = form {
        output.line("")?;
        let mut table = Table::new("operations, of any processor|>a block");
        for (name, n) in rows.into_iter().filter(|(_, n)| *n > 0.0) {
            table.row([name.to_owned(), number(n)]);
        }
        output.table(&table)?;
    }
    if is_published {
        output.line("")?;
        let sum = BASELINE.instructions;
        let parts: Vec<String> = BASELINE.rows().iter().map(|(name, n)| format!("{n} {name}")).collect();
        output.line(format!(
            "published (Bernstein and Schwabe, Indocrypt 2008): {sum} = {}, before anything is saved",
            parts.join(" + ")
        ))?;
    }
    Ok(())
}

/// Prints bars from the plain variant to this one, with published savings of each choice.
fn print_waterfall(fall: &Waterfall, output: &mut Output) -> Result<(), Failure> {
    const WIDTH: f64 = 40.0;
    let plain = fall.plain.instructions;
    let most = fall.steps.iter().map(|(_, left)| left.instructions).fold(plain, f64::max);
    let bar = |n: f64| "#".repeat((n / most * WIDTH).round() as usize);
    let mut table = Table::new("choice|>left|>saved|>published|instructions a block");
    table.row(["plain".into(), number(plain), String::new(), String::new(), bar(plain)]);
    let mut before = plain;
    for (name, left) in &fall.steps {
        let published = published_of(name).map_or(String::new(), |n| n.to_string());
        let left = left.instructions;
        table.row([name.clone(), number(left), number(before - left), published, bar(left)]);
        before = left;
    }
    output.table(&table)
}
