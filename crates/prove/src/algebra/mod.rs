//! Functions on bytes: matrices over GF(2), truth tables, and all forms of the S-box with affine maps folded in.

pub(crate) mod field;
pub mod folds;
pub mod maps;
pub mod matrices;
pub(crate) mod truths;
