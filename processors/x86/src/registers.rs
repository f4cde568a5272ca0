//! Register numbers: iced's names to places in [`aesmith_isa::lanes::Machine`], and their roles in the System V
//! calling convention.

use aesmith_isa::lanes::{Counts, Width};
use iced_x86::Register;

/// The registers of x86-64 with AVX-512.
pub const COUNTS: Counts = Counts { general: 16, vector: 32, mask: 8 };

/// Places of general-purpose registers in [`aesmith_isa::lanes::Machine::gpr`].
pub mod gpr {
    /// Return value; caller-saved.
    pub const RAX: usize = 0;
    /// Fourth argument.
    pub const RCX: usize = 1;
    /// Third argument.
    pub const RDX: usize = 2;
    /// Callee-saved.
    pub const RBX: usize = 3;
    /// Stack pointer.
    pub const RSP: usize = 4;
    /// Callee-saved.
    pub const RBP: usize = 5;
    /// Second argument.
    pub const RSI: usize = 6;
    /// First argument.
    pub const RDI: usize = 7;
    /// Fifth argument.
    pub const R8: usize = 8;
    /// Callee-saved; so are r13, r14 and r15 (13 to 15).
    pub const R12: usize = 12;
}

/// The integer arguments in order (System V AMD64 ABI, 3.2.3).
pub const ARGUMENTS: [usize; 6] = [gpr::RDI, gpr::RSI, gpr::RDX, gpr::RCX, gpr::R8, 9];

/// Number and width of a general-purpose register that starts at bit 0; `None` for others. For ah, ch, dh, bh
/// see `second_byte_number`.
pub fn gpr_number(register: Register) -> Option<(usize, Width)> {
    let r = register as usize;
    let from = |first: Register| r - first as usize;
    if r >= Register::RAX as usize && r <= Register::R15 as usize {
        Some((from(Register::RAX), Width::B64))
    } else if r >= Register::EAX as usize && r <= Register::R15D as usize {
        Some((from(Register::EAX), Width::B32))
    } else if r >= Register::AX as usize && r <= Register::R15W as usize {
        Some((from(Register::AX), Width::B16))
    } else if r >= Register::SPL as usize && r <= Register::R15L as usize {
        Some((from(Register::SPL) + 4, Width::B8))
    } else if r >= Register::AL as usize && r <= Register::BL as usize {
        Some((from(Register::AL), Width::B8))
    } else {
        None
    }
}

/// Number of the general-purpose register whose bits 8 to 15 are ah, ch, dh or bh.
pub(crate) fn second_byte_number(register: Register) -> Option<usize> {
    let r = register as usize;
    (r >= Register::AH as usize && r <= Register::BH as usize).then(|| r - Register::AH as usize)
}

/// Number of a vector register of any width.
pub(crate) fn vector_number(register: Register) -> Option<usize> {
    let r = register as usize;
    (r >= Register::XMM0 as usize && r <= Register::ZMM31 as usize)
        .then(|| (r - Register::XMM0 as usize) % 32)
}

/// Number of an opmask register.
pub(crate) fn mask_number(register: Register) -> Option<usize> {
    let r = register as usize;
    (r >= Register::K0 as usize && r <= Register::K7 as usize).then(|| r - Register::K0 as usize)
}
