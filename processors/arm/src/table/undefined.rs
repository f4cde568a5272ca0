//! Instructions that the ARMv4 table can encode and the manual calls UNPREDICTABLE (DDI 0100, chapters A3 to
//! A5), or defines by state outside our model.

use aesmith_isa::{Insn, Isa, Stands};

use super::PC;

/// The reason why the behavior of an instruction is undefined, if it is.
pub fn undefined(isa: &Isa, insn: &Insn, _: Stands) -> Option<&'static str> {
    let row = isa.of(insn);
    let name = row.name.as_str();
    let get = |field| isa.operand(insn, field);
    let same = |a, b| matches!((get(a), get(b)), (Some(a), Some(b)) if a == b);
    let is_pc = |field| get(field) == Some(i32::from(PC));
    let written = name.ends_with("_pre") || name.ends_with("_post");
    if get("cond").is_some_and(|cond| cond as usize >= isa.conditions.len()) {
        return Some("no instruction has this condition");
    }
    if name == "mrs" {
        return Some("what it reads besides the flags depends on how the processor is set");
    }
    if name == "bx" || name == "b" || name == "bl" {
        return None;
    }
    if row.class == "alu" && name != "msr" {
        // If it sets flags, it would restore the saved status register of an exception.
        let sets = row.effects.writes.iter().any(|&flag| flag > PC);
        return (sets && is_pc("rd")).then_some("flags are set where control goes elsewhere");
    }
    let pc = match name {
        _ if get("list").is_some() => is_pc("rn"),
        _ if name.starts_with("ldr") && row.class == "load" => is_pc("rm") || written && is_pc("rn"),
        _ if row.effects.loads || row.effects.stores => {
            is_pc("rd") || is_pc("rm") || (written || row.class == "exchange") && is_pc("rn")
        }
        _ => row
            .fields
            .iter()
            .any(|f| ["rd", "rn", "rm", "rs", "xd", "xa", "xb"].iter().any(|n| f.name == *n && is_pc(n))),
    };
    if pc {
        return Some("the program counter cannot be this operand");
    }
    if let Some(list) = get("list") {
        let base = 1 << get("rn").unwrap_or(0);
        let first = list & (base - 1) == 0 && name.starts_with("stm");
        if list == 0 || name.starts_with("stm") && list >> PC & 1 == 1 {
            return Some("this list of registers is not defined");
        }
        return (written && list & base != 0 && !first).then_some("the base that is written is in the list");
    }
    if written && (same("rd", "rn") || same("rm", "rn")) {
        return Some("the base that is written is another operand, too");
    }
    if row.class == "exchange" && (same("rd", "rn") || same("rm", "rn")) {
        return Some("the address is another operand, too");
    }
    if row.class.contains("product") {
        let long = row.class.starts_with("long");
        if same("rd", "rm") || long && (same("rn", "rm") || same("rd", "rn")) {
            return Some("a product is written to its first operand, or both halves to one register");
        }
    }
    None
}
