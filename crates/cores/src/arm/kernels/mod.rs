//! The writers of kernels in ARM state: from a variant to code and tables.

mod block;
mod plan;
mod rounds;
mod writer;

use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::{Direction, Problem, Task};

use crate::core::Kernel;
use crate::variant::Variant;

/// Whether there are kernels for a problem.
pub fn solves(problem: Problem) -> bool {
    matches!(problem.task, Task::Ecb(_))
}

/// The name of a problem's function.
fn symbol(problem: Problem) -> Result<String, String> {
    let name = match problem.task {
        Task::Ecb(Direction::Encrypt) => "encrypt",
        Task::Ecb(Direction::Decrypt) => "decrypt",
        _ => return Err(format!("{problem} has no kernels in ARM state")),
    };
    Ok(format!("aes{}_{name}", 8 * problem.key.bytes()))
}

/// The kernel of a variant.
pub fn build(variant: &Variant) -> Result<Kernel, String> {
    let symbol = symbol(variant.problem)?;
    let section = match variant.problem.task {
        Task::Ecb(direction) => block::function(variant, &symbol, direction),
        _ => return Err(format!("{} has no kernels in ARM state", variant.problem)),
    };
    Ok(Kernel {
        variant: variant.clone(),
        contract: Firmware { problem: variant.problem, packing: Packing::RoundKeys, blocks: 1 },
        symbol,
        sections: vec![section],
        table_alignment: 4,
    })
}
