//! Any bytes as a program of any described processor: it returns, or is ended with a sentence.
#![no_main]

use aesmith_cores::interpreter::Interpreter;
use aesmith_cores::judge::Call;
use aesmith_cores::register;
use aesmith_isa::image::{Image, Segment};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, Vec<u8>)| {
    let cores: Vec<_> = register::all().collect();
    let core = cores[usize::from(input.0) % cores.len()];
    let address = 0x1000;
    let image = Image {
        segments: vec![Segment { address, bytes: input.1, writable: false }],
        symbols: Default::default(),
    };
    let call = Call { arguments: vec![core.buffers as u32; 3], writes: Vec::new(), reads: Vec::new() };
    if let Err(sentence) = Interpreter::new(core).trace(&image, address, &call, 10_000) {
        assert!(!sentence.is_empty());
    }
});
