//! Interprets a kernel's instructions symbolically and compares the result with the specification in `cipher`.
//!
//! [`Prover::prove`] takes a problem and machine code and trusts nothing else. It interprets the code over canonical
//! terms ([`lanes::terms`], [`lanes::forms`]) and linear forms over lengths and addresses ([`lanes::scalar`]), follows
//! every path ([`lanes::explore`]), closes loops by induction (`lanes::induction`), and compares every stored block
//! with the specification (`lanes::spec`).
//!
//! ```
//! use aesmith_x86::dimensions::variant;
//! use aesmith_x86::instructions::prover;
//! use aesmith_x86::kernels::build;
//! use aesmith_x86::targets;
//!
//! let kernel = build(&variant("aes128-ecb width=xmm").unwrap(), &targets::ALL).unwrap();
//! let mut prover = prover();
//! let proof = prover.prove(kernel.variant.problem, &kernel.bytes).unwrap();
//! assert_eq!(proof.constant_time(), "CT2");
//!
//! // A function that returns at once is not AES, and the refutation says why.
//! let refuted = prover.prove(kernel.variant.problem, &[0xc3]).unwrap_err();
//! assert!(!refuted.to_string().is_empty());
//! ```

mod algebra;
pub mod bits;
pub mod certificate;
pub mod grid;
pub mod lanes;

pub use certificate::{LanesCertificate, Refutation};
pub use lanes::coverage::Coverage;
pub use lanes::prover::{Proof, Prover};
pub use lanes::terms::ConeCount;

/// A convention for tests without calls.
#[cfg(test)]
static TOY: aesmith_isa::convention::Convention = aesmith_isa::convention::Convention {
    name: "toy",
    source: "these tests",
    arguments: &[&[0], &[1], &[2], &[3], &[4]],
    stack_pointer: 5,
    stack_arguments: 0,
    alignment: 16,
    red_zone: 0,
    saves: (0, 0),
    returns: aesmith_isa::convention::Return::Pushed(8),
    saved: &[],
    fixed: &[],
    windows: None,
    stack_alignment: 1,
    held_alignment: 1,
    back_chain: false,
    callers_by_fours: true,
    slot: 0,
    reserved: &[],
    halves: None,
    buffers: 16,
};
