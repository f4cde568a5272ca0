//! An ELF executable for another processor: read, or refused in a sentence.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::elf(bytes));
