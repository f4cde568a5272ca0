//! The instruction table: the PTX instructions (NVIDIA, "Parallel Thread Execution ISA", version 8.0, chapter
//! 9) that the kernels use, as text only. Registers are virtual; `ptxas` allocates them. Timing classes are the
//! units of a multiprocessor that execute the machine code of a row.
//!
//! The addresses of shared memory and of constants are registers of their own (`tables`, `words`), whose values
//! are unknown.

use std::sync::LazyLock;

use aesmith_isa::grid::Launch;
use aesmith_isa::table::Text;
use aesmith_isa::{ByteOrder, Description, Guard, Isa, Kind, Unaligned, row};

/// Number of 32-bit registers, which start at register 0.
pub const WORDS: u8 = 200;
/// Number of 64-bit registers, which follow.
pub const DOUBLES: u8 = 32;
/// Number of predicates, which follow.
pub const PREDICATES: u8 = 8;
const GENERAL: u8 = WORDS + DOUBLES + PREDICATES;

/// The registers that a launch sets: see [`Launch`].
pub const LAUNCH: Launch = Launch {
    thread: GENERAL,
    block: GENERAL + 1,
    blocks: GENERAL + 2,
    shared: GENERAL + 3,
    constants: GENERAL + 4,
    key: GENERAL + 6,
    warp: 32,
    banks: 32,
};

/// Names of the parameters that are pointers or 8-byte numbers, by number. A launch of several streams also
/// gets their number; then its keys and initial vectors are in memory, too.
pub const PARAMETERS: &[&str] = &["in", "out", "blocks", "streams", "keys", "iv"];
/// The address of the counter: so far from all others that no offset from one parameter reaches another.
pub const IV: u64 = 1 << 32;
/// The address of the key.
pub const KEYS: u64 = 1 << 33;

fn registers() -> Vec<(&'static str, u8)> {
    let named = |name: String, width| -> (&'static str, u8) { (name.leak(), width) };
    let words = (0..WORDS).map(|k| named(format!("%r{k}"), 32));
    let doubles = (0..DOUBLES).map(|k| named(format!("%rd{k}"), 64));
    let predicates = (0..PREDICATES).map(|k| named(format!("%p{k}"), 1));
    let launch = [
        ("tid", 32),
        ("ctaid", 32),
        ("nctaid", 32),
        ("tables", 32),
        ("words", 64),
        ("carry", 1),
        ("keys", 64),
    ];
    words.chain(doubles).chain(predicates).chain(launch).collect()
}

const WORD: Kind = Kind::Register { base: 0, step: 1 };
const DOUBLE: Kind = Kind::Register { base: WORDS, step: 1 };
const PREDICATE: Kind = Kind::Register { base: WORDS + DOUBLES, step: 1 };

fn description() -> Description {
    Description {
        name: "PTX",
        address: 64,
        order: ByteOrder::Little,
        unit: 1,
        registers: registers().leak(),
        general: GENERAL,
        unaligned: Unaligned::Never { is: "is a fault", source: "PTX ISA, Addresses as Operands" },
        pairs: &[],
        zero: None,
        counter: None,
        kinds: &[
            ("d", WORD),
            ("a", WORD),
            ("b", WORD),
            ("c", WORD),
            ("x", DOUBLE),
            ("y", DOUBLE),
            ("z", DOUBLE),
            ("p", PREDICATE),
            ("n", Kind::Number { signed: false, width: 32 }),
            // A 31-bit number for use with 64-bit operands: PTX would sign-extend a larger one.
            ("m", Kind::Number { signed: false, width: 31 }),
            ("k", Kind::Number { signed: false, width: 8 }),
            ("off", Kind::Number { signed: true, width: 32 }),
            ("to", Kind::Relative { bias: 0, width: 64 }),
            ("of", Kind::Names { width: 64, names: PARAMETERS }),
        ],
        macros: &[
            // A byte of eight, or copies of its sign bit.
            (
                "selected(w, s)",
                "s[3] ? sx((w >> (zx(s[2:0], 8) << 3))[7:7], 8) : (w >> (zx(s[2:0], 8) << 3))[7:0]",
            ),
            // The coefficient of a product in the algebraic normal form of a three-input function.
            ("whether(bit)", "sx(bit, 32)"),
        ],
        guard: Guard::None,
        conditions: &[],
        data: 0,
    }
}

/// Logic and sums of words: name, mnemonic, expression.
const PLAIN: &[(&str, &str, &str)] = &[
    ("and", "and.b32", "a & V"),
    ("or", "or.b32", "a | V"),
    ("xor", "xor.b32", "a ^ V"),
    ("add", "add.u32", "a + V"),
];

/// Shifts of words by a number.
const SHIFTS: &[(&str, &str, &str)] = &[("shl", "shl.b32", "a << n"), ("shr", "shr.u32", "a >> n")];

/// Operations on doubles.
const WIDE: &[(&str, &str, &str)] =
    &[("add64", "add.u64", "y + V"), ("sub64", "sub.u64", "y - V"), ("and64", "and.b64", "y & V")];

struct Rows(Vec<Text>);

impl Rows {
    fn add(&mut self, name: &str, syntax: &str, fields: &str, meaning: &str, class: &str) {
        self.0.push(row(name, syntax, &format!("- {fields}"), meaning, class));
    }

    fn words(&mut self) {
        for (name, mnemonic, expression) in PLAIN {
            let meaning = |v: &str| format!("d = {}", expression.replace('V', v));
            self.add(name, &format!("{mnemonic} {{d}}, {{a}}, {{b}};"), "d a b", &meaning("b"), "alu");
            let with_number = format!("{name}_n");
            self.add(
                &with_number,
                &format!("{mnemonic} {{d}}, {{a}}, {{n}};"),
                "d a n",
                &meaning("n"),
                "alu",
            );
        }
        for (name, mnemonic, expression) in SHIFTS {
            let syntax = format!("{mnemonic} {{d}}, {{a}}, {{n}};");
            self.add(name, &syntax, "d a n", &format!("d = {expression}"), "alu");
        }
        self.add("mov", "mov.b32 {d}, {a};", "d a", "d = a", "alu");
        self.add("mov_n", "mov.b32 {d}, {n};", "d n", "d = n", "alu");
        let turned = "w := (b & 31)[7:0]; d = ror(a, 32 - w)";
        self.add("rotate", "shf.l.wrap.b32 {d}, {a}, {a}, {b};", "d a b", turned, "alu");
        let picked: Vec<String> = (0..4).rev().map(|k| format!("selected(w, s{k})")).collect();
        let selectors: Vec<String> = (0..4).map(|k| format!("s{k} := n[{}:{}]", 4 * k + 3, 4 * k)).collect();
        let permuted = format!("w := cat(b, a); {}; d = cat({})", selectors.join("; "), picked.join(", "));
        self.add("prmt", "prmt.b32 {d}, {a}, {b}, {n};", "d a b n", &permuted, "alu");
        // The three-input function as a sum of products: the coefficients are sums of entries of its table. In
        // an entry's index, the bit of the first operand has weight 4, of the second 2 and of the third 1.
        let sum_below = |mask: usize| {
            let entries = (0..8).filter(|entry| entry & !mask == 0).map(|entry| format!("k[{entry}]"));
            entries.collect::<Vec<_>>().join(" ^ ")
        };
        let product = |mask: usize| {
            let factors = [(4, "a"), (2, "b"), (1, "c")].into_iter().filter(|(bit, _)| mask & bit != 0);
            let factors: Vec<&str> = factors.map(|(_, factor)| factor).collect();
            match factors.as_slice() {
                [] => format!("whether({})", sum_below(mask)),
                _ => format!("(whether({}) & {})", sum_below(mask), factors.join(" & ")),
            }
        };
        let products: Vec<String> = (0..8).map(product).collect();
        let meaning = format!("d = {}", products.join(" ^ "));
        self.add("lop3", "lop3.b32 {d}, {a}, {b}, {c}, {k};", "d a b c k", &meaning, "alu");
        let of_number = format!("c := n; {meaning}");
        self.add("lop3_n", "lop3.b32 {d}, {a}, {b}, {n}, {k};", "d a b n k", &of_number, "alu");
    }

    fn doubles(&mut self) {
        for (name, mnemonic, expression) in WIDE {
            let meaning = |v: &str| format!("x = {}", expression.replace('V', v));
            self.add(name, &format!("{mnemonic} {{x}}, {{y}}, {{z}};"), "x y z", &meaning("z"), "wide");
            let with_number = format!("{name}_n");
            let syntax = format!("{mnemonic} {{x}}, {{y}}, {{m}};");
            self.add(&with_number, &syntax, "x y m", &meaning("zx(m, 64)"), "wide");
        }
        self.add("shl64", "shl.b64 {x}, {y}, {m};", "x y m", "x = y << m", "wide");
        self.add("shr64", "shr.u64 {x}, {y}, {m};", "x y m", "x = y >> m", "wide");
        self.add("mov64", "mov.b64 {x}, {y};", "x y", "x = y", "wide");
        self.add("mov64_n", "mov.b64 {x}, {m};", "x m", "x = zx(m, 64)", "wide");
        self.add("widen", "cvt.u64.u32 {x}, {a};", "x a", "x = zx(a, 64)", "wide");
        self.add("product", "mul.wide.u32 {x}, {a}, {m};", "x a m", "x = zx(a, 64) * zx(m, 64)", "imad");
        self.add("halves", "mov.b64 {{{a}, {b}}}, {x};", "a b x", "a = x[31:0]; b = x[63:32]", "wide");
        self.add("joined", "mov.b64 {x}, {{{a}, {b}}};", "x a b", "x = cat(b, a)", "wide");
        let carrying = "s := zx(y, 65) + zx(z, 65); x = s[63:0]; carry = s[64]";
        self.add("add_out", "add.cc.u64 {x}, {y}, {z};", "x y z", carrying, "wide");
        let carried = "x = y + zx(m, 64) + zx(carry, 64)";
        self.add("add_in", "addc.u64 {x}, {y}, {m};", "x y m", carried, "wide");
    }

    fn launch(&mut self) {
        for name in ["tid", "ctaid", "nctaid"] {
            self.add(name, &format!("mov.u32 {{d}}, %{name}.x;"), "d", &format!("d = {name}"), "alu");
        }
        self.add("tables", "mov.u32 {d}, tables;", "d", "d = tables", "alu");
        self.add("constants", "mov.u64 {x}, words;", "x", "x = words", "wide");
        self.add("parameter", "ld.param.u64 {x}, [{of}];", "x of", "x = parameter64[of << 3]", "constant");
        let key = format!("d = parameter32[zx(n, 64) + {KEYS}]");
        self.add("key", "ld.param.b32 {d}, [keys+{n}];", "d n", &key, "constant");
        self.add("keys", "mov.u64 {x}, keys;", "x", "x = keys", "wide");
        self.add(
            "key_at",
            "ld.param.b32 {d}, [{y}+{m}];",
            "d y m",
            "d = parameter32[y + zx(m, 64)]",
            "constant",
        );
        let iv = format!("x = parameter64[zx(n, 64) + {IV}]");
        self.add("iv", "ld.param.b64 {x}, [iv+{n}];", "x n", &iv, "constant");
    }

    fn memory(&mut self) {
        self.add(
            "ld_const",
            "ld.const.b32 {d}, [{y}+{off}];",
            "d y off",
            "d = p32[y + sx(off, 64)]",
            "constant",
        );
        let at = "zx(a + off, 64)";
        self.add(
            "ld_shared",
            "ld.shared.b32 {d}, [{a}+{off}];",
            "d a off",
            &format!("d = shared32[{at}]"),
            "shared",
        );
        self.add(
            "st_shared",
            "st.shared.b32 [{a}+{off}], {b};",
            "a off b",
            &format!("shared32[{at}] = b"),
            "shared",
        );
        let four = "{{{b}, {b2}, {b3}, {b4}}}";
        self.add(
            "st_shared_v4",
            &format!("st.shared.v4.b32 [{{a}}+{{off}}], {four};"),
            "a off b b2 b3 b4",
            &format!("shared128[{at}] = cat(b4, b3, b2, b)"),
            "shared",
        );
        let syntax = "ld.global.b64 {x}, [{y}+{off}];";
        self.add("ld_global_64", syntax, "x y off", "x = m64[y + sx(off, 64)]", "global");
        let loaded = "v := m128[y + sx(off, 64)]; b = v[31:0]; b2 = v[63:32]; b3 = v[95:64]; b4 = v[127:96]";
        let stored = "m128[y + sx(off, 64)] = cat(b4, b3, b2, b)";
        self.text("", "v4.b32", four, "b b2 b3 b4", [loaded, stored]);
        let loaded = "v := m64[y + sx(off, 64)]; b = v[31:0]; b2 = v[63:32]";
        self.text("_v2", "v2.b32", "{{{b}, {b2}}}", "b b2", [loaded, "m64[y + sx(off, 64)] = cat(b2, b)"]);
        let [loaded, stored] = ["b = m32[y + sx(off, 64)]", "m32[y + sx(off, 64)] = b"];
        self.text("_v1", "b32", "{b}", "b", [loaded, stored]);
    }

    /// Adds a load and a store of words of text, each also in a form with a predicate.
    fn text(&mut self, name: &str, kind: &str, words: &str, fields: &str, [loaded, stored]: [&str; 2]) {
        let fields = format!("{fields} y off");
        for (guard, only, also) in [("", "", ""), ("@{p} ", "_if", "p ")] {
            let meaning = |done: &str| match guard {
                "" => done.to_owned(),
                _ => format!("if p {{ {done} }}"),
            };
            let fields = format!("{also}{fields}");
            let load = format!("{guard}ld.global.{kind} {words}, [{{y}}+{{off}}];");
            self.add(&format!("ld_global{name}{only}"), &load, &fields, &meaning(loaded), "global");
            let store = format!("{guard}st.global.{kind} [{{y}}+{{off}}], {words};");
            self.add(&format!("st_global{name}{only}"), &store, &fields, &meaning(stored), "global");
        }
    }

    fn control(&mut self) {
        for (name, mnemonic, condition) in
            [("lt", "setp.lt.u64", "y <u z"), ("ge", "setp.ge.u64", "~(y <u z)")]
        {
            let syntax = format!("{mnemonic} {{p}}, {{y}}, {{z}};");
            self.add(name, &syntax, "p y z", &format!("p = {condition}"), "alu");
        }
        let below = "p = a <u n";
        self.add("lt_n", "setp.lt.u32 {p}, {a}, {n};", "p a n", below, "alu");
        self.add("bra_if", "@{p} bra {to};", "p to", "if p { jump pc + to }", "branch");
        self.add("bra_unless", "@!{p} bra {to};", "p to", "if ~p { jump pc + to }", "branch");
        self.add("bra", "bra {to};", "to", "jump pc + to", "branch");
        // Asks the compiler not to unroll the following loop.
        self.add("nounroll", ".pragma \"nounroll\";", "", "", "other");
        self.add("barrier", "bar.sync 0;", "", "", aesmith_isa::grid::BARRIER);
        self.add("ret", "ret;", "", "", aesmith_isa::grid::EXIT);
    }
}

fn rows() -> Vec<Text> {
    let mut rows = Rows(Vec::new());
    rows.words();
    rows.doubles();
    rows.launch();
    rows.memory();
    rows.control();
    rows.0
}

/// The instruction table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> = LazyLock::new(|| {
        Isa::new(description(), &rows()).unwrap_or_else(|e| panic!("the table of PTX: {e}"))
    });
    &ISA
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::mode::Role;
    use aesmith_isa::execute::{Machine, execute};
    use aesmith_isa::image::Image;
    use aesmith_isa::numbers::Numbers;

    /// The value that an instruction leaves in `%r0` if `%r1` to `%r3` hold these.
    fn run(text: &str, words: [u32; 3]) -> u32 {
        let isa = isa();
        let insn = isa.read(text, &|_| None).expect("is read");
        let mut memory = Numbers::new(&Image::default(), &isa.about, &[]);
        let mut machine = Machine { registers: vec![0; isa.about.registers.len()], pc: 0, delayed: None };
        for (place, word) in words.iter().enumerate() {
            machine.registers[place + 1] = u128::from(*word);
        }
        execute(isa, &insn, &mut memory, &mut machine, || 0).expect("is executed");
        machine.registers[0] as u32
    }

    #[test]
    fn bytes_are_permuted() {
        // PTX ISA, 9.7.8.7: bytes of {b, a}, or copies of the byte's sign if the selector's highest bit is set.
        let words = [0x0302_0100, 0x8706_0504, 0];
        assert_eq!(run("prmt.b32 %r0, %r1, %r2, 12816;", words), 0x0302_0100);
        assert_eq!(run("prmt.b32 %r0, %r1, %r2, 0x7654;", words), 0x8706_0504);
        assert_eq!(run("prmt.b32 %r0, %r1, %r2, 0xf827;", words), 0xff00_0287);
    }

    #[test]
    fn three_inputs_are_combined_by_the_table() {
        let words = [0xf0f0_ff00, 0xcccc_00ff, 0xaaaa_f0f0];
        for table in [0u32, 0x96, 0xe8, 0xca, 0x1b, 0x80, 0x7f, 0xff, 0xd8] {
            let text = format!("lop3.b32 %r0, %r1, %r2, %r3, {table};");
            let bit = |place: u32| {
                let entry = words.iter().fold(0, |entry, word| entry << 1 | word >> place & 1);
                (table >> entry & 1) << place
            };
            assert_eq!(run(&text, words), (0..32).map(bit).sum::<u32>(), "{table:#x}");
        }
    }

    #[test]
    fn words_are_rotated() {
        for by in [0u32, 8, 31, 40] {
            let text = "shf.l.wrap.b32 %r0, %r1, %r1, %r2;";
            assert_eq!(run(text, [0x1234_5678, by, 0]), 0x1234_5678u32.rotate_left(by & 31), "{by}");
        }
    }

    #[test]
    fn parameters_are_named_by_what_they_are() {
        let named =
            [Role::Input, Role::Output, Role::Length].map(|role| crate::text::parameter(role, 8, false).name);
        assert_eq!(named, PARAMETERS[..3]);
        assert_eq!(crate::text::parameter(Role::Key, 8, true).name, PARAMETERS[4]);
    }
}
