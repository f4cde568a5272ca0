//! Conversion of instructions to their compressed forms, if they have one (The RISC-V Instruction Set Manual,
//! Volume I, chapter 16). Branches keep their size: their distances are not known yet.

use aesmith_isa::assemble::Item;
use aesmith_isa::{Insn, Isa};

/// The items, with compressed instructions where possible.
pub fn compressed(isa: &Isa, items: Vec<Item>) -> Vec<Item> {
    let shorter = |item| match item {
        Item::Insn(insn) => Item::Insn(short(isa, &insn).unwrap_or(insn)),
        other => other,
    };
    items.into_iter().map(shorter).collect()
}

/// The compressed form of an instruction, if there is one.
pub fn short(isa: &Isa, insn: &Insn) -> Option<Insn> {
    let row = isa.of(insn);
    let field = |name: &str| {
        let place = row.fields.iter().position(|f| f.name == name);
        place.map_or(0, |place| insn.fields[place])
    };
    let [rd, a, b, imm, shamt] = ["rd", "rs1", "rs2", "imm", "shamt"].map(field);
    let low = |r: i32| (8..16).contains(&r);
    let small = (-32..32).contains(&imm);
    let word = imm >= 0 && imm % 4 == 0;
    let (name, fields) = match row.name.as_str() {
        "addi" if rd == 2 && a == 2 && imm != 0 && imm % 16 == 0 && (-512..512).contains(&imm) => {
            ("c.addi16sp", vec![("imm", imm)])
        }
        "addi" if rd != 0 && rd == a && imm != 0 && small => ("c.addi", vec![("rd", rd), ("imm", imm)]),
        "addi" if rd != 0 && a == 0 && small => ("c.li", vec![("rd", rd), ("imm", imm)]),
        "addi" if rd != 0 && a != 0 && imm == 0 => ("c.mv", vec![("rd", rd), ("rs2", a)]),
        "addi" if low(rd) && a == 2 && word && imm != 0 && imm < 1024 => {
            ("c.addi4spn", vec![("cd", rd), ("uimm", imm)])
        }
        "lw" if rd != 0 && a == 2 && word && imm < 256 => ("c.lwsp", vec![("rd", rd), ("uimm", imm)]),
        "sw" if a == 2 && word && imm < 256 => ("c.swsp", vec![("rs2", b), ("uimm", imm)]),
        "lw" if low(rd) && low(a) && word && imm < 128 => {
            ("c.lw", vec![("cd", rd), ("cs1", a), ("uimm", imm)])
        }
        "sw" if low(b) && low(a) && word && imm < 128 => {
            ("c.sw", vec![("cs2", b), ("cs1", a), ("uimm", imm)])
        }
        "slli" if rd != 0 && rd == a && shamt != 0 => ("c.slli", vec![("rd", rd), ("shamt", shamt)]),
        "srli" if low(rd) && rd == a && shamt != 0 => ("c.srli", vec![("cd", rd), ("shamt", shamt)]),
        "andi" if low(rd) && rd == a && small => ("c.andi", vec![("cd", rd), ("imm", imm)]),
        "add" if rd != 0 && a == rd && b != 0 => ("c.add", vec![("rd", rd), ("rs2", b)]),
        "add" if rd != 0 && b == rd && a != 0 => ("c.add", vec![("rd", rd), ("rs2", a)]),
        "jalr" if rd == 0 && a != 0 && imm == 0 => ("c.jr", vec![("rs1", a)]),
        "sub" if low(rd) && low(b) && a == rd => ("c.sub", vec![("cd", rd), ("cs2", b)]),
        "xor" | "or" | "and" if low(rd) && low(a) && low(b) && (a == rd || b == rd) => {
            let name = match row.name.as_str() {
                "xor" => "c.xor",
                "or" => "c.or",
                _ => "c.and",
            };
            (name, vec![("cd", rd), ("cs2", if a == rd { b } else { a })])
        }
        _ => return None,
    };
    isa.find(name).map(|_| isa.insn(name, &fields))
}
