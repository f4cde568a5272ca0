//! Cycles of AVRe+ with a 16-bit program counter, internal RAM and flash without wait states. There are no interlocks
//! and no cache, so a cycle count is a sum.

use aesmith_isa::timing::{Class, Timing, class};

/// A class from the section "Cycles" of the instructions in the manual, column AVRe.
const fn cycles(name: &'static str, cycles: u32) -> Class {
    class(name, cycles, cycles, "table Cycles of each instruction, column AVRe")
}

/// The timing of AVRe+.
pub static TIMING: Timing = Timing {
    source: "AVR Instruction Set Manual (DS40002198)",
    classes: &[
        cycles("alu", 1),
        cycles("io", 1),
        cycles("bit_io", 2),
        cycles("word", 2),
        cycles("multiply", 2),
        cycles("load", 2),
        cycles("load direct", 2),
        cycles("store", 2),
        cycles("store direct", 2),
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
    even: Some(
        "AVR has no cache, and a load takes two cycles at any address of the internal SRAM and three at any of the \
         flash (DS40002198); tables in external memory (XMEM of an ATmega128 or ATmega2560, which may add wait \
         states to a part of it) are not covered",
    ),
    ..Timing::SCALAR
};

/// A class from the section "Cycles" of the instructions in the manual, column AVRxt.
const fn cycles_xt(name: &'static str, cycles: u32) -> Class {
    class(name, cycles, cycles, "table Cycles of each instruction, column AVRxt")
}

/// The timing of AVRxt with a 16-bit program counter, data in internal RAM, and flash without wait states.
pub(crate) static AVRXT: Timing = Timing {
    source: "AVR Instruction Set Manual (DS40002198), column AVRxt",
    classes: &[
        cycles_xt("alu", 1),
        cycles_xt("io", 1),
        cycles_xt("bit_io", 1),
        cycles_xt("word", 2),
        cycles_xt("multiply", 2),
        cycles_xt("load", 2),
        cycles_xt("load direct", 3),
        cycles_xt("store", 1),
        cycles_xt("store direct", 2),
        cycles_xt("program", 3),
        cycles_xt("branch", 1).taken(1),
        cycles_xt("skip", 1),
        cycles_xt("jump", 2),
        cycles_xt("far_jump", 3),
        cycles_xt("call", 2),
        cycles_xt("far_call", 3),
        cycles_xt("return", 4),
    ],
    skipped: 1,
    even: Some(
        "AVR has no cache, and a load takes the same time at any address of the internal SRAM, and at any of the flash \
         (DS40002198, column AVRxt)",
    ),
    ..Timing::SCALAR
};
