//! The choices of kernels for the Cortex-M.

use crate::variant::Dimension;

/// Of ARMv7-M, in the order in which they depend on each other.
pub static V7M: &[Dimension] = &[Dimension {
    name: "rounds",
    values: &["unrolled", "looped"],
    about: "all rounds in a row, or a loop of one",
    applies: |_| true,
}];
