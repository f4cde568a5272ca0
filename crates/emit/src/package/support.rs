//! What surrounds the kernels in C: key set-up, wiping, the question to the CPU, and the choice among
//! the kernels of several levels.

use super::facts::{Facts, LevelFacts};
use crate::features::{FEATURES, Feature, Output};
use crate::{SCHEDULE_SUFFIX, TABLE_SUFFIX, prototype};
use std::fmt::Write;

/// The text of the supporting C file.
pub(super) fn support(facts: &Facts<'_>) -> String {
    let name = &facts.name;
    let mut c = format!(
        "/* SPDX-License-Identifier: {} */\n/* Written by aesmith {}. */\n#include \"{name}.h\"\n\n{}",
        env!("CARGO_PKG_LICENSE"),
        env!("CARGO_PKG_VERSION"),
        if facts.portable { HIDDEN } else { HIDDEN_BY_GNU_C },
    );
    for level in &facts.levels {
        c.push_str(&declarations(facts, level));
    }
    c.push_str(&question(facts));
    if facts.chooses() && facts.problem.is_message() {
        c.push_str(&message(facts));
    }
    let _ = write!(c, "\nvoid {name}_init({name}_key *key, const uint8_t *key_bytes)\n{{\n");
    c.push_str(&by_level(facts, |level| {
        let mut calls = vec![format!("{}{SCHEDULE_SUFFIX}(key, key_bytes);", level.symbol)];
        calls.extend(level.table.then(|| format!("{}{TABLE_SUFFIX}(key);", level.symbol)));
        calls
    }));
    let _ = write!(
        c,
        "}}\n\nvoid {name}_wipe({name}_key *key)\n{{\n{}}}\n\nconst char *{name}_kernel(void)\n{{\n",
        if facts.portable { WIPE } else { WIPE_BY_ASSEMBLY },
    );
    // One literal a line: the compiler joins them.
    let text = |level: &LevelFacts| level.kernel().join("; \"\n           \"");
    c.push_str(&by_level(facts, |level| vec![format!("return \"{}\";", text(level))]));
    if facts.chooses() {
        c.push_str("    return \"\";\n");
    }
    let supported = match (facts.needs_features(), facts.chooses()) {
        (false, _) => "1".to_owned(),
        (true, _) => format!("chosen() <= {}", facts.levels.len()),
    };
    let _ = write!(c, "}}\n\nint {name}_supported(void)\n{{\n    return {supported};\n}}\n");
    c
}

/// Hidden functions, where the compiler can hide them.
const HIDDEN: &str = "#if defined(__GNUC__)\n#define HIDDEN __attribute__((visibility(\"hidden\")))\n#else\n\
                      #define HIDDEN\n#endif\n\n";

const HIDDEN_BY_GNU_C: &str =
    "#include <cpuid.h>\n#include <string.h>\n\n#define HIDDEN __attribute__((visibility(\"hidden\")))\n\n";

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

/// The hidden functions of a level.
fn declarations(facts: &Facts<'_>, level: &LevelFacts) -> String {
    let (structure, symbol) = (format!("{}_key", facts.name), &level.symbol);
    let mut c = String::new();
    if facts.chooses() && facts.problem.is_message() {
        let _ = writeln!(c, "HIDDEN {};", prototype::of_texts(facts.problem, symbol, &facts.name));
    }
    let _ = writeln!(c, "HIDDEN void {symbol}{SCHEDULE_SUFFIX}({structure} *key, const uint8_t *key_bytes);");
    if level.table {
        let _ = writeln!(c, "HIDDEN void {symbol}{TABLE_SUFFIX}({structure} *key);");
    }
    c
}

/// The function over messages of several levels.
fn message(facts: &Facts<'_>) -> String {
    let arguments = if facts.problem.has_iv() { "key, iv, in, out, len" } else { "key, in, out, len" };
    let body = by_level(facts, |level| vec![format!("{}({arguments});", level.symbol)]);
    format!("\n{}\n{{\n{body}}}\n", prototype::of_texts(facts.problem, &facts.name, &facts.name))
}

/// Statements that the level at hand decides; those of the only one as they are. The last level is
/// tried where the CPU can run none, as the only one is.
fn by_level(facts: &Facts<'_>, statements: impl Fn(&LevelFacts) -> Vec<String>) -> String {
    let mut c = String::new();
    if !facts.chooses() {
        statements(&facts.levels[0]).iter().for_each(|line| c.push_str(&format!("    {line}\n")));
        return c;
    }
    c.push_str("    switch (chosen()) {\n");
    for (i, level) in facts.levels.iter().enumerate() {
        let last = i + 1 == facts.levels.len();
        let _ = writeln!(c, "    {}:", if last { "default".to_owned() } else { format!("case {}", i + 1) });
        let statements = statements(level);
        statements.iter().for_each(|line| c.push_str(&format!("        {line}\n")));
        if !statements.iter().any(|s| s.starts_with("return")) {
            c.push_str("        break;\n");
        }
    }
    c.push_str("    }\n");
    c
}

/// The question to the CPU, asked once: `chosen` returns the number of the first level that it can
/// run, counted from 1, or one more than there are.
fn question(facts: &Facts<'_>) -> String {
    if facts.portable || (!facts.needs_features() && !facts.chooses()) {
        return String::new();
    }
    let all = || facts.levels.iter().flat_map(|level| &level.features);
    let leaf7 = all().any(|f| f.output != Output::Leaf1Ecx);
    let saved = all().any(|f| f.state.xcr0() != 0);
    let (parameter, first) = if facts.chooses() { ("int first", "1") } else { ("void", "") };
    let mut c = if facts.chooses() {
        "\n/* The first level, from `first` on, that this CPU and system can run, counted from 1. */\n"
    } else {
        "\n/* 1 if this CPU and system can run the kernel, else 2. */\n"
    }
    .to_owned();
    let _ = write!(c, "static int ask({parameter})\n{{\n    unsigned int a, b, leaf1_ecx, d");
    c.push_str(if leaf7 { ", leaf7_ebx, leaf7_ecx" } else { "" });
    c.push_str(if saved { ", saved = 0;\n" } else { ";\n" });
    c.push_str("    if (!__get_cpuid(1, &a, &b, &leaf1_ecx, &d)) {\n        leaf1_ecx = 0;\n    }\n");
    if leaf7 {
        c.push_str(
            "    if (!__get_cpuid_count(7, 0, &a, &leaf7_ebx, &leaf7_ecx, &d)) {\n        \
             leaf7_ebx = leaf7_ecx = 0;\n    }\n",
        );
    }
    if saved {
        c.push_str(
            "    /* The system must use XSAVE (bit 27), and XCR0 says which registers it saves. */\n    \
             if ((leaf1_ecx & 0x08000000u) != 0) {\n        \
             __asm__ __volatile__(\"xgetbv\" : \"=a\"(saved), \"=d\"(d) : \"c\"(0));\n    }\n",
        );
    }
    for (i, level) in facts.levels.iter().enumerate() {
        c.push_str(&condition(level, facts.chooses(), i + 1));
    }
    let _ = write!(
        c,
        "    return {};\n}}\n\n\
         /*\n * The answer, 0 before the question: CPUID takes microseconds in a virtual machine. Threads that\n \
         * ask at the same time find the same, so it does not matter which of them writes it.\n */\n\
         static int answer;\n\n\
         static int chosen(void)\n{{\n    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);\n    \
         if (known == 0) {{\n        known = ask({first});\n        \
         __atomic_store_n(&answer, known, __ATOMIC_RELAXED);\n    }}\n    return known;\n}}\n",
        facts.levels.len() + 1
    );
    if facts.chooses() {
        let name = &facts.name;
        let _ = write!(
            c,
            "\n/* For the self-test: from now on this level runs, if the CPU can; whether it can. */\n\
             HIDDEN int {name}_try_level(int number);\n\n\
             int {name}_try_level(int number)\n{{\n    if (ask(number) != number) {{\n        return 0;\n    }}\n    \
             __atomic_store_n(&answer, number, __ATOMIC_RELAXED);\n    return 1;\n}}\n"
        );
    }
    c
}

/// `if` the CPU can run a level, its number.
fn condition(level: &LevelFacts, one_of_several: bool, number: usize) -> String {
    let mut terms = Vec::new();
    if one_of_several {
        terms.push(format!("first <= {number}"));
    }
    for output in [Output::Leaf1Ecx, Output::Leaf7Ebx, Output::Leaf7Ecx] {
        let needed = |f: &&Feature| level.features.iter().any(|n| n.name == f.name);
        let bits = FEATURES.iter().filter(|f| f.output == output).filter(needed);
        let mask = bits.fold(0u32, |mask, f| mask | 1 << f.bit);
        if mask != 0 {
            terms.push(format!("({} & {mask:#010x}u) == {mask:#010x}u", output.c_name()));
        }
    }
    let xcr0 = level.features.iter().map(|f| f.state.xcr0()).max().unwrap_or(0);
    if xcr0 != 0 {
        terms.push(format!("(saved & {xcr0:#04x}u) == {xcr0:#04x}u"));
    }
    let name = level.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
    let features = match level.feature_names().join(", ") {
        none if none.is_empty() => "every CPU".to_owned(),
        names => names,
    };
    let terms = terms.join("\n        && ");
    format!("    /* {name}{features} */\n    if ({terms}) {{\n        return {number};\n    }}\n")
}
