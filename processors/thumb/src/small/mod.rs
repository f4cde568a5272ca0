//! Kernels of ARMv6-M (Cortex-M0).

pub mod bytes;
pub mod expand;
pub mod functions;
pub mod gates;
pub mod rounds;
pub mod sliced;
pub mod straight;
pub mod writer;

use crate::dimensions;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Task;

use super::kernels;
use aesmith_arrange::Variant;
use aesmith_processor::core::Kernel;

/// The stack pointer.
pub const SP: i32 = 13;

/// The kernel of a variant.
pub fn build(variant: &Variant) -> Result<Kernel, String> {
    let problem = variant.problem;
    let symbol = kernels::symbol(problem)?;
    let shape = functions::Shape {
        technique: variant.choice().unwrap_or(dimensions::Technique::Table),
        looped: variant.is(dimensions::Rounds::Looped),
        memory: variant.choice().unwrap_or(dimensions::Memory::Ram),
    };
    let (size, task) = (problem.key, problem.task);
    let sections = match task {
        Task::Ecb(direction) if shape.is_sliced() => sliced::function(size, &symbol, direction)?,
        Task::Ecb(direction) => functions::block(size, &symbol, direction, shape)?,
        Task::KeySchedule(direction) if variant.is(dimensions::Sbox::Circuit) => {
            gates::function(size, &symbol, direction, variant.is(dimensions::Keys::Sliced))?
        }
        Task::KeySchedule(direction) => expand::function(size, &symbol, direction),
        _ => functions::message(size, task, &symbol, shape)?,
    };
    let slices = shape.is_sliced() || variant.is(dimensions::Keys::Sliced);
    let packing = if slices { Packing::Fixsliced } else { Packing::RoundKeys };
    let blocks = if shape.is_sliced() && matches!(task, Task::Ecb(_)) { 2 } else { 1 };
    let kernel = Kernel {
        variant: variant.clone(),
        contract: Firmware { problem, packing, blocks },
        symbol,
        sections,
        table_alignment: 32,
    };
    Ok(kernel.returning_without_blocks(|some| kernels::writer::entry(crate::table::v6m(), some)))
}
