//! `aesmith report`: one self-contained HTML file of stored results.

pub mod front;

use crate::arguments;
use crate::commands::tune::race::figures_of;
use crate::failure::Failure;
use crate::handout::Provider;
use crate::interrupt;
use crate::kernels::kernels;
use crate::output::Output;
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::unit;
use crate::sources::{settings, what, wisdom_path_to_read};
use aesmith_cipher::Problem;
use aesmith_tune::bench::Bench;
use aesmith_tune::options::SIZES;
use aesmith_tune::report_data::{measure, paper_figures, report_data};
use aesmith_tune::{Event, Room, Settings, Workplace};
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
    write(&mut place, problem, (options.size, None), (&file, options.force), &mut reporter)?;
    reporter.finish();
    if output.json {
        output.object(&json!({ "problem": problem.to_string(), "report": file.display().to_string() }))?;
    } else {
        output.line(file.display().to_string())?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

/// The number of rounds of the measurement against other libraries, for the plot over message sizes.
const ROUNDS: usize = 24;

/// The number of kernels and libraries in that measurement, most of them with two quantities.
const SUBJECTS: usize = 6;
/// The minimum number of rounds; below it message sizes are left out.
const FEWEST: usize = 4;

/// The message sizes besides the report's own that fit into the time, and the number of rounds.
fn extent(size: usize, room: Option<Room>) -> (Vec<usize>, usize) {
    let Some(room) = room else { return (SIZES.to_vec(), ROUNDS) };
    for longest in [usize::MAX, 32 << 10, 1 << 10] {
        let sizes: Vec<usize> = SIZES.into_iter().filter(|&other| other <= longest).collect();
        let all: Vec<usize> = sizes.iter().copied().chain([size]).collect();
        let rounds = room.rounds(&all, SUBJECTS, ROUNDS);
        if rounds >= FEWEST {
            return (sizes, rounds);
        }
    }
    (Vec::new(), room.rounds(&[size], SUBJECTS, ROUNDS).max(2))
}

/// Measures the best known kernel against other libraries over message sizes, including the report's own, as far as
/// time allows, and writes the report. Returns the measurements.
pub fn write(
    place: &mut Workplace,
    problem: Problem,
    (size, room): (usize, Option<Room>),
    (file, force): (&Path, bool),
    reporter: &mut Reporter,
) -> Result<Bench, Failure> {
    reporter.show(Event::Detail("measuring the best known beside other libraries"));
    let (sizes, rounds) = extent(size, room);
    let how = (sizes, rounds, &interrupt::flag());
    let measured = measure(place, problem, size, how, &mut |event| reporter.show(event.inside()))?;
    let mut data = report_data(place, problem, size, &measured)?;
    if let Some(machine) = &mut data.machine {
        machine.commit = option_env!("AESMITH_BUILT_COMMIT").map(str::to_owned);
        machine.compiler = option_env!("AESMITH_BUILT_BY").map(str::to_owned);
    }
    overwrite::put(file, &aesmith_report::render(&data), force)?;
    Ok(measured)
}
