//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod attach;
mod cycles;
mod encodings;
mod extended;
mod figures;
mod flags;
mod names;
mod programs;
mod starts;
