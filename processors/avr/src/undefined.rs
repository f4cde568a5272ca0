//! Instructions that the AVR table can encode but the manual does not define.

use aesmith_isa::{Insn, Isa, Stands};

/// The reason why the behavior of an instruction is undefined, if it is: a load or store moves the pointer that it
/// loads or stores (AVR Instruction Set Manual, LD, ST and LPM).
pub fn undefined(isa: &Isa, insn: &Insn, _: Stands) -> Option<&'static str> {
    let name = isa.of(insn).name.as_str();
    if name == "wdr" {
        return Some("it restarts the watchdog, whose time is its caller's");
    }
    let pointer = match name.split('_').nth(1) {
        Some("x") => 26,
        Some("y") => 28,
        _ => 30,
    };
    let moves = name.ends_with("_inc") || name.ends_with("_dec");
    (moves && insn.fields[0] & !1 == pointer)
        .then_some("what becomes of a pointer that is moved and loaded or stored at once is not defined")
}
