//! `aesmith explain --processor`: where the cycles of the best known kernel go.

use crate::arguments;
use crate::failure::Failure;
use crate::output::{Output, Table, wrap};
use crate::quantity::{cycles, grouped};
use crate::sources::{best_on, request};
use aesmith_arrange::Variant;
use aesmith_processor::core::Core;
use aesmith_processor::cost::LIMIT;
use aesmith_processor::interpreter::Interpreter;
use serde_json::json;
use std::path::Path;

/// Prints the choices, the bound, and the instructions by class.
pub fn run(
    core: &'static Core,
    options: &arguments::Explain,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let problem = options.problem.ok_or_else(|| Failure::Usage("name a problem: aes128-ecb".into()))?;
    let request = request(core.table, Some(problem), &options.choice)?;
    let handed = best_on(core, problem, None, &request, named)?;
    let (made, c) = (&handed.made, &handed.certificate);
    let calls = made.timed(1);
    let (blocks, call) = calls.last().ok_or_else(|| Failure::Other("the kernel takes no call".into()))?;
    let trace =
        Interpreter::new(core).trace(&made.image, made.function, call, LIMIT).map_err(Failure::Other)?;
    let bound = (core.bound)(&made.kernel.variant);
    if output.json {
        return output.object(&json!({
            "certificate": c,
            "tuned": handed.tuned,
            "bound": bound.map(|b| b.0),
            "bound_reason": bound.map(|b| b.1),
            "blocks": blocks,
            "classes": trace.classes,
        }));
    }
    let origin =
        if handed.tuned { "the best confirmed" } else { "the best of some variants: not tuned for yet" };
    output.line(format!("{problem} on {}, {origin}: {} cycles", core.name, cycles(c.cycles())))?;
    let bound = match bound {
        Some((bound, why)) => format!(
            "No kernel of this dataflow takes fewer than {}: {why}. This one is {:.1} % above.",
            cycles(bound),
            (c.cycles() / bound - 1.0) * 100.0
        ),
        None => "No bound is derived for this dataflow.".into(),
    };
    wrap(&bound, "", 100).iter().try_for_each(|l| output.line(l))?;
    output.line("")?;
    let mut table = Table::new(&["choice", "value", "what it chooses"]);
    let variant: &Variant = &made.kernel.variant;
    for dimension in variant.dimensions().filter(|d| (d.applies)(variant)) {
        table.row([
            dimension.name.to_owned(),
            dimension.show(variant.get(dimension)),
            dimension.meaning.to_owned(),
        ]);
    }
    output.table(&table)?;
    output.line("")?;
    let heading = format!(
        "instructions of a call of {}",
        if *blocks > 1 { format!("{blocks} blocks") } else { "one".into() }
    );
    let mut table = Table::new(&[heading.as_str(), ">executed"]);
    let mut classes: Vec<(&String, &u64)> = trace.classes.iter().collect();
    classes.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    for (class, count) in classes {
        table.row([class.clone(), grouped((*count).into())]);
    }
    output.table(&table)?;
    output.line("")?;
    output.line(format!("variant  {}", c.variant))
}
