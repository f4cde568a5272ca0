//! Instructions that the i386 table can encode and its rows do not describe.

use aesmith_isa::{Insn, Isa, Stands};

/// The reason why the behavior of an instruction is undefined, if it is.
pub fn undefined(isa: &Isa, insn: &Insn, _: Stands) -> Option<&'static str> {
    if !isa.of(insn).name.ends_with("_n") {
        return None;
    }
    let places = isa.operand(insn, "c")?;
    (!(1..32).contains(&places))
        .then_some("it shifts by no place from 1 to 31, which leaves flags as its row does not say")
}
