//! Modulo scheduling of loops for processors that issue in order: operations from the beginning of a turn are done while the
//! turn before ends, so that a turn's chain of dependences no longer decides how long it takes.
//!
//! The schedule is decomposed, as in Gasperoni and Schwiegelshohn (1992) and in Wang, Eisenbeis, Jourdan and Su (1994): first
//! it is decided which operations are done a turn ahead (`split`), then the loop's new turn, whose dependences go one way
//! again, is ordered and given registers as any block is ([`crate::inorder`]), and what it takes in its steady state is asked
//! of the machine model. Registers are scarce here: a turn has about as many values alive as there are registers. Scheduling
//! first and allocating afterwards, as iterative modulo scheduling does, would have to give up most of its schedules.
//!
//! ```text
//! ahead:   the first operations of the first turn
//! turn:    what is left of a turn, and beside it the first operations of the next
//! rest:    what is left of the last turn, where the first operations may not be done in vain
//! ```
//!
//! Values that go from one turn to the next keep a register there; none lives longer than a turn, so that nothing is unrolled.

pub mod bounds;
mod split;

#[cfg(test)]
mod tests;

use aesmith_isa::Isa;
use aesmith_isa::timing::Timing;

use crate::inorder::price::steady;
use crate::inorder::{Arranged, Block, Constraints, Search, arrange};
pub use split::Cut;
use split::split;

/// Over which part of a turn the operations of the next are spread before they are ordered, from its end.
const SPREADS: &[f64] = &[1.0, 0.75, 0.5, 0.35, 0.25];

/// A loop's turns in their order, with their registers.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Before the loop, if anything is done ahead.
    pub ahead: Option<Arranged>,
    /// A turn.
    pub turn: Arranged,
    /// Registers of what goes from one turn to the next.
    pub goes_on: Vec<u8>,
    /// What ends the last turn, if anything is done ahead; else it is a turn as any.
    pub rest: Option<Arranged>,
    /// Cycles of a turn after two others, by the machine model, without the branch at its end.
    pub interval: u64,
}

/// Orders the turns of a loop, each of which does what a block says. With a cut, what stands before it in the block is done
/// a turn ahead, as far as it may be.
///
/// # Errors
/// Registers do not suffice, or nothing before the cut may be done ahead.
pub fn turns(
    isa: &Isa,
    block: &Block,
    cut: Option<Cut>,
    constraints: &Constraints,
    timing: &'static Timing,
    search: Search,
) -> Result<Turns, String> {
    let arranged = |block: &Block| arrange(isa, block, constraints, timing, search);
    let timed = |turn: Arranged| (steady(isa, &turn.items, timing), turn);
    let Some(cut) = cut else {
        let (interval, turn) = timed(arranged(block)?);
        return Ok(Turns { ahead: None, turn, goes_on: Vec::new(), rest: None, interval });
    };
    let split = split(isa, block, cut, constraints)?;
    let mut why = String::new();
    let mut best: Option<(u64, Arranged)> = None;
    for &spread in SPREADS {
        match arranged(&split.turn(spread)).map(timed) {
            Ok(found) if best.as_ref().is_none_or(|best| found.0 < best.0) => best = Some(found),
            Ok(_) => {}
            Err(lack) => why = lack,
        }
    }
    let (interval, turn) = best.ok_or(why)?;
    let (ahead, rest) = (arranged(&split.ahead)?, arranged(&split.rest)?);
    Ok(Turns { ahead: Some(ahead), turn, goes_on: split.goes_on, rest: Some(rest), interval })
}
