//! The self-tests of packages: published answers, in C; over whole blocks without a library.

use super::File;
use super::blocks::keys::{self, Key};
use super::facts::{Facts, Member};
use super::vectors::vector;
use super::{sealed, units};
use crate::part::{Part, Role, aligned};
use aesmith_cipher::Direction;
use aesmith_cipher::mode::{self, Enters, Hashed, Mode};
use std::fmt::Write;

/// The self-tests of a package over texts, one for each problem; each tests every level that the CPU can run.
pub(super) fn of_texts(facts: &Facts<'_>) -> Vec<File> {
    let file = |member: &Member| match facts.only() {
        Some(_) => "selftest.c".to_owned(),
        None => format!("selftest_{}.c", member.problem.c_name()),
    };
    facts
        .members
        .iter()
        .map(|member| File { name: file(member), contents: of_texts_alone(facts, member) })
        .collect()
}

fn of_texts_alone(facts: &Facts<'_>, member: &Member) -> String {
    const MODES: [&str; 11] = [
        "MODE_CTR",
        "MODE_ECB_ENCRYPT",
        "MODE_ECB_DECRYPT",
        "MODE_CBC_ENCRYPT",
        "MODE_CBC_DECRYPT",
        "MODE_KEY",
        "MODE_KEY_DECRYPT",
        "MODE_GCM_ENCRYPT",
        "MODE_GCM_DECRYPT",
        "MODE_XTS_ENCRYPT",
        "MODE_XTS_DECRYPT",
    ];
    let problem = member.problem;
    let mode = constant(problem.mode());
    let vector = vector(problem.key, problem.task);
    let mut text = format!("/* SPDX-License-Identifier: {} */\n", env!("CARGO_PKG_LICENSE"));
    text.push_str(&format!("#include \"{}.h\"\n\n", facts.name));
    let stem = &facts.keys[member.key].stem;
    text.push_str(&format!(
        "#define PACKAGE(suffix) {}##suffix\n#define KEY(suffix) {stem}##suffix\n",
        facts.name
    ));
    if problem.is_message() {
        text.push_str(&format!("#define FUNCTION {}\n", member.name));
    }
    for (number, name) in MODES.iter().enumerate() {
        text.push_str(&format!("#define {name} {number}\n"));
    }
    text.push_str(&format!("#define LEVELS {}\n", facts.levels.len()));
    text.push_str(&format!("#define MODE {mode}\n#define KEY_BYTES {}\n", problem.key.bytes()));
    if problem.is_message() {
        text.push_str(&format!("#define STREAMS {}\n", problem.streams()));
        text.push_str(&format!("#define HAS_IV {}\n", u8::from(problem.has_iv())));
        text.push_str(&format!("#define IV_BYTES {}\n", problem.mode().iv_bytes()));
        if let (Some(function), Some(tags)) = (sealed::function(member), vector.tags) {
            text.push_str(&format!("#define SEALED {function}\n"));
            text.push_str(&format!("#define PIECES(suffix) {}##suffix\n", member.name));
            for (name, value) in [("DATA", tags.data), ("TAG", tags.alone), ("TAG_WITH_DATA", tags.with_data)]
            {
                text.push_str(&format!("#define VECTOR_{name} \"{value}\"\n"));
            }
        }
        if let Some((function, tweak_stem)) = units::function(facts, member) {
            text.push_str(&format!(
                "#define UNIT {function}\n#define UNITS {function}s\n#define TWEAK_KEY(suffix) {tweak_stem}##suffix\n"
            ));
        }
        for (name, value) in
            [("KEY", vector.key), ("IV", vector.iv), ("IN", vector.input), ("OUT", vector.output)]
        {
            text.push_str(&format!("#define VECTOR_{name} \"{value}\"\n"));
        }
    } else {
        text.push_str(&format!("#define FIPS197_C \"{}\"\n", vector.fips197));
    }
    text.push_str(include_str!("template/texts/selftest.c"));
    text
}

/// The self-test's name of a mode. A key stream is the same in both directions, and a key is set up for encryption by
/// default.
fn constant(mode: &Mode) -> String {
    let (family, both_ways) = match mode.rule {
        Some(rule) => (mode.family, rule.enters == Enters::Chain && rule.hashed.is_none()),
        None => ("KEY", mode.direction == Direction::Encrypt),
    };
    // GHASH absorbs the ciphertext.
    let direction = match mode.hashed() {
        Some(Hashed::Text) => Direction::Decrypt,
        _ => mode.direction,
    };
    match (both_ways, direction) {
        (true, _) => format!("MODE_{family}"),
        (false, Direction::Encrypt) => format!("MODE_{family}_ENCRYPT"),
        (false, Direction::Decrypt) => format!("MODE_{family}_DECRYPT"),
    }
}

/// The self-test of a package for firmware; it sets up keys as users do.
pub(super) fn of_blocks(package: &str, parts: &[Part<'_>]) -> String {
    let mut out = format!(
        "/* SPDX-License-Identifier: {} */\n/* Published vectors (FIPS-197, SP 800-38A). \
         {name}_selftest returns how many functions fail. */\n#include \"{name}.h\"\n\n",
        env!("CARGO_PKG_LICENSE"),
        name = package
    );
    out.push_str(include_str!("template/blocks/selftest.c"));
    let _ = write!(out, "\nint {}_selftest(void);\n\nint {}_selftest(void)\n{{\n", package, package);
    let messages: Vec<&Part<'_>> = parts.iter().filter(|p| p.role() == Role::Message).collect();
    let keys = keys::all(parts);
    let at = aligned(parts);
    let blocks = parts.iter().map(|p| usize::from(p.kernel.contract.blocks)).max().unwrap_or(1).max(4);
    if keys.is_empty() {
        let most = parts.iter().map(|p| p.kernel.contract.key_size()).max().unwrap_or(16);
        let _ = writeln!(out, "    static uint32_t key[{}]{at};", most.div_ceil(4));
    } else {
        // Only one key is in use at a time.
        let member = |key: &Key<'_>| format!(" {0}_key {1};", key.stem, key.member());
        let members: String = keys.iter().map(member).collect();
        let _ = writeln!(out, "    static union {{{members} }} key;");
    }
    let words = 4 * blocks;
    let _ = writeln!(out, "    static uint32_t cipher_key[8]{at}, text[{words}]{at}, result[{words}]{at};");
    if messages.iter().any(|p| p.problem().has_iv()) {
        let _ = writeln!(out, "    static uint32_t iv[4]{at};");
    }
    out.push_str("    int failed = 0;\n\n");
    for part in parts {
        out.push_str(&one_test(part, &keys));
    }
    out.push_str("    return failed;\n}\n\n#ifdef SELFTEST_MAIN\n#include <stdio.h>\n\nint main(void)\n{\n");
    let _ = write!(
        out,
        "    int failed = {}_selftest();\n    puts(failed ? \"FAILED\" : \"ok\");\n    return failed;\n}}\n#endif\n",
        package
    );
    out
}

/// The self-test as an Arduino sketch.
pub(super) fn sketch(package: &str) -> String {
    format!(
        "// SPDX-License-Identifier: {licence}\n// Says on the serial line whether the library computes what is published.\n\
         #include <{name}.h>\n\nextern \"C\" int {name}_selftest(void);\n\n\
         void setup() {{\n    Serial.begin(9600);\n    Serial.println({name}_selftest() ? \"FAILED\" : \"ok\");\n}}\n\n\
         void loop() {{\n}}\n",
        licence = env!("CARGO_PKG_LICENSE"),
        name = package
    )
}

/// Prints the test of a message's function with its key, or of a key schedule if there are no keys.
fn one_test(part: &Part<'_>, keys: &[Key<'_>]) -> String {
    let problem = part.problem();
    let contract = part.kernel.contract;
    let v = vector(problem.key, problem.task);
    let cipher_key = format!("    bytes((uint8_t *)cipher_key, \"{}\", {});\n", v.key, problem.key.bytes());
    if part.role() == Role::Schedule {
        if !keys.is_empty() {
            return String::new();
        }
        let wanted: String = contract.key_bytes(&bytes(v.key)).iter().map(|b| format!("{b:02x}")).collect();
        // String literals are limited to 509 characters in C90, and 4095 in C99.
        return format!(
            "{cipher_key}    {}(key, (uint8_t *)cipher_key);\n    failed += differs((uint8_t *)key, \"{wanted}\", {});\n",
            part.symbol,
            wanted.len() / 2
        );
    }
    let mut out = cipher_key;
    let own = keys.iter().find(|key| key.readers.contains(&part.symbol));
    let own = own.expect("a function on blocks has a key");
    let key = format!("&key.{}", own.member());
    let _ = writeln!(out, "    {}_init({key}, (uint8_t *)cipher_key);", own.stem);
    let whole = if problem.has_iv() { 4 } else { usize::from(contract.blocks.max(1)) };
    if problem.has_iv() {
        let _ = writeln!(out, "    bytes((uint8_t *)iv, \"{}\", 16);", v.iv);
    }
    let size = 16 * whole;
    // Functions that process more blocks than the vectors have get the vectors repeatedly.
    let repeated = |hex: &str| hex.repeat((2 * size).div_ceil(hex.len()))[..2 * size].to_owned();
    let _ = writeln!(out, "    bytes((uint8_t *)text, \"{}\", {size});", repeated(v.input));
    let call: Vec<String> = contract
        .arguments()
        .map(|argument| match argument.role {
            mode::Role::Key | mode::Role::CipherKey => key.clone(),
            mode::Role::Iv => "(uint8_t *)iv".to_owned(),
            mode::Role::Input => "(uint8_t *)text".to_owned(),
            mode::Role::Output => "(uint8_t *)result".to_owned(),
            mode::Role::Length => whole.to_string(),
        })
        .collect();
    let call = call.join(", ");
    let _ = write!(
        out,
        "    {}({call});\n    failed += differs((uint8_t *)result, \"{}\", {size});\n    {}_wipe({key});\n\n",
        part.symbol,
        repeated(v.output),
        own.stem
    );
    out
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap_or(""), 16).unwrap_or(0)).collect()
}
