//! What the table of i386 can encode and its rows do not say.

use aesmith_isa::{Insn, Isa, Stands};

/// Why nobody can say what an instruction does.
pub fn undefined(isa: &Isa, insn: &Insn, _: Stands) -> Option<&'static str> {
    if !isa.of(insn).name.ends_with("_n") {
        return None;
    }
    let places = isa.operand(insn, "c")?;
    (!(1..32).contains(&places))
        .then_some("it shifts by no place from 1 to 31, which leaves flags as its row does not say")
}
