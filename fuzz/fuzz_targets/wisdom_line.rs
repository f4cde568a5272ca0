//! A line of a wisdom import.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(line) = aesmith_wisdom::import::parse_line(text) {
        let again = serde_json::to_string(&line).expect("what was read can be written");
        assert_eq!(aesmith_wisdom::import::parse_line(&again), Ok(line));
    }
});
