//! Processors that are only described: a folder each, with registers, instruction table, machine
//! model, selection of dataflow operations, and judges.
//!
//! ```
//! use aesmith_cores::register;
//! use aesmith_cores::variant::Variant;
//!
//! let avr = register::find("avr").unwrap();
//! let plain = Variant::plain("aes128-ecb".parse().unwrap(), avr.name, avr.dimensions);
//! let kernel = (avr.build)(&plain).unwrap();
//! assert!(kernel.flash((avr.isa)()) > 0, "bytes of flash of the AVR kernel with no choice made");
//! ```

pub mod attach;
pub mod calls;
pub mod core;
pub mod interpreter;
pub mod judge;
pub mod order;
pub mod outside;
pub mod register;
#[cfg(test)]
mod trial;
pub mod variant;

pub mod arm;
pub mod avr;
pub mod microblaze;
pub mod rv32;
pub mod thumb;
