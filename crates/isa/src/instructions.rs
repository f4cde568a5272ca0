//! The complete interface between the prover over lanes and a processor's instructions.
//!
//! A processor decodes a kernel once. The prover follows its paths over [`Instruction`], plain data with the same
//! meaning for all processors, and passes an instruction back to have it executed, printed or checked.

use crate::convention::Convention;
use crate::lanes::{Condition, Counts, Decision, Domain, Machine};

/// The control flow after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Execution continues with the next instruction.
    Next,
    /// Execution continues with the instruction at this offset.
    Jump(u64),
    /// Execution continues with the instruction at the target if the branch is taken, else with the next one.
    Branch {
        /// The offset of a taken branch's target.
        target: u64,
        /// The domain's decision.
        decision: Decision,
    },
    /// Execution returns to the caller. A return address on the stack is already popped and is not read: the driver of
    /// the execution must check that the stack pointer is back at the caller's value and the address unchanged.
    Return,
}

/// The possible successors of an instruction, for any values of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leads {
    /// The next instruction.
    Next,
    /// The instruction at this offset.
    Jump(u64),
    /// The instruction at the target, or the next one.
    Branch {
        /// The offset of a taken branch's target.
        target: u64,
        /// The condition under which it is taken, if the table has a row for it.
        condition: Option<Condition>,
    },
    /// The caller.
    Return,
    /// A place that the instruction does not determine: calls, traps, jumps to the address in a register.
    Elsewhere,
    /// None: the bytes are no instruction.
    Nowhere,
}

impl Leads {
    /// The offset of the target of a jump or a branch.
    pub const fn target(self) -> Option<u64> {
        match self {
            Leads::Jump(target) | Leads::Branch { target, .. } => Some(target),
            _ => None,
        }
    }

    /// True if the next instruction is never executed after this one.
    pub const fn ends(self) -> bool {
        matches!(self, Leads::Jump(_) | Leads::Return | Leads::Nowhere)
    }
}

/// The role of an instruction in the order of memory accesses and in messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// An instruction that computes, moves or jumps.
    Plain,
    /// A store that may become visible after later stores ([`crate::lanes::Access::Streaming`]).
    StreamingStore,
    /// A fence: streaming stores before it become visible before later stores.
    Fence,
    /// An instruction that does nothing or is never executed, which assemblers write as padding.
    Padding,
}

/// A decoded instruction, reduced to the properties that all processors share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its number, which [`Instructions`] takes.
    pub number: u32,
    /// The offset of its first byte from the kernel's first.
    pub offset: u64,
    /// The offset of the first byte after it.
    pub end: u64,
    /// Its possible successors.
    pub leads: Leads,
    /// Its role in the order of memory accesses.
    pub role: Role,
    /// True if no vendor promises that its execution time is independent of its data.
    pub unlisted: bool,
    /// The immediate that it compares a register with.
    pub compared: Option<i64>,
}

/// A set of registers of a [`Machine`]: bit `i` is register `i`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Registers {
    /// General-purpose registers.
    pub general: u64,
    /// Vector registers, whole or in part.
    pub vector: u128,
    /// Opmask registers.
    pub mask: u16,
    /// The status flags.
    pub flags: bool,
}

impl Registers {
    /// The empty set.
    pub const NONE: Registers = Registers { general: 0, vector: 0, mask: 0, flags: false };
    /// All registers.
    pub const ALL: Registers =
        Registers { general: u64::MAX, vector: u128::MAX, mask: u16::MAX, flags: true };

    /// The union of both sets.
    #[must_use]
    pub const fn or(self, other: Registers) -> Registers {
        Registers {
            general: self.general | other.general,
            vector: self.vector | other.vector,
            mask: self.mask | other.mask,
            flags: self.flags || other.flags,
        }
    }

    /// The registers that are not in the other set.
    #[must_use]
    pub const fn without(self, other: Registers) -> Registers {
        Registers {
            general: self.general & !other.general,
            vector: self.vector & !other.vector,
            mask: self.mask & !other.mask,
            flags: self.flags && !other.flags,
        }
    }
}

/// The registers that an instruction uses, including implied ones and those of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Uses {
    /// Registers that it reads.
    pub read: Registers,
    /// Registers that it overwrites completely.
    pub written: Registers,
}

/// The instructions of a processor, decoded and executed over the values of a domain.
pub trait Instructions<D: Domain> {
    /// The calling convention of functions.
    fn convention(&self) -> &'static Convention;

    /// The number of its registers, which is that of every machine on which it executes.
    fn registers(&self) -> Counts;

    /// The source, in one or more sentences for certificates, for the claim that instructions that are not
    /// [`Instruction::unlisted`] take a time that does not depend on their data.
    fn listing(&self) -> &'static str;

    /// The name of a general-purpose register.
    fn general_name(&self, number: u8) -> &'static str;

    /// Drops all decoded instructions.
    fn clear(&mut self);

    /// Decodes consecutive instructions from an offset on, until the end of `code` or until `more` returns false, and
    /// stores them by their numbers.
    fn decode(&mut self, code: &[u8], from: u64, more: &mut dyn FnMut(Instruction) -> bool);

    /// Executes an instruction. After an error, the machine may be partly changed and must be discarded.
    ///
    /// # Errors
    /// The domain's refusals, and [`crate::lanes::Unsupported`] for instructions that the processor's table does not
    /// hold.
    fn execute(&self, number: u32, machine: &mut Machine<D>, domain: &mut D) -> Result<Flow, D::Error>;

    /// Refuses bytes that differ from the one encoding of the instruction that they were decoded to, because another
    /// processor may decode them differently.
    ///
    /// # Errors
    /// A sentence on the difference.
    fn check_encoding(&self, number: u32, bytes: &[u8]) -> Result<(), String>;

    /// The registers that an instruction names as operands; `None` if it names one that [`Registers`] cannot represent.
    fn operands(&self, number: u32) -> Option<Registers>;

    /// The registers that an instruction reads and overwrites. Soundness must not depend on it.
    fn uses(&mut self, number: u32) -> Uses;

    /// Renders an instruction as text, for messages.
    fn text(&self, number: u32) -> String;
}
