//! A benchmark as text and as docs/PERFORMANCE.md.

use crate::bench::{Bench, Lesser, OURS, Row};
use crate::goals;
use crate::workplace::{TOOL_VERSION, Workplace};
use std::fmt::Write;

/// Explanation of the two figures of a row.
const QUANTITIES: &str =
    "Independent calls: throughput of calls back to back, each with its own IV, which overlap as far as
the processor allows; tune and report show only this figure. Dependent calls: latency; the arguments
of each call depend on the last result of the call before. Calls on several streams are measured with
streams at page distances, at odd distances and scattered; the slowest of the three counts. Cold: one
call after 100 microseconds of other work, if requested.";

/// A benchmark as text for a terminal.
pub fn text(bench: &Bench) -> String {
    let mut out = String::new();
    if !bench.rows.is_empty() {
        let _ = writeln!(out, "{QUANTITIES}\n");
    }
    for (problem, rows) in by_problem(&bench.rows) {
        let unit = if rows.iter().any(|r| r.bytes > 0) { "cycles/byte" } else { "cycles/key" };
        let _ = writeln!(
            out,
            "{problem}: independent calls, {unit} (quartiles); dependent calls, cycles per call; verdicts on \
             aesmith against each library"
        );
        for row in rows {
            let _ = writeln!(
                out,
                "  {:>9}  {:<11} {:>9} {:>21} {:>9}  {:<12} {}",
                size(row.bytes),
                row.subject,
                figure(row.cycles_per_byte),
                quartiles(row),
                row.dependent_call_cycles.map_or("-".into(), figure),
                row.verdict,
                row.kernel
            );
            if let Some(cold) = &row.cold {
                let (median, low, high) = (figure(cold.cycles_per_byte), figure(cold.low), figure(cold.high));
                let range = format!("{low} to {high}");
                let _ = writeln!(
                    out,
                    "  {:>9}  {:<11} {median:>9} {range:>21} {:>9}  {:<12}",
                    "", "  cold", "", cold.verdict
                );
            }
            if let Some(spacings) = row.spacings {
                let _ = writeln!(out, "  {:>9}  {:<11} {spacings}", "", "");
            }
        }
    }
    if !bench.goals.is_empty() {
        let _ = writeln!(out, "\ngoals");
        for line in goals::text(&bench.goals).lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    if !bench.lesser.is_empty() {
        let _ = writeln!(out, "\nconstant time without AES instructions, by the features of a CPU");
        for l in &bench.lesser {
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
    if !bench.notes.is_empty() {
        let _ = writeln!(out, "\nnotes");
        for note in &bench.notes {
            let _ = writeln!(out, "  {note}");
        }
    }
    out
}

/// A command line without the program's folder.
fn program_name(command: &str) -> &str {
    let program = command.split(' ').next().unwrap_or_default();
    &command[program.rfind('/').map_or(0, |slash| slash + 1)..]
}

/// docs/PERFORMANCE.md: the tables, with the machine that they were measured on.
pub fn performance_markdown(place: &Workplace, bench: &Bench) -> String {
    let mut out = String::from("# Performance\n\n");
    let cpu = place.processor.cpuid().unwrap_or_default();
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
    if !bench.goals.is_empty() {
        let _ = writeln!(out, "\n## Goals\n\n{}", goals::markdown(&bench.goals).trim_end());
    }
    if !bench.lesser.is_empty() {
        out.push_str(
            "\n## Constant time without AES instructions\n\nThe winner of each level of CPU features \
             (`aesmith tune PROBLEM --cpu LEVEL`), measured on this CPU. *Bound* is the lowest cost that this CPU's \
             measured units allow for the winner's instructions per block.\n\n| level | problem | bytes | \
             technique | cycles/byte | bound | above it | variant |\n|---|---|--:|---|--:|--:|--:|---|\n",
        );
        for l in &bench.lesser {
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

fn by_problem(rows: &[Row]) -> Vec<(&str, Vec<&Row>)> {
    let mut all: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in rows {
        match all.last_mut() {
            Some((problem, rows)) if *problem == row.problem => rows.push(row),
            _ => all.push((&row.problem, vec![row])),
        }
    }
    all
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

fn quartiles(row: &Row) -> String {
    format!("{} to {}", figure(row.low), figure(row.high))
}

/// Formats with four significant digits.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 10.0 => format!("{value:.2}"),
        v if v >= 1.0 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// `32 KiB`, and `-` for key set-ups.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0 => "-".into(),
        b if b % (1 << 20) == 0 => format!("{} MiB", b >> 20),
        b if b % (1 << 10) == 0 => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Cold, Spacings};

    fn row(subject: &str, cost: f64) -> Row {
        Row {
            problem: "aes128-ctr".into(),
            bytes: 32768,
            subject: subject.into(),
            cycles_per_byte: cost,
            low: cost,
            high: cost,
            dependent_call_cycles: (subject != "bound").then_some(5231.0),
            cold: (subject != "bound").then(|| Cold {
                cycles_per_byte: 0.2107,
                low: 0.2009,
                high: 0.2205,
                verdict: String::new(),
            }),
            spacings: (subject == "aesmith").then_some(Spacings {
                pages: 0.1361,
                odd: 0.1301,
                scattered: 0.13,
            }),
            kernel: "k".into(),
            technique: String::new(),
            verdict: if subject == "openssl" { "faster".into() } else { String::new() },
        }
    }

    #[test]
    fn every_row_is_in_the_text() {
        let bench = Bench {
            rows: vec![row("bound", 0.1288), row("aesmith", 0.1361), row("openssl", 0.3643)],
            goals: Vec::new(),
            lesser: Vec::new(),
            notes: vec!["a note".into()],
        };
        let text = text(&bench);
        for part in [
            "aes128-ctr",
            "32 KiB",
            "0.1288",
            "0.1361",
            "0.3643",
            "5231",
            "faster",
            "a note",
            "Dependent calls",
            "at odd distances 0.1301",
            "4.7 % between them",
            "0.2009 to 0.2205",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
