//! The meaning of an instruction as text: compiled, or refused with a sentence.
#![no_main]

use aesmith_isa::row;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let core = aesmith_cores::register::find("rv32i").expect("it is described");
    let mut isa = (core.isa)().clone();
    // An encoding that RISC-V leaves to extensions: custom-0.
    let line = row("new", "new {rd}, {rs1}, {rs2}", "0000000 rs2[4:0] rs1[4:0] 000 rd[4:0] 0001011", text, "alu");
    if let Err(sentence) = isa.add(&line) {
        assert!(sentence.starts_with("new: "), "{sentence}");
    }
});
