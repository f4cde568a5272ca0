//! Timing of MicroBlaze with three and with five stages, with everything in local memory (LMB), which responds
//! in one cycle. Branch target cache, MMU and exceptions are off.
//!
//! | rule | three stages | five stages |
//! |---|---|---|
//! | logic, sums, compares, `imm` | 1 | 1 |
//! | load, store | 2 | 1 |
//! | barrel shift | 2 | 1 |
//! | multiply, divide | 3, 34 | 1, 32 |
//! | branch not taken; taken; taken with delay slot (without the slot's own cycles) | 1; 3; 2 | 1; 3; 2 |
//! | latency of the result: barrel shift; load, multiply | none | 2; 3 |
//!
//! UG984, "Instructions", Latency of each with C_AREA_OPTIMIZED = 1 and 0; "Three Stage Pipeline" has no data
//! hazards. "Five Stage Pipeline": an instruction in OF that needs a result from EX waits 1 to 2 cycles for
//! loads, barrel shifts and multiplies; it waits for a result from MEM, for one cycle, only after loads and
//! multiplies. So a barrel shift's result costs the next instruction one cycle; a load's costs the next
//! instruction two and the one after it one. Divide writes its result when it ends.

use aesmith_isa::timing::{Timing, class};

/// Latencies with C_AREA_OPTIMIZED = 1.
const SMALL: &str =
    "Instructions, Latency with C_AREA_OPTIMIZED = 1; Three Stage Pipeline has no data hazards";
/// Latencies with C_AREA_OPTIMIZED = 0.
const FAST: &str = "Instructions, Latency with C_AREA_OPTIMIZED = 0; Five Stage Pipeline, data hazards";
/// Branches.
const BRANCHES: &str =
    "Instructions, Latency of branches: 3 if taken, 2 with the instruction in the delay slot apart";

/// The common properties of both: a prefix is an instruction of one cycle, and a jump costs two more cycles, of
/// which the instruction in a delay slot fills one.
const PIPELINE: Timing = Timing {
    source: "MicroBlaze Processor Reference Guide (UG984)",
    other: class("", 1, 1, BRANCHES).taken(2),
    prefix: 4,
    ..Timing::SCALAR
};

/// With three stages.
pub static THREE: Timing = Timing {
    classes: &[
        class("load", 2, 2, SMALL),
        class("store", 2, 2, SMALL),
        class("shift", 2, 2, SMALL),
        class("mul", 3, 3, SMALL),
        class("div", 34, 34, SMALL),
        class("jump_slot", 1, 1, BRANCHES).taken_after_slot(1),
        class("branch_slot", 1, 1, BRANCHES).taken_after_slot(1),
    ],
    ..PIPELINE
};

/// With five stages.
pub(crate) static FIVE: Timing = Timing {
    classes: &[
        class("load", 1, 3, FAST),
        class("shift", 1, 2, FAST),
        class("mul", 1, 3, FAST),
        class("div", 32, 32, FAST),
        class("jump_slot", 1, 1, BRANCHES).taken_after_slot(1),
        class("branch_slot", 1, 1, BRANCHES).taken_after_slot(1),
    ],
    ..PIPELINE
};
