//! Kernels in the word operations that processors share: unrolled rounds with look-ups in tables of words, and
//! key schedules.

use aesmith_arrange::{Choice, Variant};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_isa::assemble::Section;
use aesmith_isa::timing::Timing;
use aesmith_order::inorder::{Search, block, price};
use aesmith_words::function::{self, Function};
use aesmith_words::keys::Schedule;
use aesmith_words::modes::{self, Choices};
use aesmith_words::rounds::Last;
use aesmith_words::tables::{Form, Table};

use super::function::{MOVES, SAVED, in_slots};
use super::target::MicroBlaze;
use super::{CODE, TABLES, isa, shape};
use crate::dimensions as d;

/// The number of smaller register counts that are tried.
const FEWER: usize = 4;

/// The layout of its round keys in memory.
pub fn packing(variant: &Variant) -> Packing {
    if choices(variant).remade > 0 { Packing::Expanded } else { Packing::RoundKeys }
}

fn choices(variant: &Variant) -> Choices {
    Choices {
        form: Form::apart(variant.choice().map_or(4, d::Tables::number)),
        last: if variant.is(d::Last::Words) { Last::Inner } else { Last::Bytes },
        side_by_side: false,
        cached: variant.is(d::Counter::Cached),
        ahead: false,
        pointers: 0,
        kept: 0,
        remade: variant.choice().map_or(0, d::Remade::number),
    }
}

fn written(
    variant: &Variant,
    timing: &'static Timing,
    (saved, spills): (usize, bool),
    search: Option<Search>,
    finish: impl FnOnce(Function<'_>, &[Table]),
) -> Result<(), String> {
    let target = MicroBlaze { timing, shape: shape(variant), saved: &SAVED[..saved], spills };
    let problem = variant.problem;
    let mut function = Function::new(&target, &Firmware::name(problem), search);
    let schedule = Schedule { form: Form::apart(4), bytes: true, padded: None };
    let tables = modes::function(&mut function, problem, schedule, choices(variant))?;
    finish(function, &tables);
    Ok(())
}

/// The most callee-saved registers that it may use. A message saves them once for all its blocks, and key
/// schedules with tables have many live words.
fn most_saved(variant: &Variant) -> usize {
    let takes_all = variant.problem.has_iv() || variant.is(d::Inverse::Tables);
    let chosen = variant.choice().map(d::Saved::number);
    chosen.filter(|_| !takes_all).unwrap_or(SAVED.len())
}

/// Its code and tables, with the number of registers that costs least including the frame.
pub fn sections(variant: &Variant, timing: &'static Timing) -> Result<Vec<Section>, String> {
    let search = Search { seed: variant.seed, moves: if variant.seed > 0 { MOVES } else { 0 } };
    let most = most_saved(variant);
    let least = most - FEWER;
    let mut best: Option<(u64, Vec<Section>)> = None;
    let mut why = String::new();
    // Values are spilled to the stack only if all registers do not suffice.
    let without = (least..=most).rev().map(|saved| (saved, false));
    for (saved, spills) in without.chain([(most, true)]) {
        if spills && best.is_some() {
            break;
        }
        let mut found = Vec::new();
        let built = written(variant, timing, (saved, spills), Some(search), |function, tables| {
            found = function::finish(function, tables, CODE, TABLES);
        });
        if let Err(e) = built {
            why = e;
            continue;
        }
        let insns = found[0].items.iter().filter_map(block::insn);
        let cycles = price::straight(isa(), insns, &mut *timing.model());
        if best.as_ref().is_none_or(|(least, _)| cycles < *least) {
            best = Some((cycles, found));
        }
    }
    let (_, mut sections) = best.ok_or(why)?;
    sections[0].items = in_slots(std::mem::take(&mut sections[0].items));
    Ok(sections)
}

/// Cycles of its dataflow without stalls; for a message, per block.
pub fn floor(variant: &Variant, timing: &'static Timing) -> Option<u32> {
    let mut cycles = 0;
    let found = written(variant, timing, (most_saved(variant), false), None, |function, _| {
        cycles = function.floor().iter().map(|insn| timing.alone(isa(), insn)).sum();
    });
    found.ok().map(|()| cycles)
}
