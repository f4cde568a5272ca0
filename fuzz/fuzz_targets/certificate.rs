//! A certificate: it never holds for its own bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::certificate(bytes));
