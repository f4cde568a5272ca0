//! `aesmith profile bytewise --processor`: the lab report's tables on another processor.

use crate::arguments;
use crate::commands::profile::Leftovers;
use crate::failure::Failure;
use crate::output::{Output, Table, say};
use aesmith_cipher::problem::KeySize;
use aesmith_profile::counted::{CountedReport, profile_counted};
use aesmith_profile::memory::Memory;
use aesmith_profile::published::{Comparison, EXPAND_KEY, SizeComparison, left};

/// Profiles every combination of the four optimizations on a processor.
pub fn run(options: &arguments::Profile, processor: &str, output: &mut Output) -> Result<(), Failure> {
    let core = aesmith_processors::core(processor).map_err(Failure::Usage)?;
    let left = Leftovers::new(options)?;
    let report = profile_counted(core, left.path(), |combination| say(format!("profiling {combination}")));
    let report = report.map_err(|e| Failure::Other(e.to_string()))?;
    left.keep(&report)?;
    if output.json {
        return output.object(&report);
    }
    print(&report, output)
}

fn print(report: &CountedReport, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{} on {}: one key set-up and one block", report.problem, report.processor))?;
    output.line(format!("code: {}", report.code))?;
    output.line(format!("cycles: {}", report.cycles))?;
    output.line(format!("memory: {}", report.memory))?;
    output.line(format!("judge: {}", report.judge))?;
    output.line("")?;
    output.table(&cycles(report))?;
    output.line("")?;
    output.table(&sizes(report))?;
    output.line("")?;
    output.line(
        "\"Optimization of AES in Software\", on a MicroBlaze with caches, beside the same optimization here, \
         alone; what is left of each in per cent:",
    )?;
    output.table(&comparisons(&report.comparisons))?;
    output.line("")?;
    output.line(
        "Bytes of the program with one optimization: text in the report, and text, data and bss here. The report \
         measured all four together nowhere; its figures of data and bss are not known here:",
    )?;
    output.table(&size_comparisons(&report.size_comparisons))?;
    let ours = |memory| {
        let run = report.profiles.first().and_then(|p| p.runs.iter().find(|r| r.memory == memory));
        run.and_then(|r| r.steps.first()).map_or(0, |(_, cycles)| *cycles)
    };
    output.line("")?;
    output.line(format!(
        "ExpandKey: the report {EXPAND_KEY}, here {} in local memory, {} cached",
        ours(Memory::Local),
        ours(Memory::Cached)
    ))?;
    output.line(
        "The report's two settings of its caches differ by 0.1 %: its program was in local memory, which caches \
         do not touch.",
    )?;
    output.line(
        "Initialization is ExpandKey; `round` is the average of AddRoundKey, SubBytes, ShiftRows and MixColumns \
         over the ten rounds, without calls and loops around them.",
    )
}

fn cycles(report: &CountedReport) -> Table {
    let judged = report.profiles.iter().any(|p| p.runs.iter().any(|r| r.judged.is_some()));
    let steps = ">ExpandKey|>AddRoundKey|>SubBytes|>ShiftRows|>MixColumns";
    let by_judge = if judged { "|>judged" } else { "" };
    let mut table = Table::new(&format!("combination|memory|{steps}|>round|>rest|>whole|>to none{by_judge}"));
    for profile in &report.profiles {
        for (k, run) in profile.runs.iter().enumerate() {
            let mut row = vec![
                if k == 0 { profile.combination.to_string() } else { String::new() },
                run.memory.name().into(),
            ];
            row.extend(run.steps.iter().map(|(_, cycles)| cycles.to_string()));
            let none = report.profiles[0].runs[k].whole;
            row.push(format!("{:.1}", run.round(KeySize::Aes128.rounds())));
            row.push(run.rest().to_string());
            row.push(run.whole.to_string());
            row.push(format!("{:.2}", none as f64 / run.whole.max(1) as f64));
            if judged {
                row.push(run.judged.map_or_else(|| "-".into(), |cycles| cycles.to_string()));
            }
            table.row(row);
        }
    }
    table
}

fn sizes(report: &CountedReport) -> Table {
    let mut table = Table::new("combination|>text|>data|>bss");
    for profile in &report.profiles {
        let sizes = profile.sizes;
        table.row([
            profile.combination.to_string(),
            sizes.text.to_string(),
            sizes.data.to_string(),
            sizes.bss.to_string(),
        ]);
    }
    table
}

fn size_comparisons(comparisons: &[SizeComparison]) -> Table {
    let mut table = Table::new("report|here|>text there|>text|>data|>bss");
    for c in comparisons {
        let sizes =
            [c.published_text, c.sizes.text, c.sizes.data, c.sizes.bss].map(|bytes| bytes.to_string());
        table.row([c.by.to_owned(), c.combination.to_string()].into_iter().chain(sizes));
    }
    table
}

fn comparisons(comparisons: &[Comparison]) -> Table {
    let mut table = Table::new("figure|by|>report|>then|>left|>local|>then|>left|>cached|>then|>left");
    for c in comparisons {
        let mut row = vec![c.what.to_owned(), c.by.to_owned()];
        for figures in [c.published, c.local, c.cached] {
            row.extend([figures.0.to_string(), figures.1.to_string(), format!("{:.0} %", left(figures))]);
        }
        table.row(row);
    }
    table
}
