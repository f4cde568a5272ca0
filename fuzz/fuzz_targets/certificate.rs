//! A certificate: none holds for bytes that it is not over.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::certificate(bytes));
