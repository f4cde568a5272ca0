//! The page of an extension: the gain of its instructions on each processor, beside plain code and the paper's Table 1,
//! and the cost of its unit: the trade-off between area and cycles as a picture.

use crate::frame::{Frame, Part};
use crate::html::{MISSING, Table, count, definitions, escape, ratio};
use crate::plot::{Mark, Plot, Series};
use serde::Serialize;
use std::fmt::Write;

/// The content of the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExtensionPage {
    /// The extension's name.
    pub name: String,
    /// A description of the extension.
    pub about: String,
    /// The source of the extension.
    pub source: String,
    /// Its instructions: names and descriptions.
    pub instructions: Vec<(String, String)>,
    /// The date of the page.
    pub made: String,
    /// The processors.
    pub bases: Vec<ExtendedBase>,
    /// The paper's Table 1.
    pub paper: Vec<PaperLine>,
    /// The unit as requested: its S-boxes, gate equivalents, depth; or the reason why they are unknown.
    pub unit: Result<UnitFigures, String>,
    /// Units that differ in their S-boxes, or the reason why there are none.
    pub trade: Result<Vec<TradePoint>, String>,
}

/// A processor with the extension.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExtendedBase {
    /// Its name.
    pub name: String,
    /// A description of the processor.
    pub about: String,
    /// The interface through which instructions are added to it.
    pub port: String,
    /// The reason why they cannot be added, if they cannot.
    pub refused: Option<String>,
    /// The source of its cycles, in a sentence.
    pub cycles: String,
    /// Its kernels.
    pub kernels: Vec<ExtendedKernel>,
}

/// A kernel with custom instructions, beside plain ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExtendedKernel {
    /// Its purpose: `AES-128 encrypt, cipher`.
    pub name: String,
    /// The matching column of the paper's table, if any: 0 cipher, 1 key schedule, 2 on the fly.
    pub column: Option<usize>,
    /// Figures with the extension, or the reason why there are none.
    pub extended: Result<KernelFigures, String>,
    /// Cycles of the fastest plain code.
    pub plain: Option<f64>,
    /// The speed-up over the fastest plain code.
    pub over_plain: Option<f64>,
    /// Cycles of S-box tables and plain MixColumns.
    pub baseline: Option<f64>,
    /// The speed-up over S-box tables and plain MixColumns.
    pub over_baseline: Option<f64>,
}

/// A kernel's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KernelFigures {
    /// Cycles of one block or key.
    pub cycles: f64,
    /// Instructions executed.
    pub instructions: u64,
    /// Instructions of the extension among them.
    pub custom: u64,
    /// Bytes of code.
    pub code: u64,
    /// Bytes of tables.
    pub tables: u64,
}

/// A row of the paper's table: cipher, key schedule, on the fly.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PaperLine {
    /// The names of the instructions.
    pub name: String,
    /// Cycles.
    pub cycles: [f64; 3],
    /// The speed-up over the original.
    pub times: [f64; 3],
}

/// A unit in hardware.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UnitFigures {
    /// Its S-boxes: `4 as circuit`.
    pub sboxes: String,
    /// Gate equivalents.
    pub area: f64,
    /// The number of cells on the longest path.
    pub depth: u64,
}

/// A unit and the cycles of AES-128 encryption with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TradePoint {
    /// The unit.
    pub unit: UnitFigures,
    /// The form of its S-boxes.
    pub form: String,
    /// Cycles, by processor.
    pub cycles: Vec<(String, f64)>,
}

/// Renders the page as one HTML file that loads nothing and has no scripts.
pub fn render_extension(page: &ExtensionPage) -> String {
    let mut sections = Vec::new();
    let mut section = |id: &str, title: &str, inner: String| {
        let (id, heading) = (id.to_owned(), title.to_owned());
        sections.push(Part { id, short: heading.clone(), heading, beside: false, inner });
    };
    section("paper", "Comparison with the paper's Table 1", paper(page));
    for base in &page.bases {
        section(&base.name, &base.name, kernels(base));
    }
    section("unit", "The unit", unit(page));
    let instructions: Vec<(&str, String)> =
        page.instructions.iter().map(|(name, about)| (name.as_str(), escape(about))).collect();
    Frame {
        title: &page.name,
        about: "pictures",
        lead: format!(
            "<p class=\"processor\">{}</p><p class=\"caption\">{}</p>{}",
            escape(&page.about),
            escape(&page.source),
            definitions(&instructions)
        ),
        sections,
        foot: format!(
            "<p>Created {}. Every kernel on this page is proved from its bytes to compute AES and passed published \
             vectors and 1,000 random keys and blocks in its judge. This file loads nothing from the network.</p>",
            escape(&page.made)
        ),
        scripts: String::new(),
    }
    .page()
}

fn cycles(value: f64) -> String {
    if value.fract().abs() < 0.005 { count(value.round() as u64) } else { format!("{value:.1}") }
}

fn maybe(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or(MISSING.to_owned(), text)
}

fn kernels(base: &ExtendedBase) -> String {
    let mut out =
        format!("<p>{}, by {}. {}</p>", escape(&base.about), escape(&base.port), escape(&base.cycles));
    if let Some(reason) = &base.refused {
        return out + &format!("<p class=\"absent\">{}</p>", escape(reason));
    }
    let mut table = Table::new(
        &format!("Kernels of {}", base.name),
        "kernel|>cycles|>plain code|>times as fast|>S-box code|>times as fast|>executed|>of these custom|>bytes of code|>of tables",
    );
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for kernel in &base.kernels {
        let figures = kernel.extended.as_ref();
        if let Err(reason) = figures {
            match reasons.iter_mut().find(|(known, _)| *known == reason.as_str()) {
                Some((_, names)) => names.push(&kernel.name),
                None => reasons.push((reason, vec![&kernel.name])),
            }
        }
        let of = |read: &dyn Fn(&KernelFigures) -> String| figures.map_or(MISSING.into(), read);
        table.row(&[
            escape(&kernel.name),
            of(&|f| format!("<span class=\"ours\">{}</span>", cycles(f.cycles))),
            maybe(kernel.plain, cycles),
            maybe(kernel.over_plain, ratio),
            maybe(kernel.baseline, cycles),
            maybe(kernel.over_baseline, ratio),
            of(&|f| count(f.instructions)),
            of(&|f| count(f.custom)),
            of(&|f| count(f.code)),
            of(&|f| count(f.tables)),
        ]);
    }
    out.push_str(&table.finish());
    for (reason, names) in reasons {
        let _ = write!(out, "<p class=\"absent\">{}: {}</p>", escape(&names.join("; ")), escape(reason));
    }
    out
}

fn paper(page: &ExtensionPage) -> String {
    let out = String::from(
        "<p>AES-128 encryption: cycles, and the speed-up over S-box tables with MixColumns in plain code on the \
         same processor. The paper's kernels are compiled C on a simulated ARM; ours are proved assembly.</p>",
    );
    let mut table = Table::new(
        "AES-128 encryption beside the paper's Table 1",
        "|>cipher|>times|>key schedule|>times|>on the fly|>times",
    );
    for line in &page.paper {
        let mut cells = vec![format!("paper: {}", escape(&line.name))];
        cells.extend((0..3).flat_map(|k| [cycles(line.cycles[k]), ratio(line.times[k])]));
        table.row(&cells);
    }
    for base in page.bases.iter().filter(|b| b.refused.is_none()) {
        let of = |k: usize| base.kernels.iter().find(|kernel| kernel.column == Some(k));
        let mut plain = vec![format!("{}: S-box code", escape(&base.name))];
        let mut ours =
            vec![format!("<span class=\"ours\">{}: {}</span>", escape(&base.name), escape(&page.name))];
        for kernel in (0..3).map(of) {
            let baseline = kernel.and_then(|k| k.baseline);
            plain.extend([maybe(baseline, cycles), maybe(baseline.map(|_| 1.0), ratio)]);
            let figures = kernel.and_then(|k| k.extended.as_ref().ok());
            ours.extend([
                maybe(figures.map(|f| f.cycles), cycles),
                maybe(kernel.and_then(|k| k.over_baseline), ratio),
            ]);
        }
        table.row(&plain);
        table.row(&ours);
    }
    out + &table.finish()
}

fn unit(page: &ExtensionPage) -> String {
    let figures = match &page.unit {
        Ok(figures) => figures,
        Err(reason) => {
            return format!("<p class=\"absent\">Area and depth are unknown: {}</p>", escape(reason));
        }
    };
    let mut out = format!(
        "<p>S-boxes: {}. <span class=\"ours\">{} gate equivalents</span>, {} cells on the longest path, synthesized \
         by yosys into CMOS gates; a gate equivalent is four transistors.</p>",
        escape(&figures.sboxes),
        count(figures.area.round() as u64),
        figures.depth
    );
    let trade = match &page.trade {
        Ok(trade) => trade,
        Err(reason) => return out + &format!("<p class=\"absent\">No trade-off: {}</p>", escape(reason)),
    };
    let names: Vec<&str> =
        trade.first().map_or(Vec::new(), |t| t.cycles.iter().map(|(name, _)| name.as_str()).collect());
    let series = names.iter().map(|&name| Series {
        name: name.into(),
        marks: trade
            .iter()
            .filter_map(|point| {
                let cycles = point.cycles.iter().find(|(n, _)| n == name)?.1;
                Some(Mark {
                    x: point.unit.area,
                    y: cycles,
                    hollow: point.form == "table",
                    title: format!(
                        "{name}: {} cycles with {} gate equivalents, S-boxes {}",
                        self::cycles(cycles),
                        count(point.unit.area.round() as u64),
                        point.unit.sboxes
                    ),
                })
            })
            .collect(),
    });
    let plot = Plot {
        label: "Cycles of AES-128 encryption against the unit's gate equivalents".into(),
        x: "gate equivalents".into(),
        y: "cycles per block".into(),
        series: series.collect(),
        hollow: Some("S-boxes as tables; filled: as circuits".into()),
    };
    out.push_str(
        "<p>An instruction takes more cycles if the unit has fewer S-boxes than the instruction uses. Cycles of AES-128 \
         encryption by the machine models:</p>",
    );
    out.push_str(&plot.svg());
    let mut columns = vec![("S-boxes", false), ("gate equivalents", true), ("cells deep", true)];
    columns.extend(names.iter().map(|name| (*name, true)));
    let mut table = Table::with("Area, depth and cycles by S-boxes", &columns);
    for point in trade {
        let mut cells = vec![
            escape(&point.unit.sboxes),
            count(point.unit.area.round() as u64),
            point.unit.depth.to_string(),
        ];
        cells.extend(point.cycles.iter().map(|(_, n)| cycles(*n)));
        table.row(&cells);
    }
    out + &table.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> ExtensionPage {
        let kernel = |name: &str, column, cycles: Option<f64>| ExtendedKernel {
            name: name.into(),
            column,
            extended: cycles.ok_or("it has <no> inverse".to_owned()).map(|cycles| KernelFigures {
                cycles,
                instructions: 300,
                custom: 160,
                code: 1200,
                tables: 0,
            }),
            plain: Some(2995.0),
            over_plain: cycles.map(|c| 2995.0 / c),
            baseline: Some(4864.0),
            over_baseline: cycles.map(|c| 4864.0 / c),
        };
        let unit = |sboxes: u8, form: &str, area| TradePoint {
            unit: UnitFigures { sboxes: format!("{sboxes} as {form}"), area, depth: 30 },
            form: form.into(),
            cycles: vec![("picorv32".into(), 918.0 + 160.0 / f64::from(sboxes))],
        };
        ExtensionPage {
            name: "smix3".into(),
            about: "a byte <at a time>".into(),
            source: "a paper".into(),
            instructions: vec![("smix".into(), "adds to a column".into())],
            made: "2026-11-22".into(),
            bases: vec![
                ExtendedBase {
                    name: "picorv32".into(),
                    kernels: vec![
                        kernel("AES-128 encrypt, cipher", Some(0), Some(918.0)),
                        kernel("AES-128 decrypt, cipher", None, None),
                        kernel("AES-192 decrypt, cipher", None, None),
                    ],
                    ..ExtendedBase::default()
                },
                ExtendedBase { refused: Some("line 4: too many".into()), ..ExtendedBase::default() },
            ],
            paper: vec![PaperLine { name: "none".into(), cycles: [1474.0, 783.0, 1771.0], times: [1.0; 3] }],
            unit: Ok(UnitFigures { sboxes: "1 as circuit".into(), area: 612.5, depth: 30 }),
            trade: Ok(vec![unit(1, "circuit", 612.5), unit(1, "table", 900.0), unit(4, "circuit", 1900.0)]),
        }
    }

    #[test]
    fn the_page_shows_every_figure_and_loads_nothing() {
        let html = render_extension(&page());
        assert!(html.contains("<span class=\"ours\">918</span>") && html.contains(">3.26<"), "{html}");
        assert!(html.contains("1\u{202f}474") && html.contains("line 4: too many"));
        // A reason appears once, and its text is escaped.
        assert_eq!(html.matches("it has &lt;no&gt; inverse").count(), 1);
        // They are in the legend and in the picture.
        assert_eq!(html.matches("<circle class=\"filled\"").count(), 1 + 2);
        assert_eq!(html.matches("<circle class=\"hollow\"").count(), 1 + 1);
        for loads in ["<script", "http://", "https://", "url("] {
            assert!(!html.contains(loads), "{loads}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let page = ExtensionPage {
            unit: Err("yosys cannot be run".into()),
            trade: Err("yosys cannot be run".into()),
            ..page()
        };
        let html = render_extension(&page);
        assert!(html.contains("yosys cannot be run") && !html.contains("<svg class=\"front\""));
    }
}
