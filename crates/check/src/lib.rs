//! A small checker of proofs that machine code computes AES.
//!
//! Machine code, a contract and a proof go in, a verdict comes out. The proof states what holds at some places of the
//! code; the checker executes the code between them once over canonical terms and compares. It does not search, and it
//! shares no code with the prover. docs/CERTIFICATES.md describes the text form of proofs.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod avr;
pub mod bits;
pub mod bytes;
pub mod certificate;
pub mod check;
pub mod claim;
pub mod contract;
pub mod counters;
pub mod decode;
pub mod execute;
pub mod field;
pub mod grid;
pub mod linear;
pub mod packed;

pub mod spec;
pub mod symbolic;
pub mod terms;
pub mod words;

/// Name and version of the checker.
pub const NAME: &str = concat!("aesmith-check ", env!("CARGO_PKG_VERSION"));

pub use bytes::rows;
pub use certificate::Certificate;
pub use check::{Accepted, Executed, check, check_code};
