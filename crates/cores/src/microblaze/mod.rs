//! MicroBlaze (UG984), 32 bits, little-endian, with three and with five stages.

pub mod cycles;
pub mod judge;
pub mod table;

#[cfg(test)]
mod table_tests;

use crate::core::Core;

/// The processors of this family.
pub static CORES: &[Core] = &[];
