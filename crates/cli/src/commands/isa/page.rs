//! The report page of an exploration.

use super::explore::counted;
use crate::failure::Failure;
use crate::overwrite;
use crate::quantity::show_moment;
use aesmith_explore::hardware::Built;
use aesmith_explore::kernel::Figures;
use aesmith_explore::paper::TABLE_1;
use aesmith_explore::part::{Kind, Part};
use aesmith_explore::{Base, Exploration, Row};
use aesmith_report::{
    ExtendedBase, ExtendedKernel, ExtensionPage, KernelFigures, PaperLine, TradePoint, UnitFigures,
    render_extension,
};
use aesmith_wisdom::write::now_ms;
use std::path::Path;

/// The paper's columns.
const COLUMNS: [Kind; 3] = [Kind::Cipher, Kind::KeySchedule, Kind::OnTheFly];

/// Writes the page.
pub fn write(found: &Exploration, file: &Path, force: bool) -> Result<(), Failure> {
    let page = ExtensionPage {
        name: found.extension.clone(),
        about: found.about.clone(),
        source: found.source.clone(),
        instructions: found.instructions.clone(),
        made: format!("{} UTC", show_moment(now_ms())),
        bases: found.bases.iter().map(|base| one(found, base)).collect(),
        paper: TABLE_1
            .iter()
            .map(|line| PaperLine {
                name: line.instructions.into(),
                cycles: COLUMNS.map(|kind| f64::from(line.cycles(kind))),
                times: COLUMNS.map(|kind| line.speed_up(kind)),
            })
            .collect(),
        unit: found.hardware.unit.as_ref().map(unit).map_err(Clone::clone),
        trade: found.hardware.curve.as_ref().map_err(Clone::clone).map(|curve| {
            let point = |trade: &aesmith_explore::hardware::Trade| TradePoint {
                unit: unit(&trade.unit),
                form: trade.unit.sbox.clone(),
                cycles: trade.cycles.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            };
            curve.iter().map(point).collect()
        }),
    };
    overwrite::put(file, &render_extension(&page), force)
}

fn one(found: &Exploration, base: &Base) -> ExtendedBase {
    let rows: Vec<&Row> = found.rows.iter().filter(|r| r.base == base.name).collect();
    let by = counted(&rows);
    let modelled = by.iter().any(|b| b.starts_with("machine model"));
    ExtendedBase {
        name: base.name.into(),
        about: base.about.into(),
        port: base.port.into(),
        refused: base.refused.clone(),
        cycles: match modelled {
            false => format!("Cycles by {}.", by.join("; ")),
            true => format!("Cycles by {}: {}.", by.join("; "), base.model),
        },
        kernels: rows.into_iter().map(kernel).collect(),
    }
}

fn kernel(row: &Row) -> ExtendedKernel {
    let cycles = |f: &Figures| f.cycles;
    ExtendedKernel {
        name: row.part.to_string(),
        column: COLUMNS.iter().position(|&kind| row.part == Part::encrypt128(kind)),
        extended: row.extended.as_ref().map_err(Clone::clone).map(|f| KernelFigures {
            cycles: f.cycles,
            instructions: f.instructions,
            custom: f.custom,
            code: f.code,
            tables: f.tables,
        }),
        plain: row.plain.as_ref().ok().map(cycles),
        over_plain: row.over_plain(),
        baseline: row.baseline.as_ref().ok().map(cycles),
        over_baseline: row.over_baseline(),
    }
}

fn unit(built: &Built) -> UnitFigures {
    UnitFigures {
        sboxes: format!("{} as {}", built.sboxes, built.sbox),
        area: built.gate_equivalents,
        depth: built.depth,
    }
}
