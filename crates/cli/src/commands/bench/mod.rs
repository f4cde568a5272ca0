//! `aesmith bench`: the best known kernels against other libraries, interleaved.

pub mod exact;
mod goals;

use crate::arguments::{self, Goals};
use crate::failure::Failure;
use crate::interrupt;
use crate::kernels::kernels;
use crate::output::{Output, say};
use crate::overwrite;
use crate::progress::Reporter;
use crate::sources::{settings, what, wisdom_path_to_read};
use aesmith_tune::bench::{BenchOptions, bench, performance_markdown, text};
use aesmith_tune::goals::{Which, goals as measure_goals};
use aesmith_tune::options::DEFAULT_SIZE;
use aesmith_tune::{Settings, Workplace};
use std::path::Path;

/// Rounds of the interleaved measurement: an interval of the median narrower than 1 % needs a few dozen.
const ROUNDS: usize = 40;

/// Measures and prints rows; without a problem also the table of goals.
pub fn run(options: &arguments::Bench, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    if let Some(file) = &options.markdown {
        overwrite::allowed(file, options.force)?;
    }
    if options.card.is_some() && options.goals != Goals::Gpu {
        return Err(Failure::Usage("--card is of GPUs: give --goals gpu with it, or leave it out".into()));
    }
    kernels(options.processor.as_deref())?.bench(options, named, output)
}

/// Measures on this machine.
pub fn measured(
    options: &arguments::Bench,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    match options.goals {
        Goals::Processors => return goals::run(goals::PROCESSORS, options, named, output),
        Goals::Extensions => return goals::run(goals::EXTENSIONS, options, named, output),
        Goals::Gpu => return goals::run(goals::GPU, options, named, output),
        Goals::All | Goals::Instructions | Goals::Software => {}
    }
    let what = what(&options.choice, options.problem)?;
    let restriction = what.request.restriction();
    if options.problem.is_none() && !restriction.is_empty() {
        return Err(Failure::Usage(format!(
            "{restriction}: the goals are about every technique and width; name a problem to measure what is \
             restricted, as in `aesmith bench aes256-ctr --width xmm`"
        )));
    }
    if options.problem.is_none() && what.request.calls.is_cold() {
        return Err(Failure::Usage(
            "the goals are of calls in steady state; name a problem to measure what was tuned for cold calls, as in \
             `aesmith bench aes256-ctr --for cold --cold`"
                .into(),
        ));
    }
    let settings = Settings { copy: true, ..settings(wisdom_path_to_read(named)?, 1, &what) };
    let mut reporter = Reporter::new("c/B");
    let mut place = Workplace::open(settings, &mut |event| reporter.show(event))?;
    let interrupted = interrupt::flag();
    let wanted = BenchOptions {
        problems: options.problem.into_iter().collect(),
        sizes: options.sizes.as_ref().map_or_else(Vec::new, |s| s.0.clone()),
        best_at: DEFAULT_SIZE,
        rounds: ROUNDS,
        cold: options.cold,
        interrupted: interrupted.clone(),
    };
    let mut measured = match options.goals {
        Goals::Software => aesmith_tune::bench::Bench::default(),
        _ => bench(&mut place, &wanted, &mut |event| reporter.show(event))?,
    };
    if options.problem.is_none() && interrupt::signal().is_none() {
        let which = match options.goals {
            Goals::All => Which::All,
            Goals::Instructions => Which::Instructions,
            Goals::Software | Goals::Processors | Goals::Extensions | Goals::Gpu => Which::Software,
        };
        measure_goals(&mut place, &mut measured, which, &interrupted, &mut |event| reporter.show(event))?;
    }
    reporter.finish();
    if output.json {
        measured.rows.iter().try_for_each(|row| output.object(row))?;
        measured.goals.iter().try_for_each(|goal| output.object(goal))?;
        measured.lesser.iter().try_for_each(|row| output.object(row))?;
        measured.notes.iter().for_each(say);
    } else {
        output.line(text(&measured).trim_end())?;
    }
    if let Some(file) = &options.markdown {
        overwrite::put(file, &performance_markdown(&place, &measured), options.force)?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}
