//! x86-64: the AES instructions on xmm, ymm and zmm, and what kernels need around them.

pub mod calibration;
pub mod concrete;
pub mod encoding;
pub mod features;
pub mod instructions;
pub mod kernels;
pub mod levels;
pub mod mutants;
pub mod registers;
pub mod semantics;
pub mod table;
pub mod timing;
