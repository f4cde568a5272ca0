//! 32-bit ARM in its own state: ARMv4 as ARM7TDMI, ARM9TDMI and StrongARM execute it.

pub mod cycles;
pub mod judge;
pub mod table;

use aesmith_isa::convention::{Convention, Return};

use crate::core::Core;

/// How C functions are called.
pub static CONVENTION: Convention = Convention {
    source: "Procedure Call Standard for the Arm Architecture (AAPCS32), sections 6.1 and 6.4",
    arguments: &[&[0], &[1], &[2], &[3]],
    stack_pointer: table::SP,
    stack_arguments: 0,
    returns: Return::Register(table::LR, 0),
    saved: &[4, 5, 6, 7, 8, 9, 10, 11],
    fixed: &[],
};

/// The processors of this family.
pub static CORES: &[Core] = &[];
