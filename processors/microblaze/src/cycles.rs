//! Machine models of MicroBlaze with three and with five stages, everything in local memory (LMB),
//! which answers in a cycle. Branch target cache, MMU and exceptions are off.
//!
//! | rule | three stages | five stages |
//! |---|---|---|
//! | logic, sums, compares, `imm` | 1 | 1 |
//! | load, store | 2 | 1 |
//! | barrel shift | 2 | 1 |
//! | multiply, divide | 3, 34 | 1, 32 |
//! | branch not taken; taken; taken with delay slot (the slot apart) | 1; 3; 2 | 1; 3; 2 |
//! | result usable after so many: barrel shift; load, multiply | at once | 2; 3 |
//!
//! UG984, "Instructions", Latency of each with C_AREA_OPTIMIZED = 1 and 0; "Three Stage Pipeline" has
//! no data hazards. "Five Stage Pipeline": an instruction in OF that needs what is in EX waits
//! 1 to 2 cycles for loads, barrel shifts and multiplies; what is in MEM is waited for, for one
//! cycle, after loads and multiplies only. So a barrel shift's result costs the next instruction one
//! cycle, a load's costs the next two and the one after it one. Divide writes as it ends.

use aesmith_isa::cycles::Cycles;
use aesmith_isa::execute::Executed;
use aesmith_isa::table::Row;
use aesmith_isa::{Insn, Isa};

/// What a class of instructions costs: cycles of its own, and after how many its result can be used.
#[derive(Clone, Copy)]
struct Cost {
    class: &'static str,
    cycles: u32,
    result: u32,
}

const fn cost(class: &'static str, cycles: u32, result: u32) -> Cost {
    Cost { class, cycles, result }
}

const THREE: &[Cost] =
    &[cost("load", 2, 2), cost("store", 2, 2), cost("shift", 2, 2), cost("mul", 3, 3), cost("div", 34, 34)];

const FIVE: &[Cost] = &[cost("load", 1, 3), cost("shift", 1, 2), cost("mul", 1, 3), cost("div", 32, 32)];

/// A pipeline in order.
pub struct Pipeline {
    costs: &'static [Cost],
    /// Cycles so far.
    now: u64,
    /// When each register's value can be used.
    ready: [u64; 33],
    /// Cycles that a taken branch costs after the instruction in its delay slot.
    refill: u32,
}

impl Pipeline {
    /// With three stages.
    pub fn three() -> Pipeline {
        Pipeline::new(THREE)
    }

    /// With five stages.
    pub fn five() -> Pipeline {
        Pipeline::new(FIVE)
    }

    /// Cycles of an instruction that waits for nothing.
    pub fn alone(&self, isa: &Isa, insn: &Insn) -> u32 {
        let row = isa.of(insn);
        u32::from(row.bytes() / 4 - 1) + self.cost(row).map_or(1, |c| c.cycles)
    }

    fn cost(&self, row: &Row) -> Option<&'static Cost> {
        self.costs.iter().find(|c| c.class == row.class)
    }

    fn new(costs: &'static [Cost]) -> Pipeline {
        Pipeline { costs, now: 0, ready: [0; 33], refill: 0 }
    }
}

/// Registers of some of a row's fields, and fixed ones.
fn registers<'a>(
    isa: &'a Isa,
    executed: &'a Executed,
    fields: &'a [(u8, bool)],
    fixed: &'a [u8],
) -> impl Iterator<Item = usize> + 'a {
    let named = fields.iter().map(|&(f, _)| executed.insn.fields[usize::from(f)] as usize);
    named.chain(fixed.iter().map(|&r| usize::from(r))).filter(|&r| Some(r as u8) != isa.about.zero)
}

impl Cycles for Pipeline {
    fn start(&mut self) {
        *self = Pipeline::new(self.costs);
    }

    fn step(&mut self, executed: &Executed) -> u32 {
        let isa = executed.isa;
        let row: &Row = isa.of(executed.insn);
        // A prefix is an instruction of one cycle before it.
        let mut cycles = u32::from(row.bytes() / 4 - 1);
        let issue = self.now + u64::from(cycles);
        let effects = &row.effects;
        let wait = registers(isa, executed, &effects.read_fields, &effects.reads)
            .map(|r| self.ready[r].saturating_sub(issue))
            .max()
            .unwrap_or(0);
        cycles += wait as u32;
        let issue = issue + wait;
        let known = self.cost(row);
        let mut own = known.map_or(1, |c| c.cycles);
        own += std::mem::take(&mut self.refill);
        if executed.jumped {
            match row.class.as_str() {
                "jump_slot" | "branch_slot" => self.refill = 1,
                _ => own += 2,
            }
        }
        let result = known.map_or(1, |c| c.result);
        for r in registers(isa, executed, &effects.written_fields, &effects.writes) {
            self.ready[r] = issue + u64::from(result);
        }
        cycles += own;
        self.now = issue + u64::from(own);
        cycles
    }
}
