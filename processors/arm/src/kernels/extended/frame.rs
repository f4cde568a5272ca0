//! A function around straight-line code: its order, the registers that it saves, its return.

use aesmith_isa::assemble::{Item, Section};

use super::line::Line;
use crate::kernels::plan::{LR, OUT, PC, SAVED, SP, section};
use crate::kernels::writer::Code;
use aesmith_arrange::Variant;
use aesmith_order::inorder::{Block, Constraints, Search, arrange};
use aesmith_processor::attach::Attached;

/// The number of order changes that are tried for a variant with a seed.
const MOVES: u32 = 20_000;

/// The code in an order with few stalls, with its registers unchanged: loads and custom instructions may have
/// latencies.
pub fn ordered(attached: &Attached, variant: &Variant, code: Code) -> Result<Code, String> {
    let mut block = Block::default();
    code.items.into_iter().for_each(|item| block.item(item, None));
    let search = Search { seed: variant.seed, moves: if variant.seed > 0 { MOVES } else { 0 } };
    let arranged = arrange(attached.isa, &block, &Constraints::default(), attached.base.timing, search)?;
    Ok(Code { items: arranged.items })
}

/// The function that saves the registers that a line uses, runs it and returns.
pub fn function(attached: &Attached, variant: &Variant, symbol: &str, line: Line) -> Result<Section, String> {
    let saved = line.used(&SAVED);
    let link = !line.used(&[LR]).is_empty();
    let mut before = Code::default();
    // The output pointer is the lowest of them, at the stack pointer.
    let all: Vec<i32> = line
        .aside
        .then_some(OUT)
        .into_iter()
        .chain(saved.iter().copied())
        .chain(link.then_some(LR))
        .collect();
    if !all.is_empty() {
        before.several("stmdb_pre", SP, &all);
    }
    if line.room > 0 {
        before.op_i("sub", SP, SP, line.room);
    }
    let above = line.room + if line.aside { 4 } else { 0 };
    let mut code = ordered(attached, variant, line.code)?;
    if above > 0 {
        code.op_i("add", SP, SP, above);
    }
    let back: Vec<i32> = saved.into_iter().chain(link.then_some(PC)).collect();
    if !back.is_empty() {
        code.several("ldmia_pre", SP, &back);
    }
    if !link {
        code.mov(PC, LR);
    }
    debug_assert!(!code.items.iter().any(|i| matches!(i, Item::Label(_))), "a straight line");
    Ok(section(symbol, line.tables, before, code))
}
