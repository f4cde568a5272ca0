//! The unit of an extension as hardware: its area and depth, and what area buys in cycles.

use serde::Serialize;

use super::{Asked, Outcome, outcome};
use crate::search::Event;

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

/// The unit of an exploration.
pub fn hardware(_asked: &Asked, _observer: &mut dyn FnMut(Event)) -> Hardware {
    Hardware::none("not synthesized")
}
