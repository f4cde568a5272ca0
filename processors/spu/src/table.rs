//! The instruction table of the Cell SPU: loads, stores, logic, sums, comparisons, shifts, shuffles and
//! branches of the "Synergistic Processor Unit Instruction Set Architecture", version 1.2 (IBM, Sony, Toshiba,
//! 2007). Bits and bytes are numbered from the highest there, and from the lowest here.
//!
//! Registers have 128 bits; addresses and integers are in the highest word, the preferred slot. Addresses are
//! those of the local store, without their lowest four bits in accesses of 16 bytes; wrapping at the store's
//! limit is not modelled.
//!
//! Not included: floating point, multiplication, channels and doublewords. A branch hint affects only timing.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::sheet::Sheet;
use aesmith_isa::{ByteOrder, Description, Isa, Kind, Unaligned};

const R: Kind = Kind::Register { base: 0, step: 1 };

const fn number(signed: bool, width: u8) -> Kind {
    Kind::Number { signed, width }
}

/// The link register, the stack pointer, and the first argument.
pub const LR: u8 = 0;
/// See [`LR`].
pub const SP: u8 = 1;
/// See [`LR`].
pub const FIRST: u8 = 3;
/// The first callee-saved register.
pub const SAVED: u8 = 80;

const DESCRIPTION: Description = Description {
    name: "SPU",
    address: 32,
    order: ByteOrder::Big,
    unit: 4,
    general: 128,
    unaligned: Unaligned::Never {
        is: "drops the lowest four bits of the address",
        source: "Synergistic Processor Unit Instruction Set Architecture, memory load and store instructions",
    },
    kinds: &[
        ("rt", R),
        ("ra", R),
        ("rb", R),
        ("rc", R),
        ("seven", number(true, 8)),
        ("up", number(false, 8)),
        ("ten", number(true, 16)),
        ("sixteen", number(true, 32)),
        ("half", number(false, 16)),
        ("eighteen", number(false, 32)),
        ("quads", number(true, 32)),
        ("off", Kind::Relative { bias: 0, width: 32 }),
        ("branch", Kind::Relative { bias: 0, width: 32 }),
        ("at", number(false, 32)),
    ],
    ..Description::PLAIN
};

/// The instruction table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> =
        LazyLock::new(|| Sheet::compiled_in(include_str!("table.txt")).isa(DESCRIPTION));
    &ISA
}

const fn saved() -> [u8; 128 - SAVED as usize] {
    let mut all = [0; 128 - SAVED as usize];
    let mut k = 0;
    while k < all.len() {
        all[k] = SAVED + k as u8;
        k += 1;
    }
    all
}

/// The calling convention of C functions: "SPU Application Binary Interface Specification" (IBM, Sony,
/// Toshiba), low-level system information. The stack pointer's other words hold the available stack size.
pub const CONVENTION: Convention = Convention {
    name: "SPU ABI",
    source: "SPU Application Binary Interface Specification, function calling sequence",
    arguments: &[&[FIRST], &[FIRST + 1], &[FIRST + 2], &[FIRST + 3], &[FIRST + 4]],
    stack_pointer: SP,
    stack_arguments: 32,
    alignment: 16,
    red_zone: 0,
    // The save area of the link register, a quadword after the back chain.
    saves: (16, 32),
    returns: Return::Register(LR, 0),
    saved: &saved(),
    fixed: &[],
    windows: None,
    stack_alignment: 16,
    held_alignment: 16,
    back_chain: false,
    callers_by_fours: true,
    slot: 96,
    reserved: &[],
    halves: None,
    buffers: 16,
};
