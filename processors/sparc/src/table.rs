//! The instruction table of SPARC V9: the user-level integer instructions of "The SPARC Architecture Manual,
//! Version 9" (SPARC International, 1994), appendix A.
//!
//! A function has a register window: `save` makes the caller's `%o` registers its `%i` registers and gives it
//! new `%l` and `%o` registers; `restore` undoes this (6.4.2). The table has the registers that are currently
//! visible, those of the previous window, and the content of a new window, which is unknown. It models one
//! `save` and one `restore` per function, which suffices for functions that call nothing; if a second window
//! were needed, control goes to an address without instructions.
//!
//! Not included: floating point, the Y register and its users, atomic accesses, other address spaces, and
//! privileged instructions.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Reserved, Return, Windows};
use aesmith_isa::table::Text;
use aesmith_isa::{ByteOrder, Description, Guard, Isa, Kind, Unaligned, row};

use crate::undefined::undefined;

const R: Kind = Kind::Register { base: 0, step: 1 };

const fn number(signed: bool, width: u8) -> Kind {
    Kind::Number { signed, width }
}

/// The numbers of registers `%o0`, `%l0` and `%i0`.
pub const O0: u8 = 8;
/// See [`O0`].
pub const L0: u8 = 16;
/// See [`O0`].
pub const I0: u8 = 24;
/// The stack pointer, `%o6`.
pub const SP: u8 = 14;
/// The number of the first hidden register.
const HIDDEN: u8 = 41;
/// The number of the register that records window moves: 0 before `save`, 1 after it, 2 after `restore`.
const MOVES: u8 = HIDDEN + 32;

const REGISTERS: &[(&str, u8)] = &[
    ("g0", 64),
    ("g1", 64),
    ("g2", 64),
    ("g3", 64),
    ("g4", 64),
    ("g5", 64),
    ("g6", 64),
    ("g7", 64),
    ("o0", 64),
    ("o1", 64),
    ("o2", 64),
    ("o3", 64),
    ("o4", 64),
    ("o5", 64),
    ("o6", 64),
    ("o7", 64),
    ("l0", 64),
    ("l1", 64),
    ("l2", 64),
    ("l3", 64),
    ("l4", 64),
    ("l5", 64),
    ("l6", 64),
    ("l7", 64),
    ("i0", 64),
    ("i1", 64),
    ("i2", 64),
    ("i3", 64),
    ("i4", 64),
    ("i5", 64),
    ("i6", 64),
    ("i7", 64),
    // 32-bit and 64-bit condition codes: negative, zero, overflow, carry.
    ("icc_n", 1),
    ("icc_z", 1),
    ("icc_v", 1),
    ("icc_c", 1),
    ("xcc_n", 1),
    ("xcc_z", 1),
    ("xcc_v", 1),
    ("xcc_c", 1),
    ("y", 32),
    // %l and %i of the previous window.
    ("before_l0", 64),
    ("before_l1", 64),
    ("before_l2", 64),
    ("before_l3", 64),
    ("before_l4", 64),
    ("before_l5", 64),
    ("before_l6", 64),
    ("before_l7", 64),
    ("before_i0", 64),
    ("before_i1", 64),
    ("before_i2", 64),
    ("before_i3", 64),
    ("before_i4", 64),
    ("before_i5", 64),
    ("before_i6", 64),
    ("before_i7", 64),
    // %l and %o of the next window: unknown, or the values that a function has left there.
    ("next_l0", 64),
    ("next_l1", 64),
    ("next_l2", 64),
    ("next_l3", 64),
    ("next_l4", 64),
    ("next_l5", 64),
    ("next_l6", 64),
    ("next_l7", 64),
    ("next_o0", 64),
    ("next_o1", 64),
    ("next_o2", 64),
    ("next_o3", 64),
    ("next_o4", 64),
    ("next_o5", 64),
    ("next_o6", 64),
    ("next_o7", 64),
    ("windows", 2),
];

const DESCRIPTION: Description = Description {
    name: "SPARC",
    address: 64,
    order: ByteOrder::Big,
    unit: 4,
    registers: REGISTERS,
    general: 32,
    unaligned: Unaligned::Never {
        is: "is a trap",
        source: "The SPARC Architecture Manual, Version 9, 6.3.1.1",
    },
    pairs: &[],
    zero: Some(0),
    counter: None,
    kinds: &[
        ("rd", R),
        ("rs", R),
        ("simm", number(true, 64)),
        ("shcnt", number(false, 6)),
        ("imm", number(false, 64)),
        ("off", Kind::Relative { bias: 0, width: 64 }),
    ],
    macros: &[
        // Condition codes of a result with these overflows and carries, as 64-bit values whose bits 31 and 63
        // count.
        (
            "codes(r, o, c)",
            "xcc_n = r[63]; xcc_z = r == 0; xcc_v = o[63]; xcc_c = c[63]; \
             icc_n = r[31]; icc_z = r[31:0] == 0; icc_v = o[31]; icc_c = c[31]",
        ),
        (
            "plain(r)",
            "xcc_n = r[63]; xcc_z = r == 0; xcc_v = 0; xcc_c = 0; \
             icc_n = r[31]; icc_z = r[31:0] == 0; icc_v = 0; icc_c = 0",
        ),
        ("summed(a, b, r)", "o := ~(a ^ b) & (a ^ r); c := a & b | (a | b) & ~r; codes(r, o, c)"),
        ("subtracted(a, b, r)", "o := (a ^ b) & (a ^ r); c := ~a & b | (~a | b) & r; codes(r, o, c)"),
    ],
    guard: Guard::None,
    conditions: &[],
    data: 0,
};

/// Loads and stores: name, code, semantics at `A`, class.
const MEMORY: &[(&str, &str, &str, &str)] = &[
    ("lduw", "000000", "rd = zx(m32[A], 64)", "load"),
    ("ldub", "000001", "rd = zx(m8[A], 64)", "load late"),
    ("lduh", "000010", "rd = zx(m16[A], 64)", "load late"),
    ("ldx", "001011", "rd = m64[A]", "load"),
    ("ldsw", "001000", "rd = sx(m32[A], 64)", "load late"),
    ("ldsb", "001001", "rd = sx(m8[A], 64)", "load late"),
    ("ldsh", "001010", "rd = sx(m16[A], 64)", "load late"),
    ("stw", "000100", "m32[A] = rd[31:0]", "store"),
    ("stb", "000101", "m8[A] = rd[7:0]", "store"),
    ("sth", "000110", "m16[A] = rd[15:0]", "store"),
    ("stx", "001110", "m64[A] = rd", "store"),
];

/// Operations on `a` and `b` that have a form which sets the condition codes: name, code, expression, macro for
/// the codes.
const WITH_CODES: &[(&str, &str, &str, &str)] = &[
    ("add", "0000", "a + b", "summed(a, b, r)"),
    ("and", "0001", "a & b", "plain(r)"),
    ("or", "0010", "a | b", "plain(r)"),
    ("xor", "0011", "a ^ b", "plain(r)"),
    ("sub", "0100", "a - b", "subtracted(a, b, r)"),
    ("andn", "0101", "a & ~b", "plain(r)"),
    ("orn", "0110", "a | ~b", "plain(r)"),
    ("xnor", "0111", "a ^ ~b", "plain(r)"),
    ("addc", "1000", "a + b + zx(icc_c, 64)", "summed(a, b, r)"),
    ("subc", "1100", "a - b - zx(icc_c, 64)", "subtracted(a, b, r)"),
];

/// Shifts: name, code, true for 64 bits, expression of `rs1` and the count `n`.
const SHIFTS: &[(&str, &str, bool, &str)] = &[
    ("sll", "100101", false, "rs1 << n"),
    ("srl", "100110", false, "zx(rs1[31:0] >> n, 64)"),
    ("sra", "100111", false, "sx(rs1[31:0] >>> n, 64)"),
    ("sllx", "100101", true, "rs1 << n"),
    ("srlx", "100110", true, "rs1 >> n"),
    ("srax", "100111", true, "rs1 >>> n"),
];

/// Conditions on condition codes: suffix, code, expression with `N`, `Z`, `V`, `C`.
const CONDITIONS: &[(&str, &str, &str)] = &[
    ("e", "0001", "Z"),
    ("le", "0010", "Z | (N ^ V)"),
    ("l", "0011", "N ^ V"),
    ("leu", "0100", "C | Z"),
    ("cs", "0101", "C"),
    ("neg", "0110", "N"),
    ("vs", "0111", "V"),
    ("ne", "1001", "~Z"),
    ("g", "1010", "~(Z | (N ^ V))"),
    ("ge", "1011", "~(N ^ V)"),
    ("gu", "1100", "~(C | Z)"),
    ("cc", "1101", "~C"),
    ("pos", "1110", "~N"),
    ("vc", "1111", "~V"),
];

/// Conditions on a register: suffix of the branch, suffix of the move, code, expression.
const ON_REGISTER: &[(&str, &str, &str, &str)] = &[
    ("z", "e", "001", "rs1 == 0"),
    ("lez", "lez", "010", "rs1[63] | (rs1 == 0)"),
    ("lz", "lz", "011", "rs1[63]"),
    ("nz", "ne", "101", "rs1 != 0"),
    ("gz", "gz", "110", "~(rs1[63] | (rs1 == 0))"),
    ("gez", "gez", "111", "~rs1[63]"),
];

/// The 32-bit and 64-bit condition codes: name, code.
const CODES: [(&str, &str); 2] = [("icc", "00"), ("xcc", "10")];

fn with_codes(expression: &str, set: &str) -> String {
    let of = |letter: char| format!("{set}_{}", letter.to_ascii_lowercase());
    expression.chars().map(|c| if c.is_ascii_uppercase() { of(c) } else { c.to_string() }).collect()
}

struct Rows(Vec<Text>);

impl Rows {
    fn add(&mut self, name: &str, syntax: &str, encoding: &str, meaning: &str, class: &str) {
        self.0.push(row(name, syntax, encoding, meaning, class));
    }

    /// The two forms of an instruction with two operands, of which the second is a register or an immediate:
    /// `S` in the syntax, `b` in the semantics. `head` is the encoding before `rs1`, with the field or bits of
    /// `rd`.
    fn two(&mut self, name: &str, syntax: &str, head: &str, meaning: &str, class: &str) {
        let register = syntax.replace('S', "%{rs2}");
        let of_register = format!("{head} rs1[4:0] 0 00000000 rs2[4:0]");
        self.add(name, &register, &of_register, &meaning.replace('B', "rs2"), class);
        let of_number = format!("{head} rs1[4:0] 1 simm[12:0]");
        self.add(
            &format!("{name}_i"),
            &syntax.replace('S', "{simm}"),
            &of_number,
            &meaning.replace('B', "simm"),
            class,
        );
    }

    fn memory(&mut self) {
        for (name, code, meaning, class) in MEMORY {
            let (syntax, meaning) = (
                if class.starts_with("load") { "[%{rs1} + S], %{rd}" } else { "%{rd}, [%{rs1} + S]" },
                meaning.replace('A', "rs1 + B"),
            );
            self.two(name, &format!("{name} {syntax}"), &format!("11 rd[4:0] {code}"), &meaning, class);
        }
    }

    fn integers(&mut self) {
        self.add("nop", "nop", "00 00000 100 0000000000000000000000", "", "nop");
        let imm = "00 rd[4:0] 100 imm[21:0]";
        self.add("sethi", "sethi {imm}, %{rd}", imm, "rd = imm << 10", "integer");
        for (name, code, expression, codes) in WITH_CODES {
            let syntax = format!("{name} %{{rs1}}, S, %{{rd}}");
            let expression = expression.replace('a', "rs1").replace('b', "B");
            self.two(
                name,
                &syntax,
                &format!("10 rd[4:0] 00{code}"),
                &format!("rd = {expression}"),
                "integer",
            );
            let (name, meaning) =
                (format!("{name}cc"), format!("a := rs1; b := B; r := {expression}; rd = r; {codes}"));
            let syntax = format!("{name} %{{rs1}}, S, %{{rd}}");
            self.two(&name, &syntax, &format!("10 rd[4:0] 01{code}"), &meaning, "integer");
        }
        for (name, code, wide, expression) in SHIFTS {
            let x = u8::from(*wide);
            let syntax = |operand: &str| format!("{name} %{{rs1}}, {operand}, %{{rd}}");
            let bits = if *wide { "rs2[5:0]" } else { "rs2[4:0]" };
            let meaning = format!("n := {bits}; rd = {expression}");
            let head = format!("10 rd[4:0] {code} rs1[4:0]");
            self.add(name, &syntax("%{rs2}"), &format!("{head} 0 {x} 0000000 rs2[4:0]"), &meaning, "integer");
            let (name, count) =
                (format!("{name}_i"), if *wide { "1 1 000000 shcnt[5:0]" } else { "1 0 0000000 shcnt[4:0]" });
            let meaning = format!("n := shcnt; rd = {expression}");
            self.add(&name, &syntax("{shcnt}"), &format!("{head} {count}"), &meaning, "integer");
        }
        for (name, code, extended) in [("umul", "001010", "zx"), ("smul", "001011", "sx")] {
            let factors = format!("{extended}(rs1[31:0], 64) * {extended}(b[31:0], 64)");
            let meaning = format!("b := B; p := {factors}; rd = p; y = p[63:32]");
            let head = format!("10 rd[4:0] {code}");
            self.two(name, &format!("{name} %{{rs1}}, S, %{{rd}}"), &head, &meaning, "multiply");
        }
        self.add("rdy", "rd %y, %{rd}", "10 rd[4:0] 101000 00000 00000000000000", "rd = zx(y, 64)", "move");
        self.two("wry", "wr %{rs1}, S, %y", "10 00000 110000", "w := rs1 ^ B; y = w[31:0]", "move");
        let product = "mulx %{rs1}, S, %{rd}";
        self.two("mulx", product, "10 rd[4:0] 001001", "rd = rs1 * B", "multiply");
    }

    fn moves(&mut self) {
        for (suffix, code, expression) in CONDITIONS {
            for (set, bits) in CODES {
                let holds = with_codes(expression, set);
                let (x, y) = bits.split_at(1);
                let name = format!("mov{suffix}_{set}");
                let head = format!("10 rd[4:0] 101100 1 {code}");
                let meaning = |operand: &str| format!("rd = {holds} ? {operand} : rd");
                self.add(
                    &name,
                    &format!("mov{suffix} %{set}, %{{rs2}}, %{{rd}}"),
                    &format!("{head} 0 {x} {y} 000000 rs2[4:0]"),
                    &meaning("rs2"),
                    "move",
                );
                self.add(
                    &format!("{name}_i"),
                    &format!("mov{suffix} %{set}, {{simm}}, %{{rd}}"),
                    &format!("{head} 1 {x} {y} simm[10:0]"),
                    &meaning("simm"),
                    "move",
                );
            }
        }
        for (_, suffix, code, expression) in ON_REGISTER {
            let name = format!("movr{suffix}");
            let head = "10 rd[4:0] 101111 rs1[4:0]";
            self.add(
                &name,
                &format!("{name} %{{rs1}}, %{{rs2}}, %{{rd}}"),
                &format!("{head} 0 {code} 00000 rs2[4:0]"),
                &format!("rd = {expression} ? rs2 : rd"),
                "move",
            );
            self.add(
                &format!("{name}_i"),
                &format!("{name} %{{rs1}}, {{simm}}, %{{rd}}"),
                &format!("{head} 1 {code} simm[9:0]"),
                &format!("rd = {expression} ? simm : rd"),
                "move",
            );
        }
    }

    /// A branch in its four forms: predicted taken or not, and with its delay slot annulled if it is not taken.
    fn branch(&mut self, name: &str, operands: &str, encoding: [&str; 2], holds: &str) {
        for (annulled, predicted) in [(false, true), (false, false), (true, true), (true, false)] {
            let (a, p) = (if annulled { ",a" } else { "" }, if predicted { ",pt" } else { ",pn" });
            let meaning = if annulled {
                format!("if {holds} {{ jumpd pc + off }} else {{ skip }}")
            } else {
                format!("if {holds} {{ jumpd pc + off }}")
            };
            self.add(
                &format!("{name}{a}{p}"),
                &format!("{}{a}{p} {operands}", name.split('_').next().unwrap_or(name)),
                &format!(
                    "00 {} {} {}",
                    u8::from(annulled),
                    encoding[0],
                    encoding[1].replace('P', if predicted { "1" } else { "0" })
                ),
                &meaning,
                "branch",
            );
        }
    }

    fn branches(&mut self) {
        for (set, bits) in CODES {
            for (suffix, code, expression) in CONDITIONS {
                let head = format!("{code} 001 {bits}");
                let operands = format!("%{set}, {{off}}");
                let holds = with_codes(expression, set);
                self.branch(&format!("b{suffix}_{set}"), &operands, [&head, "P off[20:2]"], &holds);
            }
        }
        for (suffix, _, code, expression) in ON_REGISTER {
            let head = format!("0 {code} 011 off[17:16]");
            let tail = "P rs1[4:0] off[15:2]";
            self.branch(&format!("br{suffix}"), "%{rs1}, {off}", [&head, tail], expression);
        }
        // Unconditional, with its delay slot and without.
        let always = |annulled: u8| format!("00 {annulled} 1000 001 10 1 off[20:2]");
        self.add("ba", "ba,pt %xcc, {off}", &always(0), "jumpd pc + off", "branch");
        self.add("ba,a", "ba,a,pt %xcc, {off}", &always(1), "jump pc + off", "branch");
        self.add("call", "call {off}", "01 off[31:2]", "o7 = pc; jumpd pc + off", "jump");
        self.two(
            "jmpl",
            "jmpl %{rs1} + S, %{rd}",
            "10 rd[4:0] 111000",
            "t := rs1 + B; rd = pc; jumpd t",
            "jump",
        );
    }

    /// The window instructions; see the module comment.
    fn windows(&mut self) {
        let each = |line: fn(u8) -> String| (0..8).map(line).collect::<Vec<_>>().join("; ");
        let kept = each(|k| format!("before_l{k} = l{k}; before_i{k} = i{k}"));
        let entered = each(|k| format!("i{k} = o{k}; l{k} = next_l{k}; o{k} = next_o{k}"));
        let save = format!(
            "t := rs1 + B; if windows != 0 {{ jump 1 }} else {{ {kept}; {entered}; windows = 1; rd = t }}"
        );
        // The content of the window stays in the processor.
        let left = each(|k| {
            format!("next_l{k} = l{k}; next_o{k} = o{k}; o{k} = i{k}; l{k} = before_l{k}; i{k} = before_i{k}")
        });
        let restore =
            format!("t := rs1 + B; if windows != 1 {{ jump 1 }} else {{ {left}; windows = 2; rd = t }}");
        self.two("save", "save %{rs1}, S, %{rd}", "10 rd[4:0] 111100", &save, "window");
        self.two("restore", "restore %{rs1}, S, %{rd}", "10 rd[4:0] 111101", &restore, "window");
    }
}

fn rows() -> Vec<Text> {
    let mut rows = Rows(Vec::new());
    rows.memory();
    rows.integers();
    rows.moves();
    rows.branches();
    rows.windows();
    rows.0
}

/// The table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> = LazyLock::new(|| {
        Isa::new(DESCRIPTION, &rows())
            .unwrap_or_else(|e| panic!("the table of SPARC: {e}"))
            .leaving(undefined)
    });
    &ISA
}

/// The calling convention of C functions: "SPARC Compliance Definition 2.4" (SPARC International, 1999),
/// 64-bit. `%g2` and `%g3` belong to the application, and calls do not preserve them; `%g6` and `%g7` belong to
/// the system. The stack pointer is 2047 bytes below the frame, in whose first 128 bytes the system saves the
/// window's `%l` and `%i` registers.
pub const CONVENTION: Convention = Convention {
    name: "SPARC V9 ABI, 64-bit",
    source: "SPARC Compliance Definition 2.4, low-level system information for 64-bit code, function calling sequence",
    arguments: &[&[O0], &[O0 + 1], &[O0 + 2], &[O0 + 3], &[O0 + 4], &[O0 + 5]],
    stack_pointer: SP,
    stack_arguments: 176,
    alignment: 8,
    red_zone: 0,
    // Six words for arguments in registers, after those for a window.
    saves: (128, 176),
    returns: Return::Register(O0 + 7, 8),
    saved: &[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    fixed: &[],
    windows: Some(Windows { bias: 2047, spilled: 128, alignment: 16, caller: I0 + 6, moves: MOVES }),
    stack_alignment: 16,
    slot: 0,
    reserved: &[
        Reserved {
            registers: &[6, 7],
            holds: "what the system keeps there, such as the thread",
            source: "SPARC Compliance Definition 2.4, registers of 64-bit code",
            changes: false,
            only: None,
        },
        Reserved {
            registers: &[2, 3],
            holds: "what the application keeps there",
            source: "SPARC Compliance Definition 2.4, registers of 64-bit code",
            changes: false,
            only: Some("programs that keep values of their own in %g2 or %g3"),
        },
        Reserved {
            registers: &[4],
            holds: "the base of the data segment",
            source: "GCC's options for SPARC, -mcmodel=embmedany",
            changes: false,
            only: Some("programs compiled with -mcmodel=embmedany, whose %g4 holds the base of their data"),
        },
    ],
    halves: None,
    buffers: 8,
};
