//! Arbitrary machine code: the prover answers and ends. The first byte chooses the problem.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::prover(bytes));
