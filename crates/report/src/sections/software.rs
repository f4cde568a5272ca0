//! Code without AES instructions: the instructions that each choice saves in a block, and the time of the byte-wise
//! cipher by function.

use crate::data::{Account, Profile, ReportData};
use crate::html::{MISSING, Table, count, escape};

/// Names of the classes of [`Account`], and their colours: the same as for these units in the loop.
pub(crate) const CLASSES: [&str; 4] = ["loads", "stores", "integer", "branches"];
pub(crate) const CLASS_COLOURS: [usize; 4] = [4, 5, 1, 6];
/// Colours of the functions, in the palette's order.
const COLOURS: [usize; 7] = [0, 1, 2, 3, 4, 5, 6];

fn parts(account: &Account) -> [f64; 4] {
    [account.loads, account.stores, account.integer, account.branches]
}

/// A number of instructions, with one decimal unless it is whole.
pub(crate) fn amount(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.into();
    }
    match format!("{value:.1}") {
        text if text.ends_with(".0") => count(value.round().max(0.0) as u64),
        text => text,
    }
}

/// A bar of coloured parts whose length is the sum of `values` relative to `full`.
pub(crate) fn stacked(values: &[f64], names: &[&str], colours: &[usize], full: f64) -> String {
    let mut bar = String::new();
    for (i, (value, name)) in values.iter().zip(names).enumerate() {
        if value.is_finite() && *value > 0.0 {
            bar.push_str(&format!(
                "<i class=\"mark c{}\" style=\"width:{:.3}%\" title=\"{} {}\"></i>",
                colours[i % colours.len()],
                (100.0 * value / full).clamp(0.0, 100.0),
                escape(name),
                amount(*value)
            ));
        }
    }
    bar
}

pub(crate) fn legend(names: &[&str], colours: &[usize]) -> String {
    let items: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let colour = colours[i % colours.len()];
            format!("<li><span class=\"swatch c{colour}\"></span>{}</li>", escape(name))
        })
        .collect();
    format!("<ul class=\"legend\">{}</ul>", items.concat())
}

/// The section with the instructions from the textbook's program to the winner, one bar for each step.
pub fn accounting(data: &ReportData) -> Option<String> {
    let total = |a: &Account| parts(a).iter().sum::<f64>();
    let full = data.accounting.iter().map(total).filter(|t| t.is_finite()).fold(0.0, f64::max);
    if full == 0.0 {
        return None;
    }
    let mut bars = String::new();
    let mut table =
        Table::new("Instructions per block", "step|>loads|>stores|>integer|>branches|>all|>change");
    let mut before: Option<f64> = None;
    for step in &data.accounting {
        let all = total(step);
        bars.push_str(&format!(
            "<div class=\"step\"><span>{}</span><span class=\"track\">{}</span><span class=\"value\">{}</span></div>",
            escape(&step.name),
            stacked(&parts(step), &CLASSES, &CLASS_COLOURS, full),
            amount(all)
        ));
        let saved =
            before.map_or(String::new(), |b| format!("{:+.1}", all - b).trim_end_matches(".0").to_owned());
        let mut cells = vec![escape(&step.name)];
        cells.extend(parts(step).map(amount));
        cells.extend([amount(all), saved]);
        table.row(&cells);
        before = Some(all);
    }
    Some(format!(
        "<p class=\"caption\">Instructions per block of 16 bytes, by class: the accounting of Bernstein and \
         Schwabe (2008), from a plain ten-round T-table cipher to the winner.</p>{}\
         <div class=\"steps\" aria-hidden=\"true\">{bars}</div>{}",
        legend(&CLASSES, &CLASS_COLOURS),
        table.finish()
    ))
}

/// The section with the time of the byte-wise cipher, one bar for each combination of optimisations.
pub fn profile(data: &ReportData) -> Option<String> {
    let Profile { how, unit, functions, rows } = data.profile.as_ref()?;
    let full = rows.iter().map(|r| r.whole).filter(|t| t.is_finite()).fold(0.0, f64::max);
    if full == 0.0 {
        return None;
    }
    let names: Vec<&str> = functions.iter().map(String::as_str).collect();
    let mut columns: Vec<(&str, bool)> = vec![("optimisations", false)];
    columns.extend(names.iter().map(|n| (*n, true)));
    columns.extend([("whole", true), ("text", true), ("data", true), ("bss", true)]);
    let mut table = Table::with("Byte-wise AES by function", &columns);
    let mut bars = String::new();
    for row in rows {
        bars.push_str(&format!(
            "<div class=\"step\"><span>{}</span><span class=\"track\">{}</span><span class=\"value\">{}</span></div>",
            escape(&row.name),
            stacked(&row.parts, &names, &COLOURS, full),
            amount(row.whole)
        ));
        let mut cells = vec![escape(&row.name)];
        cells.extend(row.parts.iter().map(|p| amount(*p)));
        cells.push(amount(row.whole));
        cells.extend([row.text, row.data, row.bss].map(count));
        table.row(&cells);
    }
    Some(format!(
        "<p class=\"caption\">{}; {}. The tables of \u{201c}Optimization of AES in Software\u{201d} for all \
         combinations of its four optimisations; sizes in bytes, from the object file.</p>{}<div class=\"steps\" aria-hidden=\"true\">{bars}</div>{}",
        escape(how),
        escape(unit),
        legend(&names, &COLOURS),
        table.finish()
    ))
}
