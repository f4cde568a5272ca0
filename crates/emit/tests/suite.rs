//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod assembled;
mod assemblers;
mod blocks;
mod builds;
mod built;
mod c_form;
mod compiled;
mod cuda;
mod evidence;
mod firmware;
mod golden;
mod levels;
mod opencl;
mod packages;
mod packed;
mod placement;
mod portable;
mod published;
mod recipes;
mod sealed;
mod several;
mod together;
mod units;
