//! The unit of an extension as hardware: its area and depth, and what area buys in cycles.

use std::sync::atomic::{AtomicBool, Ordering};

use aesmith_extension::area::{self, Area};
use aesmith_extension::file::Extension;
use aesmith_extension::verilog::{SboxForm, Unit};
use aesmith_processor::attach::attach;
use aesmith_processor::core::Core;
use serde::Serialize;

use crate::part::{Column, Kind, Part};
use crate::{ExploreRequest, Outcome, outcome};
use aesmith_processor::certificate::proved;
use aesmith_processor::cost::BuiltKernel;
use aesmith_tune::exact::costing::{Point, point};

/// A unit as it was synthesized.
#[derive(Clone, Debug, Serialize)]
pub struct Built {
    /// How S-boxes are written: `table` or `circuit`.
    pub sbox: String,
    /// How many there are at most.
    pub sboxes: u8,
    /// Gate equivalents: transistors of its cells, over four.
    pub gate_equivalents: f64,
    /// Cells on the longest path.
    pub depth: u64,
    /// Flip-flops among its cells.
    pub flip_flops: u64,
}

/// A point of the trade of area against time.
#[derive(Clone, Debug, Serialize)]
pub struct Trade {
    /// The unit.
    pub unit: Built,
    /// Modelled cycles of AES-128 encryption of a block, by processor.
    pub cycles: Vec<(&'static str, f64)>,
}

/// The unit.
#[derive(Clone, Debug, Serialize)]
pub struct Hardware {
    /// As asked for.
    #[serde(serialize_with = "outcome")]
    pub unit: Outcome<Built>,
    /// S-boxes as tables and circuits, one to four.
    #[serde(serialize_with = "outcome")]
    pub curve: Outcome<Vec<Trade>>,
}

impl Hardware {
    /// Nothing, for a reason.
    pub fn none(reason: &str) -> Hardware {
        Hardware { unit: Err(reason.into()), curve: Err(reason.into()) }
    }
}

/// The unit of an exploration: synthesized as asked for, and in every other way.
pub fn hardware(asked: &ExploreRequest) -> Hardware {
    let curve = curve(asked.extension, &asked.bases, &asked.interrupted);
    let unit = area::of(asked.extension, asked.unit).map(|area| {
        let same = |t: &&Trade| {
            t.unit.gate_equivalents == area.gate_equivalents
                && asked.unit.form.is_none_or(|f| f.name() == t.unit.sbox)
        };
        let like = curve.as_ref().ok().and_then(|all| all.iter().find(same));
        let named = like.map(|t| (t.unit.sbox.clone(), t.unit.sboxes));
        // S-box and inverse may each be the smaller in another form.
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

/// Cycles of a block by processor.
type Blocks = Vec<(&'static str, f64)>;

/// Both forms of the S-box and one to four of them, with the cycles of a block.
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
        // The form of an S-box costs no cycle.
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

/// Modelled cycles of AES-128 encryption of a block on a processor with a unit, of a kernel that is
/// proved.
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
