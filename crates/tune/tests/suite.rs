//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod loops;
mod modules;
mod offered;
mod races;
mod replayed;
mod spaces;
