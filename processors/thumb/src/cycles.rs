//! Timing of the Cortex-M: memory without wait states, tables in SRAM.

use aesmith_isa::timing::{Class, Run, Several, Timing, class};

/// Loads and stores of several registers: one more cycle for each; rows without a list name two.
const SEVERAL: Several = Several { list: "list", otherwise: 2, each: 1, least: 0 };

const TABLE: &str = "table 3-1, Cortex-M instruction set summary";
const ACCESSES: &str = "Load/store timings";

/// A taken branch costs 1 + P, P from 1 to 3: refilling the pipeline. P is 1 where the branch holds its
/// target, 2 where it comes from a register or from memory.
const BRANCH: u32 = 1;
const INDIRECT: u32 = 2;

/// Classes of ARMv7-M, with those in which the M3 and the M4 differ.
const fn v7m(mull: u32, mlal: u32) -> [Class; 12] {
    [
        class("load", 2, 2, TABLE).taken(INDIRECT),
        class("store", 1, 1, ACCESSES),
        class("store by register", 2, 2, TABLE),
        class("loads", 1, 1, TABLE).several(SEVERAL).taken(INDIRECT),
        class("stores", 1, 1, TABLE).several(SEVERAL),
        class("mla", 2, 2, TABLE),
        class("mull", mull, mull, TABLE),
        class("mlal", mlal, mlal, TABLE),
        class("div", 12, 12, TABLE),
        class("call", 1 + BRANCH, 1 + BRANCH, TABLE),
        class("return", 1 + INDIRECT, 1 + INDIRECT, TABLE),
        // A load, and a branch.
        class("table", 2 + BRANCH, 2 + BRANCH, TABLE),
    ]
}

/// "LDR R0,[R1]; LDR R1,[R2]" is pipelined: an access takes one cycle right after a single load, if its
/// address does not need what was loaded.
const PIPELINED: &[Run] = &[Run {
    after: &["load"],
    result: "rt",
    classes: &["load", "store by register"],
    address: &["rn", "rm"],
    cycles: 1,
}];

static M3: [Class; 12] = v7m(5, 7);
static M4: [Class; 12] = v7m(1, 1);

/// Cortex-M3. Long products take 3 to 5 and 4 to 7 cycles, divisions 2 to 12: the most is counted.
pub static CORTEX_M3: Timing = Timing {
    source: "Cortex-M3 Technical Reference Manual (DDI 0337), 3.3",
    other: class("", 1, 1, TABLE).taken(BRANCH),
    classes: &M3,
    runs: PIPELINED,
    ..Timing::SCALAR
};

/// Cortex-M4.
pub static CORTEX_M4: Timing = Timing {
    source: "Cortex-M4 Technical Reference Manual (DDI 0439), 3.3",
    other: class("", 1, 1, TABLE).taken(BRANCH),
    classes: &M4,
    runs: PIPELINED,
    ..Timing::SCALAR
};

/// Cortex-M0, with the multiplier of one cycle: a taken branch takes 3 cycles, `bl` 4, `pop` with the
/// program counter 4 + n.
pub static CORTEX_M0: Timing = Timing {
    source: "Cortex-M0 Technical Reference Manual (DDI 0432), 3.3",
    other: class("", 1, 1, TABLE).taken(2),
    classes: &[
        class("load", 2, 2, TABLE),
        class("store", 2, 2, TABLE),
        class("store by register", 2, 2, TABLE),
        class("loads", 1, 1, TABLE).several(SEVERAL).taken(3),
        class("stores", 1, 1, TABLE).several(SEVERAL),
        class("call", 4, 4, TABLE),
        class("return", 3, 3, TABLE),
    ],
    ..Timing::SCALAR
};
