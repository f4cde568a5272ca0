//! Any bytes as a program of a registered processor, chosen by the first byte: it returns, or ends with a sentence.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::program(bytes));
