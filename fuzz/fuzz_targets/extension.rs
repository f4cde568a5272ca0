//! The file of an extension. Memory grows with every file that is read, so run it for a number of files (`-runs=30000`)
//! and without the search for leaks (`-detect_leaks=0`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aesmith_fuzz::extension(bytes));
