//! Timing of the UltraSPARC III, with everything in the first-level cache and branches predicted correctly.
//!
//! | rule | UltraSPARC III |
//! |---|---|
//! | issued per cycle, in order | 4 |
//! | integer operations per cycle | 2, each in A0 or A1 |
//! | loads and stores per cycle | 1, in MS |
//! | branches per cycle | 1, in BR |
//! | latency: integer result | 1 |
//! | latency: unsigned load of 32 or 64 bits | 2 |
//! | latency: load of 8 or 16 bits, or with sign extension | 3, and its result path is used one cycle later |
//! | store with the instruction that computes its data, branch with its comparison | in one cycle |
//! | product | 7, alone for five cycles |
//! | `save`, `restore` | alone |
//!
//! All figures are from GCC's description, `config/sparc/ultra3.md`; `schedule_tests.rs` checks the table
//! against it.
//!
//! In the model an instruction in a delay slot begins a group, so that a taken branch ends one: the processor
//! groups it with its branch, and begins a group after it.

use aesmith_isa::timing::{Bypass, Distance, Issue, Timing, Use, class};

const INTEGER: &[Use] = &[Use { any_of: &["A0", "A1"], cycles: 1 }];
const MEMORY: &[Use] = &[Use { any_of: &["MS"], cycles: 1 }];
const BRANCH: &[Use] = &[Use { any_of: &["BR"], cycles: 1 }];
const BOTH: &[Use] = &[Use { any_of: &["MS"], cycles: 1 }, Use { any_of: &["BR"], cycles: 1 }];

const GROUPS: &str = "us3_integer, us3_store, us3_branch, us3_call_jmpl, us3_cmove: two integer operations, one access to memory, one branch";
const LOADS: &str = "us3_2cycle_load, us3_load_delayed: two cycles, with a byte, a half word or a sign three";
const ALONE: &str = "us3_single, us3_imul: instructions that issue alone";

/// No manual states that its multiplier takes the same time for all factors, and that of the UltraSPARC I and
/// II does not.
const EARLY: &str =
    "GMP, mpn/sparc64/README: mulx takes 5 to 35 cycles on the UltraSPARC I and II, by the first factor";

/// UltraSPARC III.
pub(crate) static ULTRASPARC3: Timing = Timing {
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
