//! Kernels for PowerPC: from a variant to code.

mod target;
mod vectors;
mod writer;

use aesmith_arrange::{Choice, Variant};
use aesmith_cipher::Task;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::timing::Timing;
use aesmith_order::inorder::Search;
use aesmith_processor::core::Kernel;
use aesmith_vectors::kernels::{self as blocks, Rounds};
use aesmith_vectors::messages;
use aesmith_words::function::{self, Function};
use aesmith_words::keys::Schedule;
use aesmith_words::modes;
use aesmith_words::modes::Choices;
use aesmith_words::rounds::Last;
use aesmith_words::tables::{Form, Table};

use crate::dimensions as d;
use target::PowerPc;
use vectors::AltiVec;

/// The address of code.
const CODE: u64 = 0x10000;
/// The address of tables.
const TABLES: u64 = 0x20000;
/// The number of order changes that a seed stands for.
const MOVES: u32 = 40_000;
/// Tables are at a multiple of the size of one, so that sums of addresses do not carry, which the prover does
/// not follow.
const ALIGNMENT: u16 = 1024;
/// Vector constants are loaded 16 bytes at a time.
const VECTORS: u16 = 16;

/// Writes a kernel of words.
fn of_words(
    variant: &Variant,
    target: &PowerPc,
    search: Option<Search>,
    finish: impl FnOnce(Function<'_>, &[Table]),
) -> Result<(), String> {
    let problem = variant.problem;
    let name = Firmware::name(problem);
    let mut function = Function::new(target, &name, search);
    let form = Form::apart(variant.choice().map_or(4, d::Tables::number));
    let schedule = Schedule { form, bytes: false, padded: None };
    let choices = Choices {
        form,
        last: Last::Words,
        side_by_side: false,
        cached: variant.is(d::Counter::Cached),
        ahead: variant.is(d::Ahead::Yes),
        pointers: variant.choice().map_or(0, d::Pointers::number),
        kept: variant.choice().map_or(0, d::Kept::number),
        remade: 0,
    };
    let tables = modes::function(&mut function, problem, schedule, choices)?;
    finish(function, &tables);
    Ok(())
}

/// Writes a kernel of vectors.
fn of_vectors<'t>(
    variant: &Variant,
    target: &'t AltiVec,
    search: Option<Search>,
) -> Result<aesmith_vectors::function::Function<'t>, String> {
    let problem = variant.problem;
    let inner = aesmith_order::function::Function::new(target as _, &Firmware::name(problem), search);
    let mut function = aesmith_vectors::function::Function::new(inner);
    let rounds = Rounds {
        technique: aesmith_arrange::Technique::Vperm,
        fixsliced: variant.is(d::ShiftRows::Fixsliced),
        early_key: problem.has_iv(),
        group: side_by_side(variant),
    };
    let cached = variant.is(d::Counter::Cached);
    let constants = variant.choice().map_or(0, d::Constants::number);
    match problem.task {
        Task::KeySchedule(direction) => {
            blocks::schedule(&mut function, (problem.key, direction, rounds.technique))?;
        }
        Task::Ecb(direction) => {
            blocks::blocks(&mut function, (problem.key, direction), rounds, (rounds.group, constants))?;
        }
        _ => {
            let ahead = variant.choice().map_or(0, d::Begun::number);
            let choices = messages::Choices { rounds, constants, cached, ahead };
            messages::message(&mut function, problem, choices)?;
        }
    }
    Ok(function)
}

fn altivec(variant: &Variant, timing: &'static Timing) -> AltiVec {
    AltiVec {
        processor: PowerPc { timing },
        permutes_columns: variant.is(d::Columns::Permuted),
        permutes_nibbles: variant.choice().map_or(0, d::Nibbles::permuted),
    }
}

/// The number of blocks that a vector kernel processes side by side.
fn side_by_side(variant: &Variant) -> usize {
    if is_vector(variant) { variant.choice().map_or(1, d::Group::number) } else { 1 }
}

fn is_vector(variant: &Variant) -> bool {
    variant.is(d::Technique::Vperm)
}

/// The kernel of a variant.
pub fn build(variant: &Variant, timing: &'static Timing) -> Result<Kernel, String> {
    if !Firmware::is_offered(variant.problem) {
        return Err(format!("PowerPC has no kernels for {}", variant.problem));
    }
    let search = Some(Search { seed: variant.seed, moves: if variant.seed > 0 { MOVES } else { 0 } });
    let mut sections: Vec<Section> = Vec::new();
    if is_vector(variant) {
        let target = altivec(variant, timing);
        sections = of_vectors(variant, &target, search)?.finish(CODE, TABLES, VECTORS.into());
    } else {
        of_words(variant, &PowerPc { timing }, search, |function, tables| {
            sections = function::finish(function, tables, CODE, TABLES);
        })?;
    }
    let kernel = Kernel {
        variant: variant.clone(),
        contract: Firmware {
            problem: variant.problem,
            packing: Packing::RoundKeys,
            blocks: side_by_side(variant) as u8,
        },
        symbol: Firmware::name(variant.problem),
        sections,
        table_alignment: if is_vector(variant) { VECTORS } else { ALIGNMENT },
    };
    Ok(kernel.returning_without_blocks(entry))
}

/// The start of a message function: returns if there are no blocks.
fn entry(some: &str) -> Vec<Item> {
    let cr = ("cr", i32::from(crate::table::CR0));
    let asks = target::insn("cmplwi", &[cr, ("ra", 7), ("ui", 0)]);
    vec![Item::Insn(asks), target::branch("bne", &[cr], some), Item::Insn(target::insn("blr", &[]))]
}

/// Cycles of a block, or of a key schedule, by the units that its instructions need: no order and no allocation
/// can have fewer. Work that a call does once is not counted.
pub fn bound(variant: &Variant, timing: &'static Timing) -> Option<(f64, &'static str)> {
    let mut cycles = 0.0;
    if is_vector(variant) {
        let target = altivec(variant, timing);
        let function = of_vectors(variant, &target, None).ok()?;
        cycles = function.inner.bound();
        if variant.problem.has_iv() {
            cycles /= function.side_by_side as f64;
        }
    } else {
        of_words(variant, &PowerPc { timing }, None, |function, _| {
            cycles = function.bound();
        })
        .ok()?;
    }
    Some((
        cycles,
        "every instruction of the dataflow takes its place in a cycle and its unit, and none waits but for what the turn before makes",
    ))
}
