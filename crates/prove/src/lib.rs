//! The kernel's instructions interpreted again, symbolically, against cipher.
//!
//! [`Prover::prove`] takes a problem and machine code and trusts nothing else. It interprets the
//! code over canonical terms ([`terms`], [`forms`]) and linear forms over lengths and addresses
//! ([`scalar`]), follows every path ([`explore`]), closes loops by induction ([`induction`]), and
//! holds every stored block against the specification ([`spec`]).
//!
//! ```
//! use aesmith_x86::instructions::prover;
//! use aesmith_x86::kernels::{Target, build};
//!
//! let kernel = build(&"aes128-ecb width=xmm".parse().unwrap(), &Target::ALL).unwrap();
//! let mut prover = prover();
//! let proof = prover.prove(kernel.variant.problem, &kernel.bytes).unwrap();
//! assert_eq!(proof.constant_time(), "CT2");
//!
//! // A function that returns at once is not AES, and the refutation says why.
//! let refuted = prover.prove(kernel.variant.problem, &[0xc3]).unwrap_err();
//! assert!(!refuted.to_string().is_empty());
//! ```

pub mod arithmetic;
pub mod bitwise;
pub mod cache;
pub mod certificate;
pub mod code;
pub mod cover;
pub mod coverage;
pub mod decide;
pub mod describe;
pub mod domain;
pub mod expand;
pub mod explore;
pub mod folds;
pub mod forms;
pub mod functions;
pub mod induction;
pub mod intern;
pub mod liveness;
pub mod lookups;
pub mod maps;
pub mod matrices;
pub mod memory;
pub mod merge;
pub mod prover;
pub mod rename;
pub mod rounds;
pub mod scalar;
pub mod schedule;
pub mod spec;
pub mod state;
pub mod streaming;
pub mod symbolic;
pub mod terms;
pub mod truths;
pub mod vectors;
pub mod words;

pub use certificate::{Certificate, Refutation};
pub use coverage::Coverage;
pub use prover::{Proof, Prover};

/// A convention for tests that call nothing.
#[cfg(test)]
static TOY: aesmith_isa::convention::Convention = aesmith_isa::convention::Convention {
    name: "toy",
    source: "these tests",
    arguments: &[&[0], &[1], &[2], &[3], &[4]],
    stack_pointer: 5,
    stack_arguments: 0,
    alignment: 16,
    red_zone: 0,
    returns: aesmith_isa::convention::Return::Pushed(8),
    saved: &[],
    fixed: &[],
};
