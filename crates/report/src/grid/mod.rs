//! The page of a problem on a processor that executes grids of threads: the winner, its bottlenecks, its occupancy, the
//! bounds of other variants, and the share of the bound that messages can reach.

mod data;
mod landscape;
mod reach;
mod room;
mod winner;

pub use data::*;

use crate::frame::{Frame, Part};
use crate::html::escape;

/// Renders the page as one HTML file that loads nothing and has no scripts.
pub fn render_grid(page: &GridPage) -> String {
    let units = format!("Clock cycles per {}, by unit", page.element.name);
    let mut sections = vec![
        part("winner", "Winner", "The winner", winner::winner(page)),
        part("units", "Units", &units, winner::units(page)),
        part("occupancy", "Occupancy", "Occupancy", room::occupancy(page)),
    ];
    for (number, of) in page.landscapes.iter().enumerate() {
        let id = if number == 0 { "landscape".to_owned() } else { format!("landscape-{number}") };
        let heading = format!("Landscape: technique {}", of.technique);
        sections.push(part(&id, "Landscape", &heading, landscape::landscape(of)));
    }
    sections.push(part("candidates", "Variants", "Counted variants", landscape::candidates(page)));
    sections.push(part("sizes", "Sizes", "Throughput over message size", reach::reach(page)));
    Frame {
        title: &page.title,
        about: "pictures",
        lead: format!(
            "<p class=\"processor\">{}</p><p>Model: {}.</p>",
            escape(&page.about),
            escape(&page.model)
        ),
        sections,
        foot: format!(
            "<p>Created {}. The kernel is proved from its text to compute AES. No figure on this page is measured. This \
             file loads nothing from the network.</p>",
            escape(&page.made)
        ),
        scripts: String::new(),
    }
    .page()
}

fn part(id: &str, short: &str, heading: &str, inner: String) -> Part {
    Part { id: id.into(), short: short.into(), heading: heading.into(), beside: false, inner }
}

/// The kind of every figure of an architecture.
fn kind(architecture: &str) -> String {
    format!("static bound, {} - not measured", escape(architecture))
}

#[cfg(test)]
mod tests;
