//! RISC-V processors of 32 bits: cores whose RTL judges, cores that only documents describe, and
//! AMD's MicroBlaze V.

pub mod cycles;
pub mod judge;
pub mod table;

#[cfg(test)]
mod table_tests;

use crate::core::Core;

/// The processors of this family.
pub static CORES: &[Core] = &[];
