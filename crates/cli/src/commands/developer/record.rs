//! `aesmith-bench replay --record`: measures every variant of a space.

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::say;
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::unit;
use crate::sources::{settings, what, wisdom_path};
use aesmith_bench::record::record;
use aesmith_search::Budget;
use aesmith_tune::Workplace;
use std::path::Path;

/// Records a space into a file, or says how the recording is continued.
pub fn run(options: &arguments::Replay, file: &Path, named: Option<&Path>) -> Result<(), Failure> {
    let Some(problem) = options.problem else {
        return Err(Failure::Usage("--record needs --problem".into()));
    };
    let mut what = what(&options.choice, Some(problem))?;
    what.request.paper = options.paper;
    let mut reporter = Reporter::new(unit(problem));
    let settings = settings(wisdom_path(named)?, 1, &what);
    let mut place = Workplace::open(settings, &mut |event| reporter.show(event))?;
    let techniques = what.request.techniques(&place.target)?;
    let [technique] = techniques[..] else {
        return Err(Failure::Usage("a recording is of one technique: name it with --technique".into()));
    };
    let space = what.request.space(problem, technique, &place.target, options.size)?;
    let budget = Budget { time: options.time, interrupted: interrupt::flag(), ..Budget::default() };
    let commit = option_env!("AESMITH_BUILT_COMMIT");
    let size = if problem.is_message() { options.size } else { 0 };
    let recorded = record(&mut place, &space, size, budget, commit, &mut |event| {
        reporter.show(event);
    })?;
    reporter.finish();
    let again = "what was measured is kept, and the same command goes on from there";
    let Some(bytes) = recorded else {
        let Some(signal) = interrupt::signal() else {
            return Err(Failure::Other(format!(
                "{} is not written, as the time was over before all of it was recorded; {again}",
                file.display()
            )));
        };
        say(format!("aesmith: {} is not written; {again}", file.display()));
        return Err(Failure::Interrupted(signal));
    };
    let cannot = |why| Failure::Other(format!("{} cannot be written: {why}; {again}", file.display()));
    overwrite::stream(file, None, options.force, |to| to.write_all(&bytes).map_err(cannot))
}
