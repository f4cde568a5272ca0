//! Kernels for the SPU: from a variant to code.

mod writer;

use aesmith_arrange::Variant;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::{Problem, Task};
use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::timing::Timing;
use aesmith_order::inorder::block::insn;
use aesmith_order::inorder::{Constraints, Search, arrange};
use aesmith_processor::core::Kernel;
use aesmith_vectors::kernels::{self, Blocks};
use aesmith_vectors::lower::Constants;
use aesmith_vectors::machine::Machine;

use crate::cycles::SPU;
use crate::dimensions as d;
use crate::table::{FIRST, LR, SP, isa};
use writer::Writer;

/// Where code starts.
const CODE: u64 = 0x10000;
/// Where constants start.
const TABLES: u64 = 0x20000;
/// Constants are at a multiple of so many bytes: 16 are loaded at once.
const ALIGNMENT: u16 = 16;
/// What sections of constants are multiples of.
const SECTION: usize = 128;
/// Registers that a function need not leave as they were, but for the stack pointer and the address of return.
const LAST: u8 = 79;

/// Whether there are kernels for a problem.
pub fn solves(problem: Problem) -> bool {
    matches!(problem.task, Task::Ecb(_) | Task::KeySchedule(_))
}

/// How many blocks a call takes.
fn count(variant: &Variant) -> usize {
    if matches!(variant.problem.task, Task::Ecb(_)) {
        variant.choice().map_or(16, d::Blocks::count)
    } else {
        1
    }
}

/// The dataflow of a variant: its instructions over virtual registers, and its constants.
fn written(variant: &Variant) -> Result<(Writer, Vec<[u8; 16]>), String> {
    let mut w = Writer::new(variant.is(d::Nibbles::Even), variant.is(d::Columns::Even));
    let mut constants = Constants::default();
    let problem = variant.problem;
    let mut argument = |k: u8| w.block().enter(FIRST + k);
    match problem.task {
        Task::KeySchedule(direction) => {
            let arguments = [argument(0), argument(1)];
            let of = (problem.key, direction, variant.technique);
            kernels::schedule(&mut w, &mut constants, of, arguments)?;
        }
        _ => {
            let arguments = [argument(0), argument(1), argument(2)];
            let count = count(variant);
            let of = Blocks {
                key: problem.key,
                direction: problem.mode().direction,
                technique: variant.technique,
                fixsliced: variant.is(d::Rows::Fixed),
                count,
                group: variant.choice().map_or(1, d::Group::count).min(count),
            };
            kernels::blocks(&mut w, &mut constants, of, arguments)?;
        }
    }
    Ok((w, constants.all))
}

/// The kernel of a variant.
pub fn build(variant: &Variant) -> Result<Kernel, String> {
    let problem = variant.problem;
    if !solves(problem) {
        return Err(format!("the SPU has no kernels for {problem}"));
    }
    let (mut w, constants) = written(variant)?;
    let block = std::mem::take(w.block());
    let free: Vec<u8> = (0..=LAST).filter(|r| ![LR, SP].contains(r)).collect();
    let idle = [isa().insn("nop", &[]), isa().insn("lnop", &[])];
    let constraints =
        Constraints { free: &free, unmarked_is_constant: true, idle: Some(idle), ..Constraints::default() };
    let arranged = arrange(isa(), &block, &constraints, &SPU, Search { seed: variant.seed, moves: 0 })?;
    let symbol = Firmware::name(problem);
    let mut items = vec![Item::Label(symbol.clone())];
    items.extend(arranged.items);
    items.push(Item::Insn(isa().insn("bi", &[("ra", LR.into())])));
    let code = Section { name: ".text", address: CODE, writable: false, items };
    let mut data = vec![Item::Align(16), Item::Label(writer::CONSTANTS.into())];
    // GNU as fills a section up to a multiple of its alignment.
    let mut bytes = constants.concat();
    bytes.resize(bytes.len().next_multiple_of(SECTION), 0);
    data.push(Item::Bytes(bytes));
    let data = Section { name: ".rodata", address: TABLES, writable: false, items: data };
    Ok(Kernel {
        variant: variant.clone(),
        contract: Firmware { problem, packing: Packing::RoundKeys, blocks: count(variant) as u8 },
        symbol,
        sections: vec![code, data],
        table_alignment: ALIGNMENT,
    })
}

/// Cycles of a call by the pipes that its instructions need.
pub fn bound(variant: &Variant, timing: &Timing) -> Option<(f64, &'static str)> {
    let (mut w, _) = written(variant).ok()?;
    let insns: Vec<_> = w.block().pieces.iter().filter_map(|piece| insn(&piece.item)).copied().collect();
    Some((
        timing.resources(isa(), &insns),
        "every instruction of the dataflow takes its pipe for a cycle, and none waits",
    ))
}
