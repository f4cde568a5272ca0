//! An object file, as `aesmith verify` reads it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::object_file(bytes));
