//! The meaning of an instruction as text: it is compiled, or refused with a sentence.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::meaning(bytes));
