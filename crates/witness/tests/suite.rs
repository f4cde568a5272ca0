//! The tests of the crate from outside, as one program: linking takes longer than most of them.

#[path = "../../check/tests/suite/concrete.rs"]
mod concrete;
mod grids;
mod mutants;
mod rows;
mod techniques;
