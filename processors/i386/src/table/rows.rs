//! The rows: each operation on registers, and on each form of a memory operand.

use aesmith_isa::row;
use aesmith_isa::table::Text;

use super::forms::{FORMS, FOUR};

/// An immediate of four bytes, lowest first.
const NUMBER: &str = "n[7:0] n[15:8] n[23:16] n[31:24]";
/// ModRM for two registers, `R` and `M`.
const REGISTERS: &str = "11 R M";

/// Operations of two operands, by their number in opcodes: name, semantics of `X` and `Y`, whose value is `v`;
/// true if it is written.
const TWO: &[(&str, &str, bool)] = &[
    ("add", "added(X, Y)", true),
    ("or", "v := X | Y; logic(v)", true),
    ("adc", "more := zx(cf, 33); carried(X, Y, more)", true),
    ("sbb", "less := zx(cf, 33); borrowed(X, Y, less)", true),
    ("and", "v := X & Y; logic(v)", true),
    ("sub", "subtracted(X, Y)", true),
    ("xor", "v := X ^ Y; logic(v)", true),
    ("cmp", "subtracted(X, Y)", false),
];

/// Conditions: number, name, expression. Parity is not modelled.
const CONDITIONS: &[(u8, &str, &str)] = &[
    (0, "o", "of"),
    (1, "no", "~of"),
    (2, "b", "cf"),
    (3, "ae", "~cf"),
    (4, "e", "zf"),
    (5, "ne", "~zf"),
    (6, "be", "cf | zf"),
    (7, "a", "~(cf | zf)"),
    (8, "s", "sf"),
    (9, "ns", "~sf"),
    (12, "l", "sf ^ of"),
    (13, "ge", "~(sf ^ of)"),
    (14, "le", "zf | (sf ^ of)"),
    (15, "g", "~(zf | (sf ^ of))"),
];

/// Shifts and rotations: name, number, value of `m` by `c` bits, carry, overflow. The overflow is defined only
/// for one bit.
const SHIFTS: &[(&str, u8, &str, &str, &str)] = &[
    ("rol", 0, "v := ror(m, 32 - c)", "v[0]", "v[31] ^ v[0]"),
    ("ror", 1, "v := ror(m, c)", "v[31]", "v[31] ^ v[30]"),
    ("shl", 4, "v := m << c; t := m >> (32 - c)", "t[0]", "v[31] ^ t[0]"),
    ("shr", 5, "v := m >> c; t := m >> (c - 1)", "t[0]", "m[31]"),
    ("sar", 7, "v := m >>> c; t := m >>> (c - 1)", "t[0]", "0"),
];

/// Extensions of parts of registers and of memory: name, opcode, the register part in syntax, its bits.
const EXTENDED: &[(&str, &str, u8)] = &[
    ("movzbl", "10110110", 8),
    ("movzwl", "10110111", 16),
    ("movsbl", "10111110", 8),
    ("movswl", "10111111", 16),
];

/// All rows.
pub fn rows() -> Vec<Text> {
    let mut rows = Rows(Vec::new());
    rows.two_operands();
    rows.moves();
    rows.extended();
    rows.one_operand();
    rows.shifts();
    rows.stack();
    rows.jumps();
    rows.0
}

struct Rows(Vec<Text>);

fn bits(number: u8, count: usize) -> String {
    format!("{number:0count$b}")
}

impl Rows {
    fn add(&mut self, name: &str, syntax: &str, encoding: &str, meaning: &str, class: &str) {
        self.0.push(row(name, syntax, encoding, meaning, class));
    }

    /// A row for each form of a memory operand: `MEM` in the syntax is the operand, `A` in the semantics its
    /// address.
    fn memory(
        &mut self,
        name: &str,
        syntax: &str,
        (opcode, three, behind): (&str, &str, &str),
        meaning: &str,
        class: &str,
    ) {
        for form in FORMS {
            let encoding = format!("{opcode} {} {behind}", form.encoding(three));
            let meaning = meaning.replace('A', form.address);
            let syntax = syntax.replace("MEM", form.syntax);
            self.add(&format!("{name}_{}", form.name), &syntax, &encoding, &meaning, class);
        }
    }

    /// Registers, memory and immediates. The result of `op_m_r` is its first operand, which may be memory.
    fn two_operands(&mut self) {
        for (number, (name, meaning, written)) in TWO.iter().enumerate() {
            let opcode = bits(number as u8, 5);
            let with = |x: &str, y: &str, to: &str| {
                let result = if *written { format!("; {to} = v") } else { String::new() };
                format!("{}{result}", meaning.replace('X', x).replace('Y', y))
            };
            let (class, read, modify) =
                if *written { ("integer", "read", "modify") } else { ("integer", "read", "read") };
            self.add(
                name,
                &format!("{name}l %{{r}}, %{{m}}"),
                &format!("{opcode} 001 {}", registers("r[2:0]")),
                &with("m", "r", "m"),
                class,
            );
            self.add(
                &format!("{name}_other"),
                &format!("{{load}} {name}l %{{m}}, %{{r}}"),
                &format!("{opcode} 011 {}", registers("r[2:0]")),
                &with("r", "m", "r"),
                class,
            );
            let loaded = |to: &str| format!("w := m32[A]; {to}");
            self.memory(
                &format!("{name}_r"),
                &format!("{name}l MEM, %{{r}}"),
                (&format!("{opcode} 011"), "r[2:0]", ""),
                &loaded(&with("r", "w", "r")),
                read,
            );
            self.memory(
                &format!("{name}_m"),
                &format!("{name}l %{{r}}, MEM"),
                (&format!("{opcode} 001"), "r[2:0]", ""),
                &loaded(&with("w", "r", "m32[A]")),
                modify,
            );
            let three = bits(number as u8, 3);
            self.add(
                &format!("{name}_eax"),
                &format!("{name}l ${{n}}, %eax"),
                &format!("{opcode} 101 {NUMBER}"),
                &with("eax", "n", "eax"),
                class,
            );
            for (code, suffix, immediate) in [("10000011", "n8", "n[7:0]"), ("10000001", "n32", NUMBER)] {
                self.add(
                    &format!("{name}_{suffix}"),
                    &format!("{name}l ${{n}}, %{{m}}"),
                    &format!("{code} {} {immediate}", registers(&three)),
                    &with("m", "n", "m"),
                    class,
                );
                self.memory(
                    &format!("{name}_m_{suffix}"),
                    &format!("{name}l ${{n}}, MEM"),
                    (code, &three, immediate),
                    &loaded(&with("w", "n", "m32[A]")),
                    modify,
                );
            }
        }
        self.add(
            "test",
            "testl %{r}, %{m}",
            &format!("10000101 {}", registers("r[2:0]")),
            "v := m & r; logic(v)",
            "integer",
        );
        self.memory(
            "test_m",
            "testl %{r}, MEM",
            ("10000101", "r[2:0]", ""),
            "w := m32[A]; v := w & r; logic(v)",
            "read",
        );
    }

    fn moves(&mut self) {
        let pair = registers("r[2:0]");
        self.add("mov", "movl %{r}, %{m}", &format!("10001001 {pair}"), "m = r", "integer");
        self.add("mov_other", "{load} movl %{m}, %{r}", &format!("10001011 {pair}"), "r = m", "integer");
        self.add("mov_n", "movl ${n}, %{r}", &format!("10111 r[2:0] {NUMBER}"), "r = n", "integer");
        self.memory("mov_r", "movl MEM, %{r}", ("10001011", "r[2:0]", ""), "r = m32[A]", "load");
        self.memory("mov_m", "movl %{r}, MEM", ("10001001", "r[2:0]", ""), "m32[A] = r", "store");
        // The accumulator with an address has encodings of its own.
        self.add("mov_eax_at", "movl {d}, %eax", &format!("10100001 {FOUR}"), "eax = m32[d]", "load");
        self.add("mov_at_eax", "movl %eax, {d}", &format!("10100011 {FOUR}"), "m32[d] = eax", "store");
        self.add("movb_at_al", "movb %al, {d}", &format!("10100010 {FOUR}"), "m8[d] = eax[7:0]", "store");
        let word = format!("01100110 10100011 {FOUR}");
        self.add("movw_at_ax", "movw %ax, {d}", &word, "m16[d] = eax[15:0]", "store");
        self.memory("mov_m_n32", "movl ${n}, MEM", ("11000111", "000", NUMBER), "m32[A] = n", "store");
        self.memory("movb_m_n8", "movb ${e}, MEM", ("11000110", "000", "e[7:0]"), "m8[A] = e", "store");
        for (part, high, slice) in [("l", "0", "q[7:0]"), ("h", "1", "q[15:8]")] {
            let three = format!("{high} q[1:0]");
            let syntax = format!("movb %{{q:.{part}}}, MEM");
            let meaning = format!("m8[A] = {slice}");
            self.memory(&format!("movb_m_{part}"), &syntax, ("10001000", &three, ""), &meaning, "store");
        }
        let word = "01100110 10001001";
        self.memory("movw_m", "movw %{r:_}, MEM", (word, "r[2:0]", ""), "m16[A] = r[15:0]", "store");
        self.memory("lea", "leal MEM, %{r}", ("10001101", "r[2:0]", ""), "r = A", "integer");
        self.add("xchg", "xchgl %{r}, %{m}", &format!("10000111 {pair}"), "t := m; m = r; r = t", "integer");
        for (number, name, holds) in CONDITIONS {
            let opcode = format!("00001111 0100 {}", bits(*number, 4));
            let meaning = format!("r = ({holds}) ? m : r");
            let syntax = format!("cmov{name}l %{{m}}, %{{r}}");
            self.add(&format!("cmov{name}"), &syntax, &format!("{opcode} {pair}"), &meaning, "integer");
            let opcode = format!("00001111 1001 {}", bits(*number, 4));
            self.add(
                &format!("set{name}"),
                &format!("set{name} %{{q:.l}}"),
                &format!("{opcode} 11 000 0 q[1:0]"),
                &format!("q = cat(q[31:8], zx(0, 7), {holds})"),
                "integer",
            );
        }
    }

    fn extended(&mut self) {
        for (name, code, width) in EXTENDED {
            let opcode = format!("00001111 {code}");
            let extend = if name.starts_with("movz") { "zx" } else { "sx" };
            let mut part = |suffix: &str, syntax: &str, source: &str, slice: &str| {
                self.add(
                    &format!("{name}{suffix}"),
                    &format!("{name} {syntax}, %{{r}}"),
                    &format!("{opcode} 11 r[2:0] {source}"),
                    &format!("r = {extend}({slice}, 32)"),
                    "integer",
                );
            };
            if *width == 8 {
                part("_l", "%{q:.l}", "0 q[1:0]", "q[7:0]");
                part("_h", "%{q:.h}", "1 q[1:0]", "q[15:8]");
            } else {
                part("", "%{m:_}", "m[2:0]", "m[15:0]");
            }
            let meaning = format!("r = {extend}(m{width}[A], 32)");
            let syntax = format!("{name} MEM, %{{r}}");
            self.memory(&format!("{name}_r"), &syntax, (&opcode, "r[2:0]", ""), &meaning, "load");
        }
    }

    fn one_operand(&mut self) {
        let one = [
            ("not", "11110111", 2, "v := ~x"),
            ("neg", "11110111", 3, "v := 0 - x; cf = x != 0; of = v[31] & x[31]; signs(v)"),
            ("inc", "11111111", 0, "v := x + 1; of = v[31] & ~x[31]; signs(v)"),
            ("dec", "11111111", 1, "v := x - 1; of = x[31] & ~v[31]; signs(v)"),
        ];
        for (name, opcode, number, meaning) in one {
            let three = bits(number, 3);
            let of = format!("x := m; {meaning}; m = v");
            let short = match name {
                "inc" => Some("01000"),
                "dec" => Some("01001"),
                _ => None,
            };
            if let Some(code) = short {
                let of = of.replace("m;", "r;").replace("m =", "r =");
                self.add(name, &format!("{name}l %{{r}}"), &format!("{code} r[2:0]"), &of, "integer");
            } else {
                let encoding = format!("{opcode} {}", registers(&three));
                self.add(name, &format!("{name}l %{{m}}"), &encoding, &of, "integer");
            }
            let of = format!("x := m32[A]; {meaning}; m32[A] = v");
            self.memory(&format!("{name}_m"), &format!("{name}l MEM"), (opcode, &three, ""), &of, "modify");
        }
        self.add(
            "bswap",
            "bswapl %{r}",
            "00001111 11001 r[2:0]",
            "r = cat(r[7:0], r[15:8], r[23:16], r[31:24])",
            "integer",
        );
        let product =
            "w := sx(v, 64); cf = w != p; of = w != p; zf = undefined(v[0]); sf = undefined(v[0]); r = v";
        self.add(
            "imul",
            "imull %{m}, %{r}",
            &format!("00001111 10101111 {}", registers("r[2:0]")),
            &format!("p := sx(r, 64) * sx(m, 64); v := p[31:0]; {product}"),
            "multiply",
        );
        self.memory(
            "imul_r",
            "imull MEM, %{r}",
            ("00001111 10101111", "r[2:0]", ""),
            &format!("y := m32[A]; p := sx(r, 64) * sx(y, 64); v := p[31:0]; {product}"),
            "multiply",
        );
        self.add("cltd", "cltd", "10011001", "edx = sx(eax[31], 32)", "integer");
        self.add("nop", "nop", "10010000", "", "integer");
    }

    fn shifts(&mut self) {
        for (name, number, value, carry, sign) in SHIFTS {
            let three = bits(*number, 3);
            let rotates = *number < 2;
            let signs = if rotates { "" } else { "; signs(v)" };
            let once = value.replace("(32 - c)", "31").replace("32 - c", "31");
            let once = once.replace("(c - 1)", "0").replace("m, c", "m, 1").replace(" c", " 1");
            self.add(
                &format!("{name}_1"),
                &format!("{name}l %{{m}}"),
                &format!("11010001 {}", registers(&three)),
                &format!("{once}; of = {sign}; cf = {carry}{signs}; m = v"),
                "shift",
            );
            self.add(
                &format!("{name}_n"),
                &format!("{name}l ${{c}}, %{{m}}"),
                &format!("11000001 {} c[7:0]", registers(&three)),
                &format!("{value}; of = c == 1 ? ({sign}) : undefined(v[0]); cf = {carry}{signs}; m = v"),
                "shift",
            );
            if rotates {
                continue;
            }
            // A count of 0 leaves the flags unchanged.
            let kept = "z := c == 0; of = z ? of : undefined(v[0])";
            let rest = "cf = z ? cf : t[0]; zf = z ? zf : v == 0; sf = z ? sf : v[31]; m = v";
            self.add(
                &format!("{name}_cl"),
                &format!("{name}l %cl, %{{m}}"),
                &format!("11010011 {}", registers(&three)),
                &format!("c := zx(ecx[4:0], 8); {value}; {kept}; {rest}"),
                "shift",
            );
        }
    }

    fn stack(&mut self) {
        let pushed = "esp = esp - 4; m32[esp] = t";
        self.add("push", "pushl %{r}", "01010 r[2:0]", &format!("t := r; {pushed}"), "store");
        self.add("push_n8", "pushl ${n}", "01101010 n[7:0]", &format!("t := n; {pushed}"), "store");
        self.add("pop", "popl %{r}", "01011 r[2:0]", "t := m32[esp]; esp = esp + 4; r = t", "load");
        let meaning = format!("t := m32[A]; {pushed}");
        self.memory("push_m", "pushl MEM", ("11111111", "110", ""), &meaning, "modify");
        let left = "esp = ebp; t := m32[esp]; esp = esp + 4; ebp = t";
        self.add("leave", "leave", "11001001", left, "load");
    }

    fn jumps(&mut self) {
        let far =
            |field: &str| [(7, 0), (15, 8), (23, 16), (31, 24)].map(|(h, l)| format!("{field}[{h}:{l}]"));
        for (number, name, holds) in CONDITIONS {
            let number = bits(*number, 4);
            let meaning = |field: &str| format!("if {holds} {{ jump pc + {field} }}");
            let short = format!("0111 {number} short[7:0]");
            self.add(
                &format!("j{name}_short"),
                &format!("j{name} {{short}}"),
                &short,
                &meaning("short"),
                "branch",
            );
            let long = format!("00001111 1000 {number} {}", far("far").join(" "));
            self.add(&format!("j{name}"), &format!("j{name} {{far}}"), &long, &meaning("far"), "branch");
        }
        let near = far("near").join(" ");
        self.add("jmp_short", "jmp {short}", "11101011 short[7:0]", "jump pc + short", "branch");
        self.add("jmp", "jmp {near}", &format!("11101001 {near}"), "jump pc + near", "branch");
        self.add("jmp_register", "jmp *%{m}", "11111111 11 100 m[2:0]", "jump m", "branch");
        let pushed = "esp = esp - 4; m32[esp] = next";
        self.add(
            "call",
            "call {near}",
            &format!("11101000 {near}"),
            &format!("{pushed}; jump pc + near"),
            "call",
        );
        let register = format!("t := m; {pushed}; jump t");
        self.add("call_register", "call *%{m}", "11111111 11 010 m[2:0]", &register, "call");
        self.add("ret", "ret", "11000011", "t := m32[esp]; esp = esp + 4; jump t", "return");
    }
}

/// ModRM of two registers, the second of which is `m`.
fn registers(three: &str) -> String {
    REGISTERS.replace('R', three).replace('M', "m[2:0]")
}
