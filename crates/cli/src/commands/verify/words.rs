//! Names in assembly text that do not stand for the same in all builds: those of compilers, those that builds define by
//! options, and macros of the text whose value depends on them.

use super::lines::{directive, is_word, names};
use std::collections::{BTreeMap, BTreeSet};

/// Macros that every compiler for a machine defines alike, so that conditions on them are the same in each build of an
/// object for it: machine, class of the object's addresses, format.
pub(super) const OF_THE_MACHINE: &[&str] = &[
    "__x86_64__",
    "__amd64__",
    "__i386__",
    "__AVR__",
    "__arm__",
    "__riscv",
    "__riscv_xlen",
    "__MICROBLAZE__",
    "__powerpc__",
    "__powerpc64__",
    "__PPC__",
    "__sparc__",
    "__arch64__",
    "__SPU__",
    "__ELF__",
];
/// Macros that differ among builds for one machine: they may only decide that a file is empty.
pub(super) const OF_THE_STATE: &[&str] = &["__thumb__", "__thumb2__"];
/// Macros that compilers define in GNU modes alone (`-std=gnu99`), without the underscores of the others.
const OF_GNU_MODES: &[&str] = &[
    "__linux__",
    "__unix__",
    "__i386__",
    "__AVR__",
    "__PPC__",
    "__powerpc__",
    "__sparc__",
    "__vector",
    "__pixel",
    "__bool",
];
/// Macros that usual builds define by their options, some with any end. A line with one differs by the build.
const OF_BUILDS: &[&str] = &[
    "ARDUINO*",
    "CONFIG_*",
    "ESP_*",
    "ESP32*",
    "ESP8266*",
    "F_CPU",
    "KERNEL",
    "NDEBUG",
    "PLATFORMIO*",
    "TEENSYDUINO",
];
/// Names that the manuals of avr-gcc use in assembly; they are symbols, not macros.
const SYMBOLS: &[&str] = &["__SREG__", "__SP_L__", "__SP_H__", "__tmp_reg__", "__zero_reg__"];

/// True for a name of the compiler's whose value may differ by file, folder, time and options.
pub(super) fn is_reserved(name: &str) -> bool {
    let rest = name.strip_prefix('_').unwrap_or_default();
    rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase())
        && !SYMBOLS.contains(&name)
        && !OF_THE_MACHINE.contains(&name)
}

/// True for a name that compilers define in GNU modes alone.
pub(super) fn is_of_gnu_modes(name: &str) -> bool {
    OF_GNU_MODES.iter().any(|long| long.trim_matches('_') == name)
}

/// True for a name that usual builds define by their options.
pub(super) fn is_of_builds(name: &str) -> bool {
    OF_BUILDS.iter().any(|known| match known.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => name == *known,
    })
}

/// Macros of a text whose value is not the same in all builds: a word of a definition is neither a name of the machine
/// nor a macro of the text alone, or compilers choose the value of a character in it.
pub(super) fn unsettled(lines: &[(usize, String)]) -> BTreeSet<String> {
    let parts = |(_, line): &(usize, String)| -> Option<(String, String)> {
        let ("define", rest) = directive(line)? else { return None };
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        Some((rest[..end].to_owned(), rest[end..].to_owned()))
    };
    let definitions: Vec<(String, String)> = lines.iter().filter_map(parts).collect();
    let includes = lines.iter().any(|(_, line)| directive(line).is_some_and(|(word, _)| word == "include"));
    let own: BTreeSet<&str> = definitions.iter().map(|(name, _)| name.as_str()).collect();
    let (mut open, mut users): (Vec<&str>, BTreeMap<&str, Vec<&str>>) = Default::default();
    for (name, value) in &definitions {
        for word in names(value).filter(|word| !OF_THE_MACHINE.contains(word)) {
            match own.contains(word) && !includes {
                true => users.entry(word).or_default().push(name),
                false => open.push(name),
            }
        }
        open.extend(value.contains('\'').then_some(name.as_str()));
    }
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if found.insert(name.to_owned()) {
            open.extend(users.remove(name).unwrap_or_default());
        }
    }
    found
}
