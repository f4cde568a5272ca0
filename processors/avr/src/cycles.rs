//! Cycles of AVRe+ with 16 bits of program counter, internal RAM and flash without wait states:
//! there is no interlock and no cache, so that a count is a sum.

use aesmith_isa::timing::{Class, Timing, class};

/// A class, of the manual's section "Cycles" of its instructions, column AVRe.
const fn cycles(name: &'static str, cycles: u32) -> Class {
    class(name, cycles, cycles, "table Cycles of each instruction, column AVRe")
}

/// The timing.
pub static TIMING: Timing = Timing {
    source: "AVR Instruction Set Manual (DS40002198)",
    classes: &[
        cycles("alu", 1),
        cycles("io", 1),
        cycles("bit_io", 2),
        cycles("word", 2),
        cycles("multiply", 2),
        cycles("load", 2),
        cycles("store", 2),
        cycles("program", 3),
        cycles("branch", 1).taken(1),
        cycles("skip", 1),
        cycles("jump", 2),
        cycles("far_jump", 3),
        cycles("call", 3),
        cycles("far_call", 4),
        cycles("return", 4),
    ],
    // "2 if one word is skipped, 3 if two".
    skipped: 1,
    ..Timing::SCALAR
};
