//! The tests of the crate from outside, as one program: linking takes longer than most of them.

mod accesses;
mod binutils;
mod cbc;
mod checked;
#[cfg(target_arch = "x86_64")]
mod checks;
mod encodings;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod families;
mod frames;
mod gcm;
#[cfg(target_arch = "x86_64")]
mod guarded;
mod instructions;
mod keys;
#[cfg(target_arch = "x86_64")]
#[path = "../../../tests/vectors/mod.rs"]
mod known_answers;
#[cfg(target_arch = "x86_64")]
mod libraries;
mod monte_carlo;
#[cfg(target_arch = "x86_64")]
mod native;
mod overflow;
mod parallel;
mod peers;
mod sample;
mod simulator;
mod techniques;
#[cfg(target_arch = "x86_64")]
mod trial;
mod valgrind;
mod vectors;
mod words;
mod xts;
