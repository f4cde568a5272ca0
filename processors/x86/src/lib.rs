//! x86-64: instructions, their encodings and meanings, features of CPUs, timing, and the kernels that variants become.
//!
//! ```
//! use aesmith_x86::features::Features;
//! use aesmith_x86::levels::Level;
//!
//! let haswell = Features::level("avx2-aesni").unwrap();
//! assert!(haswell.has(Features::AES) && !haswell.has(Features::VAES));
//! assert!(Level::ALL.iter().any(|level| level.name == "vaes"));
//! ```

pub mod calibration;
pub mod concrete;
pub mod encoding;
pub mod features;
pub mod instructions;
pub mod kernels;
pub mod levels;
pub mod mutants;
pub mod print;
pub mod registers;
pub mod semantics;
pub mod table;
pub mod timing;
