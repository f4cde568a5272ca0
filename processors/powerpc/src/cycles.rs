//! Timing of the MPC7410 and the MPC7450, with everything in the first-level cache and branches predicted
//! correctly.
//!
//! | rule | MPC7410 | MPC7450 |
//! |---|---|---|
//! | dispatched and completed per cycle | 2 | 3 |
//! | integer units for all except products | 2 | 3 |
//! | loads and stores per cycle | 1 | 1 |
//! | latency: integer result; compared field of the condition register | 1; 2 | 1; 2 |
//! | latency: load | 2 | 3 |
//! | latency: product | 4, in one of the integer units | 4, in a unit of its own |
//! | branch that does not change CTR and LR | folded | folded |
//! | vector element operations and logic per cycle; latency | 1; 1 | 1; 1 |
//! | vector permutations per cycle; latency | 1; 2 | 1; 2 |
//!
//! MPC7400 RISC Microprocessor User's Manual, 1.2.1 and 1.2.2.1 (dispatch, folding) and 6.4.2 (integer units);
//! MPC7450 RISC Microprocessor Family Reference Manual, chapter 6; GCC's `config/rs6000/7xx.md` and `7450.md`
//! for latencies.
//!
//! The model is in-order: each instruction starts when its operands are available, and delays those after it.
//! The processors have a reservation station before each unit, so that they wait somewhat less. The MPC7410's
//! completion buffer of eight entries (1.2.2.1) is not a rule of the table, as it never delays such a model:
//! without products and divisions an instruction is done after two cycles at the latest, in which two per cycle
//! are dispatched and two completed, in order.

use aesmith_isa::timing::{Issue, Timing, Use, class};

const INTEGER_7410: &[Use] = &[Use { any_of: &["IU1", "IU2"], cycles: 1 }];
const INTEGER_7450: &[Use] = &[Use { any_of: &["IU1a", "IU1b", "IU1c"], cycles: 1 }];
const MEMORY: &[Use] = &[Use { any_of: &["LSU"], cycles: 1 }];
const PRODUCT_7410: &[Use] = &[Use { any_of: &["IU1"], cycles: 4 }];
const PRODUCT_7450: &[Use] = &[Use { any_of: &["IU2"], cycles: 2 }];
const SPECIAL_7410: &[Use] = &[Use { any_of: &["SRU"], cycles: 2 }];
const SPECIAL_7450: &[Use] = &[Use { any_of: &["IU2"], cycles: 2 }];

const VECTOR: &[Use] = &[Use { any_of: &["VSIU"], cycles: 1 }];
const PERMUTE: &[Use] = &[Use { any_of: &["VPU"], cycles: 1 }];

const UNITS: &str = "Integer Unit Execution Timing: each unit takes an instruction a cycle";
/// Products with a factor of 8 or 16 bits take fewer cycles than those of two 32-bit factors.
const EARLY: &str = "MPC7455 RISC Microprocessor Hardware Specifications, table 1, integer multiply (32 x 8, 32 x 16, 32 x 32)";
const LOADS: &str = "Load/Store Unit: pipelined, an access a cycle";
const FOLDED: &str = "Branch Folding and Removal of Fall-Through Branch Instructions";
const VECTORS: &str = "AltiVec units: permutations beside other operations; GCC's description for latencies";
const MOVES: &str = "GCC's description: moves to and from LR, CTR and CR";

/// MPC7410 (and MPC7400).
pub(crate) static MPC7410: Timing = Timing {
    source: "MPC7400 RISC Microprocessor User's Manual, chapter 6",
    classes: &[
        class("integer", 1, 1, UNITS).on(INTEGER_7410),
        class("compare", 1, 2, UNITS).on(INTEGER_7410),
        class("multiply", 1, 4, UNITS).on(PRODUCT_7410).varies(&[], EARLY),
        class("load", 1, 2, LOADS).on(MEMORY),
        class("store", 1, 1, LOADS).on(MEMORY),
        class("branch", 1, 1, FOLDED).beside(),
        class("vector", 1, 1, VECTORS).on(VECTOR),
        class("permute", 1, 2, VECTORS).on(PERMUTE),
        class("special", 1, 3, MOVES).on(SPECIAL_7410),
    ],
    units: &["IU1", "IU2", "LSU", "SRU", "VSIU", "VPU"],
    issue: Issue { width: 2, together: &[] },
    ..Timing::SCALAR
};

/// MPC7450.
pub(crate) static MPC7450: Timing = Timing {
    source: "MPC7450 RISC Microprocessor Family Reference Manual, chapter 6",
    classes: &[
        class("integer", 1, 1, UNITS).on(INTEGER_7450),
        class("compare", 1, 2, UNITS).on(INTEGER_7450),
        class("multiply", 1, 4, UNITS).on(PRODUCT_7450).varies(&[], EARLY),
        class("load", 1, 3, LOADS).on(MEMORY),
        class("store", 1, 1, LOADS).on(MEMORY),
        class("branch", 1, 1, FOLDED).beside(),
        class("vector", 1, 1, VECTORS).on(VECTOR),
        class("permute", 1, 2, VECTORS).on(PERMUTE),
        class("special", 1, 3, MOVES).on(SPECIAL_7450),
    ],
    units: &["IU1a", "IU1b", "IU1c", "IU2", "LSU", "VSIU", "VPU"],
    issue: Issue { width: 3, together: &[] },
    ..Timing::SCALAR
};
