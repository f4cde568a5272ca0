//! Any bytes as a program of any processor of the register, which the first byte chooses: it returns, or is
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::program(bytes));
