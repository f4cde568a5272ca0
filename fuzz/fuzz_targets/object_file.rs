//! An object file, as `aesmith verify` reads it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(functions) = aesmith_emit::object_file::functions(bytes) {
        assert!(functions.iter().all(|(_, code)| code.len() <= bytes.len()));
    }
});
