//! The instruction table of the Cell SPU: loads, stores, logic, sums, comparisons, shifts, shuffles and
//! branches of the "Synergistic Processor Unit Instruction Set Architecture", version 1.2 (IBM, Sony, Toshiba,
//! 2007). Bits and bytes are numbered from the highest there, and from the lowest here.
//!
//! Registers have 128 bits; addresses and integers are in the highest word, the preferred slot. Addresses are
//! those of the local store, without their lowest four bits in accesses of 16 bytes; wrapping at the store's
//! limit is not modelled.
//!
//! Not included: floating point, multiplication, channels and doublewords. A branch hint affects only timing.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Return};
use aesmith_isa::elements::{self, repeated};
use aesmith_isa::sheet::Sheet;
use aesmith_isa::table::Text;
use aesmith_isa::{ByteOrder, Description, Isa, Kind, Unaligned, row};

const R: Kind = Kind::Register { base: 0, step: 1 };

const fn number(signed: bool, width: u8) -> Kind {
    Kind::Number { signed, width }
}

/// The link register, the stack pointer, and the first argument.
pub const LR: u8 = 0;
/// See [`LR`].
pub const SP: u8 = 1;
/// See [`LR`].
pub const FIRST: u8 = 3;
/// The first callee-saved register.
pub const SAVED: u8 = 80;

const DESCRIPTION: Description = Description {
    name: "SPU",
    address: 32,
    order: ByteOrder::Big,
    unit: 4,
    general: 128,
    unaligned: Unaligned::Never {
        is: "drops the lowest four bits of the address",
        source: "Synergistic Processor Unit Instruction Set Architecture, memory load and store instructions",
    },
    kinds: &[
        ("rt", R),
        ("ra", R),
        ("rb", R),
        ("rc", R),
        ("seven", number(true, 8)),
        ("up", number(false, 8)),
        ("ten", number(true, 16)),
        ("sixteen", number(true, 32)),
        ("half", number(false, 16)),
        ("eighteen", number(false, 32)),
        ("quads", number(true, 32)),
        ("off", Kind::Relative { bias: 0, width: 32 }),
        ("branch", Kind::Relative { bias: 0, width: 32 }),
        ("at", number(false, 32)),
    ],
    ..Description::PLAIN
};

/// An expression for each element of `bits` bits: `A`, `B`, `C` stand for the element of the operands and `T`
/// for that of the result.
fn each(bits: usize, expression: &str) -> String {
    elements::each(bits, &[("A", "ra"), ("B", "rb"), ("C", "rc"), ("T", "rt")], expression)
}

/// Logic on whole registers: name, code, expression.
const LOGIC: &[(&str, &str, &str)] = &[
    ("xor", "01001000001", "ra ^ rb"),
    ("and", "00011000001", "ra & rb"),
    ("andc", "01011000001", "ra & ~rb"),
    ("or", "00001000001", "ra | rb"),
    ("orc", "01011001001", "ra | ~rb"),
    ("nor", "00001001001", "~(ra | rb)"),
    ("nand", "00011001001", "~(ra & rb)"),
    ("eqv", "01001001001", "~(ra ^ rb)"),
];

/// Operations on elements: name, code, bits, expression.
const ELEMENTS: &[(&str, &str, usize, &str)] = &[
    ("a", "00011000000", 32, "A + B"),
    ("ah", "00011001000", 16, "A + B"),
    ("sf", "00001000000", 32, "B - A"),
    ("sfh", "00001001000", 16, "B - A"),
    ("cgtb", "01001010000", 8, "B <s A ? zx(0xff, 8) : zx(0, 8)"),
    ("clgtb", "01011010000", 8, "B <u A ? zx(0xff, 8) : zx(0, 8)"),
    ("ceqb", "01111010000", 8, "A == B ? zx(0xff, 8) : zx(0, 8)"),
    ("cgt", "01001000000", 32, "B <s A ? zx(0xffffffff, 32) : zx(0, 32)"),
    ("clgt", "01011000000", 32, "B <u A ? zx(0xffffffff, 32) : zx(0, 32)"),
    ("ceq", "01111000000", 32, "A == B ? zx(0xffffffff, 32) : zx(0, 32)"),
];

/// Operations on elements and a 10-bit immediate: name, code, bits, expression with `N`.
const WITH_TEN: &[(&str, &str, usize, &str)] = &[
    ("andbi", "00010110", 8, "A & N"),
    ("orbi", "00000110", 8, "A | N"),
    ("xorbi", "01000110", 8, "A ^ N"),
    ("andi", "00010100", 32, "A & N"),
    ("ori", "00000100", 32, "A | N"),
    ("xori", "01000100", 32, "A ^ N"),
    ("ai", "00011100", 32, "A + N"),
    ("ahi", "00011101", 16, "A + N"),
    ("cgtbi", "01001110", 8, "N <s A ? zx(0xff, 8) : zx(0, 8)"),
    ("clgtbi", "01011110", 8, "N <u A ? zx(0xff, 8) : zx(0, 8)"),
    ("cgti", "01001100", 32, "N <s A ? zx(0xffffffff, 32) : zx(0, 32)"),
    ("clgti", "01011100", 32, "N <u A ? zx(0xffffffff, 32) : zx(0, 32)"),
    ("ceqbi", "01111110", 8, "A == N ? zx(0xff, 8) : zx(0, 8)"),
    ("ceqi", "01111100", 32, "A == N ? zx(0xffffffff, 32) : zx(0, 32)"),
];

/// Shifts of elements by a constant: name, code, bits, expression with the 8-bit count `n`.
const SHIFTS: &[(&str, &str, usize, &str)] = &[
    ("shli", "00001111011", 32, "A << (up & 63)"),
    ("shlhi", "00001111111", 16, "A << (up & 31)"),
    ("roti", "00001111000", 32, "ror(A, (0 - seven) & 31)"),
    ("rothi", "00001111100", 16, "ror(A, (0 - seven) & 15)"),
    ("rotmi", "00001111001", 32, "A >> ((0 - seven) & 63)"),
    ("rothmi", "00001111101", 16, "A >> ((0 - seven) & 31)"),
];

/// Shifts of a whole register by a constant: name, code, expression.
const QUADS: &[(&str, &str, &str)] = &[
    ("shlqbyi", "00111111111", "ra << ((up & 31) << 3)"),
    ("shlqbii", "00111111011", "ra << (seven & 7)"),
    ("rotqbyi", "00111111100", "ror(ra, (0 - ((seven & 15) << 3)) & 127)"),
    ("rotqbii", "00111111000", "ror(ra, (0 - (seven & 7)) & 127)"),
    ("rotqmbyi", "00111111101", "ra >> (((0 - seven) & 31) << 3)"),
    ("rotqmbii", "00111111001", "ra >> ((0 - seven) & 7)"),
];

struct Rows(Vec<Text>);

impl Rows {
    fn add(&mut self, name: &str, operands: &str, encoding: &str, meaning: &str, class: &str) {
        let syntax = format!("{name} {operands}");
        self.0.push(row(name, syntax.trim(), encoding, meaning, class));
    }

    fn fixed(&mut self) {
        let two = "${rt},${ra},${rb}";
        let head = |code: &str| format!("{code} rb[6:0] ra[6:0] rt[6:0]");
        for (name, code, expression) in LOGIC {
            self.add(name, two, &head(code), &format!("rt = {expression}"), "fixed");
        }
        for (name, code, bits, expression) in ELEMENTS {
            self.add(name, two, &head(code), &format!("rt = {}", each(*bits, expression)), "fixed");
        }
        // The carry of each word, and the sum with a carry-in.
        let words = (0..4).map(|k| {
            let (high, low) = (127 - 32 * k, 96 - 32 * k);
            format!("c{k} := zx(ra[{high}:{low}], 33) + zx(rb[{high}:{low}], 33)")
        });
        let sums: Vec<String> = words.collect();
        let carries: Vec<String> = (0..4).map(|k| format!("zx(c{k}[32], 32)")).collect();
        let meaning = format!("{}; rt = cat({})", sums.join("; "), carries.join(", "));
        self.add("cg", two, &head("00011000010"), &meaning, "fixed");
        let extended = each(32, "A + B + zx(T & 1, 32)");
        self.add("addx", two, &head("01101000000"), &format!("rt = {extended}"), "fixed");
        for (name, code, bits, expression) in WITH_TEN {
            let number = if *bits == 8 {
                "n := ten[7:0]"
            } else if *bits == 16 {
                "n := ten"
            } else {
                "n := sx(ten, 32)"
            };
            let meaning = format!("{number}; rt = {}", each(*bits, &expression.replace('N', "n")));
            self.add(
                name,
                "${rt},${ra},{ten}",
                &format!("{code} ten[9:0] ra[6:0] rt[6:0]"),
                &meaning,
                "fixed",
            );
        }
        let select = "1000 rt[6:0] rb[6:0] ra[6:0] rc[6:0]";
        self.add("selb", "${rt},${ra},${rb},${rc}", select, "rt = (rc & rb) | (~rc & ra)", "fixed");
        let il = "010000001 sixteen[15:0] rt[6:0]";
        self.add("il", "${rt},{sixteen}", il, &format!("rt = {}", repeated(32, "sixteen")), "fixed");
        let ilh = "010000011 half[15:0] rt[6:0]";
        self.add("ilh", "${rt},{half}", ilh, &format!("rt = {}", repeated(16, "half")), "fixed");
        let ilhu = "010000010 half[15:0] rt[6:0]";
        let high = format!("rt = {}", repeated(32, "zx(half, 32) << 16"));
        self.add("ilhu", "${rt},{half}", ilhu, &high, "fixed");
        let iohl = "011000001 half[15:0] rt[6:0]";
        let low = format!("n := zx(half, 32); rt = {}", each(32, "T | n"));
        self.add("iohl", "${rt},{half}", iohl, &low, "fixed");
        let ila = "0100001 eighteen[17:0] rt[6:0]";
        self.add("ila", "${rt},{eighteen}", ila, &format!("rt = {}", repeated(32, "eighteen")), "fixed");
    }

    fn moves(&mut self) {
        // Assemblers take the counts of some shifts as unsigned numbers.
        let count = |expression: &str| if expression.contains("up") { "up" } else { "seven" };
        let by = |code: &str, count: &str| format!("{code} {count}[6:0] ra[6:0] rt[6:0]");
        for (name, code, bits, expression) in SHIFTS {
            let meaning = format!("rt = {}", each(*bits, expression));
            let count = count(expression);
            self.add(name, &format!("${{rt}},${{ra}},{{{count}}}"), &by(code, count), &meaning, "shift");
        }
        for (name, code, expression) in QUADS {
            let (count, meaning) = (count(expression), format!("rt = {expression}"));
            self.add(name, &format!("${{rt}},${{ra}},{{{count}}}"), &by(code, count), &meaning, "shuffle");
        }
        // Highest bits 10: zero; 110: 0xff; 111: 0x80.
        let byte = |k: usize| {
            let (high, low) = (127 - 8 * k, 120 - 8 * k);
            format!("s{k} := rc[{high}:{low}]")
        };
        let picked = |k: usize| {
            format!(
                "s{k}[7] ? (s{k}[6] ? (s{k}[5] ? zx(0x80, 8) : zx(0xff, 8)) : zx(0, 8)) : pick(ra, rb, s{k})"
            )
        };
        let bytes: Vec<String> = (0..16).map(byte).collect();
        let picks: Vec<String> = (0..16).map(picked).collect();
        let meaning = format!("{}; rt = cat({})", bytes.join("; "), picks.join(", "));
        let encoding = "1011 rt[6:0] rb[6:0] ra[6:0] rc[6:0]";
        self.add("shufb", "${rt},${ra},${rb},${rc}", encoding, &meaning, "shuffle");
    }

    fn memory(&mut self) {
        for (load, name, base, relative) in
            [(true, "lq", "001101", "001100"), (false, "stq", "001001", "001000")]
        {
            let at = |address: &str| {
                let place = format!("m128[({address}) & 0xfffffff0]");
                if load { format!("rt = {place}") } else { format!("{place} = rt") }
            };
            let class = if load { "load" } else { "store" };
            let d = format!("{base}00 quads[13:4] ra[6:0] rt[6:0]");
            self.add(&format!("{name}d"), "${rt},{quads}(${ra})", &d, &at("ra[127:96] + quads"), class);
            let x = if load { "00111000100" } else { "00101000100" };
            let x = format!("{x} rb[6:0] ra[6:0] rt[6:0]");
            self.add(&format!("{name}x"), "${rt},${ra},${rb}", &x, &at("ra[127:96] + rb[127:96]"), class);
            let r = format!("{relative}111 off[17:2] rt[6:0]");
            self.add(&format!("{name}r"), "${rt},{off}", &r, &at("pc + off"), class);
            let a = format!("{relative}001 at[17:2] rt[6:0]");
            self.add(&format!("{name}a"), "${rt},{at}", &a, &at("at"), class);
        }
    }

    fn branches(&mut self) {
        let off = "off[17:2] rt[6:0]";
        let zero = "rt[127:96] == 0";
        self.add(
            "brz",
            "${rt},{off}",
            &format!("001000000 {off}"),
            &format!("if {zero} {{ jump pc + off }}"),
            "branch",
        );
        let other = format!("if ~({zero}) {{ jump pc + off }}");
        self.add("brnz", "${rt},{off}", &format!("001000010 {off}"), &other, "branch");
        self.add("br", "{off}", "001100100 off[17:2] 0000000", "jump pc + off", "branch");
        self.add(
            "bi",
            "${ra}",
            "00110101000 0000000 ra[6:0] 0000000",
            "jump ra[127:96] & 0xfffffffc",
            "branch",
        );
        let hint = "0001001 branch[10:9] off[17:2] branch[8:2]";
        self.add("hbrr", "{branch},{off}", hint, "", "hint");
        self.add("nop", "$0", "01000000001 0000000 0000000 0000000", "", "nop");
        self.add("lnop", "", "00000000001 0000000 0000000 0000000", "", "lnop");
    }
}

fn rows() -> Vec<Text> {
    let mut rows = Rows(Vec::new());
    rows.fixed();
    rows.moves();
    rows.memory();
    rows.branches();
    rows.0
}

/// The instruction table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> = LazyLock::new(|| {
        Sheet { rows: rows(), ..Sheet::compiled_in("registers  128  0-127") }.isa(DESCRIPTION)
    });
    &ISA
}

const fn saved() -> [u8; 128 - SAVED as usize] {
    let mut all = [0; 128 - SAVED as usize];
    let mut k = 0;
    while k < all.len() {
        all[k] = SAVED + k as u8;
        k += 1;
    }
    all
}

/// The calling convention of C functions: "SPU Application Binary Interface Specification" (IBM, Sony,
/// Toshiba), low-level system information. The stack pointer's other words hold the available stack size.
pub const CONVENTION: Convention = Convention {
    name: "SPU ABI",
    source: "SPU Application Binary Interface Specification, function calling sequence",
    arguments: &[&[FIRST], &[FIRST + 1], &[FIRST + 2], &[FIRST + 3], &[FIRST + 4]],
    stack_pointer: SP,
    stack_arguments: 32,
    alignment: 16,
    red_zone: 0,
    // The save area of the link register, a quadword after the back chain.
    saves: (16, 32),
    returns: Return::Register(LR, 0),
    saved: &saved(),
    fixed: &[],
    windows: None,
    stack_alignment: 16,
    slot: 96,
    reserved: &[],
    halves: None,
    buffers: 16,
};
