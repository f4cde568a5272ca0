//! Returns to callers in either state.
//!
//! Writers return as ARMv4 does, by writing the program counter: `mov pc, lr`, or an LDM that restores the
//! address. Before ARMv5 that leaves the state unchanged, and so cannot return to a caller in Thumb state (DDI
//! 0100, A4.1.20 and A4.1.35; GNU ld inserts a veneer before a call from Thumb code, but the return is the
//! function's task). If the processor has both states, each return becomes a `bx lr`, which costs one cycle
//! more after an LDM, and none instead of the move.

use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::table::LowestBit;
use aesmith_isa::{Insn, Isa};

use super::plan::{LR, PC, SP};
use crate::table::insn;

/// The section of a kernel, with returns for the possible callers on its processor.
pub fn returning(mut section: Section, isa: &Isa) -> Section {
    if isa.about.lowest_bit() == LowestBit::Caller {
        section.items = section.items.into_iter().flat_map(|item| exchanging(item, isa)).collect();
    }
    section
}

/// The item, or its replacement that returns to either state. The table may have more rows than ARMv4's: those
/// of custom instructions come after them.
fn exchanging(item: Item, isa: &Isa) -> Vec<Item> {
    let exchange = Item::Insn(insn("bx", &[("rm", LR)]));
    let Item::Insn(written) = item else { return vec![item] };
    if written == insn("mov", &[("rd", PC), ("rm", LR)]) {
        return vec![exchange];
    }
    match restoring(&written, isa) {
        Some(restored) => vec![Item::Insn(restored), exchange],
        None => vec![item],
    }
}

/// The LDM of a return, with the address loaded into the link register.
fn restoring(written: &Insn, isa: &Isa) -> Option<Insn> {
    let list = isa.operand(written, "list")?;
    let same = insn("ldmia_pre", &[("rn", SP), ("list", list)]);
    let moved = list & !(1 << PC) | 1 << LR;
    (*written == same && list >> PC & 1 == 1).then(|| insn("ldmia_pre", &[("rn", SP), ("list", moved)]))
}
