//! Cycles of AVRe+ with 16 bits of program counter, internal RAM and flash without wait states
//! (AVR Instruction Set Manual, DS40002198, the tables of each instruction, column AVRe): there is no
//! interlock and no cache, so that a count is a sum.

use aesmith_isa::cycles::Cycles;
use aesmith_isa::execute::Executed;

/// Cycles by class; of `branch` and `skip` those without a jump.
const CLASSES: [(&str, u32); 15] = [
    ("alu", 1),
    ("io", 1),
    ("bit_io", 2),
    ("word", 2),
    ("multiply", 2),
    ("load", 2),
    ("store", 2),
    ("program", 3),
    ("branch", 1),
    ("skip", 1),
    ("jump", 2),
    ("far_jump", 3),
    ("call", 3),
    ("far_call", 4),
    ("return", 4),
];

/// The model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manual;

impl Manual {
    /// Cycles of a class, without jumps; an instruction of a class that is not the manual's takes one.
    pub fn of(class: &str) -> u32 {
        CLASSES.iter().find(|(name, _)| *name == class).map_or(1, |(_, cycles)| *cycles)
    }
}

impl Cycles for Manual {
    fn start(&mut self) {}

    fn step(&mut self, executed: &Executed) -> u32 {
        let class = &executed.isa.of(executed.insn).class;
        let taken = u32::from(class == "branch" && executed.jumped);
        Manual::of(class) + taken + u32::from(executed.skipped / 2)
    }
}
