//! `aesmith bench --goals extensions`: what is to be reached with custom instructions, and what is.

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::progress::Reporter;
use crate::sources::wisdom_path;
use aesmith_explore::goals::{goals, markdown, number};
use aesmith_wisdom::Store;
use std::path::Path;

/// Orders and allocations tried of each promising variant.
const SEEDS: u32 = 16;

/// Measures and prints the table.
pub fn run(options: &arguments::Bench, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let mut store = Store::open(&wisdom_path(named)?)?;
    let mut reporter = Reporter::new("cycles");
    let reached = goals(&mut store, SEEDS, &interrupt::flag(), &mut |event| reporter.show(event))?;
    reporter.finish();
    if output.json {
        reached.iter().try_for_each(|r| output.object(r))?;
    } else {
        let mut table =
            Table::new(&["extension", "processor", "what", "must", ">aim", ">measured", "", "by", "from"]);
        for r in &reached {
            table.row([
                r.extension.clone(),
                r.processor.clone(),
                r.what.clone(),
                r.must.clone(),
                number(r.aim),
                number(r.measured),
                r.verdict.clone(),
                r.by.clone(),
                r.about.clone(),
            ]);
        }
        output.table(&table)?;
    }
    if let Some(file) = &options.markdown {
        overwrite::put(file, &markdown(&reached), options.force)?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}
