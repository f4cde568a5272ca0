//! A processor for tests of what needs one and asks nothing of it.

use aesmith_isa::{ByteOrder, Description, Guard};

/// One register of 32 bits, which holds addresses.
pub const ABOUT: Description = Description {
    name: "toy",
    address: 32,
    order: ByteOrder::Big,
    unit: 4,
    registers: &[("a", 32)],
    general: 1,
    strict: false,
    pairs: &[],
    zero: None,
    counter: None,
    kinds: &[],
    macros: &[],
    guard: Guard::None,
    conditions: &[],
    data: 0,
};
