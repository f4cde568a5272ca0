//! Maps between bytes: matrices over GF(2), truth tables, and the S-box in all the forms that kernels fold it into.

pub mod folds;
pub mod maps;
pub mod matrices;
pub mod truths;
