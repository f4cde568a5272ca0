//! A processor for tests of what needs one and asks nothing of it.

use aesmith_isa::{ByteOrder, Description};

/// One register of 32 bits, which holds addresses.
pub const ABOUT: Description = Description {
    name: "toy",
    order: ByteOrder::Big,
    registers: &[("a", 32)],
    general: 1,
    ..Description::PLAIN
};
