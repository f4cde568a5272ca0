//! GPUs by PTX.

pub mod dimensions;
pub mod kernels;
pub mod table;
pub mod text;

#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod proof_tests;
