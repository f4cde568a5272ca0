//! The paper's figures, convergence, sizes and the loop: a caption, an element that the scripts draw in, and the same
//! numbers as a table.

use crate::data::{ReportData, Surface};
use crate::doubts::doubts;
use crate::html::{MISSING, Table, bytes, cost, count, doubt, escape, percent, ratio};

/// The unit of the paper's figures, which are always about messages.
const PAPER_UNIT: &str = "cycles/byte";

/// The element of a plot: the scripts add the plot, its switches and its read-out.
fn host(id: &str) -> String {
    format!("<div class=\"plot\" id=\"{id}-plot\"><noscript>The plot needs JavaScript.</noscript></div>")
}

fn details(summary: &str, inner: String) -> String {
    format!("<details><summary>{}</summary>{inner}</details>", escape(summary))
}

pub fn surface(s: &Surface, id: &str, paper: &str) -> Option<String> {
    let across = s.x.values.len();
    let cell = |i: usize, j: usize| s.cells.get(j * across + i).copied().flatten();
    let measured = s.cells.iter().flatten().filter(|c| c.cost.is_finite()).count();
    if measured == 0 {
        return None;
    }
    let variants: u64 = s.cells.iter().flatten().map(|c| c.variants).sum();
    let headings: Vec<String> = s.x.values.iter().map(|v| v.to_string()).collect();
    let mut columns = vec![("", false)];
    columns.extend(headings.iter().map(|h| (h.as_str(), true)));
    let mut table = Table::with(&format!("{} in {PAPER_UNIT}", s.title), &columns);
    for (j, y) in s.y.values.iter().enumerate() {
        let mut row = vec![y.to_string()];
        row.extend((0..across).map(|i| cell(i, j).map_or(MISSING.into(), |c| cost(c.cost))));
        table.row(&row);
    }
    let costs = || s.cells.iter().flatten().map(|c| c.cost).filter(|c| c.is_finite());
    let (low, high) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
    let noise = s.noise.filter(|n| n.is_finite()).map_or(String::new(), |noise| {
        let near = costs().filter(|c| *c <= low * (1.0 + noise)).count();
        format!(
            " Differences of less than {} are within the noise, so {} cells may be the fastest; they are dotted.",
            percent(noise),
            count(near as u64)
        )
    });
    Some(format!(
        "<p class=\"caption\">{}. {}: {} variants in {} of {} cells, {} different kernels; each cell shows its best \
         variant. The slowest cell costs {} more than the fastest.{noise} {}</p>{}{}",
        escape(paper),
        escape(&s.title),
        count(variants),
        measured,
        across * s.y.values.len(),
        count(s.kernels),
        percent(high / low - 1.0),
        escape(&s.ends),
        host(id),
        details(&format!("The numbers: {} across, {} down", s.x.name, s.y.name), table.finish())
    ))
}

pub fn figure3(data: &ReportData) -> Option<String> {
    if data.figure3.is_empty() {
        return None;
    }
    let speed = "speed, in % of the bound\u{2019}s speed";
    let columns = format!("mode|>key, bits|>baseline|>best|>speedup|>bound|>above the bound|{speed}");
    let mut table = Table::new("Figure 3", &columns);
    let speeds = || data.figure3.iter().filter_map(|r| Some(r.bound? / r.best?)).filter(|s| s.is_finite());
    let fastest = speeds().fold(1.0, f64::max);
    let shown = |v: Option<f64>| v.map_or(MISSING.into(), cost);
    let of = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a / b);
    for r in &data.figure3 {
        table.row(&[
            format!(
                "{}{}",
                escape(&r.name),
                if r.own { "<span class=\"tag\">this report</span>" } else { "" }
            ),
            r.key_bits.to_string(),
            shown(r.baseline),
            format!(
                "<span class=\"ours\">{}{}</span>",
                shown(r.best),
                if r.confirmed { "" } else { "\u{a0}*" }
            ),
            of(r.baseline, r.best).map_or(MISSING.into(), |v| format!("{}\u{d7}", ratio(v))),
            shown(r.bound),
            of(r.best, r.bound).map_or(MISSING.into(), |v| percent(v - 1.0)),
            bullet(of(r.bound, r.baseline), of(r.bound, r.best), fastest),
        ]);
    }
    let mut notes = String::new();
    if data.figure3.iter().any(|r| r.best.is_some() && !r.confirmed) {
        notes.push_str(" * Lowest of a few samples of the search, not confirmed in a duel.");
    }
    let above: Vec<f64> = speeds().filter(|s| *s > BEATEN).collect();
    let most = above.iter().copied().fold(0.0, f64::max);
    let beaten = if above.is_empty() {
        String::new()
    } else {
        doubt(&format!(
            "{} of {} rows are faster than their bound, by at most {}, so these bounds are wrong: they were \
             calibrated at another clock than the measurement, or they omit a method that the kernels use.",
            above.len(),
            data.figure3.len(),
            percent(most - 1.0)
        ))
    };
    Some(format!(
        "<p class=\"caption\">Figure 3 of Manley, Magrath and Gregg (2010) with AES instructions, measured \
         here, in {PAPER_UNIT}. Bars: speed of the <span class=\"key best\"></span>best and of the \
         <span class=\"key base\"></span>baseline; <span class=\"key bound\"></span>marks the speed that the \
         bound allows, 100\u{202f}%.{notes}</p>{}{beaten}",
        table.finish()
    ))
}

/// The ratio above which a speed counts as faster than the bound: more than the clock's uncertainty.
const BEATEN: f64 = 1.01;

/// Bars for the speeds of baseline and best, as shares of the bound's speed, on a scale that ends at `fastest`.
fn bullet(baseline: Option<f64>, best: Option<f64>, fastest: f64) -> String {
    let part = |class: &str, share: Option<f64>, style: &str| {
        let Some(share) = share.filter(|s| s.is_finite()) else { return String::new() };
        let at = (100.0 * share / fastest).clamp(0.0, 100.0);
        format!("<i class=\"{class}\" style=\"{style}:{at:.2}%\"></i>")
    };
    if best.is_none() {
        return String::new();
    }
    format!(
        "<span class=\"bullet\" aria-hidden=\"true\">{}{}{}</span>",
        part("best", best, "width"),
        part("base", baseline, "left"),
        part("bound", Some(1.0), "left")
    )
}

pub fn convergence(data: &ReportData) -> Option<String> {
    let c = data.convergence.as_ref()?;
    let mut table = Table::new("Convergence", &format!("strategy|>trials|>{}|>found at trial", data.unit));
    let mut any = false;
    for s in &c.strategies {
        let Some(&(trials, best)) = s.best.last() else { continue };
        any = true;
        let found = s.best.iter().find(|p| p.1 <= best).map_or(trials, |p| p.0);
        table.row(&[escape(&s.name), count(trials), cost(best), count(found)]);
    }
    any.then(|| {
        format!(
            "<p class=\"caption\">Lowest cost so far, in {}, over the number of trials.</p>{}{}",
            escape(&data.unit),
            host("convergence"),
            details("Final values", table.finish())
        )
    })
}

pub fn sizes(data: &ReportData) -> Option<String> {
    let s = data.sizes.as_ref()?;
    let mut lengths: Vec<u64> = s.subjects.iter().flat_map(|x| x.points.iter().map(|p| p.bytes)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    if lengths.is_empty() {
        return None;
    }
    let headings: Vec<String> = lengths.iter().map(|&b| bytes(b)).collect();
    let mut columns = vec![("subject", false)];
    columns.extend(headings.iter().map(|h| (h.as_str(), true)));
    let mut table = Table::with("Cost against message size", &columns);
    for subject in &s.subjects {
        let mut row = vec![escape(&subject.name)];
        row.extend(lengths.iter().map(|&b| {
            let point = subject.points.iter().find(|p| p.bytes == b);
            point.map_or(MISSING.into(), |p| cost(p.cost.median))
        }));
        table.row(&row);
    }
    Some(format!(
        "<p class=\"caption\">{}: medians with quartile bands, in {}{}.</p>{}{}",
        match data.cold {
            true => "Cost of one call after 100 microseconds of other work, without a known bound",
            false => "Cost of independent calls, back to back; the bound is dashed",
        },
        escape(&data.unit),
        if s.made.is_empty() { String::new() } else { format!(", measured at {}", escape(&s.made)) },
        host("sizes"),
        details("The numbers", table.finish())
    ))
}

pub fn loop_chart(data: &ReportData) -> Option<String> {
    let l = data.loop_chart.as_ref()?;
    if l.instructions.is_empty() {
        return None;
    }
    let model = match l.bytes_per_iteration {
        0 => format!(
            "{} instructions of one call, which has no loop. Successive calls take {} cycles each in the model.",
            count(l.instructions.len() as u64),
            cost(l.cycles_per_iteration)
        ),
        n => format!(
            "{} instructions, {} cycles and {} per iteration: {} {} in the model.",
            count(l.instructions.len() as u64),
            cost(l.cycles_per_iteration),
            bytes(n),
            cost(l.cycles_per_iteration / n as f64),
            escape(&data.unit)
        ),
    };
    let ahead = l.instructions.iter().max_by_key(|s| s.iteration).filter(|s| s.iteration > 0);
    let ahead = ahead.map_or(String::new(), |s| {
        let iterations =
            if s.iteration == 1 { "one iteration".into() } else { format!("{} iterations", s.iteration) };
        format!(" The earliest work ({}) runs {iterations} ahead.", l.units.get(s.unit).map_or("", |u| u))
    });
    let doubts: String =
        data.distances.first().map(doubts).unwrap_or_default().iter().map(|d| doubt(d)).collect();
    Some(format!(
        "<p class=\"caption\">{model} The chart shows the steady state of the machine model, modulo the iteration: one \
         line per pipe, every instruction once. {}{} Full colour: work of the iteration whose busiest unit begins \
         at cycle 0; lighter: work of other iterations; pale: the load of a memory operand.</p>{doubts}{}",
        escape(&l.note),
        escape(&ahead),
        host("loop")
    ))
}
