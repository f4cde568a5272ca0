//! 32-bit ARM: ARMv4 in ARM state, Thumb of the Cortex-M.

pub mod judge;

use crate::core::Core;

/// The processors of this family.
pub static CORES: &[Core] = &[];
