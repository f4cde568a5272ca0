//! Explanation of a kernel of a grid: its bottleneck, unit by unit.

use super::{Explanation, Section};
use aesmith_processor::grid::certificate::GridCertificate;
use aesmith_processor::grid::{Architecture, Counted, Grids, Unit};
use serde::Serialize;

/// Characters of the longest bar.
const WIDTH: f64 = 40.0;

/// An explanation with the certificate behind it.
#[derive(Clone, Debug, Serialize)]
pub struct GridExplanation<'a> {
    /// The explanation for people.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// The processor's name.
    pub processor: &'static str,
    /// The results of its proof, and its static bounds.
    pub certificate: &'a GridCertificate,
}

/// Explains a proved kernel.
pub fn explain<'a>(grids: &Grids, certificate: &'a GridCertificate) -> GridExplanation<'a> {
    let explanation =
        Explanation { problem: certificate.problem.clone(), sections: sections(grids, certificate) };
    GridExplanation { explanation, processor: grids.name, certificate }
}

fn sections(grids: &Grids, certificate: &GridCertificate) -> Vec<Section> {
    let proof = &certificate.proof;
    let row = |name: &str, value: String| (name.to_owned(), value);
    let mut all = vec![Section {
        title: format!("{} on {}", certificate.problem, grids.name),
        rows: vec![
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
    }];
    for counted in &certificate.counts {
        if let Some(architecture) =
            grids.translator.architectures().iter().find(|a| a.name == counted.architecture)
        {
            all.push(bars(counted, architecture));
        }
    }
    if certificate.counts.is_empty() {
        all.push(Section {
            title: "static bounds".into(),
            rows: certificate.notes.iter().map(|note| row("none", note.clone())).collect(),
        });
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
    Section { title: format!("static bound, {}, not measured", counted.architecture), rows }
}
