//! How C functions are called on a processor: what interpreter, prover and emitted headers go by.

/// Where the address to return to is at entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Return {
    /// In a register; the function returns to it plus so much (8 on MicroBlaze: over the call and
    /// its delay slot).
    Register(u8, u8),
    /// On the stack: two bytes, the higher at the lower address, counting words (AVR).
    Pushed,
}

/// A C calling convention, in numbers of [`crate::table::Description::registers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Convention {
    /// Its source: document and section.
    pub source: &'static str,
    /// Registers of integer and pointer arguments, in order; each as its registers, lowest first.
    pub arguments: &'static [&'static [u8]],
    /// The stack pointer. It points to the last byte pushed, or on AVR below it. Arguments beyond
    /// the registers lie at it and above.
    pub stack_pointer: u8,
    /// Bytes above the stack pointer at entry at which arguments on the stack begin.
    pub stack_arguments: u8,
    /// Where the return address is.
    pub returns: Return,
    /// Registers that a function leaves as they were, the stack pointer apart.
    pub saved: &'static [u8],
    /// Registers that hold a number at entry and must at return.
    pub fixed: &'static [(u8, u64)],
}
