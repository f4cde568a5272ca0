//! A certificate: none holds for bytes that it is not over.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(certificate) = serde_json::from_slice::<aesmith_prove::Certificate>(bytes) {
        let over_itself = certificate.check(bytes).is_ok();
        assert!(!over_itself, "a file that contains its own SHA-256");
    }
});
