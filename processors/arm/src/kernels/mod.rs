//! Writers of kernels in ARM state: from a variant to code and tables.

mod block;
mod chain;
mod counter;
mod expand;
pub mod extended;
mod few;
mod fly;
mod fly_bytes;
mod gates;
mod mix;
mod plan;
mod returns;
mod ring;
mod rounds;
mod sliced;
mod sliced_messages;
mod stack;
mod substitute;
pub mod writer;

use crate::dimensions;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Task;

use aesmith_arrange::Variant;
use aesmith_isa::Isa;
use aesmith_processor::core::Kernel;

/// The kernel of a variant, for a processor with this table.
pub fn build(variant: &Variant, isa: &Isa) -> Result<Kernel, String> {
    let problem = variant.problem;
    if !Firmware::is_offered(problem) {
        return Err(format!("{problem} has no kernels in ARM state"));
    }
    let symbol = Firmware::name(problem);
    let slices = variant.is(dimensions::Technique::Bitsliced);
    let fly = variant.is(dimensions::Schedule::Fly);
    let section = match problem.task {
        Task::Ecb(_) if slices => sliced::function(variant, &symbol)?,
        Task::Ecb(direction) if fly && variant.is(dimensions::Technique::Bytewise) => {
            fly_bytes::function(variant, &symbol, direction)
        }
        Task::Ecb(_) if fly => fly::function(variant, &symbol),
        Task::Ecb(direction) if variant.is(dimensions::Technique::Bytewise) => {
            substitute::function(variant, &symbol, direction)
        }
        Task::Ecb(direction) if variant.is(dimensions::Registers::Few) => {
            few::function(variant, &symbol, direction)?
        }
        Task::Ecb(direction) => block::function(variant, &symbol, direction),
        Task::KeySchedule(direction) => expand::function(variant, &symbol, direction)?,
        _ if slices => sliced_messages::function(variant, &symbol)?,
        Task::Ctr => counter::function(variant, &symbol),
        _ => chain::function(variant, &symbol),
    };
    let packing = match (slices, fly) {
        (true, _) => Packing::Fixsliced,
        (_, true) => Packing::CipherKey,
        _ => Packing::RoundKeys,
    };
    let blocks = if slices && matches!(problem.task, Task::Ecb(_)) { 2 } else { 1 };
    Ok(Kernel {
        variant: variant.clone(),
        contract: Firmware { problem, packing, blocks },
        symbol,
        sections: vec![returns::returning(section, isa)],
        table_alignment: 4,
    })
}
