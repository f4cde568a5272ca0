//! The landscape: the best bound of each cell as a heat map, and all variants that were counted as a table.

use super::winner::{maybe, memory, source};
use super::{GridCell, GridLandscape, GridPage};
use crate::html::{Table, count, escape};

/// The number of colours of the ramp; the first is for the highest bound.
const SHADES: usize = 5;
/// The least part of the highest bound that the colours span, so that small differences look alike.
const SPAN: f64 = 0.25;

/// A test that is true for cells whose bound may be compared: counts of machine code, if any cell has them.
fn comparable(landscape: &GridLandscape) -> impl Fn(&GridCell) -> bool {
    let by_machine = landscape.cells.iter().flatten().any(|cell| !cell.by_text);
    move |cell: &GridCell| !(by_machine && cell.by_text)
}

pub fn landscape(of: &GridLandscape) -> String {
    let comparable = comparable(of);
    let bits = || of.cells.iter().flatten().filter(|cell| comparable(cell)).map(|cell| cell.bits);
    let high = bits().fold(0.0, f64::max);
    let low = bits().fold(high, f64::min).min(high * (1.0 - SPAN));
    let shade = |cell: &GridCell| {
        let share = if high > low { (high - cell.bits) / (high - low) } else { 0.0 };
        ((share * SHADES as f64) as usize).min(SHADES - 1)
    };
    let (across, columns) = (&of.across.0, &of.across.1);
    let one = (String::new(), vec![String::new()]);
    let (down, rows) = of.down.as_ref().unwrap_or(&one);
    let corner = if down.is_empty() { across.clone() } else { format!("{down} \\ {across}") };
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Landscape of {}\"><table class=\"heat\"><thead>\
         <tr><th scope=\"col\">{}</th>{}</tr></thead><tbody>",
        escape(&of.technique),
        escape(&corner),
        columns.iter().map(|value| format!("<th scope=\"col\">{}</th>", escape(value))).collect::<String>()
    );
    for (row, value) in rows.iter().enumerate() {
        out.push_str(&format!("<tr><th scope=\"row\">{}</th>", escape(value)));
        for column in 0..columns.len() {
            let cell = of.cells.get(row * columns.len() + column).and_then(Option::as_ref);
            out.push_str(&match cell {
                None => "<td class=\"none\">no kernel</td>".to_owned(),
                Some(cell) => one_cell(cell, comparable(cell).then(|| shade(cell))),
            });
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
    format!("<p class=\"caption\">{}</p>{out}", caption(of))
}

fn one_cell(cell: &GridCell, shade: Option<usize>) -> String {
    let mut classes = shade.map_or("text".to_owned(), |shade| format!("h{shade}"));
    if cell.wins {
        classes.push_str(" wins");
    }
    let mut tags = vec![format!("by {}", escape(&cell.limit))];
    if cell.by_text {
        tags.push("counted by its text".into());
    }
    match (cell.constant_time, cell.allowed) {
        (true, _) => {}
        (false, true) => tags.push("variable time".into()),
        (false, false) => tags.push("variable time, not allowed".into()),
    }
    if cell.wins {
        tags.push("<strong>winner</strong>".into());
    }
    tags.push(match cell.variants {
        1 => "one variant".into(),
        n => format!("best of {}", count(n)),
    });
    let tags: String = tags.iter().map(|tag| format!("<span>{tag}</span>")).collect();
    format!("<td class=\"{classes}\"><b>{:.2}</b>{tags}</td>", cell.bits)
}

fn caption(of: &GridLandscape) -> String {
    let cells = || of.cells.iter().flatten();
    let across = escape(&of.across.0);
    let over = match &of.down {
        Some((down, _)) => format!("over {} and {across}", escape(down)),
        None => format!("over {across}"),
    };
    let mut out = format!(
        "Bits of output per clock cycle of a multiprocessor {over}: static bounds of the best variant of each cell, none \
         measured. \u{201c}No kernel\u{201d}: the choices exclude each other, were not requested, or need more shared \
         memory than any architecture gives a block."
    );
    let texts = cells().filter(|cell| cell.by_text).count();
    if texts > 0 {
        out.push_str(&format!(
            " {} of {} cells are counted by rows of the text alone, which gives lower bounds than machine code.",
            texts,
            cells().count()
        ));
    }
    let variable = cells().filter(|cell| !cell.constant_time).count();
    if variable > 0 {
        let allowed = cells().any(|cell| !cell.constant_time && cell.allowed);
        out.push_str(&format!(
            " {} of {} cells have variable time{}: depending on the data, lanes of a warp access several words of one \
             bank, and the bound does not count these bank conflicts.",
            variable,
            cells().count(),
            if allowed { "" } else { " and not allowed without --allow-variable-time" }
        ));
    }
    out
}

pub fn candidates(page: &GridPage) -> String {
    let mut table = Table::new(
        "Counted variants",
        "variant|>b/clk/SM|bound by|>registers|>spilled|>shared memory|counted|constant time",
    );
    for c in &page.candidates {
        table.row(&[
            format!("<code>{}</code>", escape(&c.variant)),
            format!("{:.2}", c.bits),
            escape(&c.limit),
            maybe(c.registers),
            maybe(c.spilled),
            memory(c.shared),
            format!("{}, {}", escape(&c.architecture), source(c.by_text)),
            match c.constant_time {
                None => "not examined",
                Some(true) => "yes",
                Some(false) => "no",
            }
            .into(),
        ]);
    }
    let texts = page.candidates.iter().filter(|c| c.by_text).count();
    format!(
        "<p class=\"caption\">{} variants, the best first; of these {} were counted by rows of their text alone. A \
         proof examines the timing of a variant only if the variant may win or is in the landscape.</p>\
         <details><summary>The numbers</summary>{}</details>",
        page.candidates.len(),
        texts,
        table.finish()
    )
}
