//! The page of a processor other than this machine: for each problem a table of its kernels, and the Pareto front over
//! cycles, flash and RAM as a picture in which constant time is marked.

use crate::frame::{Frame, Part};
use crate::html::{Table, count, escape};
use crate::scale::{Scale, grid};
use serde::Serialize;
use std::fmt::Write;

/// A kernel that is proved and confirmed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrontPoint {
    /// Cycles of one block or key: the judge's if it counts them, else the model's.
    pub cycles: f64,
    /// Cycles by the machine model.
    pub model: f64,
    /// The lower bound of its dataflow, in cycles.
    pub bound: Option<f64>,
    /// Bytes of flash.
    pub flash: u64,
    /// Bytes of RAM for tables.
    pub ram: u64,
    /// Bytes of stack.
    pub stack: u64,
    /// True if its time is proved not to depend on secrets.
    pub constant_time: bool,
    /// The judge that confirmed it.
    pub judge: String,
    /// True if the judge counted the cycles.
    pub counted: bool,
    /// Its choices, in text form.
    pub variant: String,
}

/// The front of one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Front {
    /// The problem.
    pub problem: String,
    /// The unit of work that cycles refer to: per block, per key.
    pub unit: String,
    /// The name of the cost: cycles, or static cycles, which are not times.
    pub cost: String,
    /// Kernels that no other one dominates, by ascending cycles.
    pub points: Vec<FrontPoint>,
    /// The number of variants that were costed.
    pub costed: u64,
}

/// The content of the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessorPage {
    /// The processor's name.
    pub name: String,
    /// A description of the processor.
    pub about: String,
    /// A description of its machine model.
    pub model: String,
    /// The reason why kernels with secret-dependent addresses are shown, or a statement that they are not.
    pub time: String,
    /// The date of the page.
    pub made: String,
    /// The problems.
    pub fronts: Vec<Front>,
}

/// Renders the page as one HTML file that loads nothing and has no scripts.
pub fn render_processor(page: &ProcessorPage) -> String {
    let sections = page.fronts.iter().map(|front| Part {
        id: front.problem.clone(),
        short: front.problem.clone(),
        heading: front.problem.clone(),
        beside: false,
        inner: format!(
            "{}{}{}",
            summary(front),
            if front.points.len() > 1 { picture(front) } else { String::new() },
            table(front)
        ),
    });
    Frame {
        title: &page.name,
        about: "pictures",
        lead: format!(
            "<p class=\"processor\">{}</p><p>Machine model: {}.</p><p>{}.</p>",
            escape(&page.about),
            escape(&page.model),
            escape(&capital(&page.time)),
        ),
        sections: sections.collect(),
        foot: format!(
            "<p>Created {}. Every kernel on this page is proved from its bytes to compute AES. This file loads nothing \
             from the network.</p>",
            escape(&page.made)
        ),
        scripts: String::new(),
    }
    .page()
}

/// Capitalizes the first letter of a sentence.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Classes of RAM: their upper limits in bytes, their names, and their colours in the palette.
const RAM: [(u64, &str, u8); 4] =
    [(0, "no RAM", 2), (256, "up to 256 bytes", 5), (512, "up to 512", 0), (u64::MAX, "more RAM", 1)];

fn ram_class(ram: u64) -> usize {
    RAM.iter().position(|(end, ..)| ram <= *end).unwrap_or(RAM.len() - 1)
}

fn cycles(value: f64) -> String {
    if value.fract().abs() < 0.005 { count(value.round() as u64) } else { format!("{value:.2}") }
}

fn summary(front: &Front) -> String {
    let Some(best) = front.points.first() else { return String::new() };
    let bound = best.bound.map_or(String::new(), |b| {
        format!(", {:.1}\u{202f}% above the bound of {}", (best.cycles / b - 1.0) * 100.0, cycles(b))
    });
    let who = if best.counted { "counted by" } else { "by the machine model; outputs confirmed by" };
    let kernels = match front.points.len() {
        1 => "The Pareto front has one kernel".to_owned(),
        n => format!("The Pareto front has {n} kernels"),
    };
    format!(
        "<p>The fastest kernel takes <span class=\"ours\">{} {} {}</span>{bound}, {who} {}. {kernels}, out of {} costed variants.</p>",
        cycles(best.cycles),
        escape(&front.cost),
        escape(&front.unit),
        escape(&best.judge),
        count(front.costed)
    )
}

/// The legend's entry for constant time.
const RING: &str = "<li><svg viewBox=\"0 0 14 14\"><circle class=\"constant\" cx=\"7\" cy=\"7\" r=\"5.5\"/></svg>constant time, proved</li>";

/// The front as a picture: cycles are horizontal, flash is vertical, RAM is the colour, and a ring marks constant time.
fn picture(front: &Front) -> String {
    let (width, height) = (820.0, 420.0);
    let x = Scale::new(front.points.iter().map(|p| p.cycles), 64.0, width - 20.0);
    let y = Scale::new(front.points.iter().map(|p| p.flash as f64), height - 46.0, 16.0);
    let mut out = format!(
        "<ul class=\"legend marks\">{}{}</ul><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture\">\
         <svg class=\"front\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Pareto front of {}: cycles to the right, bytes of flash upwards, both logarithmic; the table below has the numbers\">",
        RAM.iter()
            .enumerate()
            .filter(|(class, _)| front.points.iter().any(|p| ram_class(p.ram) == *class))
            .map(|(_, (_, name, colour))| format!(
                "<li><svg viewBox=\"0 0 14 14\"><circle class=\"filled s{colour}\" cx=\"7\" cy=\"7\" r=\"6\"/></svg>{name}</li>"
            ))
            .collect::<String>(),
        if front.points.iter().any(|p| p.constant_time) { RING } else { "" },
        escape(&front.problem)
    );
    grid(&mut out, &x, &y);
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{} {}</text><text x=\"64\" y=\"11\">bytes of flash</text>",
        width - 20.0,
        height - 8.0,
        escape(&front.cost),
        escape(&front.unit)
    );
    // The steps at which less flash costs more cycles, regardless of RAM.
    let mut steps = String::new();
    let mut lowest = f64::INFINITY;
    for p in &front.points {
        if (p.flash as f64) < lowest {
            let at = (x.at(p.cycles), y.at(p.flash as f64));
            if steps.is_empty() {
                let _ = write!(steps, "M{:.1} {:.1}", at.0, at.1);
            } else {
                let _ = write!(steps, "H{:.1}V{:.1}", at.0, at.1);
            }
            lowest = p.flash as f64;
        }
    }
    let _ = write!(out, "<path class=\"steps\" d=\"{steps}\"/>");
    let mut named: Vec<(f64, f64)> = Vec::new();
    for (number, p) in (1..).zip(&front.points) {
        let (at_x, at_y) = (x.at(p.cycles), y.at(p.flash as f64));
        // A label that would overlap another one is placed below its mark.
        let near = |at: &(f64, f64)| (at.0 - at_x).abs() < 24.0 && (at.1 - (at_y - 6.0)).abs() < 14.0;
        let name_y = if named.iter().any(near) { at_y + 19.0 } else { at_y - 6.0 };
        // With a mark to the right, only the left side has room.
        let right = |q: &FrontPoint| {
            let (dx, dy) = (x.at(q.cycles) - at_x, y.at(q.flash as f64) - at_y);
            dx > 0.5 && dx < 34.0 && dy.abs() < 20.0
        };
        let beside = if p.constant_time { 13.0 } else { 10.0 };
        let (name_x, anchor) = match front.points.iter().any(right) {
            true => (at_x - beside, "end"),
            false => (at_x + beside, "start"),
        };
        named.push((at_x, name_y));
        let _ = write!(
            out,
            "<g><title>{number}: {} {}, {} bytes of flash, {} of RAM, {} of stack{}</title><circle class=\"filled s{}\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"7\"/>",
            cycles(p.cycles),
            escape(&front.cost),
            p.flash,
            p.ram,
            p.stack,
            if p.constant_time { ", constant time" } else { "" },
            RAM[ram_class(p.ram)].2
        );
        if p.constant_time {
            let _ = write!(out, "<circle class=\"constant\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"10\"/>");
        }
        let _ = write!(
            out,
            "<text class=\"name\" x=\"{name_x:.1}\" y=\"{name_y:.1}\" text-anchor=\"{anchor}\">{number}</text></g>"
        );
    }
    out + "</svg></div>"
}

fn table(front: &Front) -> String {
    let (cost, rest) = (&front.cost, "|constant time|cycles by|choices");
    let columns = format!(">|>{cost}|>bound|>model|>flash|>RAM|>stack{rest}");
    let mut table = Table::new(&format!("Kernels of {}", front.problem), &columns);
    for (number, p) in (1..).zip(&front.points) {
        table.row(&[
            number.to_string(),
            cycles(p.cycles),
            p.bound.map_or(crate::html::MISSING.to_owned(), cycles),
            cycles(p.model),
            count(p.flash),
            count(p.ram),
            count(p.stack),
            if p.constant_time { "yes" } else { "no" }.into(),
            if p.counted { escape(&p.judge) } else { "machine model".into() },
            format!("<code>{}</code>", escape(&p.variant)),
        ]);
    }
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> ProcessorPage {
        let point = |cycles: f64, flash, ram, constant_time| FrontPoint {
            cycles,
            model: cycles,
            bound: Some(1400.0),
            flash,
            ram,
            stack: 3,
            constant_time,
            judge: "simavr <1.6>".into(),
            counted: true,
            variant: "sbox=ram".into(),
        };
        ProcessorPage {
            name: "avr".into(),
            about: "8 bits".into(),
            model: "the manual".into(),
            time: "look-ups are allowed".into(),
            made: "2026-11-22".into(),
            fronts: vec![Front {
                problem: "aes128-ecb".into(),
                unit: "per block".into(),
                cost: "cycles".into(),
                points: vec![
                    point(1577.0, 2254, 512, false),
                    point(1750.5, 1100, 512, false),
                    point(2400.0, 690, 0, false),
                    point(9000.0, 3000, 0, true),
                ],
                costed: 160,
            }],
        }
    }

    #[test]
    fn the_page_shows_every_point_and_loads_nothing() {
        let html = render_processor(&page());
        assert_eq!(html.matches("<g><title>").count(), 4);
        // One is in the legend, one at the point.
        assert_eq!(html.matches("<circle class=\"constant\"").count(), 2);
        assert!(html.contains("12.6\u{202f}% above the bound"), "{html}");
        assert!(html.contains("1750.50") && html.contains("simavr &lt;1.6&gt;") && !html.contains("<1.6>"));
        for loads in ["<script", "http://", "https://", "url("] {
            assert!(!html.contains(loads), "{loads}");
        }
    }
}
