//! Rows of compressed instructions: The RISC-V Instruction Set Manual, Volume I (20191213), chapter 16.

use aesmith_isa::row;
use aesmith_isa::table::Text;

/// More specific encodings come before more general ones.
pub fn compressed() -> Vec<Text> {
    let branch = |name: &str, code: &str, sign: &str| {
        row(
            name,
            &format!("{name} {{cs1}}, {{off}}"),
            &format!("{code} off[8] off[4:3] cs1[2:0] off[7:6] off[2:1] off[5] 01"),
            &format!("if cs1 {sign} 0 {{ jump pc + off }}"),
            "branch",
        )
    };
    let jump = "off[11] off[4] off[9:8] off[10] off[6] off[7] off[3:1] off[5] 01";
    let mut rows = vec![
        row(
            "c.addi4spn",
            "c.addi4spn {cd}, sp, {uimm}",
            "000 uimm[5:4] uimm[9:6] uimm[2] uimm[3] cd[2:0] 00",
            "cd = sp + uimm",
            "alu",
        ),
        row(
            "c.lw",
            "c.lw {cd}, {uimm}({cs1})",
            "010 uimm[5:3] cs1[2:0] uimm[2] uimm[6] cd[2:0] 00",
            "cd = m32[cs1 + uimm]",
            "load",
        ),
        row(
            "c.sw",
            "c.sw {cs2}, {uimm}({cs1})",
            "110 uimm[5:3] cs1[2:0] uimm[2] uimm[6] cs2[2:0] 00",
            "m32[cs1 + uimm] = cs2",
            "store",
        ),
        row("c.nop", "c.nop", "000 0 00000 00000 01", "", "alu"),
        row("c.addi", "c.addi {rd}, {imm}", "000 imm[5] rd[4:0] imm[4:0] 01", "rd = rd + imm", "alu"),
        row("c.jal", "c.jal {off}", &format!("001 {jump}"), "ra = next; jump pc + off", "jal"),
        row("c.li", "c.li {rd}, {imm}", "010 imm[5] rd[4:0] imm[4:0] 01", "rd = imm", "alu"),
        row(
            "c.addi16sp",
            "c.addi16sp sp, {imm}",
            "011 imm[9] 00010 imm[4] imm[6] imm[8:7] imm[5] 01",
            "sp = sp + imm",
            "alu",
        ),
        row("c.lui", "c.lui {rd}, {upper}", "011 upper[5] rd[4:0] upper[4:0] 01", "rd = upper << 12", "alu"),
        row("c.srli", "c.srli {cd}, {shamt}", "100 0 00 cd[2:0] shamt[4:0] 01", "cd = cd >> shamt", "shift"),
        row("c.srai", "c.srai {cd}, {shamt}", "100 0 01 cd[2:0] shamt[4:0] 01", "cd = cd >>> shamt", "shift"),
        row("c.andi", "c.andi {cd}, {imm}", "100 imm[5] 10 cd[2:0] imm[4:0] 01", "cd = cd & imm", "alu"),
        row("c.j", "c.j {off}", &format!("101 {jump}"), "jump pc + off", "jal"),
        branch("c.beqz", "110", "=="),
        branch("c.bnez", "111", "!="),
        row("c.slli", "c.slli {rd}, {shamt}", "000 0 rd[4:0] shamt[4:0] 10", "rd = rd << shamt", "shift"),
        row(
            "c.lwsp",
            "c.lwsp {rd}, {uimm}(sp)",
            "010 uimm[5] rd[4:0] uimm[4:2] uimm[7:6] 10",
            "rd = m32[sp + uimm]",
            "load",
        ),
        row("c.jr", "c.jr {rs1}", "100 0 rs1[4:0] 00000 10", "jump rs1 & 0xfffffffe", "jalr"),
        row("c.mv", "c.mv {rd}, {rs2}", "100 0 rd[4:0] rs2[4:0] 10", "rd = rs2", "alu"),
        row(
            "c.jalr",
            "c.jalr {rs1}",
            "100 1 rs1[4:0] 00000 10",
            "to := rs1 & 0xfffffffe; ra = next; jump to",
            "jalr",
        ),
        row("c.add", "c.add {rd}, {rs2}", "100 1 rd[4:0] rs2[4:0] 10", "rd = rd + rs2", "alu"),
        row(
            "c.swsp",
            "c.swsp {rs2}, {uimm}(sp)",
            "110 uimm[5:2] uimm[7:6] rs2[4:0] 10",
            "m32[sp + uimm] = rs2",
            "store",
        ),
    ];
    for (name, code, operator) in
        [("c.sub", "00", "-"), ("c.xor", "01", "^"), ("c.or", "10", "|"), ("c.and", "11", "&")]
    {
        rows.push(row(
            name,
            &format!("{name} {{cd}}, {{cs2}}"),
            &format!("100 0 11 cd[2:0] {code} cs2[2:0] 01"),
            &format!("cd = cd {operator} cs2"),
            "alu",
        ));
    }
    rows
}
