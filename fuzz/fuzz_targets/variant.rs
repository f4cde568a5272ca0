//! A variant's text form: what is read is written and read again as the same.
#![no_main]

use aesmith_arrange::Variant;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(variant) = text.parse::<Variant>() {
        assert_eq!(variant.to_string().parse(), Ok(variant));
    }
});
