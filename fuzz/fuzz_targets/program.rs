//! Any bytes as a program of any described processor, which the first byte chooses: it returns, or is
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::program(bytes));
