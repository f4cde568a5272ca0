//! `aesmith report` of a kernel of a grid: one self-contained HTML file of static bounds.

use super::refuse;
use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::overwrite;
use crate::quantity::show_moment;
use crate::sources::request;
use aesmith_emit::grid::grid_symbol;
use aesmith_processor::grid::Grids;
use aesmith_report::render_grid;
use aesmith_tune::grids::landscape::surveyed;
use aesmith_tune::grids::page::page;
use aesmith_wisdom::write::now_ms;
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

/// The number of variants that are translated in any case: the default of `tune`.
const TRANSLATED: usize = 16;

/// Writes the page and prints its path.
pub fn report(
    grids: &'static Grids,
    options: &arguments::Report,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(problem) = options.problem else {
        return Err(Failure::Usage(format!(
            "a page on {0} is about one problem, and none is remembered: name one, as in `aesmith report aes128-ctr \
             --processor {0}`",
            grids.name
        )));
    };
    refuse(grids, &[("--for", options.choice.calls.is_cold())], "nothing is measured there")?;
    let request = request(grids.table, Some(problem), &options.choice)?;
    let file = options
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("aesmith-{problem}-{}.html", grids.name)));
    overwrite::allowed(&file, options.force)?;
    let interrupted = interrupt::flag();
    let mut goes_on = || !interrupted.load(Relaxed);
    let (found, landscapes) = surveyed(grids, problem, &request, &grid_symbol, TRANSLATED, &mut goes_on)?;
    let made = format!("{} UTC", show_moment(now_ms()));
    let page = page(grids, &found, &landscapes, &request, made);
    overwrite::put(&file, &render_grid(&page), options.force)?;
    if output.json {
        output.object(&json!({
            "problem": problem.to_string(),
            "processor": grids.name,
            "report": file.display().to_string(),
        }))?;
    } else {
        output.line(file.display().to_string())?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}
