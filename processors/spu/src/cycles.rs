//! Timing of the SPU, which has no cache: all memory is its local store.
//!
//! | rule | SPU |
//! |---|---|
//! | issued per cycle, in order | 2: an aligned pair of 8 bytes, first in the even pipe, second in the odd one |
//! | logic, sums, comparisons, selects, immediates | even pipe, 2 |
//! | shifts and rotations of elements | even pipe, 4 |
//! | shuffles, shifts and rotations of a whole register | odd pipe, 4 |
//! | load; store | odd pipe, 6; 1 |
//! | branch that is taken without a hint, or contrary to its hint | odd pipe, 18 more |
//! | hint | odd pipe; its branch issues at least 15 cycles later |
//!
//! IBM SDK for Multicore Acceleration 3.0, "Pipelines and dual-issue rules"; GCC's `config/spu/spu.md` of its
//! last version that supported the SPU.

use aesmith_isa::timing::{Hint, Issue, Pair, Timing, Use, class};

const EVEN: &[Use] = &[Use { any_of: &["even"], cycles: 1 }];
const ODD: &[Use] = &[Use { any_of: &["odd"], cycles: 1 }];

const PIPES: &str = "SPU pipelines: classes of instructions, their latencies and pipes";

/// Cycles from a hint to its branch.
const HINT: u32 = 15;
/// Greatest distance in bytes from a hint to its branch: a 9-bit field that counts words and includes a sign
/// bit.
const REACH: u32 = 4 * 255;

/// Classes of the even pipe.
pub(crate) const OF_EVEN: &[&str] = &["fixed", "shift", "nop"];
/// Classes of the odd pipe.
pub(crate) const OF_ODD: &[&str] = &["shuffle", "load", "store", "branch", "hint", "lnop"];

/// The SPU of the Cell Broadband Engine.
pub(crate) static SPU: Timing = Timing {
    source: "IBM SDK for Multicore Acceleration 3.0, Pipelines and dual-issue rules",
    classes: &[
        class("fixed", 1, 2, PIPES).on(EVEN),
        class("shift", 1, 4, PIPES).on(EVEN),
        class("nop", 1, 1, PIPES).on(EVEN),
        class("shuffle", 1, 4, PIPES).on(ODD),
        class("load", 1, 6, PIPES).on(ODD),
        class("store", 1, 1, PIPES).on(ODD),
        class("branch", 1, 1, PIPES).on(ODD).taken(18),
        class("hint", 1, 1, PIPES).on(ODD),
        class("lnop", 1, 1, PIPES).on(ODD),
    ],
    units: &["even", "odd"],
    issue: Issue { width: 2, together: &[Pair { first: OF_EVEN, second: OF_ODD }] },
    hint: Some(Hint { class: "hint", branch: "branch", to: "off", cycles: HINT, reach: REACH }),
    aligned: 8,
    even: Some("its memory is its own local store, which has no cache"),
    ..Timing::SCALAR
};
