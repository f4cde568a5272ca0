//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod landscape;
mod racing;
mod recorded;
mod replay;
mod strategies;
