//! Timing of the Cortex-M: memory without wait states, tables in SRAM.

use aesmith_isa::timing::{Bypass, Class, Issue, Run, Several, Timing, Use, Written, class};

/// Loads and stores of several registers: one more cycle per register; rows without a list name two.
const SEVERAL: Several = Several { list: "list", otherwise: 2, each: 1, at_once: 1, least: 0 };

const TABLE: &str = "table 3-1, Cortex-M instruction set summary";
const ACCESSES: &str = "Load/store timings";

/// Cycles of refilling the pipeline: a taken branch costs 1 + P, P from 1 to 3. P is 1 if the branch holds its
/// target, 2 if the target comes from a register or from memory.
const BRANCH: u32 = 1;
const INDIRECT: u32 = 2;

/// The source for the long products of the Cortex-M3.
const EARLY: &str = "DDI 0337, 3.3, table 3-1: early termination, by the size of the source values";

/// The classes of ARMv7-M; parameters are those that differ between the M3 and the M4.
const fn v7m(mull: u32, mlal: u32) -> [Class; 13] {
    let (mut mull, mut mlal) = (class("mull", mull, mull, TABLE), class("mlal", mlal, mlal, TABLE));
    if mull.cycles > 1 {
        (mull, mlal) = (mull.varies(&[], EARLY), mlal.varies(&[], EARLY));
    }
    [
        class("load", 2, 2, TABLE).taken(INDIRECT),
        class("load of a part", 2, 2, TABLE),
        class("store", 1, 1, ACCESSES),
        class("store by register", 2, 2, TABLE),
        class("loads", 1, 1, TABLE).several(SEVERAL).taken(INDIRECT),
        class("stores", 1, 1, TABLE).several(SEVERAL),
        class("mla", 2, 2, TABLE),
        mull,
        mlal,
        class("div", 12, 12, TABLE),
        class("call", 1 + BRANCH, 1 + BRANCH, TABLE),
        class("return", 1 + INDIRECT, 1 + INDIRECT, TABLE),
        // A load plus a branch.
        class("table", 2 + BRANCH, 2 + BRANCH, TABLE),
    ]
}

/// Loads of one register.
const LOADS: &[&str] = &["load", "load of a part"];
/// Stores of one register.
const STORES: &[&str] = &["store", "store by register"];

/// "LDR R0,[R1]; LDR R1,[R2]" is pipelined: an access takes one cycle directly after a single load, if its
/// address does not depend on the loaded value.
const PIPELINED: &[Run] = &[Run {
    after: LOADS,
    result: "rt",
    classes: &["load", "load of a part", "store by register"],
    address: &["rn", "rm"],
    cycles: 1,
}];

static M3: [Class; 13] = v7m(5, 7);
static M4: [Class; 13] = v7m(1, 1);

/// Cortex-M3. Long products take 3 to 5 and 4 to 7 cycles, divisions 2 to 12: the maximum is counted.
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

/// Cortex-M0 with the single-cycle multiplier: a taken branch takes 3 cycles, `bl` 4, `pop` with the program
/// counter 4 + n.
pub static CORTEX_M0: Timing = Timing {
    source: "Cortex-M0 Technical Reference Manual (DDI 0432), 3.3",
    other: class("", 1, 1, TABLE).taken(2),
    classes: &[
        class("load", 2, 2, TABLE),
        class("load of a part", 2, 2, TABLE),
        class("store", 2, 2, TABLE),
        class("store by register", 2, 2, TABLE),
        class("loads", 1, 1, TABLE).several(SEVERAL).taken(3),
        class("stores", 1, 1, TABLE).several(SEVERAL),
        class("call", 4, 4, TABLE),
        class("return", 3, 3, TABLE),
    ],
    ..Timing::SCALAR
};

/// Cortex-M0+ with the single-cycle multiplier and memory on its AHB-Lite interface. It has two stages, so a
/// taken branch takes 2 cycles, `bl` 3, `pop` with the program counter 3 + n.
pub(crate) static CORTEX_M0PLUS: Timing = Timing {
    source: "Cortex-M0+ Technical Reference Manual (DDI 0484), 3.3",
    other: class("", 1, 1, TABLE).taken(1),
    classes: &[
        class("load", 2, 2, TABLE),
        class("load of a part", 2, 2, TABLE),
        class("store", 2, 2, TABLE),
        class("store by register", 2, 2, TABLE),
        class("loads", 1, 1, TABLE).several(SEVERAL).taken(2),
        class("stores", 1, 1, TABLE).several(SEVERAL),
        class("call", 3, 3, TABLE),
        class("return", 2, 2, TABLE),
    ],
    ..Timing::SCALAR
};

/// Measurements of an RP2350, whose cores are of revision r1p0.
const M33_OVERALL: &str = "cortex_m33.md, overall";
const M33_MEMORY: &str = "cortex_m33.md, load/store";
const M33_BRANCHES: &str = "cortex_m33.md, limited dual issue and branching";
/// The source for figures that the measurements do not cover.
const AS_M4: &str = "not measured: as the Cortex-M4 (DDI 0439, table 3-1)";

/// Loads and stores of several registers take one cycle per register.
const ONE_EACH: Several = Several { list: "list", otherwise: 2, each: 1, at_once: 1, least: 0 };

/// Cortex-M33: three stages; the second also shifts. Arm publishes no instruction cycles. The dual issue of two
/// 16-bit instructions, the second of which is a branch, is not modelled: one instruction per cycle.
pub static CORTEX_M33: Timing = Timing {
    source: "measurements of an RP2350's Cortex-M33 (github.com/jnk0le/random, pipeline cycle test)",
    other: class("", 1, 1, M33_OVERALL).taken(1),
    classes: &[
        class("shifted", 1, 2, M33_OVERALL),
        class("load", 1, 2, M33_MEMORY).late_in(Written::Field("rt")).taken(INDIRECT),
        class("load of a part", 1, 2, M33_MEMORY).late_in(Written::Field("rt")),
        class("store", 1, 1, M33_MEMORY),
        class("store by register", 1, 1, M33_MEMORY),
        class("loads", 0, 1, M33_MEMORY).several(ONE_EACH).late_in(Written::Last("list")).taken(INDIRECT),
        class("stores", 0, 0, M33_MEMORY).several(ONE_EACH),
        class("mul", 1, 2, M33_OVERALL),
        class("mla", 1, 2, M33_OVERALL),
        class("mull", 1, 2, M33_OVERALL),
        class("mlal", 1, 2, M33_OVERALL),
        class("div", 12, 12, AS_M4),
        class("branch", 1, 1, M33_BRANCHES).taken(1),
        class("jump", 1, 1, M33_BRANCHES).taken(1),
        class("call", 1 + BRANCH, 1 + BRANCH, AS_M4),
        class("return", 1 + INDIRECT, 1 + INDIRECT, AS_M4),
        class("table", 2 + BRANCH, 2 + BRANCH, AS_M4),
    ],
    // "load to store latency is 1 cycle".
    bypasses: &[Bypass { from: LOADS, to: STORES, operands: &["rt"], latency: 1 }],
    ..Timing::SCALAR
};

const M7_UNITS: &str =
    "ARMScheduleM7.td: two ALUs, two loads, one each of store, shifter, SIMD, MAC and branch";
const M7_LOADS: &str = "ARMScheduleM7.td: words after 1 cycle, bytes and halves (M7SlowLoad) after 2";
const M7_SEVERAL: &str = "ARMScheduleM7.td: M7SingleIssue; cortex_m7.md: half as many cycles as registers";
const M7_BRANCHES: &str = "ARMScheduleM7.td: WriteBr; cortex_m7.md: 8 cycles where the prediction fails";

const ALU: Use = Use { any_of: &["alu 0", "alu 1"], cycles: 1 };
const LOADING: Use = Use { any_of: &["load 0", "load 1"], cycles: 1 };
const STORING: Use = Use { any_of: &["store"], cycles: 1 };
const SHIFTER: Use = Use { any_of: &["shifter"], cycles: 1 };
const SIMD: Use = Use { any_of: &["simd"], cycles: 1 };
const MAC: Use = Use { any_of: &["mac"], cycles: 1 };
const BRANCHING: Use = Use { any_of: &["branch"], cycles: 1 };

/// Loads and stores of several registers move two per cycle.
const TWO_EACH: Several = Several { list: "list", otherwise: 2, each: 1, at_once: 2, least: 0 };

/// Classes that compute in the ALU stage.
const COMPUTING: &[&str] = &["alu", "shift", "shifted", "extend", "extract"];
/// Classes that form an address, one stage before the ALUs.
const ADDRESSING: &[&str] = &["load", "load of a part", "store", "store by register"];

/// Cortex-M7: six stages, two instructions per cycle, everything in tightly coupled memory or in caches that
/// hit, the loads of a cycle in two banks. Arm publishes no instruction cycles; LLVM's model is by Arm.
pub static CORTEX_M7: Timing = Timing {
    source: "LLVM's ARMScheduleM7.td, by Arm, and measurements of an STM32H743 (github.com/jnk0le/random, pipeline \
             cycle test, cortex_m7.md)",
    other: class("", 1, 1, M7_UNITS).on(&[ALU]),
    classes: &[
        class("shift", 1, 1, M7_UNITS).on(&[ALU, SHIFTER]),
        class("shifted", 1, 1, M7_UNITS).on(&[ALU, SHIFTER]),
        class("extend", 1, 1, M7_UNITS).on(&[ALU, SIMD]).first(),
        class("extract", 1, 1, M7_UNITS).on(&[ALU, SIMD, SHIFTER]).first(),
        class("load", 1, 1, M7_LOADS).on(&[LOADING]).taken(8),
        class("load of a part", 1, 2, M7_LOADS).late_in(Written::Field("rt")).on(&[LOADING]),
        class("store", 1, 1, M7_UNITS).on(&[STORING]),
        class("store by register", 1, 1, M7_UNITS).on(&[STORING]),
        class("loads", 0, 1, M7_SEVERAL)
            .several(TWO_EACH)
            .late_in(Written::Last("list"))
            .by_itself()
            .taken(8),
        class("stores", 0, 0, M7_SEVERAL).several(TWO_EACH).by_itself(),
        class("mul", 1, 2, M7_UNITS).on(&[MAC]),
        class("mla", 1, 2, M7_UNITS).on(&[MAC]),
        class("mull", 1, 2, M7_UNITS).on(&[MAC]),
        class("mlal", 1, 2, M7_UNITS).on(&[MAC]),
        class("div", 7, 7, M7_UNITS).on(&[ALU]).by_itself(),
        class("nop", 1, 1, M7_UNITS),
        class("branch", 1, 1, M7_BRANCHES).on(&[BRANCHING]).predicted("label", 8),
        class("jump", 1, 1, M7_BRANCHES).on(&[BRANCHING]),
        class("call", 2, 2, M7_BRANCHES).on(&[BRANCHING]),
        class("return", 2, 2, M7_BRANCHES).on(&[BRANCHING]),
        class("table", 2, 2, M7_BRANCHES).on(&[LOADING, BRANCHING]).by_itself().taken(8),
    ],
    units: &["alu 0", "alu 1", "load 0", "load 1", "store", "shifter", "simd", "mac", "branch"],
    bypasses: &[
        // Stored values are read two stages after the ALUs.
        Bypass { from: COMPUTING, to: STORES, operands: &["rt"], latency: 0 },
        Bypass { from: LOADS, to: STORES, operands: &["rt"], latency: 0 },
        // Addresses, shifted operands and operands of bit-field extraction are read one stage before the ALUs.
        Bypass { from: COMPUTING, to: ADDRESSING, operands: &["rn", "rm"], latency: 2 },
        Bypass { from: COMPUTING, to: &["shifted"], operands: &["rm"], latency: 2 },
        Bypass { from: COMPUTING, to: &["extract"], operands: &[], latency: 2 },
        Bypass { from: &["load"], to: ADDRESSING, operands: &["rn", "rm"], latency: 2 },
        Bypass { from: &["load"], to: &["shifted", "extract"], operands: &[], latency: 2 },
        Bypass { from: &["load of a part"], to: ADDRESSING, operands: &["rn", "rm"], latency: 3 },
        Bypass { from: &["load of a part"], to: &["shifted", "extract"], operands: &[], latency: 3 },
    ],
    issue: Issue { width: 2, together: &[] },
    ..Timing::SCALAR
};
