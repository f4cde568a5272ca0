//! A table of goals as cells, for terminals and for Markdown. A column appears if some goal of the table has
//! an entry in it.

use super::Goal;
use aesmith_tune::tables::figure;

/// A column: its heading, true if it holds numbers, and the cell of a goal.
struct Column {
    heading: &'static str,
    number: bool,
    /// True if it is only in documents, because terminals are too narrow.
    wide: bool,
    cell: fn(&Goal) -> String,
}

const fn words(heading: &'static str, cell: fn(&Goal) -> String) -> Column {
    Column { heading, number: false, wide: false, cell }
}

const fn number(heading: &'static str, cell: fn(&Goal) -> String) -> Column {
    Column { heading, number: true, wide: false, cell }
}

const fn bytes(heading: &'static str, cell: fn(&Goal) -> String) -> Column {
    Column { heading, number: true, wide: true, cell }
}

const COLUMNS: [Column; 15] = [
    words("extension", |g| g.extension.clone()),
    words("processor", |g| g.processor.clone()),
    words("problem", |g| g.problem.clone()),
    words("what", |g| g.what.clone()),
    words("unit", |g| g.unit.clone()),
    number("must", must),
    number("aim", |g| shown(g.aim)),
    number("measured", |g| shown(g.measured)),
    number("bound", |g| shown(g.bound)),
    bytes("flash", |g| g.kernel.as_ref().map_or(String::new(), |k| k.flash.to_string())),
    bytes("RAM", |g| g.kernel.as_ref().map_or(String::new(), |k| k.ram.to_string())),
    bytes("stack", |g| g.kernel.as_ref().map_or(String::new(), |k| k.stack.to_string())),
    Column {
        wide: true,
        ..words("constant time", |g| g.kernel.as_ref().map_or("", |k| k.constant_time).to_owned())
    },
    words("by", |g| g.by.clone()),
    words("verdict", |g| g.verdict.clone()),
];
/// The last column of documents.
const SOURCE: Column = Column { wide: true, ..words("source", |g| g.source.clone()) };

fn must(goal: &Goal) -> String {
    let must = shown(goal.must);
    match goal.within {
        Some(share) => format!("{must} ± {:.0} %", share * 100.0),
        None if goal.at_least => format!("at least {must}"),
        None => must,
    }
}

/// Formats whole numbers exactly, others with four digits.
fn shown(value: Option<f64>) -> String {
    value.map_or(String::new(), |v| if v.fract() == 0.0 { format!("{v:.0}") } else { figure(v) })
}

/// The columns in which some goal has an entry.
fn columns(goals: &[Goal], wide: bool) -> Vec<&'static Column> {
    let says = |column: &Column| goals.iter().any(|goal| !(column.cell)(goal).is_empty());
    COLUMNS.iter().chain([&SOURCE]).filter(|c| (wide || !c.wide) && says(c)).collect()
}

/// The table for a terminal: a line of headings, and one for each goal; numbers are right-aligned.
pub fn text(goals: &[Goal]) -> String {
    let columns = columns(goals, false);
    let mut rows: Vec<Vec<String>> = vec![columns.iter().map(|c| c.heading.to_owned()).collect()];
    rows.extend(goals.iter().map(|goal| columns.iter().map(|c| dashed(c, goal)).collect()));
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).zip(&columns).map(|((cell, &width), column)| {
            if column.number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// The cell; an unknown number is a dash.
fn dashed(column: &Column, goal: &Goal) -> String {
    match (column.cell)(goal) {
        cell if cell.is_empty() && column.number => "-".into(),
        cell => cell,
    }
}

/// The table in Markdown, with the kernels' sizes and the goals' sources.
pub fn markdown(goals: &[Goal]) -> String {
    let columns = columns(goals, true);
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = row(columns.iter().map(|c| c.heading.to_owned()).collect());
    let rule: String = columns.iter().map(|c| if c.number { "--:|" } else { "---|" }).collect();
    out.push_str(&format!("|{rule}\n"));
    for goal in goals {
        out.push_str(&row(columns.iter().map(|c| dashed(c, goal).replace('|', "\\|")).collect()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_where_something_is_said() {
        let goals = [
            Goal::at_most("a block", "cycles", 544.0, 540.5).found(552.0),
            Goal { source: "Table 1".into(), ..Goal::at_least("all", "times", 3.45, None) }
                .without("no judge"),
        ];
        assert_eq!(
            text(&goals).lines().take(2).collect::<Vec<_>>(),
            [
                "what     unit              must    aim  measured  verdict",
                "a block  cycles             544  540.5       552  missed",
            ]
        );
        assert_eq!(
            markdown(&goals).lines().last(),
            Some("| all | times | at least 3.450 | - | - | not measured: no judge | Table 1 |")
        );
    }
}
