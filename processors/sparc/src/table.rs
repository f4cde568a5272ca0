//! The instruction table of SPARC V9: the user-level integer instructions of "The SPARC Architecture Manual,
//! Version 9" (SPARC International, 1994), appendix A.
//!
//! A function has a register window: `save` makes the caller's `%o` registers its `%i` registers and gives it
//! new `%l` and `%o` registers; `restore` undoes this (6.4.2). The table has the registers that are currently
//! visible, those of the previous window, and the content of a new window, which is unknown. It models one
//! `save` and one `restore` per function, which suffices for functions that call nothing; if a second window
//! were needed, control goes to an address without instructions.
//!
//! Not included: floating point, the Y register and its users, atomic accesses, other address spaces, and
//! privileged instructions.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Reserved, Return, Windows};
use aesmith_isa::sheet::Sheet;
use aesmith_isa::{ByteOrder, Description, Isa, Kind, Unaligned};

use crate::undefined::undefined;

const R: Kind = Kind::Register { base: 0, step: 1 };

const fn number(signed: bool, width: u8) -> Kind {
    Kind::Number { signed, width }
}

/// The numbers of registers `%o0` and `%i0`.
pub const O0: u8 = 8;
/// See [`O0`].
pub(crate) const I0: u8 = 24;
/// The stack pointer, `%o6`.
pub const SP: u8 = 14;
/// The number of the first hidden register.
const HIDDEN: u8 = 41;
/// The number of the register that records window moves: 0 before `save`, 1 after it, 2 after `restore`.
const MOVES: u8 = HIDDEN + 32;

const DESCRIPTION: Description = Description {
    name: "SPARC",
    address: 64,
    order: ByteOrder::Big,
    unit: 4,
    general: 32,
    unaligned: Unaligned::Never {
        is: "is a trap",
        source: "The SPARC Architecture Manual, Version 9, 6.3.1.1",
    },
    zero: Some(0),
    kinds: &[
        ("rd", R),
        ("rs", R),
        ("simm", number(true, 64)),
        ("shcnt", number(false, 6)),
        ("imm", number(false, 64)),
        ("off", Kind::Relative { bias: 0, width: 64 }),
    ],
    ..Description::PLAIN
};

/// The table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> =
        LazyLock::new(|| Sheet::compiled_in(include_str!("table.txt")).isa(DESCRIPTION).leaving(undefined));
    &ISA
}

/// The calling convention of C functions: "SPARC Compliance Definition 2.4" (SPARC International, 1999),
/// 64-bit. `%g2` and `%g3` belong to the application, and calls do not preserve them; `%g6` and `%g7` belong to
/// the system. The stack pointer is 2047 bytes below the frame, in whose first 128 bytes the system saves the
/// window's `%l` and `%i` registers.
pub const CONVENTION: Convention = Convention {
    name: "SPARC V9 ABI, 64-bit",
    source: "SPARC Compliance Definition 2.4, low-level system information for 64-bit code, function calling sequence",
    arguments: &[&[O0], &[O0 + 1], &[O0 + 2], &[O0 + 3], &[O0 + 4], &[O0 + 5]],
    stack_pointer: SP,
    stack_arguments: 176,
    alignment: 8,
    red_zone: 0,
    // Six words for arguments in registers, after those for a window.
    saves: (128, 176),
    returns: Return::Register(O0 + 7, 8),
    saved: &[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    fixed: &[],
    windows: Some(Windows { bias: 2047, spilled: 128, alignment: 16, caller: I0 + 6, moves: MOVES }),
    stack_alignment: 16,
    held_alignment: 16,
    back_chain: false,
    callers_by_fours: true,
    slot: 0,
    reserved: &[
        Reserved {
            registers: &[6, 7],
            holds: "what the system keeps there, such as the thread",
            source: "SPARC Compliance Definition 2.4, registers of 64-bit code",
            changes: false,
            only: None,
        },
        Reserved {
            registers: &[2, 3],
            holds: "what the application keeps there",
            source: "SPARC Compliance Definition 2.4, registers of 64-bit code",
            changes: false,
            only: Some("programs that keep values of their own in %g2 or %g3"),
        },
        Reserved {
            registers: &[4],
            holds: "the base of the data segment",
            source: "GCC's options for SPARC, -mcmodel=embmedany",
            changes: false,
            only: Some("programs compiled with -mcmodel=embmedany, whose %g4 holds the base of their data"),
        },
    ],
    halves: None,
    buffers: 8,
};
