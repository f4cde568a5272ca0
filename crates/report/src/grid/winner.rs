//! The winner, and the clock cycles that a block of text takes on each unit.

use super::{GridBound, GridCounted, GridPage, kind};
use crate::html::{MISSING, Table, count, definitions, doubt, escape};

/// Bytes of shared memory, in the largest unit that divides them.
pub fn memory(bytes: u32) -> String {
    if bytes == 0 { "none".into() } else { crate::html::bytes(bytes.into()) }
}

/// A number, if known.
pub fn maybe(value: Option<u32>) -> String {
    value.map_or(MISSING.into(), |value| count(value.into()))
}

/// The source of the counts.
pub fn source(by_text: bool) -> &'static str {
    if by_text { "the text" } else { "machine code" }
}

/// The architectures with counts, the newest last.
fn counted(page: &GridPage) -> impl DoubleEndedIterator<Item = (&GridBound, &GridCounted)> {
    page.bounds.iter().filter_map(|bound| Some((bound, bound.counted.as_ref().ok()?)))
}

pub fn winner(page: &GridPage) -> String {
    let w = &page.winner;
    let verdict = counted(page).next_back().map_or(String::new(), |(bound, c)| {
        let (most, more) = match c.by_text {
            false => ("at most", ""),
            true => ("by rows of its text", "; machine code may exceed this"),
        };
        format!(
            "<p class=\"verdict\"><strong>{:.2} bits</strong> of output per clock cycle of a multiprocessor {most}, bound \
             by {} ({}{more}).</p>",
            c.bits,
            escape(&c.limit),
            kind(&bound.architecture),
        )
    });
    let class = if w.class == "CT" { "constant time" } else { "variable time" };
    let rows = [
        ("Variant", format!("<code>{}</code>", escape(&w.variant))),
        ("Kernel", format!("<code>{}</code>", escape(&w.symbol))),
        ("Class", format!("<strong>{}</strong>, {class}: {}", escape(&w.class), escape(&w.time))),
        (
            "Proof",
            format!(
                "for every key and text and every thread of a grid of any size, in {}\u{a0}ms; {} {} {} \
                 correctly by the interpreter",
                count(w.proof_ms),
                count(w.tested_blocks),
                page.element.names,
                page.element.done
            ),
        ),
        (
            "Launch",
            format!(
                "{} threads per block, shared memory: {}; a thread processes {} per iteration",
                count(w.threads.into()),
                memory(w.shared),
                match w.a_turn[..] {
                    [1] => format!("one {}", page.element.name),
                    _ => {
                        let each: Vec<String> = w.a_turn.iter().map(u32::to_string).collect();
                        format!("{} {}", each.join(" or "), page.element.names)
                    }
                }
            ),
        ),
        ("SHA-256 of the text", format!("<code>{}</code>", escape(&w.sha256))),
    ];
    let mut table = Table::new(
        "Bounds by architecture",
        "architecture|>b/clk/SM|>clocks per block|bound by|>registers|>bytes spilled|>shared memory|kind of figure",
    );
    for bound in &page.bounds {
        let name = escape(&bound.architecture);
        match &bound.counted {
            Ok(c) => table.row(&[
                name,
                format!("<span class=\"ours\">{:.2}</span>", c.bits),
                format!("{:.2}", c.clocks),
                escape(&c.limit),
                maybe(c.registers),
                maybe(c.spilled),
                memory(w.shared),
                format!("{}; instructions of {}", kind(&bound.architecture), source(c.by_text)),
            ]),
            Err(why) => {
                let mut cells = vec![name];
                cells.extend((0..6).map(|_| MISSING.to_owned()));
                cells.push(format!("<span class=\"why\">{}</span>", escape(why)));
                table.row(&cells);
            }
        }
    }
    let notes: String = w.notes.iter().map(|note| doubt(note)).collect();
    let assumed: String = w.assumptions.iter().map(|a| format!("<li>{}</li>", escape(a))).collect();
    format!(
        "{verdict}{}{notes}{}<details><summary>Assumptions of the proof</summary><ul>{assumed}</ul></details>",
        definitions(&rows),
        table.finish()
    )
}

pub fn units(page: &GridPage) -> String {
    let longest = counted(page)
        .flat_map(|(_, c)| &c.units)
        .map(|unit| unit.clocks)
        .filter(|clocks| clocks.is_finite())
        .fold(0.0, f64::max);
    if longest == 0.0 {
        let why = page.bounds.iter().find_map(|bound| bound.counted.as_ref().err());
        let why = why.map_or("No instructions were counted.", |why| why);
        return format!("<p class=\"absent\">{}</p>", escape(why));
    }
    let mut bars = String::new();
    for (bound, c) in counted(page) {
        bars.push_str(&format!(
            "<h3>{} <span class=\"limit\">bound by {}: {:.2} clocks, {:.2} b/clk/SM; {}{}</span></h3>",
            escape(&bound.architecture),
            escape(&c.limit),
            c.clocks,
            c.bits,
            kind(&bound.architecture),
            if c.by_text { ", by its text" } else { "" },
        ));
        for unit in &c.units {
            let (class, name) = match unit.name == c.limit {
                true => ("best", format!("<strong>{}</strong>", escape(&unit.name))),
                false => ("other", escape(&unit.name)),
            };
            bars.push_str(&format!(
                "<div class=\"unit\"><span>{name}</span><span class=\"track\"><i class=\"mark {class}\" \
                 style=\"width:{:.2}%\"></i></span><span class=\"value\">{:.2}</span><span class=\"of\">{:.1} \
                 instructions, {} threads per clock</span></div>",
                (100.0 * unit.clocks / longest).clamp(0.0, 100.0),
                unit.clocks,
                unit.instructions,
                unit.rate
            ));
        }
    }
    let without: String = page
        .bounds
        .iter()
        .filter_map(|bound| Some((bound, bound.counted.as_ref().err()?)))
        .map(|(bound, why)| {
            format!("<p class=\"absent\">{}: {}</p>", escape(&bound.architecture), escape(why))
        })
        .collect();
    format!(
        "<p class=\"caption\">Clock cycles per {} on each unit of a multiprocessor: its instructions divided by the \
         number of threads for which the unit executes one instruction per cycle. The longest bar is the bound. All \
         architectures share one scale.</p><div class=\"bars\" id=\"units-plot\">{bars}</div>{without}",
        page.element.name
    )
}
