//! Why the winner of this machine wins: its instructions and the units they occupy, its bounds, and its
//! registers.

use super::{Explanation, Section, effects, tried};
use crate::anatomy::{Anatomy, UNITS};
use crate::bound::{correct, shown_bound};
use crate::deliver::{Delivery, chosen, kernel_name};
use crate::error::TuneError;
use crate::floor::floor_per_byte;
use crate::schedule::Schedule;
use crate::tables::figure;
use crate::workplace::Workplace;
use aesmith_arrange::{Role, Variant};
use aesmith_cipher::Task;
use aesmith_processor::measured::Kernel;
use aesmith_processor::measured::Kind;
use aesmith_processor::measured::{TimingClass, Vectors};
use aesmith_processors::this_machine;
use aesmith_wisdom::{Best, Filter};

/// Explains a kernel at a message size.
///
/// # Errors
/// The store failed, or the variant cannot be built here.
pub fn explain(place: &mut Workplace, kernel: &Delivery, size: usize) -> Result<Explanation, TuneError> {
    let size = if kernel.problem.is_message() { size } else { 0 };
    let variant = chosen(kernel, size);
    let built = place
        .target
        .build(variant)
        .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel here: {e}")))?;
    let anatomy = Anatomy::of(&built);
    let filter = Filter::exactly(&place.key, kernel.problem, size as u64);
    let known = place.store.known(&filter)?;
    let best = place.best_at(kernel.problem, size)?;
    let best = best.filter(|b| b.variant == variant.to_string());
    let beaten = match best.as_ref().filter(|_| !place.calls().is_cold()) {
        Some(best) => correct(place, variant, size, best.median)?,
        None => None,
    };
    let mut sections =
        vec![identity(kernel, &built, size), costs(place, &built, anatomy.as_ref(), best.as_ref(), size)];
    if let Some(note) = beaten {
        sections[1].rows.push(("note".into(), note));
    }
    if let Some(anatomy) = &anatomy {
        sections.push(mix(place, anatomy));
        sections.push(registers(&built, anatomy));
    }
    sections.extend(latency(place, variant));
    sections.push(tried(&known));
    sections.push(effects(variant, &known));
    sections.retain(|s| !s.rows.is_empty());
    Ok(Explanation { problem: kernel.problem.to_string(), sections })
}

fn identity(kernel: &Delivery, built: &Kernel, size: usize) -> Section {
    let c = &kernel.certificate;
    let mut rows = vec![("kernel".to_owned(), kernel.name.clone())];
    if kernel.variants.len() > 1 {
        for (limit, variant) in &kernel.variants {
            let range = limit.map_or("longer".to_owned(), |l| format!("to {l} bytes"));
            rows.push((range, variant.to_string()));
        }
        rows.push((format!("at {size} bytes"), kernel_name(built)));
    }
    rows.push(("variant".into(), built.variant.to_string()));
    rows.push(("technique".into(), built.variant.technique_name().into()));
    rows.push(("code".into(), format!("{} bytes, {} instructions reached", c.bytes, c.instructions)));
    rows.push(("proved".into(), format!("{}, {}; wiped: {}", c.level, c.constant_time, c.wiped)));
    Section { title: "the kernel".into(), rows }
}

fn costs(
    place: &Workplace,
    built: &Kernel,
    anatomy: Option<&Anatomy>,
    best: Option<&Best>,
    size: usize,
) -> Section {
    let unit = if size > 0 { "cycles/byte" } else { "cycles" };
    let mut rows = Vec::new();
    let mut row = |what: &str, cost: f64, note: String| {
        rows.push((what.to_owned(), format!("{} {unit}{note}", figure(cost))));
    };
    if let Some(bound) = shown_bound(place, &built.variant, size) {
        let (what, note) = match built.variant.technique.is_instruction() {
            true => ("bound of the problem", ": what the AES pipes allow any code"),
            false => ("bound of a block", ": what the units allow for the instructions that a block takes"),
        };
        row(what, bound, note.into());
    }
    // Bounds and model apply to calls in steady state.
    let steady = !place.calls().is_cold();
    if let Some(floor) = floor_per_byte(&place.model, &built.variant, size).filter(|_| steady) {
        row("bound of the variant", floor, ": its rounds, on its registers".into());
    }
    if let Some(anatomy) = anatomy.filter(|_| size > 0 && steady) {
        let bound = place.model.throughput_bound(&anatomy.counts);
        let what = match bound.bottleneck.as_slice() {
            [] => "the front end".to_owned(),
            kinds => kinds.iter().map(|k| name(*k)).collect::<Vec<_>>().join(" and "),
        };
        row("bound of its loop", bound.cycles / anatomy.bytes as f64, format!(": limited by {what}"));
        let schedule = Schedule::of(anatomy, &place.model);
        row(
            "model of its loop",
            schedule.cycles / anatomy.bytes as f64,
            ": scheduled on the machine model".into(),
        );
    }
    if let Some(best) = best {
        let quartiles = format!(" (quartiles {} to {})", figure(best.low), figure(best.high));
        row("measured", best.median, format!(": {}{quartiles}", place.calls().meaning()));
        if let Some(baseline) = best.baseline {
            row("baseline", baseline, format!(": {:.2} times as much", baseline / best.median));
        }
        if let Some(bound) = shown_bound(place, &built.variant, size) {
            let above = 100.0 * (best.median / bound - 1.0);
            rows.push(("distance".into(), format!("{above:.1} % above the first bound here")));
        }
    }
    if !steady {
        rows.push(("bound".into(), "only calls in steady state have a bound; cold calls have none".into()));
    }
    Section { title: "costs: bound, model, measured".into(), rows }
}

/// A kind in words.
pub fn name(kind: Kind) -> String {
    let class = serde_json::to_value(kind.class).ok().and_then(|v| v.as_str().map(str::to_owned));
    let width = match kind.vectors.lanes() {
        0 => String::new(),
        blocks => format!(" on {}", this_machine().requirements.width(blocks)),
    };
    format!("{}{width}", class.unwrap_or_default())
}

fn mix(place: &Workplace, anatomy: &Anatomy) -> Section {
    let bound = place.model.throughput_bound(&anatomy.counts).cycles;
    let occupancy = anatomy.occupancy(&place.model);
    let blocks = (anatomy.bytes / 16).max(1) as f64;
    let mut rows: Vec<(String, String)> = Vec::new();
    for ((unit, count), cycles) in UNITS.iter().zip(anatomy.mix()).zip(occupancy) {
        if count > 0 {
            let part = cycles.filter(|_| bound > 0.0).map_or(String::new(), |c| {
                format!(", ports taken for {} cycles, {:.0} % of the bound", figure(c), 100.0 * c / bound)
            });
            rows.push(((*unit).to_owned(), format!("{count}, {:.2} a block{part}", count as f64 / blocks)));
        }
    }
    let total = anatomy.counts.instructions;
    let width = place
        .model
        .issue_width
        .map_or(String::new(), |w| format!(", at {w:.1} a cycle {} cycles", figure(total / w)));
    rows.push(("instructions".into(), format!("{total:.0}, {:.2} a block{width}", total / blocks)));
    Section { title: "instructions of one pass of the loop".into(), rows }
}

fn registers(built: &Kernel, anatomy: &Anatomy) -> Section {
    let keys = built.keys_in_registers;
    let rows = vec![
        ("vector registers".to_owned(), format!("{} named in the loop", anatomy.vector_registers())),
        (
            "round keys".to_owned(),
            format!("{} in registers ({keys:#06x}), the others from memory", keys.count_ones()),
        ),
        ("blocks a pass".to_owned(), built.loop_blocks.to_string()),
    ];
    Section { title: "registers".into(), rows }
}

/// Number of blocks that must be in flight to hide the rounds' latency.
fn latency(place: &Workplace, variant: &Variant) -> Option<Section> {
    let vectors = Vectors::of(variant.lanes());
    let aes = place.model.timing(Kind { class: TimingClass::Aes, vectors })?;
    let latency = aes.latency?;
    let rounds = variant.problem.key.rounds();
    let mut rows = vec![
        (
            "a round".to_owned(),
            format!("{latency:.2} cycles latency, one every {:.2}", aes.reciprocal_throughput),
        ),
        ("a block alone".to_owned(), format!("{:.1} cycles of rounds", latency * rounds as f64)),
    ];
    let needed = latency / aes.reciprocal_throughput;
    if let Task::CbcEncrypt { streams } = variant.problem.task {
        rows.push((
            "streams".into(),
            format!("{streams} with {needed:.1} registers needed in flight to fill the pipes"),
        ));
    } else {
        let inside = variant.get(Role::Interleave).max(1);
        rows.push((
            "in flight".into(),
            format!("{inside} registers in a pass, {needed:.1} needed to fill the pipes (passes overlap)"),
        ));
    }
    Some(Section { title: "latency".into(), rows })
}
