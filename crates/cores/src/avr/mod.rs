//! AVR (AVRe+: ATmega328P): an 8-bit processor with 32 registers and two memories.

pub mod judge;

use crate::core::Core;

/// The processors of this family.
pub static CORES: &[Core] = &[];
