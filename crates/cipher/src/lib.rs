//! FIPS-197 and the modes, plainly: the oracle that everything is held against.
//!
//! Nothing here is fast. It also names what can be asked for ([`Problem`]) and the contract that
//! each kernel keeps ([`contract`]).

pub mod block;
pub mod contract;
pub mod firmware;
pub mod modes;
pub mod not_offered;
pub mod problem;

pub use block::Block;
pub use not_offered::not_offered;
pub use problem::{Direction, KeySize, Problem, Task, UnknownProblem};
