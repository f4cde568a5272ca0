//! `aesmith explain`: why the winner wins.

mod exact;

use crate::arguments;
use crate::failure::Failure;
use crate::handout::Smith;
use crate::output::{Output, wrap};
use crate::progress::Reporter;
use crate::quantity::unit;
use crate::sources::{processor, settings, what, wisdom_path};
use aesmith_tune::Workplace;
use aesmith_tune::explain::explain;
use std::path::Path;

/// Prints the explanation of the best known kernel.
pub fn run(options: &arguments::Explain, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    if let Some(core) = processor(options.processor.as_deref())? {
        return exact::run(core, options, named, output);
    }
    let path = wisdom_path(named)?;
    let what = what(&options.choice, options.problem)?;
    let mut smith = Smith::new(&path, &what)?;
    let problem = smith.problem_or_latest(options.problem)?;
    let kernel = smith.best(problem, options.size)?;
    let mut reporter = Reporter::new(unit(problem));
    let mut place = Workplace::open(settings(path, 1, &what), &mut |event| reporter.show(event))?;
    let explanation = explain(&mut place, &kernel, options.size)?;
    reporter.finish();
    if output.json {
        return output.object(&explanation);
    }
    for (i, section) in explanation.sections.iter().enumerate() {
        if i > 0 {
            output.line("")?;
        }
        output.line(&section.title)?;
        let width = section.rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in &section.rows {
            let lines = wrap(value, "", 100usize.saturating_sub(width + 4).max(40));
            for (i, line) in lines.iter().enumerate() {
                let name = if i == 0 { name.as_str() } else { "" };
                output.line(format!("  {name:<width$}  {line}"))?;
            }
        }
    }
    Ok(())
}
