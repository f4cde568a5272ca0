//! Timing of the UltraSPARC III, everything in the first-level cache, branches predicted right.
//!
//! | rule | UltraSPARC III |
//! |---|---|
//! | issued a cycle, in order | 4 |
//! | integer operations a cycle | 2, each in A0 or A1 |
//! | loads and stores a cycle | 1, in MS |
//! | branches a cycle | 1, in BR |
//! | integer result | 1 |
//! | unsigned load of 32 or 64 bits | 2 |
//! | load of 8 or 16 bits, or with a sign | 3, and its way back is taken a cycle later |
//! | store with the instruction that makes its data, branch with its comparison | in one cycle |
//! | product | 7, alone for five cycles |
//! | `save`, `restore` | alone |
//!
//! All of it is what GCC's description has, `config/sparc/ultra3.md`; `schedule_tests.rs` holds the table against that.
//!
//! The model has an instruction in a delay slot begin a group, so that a taken branch ends one: the processor groups it
//! with its branch, and begins a group behind it.

use aesmith_isa::timing::{Bypass, Distance, Issue, Timing, Use, class};

const INTEGER: &[Use] = &[Use { any_of: &["A0", "A1"], cycles: 1 }];
const MEMORY: &[Use] = &[Use { any_of: &["MS"], cycles: 1 }];
const BRANCH: &[Use] = &[Use { any_of: &["BR"], cycles: 1 }];
const BOTH: &[Use] = &[Use { any_of: &["MS"], cycles: 1 }, Use { any_of: &["BR"], cycles: 1 }];

const GROUPS: &str = "us3_integer, us3_store, us3_branch, us3_call_jmpl, us3_cmove: two integer operations, one access to memory, one branch";
const LOADS: &str = "us3_2cycle_load, us3_load_delayed: two cycles, with a byte, a half word or a sign three";
const ALONE: &str = "us3_single, us3_imul: instructions that issue alone";

/// No manual says that its multiplier takes the same time for all factors, and that of the UltraSPARC I and II does not.
const EARLY: &str =
    "GMP, mpn/sparc64/README: mulx takes 5 to 35 cycles on the UltraSPARC I and II, by the first factor";

/// UltraSPARC III.
pub static ULTRASPARC3: Timing = Timing {
    source: "GCC's description of the UltraSPARC III, config/sparc/ultra3.md",
    classes: &[
        class("integer", 1, 1, GROUPS).on(INTEGER),
        class("nop", 1, 1, GROUPS),
        class("load", 1, 2, LOADS).on(MEMORY),
        class("load late", 1, 3, LOADS).on(MEMORY),
        class("store", 1, 1, GROUPS).on(MEMORY),
        class("branch", 1, 1, GROUPS).on(BRANCH),
        class("jump", 1, 1, GROUPS).on(BOTH),
        class("move", 1, 2, GROUPS).on(BOTH),
        class("multiply", 5, 7, ALONE).on(MEMORY).varies(&[], EARLY),
        class("window", 1, 1, ALONE).by_itself(),
    ],
    units: &["A0", "A1", "MS", "BR"],
    bypasses: &[
        Bypass { from: &["integer"], to: &["store"], operands: &["rd"], latency: 0 },
        Bypass { from: &["integer"], to: &["branch"], operands: &[], latency: 0 },
    ],
    distances: &[Distance { after: &["load late"], classes: &["load"], cycles: 2 }],
    issue: Issue { width: 4, together: &[] },
    ..Timing::SCALAR
};
