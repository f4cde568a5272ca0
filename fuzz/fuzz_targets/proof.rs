//! A certificate with a proof: it is refused, or accepted again after it is written and read.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::proof(bytes));
