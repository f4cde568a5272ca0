//! Data processing: sixteen operations, each with thirteen forms of the second operand (DDI 0100, A3.4 and
//! A5.1).

use aesmith_isa::row;
use aesmith_isa::table::Text;

/// The result of an operation on `a` (the first operand) and `b` (the second).
enum Result {
    /// Bitwise; the carry comes from the shifter.
    Bitwise(&'static str),
    /// The sum of two operands and a carry-in; one of them may be complemented.
    Sum(&'static str, &'static str, &'static str),
}

use Result::{Bitwise, Sum};

/// Mnemonic, result, true if it reads `rn`, true if it writes `rd`; in the order of their codes.
const OPERATIONS: [(&str, Result, bool, bool); 16] = [
    ("and", Bitwise("a & b"), true, true),
    ("eor", Bitwise("a ^ b"), true, true),
    ("sub", Sum("a", "~b", "1"), true, true),
    ("rsb", Sum("~a", "b", "1"), true, true),
    ("add", Sum("a", "b", "0"), true, true),
    ("adc", Sum("a", "b", "zx(c, 33)"), true, true),
    ("sbc", Sum("a", "~b", "zx(c, 33)"), true, true),
    ("rsc", Sum("~a", "b", "zx(c, 33)"), true, true),
    ("tst", Bitwise("a & b"), true, false),
    ("teq", Bitwise("a ^ b"), true, false),
    ("cmp", Sum("a", "~b", "1"), true, false),
    ("cmn", Sum("a", "b", "0"), true, false),
    ("orr", Bitwise("a | b"), true, true),
    ("mov", Bitwise("b"), false, true),
    ("bic", Bitwise("a & ~b"), true, true),
    ("mvn", Bitwise("~b"), false, true),
];

/// A form of the second operand.
struct Form {
    suffix: &'static str,
    syntax: &'static str,
    /// Bit 25, and bits 11 to 0.
    encoding: (&'static str, &'static str),
    value: &'static str,
    /// The shifter's carry; empty if the carry is unchanged.
    carry: &'static str,
}

const fn form(
    suffix: &'static str,
    syntax: &'static str,
    encoding: (&'static str, &'static str),
    value: &'static str,
    carry: &'static str,
) -> Form {
    Form { suffix, syntax, encoding, value, carry }
}

/// More specific forms come before those whose encodings include them: a shift by 0 encodes another one (A5.1.5
/// to A5.1.13).
const FORMS: [Form; 13] = [
    // The shifter's carry is the old one for an immediate without rotation.
    form("_i", "#{con}", ("1", "con[11:0]"), "con", "con <u 256 ? c : con[31]"),
    form("", "{rm}", ("0", "00000 000 rm[3:0]"), "rm", ""),
    form("_lsl", "{rm}, lsl #{sh}", ("0", "sh[4:0] 000 rm[3:0]"), "rm << sh", "(rm << (sh - 1))[31]"),
    form("_lsr32", "{rm}, lsr #32", ("0", "00000 010 rm[3:0]"), "zx(0, 32)", "rm[31]"),
    form("_lsr", "{rm}, lsr #{sh}", ("0", "sh[4:0] 010 rm[3:0]"), "rm >> sh", "(rm >> (sh - 1))[0]"),
    form("_asr32", "{rm}, asr #32", ("0", "00000 100 rm[3:0]"), "rm >>> 31", "rm[31]"),
    form("_asr", "{rm}, asr #{sh}", ("0", "sh[4:0] 100 rm[3:0]"), "rm >>> sh", "(rm >>> (sh - 1))[0]"),
    form("_rrx", "{rm}, rrx", ("0", "00000 110 rm[3:0]"), "cat(c, rm[31:1])", "rm[0]"),
    form("_ror", "{rm}, ror #{sh}", ("0", "sh[4:0] 110 rm[3:0]"), "ror(rm, sh)", "b[31]"),
    form(
        "_lsl_r",
        "{rm}, lsl {rs}",
        ("0", "rs[3:0] 0001 rm[3:0]"),
        "rm << rs[7:0]",
        "rs[7:0] == 0 ? c : (rm << (rs[7:0] - 1))[31]",
    ),
    form(
        "_lsr_r",
        "{rm}, lsr {rs}",
        ("0", "rs[3:0] 0011 rm[3:0]"),
        "rm >> rs[7:0]",
        "rs[7:0] == 0 ? c : (rm >> (rs[7:0] - 1))[0]",
    ),
    form(
        "_asr_r",
        "{rm}, asr {rs}",
        ("0", "rs[3:0] 0101 rm[3:0]"),
        "rm >>> rs[7:0]",
        "rs[7:0] == 0 ? c : (rm >>> (rs[7:0] - 1))[0]",
    ),
    form(
        "_ror_r",
        "{rm}, ror {rs}",
        ("0", "rs[3:0] 0111 rm[3:0]"),
        "ror(rm, rs[7:0])",
        "rs[7:0] == 0 ? c : b[31]",
    ),
];

/// All rows of data processing.
pub fn rows() -> Vec<Text> {
    let mut rows = Vec::new();
    for (code, (name, result, first, written)) in OPERATIONS.iter().enumerate() {
        for form in &FORMS {
            // Comparisons exist only in the form that sets flags.
            let kinds: &[bool] = if *written { &[false, true] } else { &[true] };
            for &sets in kinds {
                rows.push(one(code, name, result, *first, *written, form, sets));
            }
        }
    }
    rows
}

fn one(
    code: usize,
    name: &str,
    result: &Result,
    first: bool,
    written: bool,
    form: &Form,
    sets: bool,
) -> Text {
    let s = if sets && written { "s" } else { "" };
    let mut operands = Vec::new();
    operands.extend(written.then_some("{rd}"));
    operands.extend(first.then_some("{rn}"));
    operands.push(form.syntax);
    let syntax = format!("{name}{s}{{cond}} {}", operands.join(", "));
    let (immediate, low) = form.encoding;
    let (rn, rd) = (if first { "rn[3:0]" } else { "0000" }, if written { "rd[3:0]" } else { "0000" });
    let flag = u8::from(sets);
    let encoding = format!("cond[3:0] 00{immediate} {code:04b} {flag} {rn} {rd} {low}");
    let class = if form.suffix.ends_with("_r") { "alu shifted by a register" } else { "alu" };
    row(
        &format!("{name}{s}{}", form.suffix),
        &syntax,
        &encoding,
        &meaning(result, first, written, form, sets),
        class,
    )
}

fn meaning(result: &Result, first: bool, written: bool, form: &Form, sets: bool) -> String {
    let mut text = format!("b := {}; ", form.value);
    if first {
        text.push_str("a := rn; ");
    }
    match result {
        Bitwise(value) if !sets => text.push_str(&format!("rd = {value}")),
        Bitwise(value) => {
            if !form.carry.is_empty() {
                text.push_str(&format!("carry := {}; ", form.carry));
            }
            text.push_str(&format!("t := {value}; n = t[31]; z = t == 0; "));
            if !form.carry.is_empty() {
                text.push_str("c = carry; ");
            }
            if written {
                text.push_str("rd = t");
            }
        }
        Sum(x, y, carry) if !sets => {
            let value = match (*x, *y, *carry) {
                ("a", "b", "0") => "a + b".to_owned(),
                ("a", "~b", "1") => "a - b".to_owned(),
                ("~a", "b", "1") => "b - a".to_owned(),
                _ => format!("{x} + {y} + zx(c, 32)"),
            };
            text.push_str(&format!("rd = {value}"));
        }
        Sum(x, y, carry) => {
            // Carry: no borrow for a difference. Overflow: the operands' signs determine the sign that the
            // result must have.
            text.push_str(match (*x, *y, *carry) {
                ("a", "b", "0") => "t := a + b; carry := ~b <u a; over := ~(a ^ b) & (a ^ t); ",
                ("a", "~b", "1") => "t := a - b; carry := ~(a <u b); over := (a ^ b) & (a ^ t); ",
                ("~a", "b", "1") => "t := b - a; carry := ~(b <u a); over := (a ^ b) & (b ^ t); ",
                _ => "",
            });
            if carry.starts_with("zx") {
                text.push_str(&format!("x := {x}; y := {y}; w := zx(x, 33) + zx(y, 33) + {carry}; "));
                text.push_str("t := w[31:0]; carry := w[32]; over := (x ^ t) & (y ^ t); ");
            }
            text.push_str("n = t[31]; z = t == 0; c = carry; v = over[31]; ");
            if written {
                text.push_str("rd = t");
            }
        }
    }
    text
}
