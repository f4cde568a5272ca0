//! `aesmith-bench accounting`: Bernstein and Schwabe's accounting on each of their processors.

use crate::arguments::developer;
use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::quantity::show_moment;
use aesmith_bench::accounting::{ABOUT, Account, Accounting, accounting, document, page, reason};
use aesmith_report::render_accounting;
use aesmith_tune::count::{Mix, number};
use aesmith_wisdom::write::now_ms;

/// Counts, prints, and writes the requested files.
pub fn run(options: &developer::Accounting, output: &mut Output) -> Result<(), Failure> {
    for file in [&options.html, &options.markdown].into_iter().flatten() {
        overwrite::allowed(file, options.force)?;
    }
    let all = accounting()?;
    if output.json {
        output.object(&all)?;
    } else {
        print(&all, output)?;
    }
    if let Some(file) = &options.html {
        let made = format!("{} UTC", show_moment(now_ms()));
        overwrite::put(file, &render_accounting(&page(&all, &made)), options.force)?;
        said("report", file, output)?;
    }
    if let Some(file) = &options.markdown {
        overwrite::put(file, &document(&all), options.force)?;
        said("document", file, output)?;
    }
    Ok(())
}

fn said(what: &str, file: &std::path::Path, output: &mut Output) -> Result<(), Failure> {
    if output.json { Ok(()) } else { output.line(format!("{what}: {}", file.display())) }
}

fn print(all: &Accounting, output: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new("the plain program|class|>per block");
    for part in &all.parts {
        table.row([part.name.to_owned(), part.class.name().into(), number(part.instructions)]);
    }
    table.row(["all".into(), String::new(), number(all.baseline.instructions)]);
    output.table(&table)?;
    for account in &all.targets {
        output.line("")?;
        one(all, account, output)?;
    }
    output.line("")?;
    let mut table = Table::new("remaining instructions|>ours|>published|kernels of");
    for account in &all.targets {
        let published = account.published.map_or(String::new(), |n| n.to_string());
        table.row([account.name.into(), number(account.remains.instructions), published, account.kernels()]);
    }
    output.table(&table)?;
    output.line("")?;
    for sentence in ABOUT {
        output.line(sentence)?;
    }
    output.line(format!("Source of the published figures: {}.", all.source))
}

/// Prints a processor's account, with a bar for the remaining instructions of each step.
fn one(all: &Accounting, account: &Account, output: &mut Output) -> Result<(), Failure> {
    const WIDTH: f64 = 24.0;
    let lefts = account.rows.iter().filter_map(|row| row.left).map(|left| left.instructions);
    let most = lefts.fold(all.baseline.instructions, f64::max);
    let bar = |n: f64| "#".repeat((n / most * WIDTH).round() as usize);
    output.line(format!("{}: {}", account.name, account.kernels()))?;
    let mut table = Table::new(
        "technique|>saves|>published|>left|>loads|>stores|>integer|instructions per block|how, or why not",
    );
    let whole = |name: &str, mix: &Mix, how: String| {
        let mut cells = vec![name.to_owned(), String::new(), String::new(), number(mix.instructions)];
        cells.extend(mix.rows().map(|(_, n)| number(n)));
        cells.extend([bar(mix.instructions), how]);
        cells
    };
    table.row(whole("the plain program", &all.baseline, String::new()));
    for row in &account.rows {
        let mut cells = match &row.left {
            Some(left) => whole(row.name, left, reason(row)),
            None => {
                let mut cells = vec![String::new(); 8];
                cells[0] = row.name.into();
                cells.push(reason(row));
                cells
            }
        };
        cells[1] = row.saves();
        cells[2] = row.published_words();
        table.row(cells);
    }
    table.row(whole("remains", &account.remains, format!("`{}`", account.variant)));
    if let Some(published) = account.published {
        let mut cells = vec![String::new(); 9];
        cells[0] = "published".into();
        cells[3] = published.to_string();
        cells[7] = bar(published as f64);
        cells[8] = account.about.into();
        table.row(cells);
    }
    output.table(&table)
}
