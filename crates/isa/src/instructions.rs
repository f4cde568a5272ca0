//! What the prover over lanes may know of a processor's instructions, and all it may know.
//!
//! A processor decodes a kernel once; whoever follows its paths reads [`Instruction`], plain data that is alike
//! for all processors, and hands an instruction back to have it executed, printed or checked.

use crate::convention::Convention;
use crate::lanes::{Condition, Decision, Domain, Machine};

/// Where execution goes after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next instruction.
    Next,
    /// The instruction at that offset.
    Jump(u64),
    /// The instruction at that offset if the branch is taken, else the next one.
    Branch {
        /// Where a taken branch goes.
        target: u64,
        /// What the domain says of it.
        decision: Decision,
    },
    /// The caller. A return address on the stack is already off it and is not read: whoever drives the
    /// execution holds that the stack pointer is back where the caller had it and the address untouched.
    Return,
}

/// Where an instruction may lead, whatever its operands hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leads {
    /// To the next instruction.
    Next,
    /// To the instruction at that offset.
    Jump(u64),
    /// To the instruction at that offset, or to the next one.
    Branch {
        /// Where a taken branch goes.
        target: u64,
        /// When it is taken, where the table has a row for it.
        condition: Option<Condition>,
    },
    /// To the caller.
    Return,
    /// To a place that the instruction does not say: calls, traps, jumps to what a register holds.
    Elsewhere,
    /// Nowhere: the bytes are no instruction.
    Nowhere,
}

impl Leads {
    /// Where a jump or a branch goes.
    pub const fn target(self) -> Option<u64> {
        match self {
            Leads::Jump(target) | Leads::Branch { target, .. } => Some(target),
            _ => None,
        }
    }

    /// Whether the next instruction is never executed after this one.
    pub const fn ends(self) -> bool {
        matches!(self, Leads::Jump(_) | Leads::Return | Leads::Nowhere)
    }
}

/// What an instruction is for the order of memory accesses, and for the reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It computes, moves or jumps.
    Plain,
    /// Its store may be seen after stores behind it ([`crate::lanes::Access::Streaming`]).
    StreamingStore,
    /// Streaming stores before it are seen before stores behind it.
    Fence,
    /// It does nothing, or is never executed: what assemblers write between instructions.
    Padding,
}

/// A decoded instruction, as far as all processors have the same words for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its number: what [`Instructions`] calls it.
    pub number: u32,
    /// Its first byte, counted from the kernel's.
    pub offset: u64,
    /// The first byte behind it.
    pub end: u64,
    /// Where it leads.
    pub leads: Leads,
    /// What it is for memory.
    pub role: Role,
    /// Whether its time may depend on its data: nobody promises that it does not.
    pub unlisted: bool,
    /// The number that it compares a register with.
    pub compared: Option<i64>,
}

/// Registers of a [`Machine`]: bit `i` is register `i`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Registers {
    /// General-purpose registers.
    pub general: u64,
    /// Vector registers, however much of them.
    pub vector: u128,
    /// Opmask registers.
    pub mask: u16,
    /// The status flags.
    pub flags: bool,
}

impl Registers {
    /// None of them.
    pub const NONE: Registers = Registers { general: 0, vector: 0, mask: 0, flags: false };
    /// All of them.
    pub const ALL: Registers =
        Registers { general: u64::MAX, vector: u128::MAX, mask: u16::MAX, flags: true };

    /// Those of either set.
    #[must_use]
    pub const fn or(self, other: Registers) -> Registers {
        Registers {
            general: self.general | other.general,
            vector: self.vector | other.vector,
            mask: self.mask | other.mask,
            flags: self.flags || other.flags,
        }
    }

    /// Those that are not in the other set.
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

/// What an instruction does with registers, implied ones and those of addresses included.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Uses {
    /// Those that it reads.
    pub read: Registers,
    /// Those that it overwrites whole.
    pub written: Registers,
}

/// The instructions of a processor, decoded and executed over the values of a domain.
pub trait Instructions<D: Domain> {
    /// How functions are called.
    fn convention(&self) -> &'static Convention;

    /// On whose word instructions that are not [`Instruction::unlisted`] take a time that does not depend on their
    /// data: a sentence or several, for certificates.
    fn listing(&self) -> &'static str;

    /// The name of a general-purpose register.
    fn general_name(&self, number: u8) -> &'static str;

    /// Forgets what was decoded.
    fn clear(&mut self);

    /// Decodes one instruction after another from an offset on, to the end of `code` or until `more` is false of
    /// one, and keeps them by their numbers.
    fn decode(&mut self, code: &[u8], from: u64, more: &mut dyn FnMut(Instruction) -> bool);

    /// Executes an instruction. An error leaves the machine as it was or half changed: give up.
    ///
    /// # Errors
    /// The domain's refusals, and [`crate::lanes::Unsupported`] for what the processor's table does not hold.
    fn execute(&self, number: u32, machine: &mut Machine<D>, domain: &mut D) -> Result<Flow, D::Error>;

    /// Refuses bytes that are not the one encoding of the instruction that they were decoded to, and that another
    /// processor may read otherwise.
    ///
    /// # Errors
    /// A sentence on what the bytes are instead.
    fn check_encoding(&self, number: u32, bytes: &[u8]) -> Result<(), String>;

    /// The registers that an instruction names as operands; none where it names one that [`Registers`] cannot say.
    fn operands(&self, number: u32) -> Option<Registers>;

    /// What an instruction reads and overwrites. Soundness must not depend on it.
    fn uses(&mut self, number: u32) -> Uses;

    /// An instruction as text, for messages.
    fn text(&self, number: u32) -> String;
}
