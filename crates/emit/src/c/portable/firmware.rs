//! The interface of a package in portable C: for processors that the assembly is not for, and for
//! tests on a host. It is plain, and looks tables up at secret addresses.

use std::fmt::Write;

use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::problem::Direction;
use aesmith_cipher::{Problem, Task};

use crate::gnu::Gnu;
use crate::part::{Part, Role};
use crate::prototype::of_part;

fn table(name: &str, values: &[u8; 256]) -> String {
    let mut out = format!("static const uint8_t {name}[256] = {{\n");
    for row in values.chunks(16) {
        let row: Vec<String> = row.iter().map(|v| format!("0x{v:02x}")).collect();
        let _ = writeln!(out, "    {},", row.join(", "));
    }
    out + "};\n\n"
}

pub(super) fn licence() -> String {
    format!("/* SPDX-License-Identifier: {} */\n", env!("CARGO_PKG_LICENSE"))
}

/// The C file beside the header `name`.h; with `everywhere`, it is compiled for the other
/// processor too.
pub(crate) fn file(gnu: &Gnu, name: &str, parts: &[Part<'_>], everywhere: bool) -> String {
    let mut out = licence();
    out.push_str(
        "/* The same functions in C99, for any processor. Tables are looked up at secret addresses: do\n   \
         not use it where others can watch a data cache. */\n",
    );
    let _ = write!(out, "#include \"{name}.h\"\n\n");
    if !everywhere {
        let _ = write!(out, "#if !({})\n\n", gnu.guard);
    }
    let messages: Vec<Problem> = parts.iter().map(Part::problem).filter(Problem::is_message).collect();
    let runs = |way: Direction| messages.iter().any(|p| p.mode().direction == way);
    out.push_str(&table("sbox", &SBOX));
    if runs(Direction::Decrypt) {
        out.push_str(&table("inverse", &INV_SBOX));
    }
    let common = include_str!("template/portable.c");
    // A package of a key schedule alone mixes and adds nothing.
    let end = if !messages.is_empty() {
        common.len()
    } else {
        common.find("static void add").unwrap_or(common.len())
    };
    out.push_str(common[..end].trim_end());
    out.push('\n');
    if runs(Direction::Encrypt) {
        out.push_str(include_str!("template/encrypt.c"));
    }
    if runs(Direction::Decrypt) {
        out.push_str(include_str!("template/decrypt.c"));
    }
    for part in parts {
        out.push_str(&function(part));
    }
    if !everywhere {
        out.push_str("\n#endif\n");
    }
    out
}

fn function(part: &Part<'_>) -> String {
    let contract = part.kernel.contract;
    let words = contract.problem.key.bytes() / 4;
    let mut out = format!("\n{}\n{{\n", of_part(part));
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
