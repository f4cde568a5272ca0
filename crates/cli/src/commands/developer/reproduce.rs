//! `aesmith-bench reproduce`: a paper's evaluation repeated on this CPU.

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table, say};
use crate::overwrite;
use crate::progress::Reporter;
use crate::sources::{cpu_named, settings, wisdom_path};
use aesmith_bench::reproduce::{Options, Reproduction, possible, reproduce, text};
use aesmith_tune::Workplace;
use std::path::{Path, PathBuf};

/// Makes the missing measurements, writes the folder, and prints the findings.
pub fn run(options: &arguments::Reproduce, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let folder =
        options.output.clone().unwrap_or_else(|| PathBuf::from(format!("aesmith-{}", options.paper)));
    let files = ["REPRODUCTION.md", "reproduction.html", "reproduction.json"].map(|name| folder.join(name));
    files.iter().try_for_each(|file| overwrite::allowed(file, options.force))?;
    let what = cpu_named(options.cpu.as_slice())?;
    possible(&what.target)?;
    std::fs::create_dir_all(&folder)
        .map_err(|why| Failure::Other(format!("{} cannot be made: {why}", folder.display())))?;
    let mut reporter = Reporter::new("c/B");
    let settings = settings(wisdom_path(named)?, 1, &what);
    let mut place = Workplace::open(settings, &mut |event| reporter.show(event))?;
    let wanted = Options { time: options.time, folder: folder.clone(), interrupted: interrupt::flag() };
    let commit = option_env!("AESMITH_BUILT_COMMIT");
    let found = reproduce(&mut place, &wanted, commit, &mut |event| reporter.show(event))?;
    reporter.finish();
    let json = serde_json::to_string(&found).map_err(|why| Failure::Other(why.to_string()))?;
    let page = aesmith_report::render_compared(&text::page(&found));
    for (file, contents) in files.iter().zip([text::markdown(&found), page, json + "\n"]) {
        overwrite::put(file, &contents, options.force)?;
    }
    if output.json {
        output.object(&found)?;
    } else {
        print(&found, &files[0], output)?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

fn print(found: &Reproduction, document: &Path, output: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new("the paper's statement|tested on|here");
    for finding in &found.findings {
        table.row([&finding.statement, &finding.of, finding.said.words()]);
    }
    output.table(&table)?;
    for mean in &found.modes.means {
        output.line(format!(
            "mean speed-up over {}: {:.2} ({:.2} to {:.2} in {} modes); the paper has 1.43",
            mean.baseline, mean.mean, mean.least, mean.most, mean.modes
        ))?;
    }
    for figure in &found.figures {
        output.line(format!(
            "Figure {}: {} of {} cells, noise {:.1} %",
            figure.number,
            figure.cells.len(),
            figure.all,
            100.0 * figure.noise
        ))?;
    }
    found.notes.iter().for_each(say);
    if !found.whole {
        let partial = found.left.join("; ");
        output.line(format!(
            "partial, and no statement is tested by it: {partial}; the same command goes on from there"
        ))?;
    }
    output.line(document.display().to_string())
}
