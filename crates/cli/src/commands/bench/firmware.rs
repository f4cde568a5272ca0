//! `aesmith bench --goals processors`: what is to be reached on processors other than this machine, and what is.

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::cycles;
use crate::sources::wisdom_path;
use aesmith_cipher::{Direction, KeySize, Problem, Task};
use aesmith_tune::RunRequest;
use aesmith_tune::goals::firmware::{goals, markdown};
use aesmith_wisdom::Store;
use std::path::Path;

/// Measures and prints the table.
pub fn run(options: &arguments::Bench, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    // Each line of the table has its own problem, limits and kind of time.
    let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let wanted = RunRequest { interrupted: interrupt::flag(), ..RunRequest::new(problem) };
    let mut store = Store::open(&wisdom_path(named)?)?;
    let mut reporter = Reporter::new("cycles");
    let reached = goals(&mut store, &wanted, &mut |event| reporter.show(event))?;
    reporter.finish();
    if output.json {
        reached.iter().try_for_each(|r| output.object(r))?;
    } else {
        let mut table =
            Table::new(&["processor", "problem", ">must", ">aim", ">measured", ">bound", "", "by"]);
        let number = |n: Option<f64>| n.map_or("-".to_owned(), cycles);
        for r in &reached {
            let what =
                if r.what.is_empty() { r.problem.clone() } else { format!("{}, {}", r.problem, r.what) };
            table.row([
                r.processor.clone(),
                what,
                number(r.must),
                number(r.aim),
                number(r.measured),
                number(r.bound),
                r.verdict.clone(),
                r.by.clone(),
            ]);
        }
        output.table(&table)?;
    }
    if let Some(file) = &options.markdown {
        overwrite::put(file, &markdown(&reached), options.force)?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}
