//! Other instructions (DDI 0100, A4): loads and stores of several registers, branches, products, exchange with
//! memory, the flags as a register.

use aesmith_isa::row;
use aesmith_isa::table::Text;

/// Several registers: suffix, bits P and U, lowest address, base after the access.
const MULTIPLE: [(&str, &str, &str, &str); 4] = [
    ("ia", "01", "rn", "rn + all"),
    ("ib", "11", "rn + 4", "rn + all"),
    ("da", "00", "rn - all + 4", "rn - all"),
    ("db", "10", "rn - all", "rn - all"),
];

/// 64-bit products: mnemonic, bits 23 to 21, extension, true if they accumulate.
const LONG: [(&str, &str, &str, bool); 4] = [
    ("umull", "100", "zx", false),
    ("umlal", "101", "zx", true),
    ("smull", "110", "sx", false),
    ("smlal", "111", "sx", true),
];

/// All of these rows.
pub fn rows() -> Vec<Text> {
    let mut rows = Vec::new();
    for (mode, pu, lowest, after) in MULTIPLE {
        for write in [false, true] {
            let (w, mark, suffix) = if write { ("1", "!", "_pre") } else { ("0", "", "") };
            for (name, l, class) in [("ldm", "1", "load of several"), ("stm", "0", "store of several")] {
                // A base in the list of a load keeps the loaded value; in the list of a store, its old value is
                // stored, as is the case if it comes first (A4.1.20, A4.1.97).
                let text = match (write, name) {
                    (false, _) => format!("all := count(list, 32) << 2; at := {lowest}; {name}s(list, at)"),
                    (true, "ldm") => {
                        format!(
                            "all := count(list, 32) << 2; at := {lowest}; rn = {after}; {name}s(list, at)"
                        )
                    }
                    (true, _) => {
                        format!(
                            "all := count(list, 32) << 2; at := {lowest}; end := {after}; {name}s(list, at); rn = end"
                        )
                    }
                };
                let text = text.replace("ldms", "loads").replace("stms", "stores");
                rows.push(row(
                    &format!("{name}{mode}{suffix}"),
                    &format!("{name}{mode}{{cond}} {{rn}}{mark}, {{list:list}}"),
                    &format!("cond[3:0] 100{pu}0{w}{l} rn[3:0] list[15:0]"),
                    &text,
                    class,
                ));
            }
        }
    }
    rows.push(row("b", "b{cond} {to}", "cond[3:0] 1010 to[25:2]", "jump pc + to", "branch"));
    rows.push(row("bl", "bl{cond} {to}", "cond[3:0] 1011 to[25:2]", "lr = next; jump pc + to", "branch"));
    rows.push(
        row(
            "bx",
            "bx{cond} {rm}",
            "cond[3:0] 000100101111111111110001 rm[3:0]",
            // An odd address leaves the state of this table: no instruction is there.
            "jump rm",
            "branch",
        )
        .in_extension(super::THUMB),
    );
    for sets in [false, true] {
        let (s, bit) = if sets { ("s", "1") } else { ("", "0") };
        // ARMv4 leaves the carry undefined, and after long products the overflow (A4.1.40, A4.1.123); from
        // ARMv5 on they are unchanged, and emulators do so for all versions.
        let flags = |high: &str, open: &[&str]| match sets {
            true => open.iter().fold(format!("; n = {high}; z = t == 0"), |text, flag| {
                format!("{text}; {flag} = undefined(t[0])")
            }),
            false => String::new(),
        };
        let multiply = flags("t[31]", &["c"]);
        rows.push(row(
            &format!("mul{s}"),
            &format!("mul{s}{{cond}} {{rd}}, {{rm}}, {{rs}}"),
            &format!("cond[3:0] 0000000{bit} rd[3:0] 0000 rs[3:0] 1001 rm[3:0]"),
            &format!("t := rm * rs; rd = t{multiply}"),
            "product",
        ));
        rows.push(row(
            &format!("mla{s}"),
            &format!("mla{s}{{cond}} {{rd}}, {{rm}}, {{rs}}, {{rn}}"),
            &format!("cond[3:0] 0000001{bit} rd[3:0] rn[3:0] rs[3:0] 1001 rm[3:0]"),
            &format!("t := rm * rs + rn; rd = t{multiply}"),
            "product and sum",
        ));
        for (name, bits, extend, adds) in LONG {
            let sum = if adds { " + cat(rd, rn)" } else { "" };
            let class = if adds { "long product and sum" } else { "long product" };
            let multiply = flags("t[63]", &["c", "v"]);
            rows.push(row(
                &format!("{name}{s}"),
                &format!("{name}{s}{{cond}} {{rn}}, {{rd}}, {{rm}}, {{rs}}"),
                &format!("cond[3:0] 0000{bits}{bit} rd[3:0] rn[3:0] rs[3:0] 1001 rm[3:0]"),
                &format!(
                    "t := {extend}(rm, 64) * {extend}(rs, 64){sum}; rn = t[31:0]; rd = t[63:32]{multiply}"
                ),
                class,
            ));
        }
    }
    rows.push(row(
        "swp",
        "swp{cond} {rd}, {rm}, [{rn}]",
        "cond[3:0] 00010000 rn[3:0] rd[3:0] 00001001 rm[3:0]",
        "t := m32[rn]; m32[rn] = rm; rd = t",
        "exchange",
    ));
    rows.push(row(
        "swpb",
        "swpb{cond} {rd}, {rm}, [{rn}]",
        "cond[3:0] 00010100 rn[3:0] rd[3:0] 00001001 rm[3:0]",
        "t := m8[rn]; m8[rn] = rm[7:0]; rd = zx(t, 32)",
        "exchange",
    ));
    // The control bits read as those of user mode in ARM state; user mode can write only the flags.
    rows.push(row(
        "mrs",
        "mrs{cond} {rd}, cpsr",
        "cond[3:0] 000100001111 rd[3:0] 000000000000",
        "rd = cat(n, z, c, v, zx(0x10, 28))",
        "alu",
    ));
    rows.push(row(
        "msr",
        "msr{cond} cpsr_f, {rm}",
        "cond[3:0] 000100101000111100000000 rm[3:0]",
        "n = rm[31]; z = rm[30]; c = rm[29]; v = rm[28]",
        "alu",
    ));
    rows
}
