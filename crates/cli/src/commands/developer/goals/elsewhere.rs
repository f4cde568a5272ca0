//! `aesmith-bench goals processors|extensions|gpu`: targets and figures reached on processors other than this
//! machine, with custom instructions, and on GPUs.

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::overwrite;
use crate::progress::Reporter;
use crate::sources::store_or_copy;
use aesmith_bench::card::Recorded;
use aesmith_bench::goals::{Goal, extensions as instructions, firmware, grids, text};
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_emit::grid::grid_symbol;
use aesmith_tune::{Event, RunRequest};
use aesmith_wisdom::Store;
use std::path::Path;

/// The number of orders and allocations tried for each promising variant with custom instructions.
const SEEDS: u32 = 16;

/// A function that measures a table of goals; only the goals of GPUs use a run on a card.
type Measure = fn(&mut Store, Option<&Recorded>, &mut dyn FnMut(Event)) -> Result<Vec<Goal>, Failure>;
/// A function that renders the document of the goals.
type Document = fn(&[Goal], Option<&Recorded>) -> String;

/// The goals of processors.
pub const PROCESSORS: (Measure, Document) = (processors, |goals, _| firmware::document(goals));
/// The goals of custom instructions.
pub const EXTENSIONS: (Measure, Document) = (extensions, |goals, _| instructions::document(goals));

/// The goals of GPUs.
pub const GPU: (Measure, Document) = (gpu, grids::document);

fn gpu(
    _: &mut Store,
    recorded: Option<&Recorded>,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Goal>, Failure> {
    let interrupted = interrupt::flag();
    let mut goes_on = || !interrupted.load(std::sync::atomic::Ordering::Relaxed);
    let mut all = Vec::new();
    for grids in aesmith_processors::grids() {
        all.extend(grids::goals(grids, recorded, &grid_symbol, &mut goes_on, observer)?);
    }
    Ok(all)
}

fn processors(
    store: &mut Store,
    _: Option<&Recorded>,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Goal>, Failure> {
    // Each line of the table replaces the problem, the limits and the kind of time.
    let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let wanted = RunRequest { interrupted: interrupt::flag(), ..RunRequest::new(problem) };
    Ok(firmware::goals(store, &wanted, observer)?)
}

fn extensions(
    store: &mut Store,
    _: Option<&Recorded>,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Goal>, Failure> {
    Ok(instructions::goals(store, SEEDS, &interrupt::flag(), observer)?)
}

/// Reads the record of a run on a card.
fn recorded(file: &Path) -> Result<Recorded, Failure> {
    let failed = |why: String| Failure::Other(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|e| failed(format!("cannot be read: {e}")))?;
    Recorded::read(&text).map_err(failed)
}

/// Measures and prints a table of goals.
pub fn run(
    (measure, document): (Measure, Document),
    options: &arguments::Bench,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let recorded = options.card.as_deref().map(recorded).transpose()?;
    let mut store = store_or_copy(named)?;
    let mut reporter = Reporter::new("cycles");
    let goals = measure(&mut store, recorded.as_ref(), &mut |event| reporter.show(event))?;
    reporter.finish();
    if output.json {
        goals.iter().try_for_each(|goal| output.object(goal))?;
    } else {
        output.line(text(&goals).trim_end())?;
    }
    if let Some(file) = &options.markdown {
        overwrite::put(file, &document(&goals, recorded.as_ref()), options.force)?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}
