//! The instruction table of MicroBlaze, 32 bits, little-endian: UG984 (MicroBlaze Processor Reference Guide),
//! chapter "MicroBlaze Instruction Set Architecture". Encodings are written highest bit first, where UG984
//! numbers the highest bit 0.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Reserved, Return};
use aesmith_isa::sheet::Sheet;
use aesmith_isa::{Description, Isa, Kind, Unaligned};

use crate::undefined::undefined;

const R: Kind = Kind::Register { base: 0, step: 1 };

const fn number(signed: bool) -> Kind {
    Kind::Number { signed, width: 32 }
}

const DESCRIPTION: Description = Description {
    name: "MicroBlaze",
    general: 32,
    unaligned: Unaligned::Never {
        is: "drops the lowest bits of the address, or is an exception in processors built with C_UNALIGNED_EXCEPTIONS",
        source: "UG984, Instructions (lwi, swi) and Unaligned Data Access Exception",
    },
    zero: Some(0),
    kinds: &[
        ("rd", R),
        ("ra", R),
        ("rb", R),
        ("imm", number(true)),
        ("count", number(false)),
        ("width", number(false)),
        ("top", number(false)),
        ("off", Kind::Relative { bias: 0, width: 32 }),
        // With a prefix, the distance counts from the second word.
        ("far", Kind::Relative { bias: 4, width: 32 }),
    ],
    ..Description::PLAIN
};

/// Units that a design contains only on request (UG984, table of parameters: C_USE_HW_MUL of 2, C_USE_DIV).
const WIDE_MULTIPLIER: &str = "the multiplier of 64 bits (C_USE_HW_MUL = 2)";
/// See [`WIDE_MULTIPLIER`].
const DIVIDER: &str = "the divider (C_USE_DIV = 1)";

/// The table of a MicroBlaze with all units.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> =
        LazyLock::new(|| Sheet::compiled_in(include_str!("table.txt")).isa(DESCRIPTION).leaving(undefined));
    &ISA
}

/// The table of the processors here: with barrel shifter, 32-bit multiplier, pattern comparison and reordering.
pub fn plain() -> &'static Isa {
    static PLAIN: LazyLock<Isa> = LazyLock::new(|| {
        isa().clone().without("a MicroBlaze as it is configured here", &[WIDE_MULTIPLIER, DIVIDER])
    });
    &PLAIN
}

/// The section that defines the use of registers.
const REGISTER_USAGE: &str = "UG984, MicroBlaze Application Binary Interface, Register Usage Conventions";

/// The calling convention of C functions: UG984, chapter "MicroBlaze Application Binary Interface", register
/// usage and stack conventions. The caller's frame holds a word for the callee's return address and one for
/// each argument that is passed in a register.
pub const CONVENTION: Convention = Convention {
    name: "MicroBlaze ABI",
    source: "UG984, MicroBlaze Application Binary Interface",
    arguments: &[&[5], &[6], &[7], &[8], &[9], &[10]],
    stack_pointer: 1,
    stack_arguments: 28,
    alignment: 4,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Register(15, 8),
    saved: &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    fixed: &[],
    windows: None,
    stack_alignment: 4,
    held_alignment: 4,
    back_chain: false,
    callers_by_fours: true,
    slot: 0,
    reserved: &[
        Reserved {
            registers: &[2, 13],
            holds: "the anchor of a small data area, which handlers of interrupts go by",
            source: REGISTER_USAGE,
            changes: false,
            only: None,
        },
        Reserved {
            registers: &[14],
            holds: "the address of return of an interrupt, which the processor writes at any time",
            source: REGISTER_USAGE,
            changes: true,
            only: None,
        },
        Reserved {
            registers: &[16, 17],
            holds: "the address of return of a break or an exception, which the processor writes at any time",
            source: REGISTER_USAGE,
            changes: true,
            only: None,
        },
    ],
    halves: None,
    buffers: 4,
};
