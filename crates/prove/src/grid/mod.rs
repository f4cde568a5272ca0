//! Proof of programs that a grid of threads executes: for every thread of every block of a grid of any size.
//!
//! Data are bits, as in [`crate::bits`]. What a launch gives, the numbers of blocks and what is computed of them, are sums
//! of symbols ([`index`]), modulo 2^64. A proof goes in these steps:
//!
//! 1. Up to the barrier, each thread of a block is executed with its number ([`setup`]): what shared memory holds then is
//!    known word by word, and that no word was written twice. The block's number and the launch's parameters stay symbols.
//! 2. Then one thread is executed whose number is bits ([`course`]). Look-ups in shared memory are those of what step 1
//!    found; bits of addresses that are no secret must not matter to what is found there.
//!    A program without shared memory need have no barrier.
//! 3. Its loop is closed by induction: a register is what it was at first and so many times what a turn added, or
//!    unknown. A turn from there must come back there. What a turn takes is found by a sketch of the first one. In CBC
//!    encryption registers that hold the initial vector at first hold what the turn before has written. Registers that hold
//!    the first turn's text hold any turn's (`ahead`). What seemed to move on evenly and does not is forgotten.
//! 4. Each block of text that a turn stores is held against FIPS-197, and must be one that there is: that is known, or the
//!    access happens only if it is so ([`domain::Domain::assumed`]). Counters are symbols by the number of their block
//!    (`counter`).
//! 5. The numbers of these blocks, over all threads, blocks of threads and turns, are every number once ([`cover`]), and
//!    none is left where a thread ends. Where streams have keys of their own, the streams are every stream once, and the
//!    threads of a stream take all of its blocks.
//!
//! Where control hangs on the thread's number, steps 2 to 5 are gone through for each kind of threads ([`kinds`]), whose
//! blocks of text end or begin at a part of them all, as `count >> 13` times 768. Parts are a symbol of their own, of which it
//! is known that they are no more than all ([`index::Symbol::Part`]).

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
