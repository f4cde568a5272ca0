//! 16-bit forms that replace 32-bit ones if registers and numbers allow. They write flags, which our
//! straight-line code never reads.

use aesmith_isa::assemble::Item;
use aesmith_isa::{Insn, Isa};

fn value(isa: &Isa, insn: &Insn, name: &str) -> i32 {
    isa.of(insn).fields.iter().position(|f| f.name == name).map_or(0, |k| insn.fields[k])
}

/// The item in 16 bits, if that computes the same except for flags.
pub fn narrowed(isa: &Isa, item: Item) -> Item {
    match item {
        Item::Insn(insn) => Item::Insn(narrow(isa, &insn).unwrap_or(insn)),
        other => other,
    }
}

/// Like [`narrowed`], for code in which words after it are in the range of the short form, 1,020 bytes.
pub(crate) fn narrowed_near(isa: &Isa, item: Item) -> Item {
    match item {
        Item::Linked { insn, field, label, addend, part } => {
            let insn = narrow(isa, &insn).unwrap_or(insn);
            Item::Linked { insn, field, label, addend, part }
        }
        other => narrowed(isa, other),
    }
}

/// The instruction in 16 bits, if there is such a form.
pub fn narrow(isa: &Isa, insn: &Insn) -> Option<Insn> {
    let of = |name| value(isa, insn, name);
    let (rd, rn, rm, rt) = (of("rd"), of("rn"), of("rm"), of("rt"));
    let low = |registers: &[i32]| registers.iter().all(|r| (0..8).contains(r));
    let made = |name: &str, fields: &[(&str, i32)]| Some(isa.insn(name, fields));
    let name = isa.of(insn).name.as_str();
    let (root, form) = name.split_once('.')?;
    match (root, form) {
        ("eor" | "and" | "orr" | "bic", "reg") if low(&[rd, rn, rm]) => {
            let two = format!("{root}s_reg");
            match () {
                () if rd == rn => made(&two, &[("rd", rd), ("rm", rm)]),
                () if rd == rm && root != "bic" => made(&two, &[("rd", rd), ("rm", rn)]),
                () => None,
            }
        }
        ("add" | "sub", "reg") if low(&[rd, rn, rm]) => {
            made(&format!("{root}s_reg"), &[("rd", rd), ("rn", rn), ("rm", rm)])
        }
        ("add" | "sub", "imm") if low(&[rd]) && rd == rn && (0..256).contains(&of("const")) => {
            made(&format!("{root}s_imm8"), &[("rd", rd), ("imm", of("const"))])
        }
        ("mov", "reg") => made("mov_any", &[("rd", rd), ("rm", rm)]),
        ("mov", "imm") if low(&[rd]) && (0..256).contains(&of("const")) => {
            made("movs_imm", &[("rd", rd), ("imm", of("const"))])
        }
        ("mvn", "reg") if low(&[rd, rm]) => made("mvns_reg", &[("rd", rd), ("rm", rm)]),
        ("mov", "lsl") if low(&[rd, rm]) => made("lsls_imm", &[("rd", rd), ("rm", rm), ("sh", of("sh"))]),
        ("mov", "lsr") if low(&[rd, rm]) => {
            made("lsrs_imm", &[("rd", rd), ("rm", rm), ("right", of("right"))])
        }
        ("uxtb" | "uxth", "ror") if low(&[rd, rm]) && of("rot") == 0 => made(root, &[("rd", rd), ("rm", rm)]),
        ("rev", "w") if low(&[rd, rm]) => made("rev", &[("rd", rd), ("rm", rm)]),
        ("ldr" | "ldrb" | "str" | "strb", "reg") if low(&[rt, rn, rm]) && of("sh") == 0 => {
            made(&format!("{root}_reg"), &[("rt", rt), ("rn", rn), ("rm", rm)])
        }
        ("ldr" | "str", "imm") if low(&[rt]) && of("imm") % 4 == 0 => {
            let fields = [("rt", rt), ("imm", of("imm"))];
            match (rn, of("imm")) {
                (0..8, ..128) => made(&format!("{root}_imm"), &[fields[0], ("rn", rn), fields[1]]),
                (13, ..1024) => made(&format!("{root}_sp"), &fields),
                _ => None,
            }
        }
        ("ldr", "literal") if low(&[rt]) => made("ldr_literal", &[("rt", rt)]),
        ("ldrb" | "strb", "imm") if low(&[rt, rn]) && of("imm") < 32 => {
            made(&format!("{root}_imm"), &[("rt", rt), ("rn", rn), ("imm", of("imm"))])
        }
        _ => None,
    }
}
