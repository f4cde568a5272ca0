//! Proof of programs that a grid of threads executes: for every thread of every block of a grid of any size.
//!
//! Data are bits, as in [`crate::bits`]. Values of the launch, the numbers of blocks and values computed from them, are
//! sums of symbols ([`index`]), modulo 2^64. A proof has these steps:
//!
//! 1. Up to the barrier, each thread of a block is executed with its number ([`setup`]): then the contents of shared
//!    memory are known word by word, and no word was written twice. The block's number and the launch's parameters
//!    remain symbols.
//! 2. Then one thread is executed whose number is bits ([`course`]). Look-ups in shared memory read the contents found
//!    in step 1; public bits of addresses must not affect the result. A program without shared memory may have no
//!    barrier.
//! 3. The thread's loop is closed by induction: a register is its first value plus a multiple of the increment of an
//!    iteration, or unknown. An iteration from there must come back there. The blocks that an iteration takes are found
//!    by a sketch of the first one. In CBC encryption, registers that hold the initial vector at first hold the output
//!    of the previous iteration. Registers that hold the first iteration's text hold any iteration's text (`ahead`). A
//!    register that seemed to move on evenly and does not becomes unknown.
//! 4. Each block of text that an iteration stores is compared with FIPS-197, and must exist: this is known, or the
//!    access happens only in this case ([`domain::Domain::assumed`]). Counters are symbols by the number of their block
//!    (`counter`). 5. The numbers of these blocks, over all threads, blocks of threads and iterations, are every number
//!    once ([`cover`]), and none is left where a thread ends. Where streams have keys of their own, the streams are
//!    every stream once, and the threads of a stream take all of its blocks.
//!
//! Where control flow depends on the thread's number, steps 2 to 5 are done for each kind of threads ([`kinds`]), whose
//! blocks of text begin or end at a part of all blocks, such as `count >> 13` times 768. Parts are symbols of their
//! own, known to be at most the whole ([`index::Symbol::Part`]).

mod ahead;
mod bitwise;
#[cfg(test)]
mod bitwise_tests;
mod counter;
pub mod course;
pub mod cover;
pub mod domain;
pub mod facts;
pub mod index;
pub mod kinds;
mod memory;
pub mod proof;
mod prove;
pub mod setup;
pub mod shared;
mod values;

pub use proof::{GridKind, GridProof, Part};
pub use prove::prove;
