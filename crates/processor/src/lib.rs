//! Processors: the interface through which every stage knows a processor.

pub mod attach;
pub mod bits_certificate;
pub mod c;
pub mod calls;
pub mod certificate;
pub mod checked;
pub mod core;
pub mod cost;
pub mod dialect;
pub mod elf;
pub mod gnu;
pub mod grid;
pub mod interpreter;
pub mod measured;
pub mod processor;
pub mod shared;
pub mod starts;
pub mod timing;
pub mod trial;
