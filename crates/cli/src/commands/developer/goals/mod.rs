//! `aesmith-bench goals`: target figures, and the figures reached; and the document of a benchmark.

mod elsewhere;

use crate::arguments::{self, Part};
use crate::commands::bench::{rows, workplace};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, say};
use crate::overwrite;
use crate::progress::Reporter;
use crate::sources::what;
use aesmith_bench::goals::{Which, goals};
use aesmith_bench::performance::{Benchmark, markdown, text};
use std::path::Path;

/// Measures, prints, and writes the requested document. With a problem, only its rows are measured, and no goals.
pub fn run(options: &arguments::Bench, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    if let Some(file) = &options.markdown {
        overwrite::allowed(file, options.force)?;
    }
    if options.card.is_some() && options.goals != Part::Gpu {
        return Err(Failure::Usage(
            "--card is of GPUs: ask for the goals of gpu with it, or leave it out".into(),
        ));
    }
    let which = match options.goals {
        Part::Processors => return elsewhere::run(elsewhere::PROCESSORS, options, named, output),
        Part::Extensions => return elsewhere::run(elsewhere::EXTENSIONS, options, named, output),
        Part::Gpu => return elsewhere::run(elsewhere::GPU, options, named, output),
        Part::All => Which::All,
        Part::Instructions => Which::Instructions,
        Part::Software => Which::Software,
        Part::Messages => Which::Messages,
    };
    if options.problem.is_none() {
        of_every_kernel(options)?;
    }
    let mut reporter = Reporter::new("c/B");
    let mut place = workplace(options, named, &mut reporter)?;
    let mut measured = Benchmark::default();
    if options.problem.is_some() || matches!(which, Which::All | Which::Instructions) {
        measured.bench = rows(&mut place, options, &mut reporter)?;
    }
    if options.problem.is_none() && interrupt::signal().is_none() {
        goals(&mut place, &mut measured, which, &interrupt::flag(), &mut |event| reporter.show(event))?;
    }
    reporter.finish();
    if output.json {
        measured.bench.rows.iter().try_for_each(|row| output.object(row))?;
        measured.goals.iter().try_for_each(|goal| output.object(goal))?;
        measured.lesser.iter().try_for_each(|row| output.object(row))?;
        measured.bench.notes.iter().for_each(say);
    } else {
        output.line(text(&measured).trim_end())?;
    }
    if let Some(file) = &options.markdown {
        overwrite::put(file, &markdown(&place, &measured), options.force)?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

/// Refuses restrictions: the goals cover every kernel, in steady calls.
fn of_every_kernel(options: &arguments::Bench) -> Result<(), Failure> {
    let request = what(&options.choice, None)?.request;
    let restriction = request.restriction();
    if !restriction.is_empty() {
        return Err(Failure::Usage(format!(
            "{restriction}: the goals are about every technique and width; name a problem to measure what is \
             restricted, as in `aesmith bench aes256-ctr --only interleave=4`"
        )));
    }
    if request.calls.is_cold() {
        return Err(Failure::Usage(
            "the goals are of calls in steady state; name a problem to measure what was tuned for cold calls, as in \
             `aesmith bench aes256-ctr --for cold --cold`"
                .into(),
        ));
    }
    Ok(())
}
