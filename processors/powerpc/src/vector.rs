//! Rows of AltiVec: integer operations, permutations, loads and stores of the "AltiVec Technology Programming
//! Environments Manual" (Freescale ALTIVECPEM), chapter 6. Element 0 and byte 0 of a register are the highest,
//! and the first in memory.
//!
//! Not included: floating point, products and sums across, saturation, packing, comparisons that write the
//! condition register, loads and stores of elements, and prefetches.

use aesmith_isa::elements::{each, repeated};
use aesmith_isa::row;
use aesmith_isa::table::Text;

/// Operations on elements with the lowest bits of the code: name, code, bits, expression of `A` and `B`, class.
const ELEMENTS: &[(&str, u16, usize, &str, &str)] = &[
    ("vaddubm", 0, 8, "A + B", "vector"),
    ("vadduhm", 64, 16, "A + B", "vector"),
    ("vadduwm", 128, 32, "A + B", "vector"),
    ("vsububm", 1024, 8, "A - B", "vector"),
    ("vsubuhm", 1088, 16, "A - B", "vector"),
    ("vsubuwm", 1152, 32, "A - B", "vector"),
    ("vcmpequb", 6, 8, "A == B ? zx(0xff, 8) : zx(0, 8)", "vector"),
    ("vcmpequh", 70, 16, "A == B ? zx(0xffff, 16) : zx(0, 16)", "vector"),
    ("vcmpequw", 134, 32, "A == B ? zx(0xffffffff, 32) : zx(0, 32)", "vector"),
    ("vcmpgtub", 518, 8, "B <u A ? zx(0xff, 8) : zx(0, 8)", "vector"),
    ("vcmpgtsb", 774, 8, "B <s A ? zx(0xff, 8) : zx(0, 8)", "vector"),
    ("vrlb", 4, 8, "ror(A, 8 - (B & 7))", "vector"),
    ("vrlh", 68, 16, "ror(A, 16 - (B & 15))", "vector"),
    ("vrlw", 132, 32, "ror(A, 32 - (B & 31))", "vector"),
    ("vslb", 260, 8, "A << (B & 7)", "vector"),
    ("vslh", 324, 16, "A << (B & 15)", "vector"),
    ("vslw", 388, 32, "A << (B & 31)", "vector"),
    ("vsrb", 516, 8, "A >> (B & 7)", "vector"),
    ("vsrh", 580, 16, "A >> (B & 15)", "vector"),
    ("vsrw", 644, 32, "A >> (B & 31)", "vector"),
    ("vsrab", 772, 8, "A >>> (B & 7)", "vector"),
    ("vsrah", 836, 16, "A >>> (B & 15)", "vector"),
    ("vsraw", 900, 32, "A >>> (B & 31)", "vector"),
];

/// Logic on whole registers: name, code, expression.
const LOGIC: &[(&str, u16, &str)] = &[
    ("vand", 1028, "va & vb"),
    ("vandc", 1092, "va & ~vb"),
    ("vor", 1156, "va | vb"),
    ("vxor", 1220, "va ^ vb"),
    ("vnor", 1284, "~(va | vb)"),
];

/// Alternating elements of one half of both registers: name, code, bits, true for the low halves.
const MERGES: &[(&str, u16, usize, bool)] = &[
    ("vmrghb", 12, 8, false),
    ("vmrghh", 76, 16, false),
    ("vmrghw", 140, 32, false),
    ("vmrglb", 268, 8, true),
    ("vmrglh", 332, 16, true),
    ("vmrglw", 396, 32, true),
];

/// An immediate in every element: name, code, bits.
const NUMBERS: &[(&str, u16, usize)] = &[("vspltisb", 780, 8), ("vspltish", 844, 16), ("vspltisw", 908, 32)];

fn code(number: u16) -> String {
    format!("000100 vt[4:0] va[4:0] vb[4:0] {number:011b}")
}

/// Rows in the making.
struct Rows(Vec<Text>);

impl Rows {
    fn add(&mut self, name: &str, operands: &str, encoding: &str, meaning: &str, class: &str) {
        let mnemonic = name.trim_end_matches("_absolute");
        self.0.push(row(name, &format!("{mnemonic} {operands}"), encoding, meaning, class));
    }
}

/// The rows of AltiVec.
pub(crate) fn rows() -> Vec<Text> {
    let mut rows = Rows(Vec::new());
    let two = "%{vt}, %{va}, %{vb}";
    for &(name, number, bits, expression, class) in ELEMENTS {
        let meaning = format!("vt = {}", each(bits, &[("A", "va"), ("B", "vb")], expression));
        rows.add(name, two, &code(number), &meaning, class);
    }
    for &(name, number, expression) in LOGIC {
        rows.add(name, two, &code(number), &format!("vt = {expression}"), "vector");
    }
    // The carry of each word.
    let words = (0..4).map(|k| (127 - 32 * k, 96 - 32 * k));
    let sums: Vec<String> = words
        .enumerate()
        .map(|(k, (high, low))| format!("c{k} := zx(va[{high}:{low}], 33) + zx(vb[{high}:{low}], 33)"))
        .collect();
    let carries: Vec<String> = (0..4).map(|k| format!("zx(c{k}[32], 32)")).collect();
    let meaning = format!("{}; vt = cat({})", sums.join("; "), carries.join(", "));
    rows.add("vaddcuw", two, &code(384), &meaning, "vector");
    for &(name, number, bits, low) in MERGES {
        let count = 64 / bits;
        let element = |k: usize| {
            let high = 127 - bits * (k + if low { count } else { 0 });
            format!("{high}:{}", high + 1 - bits)
        };
        let parts: Vec<String> = (0..count).map(|k| format!("va[{0}], vb[{0}]", element(k))).collect();
        rows.add(name, two, &code(number), &format!("vt = cat({})", parts.join(", ")), "permute");
    }
    for &(name, number, bits) in NUMBERS {
        let meaning = format!("n := {}; vt = {}", low_bits("five", bits), repeated(bits, "n"));
        let encoding = format!("000100 vt[4:0] five[4:0] 00000 {number:011b}");
        rows.add(name, "%{vt}, {five}", &encoding, &meaning, "permute");
    }
    let number = |bits: u32, code: &str| {
        format!("000100 vt[4:0] {} place[{}:0] vb[4:0] {code}", "0".repeat(5 - bits as usize), bits - 1)
    };
    for (name, bits, width, code) in [
        ("vspltb", 4, 8u32, "01000001100"),
        ("vsplth", 3, 16, "01001001100"),
        ("vspltw", 2, 32, "01010001100"),
    ] {
        let shift = width.ilog2();
        let meaning = format!(
            "t := ror(vb, (128 - {width}) - (place << {shift})); n := t[{}:0]; vt = {}",
            width - 1,
            repeated(width as usize, "n")
        );
        rows.add(name, "%{vt}, %{vb}, {place}", &number(bits, code), &meaning, "permute");
    }
    let three = "000100 vt[4:0] va[4:0] vb[4:0] vc[4:0]";
    let names = "%{vt}, %{va}, %{vb}, %{vc}";
    rows.add("vsel", names, &format!("{three} 101010"), "vt = (vc & vb) | (~vc & va)", "vector");
    let bytes: Vec<String> =
        (0..16).map(|k| format!("s{k} := vc[{}:{}]", 127 - 8 * k, 120 - 8 * k)).collect();
    let picks: Vec<String> = (0..16).map(|k| format!("pick(va, vb, s{k})")).collect();
    let meaning = format!("{}; vt = cat({})", bytes.join("; "), picks.join(", "));
    rows.add("vperm", names, &format!("{three} 101011"), &meaning, "permute");
    let bytes: Vec<String> =
        (0..16).map(|k| format!("s{k} := cat(zx(0, 3), zx(shb[3:0], 5)) + {k}")).collect();
    let meaning = format!("{}; vt = cat({})", bytes.join("; "), picks.join(", "));
    let encoding = "000100 vt[4:0] va[4:0] vb[4:0] 0 shb[3:0] 101100";
    rows.add("vsldoi", "%{vt}, %{va}, %{vb}, {shb}", encoding, &meaning, "permute");
    // The lowest four bits of an address are ignored.
    for (name, code, load) in [("lvx", "0001100111", true), ("stvx", "0011100111", false)] {
        let class = if load { "load" } else { "store" };
        let at = |address: &str| {
            let place = format!("m128[({address}) & 0xfffffff0]");
            if load { format!("vt = {place}") } else { format!("{place} = vt") }
        };
        let tail = format!("rb[4:0] {code} 0");
        rows.add(
            &format!("{name}_absolute"),
            "%{vt}, 0, %{rb}",
            &format!("011111 vt[4:0] 00000 {tail}"),
            &at("rb"),
            class,
        );
        rows.add(
            name,
            "%{vt}, %{ra}, %{rb}",
            &format!("011111 vt[4:0] ra[4:0] {tail}"),
            &at("ra + rb"),
            class,
        );
    }
    rows.0
}

/// The lowest bits of a 32-bit number.
fn low_bits(number: &str, bits: usize) -> String {
    format!("{number}[{}:0]", bits - 1)
}
