//! rv32.

pub mod judge;

use crate::core::Core;

/// The processors of this family.
pub static CORES: &[Core] = &[];
