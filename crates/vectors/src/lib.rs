//! Kernels of processors whose registers have 128 bits: the programs that the dataflow stage writes for whole blocks, as
//! instructions of a machine that has permutations of bytes. A processor implements [`machine::Machine`].

pub mod kernels;
pub mod lower;
pub mod machine;
