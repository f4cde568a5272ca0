//! How C functions are called on a processor: what interpreter, prover and emitted headers go by.

/// Where the address to return to is at entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Return {
    /// In a register; the function returns to it plus so much (8 on MicroBlaze: over the call and
    /// its delay slot).
    Register(u8, u8),
    /// On the stack at the stack pointer, in so many bytes that the return takes off: eight with the lowest byte
    /// first on x86-64, four on i386; two with the highest first, counting words, on AVR.
    Pushed(u8),
}

/// Windows of registers, which `save` and `restore` move over more registers than have names (SPARC).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Windows {
    /// The stack pointer's register holds its address less so much.
    pub bias: i64,
    /// Bytes from the stack pointer on to which the system may move a window at any time: no function's own, neither of
    /// this window nor of its caller's.
    pub spilled: u8,
    /// What stack pointers are multiples of.
    pub alignment: u8,
    /// The register that is the stack pointer of the window before: the system goes by it.
    pub caller: u8,
    /// A register of the table alone, which says what windows were moved: it is 0 at entry.
    pub moves: u8,
}

/// Registers that belong to the platform: interrupts, threads or small-data bases use them at any time, so that a
/// function may not write them, not even if it puts back what was there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    /// Their numbers.
    pub registers: &'static [u8],
    /// Their use, as in "r14 holds ...".
    pub holds: &'static str,
    /// The document and section that reserves them.
    pub source: &'static str,
    /// If the platform itself writes them, at any instruction: then their value is not known from one instruction to
    /// the next, and they may not be read either.
    pub changes: bool,
    /// If only some platforms reserve them, these, as in "not so in ...": kernels may use them elsewhere, and certificates
    /// say so.
    pub only: Option<&'static str>,
}

/// How the halves of a stack pointer that no instruction sets as a whole may be set, so that no interrupt sees one half
/// of the old address beside one of the new (AVR).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Halves {
    /// The flag that lets interrupts happen. While it is 0, and for one instruction after one that sets it, none does.
    pub interrupts: u8,
    /// If a write of the low half keeps interrupts off until the next instruction has set the high half.
    pub low_first: bool,
    /// The document and section that says so.
    pub source: &'static str,
}

/// A C calling convention, in numbers of [`crate::table::Description::registers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Convention {
    /// Its name in messages and certificates.
    pub name: &'static str,
    /// Its source: document and section.
    pub source: &'static str,
    /// Registers of integer and pointer arguments, in order; each as its registers, lowest first.
    pub arguments: &'static [&'static [u8]],
    /// The stack pointer. It points to the last byte pushed, or on AVR below it. Arguments beyond
    /// the registers lie at it and above.
    pub stack_pointer: u8,
    /// Bytes above the stack pointer at entry at which arguments on the stack begin.
    pub stack_arguments: u8,
    /// Arguments on the stack begin at a multiple of so many bytes, a power of two.
    pub alignment: u8,
    /// Bytes below the stack pointer that a function may use and that nobody overwrites meanwhile.
    pub red_zone: u8,
    /// Bytes of the caller's frame that are for the function called to write, where it saves the address of return or its
    /// arguments: from the first number above the stack pointer at entry to before the second.
    pub saves: (u8, u8),
    /// Where the return address is.
    pub returns: Return,
    /// Registers that a function leaves as they were, the stack pointer apart.
    pub saved: &'static [u8],
    /// Registers that hold a number at entry and must at return.
    pub fixed: &'static [(u8, u64)],
    /// Windows of registers, if there are such.
    pub windows: Option<Windows>,
    /// What the stack pointer is a multiple of at entry, apart from what a call pushed.
    pub stack_alignment: u8,
    /// The lowest bit of an address or an integer in its register. It is not 0 where all registers have 128 bits, of which
    /// the highest word is for these (SPU: the preferred slot).
    pub slot: u8,
    /// Registers of the platform.
    pub reserved: &'static [Reserved],
    /// How the stack pointer is set, if by halves.
    pub halves: Option<Halves>,
    /// Callers put buffers at multiples of so many bytes where a function's header asks for that, and of no more: a
    /// power of two.
    pub buffers: u8,
}

impl Convention {
    /// A number in a register, with zeros beside it.
    pub fn put(&self, number: u64) -> u128 {
        u128::from(number) << self.slot
    }

    /// The number that a register holds.
    pub fn get(&self, register: u128) -> u64 {
        (register >> self.slot) as u64
    }

    /// What the stack pointer's register lacks to its address.
    pub const fn bias(&self) -> i64 {
        match self.windows {
            Some(windows) => windows.bias,
            None => 0,
        }
    }

    /// Bytes at the stack pointer that are not in use: AVR's points to the byte below the last one pushed.
    pub const fn below(&self) -> i64 {
        matches!(self.returns, Return::Pushed(2)) as i64
    }

    /// Bytes of the return address that lie on the stack at entry and that the return takes off.
    pub const fn pushed(&self) -> i64 {
        match self.returns {
            Return::Register(..) => 0,
            Return::Pushed(bytes) => bytes as i64,
        }
    }
}
