//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod attacks;
mod beside;
#[path = "../../../processors/x86/tests/binutils/mod.rs"]
mod binutils;
mod bits_attacks;
mod bits_messages;
mod bits_sliced;
mod bits_toy;
mod budget;
mod corpus;
mod decoders;
mod families;
mod faults;
mod flags;
mod kernels;
mod lanes;
mod machine;
mod mutants;
mod partial;
mod platform;
mod programs;
mod random;
mod red_zone;
mod reduction;
#[path = "../../../processors/x86/tests/sample/mod.rs"]
mod sample;
mod simulated;
mod spaces;
mod spilled_keys;
mod tainted;
mod techniques;
mod undefined;
mod weight;
mod wiped;
mod wrong;
