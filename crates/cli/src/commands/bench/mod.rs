//! `aesmith bench PROBLEM`: the best known kernels against other libraries, interleaved.

pub mod exact;

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::kernels::kernels;
use crate::output::{Output, say};
use crate::progress::Reporter;
use crate::sources::{settings, what, wisdom_path_to_read};
use aesmith_tune::bench::{Bench, BenchOptions, bench, text};
use aesmith_tune::options::DEFAULT_SIZE;
use aesmith_tune::{Settings, Workplace};
use std::path::Path;

/// Rounds of the interleaved measurement: an interval of the median narrower than 1 % needs a few dozen.
const ROUNDS: usize = 40;

/// Measures and prints rows.
pub fn run(options: &arguments::Bench, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    kernels(options.processor.as_deref())?.bench(options, named, output)
}

/// Measures on this machine.
pub fn measured(
    options: &arguments::Bench,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut reporter = Reporter::new("c/B");
    let mut place = workplace(options, named, &mut reporter)?;
    let measured = rows(&mut place, options, &mut reporter)?;
    reporter.finish();
    if output.json {
        measured.rows.iter().try_for_each(|row| output.object(row))?;
        measured.notes.iter().for_each(say);
    } else {
        output.line(text(&measured).trim_end())?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

/// The place of measurements that are not stored.
pub fn workplace(
    options: &arguments::Bench,
    named: Option<&Path>,
    reporter: &mut Reporter,
) -> Result<Workplace, Failure> {
    let what = what(&options.choice, options.problem)?;
    let settings = Settings { copy: true, ..settings(wisdom_path_to_read(named)?, 1, &what) };
    Ok(Workplace::open(settings, &mut |event| reporter.show(event))?)
}

/// Measures the kernels of one problem or of all, and other libraries.
pub fn rows(
    place: &mut Workplace,
    options: &arguments::Bench,
    reporter: &mut Reporter,
) -> Result<Bench, Failure> {
    let wanted = BenchOptions {
        problems: options.problem.into_iter().collect(),
        sizes: options.sizes.as_ref().map_or_else(Vec::new, |s| s.0.clone()),
        best_at: DEFAULT_SIZE,
        rounds: ROUNDS,
        cold: options.cold,
        interrupted: interrupt::flag(),
    };
    Ok(bench(place, &wanted, &mut |event| reporter.show(event))?)
}
