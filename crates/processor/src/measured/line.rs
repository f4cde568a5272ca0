//! Instructions of machine code, taken apart again: what charts, counts and models of a loop ask of them.

use super::{Kind, TimingClass};
use aesmith_isa::instructions::Leads;

/// A register, whatever part of it an instruction names.
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
    /// As assembly.
    pub text: String,
    /// Where it begins in the code.
    pub offset: usize,
    /// Where the next one begins.
    pub end: usize,
    /// Where it leads.
    pub leads: Leads,
    /// What it occupies: its computing part first, then its load, then its store. Empty where the table has no row
    /// of it.
    pub parts: Vec<Kind>,
    /// Whether the first part computes, and does not only load or store.
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
    /// How often it is executed.
    pub times: f64,
}

impl Line {
    /// Whether it is a branch that need not be taken.
    pub fn branches_conditionally(&self) -> bool {
        matches!(self.leads, Leads::Branch { .. })
    }

    /// Whether one of its parts is of a class.
    pub fn has(&self, class: TimingClass) -> bool {
        self.parts.iter().any(|part| part.class == class)
    }
}
