//! Timing of ARMv4 processors, from their manuals. No public set of measured programs exists to check them: the
//! figures are modelled.
//!
//! Memory responds at once (zero wait states, or caches that hit). Products terminate early for small operands,
//! which a rule about instructions cannot express: the longest time is counted.

use aesmith_isa::timing::Written::{Field, Last};
use aesmith_isa::timing::{Class, Coupling, Overtaking, Several, Timing, class};

/// Cycles by the length of the register list.
const fn list(least: u32) -> Several {
    Several { list: "list", otherwise: 0, each: 1, at_once: 1, least }
}

/// A load of `cycles` cycles, whose register is available `late` cycles after the next instruction's issue.
const fn load(name: &'static str, cycles: u32, late: u32, source: &'static str) -> Class {
    class(name, cycles, cycles + late, source).late_in(Field("rd"))
}

/// All other instructions, and the extra cost of a jump.
const fn other(jump: u32, source: &'static str) -> Class {
    class("", 1, 1, source).taken(jump)
}

/// The common properties of the three: a custom instruction stalls the pipeline while its unit cannot accept
/// another; a later result has a latency like that of a load.
const PIPELINE: Timing = Timing {
    custom: Some(Coupling { cycles: 0, latency: 0 }),
    overtaking: Overtaking::Kept,
    ..Timing::SCALAR
};

/// Products terminate early if the highest bytes of `rs` are all zeros or all ones.
const EARLY_ARM7TDMI: &str = "ARM DDI 0029, 6.6 and 6.7: m depends on the multiplier Rs";
const EARLY_ARM9TDMI: &str = "ARM DDI 0180, 7.2: m depends on the multiplier Rs";
const EARLY_STRONGARM: &str =
    "Intel 278240, instruction timings: products of small multipliers are there earlier";

/// ARM7TDMI.
pub(crate) static ARM7TDMI: Timing = Timing {
    source: "ARM7TDMI Technical Reference Manual (ARM DDI 0029), chapter 6",
    other: other(2, "data processing: 1S, + 1N + 1S to the program counter"),
    classes: &[
        class("alu shifted by a register", 2, 2, "data processing: + 1I with a register's shift").taken(2),
        class("load", 3, 3, "LDR: 1S + 1N + 1I, + 1N + 1S to the program counter").taken(2),
        class("load of a part", 3, 3, "LDR: 1S + 1N + 1I"),
        class("signed load of a part", 3, 3, "LDR: 1S + 1N + 1I"),
        class("store", 2, 2, "STR: 2N"),
        class("load of several", 2, 2, "LDM: nS + 1N + 1I, + 1N + 1S to the program counter")
            .several(list(0))
            .taken(2),
        class("store of several", 1, 1, "STM: (n - 1)S + 2N").several(list(0)),
        class("branch", 3, 3, "B, BL, BX: 2S + 1N"),
        class("exchange", 4, 4, "SWP: 1S + 2N + 1I"),
        class("product", 5, 5, "MUL: 1S + mI, m at most 4").varies(&["rs"], EARLY_ARM7TDMI),
        class("product and sum", 6, 6, "MLA: 1S + (m + 1)I").varies(&["rs"], EARLY_ARM7TDMI),
        class("long product", 6, 6, "MULL: 1S + (m + 1)I").varies(&["rs"], EARLY_ARM7TDMI),
        class("long product and sum", 7, 7, "MLAL: 1S + (m + 2)I").varies(&["rs"], EARLY_ARM7TDMI),
    ],
    ..PIPELINE
};

/// ARM9TDMI.
pub(crate) static ARM9TDMI: Timing = Timing {
    source: "ARM9TDMI Technical Reference Manual (ARM DDI 0180), chapter 7",
    other: other(2, "data processing: 1, 3 to the program counter"),
    classes: &[
        class("alu shifted by a register", 2, 2, "data processing with a register's shift: 2").taken(2),
        load("load", 1, 1, "LDR: 1, interlock of 1; 5 to the program counter").taken(4),
        load("load of a part", 1, 2, "LDRB, LDRH: 1, interlock of 2"),
        load("signed load of a part", 1, 2, "LDRSB, LDRSH: 1, interlock of 2"),
        class("store", 1, 1, "STR: 1"),
        class(
            "load of several",
            0,
            1,
            "LDM: n, at least 2; the last register 1 late; n + 4 with the program counter",
        )
        .several(list(2))
        .late_in(Last("list"))
        .taken(4),
        class("store of several", 0, 0, "STM: n, at least 2").several(list(2)),
        class("branch", 3, 3, "B, BL, BX: 3"),
        load("exchange", 2, 1, "SWP: 2, interlock as a load's"),
        class("product", 6, 6, "MUL: 2 + m, m at most 4").varies(&["rs"], EARLY_ARM9TDMI),
        class("product and sum", 6, 6, "MLA: 2 + m").varies(&["rs"], EARLY_ARM9TDMI),
        class("long product", 7, 7, "MULL: 3 + m").varies(&["rs"], EARLY_ARM9TDMI),
        class("long product and sum", 7, 7, "MLAL: 3 + m").varies(&["rs"], EARLY_ARM9TDMI),
    ],
    ..PIPELINE
};

/// StrongARM.
pub static STRONGARM: Timing = Timing {
    source: "StrongARM SA-1110 Developer's Manual (Intel 278240), section 2, instruction timings",
    other: other(1, "data processing: 1, 2 to the program counter"),
    classes: &[
        class("alu shifted by a register", 2, 2, "data processing with a register's shift: 2").taken(1),
        load("load", 1, 1, "loads: 1, the result 1 late").taken(3),
        load("load of a part", 1, 1, "loads: 1, the result 1 late"),
        load("signed load of a part", 1, 2, "loads with a sign: 1, the result 2 late"),
        class("store", 1, 1, "stores: 1"),
        class("load of several", 0, 1, "LDM: n, at least 2; the last register 1 late")
            .several(list(2))
            .late_in(Last("list"))
            .taken(3),
        class("store of several", 0, 0, "STM: n, at least 2").several(list(2)),
        class("branch", 2, 2, "branches: 2"),
        load("exchange", 2, 1, "SWP: 2, the result 1 late"),
        class("product", 3, 3, "products: at most 3").varies(&["rs"], EARLY_STRONGARM),
        class("product and sum", 3, 3, "products: at most 3").varies(&["rs"], EARLY_STRONGARM),
        class("long product", 4, 4, "products of 64 bits: at most 4").varies(&["rs"], EARLY_STRONGARM),
        class("long product and sum", 4, 4, "products of 64 bits: at most 4")
            .varies(&["rs"], EARLY_STRONGARM),
    ],
    ..PIPELINE
};
