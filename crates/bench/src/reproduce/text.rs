//! A reproduction in words and tables: the document, and the data of the page.

use super::listing::Way;
use super::selective::{FASTEST, LOOKS, Property, Selection};
use super::{Count, Reproduction};
use aesmith_report::{ComparedPage, PageLine, PageLines, PageSurface, PageTable};
use std::fmt::Write;

const TITLE: &str = "Manley, Magrath and Gregg (2010), reproduced";
const PAPER: &str = "Raymond Manley, Paul Magrath and David Gregg, \"Code Generation for Hardware Accelerated AES\", \
                     ASAP 2010.";

fn cost(value: f64) -> String {
    format!("{value:.4}")
}

fn maybe(value: Option<f64>) -> String {
    value.map_or("-".into(), cost)
}

fn columns(names: &[(&str, bool)]) -> Vec<(String, bool)> {
    names.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect()
}

/// All tables in their order.
pub fn tables(found: &Reproduction) -> Vec<PageTable> {
    let mut tables = vec![findings(found), searches(found)];
    tables.extend(LOOKS.iter().enumerate().map(|(number, (name, _))| property(found, number, name)));
    tables.push(modes(found));
    tables.push(means(found));
    tables.extend(found.listing.as_ref().map(|listing| PageTable {
        id: "listing".into(),
        heading: "Annealing by Listing 1".into(),
        caption: format!(
            "{} on xmm, the paper's space. Searches start without optimizations and make {} trials each. Lowest \
             screened cost so far in cycles/byte: the median over the seeds, with quartiles in brackets.",
            listing.problem, listing.trials
        ),
        columns: std::iter::once(("trials".to_owned(), true))
            .chain(listing.ways.iter().map(|w| (format!("{}, {} seeds", w.strategy, w.ends.len()), true)))
            .collect(),
        rows: lines(&listing.ways),
    }));
    tables.push(counts(&found.counts));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn findings(found: &Reproduction) -> PageTable {
    let row = |f: &super::Finding| {
        vec![f.said.words().to_owned(), f.statement.clone(), f.of.clone(), f.numbers.clone()]
    };
    PageTable {
        id: "findings".into(),
        heading: "The paper's findings, tested on this CPU".into(),
        caption: format!(
            "A statement about the fastest {FASTEST} kernels of a search holds if it is true for most of them and for a \
             clearly larger share of them than of all kernels of the search (by three standard deviations). It does not \
             hold if it is true for fewer than half of them. In all other cases, and if costs differ by no more than the \
             noise, there is no evidence."
        ),
        columns: columns(&[
            ("here", false),
            ("the paper's statement", false),
            ("tested on", false),
            ("numbers", false),
        ]),
        rows: found.findings.iter().map(row).collect(),
    }
}

fn searches(found: &Reproduction) -> PageTable {
    PageTable {
        id: "searches".into(),
        heading: "Selective exhaustive searches".into(),
        caption: format!(
            "Every combination of some values of each choice, with messages of {} bytes and screened costs in \
             cycles/byte. Variants that need too many registers are tried but not measured; kernels with equal bytes are \
             measured once.",
            found.size
        ),
        columns: columns(&[
            ("problem", false),
            ("registers", false),
            ("variants", true),
            ("tried", true),
            ("kernels", true),
            ("fastest", true),
            ("200th", true),
            ("median of all", true),
            ("noise", true),
        ]),
        rows: found
            .searches
            .iter()
            .map(|s| {
                vec![
                    s.problem.clone(),
                    s.width.clone(),
                    s.variants.to_string(),
                    s.tried.to_string(),
                    s.kernels.to_string(),
                    cost(s.fastest),
                    cost(s.last),
                    cost(s.median),
                    format!("{:.1} %", 100.0 * s.noise),
                ]
            })
            .collect(),
    }
}

/// A choice over all searches that have it.
fn property(found: &Reproduction, number: usize, name: &str) -> PageTable {
    let of = |search: &Selection| search.properties.iter().find(|p| p.name == name).cloned();
    let having: Vec<(&Selection, Property)> =
        found.searches.iter().filter_map(|search| Some((search, of(search)?))).collect();
    let mut values: Vec<&String> =
        having.iter().flat_map(|(_, property)| property.values.iter().map(|(value, ..)| value)).collect();
    values.sort_by_key(|value| (value.parse::<u64>().unwrap_or(u64::MAX), (*value).clone()));
    values.dedup();
    let percent = |part: u64, all: u64| format!("{:.0} %", 100.0 * part as f64 / all.max(1) as f64);
    let cell = |value: &String, (search, property): &(&Selection, Property)| {
        let there = property.values.iter().find(|(v, ..)| v == value);
        there.map_or(String::new(), |(_, top, all)| {
            let top = percent(*top, search.kernels.min(FASTEST as u64));
            format!("{top} ({})", percent(*all, search.kernels))
        })
    };
    let names = having.iter().map(|(search, _)| (format!("{} {}", search.problem, search.width), true));
    PageTable {
        id: format!("fastest-{number}"),
        heading: format!("The fastest {FASTEST}: {name}"),
        caption:
            "Share of each value among the fastest kernels of a search, and in brackets its share of all kernels."
                .into(),
        columns: std::iter::once((name.to_owned(), false)).chain(names).collect(),
        rows: values
            .into_iter()
            .map(|value| {
                std::iter::once(value.clone()).chain(having.iter().map(|h| cell(value, h))).collect()
            })
            .collect(),
    }
}

fn modes(found: &Reproduction) -> PageTable {
    let times = |baseline: Option<f64>, best: f64| {
        baseline.map_or("-".into(), |baseline| format!("{:.2}", baseline / best))
    };
    PageTable {
        id: "modes".into(),
        heading: "Figure 3: every mode, from the baselines to the best".into(),
        caption: format!(
            "Measured alternately on xmm, in cycles/byte. CTR is without software pipelining, CTR-SP with it. Compilers: \
             {}. The paper measured processors of 2010; of its column, only the mean speed-up of 1.43 is known.",
            if found.modes.compilers.is_empty() {
                "none".to_owned()
            } else {
                found.modes.compilers.join("; ")
            }
        ),
        columns: columns(&[
            ("mode", false),
            ("key, bits", true),
            ("our naive kernel", true),
            ("naive C, gcc -O3", true),
            ("naive C, clang -O3", true),
            ("best", true),
            ("times naive kernel", true),
            ("times gcc", true),
            ("times clang", true),
            ("noise", true),
        ]),
        rows: found
            .modes
            .rows
            .iter()
            .map(|r| {
                vec![
                    r.mode.clone(),
                    r.key_bits.to_string(),
                    maybe(r.naive),
                    maybe(r.gcc),
                    maybe(r.clang),
                    cost(r.best),
                    times(r.naive, r.best),
                    times(r.gcc, r.best),
                    times(r.clang, r.best),
                    format!("{:.1} %", 100.0 * r.noise),
                ]
            })
            .collect(),
    }
}

fn means(found: &Reproduction) -> PageTable {
    PageTable {
        id: "means".into(),
        heading: "Mean speed-up".into(),
        caption: "Arithmetic mean over the modes; the paper reports 1.43.".into(),
        columns: columns(&[
            ("baseline", false),
            ("modes", true),
            ("mean", true),
            ("least", true),
            ("greatest", true),
        ]),
        rows: found
            .modes
            .means
            .iter()
            .map(|m| {
                let two = |v: f64| format!("{v:.2}");
                vec![m.baseline.clone(), m.modes.to_string(), two(m.mean), two(m.least), two(m.most)]
            })
            .collect(),
    }
}

fn lines(ways: &[Way]) -> Vec<Vec<String>> {
    let trials = ways.iter().flat_map(|way| way.line.iter().map(|point| point.0));
    let mut trials: Vec<u64> = trials.collect();
    trials.sort_unstable();
    trials.dedup();
    let shown = |way: &Way, trial: u64| {
        let point = way.line.iter().find(|point| point.0 == trial);
        point.map_or("-".into(), |(_, low, median, high)| format!("{median:.4} ({low:.4} to {high:.4})"))
    };
    trials
        .into_iter()
        .map(|trial| {
            std::iter::once(trial.to_string()).chain(ways.iter().map(|way| shown(way, trial))).collect()
        })
        .collect()
}

fn counts(counts: &[Count]) -> PageTable {
    PageTable {
        id: "counts".into(),
        heading: "Size of the spaces".into(),
        caption: "Combinations of the paper's options, counted exactly from our table of dimensions. The number of keys \
                  in registers has values from 0 to 15; a separate choice for each key gives a factor of 2 to the power of 15."
            .into(),
        columns: columns(&[("of", false), ("combinations", true), ("the paper", false)]),
        rows: counts
            .iter()
            .map(|c| vec![c.of.clone(), format!("{} (times 2^{})", c.combinations, c.keys), c.paper.to_owned()])
            .collect(),
    }
}

fn lead(found: &Reproduction) -> Vec<String> {
    let said = |what: super::findings::Said| found.findings.iter().filter(|f| f.said == what).count();
    use super::findings::Said::{DoesNotHold, Holds, NoEvidence};
    let mut lead = vec![format!(
        "This document repeats the evaluation of {PAPER} Of {} tests of its statements on this CPU, {} hold, {} do not, \
         and for {} there is no evidence.",
        found.findings.len(),
        said(Holds),
        said(DoesNotHold),
        said(NoEvidence)
    )];
    if !found.whole {
        lead.push(format!("The evaluation is incomplete. Missing: {}.", found.left.join("; ")));
    }
    lead.extend(found.notes.iter().cloned());
    lead
}

fn foot(found: &Reproduction) -> Vec<String> {
    let commit = found.commit.as_deref().unwrap_or("unknown");
    vec![
        format!(
            "Created {} by aesmith {}, commit {commit}, with `aesmith-bench reproduce {}`.",
            found.made, found.version, found.reproduction
        ),
        "Costs are measured in calibrated core cycles per byte: costs of searches are screened (a few samples each), \
         costs of Figures 1 to 3 are medians of alternating measurements. Every kernel of ours was proved before it ran. \
         Compiled C is not proved; its outputs are checked."
            .to_owned(),
    ]
}

/// Renders the document.
pub fn markdown(found: &Reproduction) -> String {
    let mut out = format!("# {TITLE}\n\n{}\n\n", found.processor);
    for sentence in lead(found) {
        let _ = writeln!(out, "{sentence}\n");
    }
    for table in tables(found) {
        let _ = writeln!(out, "## {}\n\n{}\n", table.heading, table.caption);
        let cell = |text: &String| text.replace('|', "\\|");
        let names: Vec<String> = table.columns.iter().map(|(name, _)| cell(name)).collect();
        let rule: Vec<&str> = table.columns.iter().map(|(_, n)| if *n { "--:" } else { "---" }).collect();
        let _ = writeln!(out, "| {} |\n| {} |", names.join(" | "), rule.join(" | "));
        for row in &table.rows {
            let cells: Vec<String> = row.iter().map(cell).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        out.push('\n');
    }
    for figure in &found.figures {
        let _ = writeln!(
            out,
            "## Figure {}: {} and keys in registers\n\n{} on xmm, {} of {} cells, each with its own kernel. {} \
             Differences of less than {:.1} % are within the noise.\n",
            figure.number,
            figure.across,
            figure.problem,
            figure.cells.len(),
            figure.all,
            figure.rule,
            100.0 * figure.noise
        );
        for layer in &figure.layers {
            let costs = layer.cells.iter().enumerate().filter_map(|(at, cell)| Some((at, (*cell)?.cost)));
            let low = costs.clone().min_by(|a, b| a.1.total_cmp(&b.1));
            let high = costs.map(|(_, cost)| cost).max_by(f64::total_cmp);
            if let (Some((at, low)), Some(high)) = (low, high) {
                let (x, y) = (at % layer.x.values.len(), at / layer.x.values.len());
                let _ = writeln!(
                    out,
                    "- {}: {low:.4} cycles/byte at {} {} with {} keys, up to {high:.4}",
                    layer.title, layer.x.name, layer.x.values[x], layer.y.values[y]
                );
            }
        }
        out.push('\n');
    }
    for sentence in foot(found) {
        let _ = writeln!(out, "{sentence}\n");
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The data of the page.
pub fn page(found: &Reproduction) -> ComparedPage {
    let surfaces = found.figures.iter().flat_map(|figure| {
        figure.layers.iter().enumerate().map(move |(layer, surface)| PageSurface {
            id: format!("figure{}-{layer}", figure.number),
            heading: format!("Figure {}: {}", figure.number, surface.title),
            rule: figure.rule.trim_end_matches('.').to_owned(),
            surface: surface.clone(),
        })
    });
    let lines = found.listing.as_ref().map(|listing| PageLines {
        behind: "listing".into(),
        caption: "Lowest screened cost so far: medians over the seeds with quartile bands.".into(),
        lines: listing
            .ways
            .iter()
            .map(|way| {
                let points = way.line.iter().map(|(trial, low, median, high)| (*trial, *median, *low, *high));
                PageLine { name: way.strategy.clone(), points: points.collect() }
            })
            .collect(),
    });
    ComparedPage {
        title: TITLE.into(),
        processor: found.processor.clone(),
        lead: lead(found),
        tables: tables(found),
        surfaces: surfaces.collect(),
        lines,
        foot: foot(found),
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings::{Finding, Said};
    use super::super::{NAME, Reproduction, counts};
    use super::*;

    fn sample() -> Reproduction {
        let properties = vec![Property {
            name: LOOKS[0].0.into(),
            values: vec![("2".into(), 10, 400), ("10".into(), 190, 600)],
        }];
        Reproduction {
            reproduction: NAME,
            processor: "a processor".into(),
            made: "2026-11-25 12:00 UTC".into(),
            version: "0",
            commit: None,
            size: 32768,
            seconds: 1.0,
            whole: false,
            counts: counts(),
            findings: vec![Finding {
                statement: "a | statement".into(),
                of: "aes256-ctr on xmm".into(),
                said: Said::Holds,
                numbers: "numbers".into(),
            }],
            searches: vec![Selection {
                problem: "aes256-ctr".into(),
                width: "xmm".into(),
                variants: 2000,
                tried: 2000,
                kernels: 1000,
                fastest: 0.4,
                last: 0.5,
                median: 0.6,
                noise: 0.01,
                properties,
                whole: true,
            }],
            listing: None,
            figures: Vec::new(),
            modes: Default::default(),
            left: vec!["Figure 1: no time was left".into()],
            notes: vec!["The machine was not quiet.".into()],
        }
    }

    #[test]
    fn the_document_says_what_holds_and_what_is_missing() {
        let text = markdown(&sample());
        for part in [
            "1 hold, 0 do not, and for 0 there is no evidence",
            "Missing: Figure 1: no time was left.",
            "The machine was not quiet.",
            "| holds | a \\| statement | aes256-ctr on xmm | numbers |",
            "| 2 | 5 % (40 %) |\n| 10 | 95 % (60 %) |",
            "commit unknown",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn the_page_has_the_tables_that_have_rows() {
        let page = page(&sample());
        let ids: Vec<&str> = page.tables.iter().map(|table| table.id.as_str()).collect();
        assert_eq!(ids, ["findings", "searches", "fastest-0", "counts"]);
        let html = aesmith_report::render_compared(&page);
        assert!(html.contains("a | statement") && !html.contains("id=\"lines-plot\""));
    }
}
