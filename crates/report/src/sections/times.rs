//! The time of the search by stage: a bar for each CPU, and the same numbers as a table.

use super::software::legend;
use crate::data::{ReportData, SearchStage};
use crate::html::{MISSING, Table, count, escape, percent};

/// Colours of the stages, in order: the most distinct colours of the palette first.
const COLOURS: [usize; 7] = [4, 1, 0, 6, 3, 2, 5];

/// The CPUs that stages ran on, and the value of [`SearchStage::beside`] for each.
const CPUS: [(&str, bool); 2] = [("one CPU", false), ("another, in parallel", true)];

/// The work that a stage did, in words.
fn did(stage: &SearchStage) -> String {
    let all: Vec<String> =
        stage.did.iter().map(|(many, what)| format!("{} {}", count(*many), escape(what))).collect();
    if all.is_empty() { MISSING.into() } else { all.join("; ") }
}

pub fn times(data: &ReportData) -> Option<String> {
    let search = data.search.as_ref()?;
    let known = |s: &&SearchStage| s.seconds.is_finite() && s.seconds >= 0.0;
    let on = |beside: bool| search.stages.iter().filter(move |s| s.beside == beside).filter(known);
    let whole = |beside: bool| on(beside).map(|s| s.seconds).sum::<f64>();
    let full = whole(false).max(whole(true));
    if full <= 0.0 {
        return None;
    }
    let colour = |stage: &SearchStage| {
        let place = search.stages.iter().position(|s| s == stage).unwrap_or_default();
        COLOURS[place % COLOURS.len()]
    };
    let mut bars = String::new();
    let mut table = Table::new("Time of the search by stage", "stage|>seconds|>of its CPU|what it did");
    for (name, beside) in CPUS.iter().filter(|(_, beside)| whole(*beside) > 0.0) {
        let mut bar = String::new();
        for stage in on(*beside) {
            bar.push_str(&format!(
                "<i class=\"mark c{}\" style=\"width:{:.3}%\" title=\"{} {:.2} s\"></i>",
                colour(stage),
                (100.0 * stage.seconds / full).clamp(0.0, 100.0),
                escape(&stage.name),
                stage.seconds
            ));
            table.row(&[
                format!("<span class=\"swatch c{}\"></span>{}", colour(stage), escape(&stage.name)),
                format!("{:.2}", stage.seconds),
                percent(stage.seconds / whole(*beside)),
                did(stage),
            ]);
        }
        bars.push_str(&format!(
            "<div class=\"step\"><span>{name}</span><span class=\"track\">{bar}</span>\
             <span class=\"value\">{:.1}\u{a0}s</span></div>",
            whole(*beside)
        ));
    }
    let names: Vec<&str> = search.stages.iter().map(|s| s.name.as_str()).collect();
    let which = match search.own {
        true => "The search that found this kernel",
        false => "The newest search of this problem with recorded times, not the one that found this kernel",
    };
    Some(format!(
        "<p class=\"caption\">{which}: strategy {}, {}\u{a0}samples in its run. One CPU measures kernels while another \
         builds and proves the next ones.</p>{}\
         <div class=\"bars\" id=\"times-plot\" aria-hidden=\"true\">{bars}</div>{}",
        escape(&search.strategy),
        count(search.samples),
        legend(&names, &COLOURS),
        table.finish()
    ))
}
