//! What surrounds the kernel in C: key set-up, wiping, and the question to the CPU.

use super::Facts;
use crate::features::{FEATURES, Output, State};
use crate::{SCHEDULE_SUFFIX, TABLE_SUFFIX};
use std::fmt::Write;

/// The text of the supporting C file.
pub(super) fn support(facts: &Facts<'_>) -> String {
    let name = &facts.name;
    let mut c = String::new();
    let _ = write!(
        c,
        "/* SPDX-License-Identifier: {} */\n/* Written by aesmith {}. */\n#include \"{name}.h\"\n\n\
         {}",
        env!("CARGO_PKG_LICENSE"),
        env!("CARGO_PKG_VERSION"),
        if facts.portable { HIDDEN } else { "#include <cpuid.h>\n#include <string.h>\n\n" },
    );
    let hidden = if facts.portable { "HIDDEN" } else { "__attribute__((visibility(\"hidden\")))" };
    let _ = writeln!(c, "{hidden} void {name}{SCHEDULE_SUFFIX}({name}_key *key, const uint8_t *key_bytes);");
    if facts.table {
        let _ = writeln!(c, "{hidden} void {name}{TABLE_SUFFIX}({name}_key *key);");
    }
    let _ = write!(
        c,
        "\nvoid {name}_init({name}_key *key, const uint8_t *key_bytes)\n{{\n    \
         {name}{SCHEDULE_SUFFIX}(key, key_bytes);\n"
    );
    if facts.table {
        let _ = writeln!(c, "    {name}{TABLE_SUFFIX}(key);");
    }
    let _ = write!(
        c,
        "}}\n\nvoid {name}_wipe({name}_key *key)\n{{\n{}}}\n\n\
         const char *{name}_kernel(void)\n{{\n    return \"{}\";\n}}\n\n",
        if facts.portable { WIPE } else { WIPE_BY_ASSEMBLY },
        // One literal a line: the compiler joins them.
        facts.kernel.join("; \"\n           \"")
    );
    c.push_str(&supported(facts));
    c
}

/// Hidden functions, where the compiler can hide them.
const HIDDEN: &str = "#if defined(__GNUC__)\n#define HIDDEN __attribute__((visibility(\"hidden\")))\n#else\n\
                      #define HIDDEN\n#endif\n\n";

const WIPE_BY_ASSEMBLY: &str = "    memset(key, 0, sizeof *key);
    /* The zeros are used, as far as the compiler knows. */
    __asm__ __volatile__(\"\" : : \"r\"(key) : \"memory\");
";

const WIPE: &str = "    /* Volatile: the compiler may not leave the zeros out. */
    volatile uint8_t *byte = key->bytes;
    size_t n;
    for (n = 0; n < sizeof key->bytes; n++) {
        byte[n] = 0;
    }
";

fn supported(facts: &Facts<'_>) -> String {
    let name = &facts.name;
    if facts.features.is_empty() {
        return format!("int {name}_supported(void)\n{{\n    return 1;\n}}\n");
    }
    let state = facts.features.iter().map(|f| f.state).max().unwrap_or(State::Xmm);
    let mut c = format!("int {name}_supported(void)\n{{\n    unsigned int a, b, leaf1_ecx, d;\n");
    let leaf7 = facts.features.iter().any(|f| f.output != Output::Leaf1Ecx);
    if leaf7 {
        c.push_str("    unsigned int leaf7_ebx, leaf7_ecx;\n");
    }
    c.push_str("    if (!__get_cpuid(1, &a, &b, &leaf1_ecx, &d)) {\n        return 0;\n    }\n");
    if leaf7 {
        c.push_str(
            "    if (!__get_cpuid_count(7, 0, &a, &leaf7_ebx, &leaf7_ecx, &d)) {\n        return 0;\n    }\n",
        );
    }
    for output in [Output::Leaf1Ecx, Output::Leaf7Ebx, Output::Leaf7Ecx] {
        let bits: Vec<_> = FEATURES
            .iter()
            .filter(|f| f.output == output && facts.features.iter().any(|n| n.name == f.name))
            .collect();
        let mask = bits.iter().fold(0u32, |mask, f| mask | 1 << f.bit);
        let names: Vec<&str> = bits.iter().map(|f| f.name).collect();
        if mask != 0 {
            let register = output.c_name();
            let _ = write!(
                c,
                "    /* {} */\n    if (({register} & {mask:#010x}u) != {mask:#010x}u) {{\n        \
                 return 0;\n    }}\n",
                names.join(", ")
            );
        }
    }
    let xcr0 = state.xcr0();
    if xcr0 != 0 {
        let _ = write!(
            c,
            "    /* The system must use XSAVE (bit 27) and save the wide registers (XCR0). */\n    \
             if ((leaf1_ecx & 0x08000000u) == 0) {{\n        return 0;\n    }}\n    \
             __asm__ __volatile__(\"xgetbv\" : \"=a\"(a), \"=d\"(d) : \"c\"(0));\n    \
             return (a & {xcr0:#04x}u) == {xcr0:#04x}u;\n}}\n"
        );
    } else {
        c.push_str("    return 1;\n}\n");
    }
    c
}
