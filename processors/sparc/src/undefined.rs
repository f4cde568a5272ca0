//! Instructions that the SPARC table can encode and the architecture leaves undefined.

use aesmith_isa::{Insn, Isa, Stands};

/// The reason why the behavior of an instruction is undefined, if it is.
pub fn undefined(isa: &Isa, insn: &Insn, stands: Stands) -> Option<&'static str> {
    let row = isa.of(insn);
    // Appendix A.4: a delayed control transfer in another's delay slot continues first at one target, then at the
    // other.
    (stands.in_slot && row.effects.jumps && row.class != "window")
        .then_some("a branch stands in a delay slot")
}
