//! Modulo scheduling of loops for processors that issue in order: operations from the start of an iteration are
//! executed while the previous one ends, so that an iteration's chain of dependences no longer determines its duration.
//!
//! The schedule is decomposed, as in Gasperoni and Schwiegelshohn (1992) and in Wang, Eisenbeis, Jourdan and Su (1994).
//! First, `split` selects the operations that are executed one iteration ahead. Then the loop's new body, whose
//! dependences are acyclic again, is ordered and given registers like any block ([`crate::inorder`]), and the machine
//! model gives its cycles in the steady state. Registers are scarce: an iteration has about as many live values as
//! there are registers. Scheduling first and allocating afterwards, as iterative modulo scheduling does, would have to
//! discard most of its schedules.
//!
//! ```text
//! ahead:   the first operations of the first iteration
//! turn:    the rest of an iteration, interleaved with the first operations of the next
//! rest:    the rest of the last iteration, where the first operations may not be executed in vain
//! ```
//!
//! Values that pass from one iteration to the next keep a register there; none lives longer than an iteration, so
//! nothing is unrolled.

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

/// The fractions of an iteration, from its end, over which the next one's operations are spread before ordering.
const SPREADS: &[f64] = &[1.0, 0.75, 0.5, 0.35, 0.25];

/// A loop's ordered iterations, with registers.
#[derive(Clone, Debug)]
pub struct Turns {
    /// The code before the loop, if any operation is executed ahead.
    pub ahead: Option<Arranged>,
    /// The loop body.
    pub turn: Arranged,
    /// Registers of values that pass from one iteration to the next.
    pub goes_on: Vec<u8>,
    /// The rest of the last iteration, if any operation is executed ahead; otherwise the last iteration is like the
    /// others.
    pub rest: Option<Arranged>,
    /// Cycles of an iteration in the steady state, after two others, by the machine model, without the branch at its
    /// end.
    pub interval: u64,
}

/// Orders the iterations of a loop whose body is this block. With a cut, the operations before it are executed one
/// iteration ahead where that is allowed.
///
/// # Errors
/// There are too few registers, or no operation before the cut may be executed ahead.
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
