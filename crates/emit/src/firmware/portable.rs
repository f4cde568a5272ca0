//! The interface of a package in portable C: for processors that the assembly is not for, and for
//! tests on a host. It is plain, and looks tables up at secret addresses.

use std::fmt::Write;

use crate::VARIABLE_TIME_SUFFIX;
use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_cipher::{Problem, Task};
use aesmith_processor::core::Core;

use crate::firmware::gnu::Gnu;
use crate::firmware::header::{count, prototype, prototype_of};
use crate::firmware::part::{Part, Role, schedule_symbol, verb};

fn table(name: &str, values: &[u8; 256]) -> String {
    let mut out = format!("static const uint8_t {name}[256] = {{\n");
    for row in values.chunks(16) {
        let row: Vec<String> = row.iter().map(|v| format!("0x{v:02x}")).collect();
        let _ = writeln!(out, "    {},", row.join(", "));
    }
    out + "};\n\n"
}

fn licence() -> String {
    format!("/* SPDX-License-Identifier: {} */\n", env!("CARGO_PKG_LICENSE"))
}

/// The C file beside the header `name`.h; with `everywhere`, it is compiled for the described
/// processor too.
pub fn file(core: &Core, gnu: &Gnu, name: &str, parts: &[Part], everywhere: bool) -> String {
    let mut out = licence();
    out.push_str(
        "/* The same functions in C99, for any processor. Tables are looked up at secret addresses: do\n   \
         not use it where others can watch a data cache. */\n",
    );
    let _ = write!(out, "#include \"{name}.h\"\n\n");
    if !everywhere {
        let _ = write!(out, "#if !({})\n\n", gnu.guard);
    }
    let tasks: Vec<Task> = parts.iter().map(|p| p.problem().task).collect();
    let backwards = |t: &Task| matches!(t, Task::Ecb(Direction::Decrypt) | Task::CbcDecrypt);
    let forwards =
        |t: &Task| matches!(t, Task::Ecb(Direction::Encrypt) | Task::CbcEncrypt { .. } | Task::Ctr);
    out.push_str(&table("sbox", &SBOX));
    if tasks.iter().any(backwards) {
        out.push_str(&table("inverse", &INV_SBOX));
    }
    let common = include_str!("template/portable.c");
    // A package of a key schedule alone mixes and adds nothing.
    let messages = tasks.iter().any(|t| backwards(t) || forwards(t));
    let end = if messages { common.len() } else { common.find("static void add").unwrap_or(common.len()) };
    out.push_str(common[..end].trim_end());
    out.push('\n');
    if tasks.iter().any(forwards) {
        out.push_str(include_str!("template/encrypt.c"));
    }
    if tasks.iter().any(backwards) {
        out.push_str(include_str!("template/decrypt.c"));
    }
    for part in parts {
        out.push_str(&function(core, part));
    }
    if !everywhere {
        out.push_str("\n#endif\n");
    }
    out
}

fn function(core: &Core, part: &Part) -> String {
    let contract = part.made.kernel.contract;
    let words = contract.problem.key.bytes() / 4;
    let mut out = format!("\n{}\n{{\n", prototype(core, part));
    if part.role() == Role::Schedule {
        let _ = write!(out, "    expand(key, cipher_key, {words});\n}}\n");
        return out;
    }
    let mode = contract.problem.has_iv();
    let several = contract.blocks > 1;
    if contract.packing == Packing::CipherKey {
        let _ = writeln!(out, "    uint8_t keys[{}];", 16 * (contract.problem.key.rounds() + 1));
    } else {
        out.push_str("    const uint8_t *keys = key;\n");
    }
    match contract.problem.task {
        Task::Ctr => out.push_str("    uint8_t stream[16];\n    unsigned i;\n"),
        Task::CbcDecrypt => out.push_str("    uint8_t next[16];\n    unsigned i;\n"),
        Task::CbcEncrypt { .. } => out.push_str("    unsigned i;\n"),
        _ if several => out.push_str("    unsigned block;\n"),
        _ => {}
    }
    if contract.packing == Packing::CipherKey {
        let _ = writeln!(out, "    expand(keys, key, {words});");
    }
    let body = match contract.problem.task {
        Task::Ecb(direction) => {
            let name = if direction == Direction::Encrypt { "encrypt" } else { "decrypt" };
            if several {
                format!(
                    "    for (block = 0; block < {}; block++) {{\n        \
                     {name}(keys, @, in + 16 * block, out + 16 * block);\n    }}\n",
                    contract.blocks
                )
            } else {
                format!("    {name}(keys, @, in, out);\n")
            }
        }
        Task::Ctr | Task::CtrTable => "        encrypt(keys, @, iv, stream);
        for (i = 0; i < 16; i++) {
            out[i] = in[i] ^ stream[i];
        }
        for (i = 16; i > 0 && ++iv[i - 1] == 0; i--) {
        }
"
        .into(),
        Task::CbcEncrypt { .. } => "        for (i = 0; i < 16; i++) {
            iv[i] ^= in[i];
        }
        encrypt(keys, @, iv, iv);
        for (i = 0; i < 16; i++) {
            out[i] = iv[i];
        }
"
        .into(),
        Task::CbcDecrypt => "        for (i = 0; i < 16; i++) {
            next[i] = in[i];
        }
        decrypt(keys, @, in, out);
        for (i = 0; i < 16; i++) {
            out[i] ^= iv[i];
            iv[i] = next[i];
        }
"
        .into(),
        Task::KeySchedule(_) => String::new(),
    };
    let body = body.replace('@', &words.to_string());
    if mode {
        let _ = write!(
            out,
            "    while (blocks > 0) {{\n{body}        in += 16;\n        out += 16;\n        blocks--;\n    }}\n"
        );
    } else {
        out.push_str(&body);
    }
    out + "}\n"
}

/// Tasks of the messages, each once.
fn tasks(parts: &[Part]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for part in parts.iter().filter(|p| p.role() == Role::Message) {
        if !tasks.contains(&part.problem().task) {
            tasks.push(part.problem().task);
        }
    }
    tasks
}

/// Of keys of any size: with `_vt` behind it if any of its functions has that.
fn run_time_name(parts: &[Part], task: Task) -> String {
    let variable = |p: &Part| p.certificate.is_variable_time();
    let suffix = if parts.iter().any(variable) { VARIABLE_TIME_SUFFIX } else { "" };
    format!("aesmith_aes_{}{suffix}", verb(task))
}

fn run_time_prototype(core: &Core, parts: &[Part], task: Task) -> String {
    let blocks = parts.iter().find(|p| p.problem().task == task).map_or(1, |p| p.made.kernel.contract.blocks);
    let problem = Problem::new(KeySize::Aes128, task);
    prototype_of(&run_time_name(parts, task), problem, count(core), blocks)
        .replace("const void *key", "const aesmith_aes_key *key")
}

/// The part of the header that chooses the key size at run time.
pub fn run_time_header(core: &Core, parts: &[Part]) -> String {
    let most = parts.iter().map(|p| p.made.kernel.contract.key_size()).max().unwrap_or(0).div_ceil(4);
    let mut out = format!(
        "\n/* A key of any size. */\ntypedef struct {{\n    uint32_t words[{most}];\n    uint16_t bits;\n\
         }} aesmith_aes_key;\n"
    );
    for task in tasks(parts) {
        let name = run_time_name(parts, task);
        let _ = write!(
            out,
            "\n/* Prepares a key of 128, 192 or 256 bits for {name}; returns 0, or -1 for another size. */\n\
             int {name}_init(aesmith_aes_key *key, const uint8_t *cipher_key, uint16_t bits);\n\
             /* The function of the key's size. */\n{};\n",
            run_time_prototype(core, parts, task)
        );
    }
    out
}

/// The C file that chooses the key size at run time.
pub fn run_time_file(core: &Core, name: &str, parts: &[Part]) -> String {
    let mut out = licence();
    let _ = writeln!(out, "#include \"{name}.h\"");
    for task in tasks(parts) {
        let own = run_time_name(parts, task);
        let of_task: Vec<&Part> = parts.iter().filter(|p| p.problem().task == task).collect();
        let _ = write!(
            out,
            "\nint {own}_init(aesmith_aes_key *key, const uint8_t *cipher_key, uint16_t bits)\n{{\n    \
             switch (bits) {{\n"
        );
        for part in &of_task {
            let contract = part.made.kernel.contract;
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
        if of_task.iter().any(|p| p.made.kernel.contract.packing == Packing::CipherKey) {
            out = out.replacen(
                &format!("{own}_init(aesmith_aes_key *key, const uint8_t *cipher_key, uint16_t bits)\n{{\n"),
                &format!(
                    "{own}_init(aesmith_aes_key *key, const uint8_t *cipher_key, uint16_t bits)\n{{\n    unsigned n;\n"
                ),
                1,
            );
        }
        let arguments = if of_task[0].problem().has_iv() { "iv, in, out, blocks" } else { "in, out" };
        let _ = write!(out, "\n{}\n{{\n    switch (key->bits) {{\n", run_time_prototype(core, parts, task));
        for part in &of_task {
            let bits = part.problem().key.bits();
            let _ = write!(
                out,
                "    case {bits}:\n        {}(key->words, {arguments});\n        break;\n",
                part.symbol()
            );
        }
        out.push_str("    default:\n        break;\n    }\n}\n");
    }
    out
}
