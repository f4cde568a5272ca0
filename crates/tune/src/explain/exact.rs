//! Explanation of a kernel with an exact judge: its bound, its choices, and the instructions that it
//! executes.

use super::{Explanation, Section, effects, tried};
use crate::deliver::firmware::CoreDelivery;
use crate::error::TuneError;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::core::Core;
use aesmith_processor::cost::LIMIT;
use aesmith_processor::interpreter::Interpreter;
use aesmith_wisdom::{Filter, Store};
use serde::Serialize;
use std::collections::BTreeMap;

/// An explanation with the figures behind it.
#[derive(Clone, Debug, Serialize)]
pub struct ExactExplanation {
    /// The explanation for people.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// The results of its proof and its judge.
    pub certificate: BitsCertificate,
    /// True if a search found it.
    pub tuned: bool,
    /// Lower bound on the cycles of any kernel with its dataflow.
    pub bound: Option<f64>,
    /// The reason for the bound.
    pub bound_reason: Option<&'static str>,
    /// Number of blocks of the call that was counted.
    pub blocks: u64,
    /// Instructions of the call by class.
    pub classes: BTreeMap<String, u64>,
}

/// Explains a kernel.
///
/// # Errors
/// The store failed, or the kernel does not run to its end.
pub fn explain(
    core: &'static Core,
    store: Option<&Store>,
    kernel: &CoreDelivery,
) -> Result<ExactExplanation, TuneError> {
    let (made, c) = (&kernel.made, &kernel.certificate);
    let variant = &made.kernel.variant;
    let problem = variant.problem;
    let calls = made.timed(1);
    let (blocks, call) =
        calls.last().ok_or_else(|| TuneError::NoResult("the kernel takes no call".into()))?;
    let trace =
        Interpreter::new(core).trace(&made.image, made.function, call, LIMIT).map_err(TuneError::NoResult)?;
    let blocks_a_call = f64::from(c.proof.blocks_a_call());
    let bound = (core.bound)(variant).map(|(bound, why)| (bound / blocks_a_call, why));
    let known = match store {
        Some(store) => store.known(&Filter::exactly(core.name, problem, 0))?,
        None => Vec::new(),
    };
    let mut sections = vec![identity(kernel), costs(kernel, core.timing.unit, bound)];
    let choices = variant.dimensions().filter(|d| (d.applies)(variant));
    let choices =
        choices.map(|d| (format!("{}={}", d.name, d.show(variant.get(d))), d.meaning.to_owned())).collect();
    sections.push(Section { title: "its choices".into(), rows: choices });
    let mut classes: Vec<(&String, &u64)> = trace.classes.iter().collect();
    classes.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let of = if *blocks > 1 { format!("{blocks} blocks") } else { "one".into() };
    sections.push(Section {
        title: format!("instructions executed by a call of {of}"),
        rows: classes.into_iter().map(|(class, count)| (class.clone(), count.to_string())).collect(),
    });
    sections.push(tried(&known));
    sections.push(effects(variant, &known));
    sections.retain(|s| !s.rows.is_empty());
    Ok(ExactExplanation {
        explanation: Explanation { problem: problem.to_string(), sections },
        certificate: c.clone(),
        tuned: kernel.tuned,
        bound: bound.map(|b| b.0),
        bound_reason: bound.map(|b| b.1),
        blocks: *blocks as u64,
        classes: trace.classes,
    })
}

fn identity(kernel: &CoreDelivery) -> Section {
    let c = &kernel.certificate;
    let origin = if kernel.tuned { "the best confirmed" } else { "the best of some variants: not tuned yet" };
    let sizes = format!("{} bytes of flash, {} of RAM, {} of stack", c.cost.flash, c.cost.ram, c.cost.stack);
    let rows = vec![
        ("origin".to_owned(), origin.to_owned()),
        ("variant".into(), c.variant.clone()),
        ("memory".into(), sizes),
        ("proved".into(), format!("constant time: {}", c.constant_time)),
    ];
    Section { title: format!("the kernel of {} on {}", c.problem, c.processor), rows }
}

fn costs(kernel: &CoreDelivery, unit: &str, bound: Option<(f64, &'static str)>) -> Section {
    let c = &kernel.certificate;
    let cycles = |n: f64| if n.fract() == 0.0 { format!("{n:.0} {unit}") } else { format!("{n:.1} {unit}") };
    let mut rows = Vec::new();
    match bound {
        Some((bound, why)) => {
            rows.push((
                "bound".to_owned(),
                format!("no kernel of this dataflow takes fewer than {}: {why}", cycles(bound)),
            ));
            let above = (c.cycles() / bound - 1.0) * 100.0;
            rows.push(("distance".into(), format!("{above:.1} % above it")));
        }
        None => rows.push(("bound".to_owned(), "none is derived for this dataflow".into())),
    }
    rows.push(("model".into(), cycles(c.cost.cycles)));
    if let Some(judged) = c.judged_cycles {
        rows.push(("counted".into(), format!("{}, by {}", cycles(judged), c.judge)));
    }
    Section { title: "costs: bound, model, counted".into(), rows }
}
