//! Kernels of described processors, interpreted symbolically and held against the cipher.
//!
//! [`prove`] takes a program and the contract of one of its functions, and gives evidence or says
//! what is wrong and where. Nothing is searched for: each bit has a canonical form.
//!
//! ```
//! use aesmith_prove_cores::bits::Bits;
//!
//! // Bits are sums of atoms in one canonical form: to be equal is to be the same.
//! let mut bits = Bits::new();
//! let (key, text) = (bits.atom(true), bits.atom(true));
//! let cipher = bits.xor(key, text);
//! assert_eq!(bits.xor(cipher, key), text);
//! assert!(bits.is_secret(cipher));
//! ```

mod access;
mod addresses;
mod arithmetic;
pub mod bits;
pub mod cipher;
mod counters;
mod forks;
mod functions;
mod left;
mod look_up;
pub mod memory;
mod messages;
pub mod mutants;
pub mod proof;
mod prove;
pub mod run;
mod spans;
pub mod symbols;
mod template;
mod truth;
pub mod value;

pub use proof::{Place, Proof, Refutation, Touched};
pub use prove::prove;
