//! Kernels for the SPU: from a variant to code.

mod target;
mod writer;

use aesmith_arrange::{Choice, Variant};
use aesmith_cipher::Task;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_order::inorder::Search;
use aesmith_processor::core::Kernel;
use aesmith_vectors::function::Function;
use aesmith_vectors::kernels::{self, Rounds};
use aesmith_vectors::messages;

use crate::dimensions as d;
use target::Spu;

/// The address of code.
const CODE: u64 = 0x10000;
/// The address of constants.
const TABLES: u64 = 0x20000;
/// Alignment of constants in bytes: 16 are loaded at once.
const ALIGNMENT: u16 = 16;
/// Alignment of constant sections, in bytes.
const SECTION: usize = 128;
/// The number of constants that messages keep in registers: all of them.
const CONSTANTS_KEPT: usize = 60;

/// The number of blocks that a call processes, or that are processed side by side if it counts them.
fn count(variant: &Variant) -> usize {
    match variant.problem.task {
        Task::Ecb(_) => variant.choice().map_or(16, d::Blocks::number),
        Task::KeySchedule(_) => 1,
        _ => variant.choice().map_or(1, d::Together::number),
    }
}

/// The function of a variant in the making.
fn written<'t>(variant: &Variant, target: &'t Spu, search: Option<Search>) -> Result<Function<'t>, String> {
    let problem = variant.problem;
    let inner = aesmith_order::function::Function::new(target as _, &Firmware::name(problem), search);
    let mut function = Function::new(inner);
    let count = count(variant);
    let rounds = Rounds {
        technique: variant.technique,
        fixsliced: variant.is(d::ShiftRows::Fixsliced),
        // From this number of blocks on, the saving per round exceeds the cost per key.
        early_key: problem.has_iv() || count >= 8,
        group: if problem.has_iv() { count } else { variant.choice().map_or(1, d::Group::number).min(count) },
    };
    match problem.task {
        Task::KeySchedule(direction) => {
            kernels::schedule(&mut function, (problem.key, direction, variant.technique))?;
        }
        Task::Ecb(direction) => {
            kernels::blocks(&mut function, (problem.key, direction), rounds, (count, 0))?;
        }
        _ => {
            let cached = variant.is(d::Counter::Cached);
            let ahead = variant.choice().map_or(0, d::Begun::number);
            let choices = messages::Choices { rounds, constants: CONSTANTS_KEPT, cached, ahead };
            messages::message(&mut function, problem, choices)?;
        }
    }
    Ok(function)
}

fn target(variant: &Variant) -> Spu {
    Spu { nibbles_even: variant.is(d::Nibbles::Even), columns_even: variant.is(d::Columns::Even) }
}

/// The kernel of a variant.
pub fn build(variant: &Variant) -> Result<Kernel, String> {
    let problem = variant.problem;
    if !Firmware::is_offered(problem) {
        return Err(format!("the SPU has no kernels for {problem}"));
    }
    let search = Search { seed: variant.seed, moves: 0 };
    let sections = written(variant, &target(variant), Some(search))?.finish(CODE, TABLES, SECTION);
    let kernel = Kernel {
        variant: variant.clone(),
        contract: Firmware { problem, packing: Packing::RoundKeys, blocks: count(variant) as u8 },
        symbol: Firmware::name(problem),
        sections,
        table_alignment: ALIGNMENT,
    };
    Ok(kernel.returning_without_blocks(target::entry))
}

/// Cycles of a call, or of a block of a message, by the pipes that its instructions need.
pub fn bound(variant: &Variant) -> Option<(f64, &'static str)> {
    let target = target(variant);
    let function = written(variant, &target, None).ok()?;
    Some((
        function.inner.bound() / function.side_by_side as f64,
        "every instruction of the dataflow takes its pipe for a cycle, and none waits but for what the turn before makes",
    ))
}
