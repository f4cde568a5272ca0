//! A piece of AES put together from an extension's instructions.

use aesmith_isa::Isa;

use crate::file::Extension;
use crate::program::{Goal, Program};

/// What plain instructions cost on a base, in instructions, beside one for each of the extension's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// A rotation by bytes.
    pub turn: f64,
    /// Some bytes of a word.
    pub keep: f64,
    /// MixColumns of a column.
    pub mix: f64,
}

/// The cheapest line that is found for a goal, or why there is none.
pub fn cover(_extension: &Extension, _isa: &Isa, _goal: Goal, _costs: &Costs) -> Result<Program, String> {
    Err("not yet".into())
}
