//! What the table of SPARC can encode and the architecture leaves undefined.

use aesmith_isa::{Insn, Isa, Stands};

/// Why nobody can say what an instruction does.
pub fn undefined(isa: &Isa, insn: &Insn, stands: Stands) -> Option<&'static str> {
    let row = isa.of(insn);
    // Appendix A.4: a delayed control transfer in another's delay slot goes on at one place, then at another.
    (stands.in_slot && row.effects.jumps && row.class != "window")
        .then_some("a branch stands in a delay slot")
}
