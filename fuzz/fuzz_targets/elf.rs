//! An ELF executable for a described processor: read, or refused in a sentence.
#![no_main]

use aesmith_isa::image::Image;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The machine's number stands at byte 18, so that any that the fuzzer writes is asked for.
    let machine = bytes.get(18..20).map_or(83, |m| u16::from_le_bytes([m[0], m[1]]));
    match Image::from_elf(bytes, machine) {
        Ok(image) => {
            assert!(image.segments.windows(2).all(|w| w[0].end() <= w[1].address), "segments overlap");
        }
        Err(sentence) => assert!(!sentence.is_empty()),
    }
});
