//! `aesmith bench --goals processors`: what is to be reached on described processors, and what is.

use super::shown;
use super::tune::{cycles, effort};
use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::progress::Reporter;
use crate::sources::wisdom_path;
use aesmith_processor::timing::Timing;
use aesmith_tune::Effort;
use aesmith_tune::exact::descent::Wanted;
use aesmith_tune::exact::front::{Budgets, Objective};
use aesmith_tune::exact::goals::{goals, markdown};
use aesmith_wisdom::Store;
use std::path::Path;

/// Measures and prints the table.
pub fn run(options: &arguments::Bench, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let (time, seeds) = effort(Effort::Measure);
    let wanted = Wanted {
        // Each line of the table has its own problem, limits and kind of time.
        problem: aesmith_cipher::Problem::new(
            aesmith_cipher::KeySize::Aes128,
            aesmith_cipher::Task::Ecb(aesmith_cipher::Direction::Encrypt),
        ),
        objective: Objective::Cycles,
        budgets: Budgets::default(),
        timing: Timing::Variable,
        time,
        trials: None,
        seeds,
        seed: 1,
        afresh: false,
        only: None,
        interrupted: interrupt::flag(),
    };
    let mut store = Store::open(&wisdom_path(named)?)?;
    let mut reporter = Reporter::new("cycles");
    let reached = goals(&mut store, &wanted, &mut |event| reporter.show(shown(event)))?;
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
