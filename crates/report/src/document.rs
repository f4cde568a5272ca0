//! The page as a whole: head, verdict, contents, sections, data and scripts in one file.

use crate::data::{ReportData, Summary};
use crate::html::{cost, escape, json, ratio};
use crate::sections::{SECTIONS, Section};

const STYLE: &str = include_str!("page/style.css");

/// In order of need: each script uses those before it.
const SCRIPTS: [&str; 5] = [
    include_str!("page/base.js"),
    include_str!("page/surface.js"),
    include_str!("page/lines.js"),
    include_str!("page/schedule.js"),
    include_str!("page/draw.js"),
];

/// The report as one HTML file that loads nothing.
pub fn render(data: &ReportData) -> String {
    let mut contents = String::new();
    let mut body = String::new();
    let mut row_open = false;
    for section in SECTIONS {
        let inner = (section.write)(data).unwrap_or_else(|| absent(section, data));
        contents.push_str(&format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.short));
        if row_open && !section.beside {
            body.push_str("</div>");
            row_open = false;
        }
        if section.beside && !row_open {
            body.push_str("<div class=\"pair\">");
            row_open = true;
        } else if section.beside {
            row_open = false;
        }
        body.push_str(&format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-heading\"><h2 id=\"{id}-heading\">{}</h2>{inner}</section>\n",
            section.heading,
            id = section.id,
        ));
        if section.beside && !row_open {
            body.push_str("</div>");
        }
    }
    if row_open {
        body.push_str("</div>");
    }
    // The policy makes the browser refuse whatever would be loaded; the empty icon stops it asking for one.
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}: aesmith report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><p class=\"kicker\">aesmith report</p><h1>{title}</h1>\
         <p class=\"processor\">{processor}</p><p class=\"verdict\">{verdict}</p>\
         <nav aria-label=\"Contents\"><ul>{contents}</ul></nav></header>\n\
         <main>\n{body}</main>\n\
         <footer><p>{made}Costs are in {unit}, calibrated core cycles. This file loads nothing from \
         the network; the data behind each plot are inside it as JSON.</p></footer>\n\
         <script type=\"application/json\" id=\"data\">{data_json}</script>\n\
         <script>\n\"use strict\";\n{scripts}</script>\n</body>\n</html>\n",
        title = escape(&data.title),
        processor = escape(&data.processor),
        verdict = verdict(data),
        made = if data.made.is_empty() { String::new() } else { format!("Made {}. ", escape(&data.made)) },
        unit = escape(&data.unit),
        data_json = json(data),
        scripts = SCRIPTS.concat(),
    )
}

/// Why a section is empty, and the command that would fill it.
fn absent(section: &Section, data: &ReportData) -> String {
    let key = data.problem.split('-').next().unwrap_or_default();
    let command = section.command.replace("{problem}", &data.problem).replace("{key}", key);
    format!(
        "<p class=\"absent\">Not in this report: {} To fill it: <code>{}</code></p>",
        section.absent,
        escape(&command)
    )
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
    parts.extend(against_openssl(summary));
    let to_bound = summary.best.median / summary.bound;
    if to_bound.is_finite() {
        parts.push(format!("<strong>{}</strong> times the bound", ratio(to_bound)));
    }
    parts.join(", ") + "."
}

/// Faster, slower or no evidence: said only when the quartiles of the two are clear of each other.
fn against_openssl(summary: &Summary) -> Option<String> {
    let (ours, theirs) = (summary.best, summary.openssl?);
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
