//! RV32I and M as rows, and the instruction sets of cores.
//!
//! Encodings and semantics: The RISC-V Instruction Set Manual, Volume I (20191213), chapters 2, 7 and 24.

use std::sync::OnceLock;

use aesmith_isa::table::{Coding, Text};
use aesmith_isa::{Description, Guard, Isa, Kind, Unaligned, row};

use super::compressed::compressed;
use super::cryptography::bit_manipulation;

use crate::undefined::undefined;

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

/// The immediate of `c.lui`: six bits, signed, written as the upper 20 bits that result.
static UPPER: Coding = Coding {
    name: "c.lui",
    number: |bits| if bits & 0x20 == 0 { bits as i64 } else { (bits | 0xf_ffc0) as i64 },
    bits: |number| match number {
        0..=0x1f => Some(number as u64),
        0xf_ffe0..=0xf_ffff => Some(number as u64 & 0x3f),
        _ => None,
    },
};

static KINDS: &[(&str, Kind)] = &[
    ("rd", Kind::Register { base: 0, step: 1 }),
    ("rs", Kind::Register { base: 0, step: 1 }),
    // The eight registers of most compressed instructions.
    ("cd", Kind::Register { base: 8, step: 1 }),
    ("cs", Kind::Register { base: 8, step: 1 }),
    ("imm", Kind::Number { signed: true, width: 32 }),
    ("uimm", Kind::Number { signed: false, width: 32 }),
    ("shamt", Kind::Number { signed: false, width: 8 }),
    ("upper", Kind::Coded { width: 32, label: false, coding: &UPPER }),
    ("off", Kind::Relative { bias: 0, width: 32 }),
];

fn about(name: &'static str) -> Description {
    Description {
        name,
        address: 32,
        order: aesmith_isa::ByteOrder::Little,
        unit: 4,
        registers: REGISTERS,
        general: 32,
        unaligned: Unaligned::Never {
            is: "may be a trap: PicoRV32, FE310 and VexRiscv have no unaligned access",
            source: "The RISC-V Instruction Set Manual, Volume I (20191213), 2.6",
        },
        pairs: &[],
        zero: Some(0),
        counter: None,
        kinds: KINDS,
        macros: &[
            ("abs(a)", "a[31] ? 0 - a : a"),
            ("rol(a, n)", "ror(a, 0 - n)"),
            ("chosen(w, n)", "(w >> (n << 3))[7:0]"),
        ],
        guard: Guard::None,
        conditions: &[],
        data: 0,
    }
}

fn base() -> Vec<Text> {
    let mut rows = vec![
        row("lui", "lui {rd}, {uimm}", "uimm[19:0] rd[4:0] 0110111", "rd = uimm << 12", "alu"),
        row("auipc", "auipc {rd}, {uimm}", "uimm[19:0] rd[4:0] 0010111", "rd = pc + (uimm << 12)", "alu"),
        row(
            "jal",
            "jal {rd}, {off}",
            "off[20] off[10:1] off[11] off[19:12] rd[4:0] 1101111",
            "rd = next; jump pc + off",
            "jal",
        ),
        row(
            "jalr",
            "jalr {rd}, {imm}({rs1})",
            "imm[11:0] rs1[4:0] 000 rd[4:0] 1100111",
            "to := (rs1 + imm) & 0xfffffffe; rd = next; jump to",
            "jalr",
        ),
        row("fence", "fence", "0000 1111 1111 00000 000 00000 0001111", "", "alu"),
    ];
    for (name, code, condition) in [
        ("beq", "000", "rs1 == rs2"),
        ("bne", "001", "rs1 != rs2"),
        ("blt", "100", "rs1 <s rs2"),
        ("bge", "101", "~(rs1 <s rs2)"),
        ("bltu", "110", "rs1 <u rs2"),
        ("bgeu", "111", "~(rs1 <u rs2)"),
    ] {
        rows.push(row(
            name,
            &format!("{name} {{rs1}}, {{rs2}}, {{off}}"),
            &format!("off[12] off[10:5] rs2[4:0] rs1[4:0] {code} off[4:1] off[11] 1100011"),
            &format!("if {condition} {{ jump pc + off }}"),
            "branch",
        ));
    }
    for (name, code, value, class) in [
        ("lb", "000", "sx(m8[rs1 + imm], 32)", "loadb"),
        ("lh", "001", "sx(m16[rs1 + imm], 32)", "loadb"),
        ("lw", "010", "m32[rs1 + imm]", "load"),
        ("lbu", "100", "zx(m8[rs1 + imm], 32)", "loadb"),
        ("lhu", "101", "zx(m16[rs1 + imm], 32)", "loadb"),
    ] {
        rows.push(row(
            name,
            &format!("{name} {{rd}}, {{imm}}({{rs1}})"),
            &format!("imm[11:0] rs1[4:0] {code} rd[4:0] 0000011"),
            &format!("rd = {value}"),
            class,
        ));
    }
    for (name, code, bits) in [("sb", "000", 8), ("sh", "001", 16), ("sw", "010", 32)] {
        rows.push(row(
            name,
            &format!("{name} {{rs2}}, {{imm}}({{rs1}})"),
            &format!("imm[11:5] rs2[4:0] rs1[4:0] {code} imm[4:0] 0100011"),
            &format!("m{bits}[rs1 + imm] = rs2[{}:0]", bits - 1),
            "store",
        ));
    }
    for (name, code, value) in [
        ("addi", "000", "rs1 + imm"),
        ("slti", "010", "zx(rs1 <s imm, 32)"),
        ("sltiu", "011", "zx(rs1 <u imm, 32)"),
        ("xori", "100", "rs1 ^ imm"),
        ("ori", "110", "rs1 | imm"),
        ("andi", "111", "rs1 & imm"),
    ] {
        rows.push(row(
            name,
            &format!("{name} {{rd}}, {{rs1}}, {{imm}}"),
            &format!("imm[11:0] rs1[4:0] {code} rd[4:0] 0010011"),
            &format!("rd = {value}"),
            "alu",
        ));
    }
    for (name, high, code, operator) in [
        ("slli", "0000000", "001", "<<"),
        ("srli", "0000000", "101", ">>"),
        ("srai", "0100000", "101", ">>>"),
    ] {
        rows.push(row(
            name,
            &format!("{name} {{rd}}, {{rs1}}, {{shamt}}"),
            &format!("{high} shamt[4:0] rs1[4:0] {code} rd[4:0] 0010011"),
            &format!("rd = rs1 {operator} shamt"),
            "shift",
        ));
    }
    for (name, high, code, value, class) in [
        ("add", "0000000", "000", "rs1 + rs2", "alu"),
        ("sub", "0100000", "000", "rs1 - rs2", "alu"),
        ("sll", "0000000", "001", "rs1 << rs2[4:0]", "shift"),
        ("slt", "0000000", "010", "zx(rs1 <s rs2, 32)", "alu"),
        ("sltu", "0000000", "011", "zx(rs1 <u rs2, 32)", "alu"),
        ("xor", "0000000", "100", "rs1 ^ rs2", "alu"),
        ("srl", "0000000", "101", "rs1 >> rs2[4:0]", "shift"),
        ("sra", "0100000", "101", "rs1 >>> rs2[4:0]", "shift"),
        ("or", "0000000", "110", "rs1 | rs2", "alu"),
        ("and", "0000000", "111", "rs1 & rs2", "alu"),
    ] {
        rows.push(three(name, high, code, value, class));
    }
    rows
}

/// A row with three registers: `rd = value`.
pub fn three(name: &str, high: &str, code: &str, value: &str, class: &str) -> Text {
    row(
        name,
        &format!("{name} {{rd}}, {{rs1}}, {{rs2}}"),
        &format!("{high} rs2[4:0] rs1[4:0] {code} rd[4:0] 0110011"),
        &format!("rd = {value}"),
        class,
    )
}

fn multiplication() -> Vec<Text> {
    let high = |a: &str, b: &str| format!("({a}(rs1, 64) * {b}(rs2, 64))[63:32]");
    // Division by zero gives all ones, or the dividend; so do divu and remu of the semantics language.
    let quotient = "q := divu(abs(rs1), abs(rs2)); \
                    rd = rs2 == 0 ? 0xffffffff : ((rs1[31] ^ rs2[31]) ? 0 - q : q)";
    let rest = "r := remu(abs(rs1), abs(rs2)); rd = rs1[31] ? 0 - r : r";
    let signed = |name: &str, code: &str, meaning: &str| {
        row(
            name,
            &format!("{name} {{rd}}, {{rs1}}, {{rs2}}"),
            &format!("0000001 rs2[4:0] rs1[4:0] {code} rd[4:0] 0110011"),
            meaning,
            "div",
        )
    };
    vec![
        three("mul", "0000001", "000", "rs1 * rs2", "mul"),
        three("mulh", "0000001", "001", &high("sx", "sx"), "mulh"),
        three("mulhsu", "0000001", "010", &high("sx", "zx"), "mulh"),
        three("mulhu", "0000001", "011", &high("zx", "zx"), "mulh"),
        signed("div", "100", quotient),
        three("divu", "0000001", "101", "divu(rs1, rs2)", "div"),
        signed("rem", "110", rest),
        three("remu", "0000001", "111", "remu(rs1, rs2)", "div"),
    ]
}

fn table(name: &'static str, parts: &[Vec<Text>]) -> Isa {
    Isa::new(about(name), &parts.concat()).unwrap_or_else(|e| panic!("{name}: {e}")).leaving(undefined)
}

/// RV32I.
pub fn rv32i() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table("RV32I", &[base()]))
}

/// RV32IM.
pub fn rv32im() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table("RV32IM", &[base(), multiplication()]))
}

/// RV32IMC.
pub fn rv32imc() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table("RV32IMC", &[base(), multiplication(), compressed()]))
}

/// RV32IMC as Ibex executes it: its load-store unit splits an unaligned access into two.
pub fn ibex() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        let mut isa = rv32imc().clone();
        isa.about.unaligned =
            Unaligned::Works { source: "Ibex Reference Guide, Load-Store Unit, Misaligned Accesses" };
        isa
    })
}

/// RV32IMC with Zbkb.
pub fn zbkb() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        table("RV32IMC_Zbkb_Zkne_Zknd", &[base(), multiplication(), compressed(), bit_manipulation()])
    })
}

/// RV32IMC with Zbkb, Zkne and Zknd.
pub fn zkn() -> &'static Isa {
    super::extended::ratified().isa
}
