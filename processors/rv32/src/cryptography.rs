//! Rows of Zbkb: RISC-V Cryptography Extensions Volume I: Scalar (1.0.1), chapter 3. The instructions of Zkne
//! and Zknd are in the extension `zkn`.

use aesmith_isa::row;
use aesmith_isa::table::Text;

use super::table::three;

/// `cat` of single bits, highest first.
fn bits(of: impl Iterator<Item = u32>) -> String {
    let bits: Vec<String> = of.map(|bit| format!("rs1[{bit}]")).collect();
    format!("cat({})", bits.join(", "))
}

/// The rows of Zbkb.
pub fn bit_manipulation() -> Vec<Text> {
    let one = |name: &str, code: &str, value: &str| {
        row(
            name,
            &format!("{name} {{rd}}, {{rs1}}"),
            &format!("{code} rs1[4:0] 101 rd[4:0] 0010011"),
            &format!("rd = {value}"),
            "bits",
        )
    };
    vec![
        three("rol", "0110000", "001", "rol(rs1, rs2[4:0])", "bits"),
        three("ror", "0110000", "101", "ror(rs1, rs2[4:0])", "bits"),
        row(
            "rori",
            "rori {rd}, {rs1}, {shamt}",
            "0110000 shamt[4:0] rs1[4:0] 101 rd[4:0] 0010011",
            "rd = ror(rs1, shamt)",
            "bits",
        ),
        three("andn", "0100000", "111", "rs1 & ~rs2", "bits"),
        three("orn", "0100000", "110", "rs1 | ~rs2", "bits"),
        three("xnor", "0100000", "100", "~(rs1 ^ rs2)", "bits"),
        three("pack", "0000100", "100", "cat(rs2[15:0], rs1[15:0])", "bits"),
        three("packh", "0000100", "111", "zx(cat(rs2[7:0], rs1[7:0]), 32)", "bits"),
        one("rev8", "011010011000", "cat(rs1[7:0], rs1[15:8], rs1[23:16], rs1[31:24])"),
        one("brev8", "011010000111", &bits((0..32).rev().map(|bit| bit ^ 7))),
        one("unzip", "000010001111", &bits((0..32).rev().map(|bit| 2 * (bit % 16) + bit / 16))),
        row(
            "zip",
            "zip {rd}, {rs1}",
            "000010001111 rs1[4:0] 001 rd[4:0] 0010011",
            &format!("rd = {}", bits((0..32).rev().map(|bit| bit / 2 + 16 * (bit % 2)))),
            "bits",
        ),
    ]
}
