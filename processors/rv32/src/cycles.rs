//! Timing of RV32 cores: the cycles of each class of instructions, and the latency of its result.

use aesmith_isa::timing::{Class, Coupling, Distance, Overtaking, Timing, class};

/// One instruction at a time; custom instructions cost as much as the core's own arithmetic.
pub(super) const CORE: Timing = Timing { custom: Some(Coupling { cycles: 0, latency: 0 }), ..Timing::SCALAR };

/// One cycle per instruction.
pub(crate) static BARE: Timing =
    Timing { source: "modelled: an instruction a cycle, so cycles are instructions executed", ..CORE };

/// The source of Ibex's figures.
const IBEX_TABLE: &str = "Ibex documentation, Pipeline Details, cycles per instruction type";

/// Ibex with the write-back stage, the branch-target ALU and the single-cycle multiplier.
pub(crate) static IBEX_WRITEBACK: Timing = Timing {
    source: "modelled: Ibex's documentation, Pipeline Details; no cycle off its RTL in any kernel judged",
    classes: &[
        class("load", 1, 2, IBEX_TABLE),
        class("loadb", 1, 2, IBEX_TABLE),
        class("branch", 1, 1, IBEX_TABLE).taken(1),
        class("jal", 2, 2, IBEX_TABLE),
        class("jalr", 2, 2, IBEX_TABLE),
        class("mulh", 2, 2, IBEX_TABLE),
        class("div", 38, 38, IBEX_TABLE),
    ],
    ..CORE
};

/// The source of PicoRV32's figures.
const PICORV32_TABLE: &str = "README, Cycles per Instruction Performance, column of dual-port registers";

/// PicoRV32 with dual-port registers, barrel shifter and look-ahead memory.
pub(crate) static PICORV32: Timing = Timing {
    source: "modelled: PicoRV32's README, cycles per instruction with dual-port registers; no cycle off its RTL in any kernel judged",
    classes: &[
        class("alu", 3, 3, PICORV32_TABLE),
        class("shift", 3, 3, "README, BARREL_SHIFTER: as other arithmetic"),
        class("load", 5, 5, PICORV32_TABLE),
        class("loadb", 5, 5, PICORV32_TABLE),
        class("store", 5, 5, PICORV32_TABLE),
        class("branch", 3, 3, PICORV32_TABLE).taken(2),
        class("jal", 3, 3, PICORV32_TABLE),
        class("jalr", 6, 6, PICORV32_TABLE),
        class("mul", 40, 40, PICORV32_TABLE),
        class("mulh", 72, 72, PICORV32_TABLE),
        class("div", 40, 40, PICORV32_TABLE),
    ],
    // The overhead of a unit on its PCPI, from its RTL.
    custom: Some(Coupling { cycles: 3, latency: 3 }),
    ..CORE
};

/// Ibex with two stages, the fast multiplier and no branch-target ALU.
pub(crate) static IBEX: Timing = Timing {
    source: "modelled: Ibex's documentation, Pipeline Details; no cycle off its RTL in any kernel judged",
    classes: &[
        class("load", 2, 2, IBEX_TABLE),
        class("loadb", 2, 2, IBEX_TABLE),
        class("store", 2, 2, IBEX_TABLE),
        class("branch", 1, 1, IBEX_TABLE).taken(2),
        class("jal", 2, 2, IBEX_TABLE),
        class("jalr", 2, 2, IBEX_TABLE),
        class("mul", 3, 3, IBEX_TABLE),
        class("mulh", 4, 4, IBEX_TABLE),
        class("div", 38, 38, IBEX_TABLE),
    ],
    ..CORE
};

/// VexRiscv, LiteX's full variant: five stages with full bypassing; branches are predicted by their direction.
pub(crate) static VEXRISCV: Timing = Timing {
    source: "modelled: VexRiscv's README, plugins of the pipeline, no miss in the caches; exact by its RTL where nothing misses, 14 to 30 % too low where tables and buffers do not fit into the 4 KiB of data cache",
    classes: &[
        class("shift", 1, 2, "README, FullBarrelShifterPlugin: the result in the memory stage"),
        class("load", 1, 3, "README, DBusCachedPlugin: the result in the write-back stage"),
        class("loadb", 1, 3, "README, DBusCachedPlugin: the result in the write-back stage"),
        class("mul", 1, 3, "README, MulPlugin: the result in the write-back stage"),
        class("mulh", 1, 3, "README, MulPlugin: the result in the write-back stage"),
        class("div", 34, 34, "README, DivPlugin"),
        class("branch", 1, 1, "README, BranchPlugin: prediction STATIC").taken(1).predicted("off", 2),
        class("jal", 2, 2, "README, BranchPlugin: predicted in decode"),
        class("jalr", 2, 2, "README, BranchPlugin"),
    ],
    custom: Some(Coupling { cycles: 0, latency: 1 }),
    // A custom instruction waits until no earlier instruction can raise an exception (CfuPlugin).
    distances: &[Distance { after: &["load", "loadb", "store"], classes: &["custom"], cycles: 3 }],
    ..CORE
};

/// The pipeline of SiFive's E31. Branches are predicted, and so are returns, by the return-address stack: they
/// cost one cycle. A result may not complete before an earlier one for the same register.
const E31_CLASSES: &[Class] = &[
    class("load", 1, 2, "FE310-G000 Manual, 3.3: result latency of 2"),
    class("loadb", 1, 3, "FE310-G000 Manual, 3.3: result latency of 3"),
    class("mul", 1, 5, "FE310-G000 Manual, 3.3: result latency of 5"),
    class("mulh", 1, 5, "FE310-G000 Manual, 3.3: result latency of 5"),
    class("div", 33, 33, "FE310-G000 Manual, 3.3: at most 33"),
];

/// SiFive's E31 in the FE310, with tables and code in tightly integrated memory.
pub(crate) static E31: Timing = Timing {
    source: "modelled: SiFive FE310-G000 Manual, 3.2 and 3.3, branches as predicted, no miss in the caches",
    classes: E31_CLASSES,
    overtaking: Overtaking::Waits,
    ..CORE
};

/// The E31's pipeline, with single-cycle scalar AES instructions.
pub(crate) static ZKN: Timing = Timing {
    source: "modelled: the E31's documented five stages (FE310-G000 Manual, 3.3) with aes32* in one cycle, as Marshall et al., TCHES 2021, build them",
    classes: E31_CLASSES,
    overtaking: Overtaking::Waits,
    ..CORE
};

/// The source of MicroBlaze V's figures.
const UG1629: &str = "AMD UG1629, Instructions (latencies), 5-Stage Pipeline (data hazards)";

/// MicroBlaze V with five stages, barrel shifter and multiplier, and everything in local memory.
pub(crate) static MICROBLAZE_V: Timing = Timing {
    source: "modelled: AMD UG1629, Instructions (latencies) and 5-Stage Pipeline (data hazards)",
    classes: &[
        class("load", 1, 3, UG1629),
        class("loadb", 1, 3, UG1629),
        class("mul", 1, 3, UG1629),
        class("mulh", 1, 3, UG1629),
        class("div", 33, 33, UG1629),
        class("branch", 1, 1, UG1629).taken(2),
        class("jal", 3, 3, UG1629),
        class("jalr", 3, 3, UG1629),
    ],
    ..CORE
};
