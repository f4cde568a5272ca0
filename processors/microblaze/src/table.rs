//! The instruction table of MicroBlaze, 32 bits, little-endian: UG984 (MicroBlaze Processor Reference Guide),
//! chapter "MicroBlaze Instruction Set Architecture". Encodings are written highest bit first, where UG984
//! numbers the highest bit 0.
//!
//! Every instruction with an immediate has two rows: itself, and with an `imm` prefix as one instruction of 8
//! bytes with a 32-bit operand (`_long`), so that no state passes between the prefix and its instruction.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Reserved, Return};
use aesmith_isa::table::Text;
use aesmith_isa::{Description, Guard, Isa, Kind, Unaligned, row};

use crate::undefined::undefined;

const R: Kind = Kind::Register { base: 0, step: 1 };

const fn number(signed: bool) -> Kind {
    Kind::Number { signed, width: 32 }
}

const REGISTERS: &[(&str, u8)] = &[
    ("r0", 32),
    ("r1", 32),
    ("r2", 32),
    ("r3", 32),
    ("r4", 32),
    ("r5", 32),
    ("r6", 32),
    ("r7", 32),
    ("r8", 32),
    ("r9", 32),
    ("r10", 32),
    ("r11", 32),
    ("r12", 32),
    ("r13", 32),
    ("r14", 32),
    ("r15", 32),
    ("r16", 32),
    ("r17", 32),
    ("r18", 32),
    ("r19", 32),
    ("r20", 32),
    ("r21", 32),
    ("r22", 32),
    ("r23", 32),
    ("r24", 32),
    ("r25", 32),
    ("r26", 32),
    ("r27", 32),
    ("r28", 32),
    ("r29", 32),
    ("r30", 32),
    ("r31", 32),
    // MSR[C].
    ("carry", 1),
];

const DESCRIPTION: Description = Description {
    name: "MicroBlaze",
    address: 32,
    order: aesmith_isa::ByteOrder::Little,
    unit: 4,
    registers: REGISTERS,
    general: 32,
    unaligned: Unaligned::Never {
        is: "drops the lowest bits of the address, or is an exception in processors built with C_UNALIGNED_EXCEPTIONS",
        source: "UG984, Instructions (lwi, swi) and Unaligned Data Access Exception",
    },
    pairs: &[],
    zero: Some(0),
    counter: None,
    kinds: &[
        ("rd", R),
        ("ra", R),
        ("rb", R),
        ("imm", number(true)),
        ("count", number(false)),
        ("width", number(false)),
        ("top", number(false)),
        ("off", Kind::Relative { bias: 0, width: 32 }),
        // With a prefix, the distance counts from the second word.
        ("far", Kind::Relative { bias: 4, width: 32 }),
    ],
    macros: &[
        ("reverse(a)", "cat(a[7:0], a[15:8], a[23:16], a[31:24])"),
        // One of the four sums: rd = x + y + z, with the carry written.
        ("sum(x, y, z)", "s := zx(x, 33) + zx(y, 33) + z; rd = s[31:0]; carry = s[32]"),
        ("negated(a, n)", "n ? 0 - a : a"),
        // Counts the zeros above the highest 1 by binary search.
        (
            "zeros(a)",
            "h := a[31:16] == 0; v := h ? a << 16 : a; \
             q := v[31:24] == 0; w := q ? v << 8 : v; \
             p := w[31:28] == 0; x := p ? w << 4 : w; \
             o := x[31:30] == 0; y := o ? x << 2 : x; \
             rd = cat(zx(0, 26), a == 0, cat(h, q, p, o, ~y[31]) & (a == 0 ? 0 : 31))",
        ),
    ],
    guard: Guard::None,
    conditions: &[],
    data: 0,
};

/// Instructions that have a form with registers and one with an immediate: name, semantics in terms of `ra` and
/// `B`, opcode of the form with registers, timing class. The other form's opcode has bit 3 set.
const BOTH: &[(&str, &str, &str, &str)] = &[
    ("add", "sum(ra, B, 0)", "000000", "alu"),
    ("rsub", "sum(~ra, B, 1)", "000001", "alu"),
    ("addc", "sum(ra, B, zx(carry, 33))", "000010", "alu"),
    ("rsubc", "sum(~ra, B, zx(carry, 33))", "000011", "alu"),
    ("addk", "rd = ra + B", "000100", "alu"),
    ("rsubk", "rd = B - ra", "000101", "alu"),
    ("addkc", "rd = ra + B + zx(carry, 32)", "000110", "alu"),
    ("rsubkc", "rd = B + ~ra + zx(carry, 32)", "000111", "alu"),
    ("mul", "rd = ra * B", "010000", "mul"),
    ("or", "rd = ra | B", "100000", "alu"),
    ("and", "rd = ra & B", "100001", "alu"),
    ("xor", "rd = ra ^ B", "100010", "alu"),
    ("andn", "rd = ra & ~B", "100011", "alu"),
    ("lbu", "rd = zx(m8[ra + B], 32)", "110000", "load"),
    ("lhu", "rd = zx(m16[ra + B], 32)", "110001", "load"),
    ("lw", "rd = m32[ra + B]", "110010", "load"),
    ("sb", "m8[ra + B] = rd[7:0]", "110100", "store"),
    ("sh", "m16[ra + B] = rd[15:0]", "110101", "store"),
    ("sw", "m32[ra + B] = rd", "110110", "store"),
];

/// Instructions on registers only: name, opcode, code below the opcode, semantics, class. Loads and stores with
/// reversed bytes count their bytes from the other end of the word.
const REGISTERS_ONLY: &[(&str, &str, &str, &str, &str)] = &[
    ("cmp", "000101", "00000000001", "rd = cat(B <s ra, (B - ra)[30:0])", "alu"),
    ("cmpu", "000101", "00000000011", "rd = cat(B <u ra, (B - ra)[30:0])", "alu"),
    ("mulh", "010000", "00000000001", "p := sx(ra, 64) * sx(B, 64); rd = p[63:32]", "mul"),
    ("mulhsu", "010000", "00000000010", "p := sx(ra, 64) * zx(B, 64); rd = p[63:32]", "mul"),
    ("mulhu", "010000", "00000000011", "p := zx(ra, 64) * zx(B, 64); rd = p[63:32]", "mul"),
    ("bsrl", "010001", "00000000000", "rd = B >> ra_count", "shift"),
    ("bsra", "010001", "01000000000", "rd = B >>> ra_count", "shift"),
    ("bsll", "010001", "10000000000", "rd = B << ra_count", "shift"),
    (
        "idiv",
        "010010",
        "00000000000",
        "n := ra[31]; m := B[31]; q := divu(negated(B, m), negated(ra, n)); \
         rd = ra == 0 ? 0 : negated(q, n ^ m)",
        "div",
    ),
    ("idivu", "010010", "00000000010", "rd = ra == 0 ? 0 : divu(B, ra)", "div"),
    (
        "pcmpbf",
        "100000",
        "10000000000",
        "e := ra ^ B; rd = e[31:24] == 0 ? 1 : e[23:16] == 0 ? 2 : e[15:8] == 0 ? 3 : e[7:0] == 0 ? 4 : 0",
        "alu",
    ),
    ("pcmpeq", "100010", "10000000000", "rd = zx(ra == B, 32)", "alu"),
    ("pcmpne", "100011", "10000000000", "rd = zx(ra != B, 32)", "alu"),
    ("lbur", "110000", "01000000000", "rd = zx(m8[(ra + B) ^ 3], 32)", "load"),
    ("lhur", "110001", "01000000000", "h := m16[(ra + B) ^ 2]; rd = cat(zx(0, 16), h[7:0], h[15:8])", "load"),
    ("lwr", "110010", "01000000000", "w := m32[ra + B]; rd = reverse(w)", "load"),
    ("sbr", "110100", "01000000000", "m8[(ra + B) ^ 3] = rd[7:0]", "store"),
    ("shr", "110101", "01000000000", "m16[(ra + B) ^ 2] = cat(rd[7:0], rd[15:8])", "store"),
    ("swr", "110110", "01000000000", "m32[ra + B] = reverse(rd)", "store"),
];

/// Instructions on one register: name, code, semantics, class.
const ONE: &[(&str, &str, &str, &str)] = &[
    ("sra", "0000000000000001", "carry = ra[0]; rd = ra >>> 1", "alu"),
    ("src", "0000000000100001", "s := cat(carry, ra[31:1]); carry = ra[0]; rd = s", "alu"),
    ("srl", "0000000001000001", "carry = ra[0]; rd = ra >> 1", "alu"),
    ("sext8", "0000000001100000", "rd = sx(ra[7:0], 32)", "alu"),
    ("sext16", "0000000001100001", "rd = sx(ra[15:0], 32)", "alu"),
    ("clz", "0000000011100000", "a := ra; zeros(a)", "alu"),
    ("swapb", "0000000111100000", "rd = reverse(ra)", "alu"),
    ("swaph", "0000000111100010", "rd = cat(ra[15:0], ra[31:16])", "alu"),
];

/// Shifts by a constant.
const SHIFTS: &[(&str, &str, &str)] =
    &[("bsrli", "00000000000", ">>"), ("bsrai", "00000010000", ">>>"), ("bslli", "00000100000", "<<")];

/// Conditions of branches on `ra`: name, code, expression.
const CONDITIONS: &[(&str, &str, &str)] = &[
    ("eq", "000", "ra == 0"),
    ("ne", "001", "ra != 0"),
    ("lt", "010", "ra[31]"),
    ("le", "011", "ra[31] | (ra == 0)"),
    ("gt", "100", "~(ra[31] | (ra == 0))"),
    ("ge", "101", "~ra[31]"),
];

/// Unconditional branches: name with a register, with an immediate; the bits D (delay slot), A (absolute), L
/// (link) and two zeros; true if A is set.
const BRANCHES: &[(&str, &str, &str, bool)] = &[
    ("br", "bri", "00000", false),
    ("brd", "brid", "10000", false),
    ("brld", "brlid", "10100", false),
    ("bra", "brai", "01000", true),
    ("brad", "braid", "11000", true),
    ("brald", "bralid", "11100", true),
];

fn with(meaning: &str, operand: &str) -> String {
    // Replaces only a `B` that is a word of its own.
    let mut out = String::new();
    let bytes = meaning.as_bytes();
    for (i, c) in meaning.char_indices() {
        let word = |k: usize| bytes.get(k).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if c == 'B' && !word(i + 1) && (i == 0 || !word(i - 1)) { out.push_str(operand) } else { out.push(c) }
    }
    out
}

/// The opcode of the form with an immediate.
fn immediate(opcode: &str) -> String {
    format!("{}1{}", &opcode[..2], &opcode[3..])
}

const PREFIX: &str = "101100 00000 00000";

struct Rows(Vec<Text>);

impl Rows {
    fn add(&mut self, name: &str, operands: &str, encoding: &str, meaning: &str, class: &str) {
        let syntax = if operands.is_empty() { name.to_owned() } else { format!("{name} {operands}") };
        self.0.push(row(name, &syntax, encoding, meaning, class));
    }

    /// Records the optional unit that the last row needs.
    fn last_in(&mut self, unit: &str) {
        if let Some(last) = self.0.last_mut() {
            unit.clone_into(&mut last.extension);
        }
    }

    /// A form with an immediate, and the form with a prefix.
    fn immediate(&mut self, name: &str, operands: &str, head: &str, meaning: &str, class: &str) {
        let long = format!("{name}_long");
        let encoding = format!("{PREFIX} imm[31:16] {head} imm[15:0]");
        self.0.push(row(&long, &format!("{name} {operands}"), &encoding, meaning, class));
        self.add(name, operands, &format!("{head} imm[15:0]"), meaning, class);
    }

    /// A branch to a distance, near and with a prefix.
    fn relative(
        &mut self,
        name: &str,
        operands: &str,
        head: &str,
        meaning: &dyn Fn(&str, &str) -> String,
        class: &str,
    ) {
        let encoding = format!("{PREFIX} far[31:16] {head} far[15:0]");
        let syntax = format!("{name} {}", operands.replace("off", "far"));
        self.0.push(row(&format!("{name}_long"), &syntax, &encoding, &meaning("far", "pc + 4"), class));
        self.add(name, operands, &format!("{head} off[15:0]"), &meaning("off", "pc"), class);
    }
}

fn rows() -> Vec<Text> {
    let mut rows = Rows(Vec::new());
    // Comes before the general forms, of which it is a special case.
    rows.add("nop", "", "100000 00000 00000 00000 00000000000", "", "alu");
    for (name, meaning, opcode, class) in BOTH {
        rows.add(
            name,
            "{rd}, {ra}, {rb}",
            &format!("{opcode} rd[4:0] ra[4:0] rb[4:0] 00000000000"),
            &with(meaning, "rb"),
            class,
        );
        // addik and rsubik have the i before the k.
        let name = match name.split_once('k') {
            Some((stem, rest)) => format!("{stem}ik{rest}"),
            None if name.ends_with('c') => format!("{}ic", name.trim_end_matches('c')),
            None => format!("{name}i"),
        };
        let head = format!("{} rd[4:0] ra[4:0]", immediate(opcode));
        rows.immediate(&name, "{rd}, {ra}, {imm}", &head, &with(meaning, "imm"), class);
    }
    for (name, opcode, code, meaning, class) in REGISTERS_ONLY {
        // Shifts take the shifted value first, and count by the low five bits of the other.
        let meaning = if *class == "shift" {
            with(&meaning.replace("ra_count", "(rb[4:0])"), "ra")
        } else {
            with(meaning, "rb")
        };
        let encoding = format!("{opcode} rd[4:0] ra[4:0] rb[4:0] {code}");
        rows.add(name, "{rd}, {ra}, {rb}", &encoding, &meaning, class);
        rows.last_in(match *name {
            name if name.starts_with("mulh") => WIDE_MULTIPLIER,
            name if name.starts_with("idiv") => DIVIDER,
            _ => "",
        });
    }
    for (name, code, meaning, class) in ONE {
        rows.add(name, "{rd}, {ra}", &format!("100100 rd[4:0] ra[4:0] {code}"), meaning, class);
    }
    for (name, code, operator) in SHIFTS {
        rows.add(
            name,
            "{rd}, {ra}, {count}",
            &format!("011001 rd[4:0] ra[4:0] {code} count[4:0]"),
            &format!("rd = ra {operator} count"),
            "shift",
        );
    }
    // Bit fields: extract and insert.
    rows.add(
        "bsefi",
        "{rd}, {ra}, {width}, {count}",
        "011001 rd[4:0] ra[4:0] 01000 width[4:0] 0 count[4:0]",
        "rd = (ra >> count) & ((zx(1, 32) << width) - 1)",
        "shift",
    );
    rows.add(
        "bsifi",
        "{rd}, {ra}, {top}, {count}",
        "011001 rd[4:0] ra[4:0] 10000 top[4:0] 0 count[4:0]",
        "m := (zx(0xffffffff, 32) >> (31 - top)) & (zx(0xffffffff, 32) << count); \
         rd = rd & ~m | ra << count & m",
        "shift",
    );
    for (at_register, at_immediate, bits, absolute) in BRANCHES {
        let slot = bits.starts_with('1');
        let link = bits.as_bytes()[2] == b'1';
        let jump = if slot { "jumpd" } else { "jump" };
        let class = if slot { "jump_slot" } else { "jump" };
        let (rd, operand) = if link { ("rd[4:0]", "{rd}, ") } else { ("00000", "") };
        let linked = |pc: &str| if link { format!("rd = {pc}; ") } else { String::new() };
        let base = if *absolute { "" } else { "pc + " };
        rows.add(
            at_register,
            &format!("{operand}{{rb}}"),
            &format!("100110 {rd} {bits} rb[4:0] 00000000000"),
            &format!("t := {base}rb; {}{jump} t", linked("pc")),
            class,
        );
        let head = format!("101110 {rd} {bits}");
        let meaning = |off: &str, pc: &str| format!("{}{jump} {base}{off}", linked(pc));
        if *absolute {
            let meaning = |pc: &str| meaning("imm", pc);
            let encoding = format!("{PREFIX} imm[31:16] {head} imm[15:0]");
            let syntax = format!("{at_immediate} {operand}{{imm}}");
            rows.0.push(row(&format!("{at_immediate}_long"), &syntax, &encoding, &meaning("pc + 4"), class));
            rows.add(
                at_immediate,
                &format!("{operand}{{imm}}"),
                &format!("{head} imm[15:0]"),
                &meaning("pc"),
                class,
            );
        } else {
            rows.relative(at_immediate, &format!("{operand}{{off}}"), &head, &meaning, class);
        }
    }
    for (slot, d) in [("0", ""), ("1", "d")] {
        let (jump, class) = if slot == "1" { ("jumpd", "branch_slot") } else { ("jump", "branch") };
        for (name, code, condition) in CONDITIONS {
            rows.add(
                &format!("b{name}{d}"),
                "{ra}, {rb}",
                &format!("100111 {slot}0{code} ra[4:0] rb[4:0] 00000000000"),
                &format!("if {condition} {{ {jump} pc + rb }}"),
                class,
            );
            let meaning = |off: &str, _: &str| format!("if {condition} {{ {jump} pc + {off} }}");
            let head = format!("101111 {slot}0{code} ra[4:0]");
            rows.relative(&format!("b{name}i{d}"), "{ra}, {off}", &head, &meaning, class);
        }
    }
    rows.immediate("rtsd", "{ra}, {imm}", "101101 10000 ra[4:0]", "jumpd ra + imm", "jump_slot");
    // MSR as far as programs under these judges can see it: the carry, in its two places.
    rows.add(
        "mfs",
        "{rd}, rmsr",
        "100101 rd[4:0] 00000 1000000000000001",
        "rd = cat(carry, zx(0, 28), carry, zx(0, 2))",
        "alu",
    );
    rows.add("mts", "rmsr, {ra}", "100101 00000 ra[4:0] 1100000000000001", "carry = ra[2]", "alu");
    // The order of memory accesses is not observable here.
    rows.add("mbar", "{count}", "101110 count[4:0] 00010 0000000000000100", "", "alu");
    // A prefix before an instruction without an immediate has no effect.
    rows.add("imm", "{imm}", "101100 00000 00000 imm[15:0]", "", "alu");
    rows.0
}

/// Units that a design contains only on request (UG984, table of parameters: C_USE_HW_MUL of 2, C_USE_DIV).
const WIDE_MULTIPLIER: &str = "the multiplier of 64 bits (C_USE_HW_MUL = 2)";
/// See [`WIDE_MULTIPLIER`].
const DIVIDER: &str = "the divider (C_USE_DIV = 1)";

/// The table of a MicroBlaze with all units.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> = LazyLock::new(|| {
        Isa::new(DESCRIPTION, &rows())
            .unwrap_or_else(|e| panic!("the table of MicroBlaze: {e}"))
            .leaving(undefined)
    });
    &ISA
}

/// The table of the processors here: with barrel shifter, 32-bit multiplier, pattern comparison and reordering.
pub fn plain() -> &'static Isa {
    static PLAIN: LazyLock<Isa> = LazyLock::new(|| {
        isa().clone().without("a MicroBlaze as it is configured here", &[WIDE_MULTIPLIER, DIVIDER])
    });
    &PLAIN
}

/// The section that defines the use of registers.
const REGISTER_USAGE: &str = "UG984, MicroBlaze Application Binary Interface, Register Usage Conventions";

/// The calling convention of C functions: UG984, chapter "MicroBlaze Application Binary Interface", register
/// usage and stack conventions. The caller's frame holds a word for the callee's return address and one for
/// each argument that is passed in a register.
pub const CONVENTION: Convention = Convention {
    name: "MicroBlaze ABI",
    source: "UG984, MicroBlaze Application Binary Interface",
    arguments: &[&[5], &[6], &[7], &[8], &[9], &[10]],
    stack_pointer: 1,
    stack_arguments: 28,
    alignment: 4,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Register(15, 8),
    saved: &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    fixed: &[],
    windows: None,
    stack_alignment: 4,
    slot: 0,
    reserved: &[
        Reserved {
            registers: &[2, 13],
            holds: "the anchor of a small data area, which handlers of interrupts go by",
            source: REGISTER_USAGE,
            changes: false,
            only: None,
        },
        Reserved {
            registers: &[14],
            holds: "the address of return of an interrupt, which the processor writes at any time",
            source: REGISTER_USAGE,
            changes: true,
            only: None,
        },
        Reserved {
            registers: &[16, 17],
            holds: "the address of return of a break or an exception, which the processor writes at any time",
            source: REGISTER_USAGE,
            changes: true,
            only: None,
        },
    ],
    halves: None,
    buffers: 4,
};
