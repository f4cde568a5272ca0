//! All measurements of this machine, as text and as docs/PERFORMANCE.md.

use crate::goals::{self, Goal};
use aesmith_tune::bench::{Bench, OURS, Row};
use aesmith_tune::tables::{QUANTITIES, by_problem, figure, notes, quartiles, rows, size};
use aesmith_tune::workplace::{TOOL_VERSION, Workplace};
use serde::Serialize;
use std::fmt::Write;

/// The winner on a CPU restricted to some features.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lesser {
    /// The level of features.
    pub level: String,
    /// The problem's name.
    pub problem: String,
    /// Bytes of a message.
    pub bytes: u64,
    /// The technique's name.
    pub technique: String,
    /// The variant.
    pub variant: String,
    /// Median, in calibrated core cycles of this CPU.
    pub cycles_per_byte: f64,
    /// Lower bound from the units of this CPU for the instructions of a block.
    pub bound_cycles_per_byte: Option<f64>,
}

/// The measurements of this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Benchmark {
    /// Our kernels and other libraries, and remarks.
    pub bench: Bench,
    /// The goals, if requested.
    pub goals: Vec<Goal>,
    /// The constant-time winners without AES instructions for CPUs with fewer features, if requested.
    pub lesser: Vec<Lesser>,
}

/// The measurements as text for a terminal.
pub fn text(measured: &Benchmark) -> String {
    let Benchmark { bench, goals, lesser } = measured;
    let mut out = rows(&bench.rows);
    if !goals.is_empty() {
        let _ = writeln!(out, "\ngoals");
        for line in goals::text(goals).lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    if !lesser.is_empty() {
        let _ = writeln!(out, "\nconstant time without AES instructions, by the features of a CPU");
        for l in lesser {
            let _ = writeln!(
                out,
                "  {:<7} {:<15} {:>9} c/B, bound {:>9} ({:>6} above)  {}",
                l.level,
                l.problem,
                figure(l.cycles_per_byte),
                l.bound_cycles_per_byte.map_or("-".into(), figure),
                above(l),
                l.variant
            );
        }
    }
    out + &notes(&bench.notes)
}

/// A command line without the program's folder.
fn program_name(command: &str) -> &str {
    let program = command.split(' ').next().unwrap_or_default();
    &command[program.rfind('/').map_or(0, |slash| slash + 1)..]
}

/// docs/PERFORMANCE.md: all tables, with the machine that they were measured on.
pub fn markdown(place: &Workplace, measured: &Benchmark) -> String {
    let Benchmark { bench, goals, lesser } = measured;
    let mut out = String::from("# Performance\n\n");
    let cpu = place.processor.cpu().unwrap_or_default();
    let hypervisor = (place.target.processor.here)().hypervisor.unwrap_or_else(|| "none".into());
    let _ = writeln!(
        out,
        "Measured by `{}` (aesmith {TOOL_VERSION}) on {} ({} family {} model {} stepping {}; hypervisor: \
         {hypervisor}; features: {}), {}.\n",
        program_name(&place.settings.command),
        place.processor.name,
        cpu.vendor,
        cpu.family,
        cpu.model,
        cpu.stepping,
        cpu.features.join(" "),
        system()
    );
    out.push_str(
        "Calibrated core cycles: medians of interleaved rounds in random order over fresh random keys, IVs, texts, \
         buffer alignments and code placements; quartiles in brackets. *Bound* is the lowest cost that the measured AES \
         pipes of this CPU allow for the problem. A verdict compares aesmith with the library; its interval must \
         be clear of the A-against-A noise floor.\n\n",
    );
    let _ = writeln!(
        out,
        "{} In brackets after the median: quartiles or verdict, then cycles of a dependent call.",
        QUANTITIES.replace('\n', " ")
    );
    if !goals.is_empty() {
        let _ = writeln!(out, "\n## Goals\n\n{}", goals::markdown(goals).trim_end());
    }
    if !lesser.is_empty() {
        out.push_str(
            "\n## Constant time without AES instructions\n\nThe winner of each level of CPU features \
             (`aesmith tune PROBLEM --cpu LEVEL`), measured on this CPU. *Bound* is the lowest cost that this CPU's \
             measured units allow for the winner's instructions per block.\n\n| level | problem | bytes | \
             technique | cycles/byte | bound | above it | variant |\n|---|---|--:|---|--:|--:|--:|---|\n",
        );
        for l in lesser {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | **{}** | {} | {} | `{}` |",
                l.level,
                l.problem,
                size(l.bytes),
                l.technique,
                figure(l.cycles_per_byte),
                l.bound_cycles_per_byte.map_or("-".into(), figure),
                above(l),
                l.variant
            );
        }
    }
    for (problem, rows) in by_problem(&bench.rows) {
        let _ = writeln!(out, "\n## {problem}\n");
        let mut subjects: Vec<&str> = Vec::new();
        for row in &rows {
            if !subjects.contains(&row.subject.as_str()) {
                subjects.push(&row.subject);
            }
        }
        let _ = writeln!(out, "| bytes | {} |", subjects.join(" | "));
        let _ = writeln!(out, "|--:|{}", "--:|".repeat(subjects.len()));
        let mut sizes: Vec<u64> = rows.iter().map(|r| r.bytes).collect();
        sizes.dedup();
        for bytes in sizes {
            let _ = write!(out, "| {} |", size(bytes));
            for subject in &subjects {
                let row = rows.iter().find(|r| r.bytes == bytes && r.subject == *subject);
                let cell = row.map_or("-".into(), |row| match row.subject.as_str() {
                    "bound" => figure(row.cycles_per_byte),
                    "aesmith" => {
                        format!(
                            "**{}** ({}; {}{})",
                            figure(row.cycles_per_byte),
                            quartiles(row),
                            dependent(row),
                            cold(row)
                        )
                    }
                    _ => {
                        let (verdict, dependent, cold) = (&row.verdict, dependent(row), cold(row));
                        format!("{} ({verdict}; {dependent}{cold})", figure(row.cycles_per_byte))
                    }
                });
                let _ = write!(out, " {cell} |");
            }
            out.push('\n');
        }
        let lost: Vec<String> = rows
            .iter()
            .filter(|r| r.subject == OURS)
            .filter_map(|r| r.spacings.map(|spacings| format!("{}: {spacings}", size(r.bytes))))
            .collect();
        if !lost.is_empty() {
            let _ = writeln!(out, "\naesmith, by how streams lie to each other: {}.", lost.join("; "));
        }
        let versions: Vec<String> = subjects
            .iter()
            .filter_map(|s| rows.iter().find(|r| r.subject == *s && !r.kernel.is_empty()))
            .filter(|r| r.subject != "bound")
            .map(|r| format!("{}: {}", r.subject, r.kernel))
            .collect();
        let _ = writeln!(out, "\n{}", versions.join("; "));
    }
    if !bench.notes.is_empty() {
        out.push_str("\n## Notes\n\n");
        for note in &bench.notes {
            let _ = writeln!(out, "- {note}");
        }
    }
    out
}

/// The operating system.
fn system() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("Linux {}", release.trim())
}

/// Distance from its bound in percent; `beaten` if the bound was beaten.
fn above(lesser: &Lesser) -> String {
    let bound = lesser.bound_cycles_per_byte.filter(|b| *b > 0.0);
    bound.map_or("-".into(), |b| match lesser.cycles_per_byte / b - 1.0 {
        distance if distance < -1e-9 => "beaten".into(),
        distance => format!("{:.1} %", 100.0 * distance.max(0.0)),
    })
}

fn dependent(row: &Row) -> String {
    row.dependent_call_cycles.map_or("-".into(), |cycles| format!("{} a dependent call", figure(cycles)))
}

fn cold(row: &Row) -> String {
    row.cold.as_ref().map_or(String::new(), |cold| format!("; {} cold", figure(cold.cycles_per_byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_goals_and_winners_before_notes() {
        let lesser = Lesser {
            level: "ssse3".into(),
            problem: "aes128-ctr".into(),
            bytes: 32768,
            technique: "bitsliced".into(),
            variant: "aes128-ctr technique=bitsliced".into(),
            cycles_per_byte: 5.5,
            bound_cycles_per_byte: Some(5.0),
        };
        let measured = Benchmark {
            bench: Bench { notes: vec!["a note".into()], ..Bench::default() },
            goals: vec![Goal::at_most("a goal", "cycles/byte", 5.0, None).found(4.0)],
            lesser: vec![lesser],
        };
        let text = text(&measured);
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        let places = ["\ngoals\n", "a goal", "ssse3", "10.0 %", "\nnotes\n", "a note"].map(at);
        assert!(places.is_sorted(), "{places:?} in {text}");
    }
}
