//! rv32.

use crate::core::Core;

/// The processors of this family.
pub static CORES: &[Core] = &[];
