//! Proofs over single bits: registers as GF(2)-linear forms, for processors whose instruction tables are text.
//!
//! [`prove`] takes a program and the contract of one of its functions, and returns evidence, or says what is wrong and
//! where. There is no search: each bit has a canonical form.
//!
//! ```
//! use aesmith_prove::bits::forms::Bits;
//!
//! // Bits are sums of atoms in a canonical form: equal bits have equal numbers.
//! let mut bits = Bits::new();
//! let (key, text) = (bits.atom(true), bits.atom(true));
//! let cipher = bits.xor(key, text);
//! assert_eq!(bits.xor(cipher, key), text);
//! assert!(bits.is_secret(cipher));
//! ```

mod access;
mod addresses;
#[cfg(test)]
mod addresses_tests;
mod arithmetic;
pub mod cipher;
#[cfg(test)]
mod cipher_tests;
mod counters;
pub(crate) mod forks;
pub mod forms;
pub(crate) mod functions;
mod halves;
#[cfg(test)]
mod halves_tests;
mod in_registers;
mod leftovers;
mod lengths;
mod links;
mod look_up;
pub mod memory;
#[cfg(test)]
mod memory_tests;
mod messages;
pub mod mutants;
pub mod proof;
mod prove;
pub mod run;
mod sections;
#[cfg(test)]
mod sections_tests;
mod spans;
mod sums;
pub mod symbols;
#[cfg(test)]
mod symbols_tests;
mod template;
#[cfg(test)]
pub(crate) mod toy;
pub(crate) mod truth;
pub mod value;

pub use in_registers::{Changes, Places, in_registers};
pub use proof::{ANY_BLOCKS, Place, Product, Proof, Refutation, SOME_BLOCKS, Touched};
pub use prove::prove;
