//! Kernels for SPARC: from a variant to code.

mod target;
mod writer;

use aesmith_arrange::{Choice, Variant};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::timing::Timing;
use aesmith_order::inorder::Search;
use aesmith_processor::core::Kernel;
use aesmith_words::function::{self, Function};
use aesmith_words::keys::Schedule;
use aesmith_words::modes;
use aesmith_words::modes::Choices;
use aesmith_words::rounds::Last;
use aesmith_words::tables::{Form, Table};

use crate::dimensions::{self, Tables, Words};
use target::Sparc;

/// The address of code.
const CODE: u64 = 0x10000;
/// The address of tables.
const TABLES: u64 = 0x20000;
/// The number of order changes that a seed stands for.
const MOVES: u32 = 40_000;
/// Tables are at a multiple of the size of the largest, so that sums of addresses do not carry, which the
/// prover does not follow.
const ALIGNMENT: u16 = 4096;

/// The form of a variant's tables of words.
fn form(variant: &Variant) -> Form {
    Form {
        copies: if variant.is(Tables::One) { 1 } else { 4 },
        pairs: variant.is(Tables::Pairs),
        padded: dimensions::is_padded(variant),
    }
}

fn packing(variant: &Variant) -> Packing {
    let form = form(variant);
    let remade = choices(variant).remade > 0;
    match (form.padded, remade) {
        (true, true) => Packing::PaddedExpanded(form.scale()),
        (true, false) => Packing::Padded(form.scale()),
        (false, true) => Packing::Expanded,
        (false, false) => Packing::RoundKeys,
    }
}

fn choices(variant: &Variant) -> Choices {
    use dimensions as d;
    let addresses = variant.choice().map_or(0, d::Last::addresses);
    let last = match addresses {
        0 if variant.is(d::Last::Parts) => Last::Parts,
        0 => Last::Words,
        addresses => Last::Spread(addresses),
    };
    Choices {
        form: form(variant),
        last,
        side_by_side: variant.is(d::Columns::Together),
        cached: variant.is(d::Counter::Cached),
        ahead: variant.is(d::Ahead::Yes),
        pointers: 0,
        kept: variant.choice().map_or(0, d::Kept::number),
        remade: variant.choice().map_or(0, d::Remade::number),
    }
}

fn written(
    variant: &Variant,
    target: &Sparc,
    search: Option<Search>,
    finish: impl FnOnce(Function<'_>, &[Table]),
) -> Result<(), String> {
    let problem = variant.problem;
    let name = Firmware::name(problem);
    let mut function = Function::new(target, &name, search);
    // Words of the key are not padded during key expansion.
    let form = form(variant);
    let padded = form.padded.then(|| form.scale());
    let schedule = Schedule { form: Form { padded: false, ..form }, bytes: false, padded };
    let tables = modes::function(&mut function, problem, schedule, choices(variant))?;
    finish(function, &tables);
    Ok(())
}

fn target(variant: &Variant, timing: &'static Timing) -> Sparc {
    Sparc { timing, scaled: !variant.is(Words::Plain), narrow: variant.is(Words::Narrow) }
}

/// The kernel of a variant.
pub fn build(variant: &Variant, timing: &'static Timing) -> Result<Kernel, String> {
    if !Firmware::is_offered(variant.problem) {
        return Err(format!("SPARC has no kernels for {}", variant.problem));
    }
    let search = Search { seed: variant.seed, moves: if variant.seed > 0 { MOVES } else { 0 } };
    let mut sections = Vec::new();
    written(variant, &target(variant, timing), Some(search), |function, tables| {
        sections = function::finish(function, tables, CODE, TABLES);
    })?;
    let kernel = Kernel {
        variant: variant.clone(),
        contract: Firmware { problem: variant.problem, packing: packing(variant), blocks: 1 },
        symbol: Firmware::name(variant.problem),
        sections,
        table_alignment: ALIGNMENT,
    };
    Ok(kernel.returning_without_blocks(target::entry))
}

/// Cycles of a block, or of a key schedule, by the units that its instructions need: no order and no allocation
/// can have fewer. Work that a call does once is not counted.
pub fn bound(variant: &Variant, timing: &'static Timing) -> Option<(f64, &'static str)> {
    let mut cycles = 0.0;
    let found = written(variant, &target(variant, timing), None, |function, _| {
        cycles = function.bound();
    });
    found.ok().map(|()| {
        (cycles, "every instruction of the dataflow takes its place in a cycle and its unit, and none waits but for what the turn before makes")
    })
}
