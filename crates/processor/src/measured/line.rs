//! Decoded instructions of machine code, with the properties that charts, counts and models of a loop need.

use super::{Kind, TimingClass};
use aesmith_isa::instructions::Leads;

/// A register; all its parts count as the same register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Register {
    /// A vector register.
    Vector(u16),
    /// Any other register, by the number that the processor's table gives it.
    Other(u16),
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its text in assembly.
    pub text: String,
    /// Its offset in the code.
    pub offset: usize,
    /// Offset of the next instruction.
    pub end: usize,
    /// Its control flow.
    pub leads: Leads,
    /// The kinds of its parts: the computing part first, then its load, then its store. Empty if the table has no row
    /// for it.
    pub parts: Vec<Kind>,
    /// True if the first part computes, and is not only a load or store.
    pub computes: bool,
    /// Registers whose value it may read.
    pub reads: Vec<Register>,
    /// Registers that it may write.
    pub writes: Vec<Register>,
}

/// An instruction that a call executes.
#[derive(Clone, Debug)]
pub struct Executed {
    /// The instruction.
    pub line: Line,
    /// Number of executions.
    pub times: f64,
}

impl Line {
    /// True if it is a conditional branch.
    pub fn branches_conditionally(&self) -> bool {
        matches!(self.leads, Leads::Branch { .. })
    }

    /// True if one of its parts is of a class.
    pub fn has(&self, class: TimingClass) -> bool {
        self.parts.iter().any(|part| part.class == class)
    }
}
