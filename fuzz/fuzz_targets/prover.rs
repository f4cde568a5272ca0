//! Arbitrary machine code: the prover terminates. The first byte chooses the problem.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::prover(bytes));
