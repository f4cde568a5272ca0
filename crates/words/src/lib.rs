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
//!
//! A family uses these kernels wherever they cost no cycle more than kernels of its own. PowerPC and SPARC write all
//! kernels with them, RV32 and MicroBlaze those with T-tables and unrolled rounds, and their key schedules, and the rounds of [`slices`]; i386
//! takes only the tables. ARM and Thumb have their own kernels, because a [`machine::Machine`] cannot express what these rest
//! on: a rotation is free in an addition (without it a look-up takes four instructions instead of three), one LDM loads
//! four key words in 6 cycles where four loads take 12 on an ARM7TDMI (DDI 0029, chapter 6), consecutive loads take one
//! cycle each on Cortex-M3 and -M4, and most instructions of a Cortex-M0 name only eight registers.

pub mod counter;
pub mod function;
pub mod keys;
pub mod machine;
pub mod modes;
pub mod places;
pub mod rounds;
pub mod slices;
pub mod tables;
