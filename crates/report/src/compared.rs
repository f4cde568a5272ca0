//! The page of a comparison: a paper's evaluation repeated, or strategies on a recording. Tables, surfaces and lines.

use crate::data::Surface;
use crate::frame::{Frame, Part};
use crate::html::{Table, escape, json};
use crate::sections::figures;
use serde::Serialize;

/// Scripts in the order of their dependencies: each uses those before it.
const SCRIPTS: [&str; 6] = [
    include_str!("page/base.js"),
    include_str!("page/surface.js"),
    include_str!("page/lines.js"),
    include_str!("page/print.js"),
    include_str!("page/compared.js"),
    include_str!("page/draw.js"),
];

/// The content of the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ComparedPage {
    /// Its heading.
    pub title: String,
    /// The machine in words.
    pub processor: String,
    /// Sentences under the heading.
    pub lead: Vec<String>,
    /// Tables, in the order shown.
    pub tables: Vec<PageTable>,
    /// Surfaces, shown after the tables.
    pub surfaces: Vec<PageSurface>,
    /// Lines of the lowest cost so far, if there are any.
    pub lines: Option<PageLines>,
    /// Sentences at the end.
    pub foot: Vec<String>,
}

/// A table with its section.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageTable {
    /// Its anchor.
    pub id: String,
    /// Its heading.
    pub heading: String,
    /// The caption, in sentences.
    pub caption: String,
    /// Headings of the columns, and true for columns of numbers.
    pub columns: Vec<(String, bool)>,
    /// The rows, as plain text.
    pub rows: Vec<Vec<String>>,
}

/// A surface with its section.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageSurface {
    /// Its anchor.
    pub id: String,
    /// Its heading.
    pub heading: String,
    /// The rule that chooses a cell's cost, in sentences.
    pub rule: String,
    /// The costs.
    pub surface: Surface,
}

/// Lines over trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageLines {
    /// The table after which they are shown.
    pub behind: String,
    /// The caption, in sentences.
    pub caption: String,
    /// The lines.
    pub lines: Vec<PageLine>,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageLine {
    /// Its name.
    pub name: String,
    /// Points: trials, median, first and third quartile.
    pub points: Vec<(u64, f64, f64, f64)>,
}

/// Data of the scripts.
#[derive(Serialize)]
struct Drawn<'a> {
    unit: &'static str,
    surfaces: &'a [PageSurface],
    lines: &'a Option<PageLines>,
}

/// Renders the page as one HTML file that loads nothing.
pub fn render_compared(page: &ComparedPage) -> String {
    let mut sections: Vec<Part> = Vec::new();
    for table in &page.tables {
        let columns: Vec<(&str, bool)> = table.columns.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        let mut rows = Table::with(&table.heading, &columns);
        for row in &table.rows {
            rows.row(&row.iter().map(|cell| escape(cell)).collect::<Vec<_>>());
        }
        let inner = format!("<p class=\"caption\">{}</p>{}", escape(&table.caption), rows.finish());
        sections.push(part(&table.id, &table.heading, inner));
        if let Some(lines) = page.lines.as_ref().filter(|lines| lines.behind == table.id) {
            let inner = format!(
                "<p class=\"caption\">{}</p><div class=\"plot\" id=\"lines-plot\"><noscript>The plot needs \
                 JavaScript.</noscript></div>",
                escape(&lines.caption)
            );
            sections.push(part("lines", "Lowest cost over trials", inner));
        }
    }
    for surface in &page.surfaces {
        let drawn = figures::surface(&surface.surface, &surface.id, &surface.rule);
        sections.extend(drawn.map(|inner| part(&surface.id, &surface.heading, inner)));
    }
    let lead: String = page.lead.iter().map(|s| format!("<p>{}</p>", escape(s))).collect();
    let foot: String = page.foot.iter().map(|s| format!("<p>{}</p>", escape(s))).collect();
    let drawn = Drawn { unit: "cycles/byte", surfaces: &page.surfaces, lines: &page.lines };
    Frame {
        title: &page.title,
        about: "pictures",
        lead: format!("<p class=\"processor\">{}</p>{lead}", escape(&page.processor)),
        sections,
        foot: format!("{foot}<p>This file loads nothing from the network.</p>"),
        scripts: format!(
            "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n\"use strict\";\n{}</script>\n",
            json(&drawn),
            SCRIPTS.concat(),
        ),
    }
    .page()
}

fn part(id: &str, heading: &str, inner: String) -> Part {
    Part { id: id.to_owned(), short: heading.to_owned(), heading: heading.to_owned(), beside: false, inner }
}
