//! Rows of the 32-bit instructions (DDI 0403, A5.3 and A7.7): a table of operations, and a table of the forms
//! of each operation.

use aesmith_isa::row;
use aesmith_isa::table::Text;

use super::table::CONDITIONS;

/// A form of the second operand: name, notation, encoding around `rd`, value, carry out.
struct Operand {
    name: &'static str,
    notation: &'static str,
    /// The encoding after the operation number, the flag and the first operand.
    encoding: fn(rd: &str) -> String,
    value: &'static str,
    carry: &'static str,
    /// The notation of a move with it, if it has its own.
    shift: Option<&'static str>,
}

const OPERANDS: &[Operand] = &[
    Operand {
        name: "imm",
        notation: "#{const}",
        encoding: |rd| format!("0 const[10:8] {rd} const[7:0]"),
        value: "const",
        carry: "(const <u 256) | (const[31:16] == const[15:0]) ? C : const[31]",
        shift: None,
    },
    Operand {
        name: "reg",
        notation: "{rm}",
        encoding: |rd| format!("0 000 {rd} 00 00 rm[3:0]"),
        value: "rm",
        carry: "C",
        shift: None,
    },
    Operand {
        name: "lsl",
        notation: "{rm}, lsl #{sh}",
        encoding: |rd| format!("0 sh[4:2] {rd} sh[1:0] 00 rm[3:0]"),
        value: "rm << sh",
        carry: "(zx(rm, 64) << sh)[32]",
        shift: Some("lsl"),
    },
    Operand {
        name: "lsr",
        notation: "{rm}, lsr #{right}",
        encoding: |rd| format!("0 right[4:2] {rd} right[1:0] 01 rm[3:0]"),
        value: "rm >> right",
        carry: "(rm >> (right - 1))[0]",
        shift: Some("lsr"),
    },
    Operand {
        name: "asr",
        notation: "{rm}, asr #{right}",
        encoding: |rd| format!("0 right[4:2] {rd} right[1:0] 10 rm[3:0]"),
        value: "rm >>> right",
        carry: "(rm >>> (right - 1))[0]",
        shift: Some("asr"),
    },
    Operand {
        name: "rrx",
        notation: "{rm}, rrx",
        encoding: |rd| format!("0 000 {rd} 00 11 rm[3:0]"),
        value: "cat(C, rm[31:1])",
        carry: "rm[0]",
        shift: Some("rrx"),
    },
    Operand {
        name: "ror",
        notation: "{rm}, ror #{sh}",
        encoding: |rd| format!("0 sh[4:2] {rd} sh[1:0] 11 rm[3:0]"),
        value: "ror(rm, sh)",
        carry: "ror(rm, sh)[31]",
        shift: Some("ror"),
    },
];

/// The result of an operation on `rn` and the second operand `X`.
#[derive(Clone, Copy)]
enum Makes {
    /// This expression; sets flags N, Z and the operand's carry.
    Logic(&'static str),
    /// This expression; sets flags by this macro.
    Sum(&'static str, &'static str),
}

/// Name, number, result; `mov` and `mvn` have no `rn`, the comparisons no `rd`. Operations with fewer operands
/// come before those whose encoding they are part of.
const OPERATIONS: &[(&str, u8, Makes, &str)] = &[
    ("tst", 0b0000, Makes::Logic("rn & (X)"), "rn"),
    ("teq", 0b0100, Makes::Logic("rn ^ (X)"), "rn"),
    ("cmn", 0b1000, Makes::Sum("", "sum(rn, X)"), "rn"),
    ("cmp", 0b1101, Makes::Sum("", "difference(rn, X)"), "rn"),
    ("mov", 0b0010, Makes::Logic("X"), "rd"),
    ("mvn", 0b0011, Makes::Logic("~(X)"), "rd"),
    ("and", 0b0000, Makes::Logic("rn & (X)"), "rd rn"),
    ("bic", 0b0001, Makes::Logic("rn & ~(X)"), "rd rn"),
    ("orr", 0b0010, Makes::Logic("rn | (X)"), "rd rn"),
    ("orn", 0b0011, Makes::Logic("rn | ~(X)"), "rd rn"),
    ("eor", 0b0100, Makes::Logic("rn ^ (X)"), "rd rn"),
    ("add", 0b1000, Makes::Sum("rn + (X)", "sum(rn, X)"), "rd rn"),
    ("adc", 0b1010, Makes::Sum("rn + (X) + zx(C, 32)", "adder(rn, X)"), "rd rn"),
    ("sbc", 0b1011, Makes::Sum("rn + ~(X) + zx(C, 32)", "adder(rn, ~(X))"), "rd rn"),
    ("sub", 0b1101, Makes::Sum("rn - (X)", "difference(rn, X)"), "rd rn"),
    ("rsb", 0b1110, Makes::Sum("(X) - rn", "difference(X, rn)"), "rd rn"),
];

fn processing() -> Vec<Text> {
    let mut rows = Vec::new();
    for &(name, number, makes, operands) in OPERATIONS {
        for operand in OPERANDS {
            for flags in [false, true] {
                let compares = operands == "rn";
                if compares && !flags {
                    continue;
                }
                let s = if flags && !compares { "s" } else { "" };
                let rn = if operands == "rd" { "1111" } else { "rn[3:0]" };
                let rd = if compares { "1111" } else { "rd[3:0]" };
                let head = if operand.name == "imm" { "11110 const[11] 0" } else { "11101 01" };
                let tail = (operand.encoding)(rd);
                let encoding = format!("{head} {number:04b} {} {rn} {tail}", u8::from(flags));
                let value = |text: &str| text.replace('X', operand.value);
                let meaning = match (makes, flags) {
                    (Makes::Logic(e), false) | (Makes::Sum(e, _), false) => format!("rd = {}", value(e)),
                    (Makes::Logic(e), true) => {
                        let write = if compares { "" } else { "rd = r; " };
                        format!("r := {}; c := {}; {write}nz(r); C = c", value(e), operand.carry)
                    }
                    (Makes::Sum(_, of), true) => {
                        let write = if compares { "" } else { "rd = r; " };
                        format!("{}; {write}nzcv()", value(of))
                    }
                };
                let of: Vec<String> = operands.split(' ').map(|o| format!("{{{o}}}")).collect();
                let mut syntax = format!("{name}{s}.w {}, {}", of.join(", "), operand.notation);
                if let (Some(shift), "mov") = (operand.shift, name) {
                    let amount =
                        operand.notation.split_once('#').map_or(String::new(), |(_, n)| format!(", #{n}"));
                    let wide = if shift == "rrx" { "" } else { ".w" };
                    syntax = format!("{shift}{s}{wide} {{rd}}, {{rm}}{amount}");
                }
                let class = match (operand.name, name) {
                    ("imm" | "reg", _) => "alu",
                    (_, "mov") => "shift",
                    _ => "shifted",
                };
                rows.push(row(&format!("{name}{s}.{}", operand.name), &syntax, &encoding, &meaning, class));
            }
        }
    }
    rows
}

/// Name, bits for sign and size, effect of the load or store.
const ACCESSES: &[(&str, &str, &str, &str, bool)] = &[
    ("str", "0", "10", "m32[A] = rt", false),
    ("strb", "0", "00", "m8[A] = rt[7:0]", false),
    ("strh", "0", "01", "m16[A] = rt[15:0]", false),
    ("ldr", "0", "10", "rt = m32[A]", true),
    ("ldrb", "0", "00", "rt = zx(m8[A], 32)", true),
    ("ldrh", "0", "01", "rt = zx(m16[A], 32)", true),
    ("ldrsb", "1", "00", "rt = sx(m8[A], 32)", true),
    ("ldrsh", "1", "01", "rt = sx(m16[A], 32)", true),
];

fn accesses() -> Vec<Text> {
    let mut rows = Vec::new();
    for &(name, sign, size, what, loads) in ACCESSES {
        let mut add = |form: &str, operands: &str, bits: &str, meaning: String, class: &str| {
            let mnemonic =
                if ["imm", "reg", "literal"].contains(&form) { format!("{name}.w") } else { name.into() };
            let (long, rest) = bits.split_at(1);
            rows.push(row(
                &format!("{name}.{form}"),
                &format!("{mnemonic} {{rt}}, {operands}"),
                &format!("1111100 {sign} {long} {size} {} {rest}", u8::from(loads)),
                &meaning,
                class,
            ));
        };
        let (one, by_register) = match (loads, size) {
            (false, _) => ("store", "store by register"),
            (true, "10") => ("load", "load"),
            (true, _) => ("load of a part", "load of a part"),
        };
        let at = |address: &str| what.replace('A', address);
        if loads {
            let to = |sign: &str| at(&format!("literal() {sign} imm"));
            add("literal", "{imm:[pc, #.]}", "1 1111 rt[3:0] imm[11:0]", to("+"), one);
            add("literal_before", "{imm:[pc, #-.]}", "0 1111 rt[3:0] imm[11:0]", to("-"), one);
        }
        add("imm", "[{rn}, #{imm}]", "1 rn[3:0] rt[3:0] imm[11:0]", at("rn + imm"), one);
        let scaled = "0 rn[3:0] rt[3:0] 000000 sh[1:0] rm[3:0]";
        add("reg", "[{rn}, {rm}, lsl #{sh}]", scaled, at("rn + (rm << sh)"), by_register);
        add("before", "[{rn}, #-{imm}]", "0 rn[3:0] rt[3:0] 1100 imm[7:0]", at("rn - imm"), one);
        for (form, up, sign, op) in [("up", "1", "", "+"), ("down", "0", "-", "-")] {
            // A load happens after the write-back, since a store reads its value before it.
            let moved = |address: &str| {
                if loads {
                    format!("a := {address}; rn = rn {op} imm; {}", at("a"))
                } else {
                    format!("a := {address}; {}; rn = rn {op} imm", at("a"))
                }
            };
            let pre = format!("0 rn[3:0] rt[3:0] 11{up}1 imm[7:0]");
            add(
                &format!("pre_{form}"),
                &format!("[{{rn}}, #{sign}{{imm}}]!"),
                &pre,
                moved(&format!("rn {op} imm")),
                one,
            );
            let post = format!("0 rn[3:0] rt[3:0] 10{up}1 imm[7:0]");
            add(&format!("post_{form}"), &format!("[{{rn}}], #{sign}{{imm}}"), &post, moved("rn"), one);
        }
    }
    for (name, load) in [("strd", "0"), ("ldrd", "1")] {
        let (class, at) = if load == "1" {
            ("loads", "x := m32[a]; rt2 = m32[a + 4]; rt = x")
        } else {
            ("stores", "m32[a] = rt; m32[a + 4] = rt2")
        };
        for (form, p, u, w, operand, address, after) in [
            ("imm", 1, 1, 0, "[{rn}, #{imm}]", "rn + imm", ""),
            ("before", 1, 0, 0, "[{rn}, #-{imm}]", "rn - imm", ""),
            ("pre_up", 1, 1, 1, "[{rn}, #{imm}]!", "rn + imm", "rn = rn + imm; "),
            ("pre_down", 1, 0, 1, "[{rn}, #-{imm}]!", "rn - imm", "rn = rn - imm; "),
            ("post_up", 0, 1, 1, "[{rn}], #{imm}", "rn", "rn = rn + imm; "),
            ("post_down", 0, 0, 1, "[{rn}], #-{imm}", "rn", "rn = rn - imm; "),
        ] {
            rows.push(row(
                &format!("{name}.{form}"),
                &format!("{name} {{rt}}, {{rt2}}, {operand}"),
                &format!("1110100 {p}{u}1{w} {load} rn[3:0] rt[3:0] rt2[3:0] imm[9:2]"),
                &format!("a := {address}; {after}{at}"),
                class,
            ));
        }
    }
    rows
}

/// Loads and stores of several registers: name, bits, address, write-back.
const MULTIPLE: &[(&str, &str, &str, &str)] = &[
    ("ldmia", "010", "a := rn", "rn = a + (count(list, 32) << 2)"),
    ("ldmdb", "100", "a := rn - (count(list, 32) << 2)", "rn = a"),
    ("stmia", "010", "a := rn", "rn = a + (count(list, 32) << 2)"),
    ("stmdb", "100", "a := rn - (count(list, 32) << 2)", "rn = a"),
];

fn multiple() -> Vec<Text> {
    let mut rows = Vec::new();
    for &(name, bits, address, after) in MULTIPLE {
        let loads = name.starts_with("ld");
        for back in [false, true] {
            let (mark, form) = if back { ("!", "back") } else { ("", "keep") };
            let after = if back { format!("{after}; ") } else { String::new() };
            let meaning = if loads {
                format!("{address}; {after}loads(list, a)")
            } else {
                format!("{address}; stores(list, a); {after}")
            };
            rows.push(row(
                &format!("{name}.{form}"),
                &format!("{name}.w {{rn}}{mark}, {{list:list}}"),
                &format!("1110100 {bits} {} {} rn[3:0] list[15:0]", u8::from(back), u8::from(loads)),
                &meaning,
                if loads { "loads" } else { "stores" },
            ));
        }
    }
    rows
}

/// Multiplications: syntax, encoding after `11111011`, semantics, class; `_` in names are operands that follow
/// the mnemonic.
const MULTIPLICATIONS: &[[&str; 5]] = &[
    ["mul", "{rd}, {rn}, {rm}", "0000 rn[3:0] 1111 rd[3:0] 0000 rm[3:0]", "rd = rn * rm", "mul"],
    [
        "mla",
        "{rd}, {rn}, {rm}, {ra}",
        "0000 rn[3:0] ra[3:0] rd[3:0] 0000 rm[3:0]",
        "rd = ra + rn * rm",
        "mla",
    ],
    [
        "mls",
        "{rd}, {rn}, {rm}, {ra}",
        "0000 rn[3:0] ra[3:0] rd[3:0] 0001 rm[3:0]",
        "rd = ra - rn * rm",
        "mla",
    ],
    [
        "smull",
        "{rd}, {rd2}, {rn}, {rm}",
        "1000 rn[3:0] rd[3:0] rd2[3:0] 0000 rm[3:0]",
        "p := sx(rn, 64) * sx(rm, 64); rd = p[31:0]; rd2 = p[63:32]",
        "mull",
    ],
    [
        "umull",
        "{rd}, {rd2}, {rn}, {rm}",
        "1010 rn[3:0] rd[3:0] rd2[3:0] 0000 rm[3:0]",
        "p := zx(rn, 64) * zx(rm, 64); rd = p[31:0]; rd2 = p[63:32]",
        "mull",
    ],
    [
        "smlal",
        "{rd}, {rd2}, {rn}, {rm}",
        "1100 rn[3:0] rd[3:0] rd2[3:0] 0000 rm[3:0]",
        "p := cat(rd2, rd) + sx(rn, 64) * sx(rm, 64); rd = p[31:0]; rd2 = p[63:32]",
        "mlal",
    ],
    [
        "umlal",
        "{rd}, {rd2}, {rn}, {rm}",
        "1110 rn[3:0] rd[3:0] rd2[3:0] 0000 rm[3:0]",
        "p := cat(rd2, rd) + zx(rn, 64) * zx(rm, 64); rd = p[31:0]; rd2 = p[63:32]",
        "mlal",
    ],
    [
        "umaal",
        "{rd}, {rd2}, {rn}, {rm}",
        "1110 rn[3:0] rd[3:0] rd2[3:0] 0110 rm[3:0]",
        "p := zx(rd, 64) + zx(rd2, 64) + zx(rn, 64) * zx(rm, 64); rd = p[31:0]; rd2 = p[63:32]",
        "mlal",
    ],
    [
        "udiv",
        "{rd}, {rn}, {rm}",
        "1011 rn[3:0] 1111 rd[3:0] 1111 rm[3:0]",
        "rd = rm == 0 ? 0 : divu(rn, rm)",
        "div",
    ],
    [
        "sdiv",
        "{rd}, {rn}, {rm}",
        "1001 rn[3:0] 1111 rd[3:0] 1111 rm[3:0]",
        "n := rn[31] ? 0 - rn : rn; m := rm[31] ? 0 - rm : rm; q := divu(n, m); \
         rd = rm == 0 ? 0 : (rn[31] ^ rm[31]) ? 0 - q : q",
        "div",
    ],
];

/// Single 32-bit forms: name, syntax, encoding, semantics, class.
const ROWS: &[[&str; 5]] = &[
    [
        "movw",
        "movw {rd}, {imm}",
        "11110 imm[11] 100100 imm[15:12] 0 imm[10:8] rd[3:0] imm[7:0]",
        "rd = imm",
        "alu",
    ],
    [
        "movt",
        "movt {rd}, {imm}",
        "11110 imm[11] 101100 imm[15:12] 0 imm[10:8] rd[3:0] imm[7:0]",
        "rd = cat(imm[15:0], rd[15:0])",
        "alu",
    ],
    [
        "addw_pc",
        "addw {rd}, pc, #{imm}",
        "11110 imm[11] 100000 1111 0 imm[10:8] rd[3:0] imm[7:0]",
        "rd = literal() + imm",
        "alu",
    ],
    [
        "subw_pc",
        "subw {rd}, pc, #{imm}",
        "11110 imm[11] 101010 1111 0 imm[10:8] rd[3:0] imm[7:0]",
        "rd = literal() - imm",
        "alu",
    ],
    [
        "addw",
        "addw {rd}, {rn}, #{imm}",
        "11110 imm[11] 100000 rn[3:0] 0 imm[10:8] rd[3:0] imm[7:0]",
        "rd = rn + imm",
        "alu",
    ],
    [
        "subw",
        "subw {rd}, {rn}, #{imm}",
        "11110 imm[11] 101010 rn[3:0] 0 imm[10:8] rd[3:0] imm[7:0]",
        "rd = rn - imm",
        "alu",
    ],
    [
        "bfc",
        "bfc {rd}, #{lsb}, #{msb-lsb+1}",
        "11110 0 110110 1111 0 lsb[4:2] rd[3:0] lsb[1:0] 0 msb[4:0]",
        "m := (((zx(2, 32) << (msb - lsb)) - 1) << lsb); rd = rd & ~m",
        "extract",
    ],
    [
        "bfi",
        "bfi {rd}, {rn}, #{lsb}, #{msb-lsb+1}",
        "11110 0 110110 rn[3:0] 0 lsb[4:2] rd[3:0] lsb[1:0] 0 msb[4:0]",
        "m := (((zx(2, 32) << (msb - lsb)) - 1) << lsb); rd = (rd & ~m) | ((rn << lsb) & m)",
        "extract",
    ],
    [
        "ubfx",
        "ubfx {rd}, {rn}, #{lsb}, #{size}",
        "11110 0 111100 rn[3:0] 0 lsb[4:2] rd[3:0] lsb[1:0] 0 size[4:0]",
        "rd = (rn >> lsb) & ((zx(1, 32) << size) - 1)",
        "extract",
    ],
    [
        "sbfx",
        "sbfx {rd}, {rn}, #{lsb}, #{size}",
        "11110 0 110100 rn[3:0] 0 lsb[4:2] rd[3:0] lsb[1:0] 0 size[4:0]",
        "rd = (rn << (32 - size - lsb)) >>> (32 - size)",
        "extract",
    ],
    [
        "rev.w",
        "rev.w {rd}, {rm}",
        "111110101001 rm[3:0] 1111 rd[3:0] 1000 rm[3:0]",
        "rd = rev(rm)",
        "extract",
    ],
    [
        "rev16.w",
        "rev16.w {rd}, {rm}",
        "111110101001 rm[3:0] 1111 rd[3:0] 1001 rm[3:0]",
        "rd = cat(rm[23:16], rm[31:24], rm[7:0], rm[15:8])",
        "extract",
    ],
    [
        "rbit",
        "rbit {rd}, {rm}",
        "111110101001 rm[3:0] 1111 rd[3:0] 1010 rm[3:0]",
        "rd = bits_reversed(rm)",
        "extract",
    ],
    [
        "revsh.w",
        "revsh.w {rd}, {rm}",
        "111110101001 rm[3:0] 1111 rd[3:0] 1011 rm[3:0]",
        "rd = sx(cat(rm[7:0], rm[15:8]), 32)",
        "extract",
    ],
    // Binary search: tests whether the highest 16, 8, 4, 2, 1 bits of the rest are zero.
    [
        "clz",
        "clz {rd}, {rm}",
        "111110101011 rm[3:0] 1111 rd[3:0] 1000 rm[3:0]",
        "a := rm[31:16] == 0; x := a ? rm << 16 : rm; b := x[31:24] == 0; y := b ? x << 8 : x; \
         c := y[31:28] == 0; z := c ? y << 4 : y; d := z[31:30] == 0; w := d ? z << 2 : z; \
         rd = rm == 0 ? 32 : zx(cat(a, b, c, d, ~w[31]), 32)",
        "extend",
    ],
    [
        "pkhbt",
        "pkhbt {rd}, {rn}, {rm}, lsl #{sh}",
        "111010101100 rn[3:0] 0 sh[4:2] rd[3:0] sh[1:0] 00 rm[3:0]",
        "x := rm << sh; rd = cat(x[31:16], rn[15:0])",
        "extract",
    ],
    [
        "pkhtb",
        "pkhtb {rd}, {rn}, {rm}, asr #{right}",
        "111010101100 rn[3:0] 0 right[4:2] rd[3:0] right[1:0] 10 rm[3:0]",
        "x := rm >>> right; rd = cat(rn[31:16], x[15:0])",
        "extract",
    ],
    [
        "sel",
        "sel {rd}, {rn}, {rm}",
        "111110101010 rn[3:0] 1111 rd[3:0] 1000 rm[3:0]",
        "rd = cat(ge[3] ? rn[31:24] : rm[31:24], ge[2] ? rn[23:16] : rm[23:16], \
         ge[1] ? rn[15:8] : rm[15:8], ge[0] ? rn[7:0] : rm[7:0])",
        "extend",
    ],
    [
        "uadd8",
        "uadd8 {rd}, {rn}, {rm}",
        "111110101000 rn[3:0] 1111 rd[3:0] 0100 rm[3:0]",
        "a := zx(rn[7:0], 9) + zx(rm[7:0], 9); b := zx(rn[15:8], 9) + zx(rm[15:8], 9); \
         c := zx(rn[23:16], 9) + zx(rm[23:16], 9); d := zx(rn[31:24], 9) + zx(rm[31:24], 9); \
         rd = cat(d[7:0], c[7:0], b[7:0], a[7:0]); ge = cat(d[8], c[8], b[8], a[8])",
        "extend",
    ],
    [
        "usub8",
        "usub8 {rd}, {rn}, {rm}",
        "111110101100 rn[3:0] 1111 rd[3:0] 0100 rm[3:0]",
        "a := zx(rn[7:0], 9) - zx(rm[7:0], 9); b := zx(rn[15:8], 9) - zx(rm[15:8], 9); \
         c := zx(rn[23:16], 9) - zx(rm[23:16], 9); d := zx(rn[31:24], 9) - zx(rm[31:24], 9); \
         rd = cat(d[7:0], c[7:0], b[7:0], a[7:0]); ge = ~cat(d[8], c[8], b[8], a[8])",
        "extend",
    ],
    [
        "tbb",
        "tbb [{rn}, {rm}]",
        "111010001101 rn[3:0] 11110000 0000 rm[3:0]",
        "jump pc + 4 + (zx(m8[rn + rm], 32) << 1)",
        "table",
    ],
    [
        "tbh",
        "tbh [{rn}, {rm}, lsl #1]",
        "111010001101 rn[3:0] 11110000 0001 rm[3:0]",
        "jump pc + 4 + (zx(m16[rn + (rm << 1)], 32) << 1)",
        "table",
    ],
    ["nop.w", "nop.w", "11110011101011111000000000000000", "", "nop"],
    ["b.w", "b.w {far}", "11110 far[24] far[21:12] 10 far[23] 1 far[22] far[11:1]", "jump pc + far", "jump"],
];

/// Extensions of bytes and halves after a rotation: mnemonic, number, value of the rotated `x`.
const EXTENSIONS: &[(&str, &str, &str)] = &[
    ("sxth", "000", "sx(x[15:0], 32)"),
    ("uxth", "001", "zx(x[15:0], 32)"),
    ("sxtb16", "010", "cat(sx(x[23:16], 16), sx(x[7:0], 16))"),
    ("uxtb16", "011", "cat(zx(x[23:16], 16), zx(x[7:0], 16))"),
    ("sxtb", "100", "sx(x[7:0], 32)"),
    ("uxtb", "101", "zx(x[7:0], 32)"),
];

fn extensions() -> Vec<Text> {
    let mut rows = Vec::new();
    for &(name, number, value) in EXTENSIONS {
        let wide = if name.ends_with("16") { "" } else { ".w" };
        rows.push(row(
            &format!("{name}.ror"),
            &format!("{name}{wide} {{rd}}, {{rm}}, ror #{{rot}}"),
            &format!("111110100 {number} 1111 1111 rd[3:0] 10 rot[4:3] rm[3:0]"),
            &format!("x := ror(rm, rot); rd = {value}"),
            "extend",
        ));
        if name.ends_with("16") {
            continue;
        }
        // xtab, xtah: adds rn.
        let adds = name.replace("xt", "xta");
        rows.push(row(
            &adds,
            &format!("{adds} {{rd}}, {{rn}}, {{rm}}, ror #{{rot}}"),
            &format!("111110100 {number} rn[3:0] 1111 rd[3:0] 10 rot[4:3] rm[3:0]"),
            &format!("x := ror(rm, rot); rd = rn + {value}"),
            "extract",
        ));
    }
    rows
}

/// Products of halves (DSP): `smulbb` to `smultt`, `smlabb` to `smlatt`.
fn halves() -> Vec<Text> {
    let mut rows = Vec::new();
    for (n, of_n) in [("b", "rn[15:0]"), ("t", "rn[31:16]")] {
        for (m, of_m) in [("b", "rm[15:0]"), ("t", "rm[31:16]")] {
            let bits = format!("00{}{} rm[3:0]", u8::from(n == "t"), u8::from(m == "t"));
            let product = format!("sx({of_n}, 32) * sx({of_m}, 32)");
            rows.push(row(
                &format!("smul{n}{m}"),
                &format!("smul{n}{m} {{rd}}, {{rn}}, {{rm}}"),
                &format!("111110110001 rn[3:0] 1111 rd[3:0] {bits}"),
                &format!("rd = {product}"),
                "mul",
            ));
            rows.push(row(
                &format!("smla{n}{m}"),
                &format!("smla{n}{m} {{rd}}, {{rn}}, {{rm}}, {{ra}}"),
                &format!("111110110001 rn[3:0] ra[3:0] rd[3:0] {bits}"),
                &format!("rd = ra + {product}"),
                "mla",
            ));
        }
    }
    rows
}

/// Saturation (DDI 0403, A7.7.152 and A7.7.213; the flag Q, which records it, is not modelled): to `size` bits
/// signed, or `msb` bits unsigned. A right shift by 0 encodes the forms on two halves.
fn saturations() -> Vec<Text> {
    let signed = |x: &str, max: &str| format!("{max} <s {x} ? {max} : ({x} <s ~{max} ? ~{max} : {x})");
    let unsigned = |x: &str, max: &str| format!("{x} <s 0 ? 0 : ({max} <s {x} ? {max} : {x})");
    let mut rows = Vec::new();
    for (name, number, field, bits, value) in [
        ("ssat", "00", "size", "size - 1", &signed as &dyn Fn(&str, &str) -> String),
        ("usat", "10", "msb", "msb", &unsigned),
    ] {
        let (low, high) = (value("x", "m"), value("y", "m"));
        rows.push(row(
            &format!("{name}16"),
            &format!("{name}16 {{rd}}, #{{{field}}}, {{rn}}"),
            &format!("11110 0 11 {number}10 rn[3:0] 0000 rd[3:0] 0000 {field}[3:0]"),
            &format!(
                "m := (zx(1, 16) << ({bits})) - 1; x := rn[15:0]; y := rn[31:16]; a := {low}; b := {high}; \
                 rd = cat(b, a)"
            ),
            "alu",
        ));
        for (shift, bit, shifted) in [("lsl", "00", "rn << sh"), ("asr", "10", "rn >>> sh")] {
            rows.push(row(
                &format!("{name}.{shift}"),
                &format!("{name} {{rd}}, #{{{field}}}, {{rn}}, {shift} #{{sh}}"),
                &format!("11110 0 11 {number}{bit} rn[3:0] 0 sh[4:2] rd[3:0] sh[1:0] 0 {field}[4:0]"),
                &format!("m := (zx(1, 32) << ({bits})) - 1; x := {shifted}; rd = {low}"),
                "alu",
            ));
        }
    }
    rows
}

/// Shifts by a register.
fn shifts() -> Vec<Text> {
    let mut rows = Vec::new();
    for (name, number, value, carry) in [
        ("lsl", "00", "rn << n", "(zx(rn, 64) << n)[32]"),
        ("lsr", "01", "rn >> n", "(cat(rn, zx(0, 1)) >> n)[0]"),
        ("asr", "10", "rn >>> n", "(cat(rn, zx(0, 1)) >>> n)[0]"),
        ("ror", "11", "ror(rn, n)", "ror(rn, n)[31]"),
    ] {
        for flags in [false, true] {
            let s = if flags { "s" } else { "" };
            let more = if flags {
                format!("; c := n == 0 ? C : {carry}; rd = r; nz(r); C = c")
            } else {
                "; rd = r".into()
            };
            rows.push(row(
                &format!("{name}{s}.by"),
                &format!("{name}{s}.w {{rd}}, {{rn}}, {{rm}}"),
                &format!("11111010 0 {number} {} rn[3:0] 1111 rd[3:0] 0000 rm[3:0]", u8::from(flags)),
                &format!("n := rm[7:0]; r := {value}{more}"),
                "shift",
            ));
        }
    }
    rows
}

/// The 32-bit instructions that ARMv6-M has, too: calls and barriers.
pub fn calls() -> Vec<Text> {
    let far = "11110 far[24] far[21:12] 11 far[23] 1 far[22] far[11:1]";
    let mut rows = vec![row("bl", "bl {far}", far, "lr = next | 1; jump pc + far", "call")];
    for (name, bits) in [("dsb", "0100"), ("dmb", "0101"), ("isb", "0110")] {
        let encoding = format!("1111001110111111 10001111 {bits} 1111");
        rows.push(row(name, &format!("{name} sy"), &encoding, "", "nop"));
    }
    rows
}

/// The optional part of the architecture, which a processor of ARMv7-M or ARMv8-M may lack.
pub const DSP: &str = "the DSP extension";

/// True for the instructions of the DSP extension (DDI 0403, A1.2 and A5.3: marked "v7E-M").
fn is_dsp(name: &str) -> bool {
    let of_halves = name.ends_with("16.ror") || matches!(name, "ssat16" | "usat16");
    let adding = ["sxtab", "sxtah", "uxtab", "uxtah"].contains(&name);
    let products = name.len() == 6 && (name.starts_with("smul") || name.starts_with("smla"));
    let half_products = products && name[4..].chars().all(|c| matches!(c, 'b' | 't'));
    of_halves
        || adding
        || half_products
        || ["umaal", "pkhbt", "pkhtb", "sel", "uadd8", "usub8"].contains(&name)
}

/// The 32-bit instructions of ARMv7-M.
pub fn rows() -> Vec<Text> {
    let mut rows: Vec<Text> = ROWS.iter().map(|&[n, s, e, m, c]| row(n, s, e, m, c)).collect();
    for &[name, operands, encoding, meaning, class] in MULTIPLICATIONS {
        rows.push(row(name, &format!("{name} {operands}"), &format!("11111011 {encoding}"), meaning, class));
    }
    for (number, (name, holds)) in CONDITIONS.iter().enumerate() {
        rows.push(row(
            &format!("b{name}.w"),
            &format!("b{name}.w {{label}}"),
            &format!("11110 label[20] {number:04b} label[17:12] 10 label[18] 0 label[19] label[11:1]"),
            &format!("if {holds} {{ jump pc + label }}"),
            "branch",
        ));
    }
    rows.extend(
        [extensions(), halves(), saturations(), shifts(), multiple(), accesses(), processing()].concat(),
    );
    rows.into_iter().map(|row| if is_dsp(&row.name) { row.in_extension(DSP) } else { row }).collect()
}
