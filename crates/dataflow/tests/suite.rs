//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod counters;
mod groups;
