//! The instruction table of AVRe+ (AVR Instruction Set Manual, DS40002198): encodings, semantics and flags. `spm`,
//! `sleep` and `break` are left out, as their effects are outside the processor model.

use std::sync::OnceLock;

use aesmith_isa::table::Text;
use aesmith_isa::{Description, Guard, Isa, Kind, Unaligned, row};

use crate::undefined::undefined;

/// The flags of SREG from the lowest bit: the register in the table, then `bset`, `bclr`, `brbs` and `brbc` under
/// their assembler names.
const FLAGS: [(&str, &str, &str, &str, &str); 8] = [
    ("cf", "sec", "clc", "brcs", "brcc"),
    ("zf", "sez", "clz", "breq", "brne"),
    ("nf", "sen", "cln", "brmi", "brpl"),
    ("vf", "sev", "clv", "brvs", "brvc"),
    ("sf", "ses", "cls", "brlt", "brge"),
    ("hf", "seh", "clh", "brhs", "brhc"),
    ("tf", "set", "clt", "brts", "brtc"),
    ("ief", "sei", "cli", "brie", "brid"),
];

const ABOUT: Description = Description {
    name: "avr",
    // The width of a byte address in program memory; data addresses have 16 bits and are extended.
    address: 24,
    order: aesmith_isa::ByteOrder::Little,
    unit: 2,
    registers: &[
        ("r0", 8),
        ("r1", 8),
        ("r2", 8),
        ("r3", 8),
        ("r4", 8),
        ("r5", 8),
        ("r6", 8),
        ("r7", 8),
        ("r8", 8),
        ("r9", 8),
        ("r10", 8),
        ("r11", 8),
        ("r12", 8),
        ("r13", 8),
        ("r14", 8),
        ("r15", 8),
        ("r16", 8),
        ("r17", 8),
        ("r18", 8),
        ("r19", 8),
        ("r20", 8),
        ("r21", 8),
        ("r22", 8),
        ("r23", 8),
        ("r24", 8),
        ("r25", 8),
        ("r26", 8),
        ("r27", 8),
        ("r28", 8),
        ("r29", 8),
        ("r30", 8),
        ("r31", 8),
        ("sp", 16),
        ("cf", 1),
        ("zf", 1),
        ("nf", 1),
        ("vf", 1),
        ("sf", 1),
        ("hf", 1),
        ("tf", 1),
        ("ief", 1),
    ],
    general: 32,
    unaligned: Unaligned::Works { source: "every access is of one byte" },
    pairs: &[("X", "r27", "r26"), ("Y", "r29", "r28"), ("Z", "r31", "r30"), ("product", "r1", "r0")],
    zero: None,
    counter: None,
    kinds: &[
        ("rd", Kind::Register { base: 0, step: 1 }),
        ("rr", Kind::Register { base: 0, step: 1 }),
        ("hd", Kind::Register { base: 16, step: 1 }),
        ("hr", Kind::Register { base: 16, step: 1 }),
        ("md", Kind::Register { base: 16, step: 1 }),
        ("mr", Kind::Register { base: 16, step: 1 }),
        ("ed", Kind::Register { base: 0, step: 2 }),
        ("er", Kind::Register { base: 0, step: 2 }),
        ("wd", Kind::Register { base: 24, step: 2 }),
        ("k", Kind::Number { signed: false, width: 8 }),
        ("q", Kind::Number { signed: false, width: 16 }),
        ("io", Kind::Number { signed: false, width: 24 }),
        ("bit", Kind::Number { signed: false, width: 8 }),
        ("m", Kind::Number { signed: false, width: 16 }),
        ("w", Kind::Number { signed: false, width: 24 }),
        ("t", Kind::Relative { bias: 2, width: 24 }),
    ],
    macros: &[
        ("at(a)", "m8[zx(a, 24)]"),
        // Sets N, Z and S (the signed comparison) from a result; V is set before.
        ("nzs(r, n)", "nf = r[n]; zf = r == 0; sf = nf ^ vf"),
        ("carries(d, s, r)", "(d & s) | (s & ~r) | (~r & d)"),
        ("borrows(d, s, r)", "(~d & s) | (s & r) | (r & ~d)"),
        ("sreg()", "cat(ief, tf, hf, sf, vf, nf, zf, cf)"),
        ("back(p)", "zx(cat(m8[zx(p + 1, 24)], m8[zx(p + 2, 24)], zx(0, 1)), 24)"),
    ],
    guard: Guard::None,
    conditions: &[],
    data: aesmith_isa::image::Image::DATA,
};

/// Sums and differences: name, opcode, operands, value, effect on Z, and whether the result is written. `d` and `s`
/// are the operands.
const SUMS: &[(&str, &str, &str, &str, bool, bool, bool)] = &[
    // name, encoding, second operand, value, subtracts, only clears Z, writes
    ("add", "000011 rr[4] rd[4:0] rr[3:0]", "rr", "d + s", false, false, true),
    ("adc", "000111 rr[4] rd[4:0] rr[3:0]", "rr", "d + s + zx(cf, 8)", false, false, true),
    ("sub", "000110 rr[4] rd[4:0] rr[3:0]", "rr", "d - s", true, false, true),
    ("sbc", "000010 rr[4] rd[4:0] rr[3:0]", "rr", "d - s - zx(cf, 8)", true, true, true),
    ("cp", "000101 rr[4] rd[4:0] rr[3:0]", "rr", "d - s", true, false, false),
    ("cpc", "000001 rr[4] rd[4:0] rr[3:0]", "rr", "d - s - zx(cf, 8)", true, true, false),
    ("subi", "0101 k[7:4] hd[3:0] k[3:0]", "k", "d - s", true, false, true),
    ("sbci", "0100 k[7:4] hd[3:0] k[3:0]", "k", "d - s - zx(cf, 8)", true, true, true),
    ("cpi", "0011 k[7:4] hd[3:0] k[3:0]", "k", "d - s", true, false, false),
];

/// Bitwise operations: name, encoding, operator.
const LOGIC: &[(&str, &str, &str)] = &[
    ("and", "001000 rr[4] rd[4:0] rr[3:0]", "rd & rr"),
    ("eor", "001001 rr[4] rd[4:0] rr[3:0]", "rd ^ rr"),
    ("or", "001010 rr[4] rd[4:0] rr[3:0]", "rd | rr"),
    ("andi", "0111 k[7:4] hd[3:0] k[3:0]", "hd & k"),
    ("ori", "0110 k[7:4] hd[3:0] k[3:0]", "hd | k"),
];

/// Products: name, encoding, registers, operands extended to 16 bits, and whether the product is shifted left by one
/// bit.
const PRODUCTS: &[(&str, &str, &str, &str, bool)] = &[
    ("mul", "100111 rr[4] rd[4:0] rr[3:0]", "{rd}, {rr}", "zx(rd, 16) * zx(rr, 16)", false),
    ("muls", "00000010 hd[3:0] hr[3:0]", "{hd}, {hr}", "sx(hd, 16) * sx(hr, 16)", false),
    ("mulsu", "000000110 md[2:0] 0 mr[2:0]", "{md}, {mr}", "sx(md, 16) * zx(mr, 16)", false),
    ("fmul", "000000110 md[2:0] 1 mr[2:0]", "{md}, {mr}", "zx(md, 16) * zx(mr, 16)", true),
    ("fmuls", "000000111 md[2:0] 0 mr[2:0]", "{md}, {mr}", "sx(md, 16) * sx(mr, 16)", true),
    ("fmulsu", "000000111 md[2:0] 1 mr[2:0]", "{md}, {mr}", "sx(md, 16) * zx(mr, 16)", true),
];

/// Operations on one register: name, encoding of the low nibble, semantics.
const SINGLE: &[(&str, &str, &str)] = &[
    ("com", "0000", "r := ~rd; rd = r; vf = 0; cf = 1; nzs(r, 7)"),
    ("neg", "0001", "d := rd; r := 0 - d; rd = r; hf = (r | d)[3]; vf = r == 0x80; cf = r != 0; nzs(r, 7)"),
    ("swap", "0010", "rd = cat(rd[3:0], rd[7:4])"),
    ("inc", "0011", "r := rd + 1; rd = r; vf = r == 0x80; nzs(r, 7)"),
    ("dec", "1010", "r := rd - 1; rd = r; vf = r == 0x7f; nzs(r, 7)"),
    ("asr", "0101", "c := rd[0]; r := rd >>> 1; rd = r; cf = c; vf = r[7] ^ c; nzs(r, 7)"),
    ("lsr", "0110", "c := rd[0]; r := rd >> 1; rd = r; cf = c; vf = c; nzs(r, 7)"),
    ("ror", "0111", "c := rd[0]; r := cat(cf, rd[7:1]); rd = r; cf = c; vf = r[7] ^ c; nzs(r, 7)"),
];

/// Memory accesses by pointer: suffix of the name, operand, low nibble of the encoding, semantics with `V` for the
/// access.
const POINTERS: &[(&str, &str, &str, &str)] = &[
    ("x", "X", "1100", "p := X; V"),
    ("x_inc", "X+", "1101", "p := X; V; X = p + 1"),
    ("x_dec", "-X", "1110", "p := X - 1; X = p; V"),
    ("y_inc", "Y+", "1001", "p := Y; V; Y = p + 1"),
    ("y_dec", "-Y", "1010", "p := Y - 1; Y = p; V"),
    ("z_inc", "Z+", "0001", "p := Z; V; Z = p + 1"),
    ("z_dec", "-Z", "0010", "p := Z - 1; Z = p; V"),
];

/// All other instructions: name, syntax, encoding, semantics, class.
const OTHERS: &[[&str; 5]] = &[
    ["nop", "nop", "0000000000000000", "", "alu"],
    ["wdr", "wdr", "1001010110101000", "", "alu"],
    ["mov", "mov {rd}, {rr}", "001011 rr[4] rd[4:0] rr[3:0]", "rd = rr", "alu"],
    ["movw", "movw {ed}, {er}", "00000001 ed[3:0] er[3:0]", "pair(ed) = pair(er)", "alu"],
    ["ldi", "ldi {hd}, {k}", "1110 k[7:4] hd[3:0] k[3:0]", "hd = k", "alu"],
    [
        "adiw",
        "adiw {wd}, {q}",
        "10010110 q[5:4] wd[1:0] q[3:0]",
        "d := pair(wd); r := d + q; pair(wd) = r; vf = (~d & r)[15]; cf = (~r & d)[15]; nzs(r, 15)",
        "word",
    ],
    [
        "sbiw",
        "sbiw {wd}, {q}",
        "10010111 q[5:4] wd[1:0] q[3:0]",
        "d := pair(wd); r := d - q; pair(wd) = r; vf = (d & ~r)[15]; cf = (r & ~d)[15]; nzs(r, 15)",
        "word",
    ],
    ["bst", "bst {rd}, {bit}", "1111101 rd[4:0] 0 bit[2:0]", "tf = (rd >> bit)[0]", "alu"],
    [
        "bld",
        "bld {rd}, {bit}",
        "1111100 rd[4:0] 0 bit[2:0]",
        "rd = (rd & ~(zx(1, 8) << bit)) | (zx(tf, 8) << bit)",
        "alu",
    ],
    ["ldd_y", "ldd {rd}, Y+{q}", "10 q[5] 0 q[4:3] 0 rd[4:0] 1 q[2:0]", "rd = at(Y + q)", "load"],
    ["ldd_z", "ldd {rd}, Z+{q}", "10 q[5] 0 q[4:3] 0 rd[4:0] 0 q[2:0]", "rd = at(Z + q)", "load"],
    ["std_y", "std Y+{q}, {rd}", "10 q[5] 0 q[4:3] 1 rd[4:0] 1 q[2:0]", "at(Y + q) = rd", "store"],
    ["std_z", "std Z+{q}, {rd}", "10 q[5] 0 q[4:3] 1 rd[4:0] 0 q[2:0]", "at(Z + q) = rd", "store"],
    ["lds", "lds {rd}, {m}", "1001000 rd[4:0] 0000 m[15:0]", "rd = at(m)", "load direct"],
    ["sts", "sts {m}, {rd}", "1001001 rd[4:0] 0000 m[15:0]", "at(m) = rd", "store direct"],
    ["lpm_r0", "lpm", "1001010111001000", "r0 = p8[zx(Z, 24)]", "program"],
    ["lpm", "lpm {rd}, Z", "1001000 rd[4:0] 0100", "rd = p8[zx(Z, 24)]", "program"],
    ["lpm_inc", "lpm {rd}, Z+", "1001000 rd[4:0] 0101", "p := Z; rd = p8[zx(p, 24)]; Z = p + 1", "program"],
    ["push", "push {rd}", "1001001 rd[4:0] 1111", "at(sp) = rd; sp = sp - 1", "store"],
    ["pop", "pop {rd}", "1001000 rd[4:0] 1111", "sp = sp + 1; rd = at(sp)", "load"],
    // The stack pointer and SREG are I/O registers (ATmega328P data sheet, register summary).
    ["in_spl", "in {rd}, 0x3d", "1011011 rd[4:0] 1101", "rd = sp[7:0]", "io"],
    ["in_sph", "in {rd}, 0x3e", "1011011 rd[4:0] 1110", "rd = sp[15:8]", "io"],
    ["in_sreg", "in {rd}, 0x3f", "1011011 rd[4:0] 1111", "rd = sreg()", "io"],
    ["in", "in {rd}, {io}", "10110 io[5:4] rd[4:0] io[3:0]", "rd = m8[io + 0x20]", "io"],
    ["out_spl", "out 0x3d, {rd}", "1011111 rd[4:0] 1101", "sp = cat(sp[15:8], rd)", "io"],
    ["out_sph", "out 0x3e, {rd}", "1011111 rd[4:0] 1110", "sp = cat(rd, sp[7:0])", "io"],
    [
        "out_sreg",
        "out 0x3f, {rd}",
        "1011111 rd[4:0] 1111",
        "ief = rd[7]; tf = rd[6]; hf = rd[5]; sf = rd[4]; vf = rd[3]; nf = rd[2]; zf = rd[1]; cf = rd[0]",
        "io",
    ],
    ["out", "out {io}, {rd}", "10111 io[5:4] rd[4:0] io[3:0]", "m8[io + 0x20] = rd", "io"],
    [
        "sbi",
        "sbi {io}, {bit}",
        "10011010 io[4:0] bit[2:0]",
        "m8[io + 0x20] = m8[io + 0x20] | (zx(1, 8) << bit)",
        "bit_io",
    ],
    [
        "cbi",
        "cbi {io}, {bit}",
        "10011000 io[4:0] bit[2:0]",
        "m8[io + 0x20] = m8[io + 0x20] & ~(zx(1, 8) << bit)",
        "bit_io",
    ],
    [
        "sbic",
        "sbic {io}, {bit}",
        "10011001 io[4:0] bit[2:0]",
        "if ~(m8[io + 0x20] >> bit)[0] { skip }",
        "skip",
    ],
    [
        "sbis",
        "sbis {io}, {bit}",
        "10011011 io[4:0] bit[2:0]",
        "if (m8[io + 0x20] >> bit)[0] { skip }",
        "skip",
    ],
    ["cpse", "cpse {rd}, {rr}", "000100 rr[4] rd[4:0] rr[3:0]", "if rd == rr { skip }", "skip"],
    ["sbrc", "sbrc {rd}, {bit}", "1111110 rd[4:0] 0 bit[2:0]", "if ~(rd >> bit)[0] { skip }", "skip"],
    ["sbrs", "sbrs {rd}, {bit}", "1111111 rd[4:0] 0 bit[2:0]", "if (rd >> bit)[0] { skip }", "skip"],
    ["rjmp", "rjmp {t:after}", "1100 t[12:1]", "jump pc + t", "jump"],
    ["ijmp", "ijmp", "1001010000001001", "jump zx(cat(Z, zx(0, 1)), 24)", "jump"],
    ["jmp", "jmp {w}", "1001010 w[22:18] 110 w[17] w[16:1]", "jump w", "far_jump"],
    [
        "rcall",
        "rcall {t:after}",
        "1101 t[12:1]",
        "at(sp) = next[8:1]; at(sp - 1) = next[16:9]; sp = sp - 2; jump pc + t",
        "call",
    ],
    [
        "icall",
        "icall",
        "1001010100001001",
        "at(sp) = next[8:1]; at(sp - 1) = next[16:9]; sp = sp - 2; jump zx(cat(Z, zx(0, 1)), 24)",
        "call",
    ],
    [
        "call",
        "call {w}",
        "1001010 w[22:18] 111 w[17] w[16:1]",
        "at(sp) = next[8:1]; at(sp - 1) = next[16:9]; sp = sp - 2; jump w",
        "far_call",
    ],
    ["ret", "ret", "1001010100001000", "p := sp; sp = p + 2; jump back(p)", "return"],
    ["reti", "reti", "1001010100011000", "p := sp; sp = p + 2; ief = 1; jump back(p)", "return"],
];

/// The rows of the table.
pub fn rows() -> Vec<Text> {
    let mut rows = Vec::new();
    for &(name, encoding, second, value, subtracts, z_stays, writes) in SUMS {
        let first = if second == "k" { "hd" } else { "rd" };
        let out = if subtracts { "borrows" } else { "carries" };
        let overflow = if subtracts { "(d ^ s) & (d ^ r)" } else { "(d ^ r) & (s ^ r)" };
        let zero = if z_stays { "zf = zf & (r == 0)" } else { "zf = r == 0" };
        let write = if writes { format!("{first} = r;") } else { String::new() };
        rows.push(row(
            name,
            &format!("{name} {{{first}}}, {{{second}}}"),
            encoding,
            &format!(
                "d := {first}; s := {second}; r := {value}; {write} c := {out}(d, s, r); cf = c[7]; \
                 hf = c[3]; vf = ({overflow})[7]; nf = r[7]; sf = nf ^ vf; {zero}"
            ),
            "alu",
        ));
    }
    for &(name, encoding, value) in LOGIC {
        let (first, _) = value.split_once(' ').unwrap_or_default();
        let second = if first == "hd" { "k" } else { "rr" };
        rows.push(row(
            name,
            &format!("{name} {{{first}}}, {{{second}}}"),
            encoding,
            &format!("r := {value}; {first} = r; vf = 0; nzs(r, 7)"),
            "alu",
        ));
    }
    for &(name, encoding, operands, value, up) in PRODUCTS {
        let result = if up { "p << 1" } else { "p" };
        let meaning = format!("p := {value}; cf = p[15]; r := {result}; zf = r == 0; product = r");
        rows.push(row(name, &format!("{name} {operands}"), encoding, &meaning, "multiply"));
    }
    for &(name, low, meaning) in SINGLE {
        rows.push(row(name, &format!("{name} {{rd}}"), &format!("1001010 rd[4:0] {low}"), meaning, "alu"));
    }
    for &(name, pointer, low, meaning) in POINTERS {
        let (load, store) = (meaning.replace('V', "rd = at(p)"), meaning.replace('V', "at(p) = rd"));
        let (ld, st) = (format!("1001000 rd[4:0] {low}"), format!("1001001 rd[4:0] {low}"));
        rows.push(row(&format!("ld_{name}"), &format!("ld {{rd}}, {pointer}"), &ld, &load, "load"));
        rows.push(row(&format!("st_{name}"), &format!("st {pointer}, {{rd}}"), &st, &store, "store"));
    }
    for (bit, &(flag, set, clear, if_set, if_clear)) in FLAGS.iter().enumerate() {
        for (name, value) in [(set, 1), (clear, 0)] {
            let encoding = format!("10010100 {} {bit:03b} 1000", 1 - value);
            rows.push(row(name, name, &encoding, &format!("{flag} = {value}"), "alu"));
        }
        for (name, code, condition) in [(if_set, "00", ""), (if_clear, "01", "~")] {
            let encoding = format!("1111{code} t[7:1] {bit:03b}");
            let meaning = format!("if {condition}{flag} {{ jump pc + t }}");
            rows.push(row(name, &format!("{name} {{t:after}}"), &encoding, &meaning, "branch"));
        }
    }
    rows.extend(
        OTHERS
            .iter()
            .map(|[name, syntax, encoding, meaning, class]| row(name, syntax, encoding, meaning, class)),
    );
    rows
}

/// The compiled table.
pub fn isa() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| compiled(ABOUT, &rows()))
}

/// The table of AVRxt, whose I/O registers start at data address 0: its general registers have no data addresses.
pub fn isa_xt() -> &'static Isa {
    static TABLE: OnceLock<Isa> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut rows = rows();
        rows.iter_mut().for_each(|row| row.meaning = row.meaning.replace("io + 0x20", "io"));
        compiled(Description { name: "avrxt", ..ABOUT }, &rows)
    })
}

fn compiled(about: Description, rows: &[Text]) -> Isa {
    match Isa::new(about, rows) {
        Ok(isa) => isa.leaving(undefined),
        Err(why) => unreachable!("the table of AVR is compiled in: {why}"),
    }
}
