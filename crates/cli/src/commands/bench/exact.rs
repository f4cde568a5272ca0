//! `aesmith bench PROBLEM --processor`: the best known kernel at some message lengths, beside the plain one and the
//! bound. Nothing is measured twice, because an exact judge always gives the same figure.

use crate::arguments;
use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::quantity::{cycles, show_size};
use crate::sources::{best_on, request_on};
use aesmith_processor::core::Core;
use aesmith_processor::cost::BuiltKernel;
use aesmith_tune::wanted::check_size;
use serde_json::json;
use std::path::Path;

/// Default message lengths in bytes.
const SIZES: [usize; 4] = [16, 64, 1024, 32 << 10];

/// Prints a row for each message length, or a single row if a call is one block or key.
pub fn run(
    core: &'static Core,
    options: &arguments::Bench,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let problem = options.problem.ok_or_else(|| Failure::Usage("name a problem: aes128-ecb".into()))?;
    let sizes = match &options.sizes {
        Some(sizes) => sizes.0.as_slice(),
        None if problem.has_iv() => SIZES.as_slice(),
        None => &[],
    };
    for &size in sizes {
        check_size(core, problem, size, "--sizes")?;
    }
    // Without lengths there is one row, for one call.
    let sizes = if sizes.is_empty() { vec![None] } else { sizes.iter().copied().map(Some).collect() };
    let request = request_on(core, Some(problem), &options.choice)?;
    let plain = (core.build)(&core.table.plain(problem)).and_then(|kernel| BuiltKernel::new(core, kernel));
    let plain = plain.and_then(|made| made.cost(core)).ok().map(|(cost, _)| cost);
    let title = format!("{problem} on {}", core.name);
    let unit = format!(">{} a {}", core.timing.unit, if problem.is_message() { "block" } else { "key" });
    let mut table = Table::new(&format!("{title}|{unit}|>plain|>bound|by"));
    let mut variants = Vec::new();
    for size in sizes {
        let delivery = best_on(core, problem, size, &request, named)?;
        let c = &delivery.certificate;
        let best = c.cycles() + c.cost.at(size).cycles - c.cost.cycles;
        let plain = plain.map(|cost| cost.at(size).cycles);
        let blocks = f64::from(delivery.made.kernel.contract.a_call());
        let bound = (core.bound)(&delivery.made.kernel.variant).map(|(bound, _)| bound / blocks);
        let judge = if c.judged_cycles.is_some() { c.judge.clone() } else { "machine model".to_owned() };
        if output.json {
            output.object(&json!({
                "processor": core.name,
                "problem": problem.to_string(),
                "size": size,
                "best": best,
                "plain": plain,
                "bound": bound,
                "judge": judge,
                "tuned": delivery.tuned,
                "variant": c.variant,
            }))?;
            continue;
        }
        let known = if delivery.tuned { "" } else { ", not tuned for" };
        let number = |n: Option<f64>| n.map_or("-".to_owned(), cycles);
        table.row([
            size.map_or("a call".to_owned(), |s| show_size(s as u64)),
            cycles(best),
            number(plain),
            number(bound),
            format!("{judge}{known}"),
        ]);
        if !variants.contains(&c.variant) {
            variants.push(c.variant.clone());
        }
    }
    if output.json {
        return Ok(());
    }
    output.table(&table)?;
    variants.iter().try_for_each(|variant| output.line(format!("variant  {variant}")))
}
