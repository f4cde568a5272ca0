//! The kernel's instructions interpreted again, symbolically, against cipher.

pub mod cache;
pub mod certificate;
pub mod decide;
pub mod domain;
pub mod explore;
pub mod forms;
pub mod induction;
pub mod intern;
pub mod memory;
pub mod merge;
pub mod mutants;
pub mod prover;
pub mod scalar;
pub mod spec;
pub mod state;
pub mod symbolic;
pub mod terms;

pub use certificate::{Certificate, Refutation};
pub use prover::{Proof, Prover};
