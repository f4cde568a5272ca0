//! x86-64: instructions, their encodings and semantics, features of CPUs, timing, and kernel generation.
//!
//! ```
//! use aesmith_x86::features;
//! use aesmith_x86::requirements::REQUIREMENTS;
//!
//! let haswell = REQUIREMENTS.level("avx2-aesni").unwrap();
//! assert!(haswell.has(features::AES) && !haswell.has(features::VAES));
//! assert!(REQUIREMENTS.levels.iter().any(|level| level.name == "vaes"));
//! ```

mod c;
pub mod concrete;
pub mod dimensions;
pub mod encoding;
pub mod executed;
pub mod features;
pub mod instructions;
pub mod kernels;
pub mod levels;
pub mod libraries;
pub mod lines;
pub mod mutants;
pub mod print;
pub mod processor;
pub mod registers;
pub mod requirements;
pub mod semantics;
mod starts;
pub mod table;
pub mod targets;
