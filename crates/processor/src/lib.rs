//! Processors: registers, one-line-an-instruction tables, semantics over abstract words, machine models, selection.
//!
//! ```
//! use aesmith_processor::x86::features::Features;
//! use aesmith_processor::x86::levels::Level;
//!
//! let haswell = Features::level("avx2-aesni").unwrap();
//! assert!(haswell.has(Features::AES) && !haswell.has(Features::VAES));
//! assert!(Level::ALL.iter().any(|level| level.name == "vaes"));
//! ```

pub mod domain;
pub mod x86;
