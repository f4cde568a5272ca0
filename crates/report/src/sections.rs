//! The sections of the page, in order: words and tables in HTML, and a host for each plot, which the
//! scripts fill. A section without data writes nothing; [`SECTIONS`] has the reason and the command.

use crate::data::{Cost, ReportData, Surface};
use crate::html::{MISSING, Table, bytes, cost, count, definitions, escape, percent, ratio, ratio_to_bound};

/// One section: what it is called, what writes it, and what is said when its data are absent.
pub struct Section {
    /// Anchor in the page.
    pub id: &'static str,
    /// Heading.
    pub heading: &'static str,
    /// Whether it shares its row with a neighbour on a wide screen.
    pub beside: bool,
    /// The section's HTML, or `None` without data.
    pub write: fn(&ReportData) -> Option<String>,
    /// Why there may be nothing, a sentence.
    pub absent: &'static str,
    /// The command that fills it; `{problem}` is the report's problem, `{key}` its key size.
    pub command: &'static str,
}

/// All sections, in the order of the page.
pub const SECTIONS: &[Section] = &[
    Section {
        id: "result",
        heading: "Result",
        beside: false,
        write: result,
        absent: "wisdom holds no confirmed winner for this problem on this processor.",
        command: "aesmith tune {problem}",
    },
    Section {
        id: "figure1",
        heading: "Initiation interval and keys in registers",
        beside: true,
        write: |d| surface(d.figure1.as_ref()?, "figure1", "Figure 1 of the paper, measured here", &d.unit),
        absent: "wisdom holds no samples of this processor over initiation interval and key mask.",
        command: "aesmith tune {key}-ctr --strategy exhaustive",
    },
    Section {
        id: "figure2",
        heading: "Interleave distance and keys in registers",
        beside: true,
        write: |d| surface(d.figure2.as_ref()?, "figure2", "Figure 2 of the paper, measured here", &d.unit),
        absent: "wisdom holds no samples of 4-stream CBC over interleave distance and key mask.",
        command: "aesmith tune {key}-cbc-x4 --strategy exhaustive",
    },
    Section {
        id: "figure3",
        heading: "All modes, baseline to best",
        beside: false,
        write: figure3,
        absent: "no mode has a baseline and a best on this processor.",
        command: "aesmith tune {problem}",
    },
    Section {
        id: "convergence",
        heading: "Convergence of the strategies",
        beside: true,
        write: convergence,
        absent: "no strategy's run is recorded for this problem.",
        command: "aesmith tune {problem} --strategy annealing",
    },
    Section {
        id: "sizes",
        heading: "Cost against message size",
        beside: true,
        write: sizes,
        absent: "no message sizes have been measured for this problem.",
        command: "aesmith bench {problem} --sizes 16B..1MiB",
    },
    Section {
        id: "loop",
        heading: "The winner\u{2019}s loop over cycles",
        beside: false,
        write: loop_chart,
        absent: "there is no confirmed winner whose loop could be shown.",
        command: "aesmith tune {problem}",
    },
    Section {
        id: "mix",
        heading: "Instruction mix",
        beside: true,
        write: mix,
        absent: "there is no confirmed winner whose instructions could be counted.",
        command: "aesmith tune {problem}",
    },
    Section {
        id: "distance",
        heading: "Distance to the bound",
        beside: true,
        write: distance,
        absent: "no kernel of this problem has a bound, which needs the measured machine model.",
        command: "aesmith tune {problem}",
    },
    Section {
        id: "outcomes",
        heading: "What was tried",
        beside: false,
        write: outcomes,
        absent: "no trials are recorded for this problem on this processor.",
        command: "aesmith tune {problem}",
    },
    Section {
        id: "certificate",
        heading: "Certificate",
        beside: true,
        write: certificate,
        absent: "no certificate is stored for the winner.",
        command: "aesmith emit {problem} --as asm -o DIR",
    },
    Section {
        id: "machine",
        heading: "Machine and provenance",
        beside: true,
        write: machine,
        absent: "the machine was not recorded.",
        command: "aesmith doctor",
    },
];

fn band(c: &Cost) -> String {
    format!("{} to {}", cost(c.low), cost(c.high))
}

fn result(data: &ReportData) -> Option<String> {
    let s = data.summary.as_ref()?;
    let unit = escape(&data.unit);
    let mut table = Table::new(
        "Result",
        &[
            ("", false),
            (&data.unit, true),
            ("quartiles", true),
            ("\u{d7} best", true),
            ("\u{d7} bound", true),
        ],
    );
    let mut row = |name: &str, class: &str, median: f64, quartiles: String| {
        table.row(&[
            format!("<span class=\"{class}\">{}</span>", escape(name)),
            format!("<span class=\"{class}\">{}</span>", cost(median)),
            quartiles,
            ratio(median / s.best.median),
            ratio_to_bound(median / s.bound),
        ]);
    };
    row("best, confirmed", "ours", s.best.median, band(&s.best));
    if let Some(openssl) = &s.openssl {
        row("OpenSSL libcrypto", "", openssl.median, band(openssl));
    }
    row("baseline, no optimisation", "", s.baseline.median, band(&s.baseline));
    row("bound", "", s.bound, MISSING.into());
    let rate = s.variants_tried as f64 / s.seconds;
    let rate = if rate.is_finite() {
        format!(", {}\u{a0}variants/s", count(rate.round() as u64))
    } else {
        String::new()
    };
    let mut rows = vec![
        ("Technique", escape(&s.technique)),
        ("Kernel", format!("<code>{}</code>", escape(&s.kernel))),
        ("Variant", format!("<code>{}</code>", escape(&s.variant))),
        (
            "Search",
            format!("{}\u{a0}variants tried in {}\u{a0}s{rate}", count(s.variants_tried), cost(s.seconds)),
        ),
    ];
    if let Some(path) = &s.kernel_path {
        rows.push(("Emitted to", format!("<code>{}</code>", escape(path))));
    }
    Some(format!(
        "<div class=\"split\"><div><p class=\"caption\">Medians at {}, {unit}; lower is better.</p>{}</div>\
         <div>{}</div></div>",
        bytes(s.message_bytes),
        table.finish(),
        definitions(&rows)
    ))
}

/// A plot's host: the scripts put the plot, its switches and its read-out inside.
fn host(id: &str) -> String {
    format!("<div class=\"plot\" id=\"{id}-plot\"><noscript>The plot needs JavaScript.</noscript></div>")
}

fn details(summary: &str, inner: String) -> String {
    format!("<details><summary>{}</summary>{inner}</details>", escape(summary))
}

fn surface(s: &Surface, id: &str, paper: &str, unit: &str) -> Option<String> {
    let across = s.x.values.len();
    let cell = |i: usize, j: usize| s.cells.get(j * across + i).copied().flatten();
    let measured = s.cells.iter().flatten().filter(|c| c.cost.is_finite()).count();
    if measured == 0 {
        return None;
    }
    let variants: u64 = s.cells.iter().flatten().map(|c| c.variants).sum();
    let headings: Vec<String> = s.x.values.iter().map(|v| v.to_string()).collect();
    let corner = format!("{} \u{2193} {} \u{2192}", s.y.name, s.x.name);
    let mut columns = vec![(corner.as_str(), false)];
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
        details("The numbers", table.finish())
    ))
}

fn figure3(data: &ReportData) -> Option<String> {
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
        "<p class=\"caption\">Figure 3 of the paper, measured here, in {}. Bars: \
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

fn convergence(data: &ReportData) -> Option<String> {
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

fn sizes(data: &ReportData) -> Option<String> {
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

fn loop_chart(data: &ReportData) -> Option<String> {
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

fn mix(data: &ReportData) -> Option<String> {
    let total: u64 = data.mix.iter().map(|p| p.count).sum();
    if total == 0 {
        return None;
    }
    let mut bar = String::new();
    let mut table = Table::new(
        "Instruction mix",
        &[("class", false), ("instructions", true), ("share", true), ("ports taken", true)],
    );
    for (i, part) in data.mix.iter().enumerate() {
        let share = part.count as f64 / total as f64;
        bar.push_str(&format!(
            "<i class=\"mark c{}\" style=\"width:{:.3}%\" title=\"{}: {}\"></i>",
            i % 8,
            100.0 * share,
            escape(&part.name),
            part.count
        ));
        table.row(&[
            format!("<span class=\"swatch c{}\"></span>{}", i % 8, escape(&part.name)),
            count(part.count),
            percent(share),
            part.occupancy.map_or(MISSING.into(), percent),
        ]);
    }
    Some(format!(
        "<p class=\"caption\">{} instructions in one iteration of the winner\u{2019}s loop; \u{201c}ports \
         taken\u{201d} is the share of the loop\u{2019}s cycles in the model.</p>\
         <div class=\"mix\" id=\"mix-plot\" aria-hidden=\"true\">{bar}</div>{}",
        count(total),
        table.finish()
    ))
}

fn distance(data: &ReportData) -> Option<String> {
    let full = data
        .distances
        .iter()
        .flat_map(|d| [Some(d.bound), d.model, d.measured.map(|m| m.median)])
        .flatten()
        .filter(|v| v.is_finite())
        .fold(0.0, f64::max);
    if full == 0.0 {
        return None;
    }
    let mut out = String::new();
    for d in &data.distances {
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
            limit => format!(" <span class=\"limit\">bound by {}</span>", escape(limit)),
        };
        out.push_str(&format!("<h3>{}{limit}</h3>{bars}", escape(&d.name)));
    }
    Some(format!(
        "<p class=\"caption\">{}, and the ratio to the bound. Nothing with this dataflow can be faster than \
         its bound on this machine.</p><div class=\"bars\" id=\"distance-plot\">{out}</div>",
        escape(&data.unit)
    ))
}

fn outcomes(data: &ReportData) -> Option<String> {
    let total: u64 = data.outcomes.iter().map(|o| o.count).sum();
    if total == 0 {
        return None;
    }
    let mut table = Table::new(
        "Outcomes",
        &[("outcome", false), ("variants", true), ("share", true), ("meaning", false)],
    );
    for o in &data.outcomes {
        table.row(&[
            escape(&o.name),
            count(o.count),
            percent(o.count as f64 / total as f64),
            escape(&o.meaning),
        ]);
    }
    Some(format!(
        "<p class=\"caption\">{} trials by what became of them. Nothing is run before it is proved.</p>{}",
        count(total),
        table.finish()
    ))
}

/// What the levels mean, so that the page says it where it is read.
const LEVELS: [(&str, &str); 7] = [
    ("E0", "published vectors pass"),
    ("E1", "vectors, differential tests, guard pages and calling convention pass"),
    ("E2", "the block is proved for every key and block"),
    ("E3", "the mode is proved for every key, every input and every length"),
    (
        "CT2",
        "no secret address, branch, shift count or variable-latency operand, and every instruction is on the vendor\u{2019}s data-independent list",
    ),
    ("CT1", "no secret address, branch, shift count or variable-latency operand"),
    ("VT", "variable time: secrets address memory"),
];

fn level(name: &str) -> String {
    let meaning = LEVELS.iter().find(|l| l.0 == name).map(|l| format!(": {}", l.1)).unwrap_or_default();
    format!("<strong>{}</strong>{meaning}", escape(name))
}

fn certificate(data: &ReportData) -> Option<String> {
    let c = data.certificate.as_ref()?;
    let mut rows = vec![
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
        let mut table = Table::new("Claims", &[("claim", false), ("shown", false)]);
        for claim in &c.claims {
            table.row(&[escape(&claim.claim), escape(&claim.shown)]);
        }
        out.push_str(&table.finish());
    }
    if !c.assumptions.is_empty() {
        let items: String = c.assumptions.iter().map(|a| format!("<li>{}</li>", escape(a))).collect();
        out.push_str(&format!("<h3>Assumed</h3><ul>{items}</ul>"));
    }
    Some(out)
}

fn machine(data: &ReportData) -> Option<String> {
    let m = data.machine.as_ref()?;
    let features: Vec<String> = m.features.iter().map(|f| format!("<code>{}</code>", escape(f))).collect();
    let toolchain: Vec<String> = m
        .toolchain
        .iter()
        .map(|(tool, version)| format!("{}\u{a0}{}", escape(tool), escape(version)))
        .collect();
    Some(definitions(&[
        ("CPU", escape(&m.cpu)),
        ("Model", escape(&m.model)),
        ("Features", features.join(" ")),
        ("Hypervisor", escape(&m.hypervisor)),
        ("Kernel", escape(&m.kernel)),
        ("Clock", escape(&m.clock)),
        ("Toolchain", toolchain.join(", ")),
        ("aesmith", escape(&m.tool_version)),
        ("Seed", m.seed.to_string()),
        ("Command", format!("<code>{}</code>", escape(&m.command))),
    ]))
}
