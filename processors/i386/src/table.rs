//! The instruction table of 32-bit x86 in its flat model: general registers, memory operands with every
//! addressing form, and the flags that programs test (Intel 64 and IA-32 Architectures Software Developer's
//! Manual, volume 2).
//!
//! Not included: conditions on parity, registers of 8 and 16 bits as destinations (except in `set`),
//! segments, division, string instructions, floating point, MMX (which shares registers with floating point, so
//! that a kernel would have to end in `emms`) and SSE.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::sheet::Sheet;
use aesmith_isa::{Description, Isa, Kind, Unaligned};

use crate::undefined::undefined;

/// Numbers of general registers.
pub const EAX: i32 = 0;
/// See [`EAX`].
pub const ECX: i32 = 1;
/// See [`EAX`].
pub const EDX: i32 = 2;
/// See [`EAX`].
pub const EBX: i32 = 3;
/// See [`EAX`].
pub(crate) const ESP: i32 = 4;
/// See [`EAX`].
pub(crate) const EBP: i32 = 5;
/// See [`EAX`].
pub const ESI: i32 = 6;
/// See [`EAX`].
pub const EDI: i32 = 7;

const R: Kind = Kind::Register { base: 0, step: 1 };

const DESCRIPTION: Description = Description {
    name: "i386",
    unit: 1,
    general: 8,
    unaligned: Unaligned::Works {
        source: "Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 4.1.1, and volume 3, 6.15 (#AC), with EFLAGS.AC clear",
    },
    kinds: &[
        ("r", R),
        ("m", R),
        ("b", R),
        ("i", R),
        // For these four registers, fields of two bits name the lowest byte and the second one.
        ("q", R),
        ("s", Kind::Names { width: 8, names: &["1", "2", "4", "8"] }),
        ("d", Kind::Number { signed: true, width: 32 }),
        ("n", Kind::Number { signed: true, width: 32 }),
        ("e", Kind::Number { signed: true, width: 8 }),
        ("c", Kind::Number { signed: false, width: 8 }),
        ("short", Kind::Relative { bias: 2, width: 32 }),
        ("near", Kind::Relative { bias: 5, width: 32 }),
        ("far", Kind::Relative { bias: 6, width: 32 }),
    ],
    ..Description::PLAIN
};

/// The instruction table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> =
        LazyLock::new(|| Sheet::compiled_in(include_str!("table.txt")).isa(DESCRIPTION).leaving(undefined));
    &ISA
}

/// The calling convention of C functions: all arguments on the stack, above the return address.
pub const CONVENTION: Convention = Convention {
    name: "System V ABI for i386",
    source: "System V Application Binary Interface, Intel386 Architecture Processor Supplement, version 1.0, 2.2",
    arguments: &[],
    stack_pointer: ESP as u8,
    stack_arguments: 4,
    alignment: 4,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Pushed(4),
    saved: &[EBX as u8, EBP as u8, ESI as u8, EDI as u8],
    fixed: &[],
    windows: None,
    stack_alignment: 4,
    held_alignment: 4,
    back_chain: false,
    callers_by_fours: false,
    slot: 0,
    reserved: &[],
    halves: None,
    buffers: 1,
};
