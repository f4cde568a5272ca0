//! The machine code of a variant, and the reasons why there may be none.

use super::{Lengths, Measured};
use crate::dialect::MachineCode;
use aesmith_arrange::Variant;
use aesmith_order::Spills;
use std::fmt;
use std::ops::Range;

/// The machine code of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The processor that it is for.
    pub processor: &'static Measured,
    /// The variant that it was built from.
    pub variant: Variant,
    /// Machine code with its entry at offset 0, then its constants.
    pub bytes: Vec<u8>,
    /// Offset of the end of the code.
    pub code_end: usize,
    /// Labels in the code: `entry`, `loop`, `body`, `body end`, `tail`, ...
    pub places: Vec<(&'static str, usize)>,
    /// The round keys that are actually in registers in the main loop: the mask as far as it fits.
    pub keys_in_registers: u16,
    /// Number of vector instructions in the main loop's body, which an order may move.
    pub loop_instructions: u16,
    /// Blocks that one iteration of the main loop finishes.
    pub loop_blocks: usize,
    /// Spills that register allocation added, over all of the code.
    pub spills: Spills,
    /// The lengths that it supports: all lengths, unless it was built for fewer.
    pub lengths: Lengths,
}

/// The reason why a variant has no kernel on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It needs more registers than the target has.
    Registers {
        /// Number of registers live at once.
        needed: usize,
        /// Number of registers of the target.
        available: usize,
    },
    /// Its choices cannot be combined, for this reason.
    Shape(String),
    /// The target lacks instructions that it needs.
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

/// Kernels of one problem behind a dispatch by length, in one sequence of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Machine code: the dispatch, then each kernel; then the constants of each.
    pub bytes: Vec<u8>,
    /// Offset of the start of each kernel, and the longest message that is dispatched to it.
    pub parts: Vec<(usize, Option<u64>)>,
    /// Ranges with instructions; bytes between them are padding.
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
    /// The dispatch and the kernels behind it as machine code.
    ///
    /// # Panics
    /// `kernels` are not the joined ones, or there are none.
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
