//! A benchmark as text, and the forms of its figures.

use crate::bench::{Bench, Row};
use std::fmt::Write;

/// Explanation of the two figures of a row.
pub const QUANTITIES: &str =
    "Independent calls: throughput of calls back to back, each with its own IV, which overlap as far as
the processor allows; tune and report show only this figure. Dependent calls: latency; the arguments
of each call depend on the last result of the call before. Calls on several streams are measured with
streams at page distances, at odd distances and scattered; the slowest of the three counts. Cold: one
call after 100 microseconds of other work, if requested.";

/// A benchmark as text for a terminal.
pub fn text(bench: &Bench) -> String {
    rows(&bench.rows) + &notes(&bench.notes)
}

/// Rows as text for a terminal, below the explanation of their figures.
pub fn rows(rows: &[Row]) -> String {
    let mut out = String::new();
    if !rows.is_empty() {
        let _ = writeln!(out, "{QUANTITIES}\n");
    }
    for (problem, rows) in by_problem(rows) {
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
    out
}

/// Notes as text for a terminal.
pub fn notes(notes: &[String]) -> String {
    let mut out = String::new();
    if !notes.is_empty() {
        let _ = writeln!(out, "\nnotes");
        for note in notes {
            let _ = writeln!(out, "  {note}");
        }
    }
    out
}

/// The rows of each problem, in their order.
pub fn by_problem(rows: &[Row]) -> Vec<(&str, Vec<&Row>)> {
    let mut all: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in rows {
        match all.last_mut() {
            Some((problem, rows)) if *problem == row.problem => rows.push(row),
            _ => all.push((&row.problem, vec![row])),
        }
    }
    all
}

/// Both quartiles of a row.
pub fn quartiles(row: &Row) -> String {
    format!("{} to {}", figure(row.low), figure(row.high))
}

/// Formats with four significant digits.
pub fn figure(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 10.0 => format!("{value:.2}"),
        v if v >= 1.0 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// `32 KiB`, and `-` for key set-ups.
pub fn size(bytes: u64) -> String {
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
            made: String::new(),
            rows: vec![row("bound", 0.1288), row("aesmith", 0.1361), row("openssl", 0.3643)],
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
