//! Code for GNU's assembler, by the record that each family has of it.

pub mod assembly;
pub(crate) mod builds;
mod macros;
pub mod reach;
pub(crate) mod tables;
