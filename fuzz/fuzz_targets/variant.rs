//! A variant's text form: what is read is written and read again as the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::variant(bytes));
