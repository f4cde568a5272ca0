//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod area;
mod hardware;
mod mistakes;
mod sets;
