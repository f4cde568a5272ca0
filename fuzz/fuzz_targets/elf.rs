//! An ELF executable for another processor: it is read, or refused with a sentence.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::elf(bytes));
