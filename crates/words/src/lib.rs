//! Kernels on 32-bit words that processors share: AES by look-ups, written once over a [`machine::Machine`], whose
//! operations each processor translates to its instructions.
//!
//! A word holds a column of the state as in memory: the byte of row 0 has the lowest address, so it is the highest byte
//! of the word on a big-endian processor, and the lowest on a little-endian one. The code here does not depend on the
//! byte order.
//!
//! ```text
//! variant -> modes, keys -> rounds -> Machine -> blocks of instructions -> order and registers -> function
//! ```

pub mod counter;
pub mod function;
pub mod keys;
pub mod machine;
pub mod modes;
pub mod places;
pub mod rounds;
pub mod tables;
