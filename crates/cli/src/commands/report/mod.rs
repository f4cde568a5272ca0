//! `aesmith report`: one self-contained HTML file of stored results.

pub mod front;

use crate::arguments;
use crate::commands::tune::race::figures_of;
use crate::deliver::Provider;
use crate::failure::Failure;
use crate::interrupt;
use crate::kernels::kernels;
use crate::output::Output;
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::unit;
use crate::sources::{settings, what, wisdom_path_to_read};
use aesmith_cipher::Problem;
use aesmith_tune::bench::Bench;
use aesmith_tune::beside;
use aesmith_tune::report_data::{paper_figures, report_data};
use aesmith_tune::{Event, Settings, Workplace};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Writes the report and prints its path.
pub fn run(options: &arguments::Report, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    kernels(options.processor.as_deref())?.report(options, named, output)
}

/// Writes the report of a problem on this machine.
pub fn measured(
    options: &arguments::Report,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let path = wisdom_path_to_read(named)?;
    let what = what(&options.choice, options.problem)?;
    figures_of(what.request.calls.is_cold(), options.figures)?;
    let problem = Provider::new(&path, &what)?.problem_or_latest(options.problem)?;
    let file = options.output.clone().unwrap_or_else(|| PathBuf::from(format!("aesmith-{problem}.html")));
    overwrite::allowed(&file, options.force)?;
    let mut reporter = Reporter::new(unit(problem));
    let mut place = Workplace::open(Settings { copy: true, ..settings(path, 1, &what) }, &mut |event| {
        reporter.show(event)
    })?;
    if let Some(time) = options.figures {
        let interrupted = interrupt::flag();
        paper_figures(&mut place, problem, time, &interrupted, &mut |event| reporter.show(event))?;
    }
    let measured = beside::measured(&mut place, problem, options.size)?;
    if measured.is_none() {
        reporter.show(Event::Note(&format!(
            "wisdom has no measurement of this kernel beside other libraries: `{}` measures them",
            beside::command(&place, problem, options.size)
        )));
    }
    let at = (&*file, options.force);
    write(&mut place, (problem, options.size), &measured.unwrap_or_default(), at)?;
    reporter.finish();
    if output.json {
        output.object(&json!({ "problem": problem.to_string(), "report": file.display().to_string() }))?;
    } else {
        output.line(file.display().to_string())?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

/// Writes the report of a problem, with the measurements of the best known kernel beside other libraries.
pub fn write(
    place: &mut Workplace,
    (problem, size): (Problem, usize),
    measured: &Bench,
    (file, force): (&Path, bool),
) -> Result<(), Failure> {
    let mut data = report_data(place, problem, size, measured)?;
    if let Some(machine) = &mut data.machine {
        machine.commit = option_env!("AESMITH_BUILT_COMMIT").map(str::to_owned);
        machine.compiler = option_env!("AESMITH_BUILT_BY").map(str::to_owned);
    }
    overwrite::put(file, &aesmith_report::render(&data), force)
}
