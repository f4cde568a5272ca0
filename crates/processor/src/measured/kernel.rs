//! The machine code of a variant, and why there may be none.

use super::{Lengths, Measured};
use crate::dialect::MachineCode;
use aesmith_arrange::Variant;
use aesmith_order::Spills;
use std::fmt;
use std::ops::Range;

/// A variant's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The processor that it is for.
    pub processor: &'static Measured,
    /// What it was made from.
    pub variant: Variant,
    /// Machine code with its entry at offset 0, then its constants.
    pub bytes: Vec<u8>,
    /// Where the code ends.
    pub code_end: usize,
    /// Named places in the code: `entry`, `loop`, `body`, `body end`, `tail`, ...
    pub places: Vec<(&'static str, usize)>,
    /// The round keys that really stand in registers in the main loop: the mask as far as it fits.
    pub keys_in_registers: u16,
    /// Vector instructions of the main loop's body: what an order may move.
    pub loop_instructions: u16,
    /// Blocks that one pass of the main loop finishes.
    pub loop_blocks: usize,
    /// What the allocation of registers added, in all of the code together.
    pub spills: Spills,
    /// The lengths that it was written for: it is wrong for no other, unless it was written for fewer.
    pub lengths: Lengths,
}

/// Why a variant becomes no kernel on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It needs more registers than there are.
    Registers {
        /// Live at once.
        needed: usize,
        /// The target's.
        available: usize,
    },
    /// Its choices do not go together, for this reason.
    Shape(String),
    /// The target lacks the instructions for it.
    Unsupported(String),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Registers { needed, available } => {
                write!(f, "it needs {needed} registers and there are {available}")
            }
            Unfit::Shape(reason) | Unfit::Unsupported(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Unfit {}

/// Kernels of one problem behind a choice by length, in one string of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Machine code: the choice, then each kernel; then the constants of each.
    pub bytes: Vec<u8>,
    /// Where each kernel starts, and the longest message that it is chosen for.
    pub parts: Vec<(usize, Option<u64>)>,
    /// Where instructions stand: what is between them is padding.
    pub code: Vec<Range<usize>>,
}

impl From<&Kernel> for MachineCode {
    fn from(kernel: &Kernel) -> MachineCode {
        MachineCode {
            dialect: kernel.processor.dialect,
            bytes: kernel.bytes.clone(),
            places: kernel.places.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect(),
            variants: vec![(None, kernel.variant.clone())],
        }
    }
}

impl Joined {
    /// The choice and the kernels behind it.
    ///
    /// # Panics
    /// If `kernels` are not those that this joins, or there are none.
    pub fn machine_code(&self, kernels: &[&Kernel]) -> MachineCode {
        assert_eq!(self.parts.len(), kernels.len(), "each kernel has its place");
        let (mut places, mut variants) = (Vec::new(), Vec::new());
        for ((start, limit), kernel) in self.parts.iter().zip(kernels) {
            let of = limit.map_or("any length".to_owned(), |limit| format!("up to {limit} bytes"));
            places.push((of, *start));
            places.extend(kernel.places.iter().map(|(name, at)| ((*name).to_owned(), start + at)));
            variants.push((*limit, kernel.variant.clone()));
        }
        MachineCode { dialect: kernels[0].processor.dialect, bytes: self.bytes.clone(), places, variants }
    }
}
