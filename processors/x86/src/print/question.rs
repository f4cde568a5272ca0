//! The C code that asks the CPU which of several sets of functions it can run.

use super::needs::{FEATURES, Feature, Output};
use aesmith_processor::dialect::Question;
use std::fmt::Write;

/// A set of functions.
struct Set<'a> {
    name: Option<&'a str>,
    features: Vec<&'static Feature>,
}

/// The question to the CPU, asked once: `chosen` returns the number of the first level that it can run, counted
/// from 1, or one more than the number of levels.
pub(super) fn question(question: &Question<'_>) -> String {
    let sets: Vec<Set<'_>> = question
        .sets
        .iter()
        .map(|(name, needed)| Set {
            name: *name,
            features: FEATURES.iter().filter(|f| needed.contains(&f.name)).collect(),
        })
        .collect();
    let chooses = question.chooses.is_some();
    let all = || sets.iter().flat_map(|set| &set.features);
    let leaf7 = all().any(|f| f.output != Output::Leaf1Ecx);
    let saved = all().any(|f| f.state.xcr0() != 0);
    let (parameter, first) = if chooses { ("int first", "1") } else { ("void", "") };
    let mut c = if chooses {
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
    for (i, set) in sets.iter().enumerate() {
        c.push_str(&condition(set, chooses, i + 1));
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
        sets.len() + 1
    );
    if let Some(name) = question.chooses {
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

/// `if` the CPU can run a set, returns its number.
fn condition(set: &Set<'_>, one_of_several: bool, number: usize) -> String {
    let mut terms = Vec::new();
    if one_of_several {
        terms.push(format!("first <= {number}"));
    }
    for output in [Output::Leaf1Ecx, Output::Leaf7Ebx, Output::Leaf7Ecx] {
        let mask = set.features.iter().filter(|f| f.output == output).fold(0u32, |mask, f| mask | 1 << f.bit);
        if mask != 0 {
            terms.push(format!("({} & {mask:#010x}u) == {mask:#010x}u", output.c_name()));
        }
    }
    let xcr0 = set.features.iter().map(|f| f.state.xcr0()).max().unwrap_or(0);
    if xcr0 != 0 {
        terms.push(format!("(saved & {xcr0:#04x}u) == {xcr0:#04x}u"));
    }
    let name = set.name.map_or(String::new(), |name| format!("{name}: "));
    let names: Vec<&str> = set.features.iter().map(|f| f.name).collect();
    let features = if names.is_empty() { "every CPU".to_owned() } else { names.join(", ") };
    let terms = terms.join("\n        && ");
    format!("    /* {name}{features} */\n    if ({terms}) {{\n        return {number};\n    }}\n")
}
