//! The paper's figures, convergence, sizes and the loop: a caption, a host that the scripts draw in, and
//! the same numbers as a table.

use crate::data::{ReportData, Surface};
use crate::html::{MISSING, Table, bytes, cost, count, escape, percent, ratio};

/// A plot's host: the scripts put the plot, its switches and its read-out inside.
fn host(id: &str) -> String {
    format!("<div class=\"plot\" id=\"{id}-plot\"><noscript>The plot needs JavaScript.</noscript></div>")
}

fn details(summary: &str, inner: String) -> String {
    format!("<details><summary>{}</summary>{inner}</details>", escape(summary))
}

pub fn surface(s: &Surface, id: &str, paper: &str, unit: &str) -> Option<String> {
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
    let mut table = Table::new(&format!("{} in {unit}", s.title), &columns);
    for (j, y) in s.y.values.iter().enumerate() {
        let mut row = vec![y.to_string()];
        row.extend((0..across).map(|i| cell(i, j).map_or(MISSING.into(), |c| cost(c.cost))));
        table.row(&row);
    }
    Some(format!(
        "<p class=\"caption\">{}. {}, {} of the best of {} variants in {} of {} cells.</p>{}{}",
        escape(paper),
        escape(&s.title),
        escape(unit),
        count(variants),
        measured,
        across * s.y.values.len(),
        host(id),
        details(&format!("The numbers: {} across, {} down", s.x.name, s.y.name), table.finish())
    ))
}

pub fn figure3(data: &ReportData) -> Option<String> {
    if data.figure3.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "Figure 3",
        &[
            ("mode", false),
            ("key, bits", true),
            ("baseline", true),
            ("best", true),
            ("speedup", true),
            ("bound", true),
            ("above the bound", true),
            ("", false),
        ],
    );
    let worst = data.figure3.iter().flat_map(|r| [r.baseline, r.best]).flatten().fold(0.0, f64::max);
    let shown = |v: Option<f64>| v.map_or(MISSING.into(), cost);
    let of = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a / b);
    for r in &data.figure3 {
        table.row(&[
            escape(&r.name),
            r.key_bits.to_string(),
            shown(r.baseline),
            format!("<span class=\"ours\">{}</span>", shown(r.best)),
            of(r.baseline, r.best).map_or(MISSING.into(), |v| format!("{}\u{d7}", ratio(v))),
            shown(r.bound),
            of(r.best, r.bound).map_or(MISSING.into(), |v| percent(v - 1.0)),
            bullet(r.baseline, r.best, r.bound, worst),
        ]);
    }
    Some(format!(
        "<p class=\"caption\">Figure 3 of Manley, Magrath and Gregg (2010), measured here, in {}. Bars: \
         <span class=\"key best\"></span>best, <span class=\"key base\"></span>baseline, \
         <span class=\"key bound\"></span>bound.</p>{}",
        escape(&data.unit),
        table.finish()
    ))
}

/// Baseline, best and bound in one small bar on a common scale.
fn bullet(baseline: Option<f64>, best: Option<f64>, bound: Option<f64>, full: f64) -> String {
    let part = |class: &str, v: Option<f64>, style: &str| {
        let share = v.map_or(f64::NAN, |v| 100.0 * v / full);
        if !share.is_finite() {
            return String::new();
        }
        format!("<i class=\"{class}\" style=\"{style}:{:.2}%\"></i>", share.clamp(0.0, 100.0))
    };
    format!(
        "<span class=\"bullet\" aria-hidden=\"true\">{}{}{}</span>",
        part("base", baseline, "width"),
        part("best", best, "width"),
        part("bound", bound, "left")
    )
}

pub fn convergence(data: &ReportData) -> Option<String> {
    let c = data.convergence.as_ref()?;
    let mut table = Table::new(
        "Convergence",
        &[("strategy", false), ("trials", true), (&data.unit, true), ("found at trial", true)],
    );
    let mut any = false;
    for s in &c.strategies {
        let Some(&(trials, best)) = s.best.last() else { continue };
        any = true;
        let found = s.best.iter().find(|p| p.1 <= best).map_or(trials, |p| p.0);
        table.row(&[escape(&s.name), count(trials), cost(best), count(found)]);
    }
    any.then(|| {
        format!(
            "<p class=\"caption\">Best so far, {}, against trials.</p>{}{}",
            escape(&data.unit),
            host("convergence"),
            details("The ends of the lines", table.finish())
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
    let mut table = Table::new("Cost against message size", &columns);
    for subject in &s.subjects {
        let mut row = vec![escape(&subject.name)];
        row.extend(lengths.iter().map(|&b| {
            let point = subject.points.iter().find(|p| p.bytes == b);
            point.map_or(MISSING.into(), |p| cost(p.cost.median))
        }));
        table.row(&row);
    }
    Some(format!(
        "<p class=\"caption\">Medians with quartile bands, {}, one call; the bound is dashed.</p>{}{}",
        escape(&data.unit),
        host("sizes"),
        details("The numbers", table.finish())
    ))
}

pub fn loop_chart(data: &ReportData) -> Option<String> {
    let l = data.loop_chart.as_ref()?;
    if l.instructions.is_empty() {
        return None;
    }
    Some(format!(
        "<p class=\"caption\">{} instructions, {} cycles and {} an iteration: {} {} in the model. Solid: the \
         unit is taken; pale: the result is on its way; outlined: work for another iteration. {}</p>{}",
        l.instructions.len(),
        cost(l.cycles_per_iteration),
        bytes(l.bytes_per_iteration),
        cost(l.cycles_per_iteration / l.bytes_per_iteration as f64),
        escape(&data.unit),
        escape(&l.note),
        host("loop")
    ))
}
