//! `aesmith profile`: where the time of the byte-wise technique in C goes, step by step.

use crate::arguments;
use crate::failure::Failure;
use crate::output::{Output, Table};
use aesmith_arrange::Technique;
use aesmith_profile::{Cost, Profile, Report, profile};
use std::path::PathBuf;

/// Measures every combination of the four optimizations and prints the lab report's two tables.
pub fn run(options: &arguments::Profile, output: &mut Output) -> Result<(), Failure> {
    if options.technique != Technique::Bytewise {
        return Err(Failure::Usage(format!(
            "technique {} is not made of the steps of FIPS-197 that a profile tells apart; `aesmith profile \
             bytewise --c` is what there is",
            options.technique
        )));
    }
    if !options.c {
        return Err(Failure::Usage(
            "a profile is of the C form, whose steps are functions: `aesmith profile bytewise --c`".into(),
        ));
    }
    // Without a directory to keep them in, the programs go when they have been measured.
    let scratch = std::env::temp_dir().join(format!("aesmith-profile-{}", std::process::id()));
    let folder: PathBuf = options.output.clone().unwrap_or_else(|| scratch.clone());
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be made: {e}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(cannot)?;
    let report = profile(options.compiler.name(), &folder, |combination| {
        eprintln!("profiling {combination}");
    });
    if options.output.is_none() {
        // A folder that is left behind in the system's place for such is no loss.
        let _ = std::fs::remove_dir_all(&scratch);
    }
    let report = report.map_err(|e| Failure::Other(e.to_string()))?;
    if let Some(folder) = &options.output {
        let json = serde_json::to_string_pretty(&report).map_err(|e| Failure::Other(e.to_string()))?;
        let path = folder.join("profile.json");
        std::fs::write(&path, json + "\n")
            .map_err(|e| Failure::Other(format!("{} cannot be written: {e}", path.display())))?;
    }
    if output.json {
        return output.object(&report);
    }
    print(&report, output)
}

fn print(report: &Report, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{} of {} blocks, {}", report.problem, report.blocks, report.compiler))?;
    output.line(format!("instructions: {}", report.instructions))?;
    output.line(format!("cycles: {}", report.cycles))?;
    output.line("")?;
    let mut table =
        Table::new(&["combination", "step", ">calls", ">instructions", ">cycles", ">ns", ">cycles a call"]);
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
    let mut table = Table::new(&["combination", ">text", ">data", ">bss", ">whole, cycles", ">to none"]);
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
