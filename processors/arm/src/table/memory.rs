//! Loads and stores of one register (DDI 0100, A5.2 and A5.3). Words at addresses that are not a multiple of 4
//! are read and written unaligned, as from ARMv6 on; ARMv4 processors would rotate them, and no program for
//! several of these versions relies on that.

use aesmith_isa::row;
use aesmith_isa::table::Text;

/// The time of the offset's addition, and the write-back of the base: suffix, bits P and W, syntax before and
/// after the offset.
const MODES: [(&str, &str, &str, &str, &str); 3] =
    [("", "1", "0", "", "]"), ("_pre", "1", "1", "", "]!"), ("_post", "0", "0", "]", "")];

/// The sign of the offset: suffix, bit U, sign in the syntax, operator.
const SIGNS: [(&str, &str, &str, &str); 2] = [("", "1", "", "+"), ("_down", "0", "-", "-")];

/// Offsets of words and bytes: suffix, syntax with `-` for the sign, bit 25, low bits, value. More specific
/// forms come before those whose encodings include them: a count of 0 encodes another shift (A5.2.4).
const OFFSETS: [(&str, &str, &str, &str, &str); 9] = [
    ("", "#-{imm}", "0", "imm[11:0]", "imm"),
    ("_r", "-{rm}", "1", "00000 000 rm[3:0]", "rm"),
    ("_lsl", "-{rm}, lsl #{sh}", "1", "sh[4:0] 000 rm[3:0]", "(rm << sh)"),
    ("_lsr32", "-{rm}, lsr #32", "1", "00000 010 rm[3:0]", "zx(0, 32)"),
    ("_lsr", "-{rm}, lsr #{sh}", "1", "sh[4:0] 010 rm[3:0]", "(rm >> sh)"),
    ("_asr32", "-{rm}, asr #32", "1", "00000 100 rm[3:0]", "(rm >>> 31)"),
    ("_asr", "-{rm}, asr #{sh}", "1", "sh[4:0] 100 rm[3:0]", "(rm >>> sh)"),
    ("_rrx", "-{rm}, rrx", "1", "00000 110 rm[3:0]", "cat(c, rm[31:1])"),
    ("_ror", "-{rm}, ror #{sh}", "1", "sh[4:0] 110 rm[3:0]", "ror(rm, sh)"),
];

/// Mnemonic, bits B and L, effect, class.
const WORDS: [(&str, &str, &str, &str, &str); 4] = [
    ("ldr", "0", "1", "rd = m32[at]", "load"),
    ("ldrb", "1", "1", "rd = zx(m8[at], 32)", "load of a part"),
    ("str", "0", "0", "m32[at] = value", "store"),
    ("strb", "1", "0", "m8[at] = value[7:0]", "store"),
];

/// Offsets of halves and signed bytes: suffix, syntax, bit 22, bits 11 to 8, bits 3 to 0, value.
const SHORT_OFFSETS: [(&str, &str, &str, &str, &str, &str); 2] =
    [("", "#-{imm}", "1", "imm[7:4]", "imm[3:0]", "imm"), ("_r", "-{rm}", "0", "0000", "rm[3:0]", "rm")];

/// Mnemonic, bits L, S and H, effect, class.
const HALVES: [(&str, &str, &str, &str, &str); 4] = [
    ("ldrh", "1", "01", "rd = zx(m16[at], 32)", "load of a part"),
    ("ldrsb", "1", "10", "rd = sx(m8[at], 32)", "signed load of a part"),
    ("ldrsh", "1", "11", "rd = sx(m16[at], 32)", "signed load of a part"),
    ("strh", "0", "01", "m16[at] = value[15:0]", "store"),
];

/// All rows of loads and stores of one register.
pub fn rows() -> Vec<Text> {
    let mut rows = Vec::new();
    for (mode, p, w, before, after) in MODES {
        for (down, u, sign, operator) in SIGNS {
            for (name, b, l, moved, class) in WORDS {
                for (form, syntax, i, low, offset) in OFFSETS {
                    rows.push(row(
                        &format!("{name}{form}{down}{mode}"),
                        &format!(
                            "{name}{{cond}} {{rd}}, [{{rn}}{before}, {}{after}",
                            syntax.replacen('-', sign, 1)
                        ),
                        &format!("cond[3:0] 01{i}{p}{u}{b}{w}{l} rn[3:0] rd[3:0] {low}"),
                        &meaning(operator, offset, mode, l == "1", moved),
                        class,
                    ));
                }
            }
            for (name, l, sh, moved, class) in HALVES {
                for (form, syntax, i, high, low, offset) in SHORT_OFFSETS {
                    rows.push(row(
                        &format!("{name}{form}{down}{mode}"),
                        &format!(
                            "{name}{{cond}} {{rd}}, [{{rn}}{before}, {}{after}",
                            syntax.replacen('-', sign, 1)
                        ),
                        &format!("cond[3:0] 000{p}{u}{i}{w}{l} rn[3:0] rd[3:0] {high} 1{sh}1 {low}"),
                        &meaning(operator, offset, mode, l == "1", moved),
                        class,
                    ));
                }
            }
        }
    }
    rows
}

fn meaning(operator: &str, offset: &str, mode: &str, load: bool, moved: &str) -> String {
    // A stored register is read before the base is written, and a loaded one is written after it.
    let value = if load { "" } else { "value := rd; " };
    match mode {
        "" => format!("{value}at := rn {operator} {offset}; {moved}"),
        "_pre" => format!("{value}at := rn {operator} {offset}; rn = at; {moved}"),
        _ => format!("{value}at := rn; rn = at {operator} {offset}; {moved}"),
    }
}
