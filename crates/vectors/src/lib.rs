//! Kernels of processors whose registers have 128 bits: the programs that the dataflow stage writes for whole blocks, as
//! instructions of a machine that has permutations of bytes. A processor implements [`machine::Machine`] and
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
