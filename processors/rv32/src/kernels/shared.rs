//! Kernels in the word operations that processors share: unrolled rounds with look-ups in tables of words, and
//! key schedules.

use aesmith_arrange::{Choice, Variant};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::assemble::Section;
use aesmith_order::inorder::{Search, block, price};
use aesmith_words::function::{self, Function};
use aesmith_words::keys::Schedule;
use aesmith_words::modes::{self, Choices};
use aesmith_words::rounds::Last;
use aesmith_words::tables::{Form, Table};

use super::target::Rv32;
use super::writer::register::SAVED;
use super::{Base, CODE, DATA, LADDER};
use crate::dimensions as d;

/// True if a variant's kernel is of this kind.
pub fn is_of_words(variant: &Variant) -> bool {
    d::is_of_words(variant)
}

/// The layout of its round keys in memory.
pub fn packing(variant: &Variant) -> Packing {
    if choices(variant).remade > 0 { Packing::Expanded } else { Packing::RoundKeys }
}

fn choices(variant: &Variant) -> Choices {
    let copies = variant.choice().map_or(4, d::Tables::count);
    let last = match () {
        () if variant.is(d::Bytes::Tables) => Last::Parts,
        () if variant.is(d::Last::Words) => Last::Inner,
        () => Last::Bytes,
    };
    Choices {
        form: Form::apart(copies),
        last,
        side_by_side: false,
        cached: variant.is(d::Counter::Cached),
        ahead: false,
        pointers: 0,
        kept: variant.choice().map_or(0, d::Kept::number),
        remade: variant.choice().map_or(0, d::Remade::number),
    }
}

fn written(
    variant: &Variant,
    target: &Rv32,
    search: Option<Search>,
    finish: impl FnOnce(Function<'_>, &[Table]),
) -> Result<(), String> {
    let mut function = Function::new(target, &Firmware::name(variant.problem), search);
    let problem = variant.problem;
    let schedule = Schedule { form: Form::apart(4), bytes: true, padded: None };
    let tables = modes::function(&mut function, problem, schedule, choices(variant))?;
    finish(function, &tables);
    Ok(())
}

/// Its code and tables, with the number of callee-saved registers that costs least.
pub fn sections(variant: &Variant, base: Base, search: Search) -> Result<Vec<Section>, String> {
    let mut best: Option<(u64, Vec<Section>)> = None;
    let mut why = String::new();
    let mut worse = 0;
    // Values are spilled to the stack only if all registers do not suffice.
    let all = LADDER.map(|saved| (saved, false)).into_iter().chain([(SAVED.len(), true)]);
    for (saved, spills) in all {
        if spills && best.is_some() {
            break;
        }
        let target = Rv32 { isa: base.isa, timing: base.timing, saved, spills };
        let mut found = Vec::new();
        let built = written(variant, &target, Some(search), |function, tables| {
            found = function::finish(function, tables, CODE, DATA);
        });
        if let Err(e) = built {
            why = e;
            continue;
        }
        let insns = found[0].items.iter().filter_map(block::insn);
        let cycles = price::straight(base.isa, insns, &mut *base.timing.model());
        if best.as_ref().is_none_or(|(least, _)| cycles < *least) {
            best = Some((cycles, found));
            worse = 0;
        } else {
            worse += 1;
        }
        if worse == 2 {
            break;
        }
    }
    best.map(|(_, sections)| sections).ok_or(why)
}

/// Cycles of its dataflow without stalls; for a message, per block.
pub fn floor(variant: &Variant, base: Base) -> Option<f64> {
    let target = Rv32 { isa: base.isa, timing: base.timing, saved: SAVED.len(), spills: false };
    let mut cycles = 0;
    let found = written(variant, &target, None, |function, _| {
        let each = function.floor().iter().map(|insn| base.timing.alone(base.isa, insn));
        cycles = each.sum();
    });
    found.ok().map(|()| f64::from(cycles))
}
