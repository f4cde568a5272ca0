//! The C around the kernels: key set-up, wiping, the query of CPU features, and the choice among the kernels of several
//! levels.

use super::facts::{Facts, Key, KeySetUp, LevelFacts, Member};
use super::{pieces, sealed, units};
use crate::prototype;
use aesmith_processor::dialect::Question;
use std::fmt::Write;

/// The text of the supporting C file.
pub(super) fn support(facts: &Facts<'_>) -> String {
    let name = &facts.name;
    let mut c = format!(
        "/* SPDX-License-Identifier: {} */\n/* Written by aesmith {}. */\n#include \"{name}.h\"\n\n{}",
        env!("CARGO_PKG_LICENSE"),
        env!("CARGO_PKG_VERSION"),
        facts
            .dialect
            .map_or(HIDDEN.to_owned(), |dialect| format!("#include <{}>\n{HIDDEN_BY_GNU_C}", dialect.header)),
    );
    for level in &facts.levels {
        c.push_str(&declarations(facts, level));
    }
    c.push_str(&question(facts));
    for (i, member) in facts.members.iter().enumerate().filter(|(_, m)| m.problem.is_message()) {
        if facts.chooses() {
            c.push_str(&message(facts, i, member));
        }
    }
    for (i, Key { stem, .. }) in facts.keys.iter().enumerate() {
        let _ = write!(c, "\nvoid {stem}_init({stem}_key *key, const uint8_t *key_bytes)\n{{\n");
        c.push_str(&by_level(facts, |level| {
            let set_up = &level.keys[i];
            let mut calls = vec![format!("{}(key, key_bytes);", set_up.schedule)];
            calls.extend(set_up.table.as_ref().map(|table| format!("{table}(key);")));
            calls
        }));
        let wipe = if facts.dialect.is_none() { WIPE } else { WIPE_BY_ASSEMBLY };
        let _ = write!(c, "}}\n\nvoid {stem}_wipe({stem}_key *key)\n{{\n{wipe}}}\n");
        c.push_str(&sealed::defined(facts, i));
        c.push_str(&pieces::defined(facts, i));
    }
    c.push_str(&units::defined(facts));
    let _ = write!(c, "\nconst char *{name}_kernel(void)\n{{\n");
    // One literal a line: the compiler joins them.
    let text = |level: &LevelFacts| {
        let kernels = facts.members.iter().zip(&level.kernels).flat_map(|(member, kernel)| {
            let named = facts.only().is_none().then(|| member.problem.to_string());
            named.into_iter().chain(kernel.parts())
        });
        kernels.collect::<Vec<_>>().join("; \"\n           \"")
    };
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

/// Hides functions, if the compiler can do so.
const HIDDEN: &str = "#if defined(__GNUC__)\n#define HIDDEN __attribute__((visibility(\"hidden\")))\n#else\n\
                      #define HIDDEN\n#endif\n\n";

const HIDDEN_BY_GNU_C: &str =
    "#include <string.h>\n\n#define HIDDEN __attribute__((visibility(\"hidden\")))\n\n";

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

/// Declares the hidden functions of a level.
fn declarations(facts: &Facts<'_>, level: &LevelFacts) -> String {
    let mut c = String::new();
    for (member, kernel) in facts.members.iter().zip(&level.kernels) {
        if facts.chooses() && member.problem.is_message() {
            let stem = &facts.keys[member.key].stem;
            let _ = writeln!(c, "HIDDEN {};", prototype::of_texts(member.problem, &kernel.symbol, stem));
        }
    }
    for (Key { stem, .. }, KeySetUp { schedule, table }) in facts.keys.iter().zip(&level.keys) {
        let _ = writeln!(c, "HIDDEN void {schedule}({stem}_key *key, const uint8_t *key_bytes);");
        if let Some(table) = table {
            let _ = writeln!(c, "HIDDEN void {table}({stem}_key *key);");
        }
    }
    c
}

/// Defines a function over messages of several levels, for problem `number` of the package.
fn message(facts: &Facts<'_>, number: usize, member: &Member) -> String {
    let arguments = if member.problem.has_iv() { "key, iv, in, out, len" } else { "key, in, out, len" };
    let body = by_level(facts, |level| vec![format!("{}({arguments});", level.kernels[number].symbol)]);
    let stem = &facts.keys[member.key].stem;
    format!("\n{}\n{{\n{body}}}\n", prototype::of_texts(member.problem, &member.name, stem))
}

/// Prints statements that depend on the current level; for a single level, plain statements. If the CPU can run no
/// level, the last one is tried, as a single one would be.
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

/// The query of CPU features, if it is needed.
fn question(facts: &Facts<'_>) -> String {
    let Some(dialect) = facts.dialect.filter(|_| facts.needs_features() || facts.chooses()) else {
        return String::new();
    };
    let sets = facts.levels.iter().map(|level| (level.name.as_deref(), level.features.clone()));
    let chooses = facts.chooses().then_some(&*facts.name);
    (dialect.question)(&Question { chooses, sets: sets.collect() })
}
