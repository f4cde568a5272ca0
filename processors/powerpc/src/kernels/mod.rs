//! Kernels for PowerPC: from a variant to code.

mod target;
mod writer;

use aesmith_arrange::Variant;
use aesmith_cipher::Task;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::timing::Timing;
use aesmith_order::inorder::Search;
use aesmith_processor::core::Kernel;
use aesmith_words::function::{self, Function};
use aesmith_words::modes::Choices;
use aesmith_words::rounds::Last;
use aesmith_words::tables::{Form, Table};
use aesmith_words::{keys, modes};

use crate::dimensions;
use target::PowerPc;

/// Where code starts.
const CODE: u64 = 0x10000;
/// Where tables start.
const TABLES: u64 = 0x20000;
/// Changes of order that a seed stands for.
const MOVES: u32 = 40_000;
/// Tables are at a multiple of the size of one, so that sums of addresses do not carry, which the prover does not follow.
const ALIGNMENT: u16 = 1024;

fn written(
    variant: &Variant,
    target: &PowerPc,
    search: Option<Search>,
    finish: impl FnOnce(Function<'_>, &[Table]),
) -> Result<(), String> {
    let problem = variant.problem;
    let name = Firmware::name(problem);
    let mut function = Function::new(target, &name, search);
    let form = Form::apart(variant.choice().map_or(4, dimensions::Tables::number));
    let tables = match problem.task {
        Task::KeySchedule(direction) => keys::schedule(&mut function, problem.key, direction, form, None)?,
        _ => {
            let choices = Choices {
                form,
                last: Last::Words,
                side_by_side: false,
                cached: variant.is(dimensions::Counter::Cached),
                ahead: variant.is(dimensions::Ahead::Yes),
                pointers: variant.choice().map_or(0, dimensions::Pointers::registers),
                kept: variant.choice().map_or(0, dimensions::Kept::words),
                remade: 0,
            };
            modes::function(&mut function, problem, choices)?
        }
    };
    finish(function, &tables);
    Ok(())
}

/// The kernel of a variant.
pub fn build(variant: &Variant, timing: &'static Timing) -> Result<Kernel, String> {
    if !Firmware::is_offered(variant.problem) {
        return Err(format!("PowerPC has no kernels for {}", variant.problem));
    }
    let search = Search { seed: variant.seed, moves: if variant.seed > 0 { MOVES } else { 0 } };
    let mut sections = Vec::new();
    written(variant, &PowerPc { timing }, Some(search), |function, tables| {
        sections = function::finish(function, tables, CODE, TABLES);
    })?;
    Ok(Kernel {
        variant: variant.clone(),
        contract: Firmware { problem: variant.problem, packing: Packing::RoundKeys, blocks: 1 },
        symbol: Firmware::name(variant.problem),
        sections,
        table_alignment: ALIGNMENT,
    })
}

/// Cycles of a block, or of a key schedule, by the units that its instructions need: no order and no registers can have
/// fewer. What a call does once is not counted.
pub fn bound(variant: &Variant, timing: &'static Timing) -> Option<(f64, &'static str)> {
    let mut cycles = 0.0;
    let target = PowerPc { timing };
    let found = written(variant, &target, None, |function, _| {
        cycles = timing.resources(crate::table::isa(), function.floor());
    });
    found.ok().map(|()| {
        (cycles, "every instruction of the dataflow takes its place in a cycle and its unit, and none waits")
    })
}
