//! Instructions that the Thumb tables can encode and the manuals call UNPREDICTABLE (DDI 0403, A5 and A7; DDI
//! 0419, A5 and A6).

use aesmith_isa::{Insn, Isa, Stands};

/// The registers excluded by `BadReg` in the manual: the stack pointer and the program counter.
const SP: i32 = 13;
const LR: i32 = 14;
const PC: i32 = 15;

/// The reason why the behavior of an instruction is undefined, if it is.
pub fn undefined(isa: &Isa, insn: &Insn, stands: Stands) -> Option<&'static str> {
    let row = isa.of(insn);
    let name = row.name.as_str();
    let is = |field, value| isa.operand(insn, field) == Some(value);
    let begins = row.class == "it";
    if begins {
        let otherwise = name.split('_').next().is_some_and(|letters| letters.contains('e'));
        if is("odd", 7) || is("even", 7) && otherwise {
            return Some("no block has this condition");
        }
    }
    // Of the branches, only `b.w` may end a block; conditional 16-bit branches may not.
    let branches = name.starts_with("cb") || row.class == "branch";
    if stands.in_block && (begins || branches) {
        return Some("it cannot stand in a block");
    }
    if let Some(list) = isa.operand(insn, "list") {
        return listed(isa, insn, list);
    }
    if stands.in_block && name == "movs_reg" {
        return Some("this encoding of a move cannot stand in a block");
    }
    if row.bytes() == 2 {
        let both = |a, b| is(a, PC) && is(b, PC);
        let low = |field| isa.operand(insn, field).is_some_and(|r| r < 8);
        return match name {
            "add_any" if both("rd", "rm") => Some(OPERAND),
            "cmp_any" if is("rn", PC) || is("rm", PC) || low("rn") && low("rm") => Some(OPERAND),
            "blx" if is("rm", PC) => Some(OPERAND),
            _ => None,
        };
    }
    wide(isa, insn)
}

const OPERAND: &str = "the stack pointer or the program counter cannot be this operand";

fn listed(isa: &Isa, insn: &Insn, list: i32) -> Option<&'static str> {
    let row = isa.of(insn);
    let name = row.name.as_str();
    let base = isa.operand(insn, "rn");
    let wide = row.bytes() == 4;
    let loads = name.starts_with("ld") || name == "pop";
    let few = if wide { list.count_ones() < 2 } else { list == 0 };
    let odd = wide && (list >> SP & 1 == 1 || !loads && list >> PC & 1 == 1 || list >> LR & 3 == 3);
    if few || odd {
        return Some("this list of registers is not defined");
    }
    let within = base.is_some_and(|r| list >> r & 1 == 1);
    let lowest = base.is_some_and(|r| list & ((1 << r) - 1) == 0);
    let wrong = if wide { name.ends_with("back") && within } else { name == "stm" && within && !lowest };
    if wrong || wide && base == Some(PC) {
        return Some("the base that is written is in the list");
    }
    None
}

/// The reason for 32-bit instructions that name registers.
fn wide(isa: &Isa, insn: &Insn) -> Option<&'static str> {
    let row = isa.of(insn);
    let name = row.name.as_str();
    let accesses = row.effects.loads || row.effects.stores;
    let moves = name.contains("pre_") || name.contains("post_");
    let sums = ["add", "sub", "cmp", "cmn"].iter().any(|n| name.starts_with(n));
    let word = ["ldr.", "str."].iter().any(|n| name.starts_with(n));
    let field = |name| isa.operand(insn, name);
    let is_stack = |name| field(name) == Some(SP);
    for of in &row.fields {
        let register = field(&of.name);
        let (sp, pc) = (register == Some(SP), register == Some(PC));
        let fine = match of.name.as_str() {
            // A table of distances may stand behind the instruction (A7.7.185).
            "rn" if row.class == "table" => !sp,
            // Bases and sums may use the stack pointer; a loaded word may be a jump target.
            "rn" if accesses => !pc,
            "rn" if sums => !pc,
            "rd" if sums => !pc && (!sp || field("rn") == Some(SP)),
            "rt" if word => !pc || name.starts_with("ldr."),
            "rd" | "rd2" | "rn" | "rm" | "rt" | "rt2" | "ra" => !sp && !pc,
            _ => true,
        };
        if !fine {
            return Some(OPERAND);
        }
    }
    // A sum in the stack pointer takes a plain register, or one shifted left by at most 3 (A7.7.6).
    if sums && is_stack("rd") && field("rm").is_some() {
        let few = name.ends_with(".reg") || name.ends_with(".lsl") && field("sh").is_some_and(|sh| sh < 4);
        if !few {
            return Some(OPERAND);
        }
    }
    if row.class == "table" && is_stack("rn") {
        return Some(OPERAND);
    }
    // A jump target is loaded from a multiple of four (A7.7.44).
    if name.starts_with("ldr.literal")
        && field("rt") == Some(PC)
        && field("imm").is_some_and(|imm| imm % 4 != 0)
    {
        return Some("the program counter is loaded from no multiple of four");
    }
    // With a shift by 0 it is another instruction, on two halves, with fewer bits (A7.7.150, A7.7.211).
    if name.contains("sat.asr") && field("sh") == Some(0) {
        return Some("this saturation is not defined");
    }
    let same = |a, b| matches!((field(a), field(b)), (Some(a), Some(b)) if a == b);
    if moves && (same("rt", "rn") || same("rt2", "rn")) {
        return Some("the base that is written is another operand, too");
    }
    if name.starts_with("ldrd") && (same("rt", "rn") || same("rt2", "rn")) && isa.processor == "a Cortex-M3" {
        return Some(
            "an interrupt leaves a wrong base where that is loaded as well (erratum 602117 of the Cortex-M3)",
        );
    }
    if name.starts_with("ldrd") && same("rt", "rt2") || same("rd", "rd2") {
        return Some("two results are written to one register");
    }
    if matches!((field("lsb"), field("msb")), (Some(lsb), Some(msb)) if msb < lsb)
        || matches!((field("lsb"), field("size")), (Some(lsb), Some(size)) if lsb + size > 32)
    {
        return Some("a field of this size is not defined");
    }
    None
}
