//! `aesmith explain`: why the winner wins.

use super::grids::few;
use crate::arguments;
use crate::deliver::Provider;
use crate::failure::Failure;
use crate::kernels::kernels;
use crate::output::{Output, say, side_by_side};
use crate::progress::Reporter;
use crate::quantity::unit;
use crate::sources::{LOOKING, request, request_on, settings, store_to_read, what, wisdom_path_to_read};
use aesmith_cipher::Problem;
use aesmith_emit::grid::grid_symbol;
use aesmith_processor::core::Core;
use aesmith_processor::grid::{Gives, Grids};
use aesmith_tune::decide::grids::best as best_grid;
use aesmith_tune::deliver::firmware::{CoreRequest, best_known};
use aesmith_tune::evaluate::look::Look;
use aesmith_tune::explain::{Explanation, Section, explain, explain_exact, explain_grid};
use aesmith_tune::{Settings, Workplace};
use serde::Serialize;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Prints the explanation of the best known kernel.
pub fn run(options: &arguments::Explain, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    kernels(options.processor.as_deref())?.explain(options, named, output)
}

/// Explains a kernel of a processor whose cycles are counted.
pub fn counted(
    core: &'static Core,
    options: &arguments::Explain,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let problem = named_problem(options)?;
    let request = &request_on(core, Some(problem), &options.choice)?;
    let store = store_to_read(&wisdom_path_to_read(named)?)?;
    let how = Look {
        until: Some(Instant::now() + LOOKING),
        brief: true,
        tell: &|text| say(text),
        ..Look::default()
    };
    let wanted = CoreRequest { problem, request, size: None, contract: &|_| true, how };
    let kernel = best_known(core, store.as_ref(), &wanted)?;
    let explained = explain_exact(core, store.as_ref(), &kernel)?;
    print(&explained, &explained.explanation, output)
}

/// Explains a kernel of a grid.
pub fn bounded(
    grids: &'static Grids,
    options: &arguments::Explain,
    output: &mut Output,
) -> Result<(), Failure> {
    let problem = named_problem(options)?;
    let request = request(grids.table, Some(problem), &options.choice)?;
    let found = best_grid(grids, problem, &request, Gives::ANYTHING, &grid_symbol, &mut few())?;
    let explained = explain_grid(grids, found.winner.certificate());
    print(&json!(explained), &explained.explanation, output)
}

/// The problem of a processor whose latest run wisdom does not tell.
fn named_problem(options: &arguments::Explain) -> Result<Problem, Failure> {
    options.problem.ok_or_else(|| Failure::Usage("name a problem: aes128-ecb".into()))
}

/// Explains a kernel of this machine.
pub fn measured(
    options: &arguments::Explain,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let path = wisdom_path_to_read(named)?;
    let what = what(&options.choice, options.problem)?;
    let mut provider = Provider::new(&path, &what)?;
    let problem = provider.problem_or_latest(options.problem)?;
    let kernel = provider.source().best(problem, options.size)?;
    let mut reporter = Reporter::new(unit(problem));
    let mut place = Workplace::open(Settings { copy: true, ..settings(path, 1, &what) }, &mut |event| {
        reporter.show(event)
    })?;
    let explanation = explain(&mut place, &kernel, options.size)?;
    reporter.finish();
    print(&explanation, &explanation, output)
}

fn print(object: &impl Serialize, explanation: &Explanation, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        return output.object(object);
    }
    for (i, Section { title, rows }) in explanation.sections.iter().enumerate() {
        if i > 0 {
            output.line("")?;
        }
        output.line(title)?;
        side_by_side(rows).iter().try_for_each(|line| output.line(line))?;
    }
    Ok(())
}
