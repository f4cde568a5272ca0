//! Processors that execute grids of threads: what is said of one, what its kernels are, and an interpreter of them.

pub mod machine;

use aesmith_arrange::Variant;
use aesmith_cipher::firmware::Firmware;
use aesmith_isa::grid::GridProgram;

/// The program that a variant becomes.
#[derive(Clone, Debug)]
pub struct GridKernel {
    /// Where it comes from.
    pub variant: Variant,
    /// What it promises: round keys as they lie in memory, any number of blocks.
    pub contract: Firmware,
    /// The program.
    pub program: GridProgram,
}
