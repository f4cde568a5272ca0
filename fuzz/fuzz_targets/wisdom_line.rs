//! A line of a wisdom import.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::wisdom_line(bytes));
