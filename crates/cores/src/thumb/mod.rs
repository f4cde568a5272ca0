//! Thumb of the Cortex-M: ARMv6-M (M0) and ARMv7-M (M3, M4).

pub mod cycles;
pub mod narrow;
pub mod table;
pub mod wide;

#[cfg(test)]
mod table_tests;

use crate::core::Core;

/// The processors of this family.
pub static CORES: &[Core] = &[];
