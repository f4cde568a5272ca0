//! Plots of marks in series over two logarithmic axes, as SVG without scripts.

use crate::html::escape;
use crate::scale::{Scale, grid};
use std::fmt::Write;

/// A mark of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Horizontal value.
    pub x: f64,
    /// Vertical value.
    pub y: f64,
    /// True if it is drawn hollow.
    pub hollow: bool,
    /// Its description, shown when the pointer is over it.
    pub title: String,
}

/// Marks of one colour. A line from left to right joins those that are the lowest so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// The name in the legend.
    pub name: String,
    /// The marks.
    pub marks: Vec<Mark>,
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plot {
    /// A description for readers who cannot see the plot.
    pub label: String,
    /// The name of the horizontal axis.
    pub x: String,
    /// The name of the vertical axis.
    pub y: String,
    /// The series of marks.
    pub series: Vec<Series>,
    /// The meaning of hollow marks.
    pub hollow: Option<String>,
}

impl Plot {
    /// Renders the plot and its legend.
    pub(crate) fn svg(&self) -> String {
        let (width, height) = (820.0, 400.0);
        let marks = || self.series.iter().flat_map(|s| &s.marks);
        let x = Scale::new(marks().map(|m| m.x), 64.0, width - 20.0);
        let y = Scale::new(marks().map(|m| m.y), height - 46.0, 18.0);
        let mut out = String::from("<ul class=\"legend marks\">");
        for (number, series) in self.series.iter().enumerate() {
            let _ = write!(
                out,
                "<li class=\"s{}\"><svg viewBox=\"0 0 14 14\"><circle class=\"filled\" cx=\"7\" cy=\"7\" r=\"6\"/></svg><span>{}</span></li>",
                number % 7,
                escape(&series.name)
            );
        }
        if let Some(hollow) = &self.hollow {
            let _ = write!(
                out,
                "<li><svg viewBox=\"0 0 14 14\"><circle class=\"hollow\" cx=\"7\" cy=\"7\" r=\"5\"/></svg><span>{}</span></li>",
                escape(hollow)
            );
        }
        let _ = write!(
            out,
            "</ul><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture\">\
             <svg class=\"front\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}; the table below has the numbers\">",
            escape(&self.label)
        );
        grid(&mut out, &x, &y);
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><text x=\"64\" y=\"12\">{}</text>",
            width - 20.0,
            height - 8.0,
            escape(&self.x),
            escape(&self.y)
        );
        for (number, series) in self.series.iter().enumerate() {
            let _ = write!(out, "<g class=\"s{}\">", number % 7);
            let mut sorted: Vec<&Mark> = series.marks.iter().collect();
            sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
            let mut line = String::new();
            let mut lowest = f64::INFINITY;
            for mark in sorted.into_iter().filter(|m| {
                let lower = m.y < lowest;
                lowest = lowest.min(m.y);
                lower
            }) {
                let start = if line.is_empty() { 'M' } else { 'L' };
                let _ = write!(line, "{start}{:.1} {:.1}", x.at(mark.x), y.at(mark.y));
            }
            let _ = write!(out, "<path class=\"line\" d=\"{line}\"/>");
            for mark in &series.marks {
                let _ = write!(
                    out,
                    "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"6\"><title>{}</title></circle>",
                    if mark.hollow { "hollow" } else { "filled" },
                    x.at(mark.x),
                    y.at(mark.y),
                    escape(&mark.title)
                );
            }
            out.push_str("</g>");
        }
        out + "</svg></div>"
    }
}
