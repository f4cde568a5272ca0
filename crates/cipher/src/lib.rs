//! FIPS-197 and the modes in simple code: the reference for all tests.
//!
//! No function here is fast. The crate also names the problems to solve ([`Problem`], [`Calls`]), describes each mode
//! as data ([`mode`]), and defines the contract of kernels ([`contract`]).
//!
//! ```
//! use aesmith_cipher::{Problem, block};
//!
//! let problem: Problem = "aes128-ecb".parse().unwrap();
//! assert_eq!(problem.key.rounds(), 10);
//! // The example of FIPS-197, appendix B.
//! let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
//! let text = 0x3243f6a8885a308d313198a2e0370734_u128.to_be_bytes();
//! let round_keys = block::expand_key(problem.key, &key);
//! assert_eq!(block::encrypt(&round_keys, text), 0x3925841d02dc09fbdc118597196a0b32_u128.to_be_bytes());
//! ```

pub mod block;
pub mod calls;
pub mod contract;
pub mod firmware;
pub mod ghash;
pub mod mode;
pub mod modes;
pub mod not_offered;
pub mod problem;
pub mod shuffle;

pub use block::Block;
pub use calls::Calls;
pub use mode::Mode;
pub use not_offered::not_offered;
pub use problem::{Direction, KeySize, Problem, Task, UnknownProblem};
pub use shuffle::Shuffle;
