//! `aesmith space`: every dimension of a problem's space, and the exact number of its variants.

use crate::arguments;
use crate::failure::Failure;
use crate::kernels::kernels;
use crate::output::{Output, Table};
use crate::quantity::grouped;
use aesmith_arrange::{Axis, Dimension, Role, Space};
use aesmith_processor::measured::Target;
use aesmith_processor::processor::Processor;
use aesmith_processors::this_machine;

use aesmith_tune::wanted::solved;
use serde_json::{Value, json};

/// Prints the space.
pub fn run(options: &arguments::Space, output: &mut Output) -> Result<(), Failure> {
    kernels(options.processor.as_deref())?.space(options, output)
}

/// Prints the space of a technique on this machine's processor.
pub fn measured(options: &arguments::Space, output: &mut Output) -> Result<(), Failure> {
    let technique = options.technique.one().unwrap_or_default();
    // Counting needs no CPU: for a technique that this CPU lacks, the whole space is counted.
    let lanes = options.width.map_or_else(|| Target::here(this_machine()).lanes_of(technique), |w| w.lanes());
    let lanes = if lanes == 0 { Target::all(this_machine()).lanes_of(technique) } else { lanes };
    let table = this_machine().table;
    let space = table.space_by(options.problem, technique, lanes);
    let paper = table.paper(options.problem, lanes).filter(|_| technique.is_instruction()).map(|s| s.count());
    let keys = json!({
        "problem": options.problem.to_string(),
        "technique": technique.name(),
        "widest": widest(lanes),
        "paper_variants": paper,
    });
    let about = format!("of {} up to {}", options.problem, widest(lanes));
    let note = "(`source` and `ahead` run to the factor where there is prefetch; orders of single instructions are not counted)";
    show(&space, keys, (&about, note), output, |axis| match axis.dimension.role {
        // Only the widths that the CPU has are shown.
        Some(Role::Width) => {
            Some(axis.values.iter().map(|&v| axis.dimension.show(v)).collect::<Vec<_>>().join(" | "))
        }
        _ if axis.dimension.search.on_request => Some(on_request(axis.dimension)),
        _ => None,
    })?;
    if let Some(paper) = paper.filter(|_| !output.json) {
        let subspace = "are the subspace that Manley, Magrath and Gregg searched for CTR (2010)";
        output.sentence(&format!("{} of them on {} {subspace}", grouped(paper), widest(lanes)), "")?;
    }
    Ok(())
}

/// The default of a dimension, and its other values, which are used only on request; a switch is not named again.
fn on_request(dimension: &Dimension) -> String {
    let default = dimension.show(dimension.default);
    let others = dimension.all().filter(|value| *value != dimension.default);
    let others: Vec<String> = others.map(|value| dimension.show(value)).collect();
    match others.as_slice() {
        [yes] if yes == "yes" => format!("{default} (on request)"),
        _ => format!("{default} ({} on request)", others.join(" | ")),
    }
}

/// Prints the space of a processor whose table covers all its techniques.
pub fn of_table(
    processor: &dyn Processor,
    options: &arguments::Space,
    output: &mut Output,
) -> Result<(), Failure> {
    let problem = options.problem;
    let name = processor.name();
    solved(processor, problem)?;
    let space = processor.table().space(problem);
    let keys = json!({ "problem": problem.to_string(), "processor": name });
    let about = format!("of {problem} on {name}");
    let note = "(a value that means nothing beside the others is not counted, nor are the orders and allocations that local \
                search finds, which have numbers: seed=...)";
    show(&space, keys, (&about, note), output, |_| None)
}

/// Prints a space: as JSON beside some keys, or as text with a sentence about its number of variants, and a note.
fn show(
    space: &Space,
    mut keys: Value,
    (about, note): (&str, &str),
    output: &mut Output,
    range: impl Fn(&Axis) -> Option<String>,
) -> Result<(), Failure> {
    if output.json {
        keys["dimensions"] = dimensions(space).into();
        keys["variants"] = json!(space.count());
        return output.object(&keys);
    }
    print(space, output, range)?;
    output.sentence(&format!("{} variants {about}", grouped(space.count())), "")?;
    output.sentence(note, "    ")
}

/// Renders the dimensions as JSON.
fn dimensions(space: &Space) -> Vec<Value> {
    let one = |axis: &Axis| {
        let d = axis.dimension;
        json!({
            "name": d.name,
            "range": d.range(),
            "values": axis.values.len(),
            "default": d.show(d.default),
            "weight": d.weight,
            "meaning": d.meaning,
        })
    };
    space.axes.iter().map(one).collect()
}

/// Prints the dimensions and their meanings; `range` may replace a dimension's own range.
fn print(space: &Space, output: &mut Output, range: impl Fn(&Axis) -> Option<String>) -> Result<(), Failure> {
    let mut table = Table::new("dimension|>values|range|default|>weight");
    for axis in &space.axes {
        let d = axis.dimension;
        let range = range(axis).unwrap_or_else(|| d.range());
        table.row([
            d.name.to_owned(),
            axis.values.len().to_string(),
            range,
            d.show(d.default),
            axis.weight.to_string(),
        ]);
    }
    output.table(&table)?;
    output.line("")?;
    for axis in &space.axes {
        output.line(axis.dimension.name)?;
        output.sentence(axis.dimension.meaning, "    ")?;
    }
    output.line("")
}

fn widest(lanes: usize) -> &'static str {
    this_machine().requirements.width(lanes)
}
