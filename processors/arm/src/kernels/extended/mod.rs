//! The writers of kernels with an extension's instructions: what a round is made of comes from the
//! extension ([`Attached::program`]), everything around it from here.

mod block;
mod expand;
mod fly;
mod frame;
mod line;
mod run;
mod words;

use crate::dimensions;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::{Problem, Task};

use aesmith_arrange::Variant;
use aesmith_processor::attach::Attached;
use aesmith_processor::core::Kernel;

/// Whether there are kernels for a problem.
pub fn solves(problem: Problem) -> bool {
    matches!(problem.task, Task::Ecb(_) | Task::KeySchedule(_))
}

/// The kernel of a variant.
pub fn build(attached: &'static Attached, variant: &Variant) -> Result<Kernel, String> {
    let problem = variant.problem;
    let symbol = Firmware::name(problem);
    let fly = variant.is(dimensions::Schedule::Fly);
    let section = match problem.task {
        Task::Ecb(direction) if fly => fly::function(attached, variant, &symbol, direction)?,
        Task::Ecb(direction) => block::function(attached, variant, &symbol, direction)?,
        Task::KeySchedule(direction) => expand::function(attached, variant, &symbol, direction)?,
        _ => return Err(format!("{problem} has no kernels with custom instructions in ARM state")),
    };
    let packing = if fly { Packing::CipherKey } else { Packing::RoundKeys };
    Ok(Kernel {
        variant: variant.clone(),
        contract: Firmware { problem, packing, blocks: 1 },
        symbol,
        sections: vec![super::returns::returning(section, attached.isa)],
        table_alignment: 4,
    })
}
