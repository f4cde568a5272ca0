//! C functions for keys of any size: each calls the function for the size that is given at run time.

use super::firmware::licence;
use crate::VARIABLE_TIME_SUFFIX;
use crate::names::prefix_of_blocks;
use crate::part::{Part, Role, aligned, schedule_symbol};
use crate::prototype::{count, of_blocks};
use aesmith_cipher::Task;
use aesmith_cipher::firmware::Packing;
use std::fmt::Write;

/// Tasks of the messages, each once.
fn tasks(parts: &[Part<'_>]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for part in parts.iter().filter(|p| p.role() == Role::Message) {
        if !tasks.contains(&part.problem().task) {
            tasks.push(part.problem().task);
        }
    }
    tasks
}

/// The name of a function for any key size, with `_vt` if one of its functions has variable time.
fn name_of(parts: &[Part<'_>], task: Task) -> String {
    let variable = |p: &Part<'_>| p.facts.is_variable_time();
    let suffix = if parts.iter().any(variable) { VARIABLE_TIME_SUFFIX } else { "" };
    format!("{}aes_{}{suffix}", prefix(parts), task.mode().verb)
}

/// The prefix of all names.
fn prefix<'p>(parts: &[Part<'p>]) -> &'p str {
    parts.first().map_or("", |part| prefix_of_blocks(part.symbol))
}

fn prototype(parts: &[Part<'_>], task: Task) -> String {
    let part = parts.iter().find(|p| p.problem().task == task).unwrap_or(&parts[0]);
    of_blocks(&name_of(parts, task), &part.kernel.contract, count(part.core))
        .replace("const void *key", &format!("const {}aes_key *key", prefix(parts)))
}

/// The part of the header for key sizes chosen at run time.
pub(crate) fn header(parts: &[Part<'_>]) -> String {
    let prefix = prefix(parts);
    let most = parts.iter().map(|p| p.kernel.contract.key_size()).max().unwrap_or(0).div_ceil(4);
    let mut out = format!(
        "\n/* A key of any size. */\ntypedef struct {{\n    uint32_t words[{most}]{};\n    uint16_t bits;\n\
         }} {prefix}aes_key;\n",
        aligned(parts)
    );
    for task in tasks(parts) {
        let name = name_of(parts, task);
        let _ = write!(
            out,
            "\n/* Prepares a key of 128, 192 or 256 bits for {name}; returns 0, or -1 for another size. */\n\
             int {name}_init({prefix}aes_key *key, const uint8_t *cipher_key, uint16_t bits);\n\
             /* The function of the key's size. */\n{};\n",
            prototype(parts, task)
        );
    }
    out
}

/// The C file that chooses the key size at run time.
pub(crate) fn file(name: &str, parts: &[Part<'_>]) -> String {
    let mut out = licence();
    let prefix = prefix(parts);
    let _ = writeln!(out, "#include \"{name}.h\"");
    for task in tasks(parts) {
        let own = name_of(parts, task);
        let of_task: Vec<&Part<'_>> = parts.iter().filter(|p| p.problem().task == task).collect();
        let _ = write!(
            out,
            "\nint {own}_init({prefix}aes_key *key, const uint8_t *cipher_key, uint16_t bits)\n{{\n    \
             switch (bits) {{\n"
        );
        for part in &of_task {
            let contract = part.kernel.contract;
            let bits = contract.problem.key.bits();
            let set_up = if contract.packing == Packing::CipherKey {
                format!(
                    "        for (n = 0; n < {}; n++) {{\n            ((uint8_t *)key->words)[n] = cipher_key[n];\n        }}\n",
                    bits / 8
                )
            } else {
                let schedule = schedule_symbol(&contract, parts).unwrap_or_default();
                format!("        {schedule}(key->words, cipher_key);\n")
            };
            let _ = write!(out, "    case {bits}:\n{set_up}        break;\n");
        }
        out.push_str("    default:\n        return -1;\n    }\n    key->bits = bits;\n    return 0;\n}\n");
        if of_task.iter().any(|p| p.kernel.contract.packing == Packing::CipherKey) {
            out = out.replacen(
                &format!("{own}_init({prefix}aes_key *key, const uint8_t *cipher_key, uint16_t bits)\n{{\n"),
                &format!(
                    "{own}_init({prefix}aes_key *key, const uint8_t *cipher_key, uint16_t bits)\n{{\n    unsigned n;\n"
                ),
                1,
            );
        }
        let arguments = if of_task[0].problem().has_iv() { "iv, in, out, blocks" } else { "in, out" };
        let _ = write!(out, "\n{}\n{{\n    switch (key->bits) {{\n", prototype(parts, task));
        for part in &of_task {
            let bits = part.problem().key.bits();
            let _ = write!(
                out,
                "    case {bits}:\n        {}(key->words, {arguments});\n        break;\n",
                part.symbol
            );
        }
        out.push_str("    default:\n        break;\n    }\n}\n");
    }
    out
}
