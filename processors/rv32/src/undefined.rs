//! Encodings of the table that are reserved (The RISC-V Instruction Set Manual, Volume I, chapter 16).

use aesmith_isa::{Insn, Isa, Stands};

const RESERVED: &str = "this encoding is reserved";

/// The reason why an encoding is reserved, if it is.
pub fn undefined(isa: &Isa, insn: &Insn, _: Stands) -> Option<&'static str> {
    let is_zero = |field| isa.operand(insn, field) == Some(0);
    let reserved = match isa.of(insn).name.as_str() {
        // The encoding with sixteen zeros is the illegal instruction.
        "c.addi4spn" => is_zero("uimm"),
        "c.addi16sp" => is_zero("imm"),
        "c.lui" => is_zero("upper"),
        "c.lwsp" => is_zero("rd"),
        // The other encoding is `c.ebreak`.
        "c.jr" | "c.jalr" => is_zero("rs1"),
        _ => false,
    };
    reserved.then_some(RESERVED)
}
