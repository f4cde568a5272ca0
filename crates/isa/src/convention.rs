//! C calling conventions, as the interpreter, the prover and the emitted headers use them.

/// The place of the return address at entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Return {
    /// A register; the function returns to its value plus this number of bytes (8 on MicroBlaze: past the call and its
    /// delay slot).
    Register(u8, u8),
    /// The stack, at the stack pointer, in this number of bytes, which the return pops: eight, lowest byte first, on
    /// x86-64; four on i386; two, highest byte first and counting words, on AVR.
    Pushed(u8),
}

/// Register windows: `save` and `restore` shift them over more registers than have names (SPARC).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Windows {
    /// The stack pointer's register holds the address minus this number of bytes.
    pub bias: i64,
    /// Size in bytes of the area at the stack pointer to which the system may spill a window at any time. No function
    /// may use it, neither that of its own window nor that of its caller's.
    pub spilled: u8,
    /// The alignment of stack pointers, in bytes.
    pub alignment: u8,
    /// The register that is the stack pointer of the caller's window, which the system uses.
    pub caller: u8,
    /// A register that exists only in the table and counts the window shifts: it is 0 at entry.
    pub moves: u8,
}

/// Registers that belong to the platform. Interrupts, threads or small-data accesses use them at any time, so a
/// function may not write them, not even if it restores them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    /// Their numbers.
    pub registers: &'static [u8],
    /// Their use, as in "r14 holds ...".
    pub holds: &'static str,
    /// The source: document and section.
    pub source: &'static str,
    /// True if the platform itself writes them at any instruction. Their value may change between two instructions, so
    /// they may not be read either.
    pub changes: bool,
    /// The platforms that reserve them, as in "not so in ...", if not all do: kernels may use the registers on the
    /// others, and certificates say so.
    pub only: Option<&'static str>,
}

/// The rule for setting a stack pointer that no instruction writes as a whole, so that no interrupt sees one half of
/// the old address beside the other half of the new one (AVR).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Halves {
    /// The interrupt-enable flag. While it is 0, and for one instruction after one that sets it, no interrupt occurs.
    pub interrupts: u8,
    /// True if a write of the low half holds off interrupts until the next instruction has written the high half.
    pub low_first: bool,
    /// The source: document and section.
    pub source: &'static str,
}

/// The end of [`Convention::saves`] where the arguments on the stack belong to the callee, however many there are.
pub const ARGUMENTS: u8 = u8::MAX;

/// A C calling convention. Registers are numbers of [`crate::table::Description::registers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Convention {
    /// Its name in messages and certificates.
    pub name: &'static str,
    /// Its source: document and section.
    pub source: &'static str,
    /// Registers of integer and pointer arguments, in order; each argument as a list of registers, lowest first.
    pub arguments: &'static [&'static [u8]],
    /// The stack pointer. It points to the last byte pushed, or on AVR to the byte below it. Arguments beyond the
    /// registers lie at it and above.
    pub stack_pointer: u8,
    /// The offset in bytes from the stack pointer at entry to the first argument on the stack.
    pub stack_arguments: u8,
    /// The alignment in bytes of the first argument on the stack, a power of two.
    pub alignment: u8,
    /// Size in bytes of the area below the stack pointer that a function may use and that nothing else overwrites
    /// meanwhile.
    pub red_zone: u8,
    /// The bytes of the caller's frame that the callee may write, to save the return address or its arguments: from the
    /// first offset above the stack pointer at entry to before the second, or with [`ARGUMENTS`] to the end of the
    /// arguments on the stack.
    pub saves: (u8, u8),
    /// The place of the return address.
    pub returns: Return,
    /// Callee-saved registers, without the stack pointer.
    pub saved: &'static [u8],
    /// Registers that hold this number at entry and must hold it at return.
    pub fixed: &'static [(u8, u64)],
    /// The register windows, if there are any.
    pub windows: Option<Windows>,
    /// The alignment of the stack pointer at entry in bytes, not counting the bytes that a call pushed.
    pub stack_alignment: u8,
    /// The alignment of the stack pointer at any time, in bytes: handlers of interrupts rely on it.
    pub held_alignment: u8,
    /// True if the word at the stack pointer always holds the address of the frame before, also while the function runs.
    pub back_chain: bool,
    /// True if all instructions of callers are at multiples of four, so that return addresses are. RISC-V kernels without
    /// compressed instructions are called by code that has them.
    pub callers_by_fours: bool,
    /// The position of the lowest bit of an address or integer in its register. It is not 0 where all registers have
    /// 128 bits and their highest word holds such values (SPU: the preferred slot).
    pub slot: u8,
    /// Registers reserved for the platform.
    pub reserved: &'static [Reserved],
    /// The rule for setting the stack pointer, if that takes two halves.
    pub halves: Option<Halves>,
    /// The largest alignment in bytes, a power of two, that a function's header may require of the caller's buffers.
    pub buffers: u8,
}

impl Convention {
    /// The register value for a number: the number in its slot, zeros elsewhere.
    pub fn put(&self, number: u64) -> u128 {
        u128::from(number) << self.slot
    }

    /// The number that a register holds.
    pub fn get(&self, register: u128) -> u64 {
        (register >> self.slot) as u64
    }

    /// The difference between the address and the stack pointer's register, in bytes.
    pub const fn bias(&self) -> i64 {
        match self.windows {
            Some(windows) => windows.bias,
            None => 0,
        }
    }

    /// Unused bytes at the stack pointer: AVR's points to the byte below the last one pushed.
    pub const fn below(&self) -> i64 {
        matches!(self.returns, Return::Pushed(2 | 3)) as i64
    }

    /// Size in bytes of the return address if it lies on the stack at entry and the return pops it.
    pub const fn pushed(&self) -> i64 {
        match self.returns {
            Return::Register(..) => 0,
            Return::Pushed(bytes) => bytes as i64,
        }
    }
}
