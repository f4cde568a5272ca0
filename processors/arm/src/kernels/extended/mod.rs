//! Writers of kernels with an extension's instructions: the extension provides the programs of rounds
//! ([`Attached::program`]), this module everything around them.

mod block;
mod expand;
mod fly;
mod frame;
mod line;
mod run;
mod words;

use crate::dimensions;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::{Direction, Problem, Task};
use aesmith_extension::cover::orders::Ordered;
use aesmith_extension::order::Order;
use aesmith_extension::program::{Goal, Program};

use aesmith_arrange::Variant;
use aesmith_processor::attach::Attached;
use aesmith_processor::core::Kernel;

/// True if there are kernels for a problem.
pub fn solves(problem: Problem) -> bool {
    matches!(problem.task, Task::Ecb(_) | Task::KeySchedule(_))
}

/// The rounds in the order of the state that the instructions need, if a variant uses it.
fn ordered(
    attached: &'static Attached,
    variant: &Variant,
    direction: Direction,
) -> Result<Option<&'static Ordered>, String> {
    if !variant.is(dimensions::Layout::Found) {
        return Ok(None);
    }
    let none = || format!("{} wants no other order of the state than its file says", attached.extension.name);
    attached.reordered(direction).map(Some).ok_or_else(none)
}

/// The order of a variant's state and, unless they are expanded during the rounds, of round keys in memory.
fn order(attached: &'static Attached, variant: &Variant, direction: Direction) -> Result<Order, String> {
    Ok(ordered(attached, variant, direction)?.map_or(attached.stated(), |ordered| ordered.order))
}

/// The order of a variant's state, and the programs of a round and of the last one.
fn rounds(
    attached: &'static Attached,
    variant: &Variant,
    direction: Direction,
) -> Result<(Order, [&'static Program; 2]), String> {
    if let Some(ordered) = ordered(attached, variant, direction)? {
        return Ok((ordered.order, ordered.programs.each_ref()));
    }
    let of = |goal: Goal| attached.program(goal);
    Ok((attached.stated(), [of(Goal::Round(direction))?, of(Goal::Last(direction))?]))
}

/// The kernel of a variant.
pub fn build(attached: &'static Attached, variant: &Variant) -> Result<Kernel, String> {
    let problem = variant.problem;
    let symbol = Firmware::name(problem);
    let fly = variant.is(dimensions::Schedule::Fly);
    let section = match problem.task {
        Task::Ecb(direction) if fly => fly::function(attached, variant, &symbol, direction)?,
        Task::Ecb(direction) => block::function(attached, variant, &symbol, direction)?,
        Task::KeySchedule(direction) => expand::function(attached, variant, &symbol, direction)?,
        _ => return Err(format!("{problem} has no kernels with custom instructions in ARM state")),
    };
    let packing = match fly {
        true => Packing::CipherKey,
        false => order(attached, variant, problem.mode().direction)?.packing(),
    };
    Ok(Kernel {
        variant: variant.clone(),
        contract: Firmware { problem, packing, blocks: 1 },
        symbol,
        sections: vec![super::returns::returning(section, attached.isa)],
        table_alignment: 4,
    })
}
