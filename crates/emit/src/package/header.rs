//! The header of a package: the C interface, over texts of any length, or over whole blocks for firmware.

use super::blocks::keys;
use super::facts::{Facts, Key, Member};
use super::{pieces, sealed, units};
use crate::banner::{comment, contract};
use crate::c::portable::run_time;
use crate::part::{Part, Role};
use crate::prototype;
use aesmith_cipher::mode::{Next, Unit};
use std::fmt::Write;

/// Maximum width of a comment in columns.
const WIDTH: usize = 94;

/// Renders a C header: banner, includes, declarations in `extern "C"`, include guard.
fn guarded(banner: &str, name: &str, includes: &[&str], declared: &str) -> String {
    let guard = format!("{}_H", name.to_ascii_uppercase());
    let includes: String = includes.iter().map(|header| format!("#include <{header}>\n")).collect();
    format!(
        "/* SPDX-License-Identifier: {} */\n{banner}#ifndef {guard}\n#define {guard}\n\n{includes}\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n{declared}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        env!("CARGO_PKG_LICENSE")
    )
}

/// The warning for kernels whose time depends on secrets.
const VARIABLE_TIME: &str = " *\n * VARIABLE TIME: tables are read at addresses that depend on key and text, so whoever can watch\n\
                             \x20* the data cache may learn them.\n";

/// The header of a package over texts.
pub(super) fn of_texts(facts: &Facts<'_>) -> String {
    let name = &facts.name;
    let banner = format!(
        "/*\n * {}, for {}. Written by aesmith {}.\n *\n\
         \x20* {}\n{} */\n",
        facts.meaning(),
        facts.processors(),
        env!("CARGO_PKG_VERSION"),
        facts.about_kernels().into_iter().chain(facts.about_functions()).collect::<Vec<_>>().join("\n * "),
        if facts.variable_time { VARIABLE_TIME } else { "" },
    );
    let mut h = "\n".to_owned();
    for (i, key) in facts.keys.iter().enumerate() {
        h.push_str(&structure(facts, i, key));
    }
    for member in &facts.members {
        h.push_str(&message(facts, member));
    }
    for Key { stem, .. } in &facts.keys {
        let _ = write!(h, "/* Overwrites a key with zeros. */\nvoid {stem}_wipe({stem}_key *key);\n\n");
    }
    let _ = write!(
        h,
        "/* Names the kernel{}: technique, variant, and the hash of its bytes. */\n\
         const char *{name}_kernel(void);\n\n\
         {}\
         int {name}_supported(void);\n",
        if facts.only().is_some() { "" } else { " of each problem" },
        match facts.needs_features() {
            false => "/* Always 1: there is a kernel for every CPU. */\n".to_owned(),
            true => format!(
                "/*\n * Whether this CPU and operating system can run {} ({}).\n\
                 \x20* Where it is 0, calling anything but _wipe, _kernel and _supported ends in SIGILL.\n\
                 \x20* The CPU is asked once, by the first function that needs to know.\n */\n",
                if facts.chooses() { "any of the kernels" } else { "the kernel" },
                facts.needs(),
            ),
        },
    );
    guarded(&banner, name, &["stddef.h", "stdint.h"], &h)
}

/// Wraps a sentence into lines of a comment.
fn paragraph(text: &str) -> String {
    let (mut out, mut line) = (String::new(), String::from(" *"));
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line.replace_range(.., " *");
        }
        line.push(' ');
        line.push_str(word);
    }
    out + &line + "\n"
}

/// Declares a key structure and the function that sets it up.
fn structure(facts: &Facts<'_>, number: usize, key: &Key) -> String {
    let Key { stem, schedule, table, bytes } = key;
    let own = match facts.chooses() && table.is_some() {
        true => " A level makes what its kernel reads, so that a key\n * is not for another machine.",
        false => "",
    };
    let part = table.and_then(|table| table.mode().writes);
    let table = part.map_or(String::new(), |part| format!(", then {}", part.name()));
    let users = facts.members.iter().filter(|member| member.key == number);
    let users: Vec<&str> = users.map(|member| member.name.as_str()).collect();
    let shared = match facts.only() {
        Some(_) => String::new(),
        None => paragraph(&format!("It is the key of {}.", users.join(", "))),
    };
    let pieces = pieces::declared_for_key(facts, number, key);
    let pieces: String =
        pieces.iter().map(|(about, declared)| declaration(&paragraph(about), declared)).collect();
    format!(
        "/*\n * A key made ready: {} round keys of 16 bytes in order of use{table}.\n{shared}\
         \x20* Any alignment will do; a multiple of 64 is best. It may be copied, and read by several\n\
         \x20* threads at once.{own}\n */\n\
         typedef struct {stem}_key {{\n    uint8_t bytes[{bytes}];\n}} {stem}_key;\n\n\
         /* Makes `key` ready from the {} bytes of a cipher key. */\n\
         void {stem}_init({stem}_key *key, const uint8_t *key_bytes);\n\n{pieces}",
        schedule.key.rounds() + 1,
        schedule.key.bytes(),
    )
}

fn message(facts: &Facts<'_>, member: &Member) -> String {
    let (name, problem) = (&member.name, member.problem);
    let streams = problem.streams();
    let mode = problem.mode();
    if mode.rule.is_none() {
        return String::new();
    }
    let left = match mode.next() {
        Next::Nothing => "",
        Next::Text | Next::Output => "`iv` is left at the last ciphertext block, so that calls chain. ",
        Next::Counter => {
            "`iv` is the counter block, 128 bits big-endian; it is left at the counter of the next block, so that \
             calls chain. "
        }
        Next::Doubled => {
            "`iv` is the tweak of the first block, the cipher of the number of a data unit under another key; it is left at the \
             tweak of the next block, so that calls chain. "
        }
        Next::Counter32 => {
            "`iv` is the counter block, whose last 32 bits count, big-endian, and behind it the value of GHASH; both \
             are left as they are behind the text, so that calls chain. "
        }
    };
    let end = match mode.unit {
        Unit::Byte => "A call that ends inside a block has used that block up.",
        Unit::Block => {
            "Only the len / 16 whole blocks are processed; what is behind them is neither read nor written."
        }
    };
    let place = "`in` and `out` are equal or do not overlap, of any alignment; nothing else overlaps them.";
    let lengths = paragraph(&format!("{left}{end}")) + &paragraph(place);
    let about = if streams > 1 {
        format!(
            "/*\n * {streams} independent streams: stream n has the key key[n], the IV iv[n], and len[n] bytes\n\
             \x20* at in[n], whose result goes to out[n]. Lengths may differ and be 0.\n{lengths} */\n"
        )
    } else {
        format!("/*\n * `len` bytes from `in` to `out`, len below 2^63.\n{lengths} */\n")
    };
    let text = format!("{about}{};\n\n", prototype::of_texts(problem, name, &facts.keys[member.key].stem));
    let whole = sealed::declared(facts, member).into_iter().chain(units::declared(facts, member));
    let mut all: Vec<String> = whole
        .map(|(about, prototype)| declaration(&(paragraph(about) + &paragraph(place)), &prototype))
        .collect();
    all.extend(
        pieces::declared(facts, member)
            .iter()
            .map(|(about, prototype)| declaration(&paragraph(about), prototype)),
    );
    all.concat() + &text
}

fn declaration(about: &str, declared: &str) -> String {
    format!("/*\n{about} */\n{declared};\n\n")
}

/// The header of a package over whole blocks, with its keys and, if `any_key`, with functions for keys of any size.
pub(super) fn of_blocks(
    banner: &str,
    (name, parts): (&str, &[Part<'_>]),
    any_key: bool,
    keys: &[keys::Key<'_>],
) -> String {
    let mut out = String::new();
    let mut sizes: Vec<(String, usize)> = Vec::new();
    for part in parts.iter().filter(|p| p.role() == Role::Message) {
        let contract = part.kernel.contract;
        let macro_name = format!("{}_KEY_BYTES", part.symbol.to_ascii_uppercase());
        sizes.push((macro_name, contract.key_size()));
    }
    if !sizes.is_empty() {
        out.push_str("\n/* Bytes of what `key` points to. */\n");
    }
    for (name, bytes) in &sizes {
        let _ = writeln!(out, "#define {name} {bytes}");
    }
    for part in parts {
        out.push_str("\n/*\n");
        for line in contract(part).iter().filter(|l| !l.starts_with("void ")).chain(&part.facts.costs) {
            out.push_str(&comment(line));
        }
        let _ = write!(out, " */\n{};\n", prototype::of_part(part));
    }
    for key in keys {
        out.push_str(&key.declared(parts));
    }
    if any_key {
        out.push_str(&run_time::header(parts));
    }
    guarded(banner, name, &["stdint.h"], &out)
}
