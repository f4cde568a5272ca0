//! `aesmith space`: every dimension of a problem's space, and the exact number of its variants.

use crate::arguments;
use crate::failure::Failure;
use crate::output::{Output, Table, wrap};
use crate::quantity::grouped;
use aesmith_arrange::{Dim, Space};
use aesmith_x86::kernels::Target;
use serde_json::json;

/// Prints the space.
pub fn run(options: &arguments::Space, output: &mut Output) -> Result<(), Failure> {
    let technique = options.technique.one().unwrap_or_default();
    // Counting needs no CPU: of a technique that this one lacks, the whole space is counted.
    let lanes = options.width.map_or_else(|| Target::native().lanes_of(technique), |w| w.lanes());
    let lanes = if lanes == 0 { Target::ALL.lanes_of(technique) } else { lanes };
    let space = Space::of(options.problem, technique, lanes);
    let paper =
        Space::paper(options.problem, lanes).filter(|_| technique.is_instruction()).map(|s| s.count());
    if output.json {
        let dimensions: Vec<_> = space
            .axes
            .iter()
            .map(|axis| {
                let d = axis.dimension;
                json!({
                    "name": d.name,
                    "range": d.range(),
                    "values": axis.values.len(),
                    "default": d.show(d.default),
                    "weight": d.weight,
                    "meaning": d.meaning,
                })
            })
            .collect();
        return output.object(&json!({
            "problem": options.problem.to_string(),
            "technique": technique.name(),
            "widest": widest(lanes),
            "dimensions": dimensions,
            "variants": space.count(),
            "paper_variants": paper,
        }));
    }
    let mut table = Table::new(&["dimension", ">values", "range", "default"]);
    let mut meanings = Vec::new();
    for axis in &space.axes {
        let d = axis.dimension;
        // Of the widths, only those that the CPU has.
        let range = match Dim::of(d) {
            Dim::Width => axis.values.iter().map(|&v| d.show(v)).collect::<Vec<_>>().join(" | "),
            Dim::Wipe => "no (on request)".into(),
            _ => d.range(),
        };
        table.row([d.name.to_owned(), axis.values.len().to_string(), range, d.show(d.default)]);
        meanings.push((d.name, d.meaning));
    }
    output.table(&table)?;
    output.line("")?;
    for (name, meaning) in meanings {
        output.line(name)?;
        for line in wrap(meaning, "    ", 100) {
            output.line(line)?;
        }
    }
    output.line("")?;
    output.line(format!(
        "{} variants of {} up to {}",
        grouped(space.count()),
        options.problem,
        widest(lanes)
    ))?;
    output.line("    (`source` and `ahead` run to the factor where there is prefetch; orders of single")?;
    output.line("    instructions are not counted)")?;
    if let Some(paper) = paper {
        output.line(format!(
            "{} of them on {} are the subspace that Manley, Magrath and Gregg searched for CTR (2010)",
            grouped(paper),
            widest(lanes)
        ))?;
    }
    Ok(())
}

fn widest(lanes: usize) -> &'static str {
    match lanes {
        1 => "xmm",
        2 => "ymm",
        _ => "zmm",
    }
}
