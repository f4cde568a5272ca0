//! Scheduling and register allocation for processors that issue in order. The input is a straight line of instructions
//! over virtual registers; the output uses physical registers, in an order with a low cost in the processor's machine
//! model.
//!
//! ```text
//! dependences (`depend`) -> list schedule (`list`) -> local search (`search`) -> registers (`allocate`, `shorten`)
//! ```
//!
//! The result is a pure function of the block, the constraints and the seed.

pub mod allocate;
pub mod block;
pub mod depend;
pub mod list;
pub mod pairs;
pub mod pressure;
pub mod price;
pub mod search;
pub mod set;
pub(crate) mod shorten;

#[cfg(test)]
mod many_tests;
#[cfg(test)]
mod tests;

pub use block::{Block, Constraints, Piece, Spill};

use aesmith_isa::Isa;
use aesmith_isa::assemble::Item;
use aesmith_isa::timing::Timing;

use depend::Graph;
use pressure::Pressure;
use price::Price;

/// The length of the local search, and its seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Search {
    /// The seed of the random numbers: the same seed gives the same code.
    pub seed: u32,
    /// The number of moves to try; 0 keeps the list schedule.
    pub moves: u32,
}

/// A block in its final order, with registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arranged {
    /// The instructions.
    pub items: Vec<Item>,
    /// Cycles by the machine model, from its initial state.
    pub cycles: u64,
    /// Physical registers that were assigned to virtual ones, ascending.
    pub used: Vec<u8>,
    /// The number of memory slots for spilled values; see [`Spill`].
    pub slots: usize,
}

/// Orders a block and allocates its registers.
pub fn arrange(
    isa: &Isa,
    block: &Block,
    constraints: &Constraints,
    timing: &'static Timing,
    search: Search,
) -> Result<Arranged, String> {
    let mut block = block.clone();
    let mut slots = 0;
    loop {
        let graph = Graph::new(isa, &block, constraints)?;
        let pressure = Pressure::new(isa, &block, &graph, constraints)?;
        let halves = constraints.idle.map(|_| pairs::best(isa, &block, &graph, &pressure, timing));
        let order = match &halves {
            Some(halves) => halves.iter().flatten().copied().collect(),
            None => {
                let mut price = Price::new(isa, &block, timing.model());
                let order = list::best(&graph, &pressure, &mut price);
                if search.moves > 0 {
                    let improved = search::improve(order.clone(), &graph, &pressure, &mut price, search);
                    let model = |order: &[u16]| {
                        let insns =
                            order.iter().filter_map(|&k| block::insn(&block.pieces[usize::from(k)].item));
                        (pressure.excess(order), price::straight(isa, insns, &mut *timing.model()))
                    };
                    // The search prices only a few instructions at a time, so the whole model decides.
                    if model(&improved) <= model(&order) { improved } else { order }
                } else {
                    order
                }
            }
        };
        match allocate::allocate(&graph, &pressure, &order, constraints, search.seed) {
            Ok(mut registers) => {
                if let Some(bytes) = constraints.bytes {
                    let lives = allocate::intervals(&pressure, &order);
                    let code =
                        shorten::Code { isa, block: &block, pressure: &pressure, lives: &lives, bytes };
                    registers = shorten::shortened(code, registers, constraints.free, search.seed);
                }
                let slot = |k: u16| registers.put(isa, &block.pieces[usize::from(k)].item);
                let items = match (halves, constraints.idle) {
                    (Some(halves), Some(idle)) => {
                        let idle = idle.map(Item::Insn);
                        let each = halves.iter().enumerate();
                        each.map(|(at, half)| half.map_or_else(|| idle[at % 2].clone(), slot)).collect()
                    }
                    _ => order.iter().map(|&k| slot(k)).collect(),
                };
                return Ok(finish(isa, items, &registers, timing, slots));
            }
            Err(why) => match &constraints.spill {
                Some(spill) if slots < spill.slots => {
                    block = allocate::put_off(&block, &graph, &pressure, &order, spill, slots)
                        .ok_or_else(|| why.clone())?;
                    slots += 1;
                }
                _ => return Err(why),
            },
        }
    }
}

fn finish(
    isa: &Isa,
    items: Vec<Item>,
    registers: &allocate::Registers,
    timing: &'static Timing,
    slots: usize,
) -> Arranged {
    let cycles = price::straight(isa, items.iter().filter_map(block::insn), &mut *timing.model());
    Arranged { items, cycles, used: registers.used(), slots }
}
