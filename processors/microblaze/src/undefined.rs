//! Instructions that the MicroBlaze table can encode and UG984 does not define, or defines by state outside our
//! model.

use aesmith_isa::{Insn, Isa, Stands};

/// The reason why the behavior of an instruction is undefined, if it is.
pub fn undefined(isa: &Isa, insn: &Insn, stands: Stands) -> Option<&'static str> {
    let row = isa.of(insn);
    let field = |name| isa.operand(insn, name).unwrap_or(0);
    match row.name.as_str() {
        "imm" => return Some("this prefix belongs to no instruction"),
        "mts" => return Some("it sets interrupts, caches and exceptions, which are the caller's"),
        "mfs" => return Some("what it reads besides the carry depends on how the processor is set"),
        // These bits of the barrier's operand put the processor to sleep.
        "mbar" if field("count") & 0x18 != 0 => return Some("it puts the processor to sleep"),
        "mbar" if stands.in_slot => return Some("a barrier stands in a delay slot"),
        "bsefi" if field("width") == 0 || field("width") + field("count") > 32 => {
            return Some("a field of this size is not defined");
        }
        "bsifi" if field("top") < field("count") => {
            return Some("a field of this size is not defined");
        }
        _ => {}
    }
    if stands.in_slot && row.effects.jumps {
        return Some("a branch stands in a delay slot");
    }
    (stands.in_slot && row.bytes() > 4).then_some("a prefix stands in a delay slot")
}
