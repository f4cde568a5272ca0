//! The instruction table of 32-bit PowerPC, big-endian: the user-level integer instructions of the "Programming
//! Environments Manual for 32-Bit Implementations of the PowerPC Architecture" (Freescale MPCFPE32B), chapter
//! 8. Encodings are written highest bit first, where that manual numbers the highest bit 0.
//!
//! Not included: prefetches, as no row models caches; floating point, string accesses, logic on single bits of
//! the condition register, division, overflow (`o` forms), and privileged instructions.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Reserved, Return};
use aesmith_isa::sheet::Sheet;
use aesmith_isa::{ByteOrder, Description, Isa, Kind, Unaligned};

use crate::undefined::undefined;

const R: Kind = Kind::Register { base: 0, step: 1 };
const V: Kind = Kind::Register { base: V0, step: 1 };

const fn number(signed: bool) -> Kind {
    Kind::Number { signed, width: 32 }
}

/// The number of the first field of the condition register.
pub(crate) const CR0: u8 = 32;
/// The number of the first vector register.
pub(crate) const V0: u8 = 40;
/// The number of the link register.
const LR: u8 = 72;

const DESCRIPTION: Description = Description {
    name: "PowerPC",
    address: 32,
    order: ByteOrder::Big,
    unit: 4,
    general: 72,
    unaligned: Unaligned::Single {
        others: "is an alignment exception",
        source: "MPC7410/MPC7400 RISC Microprocessor Reference Manual, 4.5.6, and MPC7450 RISC Microprocessor Family Reference Manual, 4.6.6",
    },
    kinds: &[
        ("rt", R),
        ("rs", R),
        ("ra", R),
        ("rb", R),
        ("cr", Kind::Register { base: CR0, step: 1 }),
        ("vt", V),
        ("va", V),
        ("vb", V),
        ("vc", V),
        ("d", number(true)),
        ("si", number(true)),
        ("ui", number(false)),
        ("sh", number(false)),
        ("mb", number(false)),
        ("me", number(false)),
        ("bi", number(false)),
        ("mask", number(false)),
        ("five", number(true)),
        ("place", number(false)),
        ("shb", number(false)),
        ("off", Kind::Relative { bias: 0, width: 32 }),
    ],
    ..Description::PLAIN
};

/// The table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> = LazyLock::new(|| {
        let text = [include_str!("table.txt"), include_str!("altivec.txt")].concat();
        Sheet::compiled_in(&text).isa(DESCRIPTION).leaving(undefined)
    });
    &ISA
}

/// The numbers of v0 to v31.
const VECTORS: [u8; 32] = {
    let mut all = [40; 32];
    let mut k = 0;
    while k < 32 {
        all[k] += k as u8;
        k += 1;
    }
    all
};

/// The calling convention of C functions: System V Application Binary Interface, PowerPC Processor Supplement
/// (Sun, 1995), chapter 3, registers and stack frame; "AltiVec Technology Programming Interface Manual"
/// (Motorola ALTIVECPIM/D), 3.3: a function preserves v20 to v31, and VRSAVE. The caller's frame begins with a
/// pointer to the previous frame and a word for the callee's return address.
pub const CONVENTION: Convention = Convention {
    name: "System V ABI for 32-bit PowerPC",
    source: "System V Application Binary Interface, PowerPC Processor Supplement, 3-14 to 3-20",
    arguments: &[&[3], &[4], &[5], &[6], &[7], &[8], &[9], &[10]],
    stack_pointer: 1,
    stack_arguments: 8,
    alignment: 4,
    red_zone: 0,
    // The word of the link register: 3-18.
    saves: (4, 8),
    returns: Return::Register(LR, 0),
    saved: &[
        14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 34, 35, 36, 60, 61, 62, 63,
        64, 65, 66, 67, 68, 69, 70, 71, 76,
    ],
    fixed: &[],
    windows: None,
    stack_alignment: 16,
    // Stack frame organization: 3-17.
    held_alignment: 16,
    back_chain: true,
    callers_by_fours: true,
    slot: 0,
    reserved: &[
        Reserved {
            registers: &[2],
            holds: "what the system keeps there, such as the thread",
            source: "System V Application Binary Interface, PowerPC Processor Supplement, 3-14",
            changes: false,
            only: None,
        },
        Reserved {
            registers: &[13],
            holds: "the anchor of the small data area, which handlers of interrupts and signals go by",
            source: "System V Application Binary Interface, PowerPC Processor Supplement, 3-14",
            changes: false,
            only: None,
        },
        Reserved {
            registers: &VECTORS,
            holds: "vectors",
            source: "AltiVec Technology Programming Interface Manual, ALTIVECPIM/D, 3.3",
            changes: false,
            only: Some(
                "systems that save only the vector registers which VRSAVE names, unless the caller names all of them there",
            ),
        },
    ],
    halves: None,
    buffers: 16,
};
