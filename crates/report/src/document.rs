//! The page as a whole: verdict, sections, missing sections, data and scripts, in one frame.

use crate::data::{ReportData, Summary};
use crate::frame::{Frame, Part};
use crate::html::{cost, escape, json, ratio};
use crate::sections::SECTIONS;

/// Scripts in the order of their dependencies: each uses those before it.
const SCRIPTS: [&str; 7] = [
    include_str!("page/base.js"),
    include_str!("page/surface.js"),
    include_str!("page/lines.js"),
    include_str!("page/schedule.js"),
    include_str!("page/print.js"),
    include_str!("page/save.js"),
    include_str!("page/draw.js"),
];

/// Hidden until the script that handles these buttons shows them.
const DOWNLOADS: &str = "<p class=\"downloads\" hidden><button type=\"button\" id=\"save-json\">Data as JSON</button>\
     <button type=\"button\" id=\"save-csv\">Data as CSV</button></p>";

/// Renders the report as one HTML file that loads nothing.
pub fn render(data: &ReportData) -> String {
    let mut sections = Vec::new();
    let mut absent = String::new();
    for section in SECTIONS {
        match (section.write)(data) {
            Some(inner) => sections.push(Part {
                id: section.id.into(),
                short: section.short.into(),
                heading: section.heading.into(),
                beside: section.beside,
                inner,
            }),
            None => {
                let key = data.problem.split('-').next().unwrap_or_default();
                let (why, command) = section.missing(data.cold);
                let command = command.replace("{problem}", &data.problem).replace("{key}", key);
                absent.push_str(&format!(
                    "<li class=\"absent\">{}: {} <code>{}</code></li>",
                    section.short,
                    why,
                    escape(&command)
                ));
            }
        }
    }
    if !absent.is_empty() {
        absent = format!(
            "<details><summary>Missing sections, and the commands that add them</summary>\
             <ul>{absent}</ul></details>"
        );
    }
    Frame {
        title: &data.title,
        about: "run",
        lead: format!(
            "<p class=\"processor\">{}</p><p class=\"verdict\">{}</p>{DOWNLOADS}",
            escape(&data.processor),
            verdict(data)
        ),
        sections,
        foot: format!(
            "<p>{made}Costs are in {unit}, with calibrated core cycles. This file loads nothing from the network \
             and contains the data of each plot as JSON.</p>{absent}",
            made = if data.made.is_empty() { String::new() } else { format!("Created {}. ", escape(&data.made)) },
            unit = escape(&data.unit),
        ),
        scripts: format!(
            "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n\"use strict\";\n{}</script>\n",
            json(data),
            SCRIPTS.concat(),
        ),
    }
    .page()
}

/// The report in one sentence, as HTML.
fn verdict(data: &ReportData) -> String {
    let title = escape(&data.title);
    let Some(summary) = &data.summary else {
        return format!("{title} has no confirmed result on this processor yet.");
    };
    let mut parts = vec![format!(
        "{title} runs at <strong>{} {}</strong>",
        cost(summary.best.median),
        escape(&data.unit)
    )];
    if data.cold {
        parts[0].push_str(" in one call after 100 microseconds of other work");
    }
    parts.extend(against_openssl(summary));
    let to_bound = summary.best.median / summary.bound;
    if to_bound.is_finite() && to_bound > 0.0 {
        parts.push(format!("<strong>{}</strong> times the bound", ratio(to_bound)));
    }
    parts.join(", ") + "."
}

/// The comparison with OpenSSL: faster, slower, or no evidence of a difference. A difference requires that the
/// quartiles of both, measured alternately, do not overlap.
fn against_openssl(summary: &Summary) -> Option<String> {
    let (ours, theirs) = (summary.beside_openssl.unwrap_or(summary.best), summary.openssl?);
    let speedup = theirs.median / ours.median;
    if !speedup.is_finite() {
        return None;
    }
    Some(if ours.high < theirs.low {
        format!("<strong>{}</strong> times as fast as OpenSSL", ratio(speedup))
    } else if theirs.high < ours.low {
        format!("<strong>{}</strong> times slower than OpenSSL", ratio(1.0 / speedup))
    } else {
        "with no evidence of a difference from OpenSSL".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cost;

    fn with(best: [f64; 3], openssl: [f64; 3]) -> String {
        let of = |[low, median, high]: [f64; 3]| Cost { median, low, high };
        verdict(&ReportData {
            title: "AES-256-CTR".into(),
            unit: "cycles/byte".into(),
            summary: Some(Summary {
                best: of(best),
                openssl: Some(of(openssl)),
                bound: 0.1875,
                ..Default::default()
            }),
            ..Default::default()
        })
    }

    #[test]
    fn the_verdict_says_no_more_than_the_quartiles_do() {
        let faster = with([0.196, 0.197, 0.198], [0.48, 0.487, 0.49]);
        assert!(faster.contains("2.47</strong> times as fast"), "{faster}");
        assert!(faster.contains("1.05</strong> times the bound"), "{faster}");
        assert!(with([0.50, 0.51, 0.52], [0.48, 0.487, 0.49]).contains("slower"));
        assert!(with([0.47, 0.48, 0.50], [0.48, 0.487, 0.49]).contains("no evidence"));
    }
}
