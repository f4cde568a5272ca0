//! Kernels for MicroBlaze: from a variant to code.

pub mod bytewise;
mod function;
mod gates;
mod keys;
mod machine;
mod modes;
mod rounds;
mod shared;
mod sliced;
mod tables;
mod target;
mod writer;

use crate::dimensions;
use aesmith_cipher::Task;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::timing::Timing;

use super::table::isa;
use aesmith_arrange::{Choice, Variant};
use aesmith_processor::core::Kernel;
use function::Function;
use writer::Shape;

/// The address of code.
const CODE: u64 = 0x10000;
/// The address of tables.
const TABLES: u64 = 0x20000;

fn shape(variant: &Variant) -> Shape {
    let barrel = variant.is(dimensions::Barrel::Yes);
    Shape {
        barrel,
        extract_by_memory: !barrel || variant.is(dimensions::Extract::Memory),
        join_by_stores: !barrel || variant.is(dimensions::Join::Stores),
    }
}

fn written(variant: &Variant) -> Result<Function, String> {
    match variant.problem.task {
        Task::KeySchedule(direction) => Ok(keys::schedule(variant, shape(variant), direction)),
        Task::Ecb(_) | Task::Ctr | Task::CbcDecrypt | Task::CbcEncrypt { streams: 1 } => {
            Ok(modes::function(variant, shape(variant)))
        }
        task => Err(format!("microblaze has no kernels for {task:?} of this form")),
    }
}

/// The reasoning of a bound for kernels in shared word operations.
const FLOOR: &str =
    "each instruction of the dataflow as if it never waited; of a message, those that each block takes";

/// The kernel of a variant.
pub fn build(variant: &Variant, timing: &'static Timing) -> Result<Kernel, String> {
    let symbol = Firmware::name(variant.problem);
    if dimensions::is_of_words(variant) {
        let contract = Firmware { problem: variant.problem, packing: shared::packing(variant), blocks: 1 };
        let sections = shared::sections(variant, timing)?;
        let kernel = Kernel { variant: variant.clone(), contract, symbol, sections, table_alignment: 4 };
        return Ok(kernel.returning_without_blocks(entry));
    }
    let function = written(variant)?;
    let sliced = variant.is(dimensions::Technique::Bitsliced);
    let saved = if variant.is(dimensions::Rounds::Looped) || sliced {
        function::SAVED.len()
    } else {
        variant.choice().map_or(8, dimensions::Saved::number)
    };
    let tables = function.tables.clone();
    let mut items = vec![Item::Label(symbol.clone())];
    items.extend(function.finish(saved, variant.seed, timing)?);
    let mut sections = vec![Section { name: ".text", address: CODE, writable: false, items }];
    if !tables.is_empty() {
        let items = tables.iter().flat_map(|table| table.items()).collect();
        sections.push(Section { name: ".rodata", address: TABLES, writable: false, items });
    }
    let packing = if variant.is(dimensions::Schedule::Fly) {
        Packing::CipherKey
    } else if sliced || variant.is(dimensions::Keys::Sliced) {
        Packing::Fixsliced
    } else {
        Packing::RoundKeys
    };
    let blocks = if sliced && matches!(variant.problem.task, Task::Ecb(_)) { 2 } else { 1 };
    let kernel = Kernel {
        variant: variant.clone(),
        contract: Firmware { problem: variant.problem, packing, blocks },
        symbol,
        sections,
        table_alignment: 4,
    };
    Ok(kernel.returning_without_blocks(entry))
}

/// The start of a message function: returns if there are no blocks.
fn entry(some: &str) -> Vec<Item> {
    let back = isa().insn("rtsd", &[("ra", 15), ("imm", 8)]);
    vec![function::branch("bnei", Some(9), some), Item::Insn(back), Item::Insn(isa().insn("nop", &[]))]
}

/// Cycles of a block function's instructions without stalls, and of the return: no order and no allocation can
/// have fewer. Register saves are not counted.
pub fn bound(variant: &Variant, timing: &'static Timing) -> Option<(f64, &'static str)> {
    if dimensions::is_of_words(variant) {
        return Some((f64::from(shared::floor(variant, timing)?), FLOOR));
    }
    if !matches!(variant.problem.task, Task::Ecb(_) | Task::KeySchedule(_))
        || variant.is(dimensions::Rounds::Looped)
        || variant.is(dimensions::Technique::Bitsliced)
    {
        return None;
    }
    let function = written(variant).ok()?;
    let sum: u32 = function.insns().map(|insn| timing.alone(isa(), insn)).sum();
    let slot = timing.of("jump_slot");
    Some((
        f64::from(sum + slot.cycles + slot.taken_after_slot),
        "every instruction of the dataflow issues alone, and none waits; two cycles for the return, whose delay slot is one of them",
    ))
}
