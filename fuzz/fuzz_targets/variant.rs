//! The text form of a variant: a variant that was read is written and read back unchanged.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::variant(bytes));
