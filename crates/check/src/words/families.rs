//! Families of processors of 32-bit words.

/// A family of processors.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name of the processor in proofs.
    pub name: &'static str,
    /// The rows of instructions.
    pub rows: &'static str,
    /// True if words and codes have their highest byte first in memory.
    pub is_big: bool,
    /// True if instructions have 2 or 4 bytes, the upper half first.
    pub has_halves: bool,
    /// The number of registers that statements name.
    pub registers: u8,
    /// Registers of arguments; the others are on the stack.
    pub arguments: &'static [u8],
    /// Registers that are the caller's.
    pub saved: &'static [u8],
    /// Registers that no instruction may name.
    pub foreign: &'static [u8],
    /// Registers that are flags: 0 or 1.
    pub flags: &'static [u8],
    /// The register that is always zero.
    pub zero: Option<u8>,
    /// The register that has the return address at entry, less a distance.
    pub link: u8,
    /// This distance.
    pub back: u32,
    /// The stack pointer.
    pub stack: u8,
    /// It is moved by multiples of this number.
    pub stack_step: i128,
    /// Bits of the low part of an address that a linker writes.
    pub low: usize,
    /// True if only an instruction behind a prefix, which has the high part, has the low one.
    pub has_prefix: bool,
    /// The difference of an address that is jumped to from the place.
    pub mark: i128,
    /// True if functions read constants that stand beside them in the code.
    pub reads_code: bool,
}

/// All families.
pub const FAMILIES: [Family; 7] = [
    // RISC-V ELF psABI, integer calling convention, where gp and tp are never changed.
    Family {
        name: "rv32",
        rows: include_str!("rv32.txt"),
        arguments: &[10, 11, 12, 13, 14],
        saved: &[2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27],
        zero: Some(0),
        link: 1,
        stack: 2,
        stack_step: 16,
        ..PLAIN
    },
    // Procedure Call Standard for the Arm Architecture, 6.1 and 6.2, little-endian. A function of `arm` returns by `bx`, so
    // that its caller may be Thumb code; `armv4` has no Thumb.
    Family { name: "arm", rows: concat!(include_str!("arm.txt"), include_str!("armv4t.txt")), ..ARM },
    Family { name: "armv4", rows: concat!(include_str!("arm.txt"), include_str!("armv4.txt")), ..ARM },
    Family { name: "thumb", rows: include_str!("thumb.txt"), has_halves: true, mark: 1, ..ARM },
    Family {
        name: "thumb2",
        rows: concat!(include_str!("thumb.txt"), include_str!("thumb2.txt")),
        has_halves: true,
        mark: 1,
        ..ARM
    },
    // System V ABI, PowerPC Processor Supplement: r2 and r13 are the system's, and r32 is the link register.
    Family {
        name: "ppc",
        rows: include_str!("ppc.txt"),
        is_big: true,
        registers: 39,
        arguments: &[3, 4, 5, 6, 7],
        saved: &[1, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
        foreign: &[2, 13],
        link: 32,
        stack: 1,
        stack_step: 16,
        low: 16,
        ..PLAIN
    },
    // MicroBlaze Processor Reference Guide (UG984), Application Binary Interface: r2 and r13 are anchors of data areas, and
    // the processor writes r14, r16 and r17 at any time.
    Family {
        name: "microblaze",
        rows: include_str!("microblaze.txt"),
        registers: 33,
        arguments: &[5, 6, 7, 8, 9],
        saved: &[1, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
        foreign: &[2, 13, 14, 16, 17],
        zero: Some(0),
        link: 15,
        back: 8,
        stack: 1,
        low: 16,
        has_prefix: true,
        ..PLAIN
    },
];

/// A family without what only some have.
const PLAIN: Family = Family {
    name: "",
    rows: "",
    is_big: false,
    has_halves: false,
    registers: 32,
    arguments: &[],
    saved: &[],
    foreign: &[],
    flags: &[],
    zero: None,
    link: 0,
    back: 0,
    stack: 0,
    stack_step: 4,
    low: 12,
    has_prefix: false,
    mark: 0,
    reads_code: false,
};

/// The common properties of families of ARM. Registers 16 to 19 are the flags N, Z, C and V.
const ARM: Family = Family {
    arguments: &[0, 1, 2, 3],
    saved: &[4, 5, 6, 7, 8, 9, 10, 11, 13],
    flags: &[16, 17, 18, 19],
    link: 14,
    stack: 13,
    reads_code: true,
    ..PLAIN
};
