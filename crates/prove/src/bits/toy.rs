//! A processor for tests that need one but depend on none of its properties.

use aesmith_isa::{ByteOrder, Description};

/// One register of 32 bits, which holds addresses.
pub const ABOUT: Description = Description {
    name: "toy",
    order: ByteOrder::Big,
    registers: &[("a", 32)],
    general: 1,
    ..Description::PLAIN
};
