//! The share of the multiprocessors' bound that messages can reach, by length.

use super::{GridElement, GridPage, GridReach, GridReachPoint, kind};
use crate::html::{Table, bytes, count, escape, percent};
use crate::scale::Scale;
use std::fmt::Write;

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = HEIGHT - 46.0;
/// The additional class of a dashed line.
const DASHES: &str = " dashes";
/// Names of the two lines.
const LINES: (&str, &str) = ("whole iterations only", "iterations and filling");

pub fn reach(page: &GridPage) -> String {
    let reach = match &page.reach {
        Some(Ok(reach)) if !reach.points.is_empty() => reach,
        other => {
            let why = match other {
                Some(Err(why)) => why.as_str(),
                _ => "nothing was counted",
            };
            return format!("<p class=\"absent\">Neither measured nor modelled: {}.</p>", escape(why));
        }
    };
    let columns = format!(">message|>{}|>{}|>bits per clock of the device, at most", LINES.0, LINES.1);
    let mut table = Table::new("Throughput over message size", &columns);
    for point in &reach.told {
        table.row(&[
            bytes(point.bytes),
            percent(point.turns),
            percent(point.all),
            format!("{:.0}", point.all * reach.bits),
        ]);
    }
    format!(
        "<p class=\"caption\">{}</p>{}{}",
        caption(reach, page.winner.threads, &page.element),
        picture(reach),
        table.finish()
    )
}

fn caption(r: &GridReach, threads: u32, element: &GridElement) -> String {
    let filling = match r.filling > 0.0 {
        true => format!(
            "before its first iteration, each block fills its shared memory, which takes {} clocks of that memory by the \
             interpreter; ",
            count(r.filling.round() as u64)
        ),
        false => "no block fills its shared memory before its first iteration; ".into(),
    };
    format!(
        "Modelled from static counts, not measured on any device ({}{}). The curve shows the share of the \
         multiprocessors\u{2019} bound that one message can reach on {} multiprocessors, as {} has. A block of {} threads \
         processes {} {} ({}) per iteration; {filling}a multiprocessor holds {} at once, and the blocks are spread \
         evenly. 100\u{202f}% is {:.0} bits of output per clock cycle of the device. The model ignores latency, device \
         memory and the launch itself, so a card is slower.",
        kind(&r.architecture),
        if r.by_text { ", by the text" } else { "" },
        r.multiprocessors,
        escape(&r.device),
        count(threads.into()),
        count(r.of_a_turn),
        element.names,
        bytes(element.bytes * r.of_a_turn),
        if r.resident == 1 { "one such block".into() } else { format!("{} such blocks", r.resident) },
        r.bits
    )
}

/// Two lines: the message length is horizontal, the share of the bound vertical.
fn picture(r: &GridReach) -> String {
    let x = Scale::new(r.points.iter().map(|p| p.bytes as f64), LEFT, WIDTH - 20.0);
    let y = |share: f64| BOTTOM - share.clamp(0.0, 1.0) * (BOTTOM - TOP);
    let key = |class: &str, dashes: &str, name: &str| {
        format!(
            "<li><svg class=\"{class}\" width=\"30\" height=\"10\" aria-hidden=\"true\"><line class=\"line{dashes}\" \
             x1=\"0\" x2=\"30\" y1=\"5\" y2=\"5\"/></svg>{name}</li>"
        )
    };
    let mut out =
        format!("<ul class=\"legend\">{}{}</ul>", key("s1", DASHES, LINES.0), key("s0", "", LINES.1));
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture\"><svg class=\"front\" viewBox=\"0 0 {WIDTH} \
         {HEIGHT}\" role=\"img\" aria-label=\"Share of the bound that can be reached, over the message length; the table below \
         has the numbers\">"
    );
    for tick in 0..=5 {
        let at = y(f64::from(tick) / 5.0);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}\u{202f}%</text>",
            WIDTH - 20.0,
            LEFT - 6.0,
            at + 4.0,
            20 * tick
        );
    }
    let (first, last) = (r.points[0].bytes, r.points[r.points.len() - 1].bytes);
    // Every second power of two, so that labels do not overlap.
    for power in (4..64).step_by(2).filter(|power| (first..=last).contains(&(1 << power))) {
        let at = x.at((1u64 << power) as f64);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}</text>",
            BOTTOM + 18.0,
            bytes(1 << power)
        );
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">message length</text><text x=\"{LEFT}\" y=\"12\">share of the \
         bound</text>",
        WIDTH - 20.0,
        HEIGHT - 8.0
    );
    for (class, of) in [("s1", (|p| p.turns) as fn(&GridReachPoint) -> f64), ("s0", |p| p.all)] {
        let mut line = String::new();
        for point in &r.points {
            let start = if line.is_empty() { 'M' } else { 'L' };
            let _ = write!(line, "{start}{:.1} {:.1}", x.at(point.bytes as f64), y(of(point)));
        }
        let dashes = if class == "s1" { DASHES } else { "" };
        let _ = write!(out, "<g class=\"{class}\"><path class=\"line{dashes}\" d=\"{line}\"/></g>");
    }
    out + "</svg></div>"
}
