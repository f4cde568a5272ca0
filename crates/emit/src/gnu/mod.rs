//! Code for GNU's assembler, according to each family's description of it.

pub mod assembly;
pub(crate) mod builds;
mod macros;
pub mod reach;
pub(crate) mod tables;
