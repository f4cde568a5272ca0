//! Kernels of described processors, interpreted symbolically and held against the cipher.
//!
//! [`prove`] takes a program and the contract of one of its functions, and gives evidence or says
//! what is wrong and where. Nothing is searched for: each bit has a canonical form.

pub mod bits;
pub mod cipher;
mod functions;
pub mod memory;
mod messages;
pub mod mutants;
pub mod proof;
mod prove;
pub mod run;
pub mod symbols;
mod template;

pub use proof::{Place, Proof, Refutation, Touched};
pub use prove::prove;
