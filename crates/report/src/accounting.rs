//! The page of an accounting: for each processor a waterfall from the plain program's instructions to those of its
//! kernel, and the table of its values.

use crate::frame::{Frame, Part};
use crate::html::{MISSING, Table, escape};
use crate::sections::software::{CLASS_COLOURS, CLASSES, amount, legend, stacked};
use serde::Serialize;

/// Instructions of a block by class: loads, stores, integer.
pub type Mix = [f64; 3];

/// The content of the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AccountingPage {
    /// Its heading.
    pub title: String,
    /// The subject, under the heading.
    pub about: String,
    /// Sentences under the subject.
    pub lead: Vec<String>,
    /// The plain program's instructions.
    pub baseline: Mix,
    /// Parts of the plain program: purpose, class, instructions.
    pub parts: Vec<(String, String, f64)>,
    /// The processors.
    pub accounts: Vec<PageAccount>,
    /// Sentences at the end.
    pub foot: Vec<String>,
}

/// A processor's account.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageAccount {
    /// Its anchor.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its architecture, and the processor whose kernels are counted.
    pub about: String,
    /// The rows.
    pub rows: Vec<PageStep>,
    /// The remaining instructions.
    pub remains: Mix,
    /// The published number of remaining instructions.
    pub published: Option<f64>,
    /// The source of `published`, or the reason why there is none.
    pub source: String,
    /// The kernel's variant.
    pub variant: String,
}

/// A row of an account.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageStep {
    /// The name of the technique.
    pub name: String,
    /// Instructions saved; negative if it adds some.
    pub saved: Option<f64>,
    /// The published saving.
    pub published: String,
    /// The instructions after this row, if it is a step of the waterfall.
    pub left: Option<Mix>,
    /// True if its figure is computed from the plain program instead of counted on kernels.
    pub computed: bool,
    /// Its use in the kernel, or the reason why it is not used.
    pub how: String,
}

/// Colours of savings, of additions and of published figures.
const SAVES: usize = 2;
const ADDS: usize = 3;
const PUBLISHED: usize = 6;

/// Renders the page as one HTML file that loads nothing and has no scripts.
pub fn render_accounting(page: &AccountingPage) -> String {
    let mut sections = vec![overview(page), program(page)];
    sections.extend(page.accounts.iter().map(|account| Part {
        id: account.id.clone(),
        short: account.name.clone(),
        heading: account.name.clone(),
        beside: false,
        inner: one(page, account),
    }));
    let paragraphs = |all: &[String]| all.iter().map(|s| format!("<p>{}</p>", escape(s))).collect::<String>();
    Frame {
        title: &page.title,
        about: "accounts",
        lead: format!("<p class=\"processor\">{}</p>{}", escape(&page.about), paragraphs(&page.lead)),
        sections,
        foot: format!("{}<p>This file loads nothing from the network.</p>", paragraphs(&page.foot)),
        scripts: String::new(),
    }
    .page()
}

fn total(mix: &Mix) -> f64 {
    mix.iter().sum()
}

fn overview(page: &AccountingPage) -> Part {
    let mut table = Table::new(
        "Remaining instructions on each processor",
        "processor|>plain program|>remains|>published|>loads|>stores|>integer|kernels of",
    );
    for account in &page.accounts {
        let mut cells = vec![
            format!("<a href=\"#{}\">{}</a>", escape(&account.id), escape(&account.name)),
            amount(total(&page.baseline)),
            format!("<span class=\"ours\">{}</span>", amount(total(&account.remains))),
            account.published.map_or(MISSING.into(), amount),
        ];
        cells.extend(account.remains.map(amount));
        cells.push(escape(&account.about));
        table.row(&cells);
    }
    Part {
        id: "overview".into(),
        short: "Overview".into(),
        heading: "Remaining instructions".into(),
        beside: false,
        inner: format!("<p class=\"caption\">Instructions per block.</p>{}", table.finish()),
    }
}

fn program(page: &AccountingPage) -> Part {
    let mut table = Table::new("The plain program", "part|class|>instructions");
    for (name, class, count) in &page.parts {
        table.row(&[escape(name), escape(class), amount(*count)]);
    }
    Part {
        id: "program".into(),
        short: "Plain program".into(),
        heading: format!("The plain program: {} instructions", amount(total(&page.baseline))),
        beside: false,
        inner: table.finish(),
    }
}

/// A bar of the waterfall with its name and figure, both HTML already.
fn bar(name: &str, bar: &str, value: &str) -> String {
    format!(
        "<div class=\"step\"><span>{name}</span><span class=\"track\">{bar}</span><span class=\"value\">{value}</span></div>"
    )
}

/// The part of a track between two figures, in a colour.
fn floating(from: f64, to: f64, colour: usize, full: f64) -> String {
    let share = |n: f64| (100.0 * n / full).clamp(0.0, 100.0);
    let (low, high) = (from.min(to), from.max(to));
    format!(
        "<i style=\"width:{:.3}%\"></i><i class=\"mark c{colour}\" style=\"width:{:.3}%\"></i>",
        share(low),
        share(high - low)
    )
}

/// A change with its sign; savings are negative.
fn change(saved: f64) -> String {
    match amount(saved.abs()) {
        same if same == "0" => same,
        less if saved > 0.0 => format!("\u{2212}{less}"),
        more => format!("+{more}"),
    }
}

fn one(page: &AccountingPage, account: &PageAccount) -> String {
    let lefts = account.rows.iter().filter_map(|row| row.left.as_ref()).map(total);
    let full = lefts.chain([total(&page.baseline)]).fold(0.0, f64::max);
    let classes = |mix: &Mix| stacked(mix, &CLASSES[..3], &CLASS_COLOURS, full);
    let baseline = total(&page.baseline);
    let mut bars = bar("the plain program", &classes(&page.baseline), &amount(baseline));
    let mut table = Table::new(
        &format!("Techniques on {}", account.name),
        "technique|>saves|>published|>left|>loads|>stores|>integer|how, or why not",
    );
    let mut before = baseline;
    for row in &account.rows {
        let saved = row.saved.map_or(MISSING.into(), |saved| {
            let figure = if saved < 0.0 { format!("\u{2212}{}", amount(-saved)) } else { amount(saved) };
            if row.computed { format!("{figure}*") } else { figure }
        });
        let left = row.left.as_ref().map(total);
        let mut cells = vec![escape(&row.name), saved, escape(&row.published)];
        cells.push(left.map_or(String::new(), amount));
        let classes = row.left.map_or([const { String::new() }; 3], |left| left.map(amount));
        cells.extend(classes);
        cells.push(escape(&row.how));
        table.row(&cells);
        if let Some(left) = left {
            let colour = if left > before { ADDS } else { SAVES };
            let name = if row.computed { format!("{}*", escape(&row.name)) } else { escape(&row.name) };
            bars.push_str(&bar(&name, &floating(before, left, colour, full), &change(before - left)));
            before = left;
        }
    }
    let remains = total(&account.remains);
    bars.push_str(&bar(
        "<strong>remains</strong>",
        &classes(&account.remains),
        &format!("<strong>{}</strong>", amount(remains)),
    ));
    let beside = match account.published {
        Some(published) => {
            bars.push_str(&bar("published", &floating(0.0, published, PUBLISHED, full), &amount(published)));
            format!("the published figure is {} ({})", amount(published), escape(&account.source))
        }
        None => escape(&account.source),
    };
    let names = [&CLASSES[..3], &["saved", "added", "published"]].concat();
    let colours = [&CLASS_COLOURS[..3], &[SAVES, ADDS, PUBLISHED]].concat();
    format!(
        "<p class=\"caption\">{}: <span class=\"ours\">{}</span> of {} instructions remain; {beside}.</p>{}\
         <div class=\"steps\" role=\"img\" aria-label=\"Waterfall of {}; the table below has the numbers\">{bars}</div>\
         <p class=\"caption\">* Computed from the plain program, because every kernel uses this technique. All other figures are \
         counted on kernels.</p>{}\
         <p class=\"caption\">The kernel: <code>{}</code></p>",
        escape(&account.about),
        amount(remains),
        amount(baseline),
        legend(&names, &colours),
        escape(&account.name),
        table.finish(),
        escape(&account.variant),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> AccountingPage {
        let step = |name: &str, saved: f64, left: Option<Mix>, computed| PageStep {
            name: name.into(),
            saved: Some(saved),
            published: "about 100".into(),
            left,
            computed,
            how: "made".into(),
        };
        AccountingPage {
            title: "Instructions <of> a block".into(),
            baseline: [208.0, 4.0, 508.0],
            parts: vec![("look-ups".into(), "loads".into(), 160.0)],
            accounts: vec![PageAccount {
                id: "one".into(),
                name: "One".into(),
                rows: vec![
                    step("beside", -30.0, Some([216.0, 8.0, 526.0]), false),
                    step("always", 160.0, Some([216.0, 8.0, 366.0]), true),
                    step("not made", 10.0, None, false),
                    step("choice", 90.5, Some([130.0, 8.0, 361.5]), false),
                ],
                remains: [130.0, 8.0, 361.5],
                published: Some(505.0),
                ..PageAccount::default()
            }],
            ..AccountingPage::default()
        }
    }

    #[test]
    fn the_waterfall_has_a_bar_for_each_step_and_the_table_a_row_for_each_technique() {
        let html = render_accounting(&page());
        // The bars are the baseline, three steps, the rest and the published figure; the fourth row is no step.
        assert_eq!(html.matches("class=\"step\"").count(), 6);
        assert_eq!(html.matches("<tr><th scope=\"row\">").count(), 1 + 1 + 4);
        // An addition of 30 ends at 750, the longest bar: the bar of a saving of 160 begins at the remaining 590.
        assert!(
            html.contains("<i style=\"width:78.667%\"></i><i class=\"mark c2\" style=\"width:21.333%\">"),
            "{html}"
        );
        assert!(
            html.contains("+30<") && html.contains("\u{2212}160<") && html.contains("\u{2212}90.5<"),
            "{html}"
        );
        assert!(html.contains("Instructions &lt;of&gt;") && !html.contains("<of>"));
        for loads in ["<script", "http://", "https://", "url("] {
            assert!(!html.contains(loads), "{loads}");
        }
    }
}
