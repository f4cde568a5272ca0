//! The instruction table of 32-bit PowerPC, big-endian: the user-level integer instructions of the "Programming
//! Environments Manual for 32-Bit Implementations of the PowerPC Architecture" (Freescale MPCFPE32B), chapter
//! 8. Encodings are written highest bit first, where that manual numbers the highest bit 0.
//!
//! In loads, stores, `addi` and `addis`, a field `ra` of 0 means the number 0 and not a register: such forms
//! have rows of their own (`lwz_absolute`, `li`), which come before the others.
//!
//! Not included: prefetches, as no row models caches; floating point, string and multiple-word accesses, logic
//! on single bits of the condition register, division, overflow (`o` forms), and privileged instructions.

use std::sync::LazyLock;

use aesmith_isa::convention::{Convention, Reserved, Return};
use aesmith_isa::table::Text;
use aesmith_isa::{ByteOrder, Description, Guard, Isa, Kind, Unaligned, row};

use crate::undefined::undefined;
use crate::vector;

const R: Kind = Kind::Register { base: 0, step: 1 };
const V: Kind = Kind::Register { base: V0, step: 1 };

const fn number(signed: bool) -> Kind {
    Kind::Number { signed, width: 32 }
}

/// The number of the first field of the condition register.
pub const CR0: u8 = 32;
/// The number of the first vector register.
pub const V0: u8 = 40;
/// The number of the link register.
const LR: u8 = 72;

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
    // Fields of the condition register: less, greater, equal, summary overflow; the first is the highest.
    ("cr0", 4),
    ("cr1", 4),
    ("cr2", 4),
    ("cr3", 4),
    ("cr4", 4),
    ("cr5", 4),
    ("cr6", 4),
    ("cr7", 4),
    // AltiVec registers.
    ("v0", 128),
    ("v1", 128),
    ("v2", 128),
    ("v3", 128),
    ("v4", 128),
    ("v5", 128),
    ("v6", 128),
    ("v7", 128),
    ("v8", 128),
    ("v9", 128),
    ("v10", 128),
    ("v11", 128),
    ("v12", 128),
    ("v13", 128),
    ("v14", 128),
    ("v15", 128),
    ("v16", 128),
    ("v17", 128),
    ("v18", 128),
    ("v19", 128),
    ("v20", 128),
    ("v21", 128),
    ("v22", 128),
    ("v23", 128),
    ("v24", 128),
    ("v25", 128),
    ("v26", 128),
    ("v27", 128),
    ("v28", 128),
    ("v29", 128),
    ("v30", 128),
    ("v31", 128),
    ("lr", 32),
    ("ctr", 32),
    // XER[CA] and XER[SO].
    ("ca", 1),
    ("so", 1),
    // The vector registers that the system saves.
    ("vrsave", 32),
];

const DESCRIPTION: Description = Description {
    name: "PowerPC",
    address: 32,
    order: ByteOrder::Big,
    unit: 4,
    registers: REGISTERS,
    general: 72,
    unaligned: Unaligned::Single {
        others: "is an alignment exception",
        source: "MPC7410/MPC7400 RISC Microprocessor Reference Manual, 4.5.6, and MPC7450 RISC Microprocessor Family Reference Manual, 4.6.6",
    },
    pairs: &[],
    zero: None,
    counter: None,
    kinds: &[
        ("rt", R),
        ("rs", R),
        ("ra", R),
        ("rb", R),
        ("cr", Kind::Register { base: CR0, step: 1 }),
        ("vt", V),
        ("va", V),
        ("vb", V),
        ("vc", V),
        ("d", number(true)),
        ("si", number(true)),
        ("ui", number(false)),
        ("sh", number(false)),
        ("mb", number(false)),
        ("me", number(false)),
        ("bi", number(false)),
        ("five", number(true)),
        ("place", number(false)),
        ("shb", number(false)),
        ("off", Kind::Relative { bias: 0, width: 32 }),
    ],
    macros: &[
        // rt = x + y + z; writes the carry.
        ("sum(x, y, z)", "s := zx(x, 33) + zx(y, 33) + z; rt = s[31:0]; ca = s[32]"),
        // Bits mb to me, where the highest is 0, wrapping around if me is less than mb.
        (
            "field(v)",
            "(mb <u me + 1 ? (zx(0xffffffff, 32) >> mb) & (zx(0xffffffff, 32) << (31 - me)) \
             : (zx(0xffffffff, 32) >> mb) | (zx(0xffffffff, 32) << (31 - me))) & (v)",
        ),
        ("signs(v)", "cr0 = cat(v[31], ~v[31] & (v != 0), v == 0, so)"),
        ("ordered(below, x, y)", "cr = cat(below, ~(below) & (x != y), x == y, so)"),
        ("reverse(a)", "cat(a[7:0], a[15:8], a[23:16], a[31:24])"),
        // Counts the zeros above the highest 1 by binary search.
        (
            "zeros(a)",
            "h := a[31:16] == 0; v := h ? a << 16 : a; \
             q := v[31:24] == 0; w := q ? v << 8 : v; \
             p := w[31:28] == 0; x := p ? w << 4 : w; \
             o := x[31:30] == 0; y := o ? x << 2 : x; \
             ra = cat(zx(0, 26), a == 0, cat(h, q, p, o, ~y[31]) & (a == 0 ? 0 : 31))",
        ),
    ],
    guard: Guard::None,
    conditions: &[],
    data: 0,
};

/// Loads and stores: name, opcode of the form with an offset, code of the form with an index, effect of the
/// access at `A`.
const MEMORY: &[(&str, &str, &str, &str)] = &[
    ("lwz", "100000", "0000010111", "rt = m32[A]"),
    ("lbz", "100010", "0001010111", "rt = zx(m8[A], 32)"),
    ("lhz", "101000", "0100010111", "rt = zx(m16[A], 32)"),
    ("lha", "101010", "0101010111", "rt = sx(m16[A], 32)"),
    ("stw", "100100", "0010010111", "m32[A] = rt"),
    ("stb", "100110", "0011010111", "m8[A] = rt[7:0]"),
    ("sth", "101100", "0110010111", "m16[A] = rt[15:0]"),
];

/// Loads and stores with reversed byte order.
const REVERSED: &[(&str, &str, &str)] = &[
    ("lwbrx", "1000010110", "w := m32[A]; rt = reverse(w)"),
    ("lhbrx", "1100010110", "h := m16[A]; rt = cat(zx(0, 16), h[7:0], h[15:8])"),
    ("stwbrx", "1010010110", "m32[A] = reverse(rt)"),
    ("sthbrx", "1110010110", "m16[A] = cat(rt[7:0], rt[15:8])"),
];

/// Sums and products of registers: name, code, semantics, true if `rb` is a field, class.
const SUMS: &[(&str, &str, &str, bool, &str)] = &[
    ("add", "0100001010", "rt = ra + rb", true, "integer"),
    ("addc", "0000001010", "sum(ra, rb, 0)", true, "integer"),
    ("adde", "0010001010", "sum(ra, rb, zx(ca, 33))", true, "integer"),
    (
        "addze",
        "0011001010",
        "c := zx(ca, 33); s := zx(ra, 33) + c; rt = s[31:0]; ca = s[32]",
        false,
        "integer",
    ),
    ("addme", "0011101010", "c := zx(ca, 33); sum(ra, 0xffffffff, c)", false, "integer"),
    ("subf", "0000101000", "rt = rb - ra", true, "integer"),
    ("subfc", "0000001000", "sum(~ra, rb, 1)", true, "integer"),
    ("subfe", "0010001000", "sum(~ra, rb, zx(ca, 33))", true, "integer"),
    (
        "subfze",
        "0011001000",
        "c := zx(ca, 33); s := zx(~ra, 33) + c; rt = s[31:0]; ca = s[32]",
        false,
        "integer",
    ),
    ("neg", "0001101000", "rt = 0 - ra", false, "integer"),
    ("mullw", "0011101011", "rt = ra * rb", true, "multiply"),
    ("mulhw", "0001001011", "p := sx(ra, 64) * sx(rb, 64); rt = p[63:32]", true, "multiply"),
    ("mulhwu", "0000001011", "p := zx(ra, 64) * zx(rb, 64); rt = p[63:32]", true, "multiply"),
];

/// Logic and shifts of `rs` and `rb` to `ra`: name, code, semantics.
const LOGIC: &[(&str, &str, &str)] = &[
    ("and", "0000011100", "ra = rs & rb"),
    ("andc", "0000111100", "ra = rs & ~rb"),
    ("or", "0110111100", "ra = rs | rb"),
    ("orc", "0110011100", "ra = rs | ~rb"),
    ("xor", "0100111100", "ra = rs ^ rb"),
    ("nand", "0111011100", "ra = ~(rs & rb)"),
    ("nor", "0001111100", "ra = ~(rs | rb)"),
    ("eqv", "0100011100", "ra = ~(rs ^ rb)"),
    ("slw", "0000011000", "ra = rs << (rb[5:0])"),
    ("srw", "1000011000", "ra = rs >> (rb[5:0])"),
    (
        "sraw",
        "1100011000",
        "lost := rs ^ (rs >> (rb[5:0]) << (rb[5:0])); c := rs[31] & (lost != 0); \
         ra = rs >>> (rb[5:0]); ca = c",
    ),
];

/// Instructions on one register, `rs` to `ra`: name, code, semantics.
const ONE: &[(&str, &str, &str)] = &[
    ("extsb", "1110111010", "ra = sx(rs[7:0], 32)"),
    ("extsh", "1110011010", "ra = sx(rs[15:0], 32)"),
    ("cntlzw", "0000011010", "a := rs; zeros(a)"),
];

/// Logic with an immediate, `rs` to `ra`: name, opcode, semantics.
const NUMBERS: &[(&str, &str, &str)] = &[
    ("ori", "011000", "ra = rs | ui"),
    ("oris", "011001", "ra = rs | ui << 16"),
    ("xori", "011010", "ra = rs ^ ui"),
    ("xoris", "011011", "ra = rs ^ ui << 16"),
    ("andi.", "011100", "ra = rs & ui; v := ra; signs(v)"),
    ("andis.", "011101", "ra = rs & ui << 16; v := ra; signs(v)"),
];

/// Branches on a bit of a condition register field: name, index of the bit from the left, true if it must be 1.
const CONDITIONS: &[(&str, u8, bool)] = &[
    ("blt", 0, true),
    ("bgt", 1, true),
    ("beq", 2, true),
    ("bge", 0, false),
    ("ble", 1, false),
    ("bne", 2, false),
];

/// Rows in the making.
pub(crate) struct Rows(Vec<Text>);

impl Rows {
    pub(crate) fn add(&mut self, name: &str, operands: &str, encoding: &str, meaning: &str, class: &str) {
        let mnemonic = name.split('_').next().unwrap_or(name);
        let syntax = if operands.is_empty() { mnemonic.to_owned() } else { format!("{mnemonic} {operands}") };
        self.0.push(row(name, &syntax, encoding, meaning, class));
    }

    /// A form, and the form that also compares its result with 0 in `cr0`.
    fn recording(
        &mut self,
        name: &str,
        operands: &str,
        head: &str,
        meaning: &str,
        (into, class): (&str, &str),
    ) {
        self.add(name, operands, &format!("{head} 0"), meaning, class);
        let recorded = format!("{meaning}; result := {into}; signs(result)");
        let class = if class == "integer" { "compare" } else { class };
        self.add(&format!("{name}."), operands, &format!("{head} 1"), &recorded, class);
    }

    fn memory(&mut self, name: &str, opcode: &str, index: &str, meaning: &str) {
        let class = if meaning.starts_with("rt =") { "load" } else { "store" };
        let at = |address: &str| meaning.replace('A', address);
        let updating = |address: &str| format!("a := {address}; {}; ra = a", meaning.replace('A', "a"));
        self.add(
            &format!("{name}_absolute"),
            "%{rt}, {d}(0)",
            &format!("{opcode} rt[4:0] 00000 d[15:0]"),
            &at("d"),
            class,
        );
        let head = format!("{opcode} rt[4:0] ra[4:0] d[15:0]");
        self.add(name, "%{rt}, {d}(%{ra})", &head, &at("ra + d"), class);
        // The form that updates `ra` has the lowest bit of the opcode set, and bit 5 in the code with an index.
        let head = format!("{}1 rt[4:0] ra[4:0] d[15:0]", &opcode[..5]);
        self.add(&format!("{name}u"), "%{rt}, {d}(%{ra})", &head, &updating("ra + d"), class);
        self.indexed(&format!("{name}x"), index, meaning, class);
        let code = format!("{}1{}", &index[..4], &index[5..]);
        let head = format!("011111 rt[4:0] ra[4:0] rb[4:0] {code} 0");
        self.add(&format!("{name}ux"), "%{rt}, %{ra}, %{rb}", &head, &updating("ra + rb"), class);
    }

    fn indexed(&mut self, name: &str, code: &str, meaning: &str, class: &str) {
        let at = |address: &str| meaning.replace('A', address);
        let tail = format!("rb[4:0] {code} 0");
        self.add(
            &format!("{name}_absolute"),
            "%{rt}, 0, %{rb}",
            &format!("011111 rt[4:0] 00000 {tail}"),
            &at("rb"),
            class,
        );
        let head = format!("011111 rt[4:0] ra[4:0] {tail}");
        self.add(name, "%{rt}, %{ra}, %{rb}", &head, &at("ra + rb"), class);
    }

    fn integers(&mut self) {
        self.add("li", "%{rt}, {si}", "001110 rt[4:0] 00000 si[15:0]", "rt = si", "integer");
        self.add("addi", "%{rt}, %{ra}, {si}", "001110 rt[4:0] ra[4:0] si[15:0]", "rt = ra + si", "integer");
        self.add("lis", "%{rt}, {si}", "001111 rt[4:0] 00000 si[15:0]", "rt = si << 16", "integer");
        let head = "001111 rt[4:0] ra[4:0] si[15:0]";
        self.add("addis", "%{rt}, %{ra}, {si}", head, "rt = ra + (si << 16)", "integer");
        let (carried, operands) = ("sum(ra, si, 0)", "%{rt}, %{ra}, {si}");
        self.add("addic", operands, "001100 rt[4:0] ra[4:0] si[15:0]", carried, "integer");
        let recorded = format!("{carried}; result := rt; signs(result)");
        self.add("addic.", operands, "001101 rt[4:0] ra[4:0] si[15:0]", &recorded, "compare");
        self.add("subfic", operands, "001000 rt[4:0] ra[4:0] si[15:0]", "sum(~ra, si, 1)", "integer");
        self.add("mulli", operands, "000111 rt[4:0] ra[4:0] si[15:0]", "rt = ra * si", "multiply");
        for (name, code, meaning, two, class) in SUMS {
            let (rb, operands) =
                if *two { ("rb[4:0]", "%{rt}, %{ra}, %{rb}") } else { ("00000", "%{rt}, %{ra}") };
            self.recording(
                name,
                operands,
                &format!("011111 rt[4:0] ra[4:0] {rb} {code}"),
                meaning,
                ("rt", class),
            );
        }
        for (name, code, meaning) in LOGIC {
            let head = format!("011111 rs[4:0] ra[4:0] rb[4:0] {code}");
            self.recording(name, "%{ra}, %{rs}, %{rb}", &head, meaning, ("ra", "integer"));
        }
        for (name, code, meaning) in ONE {
            let head = format!("011111 rs[4:0] ra[4:0] 00000 {code}");
            self.recording(name, "%{ra}, %{rs}", &head, meaning, ("ra", "integer"));
        }
        let head = "011111 rs[4:0] ra[4:0] sh[4:0] 1100111000";
        let meaning = "lost := rs ^ (rs >> sh << sh); c := rs[31] & (lost != 0); ra = rs >>> sh; ca = c";
        self.recording("srawi", "%{ra}, %{rs}, {sh}", head, meaning, ("ra", "integer"));
        self.add("nop", "", "011000 00000 00000 0000000000000000", "", "integer");
        for (name, opcode, meaning) in NUMBERS {
            let head = format!("{opcode} rs[4:0] ra[4:0] ui[15:0]");
            let class = if name.ends_with('.') { "compare" } else { "integer" };
            self.add(name, "%{ra}, %{rs}, {ui}", &head, meaning, class);
        }
        let tail = "rs[4:0] ra[4:0] sh[4:0] mb[4:0] me[4:0]";
        let operands = "%{ra}, %{rs}, {sh}, {mb}, {me}";
        let meaning = "t := ror(rs, 32 - sh); ra = field(t)";
        self.recording("rlwinm", operands, &format!("010101 {tail}"), meaning, ("ra", "integer"));
        let meaning = "m := field(zx(0xffffffff, 32)); t := ror(rs, 32 - sh); ra = (t & m) | (ra & ~m)";
        self.recording("rlwimi", operands, &format!("010100 {tail}"), meaning, ("ra", "integer"));
        self.recording(
            "rlwnm",
            "%{ra}, %{rs}, %{rb}, {mb}, {me}",
            "010111 rs[4:0] ra[4:0] rb[4:0] mb[4:0] me[4:0]",
            "t := ror(rs, 32 - zx(rb[4:0], 32)); ra = field(t)",
            ("ra", "integer"),
        );
    }

    fn comparisons(&mut self) {
        for (name, opcode, field, below) in
            [("cmpwi", "001011", "si", "ra <s si"), ("cmplwi", "001010", "ui", "ra <u ui")]
        {
            let head = format!("{opcode} cr[2:0] 00 ra[4:0] {field}[15:0]");
            let meaning = format!("ordered({below}, ra, {field})");
            self.add(name, &format!("%{{cr}}, %{{ra}}, {{{field}}}"), &head, &meaning, "compare");
        }
        for (name, code, below) in [("cmpw", "0000000000", "ra <s rb"), ("cmplw", "0000100000", "ra <u rb")] {
            let head = format!("011111 cr[2:0] 00 ra[4:0] rb[4:0] {code} 0");
            self.add(name, "%{cr}, %{ra}, %{rb}", &head, &format!("ordered({below}, ra, rb)"), "compare");
        }
    }

    fn branches(&mut self) {
        self.add("b", "{off}", "010010 off[25:2] 00", "jump pc + off", "branch");
        self.add("bl", "{off}", "010010 off[25:2] 01", "lr = next; jump pc + off", "call");
        for (name, bit, set) in CONDITIONS {
            let bo = if *set { "01100" } else { "00100" };
            let head = format!("010000 {bo} cr[2:0] {bit:02b} off[15:2] 00");
            let holds = if *set { "" } else { "~" };
            let meaning = format!("if {holds}cr[{}] {{ jump pc + off }}", 3 - bit);
            self.add(name, "%{cr}, {off}", &head, &meaning, "branch");
        }
        for (name, bo, asked) in [("bdnz", "10000", "!="), ("bdz", "10010", "==")] {
            let head = format!("010000 {bo} 00000 off[15:2] 00");
            let meaning = format!("ctr = ctr - 1; if ctr {asked} 0 {{ jump pc + off }}");
            self.add(name, "{off}", &head, &meaning, "count");
        }
        // The lowest bit of the first field inverts the static prediction, which is that only backward branches
        // are taken. GNU as writes it as `+` or `-`, depending on the distance; here it is a number.
        let tested = "all := cat(cr0, cr1, cr2, cr3, cr4, cr5, cr6, cr7); bit := all >> (31 - bi)";
        for (name, bo, holds) in [("bc_true", 13, ""), ("bc_false", 5, "~")] {
            let head = format!("010000 {bo:05b} bi[4:0] off[15:2] 00");
            let meaning = format!("{tested}; if {holds}bit[0] {{ jump pc + off }}");
            self.add(name, &format!("{bo}, {{bi}}, {{off}}"), &head, &meaning, "branch");
        }
        for (name, bo, holds) in [
            ("bclr_true", 12, ""),
            ("bclr_false", 4, "~"),
            ("bclr_true_hinted", 13, ""),
            ("bclr_false_hinted", 5, "~"),
        ] {
            let head = format!("010011 {bo:05b} bi[4:0] 00000 0000010000 0");
            let meaning = format!("{tested}; if {holds}bit[0] {{ jump lr }}");
            self.add(name, &format!("{bo}, {{bi}}"), &head, &meaning, "return");
        }
        for (name, bo, asked) in [("bc_count", 17, "!="), ("bc_counted", 19, "==")] {
            let head = format!("010000 {bo:05b} 00000 off[15:2] 00");
            let meaning = format!("ctr = ctr - 1; if ctr {asked} 0 {{ jump pc + off }}");
            self.add(name, &format!("{bo}, 0, {{off}}"), &head, &meaning, "count");
        }
        for (name, code, link, meaning, class) in [
            ("blr", "0000010000", "0", "jump lr", "return"),
            ("bctr", "1000010000", "0", "jump ctr", "return"),
            ("bctrl", "1000010000", "1", "lr = next; jump ctr", "call"),
        ] {
            self.add(name, "", &format!("010011 10100 00000 00000 {code} {link}"), meaning, class);
        }
    }

    fn special(&mut self) {
        let registers = [("lr", "01000", "00000"), ("ctr", "01001", "00000"), ("vrsave", "00000", "01000")];
        for (register, low, high) in registers {
            let (from, to) = (format!("mf{register}"), format!("mt{register}"));
            let head = format!("011111 rt[4:0] {low} {high} 0101010011 0");
            self.add(&from, "%{rt}", &head, &format!("rt = {register}"), "special");
            let head = format!("011111 rs[4:0] {low} {high} 0111010011 0");
            self.add(&to, "%{rs}", &head, &format!("{register} = rs"), "special");
        }
        let all = "rt = cat(cr0, cr1, cr2, cr3, cr4, cr5, cr6, cr7)";
        self.add("mfcr", "%{rt}", "011111 rt[4:0] 00000 00000 0000010011 0", all, "special");
        // The order of memory accesses is not observable here.
        self.add("sync", "", "011111 00000 00000 00000 1001010110 0", "", "special");
        self.add("isync", "", "010011 00000 00000 00000 0010010110 0", "", "special");
    }
}

fn rows() -> Vec<Text> {
    let mut rows = Rows(Vec::new());
    for (name, opcode, index, meaning) in MEMORY {
        rows.memory(name, opcode, index, meaning);
    }
    for (name, code, meaning) in REVERSED {
        let class = if name.starts_with('l') { "load" } else { "store" };
        rows.indexed(name, code, meaning, class);
    }
    rows.integers();
    rows.comparisons();
    rows.branches();
    rows.special();
    vector::rows(&mut rows);
    rows.0
}

/// The table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> = LazyLock::new(|| {
        Isa::new(DESCRIPTION, &rows())
            .unwrap_or_else(|e| panic!("the table of PowerPC: {e}"))
            .leaving(undefined)
    });
    &ISA
}

/// The numbers of v0 to v31.
const VECTORS: [u8; 32] = {
    let mut all = [40; 32];
    let mut k = 0;
    while k < 32 {
        all[k] += k as u8;
        k += 1;
    }
    all
};

/// The calling convention of C functions: System V Application Binary Interface, PowerPC Processor Supplement
/// (Sun, 1995), chapter 3, registers and stack frame; "AltiVec Technology Programming Interface Manual"
/// (Motorola ALTIVECPIM/D), 3.3: a function preserves v20 to v31, and VRSAVE. The caller's frame begins with a
/// pointer to the previous frame and a word for the callee's return address.
pub const CONVENTION: Convention = Convention {
    name: "System V ABI for 32-bit PowerPC",
    source: "System V Application Binary Interface, PowerPC Processor Supplement, 3-14 to 3-20",
    arguments: &[&[3], &[4], &[5], &[6], &[7], &[8], &[9], &[10]],
    stack_pointer: 1,
    stack_arguments: 8,
    alignment: 4,
    red_zone: 0,
    // The word of the link register: 3-18.
    saves: (4, 8),
    returns: Return::Register(LR, 0),
    saved: &[
        14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 34, 35, 36, 60, 61, 62, 63,
        64, 65, 66, 67, 68, 69, 70, 71, 76,
    ],
    fixed: &[],
    windows: None,
    stack_alignment: 16,
    slot: 0,
    reserved: &[
        Reserved {
            registers: &[2],
            holds: "what the system keeps there, such as the thread",
            source: "System V Application Binary Interface, PowerPC Processor Supplement, 3-14",
            changes: false,
            only: None,
        },
        Reserved {
            registers: &[13],
            holds: "the anchor of the small data area, which handlers of interrupts and signals go by",
            source: "System V Application Binary Interface, PowerPC Processor Supplement, 3-14",
            changes: false,
            only: None,
        },
        Reserved {
            registers: &VECTORS,
            holds: "vectors",
            source: "AltiVec Technology Programming Interface Manual, ALTIVECPIM/D, 3.3",
            changes: false,
            only: Some(
                "systems that save only the vector registers which VRSAVE names, unless the caller names all of them there",
            ),
        },
    ],
    halves: None,
    buffers: 16,
};
