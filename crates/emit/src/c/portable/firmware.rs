//! The interface of a package in portable C: for other processors than the assembly's, and for tests on a host. It is
//! simple code with table look-ups at secret addresses.

use std::fmt::Write;

use aesmith_cipher::Problem;
use aesmith_cipher::block::{INV_SBOX, SBOX};
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::mode::{Added, Enters, Next, Rule};
use aesmith_cipher::problem::Direction;

use crate::part::{Part, Role};
use crate::prototype::of_part;
use aesmith_processor::gnu::Gnu;

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

/// Returns the C file beside the header `name`.h; with `everywhere`, it is compiled for the assembly's processor, too.
pub(crate) fn file(gnu: &Gnu, name: &str, parts: &[Part<'_>], everywhere: bool) -> String {
    let mut out = licence();
    out.push_str(
        "/* The same functions in C99, for any processor. Tables are looked up at secret addresses: do\n   \
         not use it where others can watch a data cache. */\n",
    );
    let _ = write!(out, "#include \"{name}.h\"\n\n");
    if !everywhere {
        let _ = write!(out, "#if !({})\n\n", gnu.builds.right());
    }
    let messages: Vec<Problem> = parts.iter().map(Part::problem).filter(Problem::is_message).collect();
    let runs = |way: Direction| messages.iter().any(|p| p.mode().direction == way);
    out.push_str(&table("sbox", &SBOX));
    if runs(Direction::Decrypt) {
        out.push_str(&table("inverse", &INV_SBOX));
    }
    let common = include_str!("template/portable.c");
    // A package with only a key schedule uses neither MixColumns nor `add`.
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
    let Some(rule) = contract.problem.mode().rule else { return out };
    let several = contract.a_call() > 1;
    let keys = if contract.packing == Packing::CipherKey {
        format!("    uint8_t keys[{}];\n", 16 * (contract.problem.key.rounds() + 1))
    } else {
        "    const uint8_t *keys = key;\n".to_owned()
    };
    let cipher = match contract.problem.mode().direction {
        Direction::Encrypt => "encrypt",
        Direction::Decrypt => "decrypt",
    };
    let (head, indent, at, end) = if contract.counts_blocks() {
        (
            "    while (blocks > 0) {\n".to_owned(),
            8,
            "",
            "        in += 16;\n        out += 16;\n        blocks--;\n    }\n",
        )
    } else if several {
        let head = format!("    for (block = 0; block < {}; block++) {{\n", contract.blocks);
        (head, 8, " + 16 * block", "    }\n")
    } else {
        (String::new(), 4, "", "")
    };
    let body: String = block(rule, &format!("{cipher}(keys, {words}"), at)
        .iter()
        .map(|line| format!("{}{line}\n", " ".repeat(indent)))
        .collect();
    out.push_str(&keys);
    for (use_of, declared) in
        [("stream[", "uint8_t stream[16]"), ("next[", "uint8_t next[16]"), ("(i = ", "unsigned i")]
    {
        if body.contains(use_of) {
            let _ = writeln!(out, "    {declared};");
        }
    }
    if several {
        out.push_str("    unsigned block;\n");
    }
    if contract.packing == Packing::CipherKey {
        let _ = writeln!(out, "    expand(keys, key, {words});");
    }
    out + &head + &body + end + "}\n"
}

/// Returns the statements that process a block by its mode's rule. `iv` holds the chain value, `cipher` is a call
/// without its last arguments, and `at` is the index of the texts.
fn block(rule: Rule, cipher: &str, at: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let each = |lines: &mut Vec<String>, statements: &[&str]| {
        if !statements.is_empty() {
            lines.push("for (i = 0; i < 16; i++) {".into());
            lines.extend(statements.iter().map(|s| format!("    {s}")));
            lines.push("}".into());
        }
    };
    // The result may overwrite the text.
    if rule.next == Next::Text {
        each(&mut lines, &["next[i] = in[i];"]);
    }
    let from = match (rule.enters, rule.added) {
        (Enters::Text, _) => format!("in{at}"),
        (Enters::Chain, _) => "iv".into(),
        (Enters::Both, Added::Chain) => {
            each(&mut lines, &["stream[i] = iv[i] ^ in[i];"]);
            "stream".into()
        }
        (Enters::Both, _) => {
            each(&mut lines, &["iv[i] ^= in[i];"]);
            "iv".into()
        }
    };
    let (to, result) = match (rule.added, rule.next) {
        (Added::Nothing, Next::Output) => ("iv".to_owned(), Some("out[i] = iv[i];")),
        (Added::Nothing, _) => (format!("out{at}"), None),
        (Added::Text, _) => ("stream".to_owned(), Some("out[i] = in[i] ^ stream[i];")),
        (Added::Chain, _) => (format!("out{at}"), Some("out[i] ^= iv[i];")),
    };
    lines.push(format!("{cipher}, {from}, {to});"));
    let chain = match rule.next {
        Next::Text => Some("iv[i] = next[i];"),
        Next::Output if to != "iv" => Some("iv[i] = out[i];"),
        Next::Output | Next::Nothing | Next::Counter | Next::Counter32 | Next::Doubled => None,
    };
    each(&mut lines, &result.into_iter().chain(chain).collect::<Vec<_>>());
    let unchanged = match rule.next {
        Next::Counter => Some(0),
        Next::Counter32 => Some(12),
        _ => None,
    };
    if let Some(unchanged) = unchanged {
        lines.extend([format!("for (i = 16; i > {unchanged} && ++iv[i - 1] == 0; i--) {{"), "}".into()]);
    }
    lines
}
