//! `aesmith profile`: the time of the byte-wise technique in C, step by step.

mod counted;

use crate::arguments;
use crate::deliver::write;
use crate::failure::Failure;
use crate::output::{Output, Table, say};
use crate::overwrite;
use crate::scratch::Scratch;
use crate::sources::store_or_copy;
use aesmith_emit::package::File;
use aesmith_profile::{Cost, Profile, Report, Step, profile};
use aesmith_tune::report_data::PROFILE;
use aesmith_tune::workplace::{TOOL_VERSION, this_processor};
use serde::Serialize;
use std::path::Path;

/// Measures every combination of the four optimizations and prints the lab report's two tables.
pub fn run(options: &arguments::Profile, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    if !options.technique.has_own("subbytes") {
        return Err(Failure::Usage(format!(
            "technique {} is not made of the steps of FIPS-197 that a profile tells apart; `aesmith profile \
             bytewise` is what there is",
            options.technique
        )));
    }
    if let Some(processor) = &options.processor {
        return counted::run(options, processor, output);
    }
    if !options.c {
        return Err(Failure::Usage(
            "a profile is of the C form, whose steps are functions: `aesmith profile bytewise --c` on this \
             machine, `--processor NAME` on another one"
                .into(),
        ));
    }
    let left = Leftovers::new(options)?;
    let report = profile(options.compiler.name(), left.path(), |combination| {
        say(format!("profiling {combination}"));
    });
    let report = report.map_err(|e| Failure::Other(e.to_string()))?;
    left.keep(&report)?;
    remember(&report, named)?;
    if output.json {
        return output.object(&report);
    }
    print(&report, output)
}

/// Files that a profile keeps for the user: its C files and its figures. They are made in a temporary directory and the
/// requested ones are copied.
pub struct Leftovers<'o> {
    scratch: Scratch,
    to: Option<(&'o Path, bool)>,
}

impl<'o> Leftovers<'o> {
    /// Prepares the directories; a foreign file of figures is refused before anything is measured.
    pub fn new(options: &'o arguments::Profile) -> Result<Leftovers<'o>, Failure> {
        let to = options.output.as_deref().map(|folder| (folder, options.force));
        if let Some((folder, force)) = to {
            overwrite::allowed(&folder.join(FIGURES), force)?;
        }
        Ok(Leftovers { scratch: Scratch::new("profile")?, to })
    }

    /// The directory in which programs are made.
    pub fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// Copies the C files, and writes the figures beside them.
    pub fn keep(self, report: &impl Serialize) -> Result<(), Failure> {
        let Some((folder, force)) = self.to else { return Ok(()) };
        let cannot = |e: std::io::Error| Failure::Other(format!("what was made cannot be read: {e}"));
        let json = serde_json::to_string_pretty(report).map_err(|e| Failure::Other(e.to_string()))?;
        let mut files = vec![File { name: FIGURES.into(), contents: json + "\n" }];
        for entry in std::fs::read_dir(self.path()).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|e| e == "c") {
                let contents = std::fs::read_to_string(&path).map_err(cannot)?;
                let mark = format!("/* {name}, written by aesmith {}. */\n", env!("CARGO_PKG_VERSION"));
                files.push(File { name, contents: mark + &contents });
            }
        }
        write(&files, folder, force).map(|_| ())
    }
}

/// The name of the file of figures.
const FIGURES: &str = "profile.json";

/// Stores the data of the picture in the wisdom, for every report of this processor.
fn remember(report: &Report, named: Option<&Path>) -> Result<(), Failure> {
    let mut store = store_or_copy(named)?;
    let processor = store.put_processor(&this_processor(None))?;
    let json = serde_json::to_value(picture(report)).map_err(|e| Failure::Other(e.to_string()))?;
    store.put_finding(&processor, PROFILE, TOOL_VERSION, &json)?;
    Ok(())
}

/// The bars of a report: instructions of a block if they were counted, else cycles.
fn picture(report: &Report) -> aesmith_report::Profile {
    let counted = report.profiles.iter().all(|p| p.whole.instructions.is_some());
    let blocks = report.blocks.max(1) as f64;
    let amount = |cost: &Cost| match cost.instructions {
        Some(n) if counted => n as f64 / blocks,
        _ => cost.cycles / blocks,
    };
    let mut functions: Vec<String> = Step::ALL.map(|step| step.name().to_owned()).to_vec();
    if counted {
        functions.push("loads, calls, loops".into());
    }
    let row = |p: &Profile| aesmith_report::ProfileRow {
        name: p.combination.to_string(),
        parts: p
            .steps
            .iter()
            .map(|(_, cost)| amount(cost))
            .chain(p.rest().filter(|_| counted).map(|rest| rest as f64 / blocks))
            .collect(),
        whole: amount(&p.whole),
        text: p.sizes.text,
        data: p.sizes.data,
        bss: p.sizes.bss,
    };
    aesmith_report::Profile {
        how: format!("{}, {}", if counted { &report.instructions } else { &report.cycles }, report.compiler),
        unit: format!(
            "{} a block of {} blocks",
            if counted { "instructions" } else { "cycles" },
            report.blocks
        ),
        functions,
        rows: report.profiles.iter().map(row).collect(),
    }
}

fn print(report: &Report, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{} of {} blocks, {}", report.problem, report.blocks, report.compiler))?;
    output.line(format!("instructions: {}", report.instructions))?;
    output.line(format!("cycles: {}", report.cycles))?;
    output.line("")?;
    let mut table = Table::new("combination|step|>calls|>instructions|>cycles|>ns|>cycles a call");
    for profile in &report.profiles {
        for (i, (step, cost)) in profile.steps.iter().enumerate() {
            let name = if i == 0 { profile.combination.to_string() } else { String::new() };
            table.row(row(name, step.name(), cost));
        }
        table.row([
            String::new(),
            "rest".into(),
            String::new(),
            profile.rest().map_or_else(|| "-".into(), |n| n.to_string()),
        ]);
        let cost = &profile.whole;
        table.row([
            String::new(),
            "whole".into(),
            cost.calls.to_string(),
            cost.instructions.map_or_else(|| "-".into(), |n| n.to_string()),
            format!("{:.0}", cost.cycles),
            format!("{:.0}", cost.nanoseconds),
            String::new(),
        ]);
    }
    output.table(&table)?;
    output.line("")?;
    output.table(&sizes(&report.profiles))
}

fn row(name: String, step: &str, cost: &Cost) -> [String; 7] {
    [
        name,
        step.to_owned(),
        cost.calls.to_string(),
        cost.instructions.map_or_else(|| "-".into(), |n| n.to_string()),
        format!("{:.0}", cost.cycles),
        format!("{:.0}", cost.nanoseconds),
        format!("{:.1}", cost.cycles / cost.calls as f64),
    ]
}

fn sizes(profiles: &[Profile]) -> Table {
    let mut table = Table::new("combination|>text|>data|>bss|>whole, cycles|>to none");
    let none = profiles.first().map_or(1.0, |p| p.whole.cycles);
    for profile in profiles {
        let sizes = profile.sizes;
        table.row([
            profile.combination.to_string(),
            sizes.text.to_string(),
            sizes.data.to_string(),
            sizes.bss.to_string(),
            format!("{:.0}", profile.whole.cycles),
            format!("{:.2}", none / profile.whole.cycles),
        ]);
    }
    table
}
