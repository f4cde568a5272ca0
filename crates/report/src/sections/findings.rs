//! The result, its limit, the variants tried, the claims and the machine: words, tables and plain bars.

use crate::data::{Cost, Distance, ReportData};
use crate::doubts::doubts;
use crate::html::{
    MISSING, Table, bytes, cost, count, definitions, doubt, escape, percent, ratio, ratio_to_bound,
};

/// The kind of calls that costs refer to.
pub fn calls(data: &ReportData) -> &'static str {
    match data.cold {
        true => "one call after 100 microseconds of other work, without a known bound",
        false => "independent calls, back to back",
    }
}

fn band(c: &Cost) -> String {
    format!("{} to {}", cost(c.low), cost(c.high))
}

pub fn result(data: &ReportData) -> Option<String> {
    let s = data.summary.as_ref()?;
    let unit = escape(&data.unit);
    let columns = format!("|>{}|>\u{d7} bound|>\u{d7} best|>quartiles", data.unit);
    let mut table = Table::new("Result", &columns);
    let mut row = |name: &str, class: &str, median: f64, quartiles: String| {
        table.row(&[
            format!("<span class=\"{class}\">{}</span>", escape(name)),
            format!("<span class=\"{class}\">{}</span>", cost(median)),
            ratio_to_bound(median / s.bound),
            ratio(median / s.best.median),
            quartiles,
        ]);
    };
    let best = if s.confirmed { "best, confirmed" } else { "best, measured here" };
    row(best, "ours", s.best.median, band(&s.best));
    if let Some(openssl) = &s.openssl {
        if let Some(beside) = s.beside_openssl.as_ref().filter(|_| s.confirmed) {
            row("best, alternating with OpenSSL", "", beside.median, band(beside));
        }
        row("OpenSSL libcrypto", "", openssl.median, band(openssl));
    }
    if s.baseline.median.is_finite() {
        row("baseline, not optimised", "", s.baseline.median, MISSING.into());
    }
    if s.bound.is_finite() {
        row("bound", "", s.bound, MISSING.into());
    }
    let at = if s.message_bytes > 0 { format!(" at {}", bytes(s.message_bytes)) } else { String::new() };
    let several = match s.variants_by_length {
        0 | 1 => String::new(),
        n => format!(", which selects one of {n} variants by length"),
    };
    let calls = calls(data);
    let mut rows = vec![
        ("Technique", escape(&s.technique)),
        ("Kernel", format!("<code>{}</code>{several}", escape(&s.kernel))),
        ("Variant", format!("<code>{}</code>", escape(&s.variant))),
    ];
    if s.variants_tried > 0 && s.seconds > 0.0 {
        let seconds =
            if s.seconds < 10.0 { format!("{:.1}", s.seconds) } else { format!("{:.0}", s.seconds) };
        let tried =
            format!("{}\u{a0}samples in {seconds}\u{a0}s, confirmations included", count(s.variants_tried));
        rows.push(("Search", tried));
    }
    if let Some(path) = &s.kernel_path {
        rows.push(("Emitted to", format!("<code>{}</code>", escape(path))));
    }
    Some(format!(
        "<div class=\"split\"><div><p class=\"caption\">Medians in {unit}{at} of {calls}; lower is better.</p>{}</div>\
         <div>{}</div></div>",
        table.finish(),
        definitions(&rows)
    ))
}

pub fn mix(data: &ReportData) -> Option<String> {
    let total: u64 = data.mix.iter().map(|p| p.count).sum();
    if total == 0 {
        return None;
    }
    let mut bar = String::new();
    let mut table = Table::new("Instruction mix", "class|>instructions|>share|>operations|>pipes taken");
    for part in &data.mix {
        let share = part.count as f64 / total as f64;
        bar.push_str(&format!(
            "<i class=\"mark c{}\" style=\"width:{:.3}%\" title=\"{}: {}\"></i>",
            part.unit % 7,
            100.0 * share,
            escape(&part.name),
            part.count
        ));
        table.row(&[
            format!("<span class=\"swatch c{}\"></span>{}", part.unit % 7, escape(&part.name)),
            count(part.count),
            percent(share),
            count(part.operations),
            part.occupancy.map_or(MISSING.into(), percent),
        ]);
    }
    Some(format!(
        "<p class=\"caption\">{} instructions in one iteration of the loop. A memory operand counts as one more \
         operation. \u{201c}Pipes taken\u{201d} is the share of the loop\u{2019}s cycles in which the pipes are busy \
         in the model.</p>\
         <div class=\"mix\" id=\"mix-plot\" aria-hidden=\"true\">{bar}</div>{}",
        count(total),
        table.finish()
    ))
}

pub fn distance(data: &ReportData) -> Option<String> {
    let costs = |d: &Distance| {
        let all = [Some(d.bound), d.model, d.measured.map(|m| m.median)].into_iter().flatten();
        all.filter(|v| v.is_finite()).fold(0.0, f64::max)
    };
    if data.distances.iter().all(|d| costs(d) == 0.0) {
        return None;
    }
    let mut out = String::new();
    for d in &data.distances {
        let full = costs(d);
        let mut bars = String::new();
        let measured = d.measured.map(|m| m.median);
        for (name, class, value) in
            [("bound", "bound", Some(d.bound)), ("model", "model", d.model), ("measured", "best", measured)]
        {
            let Some(value) = value.filter(|v| v.is_finite()) else { continue };
            bars.push_str(&format!(
                "<div class=\"bar\"><span>{name}</span><span class=\"track\"><i class=\"mark {class}\" \
                 style=\"width:{:.2}%\"></i></span><span class=\"value\">{}</span><span class=\"value\">{}</span></div>",
                (100.0 * value / full).clamp(0.0, 100.0),
                cost(value),
                if class == "bound" { String::new() } else { format!("{}\u{d7}", ratio_to_bound(value / d.bound)) }
            ));
        }
        let limit = match d.limit.as_str() {
            "" => String::new(),
            limit => format!(" <span class=\"limit\">limited by {}</span>", escape(limit)),
        };
        let doubts: String = doubts(d).iter().map(|d| doubt(d)).collect();
        out.push_str(&format!("<h3>{}{limit}</h3>{bars}{doubts}", escape(&d.name)));
    }
    Some(format!(
        "<p class=\"caption\">Costs in {}, and their ratios to the bound: the lowest cost that this machine\u{2019}s \
         measured units allow for the dataflow. Each kernel has its own scale.</p><div class=\"bars\" id=\"distance-plot\">{out}</div>",
        escape(&data.unit)
    ))
}

pub fn outcomes(data: &ReportData) -> Option<String> {
    let total: u64 = data.outcomes.iter().map(|o| o.count).sum();
    if total == 0 {
        return None;
    }
    let mut table = Table::new("Outcomes", "outcome|>variants|>share|meaning");
    for o in &data.outcomes {
        table.row(&[
            escape(&o.name),
            count(o.count),
            percent(o.count as f64 / total as f64),
            escape(&o.meaning),
        ]);
    }
    Some(format!(
        "<p class=\"caption\">{} trials by outcome. No kernel runs before it is proved.</p>{}",
        count(total),
        table.finish()
    ))
}

/// Meanings of the levels, so that the page explains them in place.
const LEVELS: [(&str, &str); 7] = [
    ("E0", "published vectors pass"),
    ("E1", "vectors, differential tests, guard pages and calling convention pass"),
    ("E2", "the block is proved for every key and block"),
    ("E3", "the mode is proved for every key, every input and every length"),
    (
        "CT2",
        "no secret address, branch, shift count or mask, and every instruction that handles a secret is on Intel\u{2019}s list of data-independent timing, which requires DOITM on processors that have it; AMD has no such list",
    ),
    ("CT1", "no secret address, branch, shift count or mask"),
    ("VT", "variable time: secrets address memory"),
];

fn level(name: &str) -> String {
    let meaning = LEVELS.iter().find(|l| l.0 == name).map(|l| format!(": {}", l.1)).unwrap_or_default();
    format!("<strong>{}</strong>{meaning}", escape(name))
}

pub fn certificate(data: &ReportData) -> Option<String> {
    let c = data.certificate.as_ref()?;
    let mut rows = vec![
        ("Kernel", format!("<code>{}</code>", escape(&c.kernel))),
        ("Equivalence", level(&c.level)),
        ("Time", level(&c.constant_time)),
        ("SHA-256 of the bytes", format!("<code class=\"hash\">{}</code>", escape(&c.sha256))),
        ("Size", format!("{}\u{a0}B", count(c.bytes))),
        ("Written by", escape(&c.tool_version)),
    ];
    if let Some(path) = &c.path {
        rows.push(("File", format!("<code>{}</code>", escape(path))));
    }
    let mut out = definitions(&rows);
    if !c.claims.is_empty() {
        let mut table = Table::new("Claims", "claim|shown");
        for claim in &c.claims {
            table.row(&[escape(&claim.claim), escape(&claim.shown)]);
        }
        out.push_str(&table.finish());
    }
    if !c.assumptions.is_empty() {
        let items: String = c.assumptions.iter().map(|a| format!("<li>{}</li>", escape(a))).collect();
        out.push_str(&format!("<h3>Assumptions</h3><ul>{items}</ul>"));
    }
    Some(out)
}

pub fn machine(data: &ReportData) -> Option<String> {
    let m = data.machine.as_ref()?;
    let features: Vec<String> = m.features.iter().map(|f| format!("<code>{}</code>", escape(f))).collect();
    let toolchain: Vec<String> = m
        .toolchain
        .iter()
        .map(|(tool, version)| format!("{}\u{a0}{}", escape(tool), escape(version)))
        .collect();
    let maybe = |value: &Option<String>, else_: &str| value.as_deref().map_or(else_.to_owned(), escape);
    let built = match &m.commit {
        Some(commit) => format!("{}, commit <code>{}</code>", escape(&m.tool_version), escape(commit)),
        None => format!("{}, commit unknown", escape(&m.tool_version)),
    };
    Some(definitions(&[
        ("CPU", escape(&m.cpu)),
        ("Model", escape(&m.model)),
        ("Features", features.join(" ")),
        ("Hypervisor", escape(&m.hypervisor)),
        ("Kernel", escape(&m.kernel)),
        ("Clock", escape(&m.clock)),
        ("Governor", maybe(&m.governor, "not reported by this system, as on most virtual machines")),
        ("Load", maybe(&m.load, "not reported by this system")),
        ("aesmith", built),
        ("Built by", maybe(&m.compiler, "unknown")),
        ("Other tools", toolchain.join(", ")),
        ("Seed", m.seed.to_string()),
        ("Command", format!("<code>{}</code>", escape(&m.command))),
    ]))
}
