//! Eleven instructions of RV32I as rows.
//!
//! Encodings and semantics: The RISC-V Instruction Set Manual, Volume I (20191213), chapters 2 and 24.

use std::sync::OnceLock;

use aesmith_isa::{ByteOrder, Description, Guard, Isa, Kind, Unaligned, row};

const REGISTERS: &[(&str, u8)] = &[
    ("zero", 32),
    ("ra", 32),
    ("sp", 32),
    ("gp", 32),
    ("tp", 32),
    ("t0", 32),
    ("t1", 32),
    ("t2", 32),
    ("s0", 32),
    ("s1", 32),
    ("a0", 32),
    ("a1", 32),
    ("a2", 32),
    ("a3", 32),
    ("a4", 32),
    ("a5", 32),
    ("a6", 32),
    ("a7", 32),
    ("s2", 32),
    ("s3", 32),
    ("s4", 32),
    ("s5", 32),
    ("s6", 32),
    ("s7", 32),
    ("s8", 32),
    ("s9", 32),
    ("s10", 32),
    ("s11", 32),
    ("t3", 32),
    ("t4", 32),
    ("t5", 32),
    ("t6", 32),
];

static KINDS: &[(&str, Kind)] = &[
    ("rd", Kind::Register { base: 0, step: 1 }),
    ("rs", Kind::Register { base: 0, step: 1 }),
    ("imm", Kind::Number { signed: true, width: 32 }),
    ("uimm", Kind::Number { signed: false, width: 32 }),
    ("shamt", Kind::Number { signed: false, width: 8 }),
];

fn table() -> Result<Isa, String> {
    let about = Description {
        name: "dummy",
        address: 32,
        order: ByteOrder::Little,
        unit: 4,
        registers: REGISTERS,
        general: 32,
        unaligned: Unaligned::Never {
            is: "may be a trap",
            source: "The RISC-V Instruction Set Manual, Volume I (20191213), 2.6",
        },
        pairs: &[],
        zero: Some(0),
        counter: None,
        kinds: KINDS,
        macros: &[],
        guard: Guard::None,
        conditions: &[],
        data: 0,
    };
    let mut rows = vec![
        row("lui", "lui {rd}, {uimm}", "uimm[19:0] rd[4:0] 0110111", "rd = uimm << 12", "alu"),
        row(
            "jalr",
            "jalr {rd}, {imm}({rs1})",
            "imm[11:0] rs1[4:0] 000 rd[4:0] 1100111",
            "to := (rs1 + imm) & 0xfffffffe; rd = next; jump to",
            "jump",
        ),
        row(
            "sw",
            "sw {rs2}, {imm}({rs1})",
            "imm[11:5] rs2[4:0] rs1[4:0] 010 imm[4:0] 0100011",
            "m32[rs1 + imm] = rs2",
            "store",
        ),
    ];
    for (name, code, value) in [("lw", "010", "m32[rs1 + imm]"), ("lbu", "100", "zx(m8[rs1 + imm], 32)")] {
        rows.push(row(
            name,
            &format!("{name} {{rd}}, {{imm}}({{rs1}})"),
            &format!("imm[11:0] rs1[4:0] {code} rd[4:0] 0000011"),
            &format!("rd = {value}"),
            "load",
        ));
    }
    for (name, code, value) in [("addi", "000", "rs1 + imm"), ("andi", "111", "rs1 & imm")] {
        rows.push(row(
            name,
            &format!("{name} {{rd}}, {{rs1}}, {{imm}}"),
            &format!("imm[11:0] rs1[4:0] {code} rd[4:0] 0010011"),
            &format!("rd = {value}"),
            "alu",
        ));
    }
    for (name, code, value) in [("slli", "001", "rs1 << shamt"), ("srli", "101", "rs1 >> shamt")] {
        rows.push(row(
            name,
            &format!("{name} {{rd}}, {{rs1}}, {{shamt}}"),
            &format!("0000000 shamt[4:0] rs1[4:0] {code} rd[4:0] 0010011"),
            &format!("rd = {value}"),
            "alu",
        ));
    }
    for (name, code, value) in [("add", "000", "rs1 + rs2"), ("xor", "100", "rs1 ^ rs2")] {
        rows.push(row(
            name,
            &format!("{name} {{rd}}, {{rs1}}, {{rs2}}"),
            &format!("0000000 rs2[4:0] rs1[4:0] {code} rd[4:0] 0110011"),
            &format!("rd = {value}"),
            "alu",
        ));
    }
    Isa::new(about, &rows)
}

/// The instruction table.
pub fn isa() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table().unwrap_or_else(|e| panic!("dummy: {e}")))
}
