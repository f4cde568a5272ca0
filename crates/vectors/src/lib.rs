//! Kernels of processors with 128-bit registers: translates the programs of the dataflow stage for whole blocks into
//! instructions of a machine with byte permutations. A processor implements [`machine::Machine`] and
//! [`machine::VectorTarget`].
//!
//! ```text
//! variant -> kernels, messages -> lower -> Machine -> blocks of instructions -> order and registers -> function
//! ```

pub mod counter;
pub mod function;
pub mod kernels;
pub mod lower;
pub mod machine;
pub mod messages;
