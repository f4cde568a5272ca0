//! `aesmith explain` of a kernel of a grid: its bottleneck, unit by unit.

use crate::arguments;
use crate::failure::Failure;
use crate::output::{Output, side_by_side};
use crate::sources::request;
use aesmith_emit::grid::grid_symbol;
use aesmith_processor::grid::certificate::GridCertificate;
use aesmith_processor::grid::{Architecture, Counted, Gives, Grids, Unit};
use aesmith_tune::decide::grids::best;
use serde_json::json;

/// The length of the longest bar.
const WIDTH: f64 = 40.0;

type Section = (String, Vec<(String, String)>);

/// Prints the reason why the best kernel is no faster.
pub fn explain(
    grids: &'static Grids,
    options: &arguments::Explain,
    output: &mut Output,
) -> Result<(), Failure> {
    let problem = options.problem.ok_or_else(|| Failure::Usage("name a problem: aes128-ecb".into()))?;
    let request = request(grids.table, Some(problem), &options.choice)?;
    let found = best(grids, problem, &request, Gives::ANYTHING, &grid_symbol, &mut super::few())?;
    let certificate = found.winner.certificate();
    let sections = sections(grids, certificate);
    if output.json {
        let shown: Vec<_> =
            sections.iter().map(|(title, rows)| json!({ "title": title, "rows": rows })).collect();
        return output.object(&json!({
            "problem": problem.to_string(),
            "processor": grids.name,
            "sections": shown,
            "certificate": certificate,
        }));
    }
    for (at, (title, rows)) in sections.iter().enumerate() {
        if at > 0 {
            output.line("")?;
        }
        output.line(title)?;
        side_by_side(rows).iter().try_for_each(|line| output.line(line))?;
    }
    Ok(())
}

fn sections(grids: &Grids, certificate: &GridCertificate) -> Vec<Section> {
    let proof = &certificate.proof;
    let row = |name: &str, value: String| (name.to_owned(), value);
    let mut all = vec![(
        format!("{} on {}", certificate.problem, grids.name),
        vec![
            row("variant", certificate.variant.clone()),
            row("proved", format!("every thread of a grid of any size, in {} ms", proof.microseconds / 1000)),
            row("time", certificate.constant_time.clone()),
            row(
                "launch",
                format!(
                    "{} threads a block, {} bytes of shared memory, {} blocks of text a thread and turn",
                    proof.threads, proof.shared, proof.a_turn
                ),
            ),
        ],
    )];
    for counted in &certificate.counts {
        if let Some(architecture) =
            grids.translator.architectures().iter().find(|a| a.name == counted.architecture)
        {
            all.push(bars(counted, architecture));
        }
    }
    if certificate.counts.is_empty() {
        all.push((
            "static bounds".into(),
            certificate.notes.iter().map(|note| row("none", note.clone())).collect(),
        ));
    }
    all
}

/// Clock cycles of each unit for a block of text, as bars.
fn bars(counted: &Counted, architecture: &Architecture) -> Section {
    let bar = |unit: Unit| {
        let Unit { name, instructions, rate, clocks } = unit;
        let length = (clocks / counted.clocks * WIDTH).round() as usize;
        (
            name.to_owned(),
            format!(
                "{:<40}  {clocks:.2} clocks: {instructions:.1} instructions a block, {rate} threads a clock",
                "#".repeat(length)
            ),
        )
    };
    let mut rows: Vec<(String, String)> = counted.units(architecture).into_iter().map(bar).collect();
    rows.push((
        "bound".into(),
        format!("{:.2} bits of output a clock of a multiprocessor, by {}", counted.bits, counted.limit),
    ));
    rows.push((
        "registers".into(),
        format!("{} a thread, {} bytes spilled", counted.registers, counted.spilled),
    ));
    (format!("static bound, {}, not measured", counted.architecture), rows)
}
