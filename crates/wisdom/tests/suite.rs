//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod calls;
mod carry;
mod document;
mod migration;
mod processes;
