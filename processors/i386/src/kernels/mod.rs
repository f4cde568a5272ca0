//! Kernels for i386: from a variant to code.
//!
//! Tables and the layout of keys are shared with other word kernels (`aesmith_words`). The rounds are written
//! here: with seven registers and two-operand instructions, the placement of values decides everything, and
//! nothing is left to scheduling or allocation.

mod code;
mod counter;
mod keys;
mod modes;
mod rounds;
mod tables;

use aesmith_arrange::Variant;
use aesmith_cipher::Task;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::assemble::Section;
use aesmith_isa::timing::Timing;
use aesmith_processor::core::Kernel;

use crate::dimensions::{self, Counter};
use crate::table::isa;
use code::Code;
use rounds::Rounds;
use tables::{Contents, Tables};

/// The address of code.
const CODE: u64 = 0x10000;

/// The code, and the tables that it reads.
fn written(variant: &Variant) -> Result<(Code, Tables, Vec<Contents>), String> {
    let problem = variant.problem;
    if !Firmware::is_offered(problem) {
        return Err(format!("i386 has no kernels for {problem}"));
    }
    let name = Firmware::name(problem);
    let tables = Tables { overlapping: variant.is(dimensions::Tables::Overlapping) };
    if let Task::KeySchedule(direction) = problem.task {
        let code = keys::schedule(&name, problem.key, direction, tables);
        return Ok((code, tables, keys::contents(direction).to_vec()));
    }
    let from_memory = variant.is(dimensions::Bytes::Memory);
    let rounds = Rounds { direction: problem.mode().direction, tables, from_memory };
    let code = match problem.task {
        Task::Ecb(_) => modes::block(&name, problem, &rounds),
        Task::Ctr if variant.is(Counter::Cached) => counter::message(&name, problem.key, &rounds),
        _ => modes::message(&name, problem, &rounds),
    };
    Ok((code, tables, rounds.contents().to_vec()))
}

/// The kernel of a variant. It keeps the order in which it is written: these processors reorder instructions.
///
/// # Errors
/// There are no kernels for the problem.
pub fn build(variant: &Variant) -> Result<Kernel, String> {
    let (code, tables, contents) = written(variant)?;
    let text = Section { name: ".text", address: CODE, writable: false, items: code.finish() };
    let kernel = Kernel {
        variant: variant.clone(),
        contract: Firmware { problem: variant.problem, packing: Packing::RoundKeys, blocks: 1 },
        symbol: Firmware::name(variant.problem),
        sections: vec![text, tables.section(&contents)],
        table_alignment: tables.alignment(),
    };
    Ok(kernel.returning_without_blocks(code::entry))
}

/// The least cycles of a processor's slots, ports and units for a block, or for a key schedule, in any order.
/// Work that a call does once is not counted.
pub fn bound(variant: &Variant, timing: &'static Timing) -> Option<(f64, &'static str)> {
    let (code, ..) = written(variant).ok()?;
    let cycles = timing.resources(isa(), &code.of_a_block());
    Some((
        cycles,
        "every instruction takes its places in the front end and its ports and units, and none waits",
    ))
}
