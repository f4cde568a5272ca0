//! Proof over lanes: the registers of vector code as canonical terms over bytes. It proves a kernel of AES
//! instructions in well under a millisecond.

pub mod arithmetic;
pub mod atoms;
pub mod bitwise;
pub mod cache;
pub mod code;
pub mod cover;
pub mod coverage;
pub mod decide;
pub mod describe;
pub mod domain;
pub mod encodings;
pub mod expand;
pub mod explore;
pub mod forms;
pub mod functions;
pub mod induction;
pub mod intern;
pub mod liveness;
pub mod lookups;
pub mod memory;
pub mod merge;
pub mod parents;
pub mod prover;
pub mod reduce;
pub mod rename;
pub mod rounds;
pub mod scalar;
pub mod schedule;
pub mod spec;
pub mod state;
pub mod streaming;
pub mod symbolic;
pub mod terms;
pub mod vectors;
pub mod words;
