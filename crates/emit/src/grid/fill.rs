//! Templates of packages: names with their values, and the values that packages of every kind share.

use aesmith_cipher::Direction;
use aesmith_cipher::firmware::Packing;
use aesmith_processor::grid::certificate::ProvedGrid;

use crate::package::File;
use crate::package::vectors::vector;

/// Names in templates, with their values. A value may contain names that come later in the list.
pub type Values = Vec<(&'static str, String)>;

/// Returns a text if a condition holds, otherwise an empty one.
pub fn only(holds: bool, text: &str) -> String {
    if holds { text.to_owned() } else { String::new() }
}

/// Returns the lines of a text as a C string literal.
pub fn quoted(text: &str) -> String {
    let line = |line: &str| format!("    \"{}\\n\"", line.replace('\\', "\\\\").replace('"', "\\\""));
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Fills file templates, whose names are templates, too.
pub fn filled(templates: &[(&str, &str)], values: &Values) -> Vec<File> {
    let fill = |text: &str| values.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    templates.iter().map(|(name, text)| File { name: fill(name), contents: fill(text) }).collect()
}

/// Values that the packages of all kernels for such devices share.
pub fn common(proved: &ProvedGrid, on: &str) -> Values {
    let (program, proof) = (&proved.kernel().program, &proved.certificate().proof);
    let contract = proved.kernel().contract;
    let problem = contract.problem;
    let published = vector(problem.key, problem.task);
    let decrypts = problem.mode().direction == Direction::Decrypt;
    let of_keys = problem.mode().writes.is_some();
    let number = |n: usize| n.to_string();
    // If threads expand the key, the host computes no round keys.
    let plain = match contract.packing {
        Packing::CipherKey => problem.key.rounds() + 1,
        packing => packing.plain_keys(problem.key),
    };
    let masked = contract.packing.masked_keys(problem.key);
    let also = format!(
        "    /* Those of rounds {} to {} lie behind them once more, each bit as four bytes. */
    for (at = {}; at < {}; at++)
        for (k = 0; k < 32; k++)
            *to++ = (uint8_t)(0u - (round_keys[at] >> k / 4 & 1u));
",
        masked.start,
        masked.end.saturating_sub(1),
        16 * masked.start,
        16 * masked.end
    );
    let said = format!(
        "SPDX-License-Identifier: {}\n * {}: {}, on {on}, by aesmith {}.",
        env!("CARGO_PKG_LICENSE"),
        program.symbol,
        problem.meaning(),
        env!("CARGO_PKG_VERSION")
    );
    let verb = match (of_keys, decrypts) {
        (true, _) => "expand",
        (false, true) => "decrypt",
        (false, false) => "encrypt",
    };
    let keys_said = match of_keys {
        true => "The round keys of one cipher key by the host, as the kernel makes them.",
        false => "The round keys of a key, as the kernel takes them.",
    };
    let answers = if of_keys { "FIPS-197, appendix A" } else { "NIST SP 800-38A, appendix F" };
    vec![
        ("@EXPANSION@", include_str!("template/expansion.c").into()),
        ("@TESTING@", include_str!("template/testing.c").into()),
        ("@SAID@", said),
        ("@GUARD@", format!("{}_H", program.symbol.to_uppercase())),
        ("@VERB@", verb.into()),
        ("@KEYS_SAID@", keys_said.into()),
        ("@PUBLISHED@", answers.into()),
        ("@MANY@", if of_keys { "keys" } else { "blocks" }.into()),
        ("@KEYS@", number(contract.key_size())),
        ("@PLAIN@", number(plain)),
        ("@MASKED@", only(!masked.is_empty(), &also)),
        ("@KEY@", number(problem.key.bytes())),
        ("@ROUNDS@", number(problem.key.rounds())),
        ("@THREADS@", proof.threads.to_string()),
        ("@SHARED@", proof.shared.to_string()),
        ("@DECRYPTS@", u8::from(decrypts).to_string()),
        ("@VECTOR_KEY@", published.key.into()),
        ("@VECTOR_IV@", published.iv.into()),
        ("@VECTOR_IN@", published.input.into()),
        ("@VECTOR_OUT@", published.output.into()),
        ("@VECTOR_LAST@", published.last_round_key.into()),
        ("@S@", program.symbol.clone()),
    ]
}
