//! The unit of an extension as hardware: its area and depth, and the trade of area against cycles.

use std::sync::atomic::{AtomicBool, Ordering};

use aesmith_extension::area::{self, Area};
use aesmith_extension::file::Extension;
use aesmith_extension::verilog::{SboxForm, Unit};
use aesmith_processor::attach::attach;
use aesmith_processor::core::Core;
use serde::Serialize;

use crate::part::{Column, Kind, Part};
use crate::{ExploreRequest, Outcome, outcome};
use aesmith_processor::bits_certificate::proved;
use aesmith_processor::cost::BuiltKernel;
use aesmith_tune::evaluate::costing::{Point, point};

/// A synthesized unit.
#[derive(Clone, Debug, Serialize)]
pub struct Built {
    /// The form of its S-boxes: `table` or `circuit`.
    pub sbox: String,
    /// The maximum number of S-boxes.
    pub sboxes: u8,
    /// Gate equivalents: the number of transistors in its cells, divided by four.
    pub gate_equivalents: f64,
    /// The number of cells on the longest path.
    pub depth: u64,
    /// The number of flip-flops among its cells.
    pub flip_flops: u64,
}

/// A point of the trade-off between area and time.
#[derive(Clone, Debug, Serialize)]
pub struct Trade {
    /// The unit.
    pub unit: Built,
    /// Modelled cycles of AES-128 encryption of one block, by processor.
    pub cycles: Vec<(&'static str, f64)>,
}

/// The unit of an exploration, and its alternatives.
#[derive(Clone, Debug, Serialize)]
pub struct Hardware {
    /// The unit in the requested form.
    #[serde(serialize_with = "outcome")]
    pub unit: Outcome<Built>,
    /// The unit with S-boxes as tables and as circuits, one to four of them.
    #[serde(serialize_with = "outcome")]
    pub curve: Outcome<Vec<Trade>>,
}

impl Hardware {
    /// No figures, for this reason.
    pub fn none(reason: &str) -> Hardware {
        Hardware { unit: Err(reason.into()), curve: Err(reason.into()) }
    }
}

/// Synthesizes the unit of an exploration in the requested form and in all others.
pub fn hardware(asked: &ExploreRequest) -> Hardware {
    let curve = curve(asked.extension, &asked.bases, &asked.interrupted);
    let unit = area::area(asked.extension, asked.unit).map(|area| {
        let same = |t: &&Trade| {
            t.unit.gate_equivalents == area.gate_equivalents
                && asked.unit.form.is_none_or(|f| f.name() == t.unit.sbox)
        };
        let like = curve.as_ref().ok().and_then(|all| all.iter().find(same));
        let named = like.map(|t| (t.unit.sbox.clone(), t.unit.sboxes));
        // The smaller form may differ between the S-box and its inverse.
        let form = asked.unit.form.map_or("the smaller", SboxForm::name).to_owned();
        built(&area, named.unwrap_or((form, asked.unit.sboxes)))
    });
    Hardware { unit, curve }
}

fn built(area: &Area, (sbox, sboxes): (String, u8)) -> Built {
    Built {
        sbox,
        sboxes,
        gate_equivalents: area.gate_equivalents,
        depth: area.depth.into(),
        flip_flops: area.flip_flops.into(),
    }
}

/// Cycles of one block, by processor.
type Blocks = Vec<(&'static str, f64)>;

/// Synthesizes both forms of the S-box and one to four of them, with the cycles of one block each.
fn curve(
    extension: &'static Extension,
    bases: &[&'static Core],
    interrupted: &AtomicBool,
) -> Outcome<Vec<Trade>> {
    let mut known: Vec<(Vec<u8>, Blocks)> = Vec::new();
    let mut trades = Vec::new();
    for one in area::curve(extension)? {
        if interrupted.load(Ordering::Relaxed) {
            return Err(crate::INTERRUPTED.into());
        }
        // The form of an S-box does not change the cycles.
        let at = known.iter().position(|(cycles, _)| *cycles == one.cycles).unwrap_or_else(|| {
            let unit = Unit { form: Some(one.form), sboxes: one.sboxes };
            let of = |base: &&'static Core| Some((base.name, block(base, extension, unit)?));
            known.push((one.cycles.clone(), bases.iter().filter_map(of).collect()));
            known.len() - 1
        });
        let unit = built(&one.area, (one.form.name().into(), one.sboxes));
        trades.push(Trade { unit, cycles: known[at].1.clone() });
    }
    Ok(trades)
}

/// Modelled cycles of AES-128 encryption of one block on a processor with a unit: the fastest kernel that is proved.
fn block(base: &'static Core, extension: &'static Extension, unit: Unit) -> Option<f64> {
    let core = attach(base, extension, unit).ok()?;
    let part = Part::encrypt128(Kind::Cipher);
    let variants = core.table.all(part.problem());
    let own = variants.iter().filter(|v| part.has(v) && Column::Extended.has(base, core, v));
    let mut points: Vec<Point> = own.filter_map(|v| point(core, v).ok()).collect();
    points.sort_by(|a, b| a.cost.cycles.total_cmp(&b.cost.cycles));
    let holds = |p: &Point| {
        let made = (core.build)(&p.variant).and_then(|kernel| BuiltKernel::new(core, kernel));
        made.and_then(|made| proved(core, &made)).is_ok()
    };
    points.into_iter().find(holds).map(|p| p.cost.cycles)
}
