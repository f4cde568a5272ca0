//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod browser;
mod page;
mod palette;
mod sample;
