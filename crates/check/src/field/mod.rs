//! Modes with a field of 128 bits: GCM (SP 800-38D) and XTS (IEEE 1619). [`crate::claim`] has the rest of their specification.
//!
//! Tweaks of XTS, and carry-less products, are parts of lanes under matrices over GF(2), of which equal ones have one number.
//! A carry-less product of sums is the sum of the products of their parts (both are linear in each factor), so that each
//! product of two parts is one unknown. Where such products are, together, the product of a half of a block and of a power of
//! the hash key in the field, they are replaced by it.

pub mod matrices;
mod modes;
pub mod products;

pub use modes::{absorbed, counter, hash, iv};
