//! Rows of the 16-bit instructions (DDI 0419, A5.2 and A6.7).

use aesmith_isa::row;
use aesmith_isa::table::Text;

use super::table::CONDITIONS;

/// Name, syntax, encoding, semantics, class; `set_..` sets flags where the architecture does.
const ROWS: &[[&str; 5]] = &[
    ["movs_reg", "movs {rd}, {rm}", "0000000000 rm[2:0] rd[2:0]", "r := rm; rd = r; set_nz()", "alu"],
    [
        "lsls_imm",
        "lsls {rd}, {rm}, #{sh}",
        "00000 sh[4:0] rm[2:0] rd[2:0]",
        "r := rm << sh; c := (zx(rm, 64) << sh)[32]; rd = r; set_nzc()",
        "shift",
    ],
    [
        "lsrs_imm",
        "lsrs {rd}, {rm}, #{right}",
        "00001 right[4:0] rm[2:0] rd[2:0]",
        "r := rm >> right; c := (rm >> (right - 1))[0]; rd = r; set_nzc()",
        "shift",
    ],
    [
        "asrs_imm",
        "asrs {rd}, {rm}, #{right}",
        "00010 right[4:0] rm[2:0] rd[2:0]",
        "r := rm >>> right; c := (rm >>> (right - 1))[0]; rd = r; set_nzc()",
        "shift",
    ],
    [
        "adds_reg",
        "adds {rd}, {rn}, {rm}",
        "0001100 rm[2:0] rn[2:0] rd[2:0]",
        "sum(rn, rm); rd = r; set_nzcv()",
        "alu",
    ],
    [
        "subs_reg",
        "subs {rd}, {rn}, {rm}",
        "0001101 rm[2:0] rn[2:0] rd[2:0]",
        "difference(rn, rm); rd = r; set_nzcv()",
        "alu",
    ],
    [
        "adds_imm3",
        "adds {rd}, {rn}, #{imm}",
        "0001110 imm[2:0] rn[2:0] rd[2:0]",
        "sum(rn, imm); rd = r; set_nzcv()",
        "alu",
    ],
    [
        "subs_imm3",
        "subs {rd}, {rn}, #{imm}",
        "0001111 imm[2:0] rn[2:0] rd[2:0]",
        "difference(rn, imm); rd = r; set_nzcv()",
        "alu",
    ],
    ["movs_imm", "movs {rd}, #{imm}", "00100 rd[2:0] imm[7:0]", "r := imm; rd = r; set_nz()", "alu"],
    ["cmp_imm", "cmp {rn}, #{imm}", "00101 rn[2:0] imm[7:0]", "difference(rn, imm); nzcv()", "alu"],
    ["adds_imm8", "adds {rd}, #{imm}", "00110 rd[2:0] imm[7:0]", "sum(rd, imm); rd = r; set_nzcv()", "alu"],
    [
        "subs_imm8",
        "subs {rd}, #{imm}",
        "00111 rd[2:0] imm[7:0]",
        "difference(rd, imm); rd = r; set_nzcv()",
        "alu",
    ],
    ["ands_reg", "ands {rd}, {rm}", "0100000000 rm[2:0] rd[2:0]", "r := rd & rm; rd = r; set_nz()", "alu"],
    ["eors_reg", "eors {rd}, {rm}", "0100000001 rm[2:0] rd[2:0]", "r := rd ^ rm; rd = r; set_nz()", "alu"],
    [
        "lsls_reg",
        "lsls {rd}, {rm}",
        "0100000010 rm[2:0] rd[2:0]",
        "n := rm[7:0]; r := rd << n; c := n == 0 ? C : (zx(rd, 64) << n)[32]; rd = r; set_nzc()",
        "shift",
    ],
    [
        "lsrs_reg",
        "lsrs {rd}, {rm}",
        "0100000011 rm[2:0] rd[2:0]",
        "n := rm[7:0]; r := rd >> n; c := n == 0 ? C : (cat(rd, zx(0, 1)) >> n)[0]; rd = r; set_nzc()",
        "shift",
    ],
    [
        "asrs_reg",
        "asrs {rd}, {rm}",
        "0100000100 rm[2:0] rd[2:0]",
        "n := rm[7:0]; r := rd >>> n; c := n == 0 ? C : (cat(rd, zx(0, 1)) >>> n)[0]; rd = r; set_nzc()",
        "shift",
    ],
    ["adcs_reg", "adcs {rd}, {rm}", "0100000101 rm[2:0] rd[2:0]", "adder(rd, rm); rd = r; set_nzcv()", "alu"],
    [
        "sbcs_reg",
        "sbcs {rd}, {rm}",
        "0100000110 rm[2:0] rd[2:0]",
        "adder(rd, ~rm); rd = r; set_nzcv()",
        "alu",
    ],
    [
        "rors_reg",
        "rors {rd}, {rm}",
        "0100000111 rm[2:0] rd[2:0]",
        "n := rm[7:0]; r := ror(rd, n); c := n == 0 ? C : r[31]; rd = r; set_nzc()",
        "shift",
    ],
    ["tst_reg", "tst {rn}, {rm}", "0100001000 rm[2:0] rn[2:0]", "r := rn & rm; nz(r)", "alu"],
    [
        "rsbs_zero",
        "rsbs {rd}, {rn}, #0",
        "0100001001 rn[2:0] rd[2:0]",
        "difference(zx(0, 32), rn); rd = r; set_nzcv()",
        "alu",
    ],
    ["cmp_reg", "cmp {rn}, {rm}", "0100001010 rm[2:0] rn[2:0]", "difference(rn, rm); nzcv()", "alu"],
    ["cmn_reg", "cmn {rn}, {rm}", "0100001011 rm[2:0] rn[2:0]", "sum(rn, rm); nzcv()", "alu"],
    ["orrs_reg", "orrs {rd}, {rm}", "0100001100 rm[2:0] rd[2:0]", "r := rd | rm; rd = r; set_nz()", "alu"],
    [
        "muls_reg",
        "muls {rd}, {rn}, {rd}",
        "0100001101 rn[2:0] rd[2:0]",
        "r := rd * rn; rd = r; set_nz()",
        "mul",
    ],
    ["bics_reg", "bics {rd}, {rm}", "0100001110 rm[2:0] rd[2:0]", "r := rd & ~rm; rd = r; set_nz()", "alu"],
    ["mvns_reg", "mvns {rd}, {rm}", "0100001111 rm[2:0] rd[2:0]", "r := ~rm; rd = r; set_nz()", "alu"],
    ["add_any", "add {rd}, {rm}", "01000100 rd[3] rm[3:0] rd[2:0]", "rd = rd + rm", "alu"],
    ["cmp_any", "cmp {rn}, {rm}", "01000101 rn[3] rm[3:0] rn[2:0]", "difference(rn, rm); nzcv()", "alu"],
    ["mov_any", "mov {rd}, {rm}", "01000110 rd[3] rm[3:0] rd[2:0]", "rd = rm", "alu"],
    // The lowest bit of the address must be one, otherwise it faults: the jump then goes to an odd address,
    // where no instruction is.
    ["bx", "bx {rm}", "010001110 rm[3:0] 000", "jump rm - 1", "return"],
    ["blx", "blx {rm}", "010001111 rm[3:0] 000", "to := rm; lr = next | 1; jump to - 1", "return"],
    [
        "ldr_literal",
        "ldr {rt}, {imm:[pc, #.]}",
        "01001 rt[2:0] imm[9:2]",
        "rt = m32[literal() + imm]",
        "load",
    ],
    [
        "str_reg",
        "str {rt}, [{rn}, {rm}]",
        "0101000 rm[2:0] rn[2:0] rt[2:0]",
        "m32[rn + rm] = rt",
        "store by register",
    ],
    [
        "strh_reg",
        "strh {rt}, [{rn}, {rm}]",
        "0101001 rm[2:0] rn[2:0] rt[2:0]",
        "m16[rn + rm] = rt[15:0]",
        "store by register",
    ],
    [
        "strb_reg",
        "strb {rt}, [{rn}, {rm}]",
        "0101010 rm[2:0] rn[2:0] rt[2:0]",
        "m8[rn + rm] = rt[7:0]",
        "store by register",
    ],
    [
        "ldrsb_reg",
        "ldrsb {rt}, [{rn}, {rm}]",
        "0101011 rm[2:0] rn[2:0] rt[2:0]",
        "rt = sx(m8[rn + rm], 32)",
        "load of a part",
    ],
    ["ldr_reg", "ldr {rt}, [{rn}, {rm}]", "0101100 rm[2:0] rn[2:0] rt[2:0]", "rt = m32[rn + rm]", "load"],
    [
        "ldrh_reg",
        "ldrh {rt}, [{rn}, {rm}]",
        "0101101 rm[2:0] rn[2:0] rt[2:0]",
        "rt = zx(m16[rn + rm], 32)",
        "load of a part",
    ],
    [
        "ldrb_reg",
        "ldrb {rt}, [{rn}, {rm}]",
        "0101110 rm[2:0] rn[2:0] rt[2:0]",
        "rt = zx(m8[rn + rm], 32)",
        "load of a part",
    ],
    [
        "ldrsh_reg",
        "ldrsh {rt}, [{rn}, {rm}]",
        "0101111 rm[2:0] rn[2:0] rt[2:0]",
        "rt = sx(m16[rn + rm], 32)",
        "load of a part",
    ],
    ["str_imm", "str {rt}, [{rn}, #{imm}]", "01100 imm[6:2] rn[2:0] rt[2:0]", "m32[rn + imm] = rt", "store"],
    ["ldr_imm", "ldr {rt}, [{rn}, #{imm}]", "01101 imm[6:2] rn[2:0] rt[2:0]", "rt = m32[rn + imm]", "load"],
    [
        "strb_imm",
        "strb {rt}, [{rn}, #{imm}]",
        "01110 imm[4:0] rn[2:0] rt[2:0]",
        "m8[rn + imm] = rt[7:0]",
        "store",
    ],
    [
        "ldrb_imm",
        "ldrb {rt}, [{rn}, #{imm}]",
        "01111 imm[4:0] rn[2:0] rt[2:0]",
        "rt = zx(m8[rn + imm], 32)",
        "load of a part",
    ],
    [
        "strh_imm",
        "strh {rt}, [{rn}, #{imm}]",
        "10000 imm[5:1] rn[2:0] rt[2:0]",
        "m16[rn + imm] = rt[15:0]",
        "store",
    ],
    [
        "ldrh_imm",
        "ldrh {rt}, [{rn}, #{imm}]",
        "10001 imm[5:1] rn[2:0] rt[2:0]",
        "rt = zx(m16[rn + imm], 32)",
        "load of a part",
    ],
    ["str_sp", "str {rt}, [sp, #{imm}]", "10010 rt[2:0] imm[9:2]", "m32[sp + imm] = rt", "store"],
    ["ldr_sp", "ldr {rt}, [sp, #{imm}]", "10011 rt[2:0] imm[9:2]", "rt = m32[sp + imm]", "load"],
    ["add_pc", "add {rd}, pc, #{imm}", "10100 rd[2:0] imm[9:2]", "rd = literal() + imm", "alu"],
    ["add_sp", "add {rd}, sp, #{imm}", "10101 rd[2:0] imm[9:2]", "rd = sp + imm", "alu"],
    ["sp_up", "add sp, #{imm}", "101100000 imm[8:2]", "sp = sp + imm", "alu"],
    ["sp_down", "sub sp, #{imm}", "101100001 imm[8:2]", "sp = sp - imm", "alu"],
    ["sxth", "sxth {rd}, {rm}", "1011001000 rm[2:0] rd[2:0]", "rd = sx(rm[15:0], 32)", "extend"],
    ["sxtb", "sxtb {rd}, {rm}", "1011001001 rm[2:0] rd[2:0]", "rd = sx(rm[7:0], 32)", "extend"],
    ["uxth", "uxth {rd}, {rm}", "1011001010 rm[2:0] rd[2:0]", "rd = zx(rm[15:0], 32)", "extend"],
    ["uxtb", "uxtb {rd}, {rm}", "1011001011 rm[2:0] rd[2:0]", "rd = zx(rm[7:0], 32)", "extend"],
    [
        "push",
        "push {list:list}",
        "1011010 list[14] list[7:0]",
        "a := sp - (count(list, 32) << 2); stores(list, a); sp = a",
        "stores",
    ],
    ["rev", "rev {rd}, {rm}", "1011101000 rm[2:0] rd[2:0]", "rd = rev(rm)", "extract"],
    [
        "rev16",
        "rev16 {rd}, {rm}",
        "1011101001 rm[2:0] rd[2:0]",
        "rd = cat(rm[23:16], rm[31:24], rm[7:0], rm[15:8])",
        "extract",
    ],
    [
        "revsh",
        "revsh {rd}, {rm}",
        "1011101011 rm[2:0] rd[2:0]",
        "rd = sx(cat(rm[7:0], rm[15:8]), 32)",
        "extract",
    ],
    [
        "pop",
        "pop {list:list}",
        "1011110 list[15] list[7:0]",
        "a := sp; sp = a + (count(list, 32) << 2); loads(list, a)",
        "loads",
    ],
    ["nop", "nop", "1011111100000000", "", "nop"],
    [
        "stm",
        "stmia {rn}!, {list:list}",
        "11000 rn[2:0] list[7:0]",
        "a := rn; stores(list, a); rn = a + (count(list, 32) << 2)",
        "stores",
    ],
    // A base register in the list is loaded and not written back: the loaded value is assigned last.
    [
        "ldm",
        "ldmia {rn}!, {list:list}",
        "11001 rn[2:0] list[7:0]",
        "a := rn; rn = a + (count(list, 32) << 2); loads(list, a)",
        "loads",
    ],
    ["b", "b {label}", "11100 label[11:1]", "jump pc + label", "jump"],
];

/// The rows of both architectures.
pub fn rows() -> Vec<Text> {
    let mut rows: Vec<Text> = ROWS.iter().map(|&[n, s, e, m, c]| row(n, s, e, m, c)).collect();
    for (number, (name, holds)) in CONDITIONS.iter().enumerate() {
        let encoding = format!("1101 {number:04b} label[8:1]");
        let meaning = format!("if {holds} {{ jump pc + label }}");
        rows.push(row(&format!("b{name}"), &format!("b{name} {{label}}"), &encoding, &meaning, "branch"));
    }
    rows
}

/// The rows of ARMv7-M only: compare with zero and branch, and IT in each of its forms (DDI 0403, A7.7.37). The
/// mask's highest bits select, for each instruction after the first, the first's condition or its opposite, by
/// comparison with its lowest bit; the lowest set bit ends the mask.
pub fn rows_of_v7() -> Vec<Text> {
    let mut rows = vec![
        row(
            "cbz",
            "cbz {rn}, {ahead}",
            "101100 ahead[6] 1 ahead[5:1] rn[2:0]",
            "if rn == 0 { jump pc + ahead }",
            "branch",
        ),
        row(
            "cbnz",
            "cbnz {rn}, {ahead}",
            "101110 ahead[6] 1 ahead[5:1] rn[2:0]",
            "if rn != 0 { jump pc + ahead }",
            "branch",
        ),
    ];
    for (low, field) in [(0, "even"), (1, "odd")] {
        for mask in 1..16u32 {
            let more: String = (0..3 - mask.trailing_zeros())
                .map(|k| if mask >> (3 - k) & 1 == low { 't' } else { 'e' })
                .collect();
            rows.push(row(
                &format!("it{more}_{field}"),
                &format!("it{more} {{{field}}}"),
                &format!("10111111 {field}[2:0] {low} {mask:04b}"),
                &format!("it = cat({field}, zx({}, 5))", low << 4 | mask),
                "it",
            ));
        }
    }
    rows
}
