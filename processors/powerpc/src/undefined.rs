//! Instructions that the PowerPC table can encode and the architecture calls invalid.

use aesmith_isa::{Insn, Isa, Stands};

/// The reason why the behavior of an instruction is undefined, if it is.
pub fn undefined(isa: &Isa, insn: &Insn, _: Stands) -> Option<&'static str> {
    let row = isa.of(insn);
    let updates = (row.name.starts_with('l') || row.name.starts_with("st"))
        && (row.name.ends_with('u') || row.name.ends_with("ux"));
    let field = |name| isa.operand(insn, name);
    if let Some((kind, first)) = row.name.split_once("mw_") {
        let base = field("ra").unwrap_or(0);
        // The number 0 is then the base, as in no function that saves registers.
        if base == 0 {
            return Some("its base is no register");
        }
        let loaded = first.parse().is_ok_and(|first: i32| base >= first);
        return (kind == "l" && loaded).then_some("it loads its own base");
    }
    if !updates {
        return None;
    }
    if field("ra") == Some(0) {
        return Some("it updates register 0, which the address does not name");
    }
    (row.effects.loads && field("ra") == field("rt")).then_some("it updates the register that it loads")
}
