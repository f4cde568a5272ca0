//! A kernel as a package for CUDA: its text, host code over the driver's interface that holds the text, and a self-test. What
//! packages have in common is here; what a launch takes is one message or several streams.

mod message;
mod streams;

use aesmith_cipher::Direction;
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::mode::Next;
use aesmith_processor::grid::Grids;
use aesmith_processor::grid::certificate::ProvedGrid;

use super::grid_files;
use crate::EmitError;
use crate::package::File;
use crate::package::vectors::vector;

/// Files with their templates: `@S@` stands for the kernel's name.
const FILES: [(&str, &str); 5] = [
    ("@S@.h", include_str!("template/host.h")),
    ("@S@.cu", include_str!("template/host.cu")),
    ("@S@_test.cu", include_str!("template/test.cu")),
    ("Makefile", include_str!("template/Makefile")),
    ("CMakeLists.txt", include_str!("template/CMakeLists.txt")),
];

/// Names in templates with what stands for them. A value may have names in it that come later.
type Values = Vec<(&'static str, String)>;

/// A text, if something holds.
fn only(holds: bool, text: &str) -> String {
    if holds { text.to_owned() } else { String::new() }
}

/// Lines of a text as a string of C.
fn quoted(text: &str) -> String {
    let line = |line: &str| format!("    \"{}\\n\"", line.replace('\\', "\\\\").replace('"', "\\\""));
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What all packages say.
fn common(proved: &ProvedGrid) -> Values {
    let (program, proof) = (&proved.kernel().program, &proved.certificate().proof);
    let contract = proved.kernel().contract;
    let problem = contract.problem;
    let published = vector(problem.key, problem.task);
    let decrypts = problem.mode().direction == Direction::Decrypt;
    let number = |n: usize| n.to_string();
    // Of a key that threads expand the host makes none.
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
        "SPDX-License-Identifier: {}\n * {}: {}, on GPUs of NVIDIA, by aesmith {}.",
        env!("CARGO_PKG_LICENSE"),
        program.symbol,
        problem.meaning(),
        env!("CARGO_PKG_VERSION")
    );
    vec![
        ("@SAID@", said),
        ("@GUARD@", format!("{}_H", program.symbol.to_uppercase())),
        ("@VERB@", if decrypts { "decrypt" } else { "encrypt" }.into()),
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
        ("@PTX@", quoted(proved.text())),
        ("@S@", program.symbol.clone()),
    ]
}

/// The files of a package.
///
/// # Errors
/// There is no host code for such a kernel, or the certificate cannot be written as JSON.
pub fn cuda_files(grids: &Grids, proved: &ProvedGrid) -> Result<Vec<File>, EmitError> {
    let problem = proved.kernel().contract.problem;
    let is_chain = problem.mode().next() == Next::Output;
    if problem.mode().writes.is_some() {
        return Err(EmitError(
            "host code for key schedules is not written yet: take the kernel alone, --as ptx".into(),
        ));
    }
    if proved.certificate().proof.of_a_stream.is_some() && problem.has_iv() && !is_chain {
        return Err(EmitError(format!(
            "host code for several streams of {problem} is not written yet: take the kernel alone, --as ptx"
        )));
    }
    let mut values = match proved.certificate().proof.of_a_stream {
        None => message::values(proved),
        Some(of_a_stream) => streams::values(proved, of_a_stream),
    };
    values.extend(common(proved));
    let file = |(name, template): (&str, &str)| {
        let filled =
            |text: &str| values.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        File { name: filled(name), contents: filled(template) }
    };
    let mut files: Vec<File> = FILES.into_iter().map(file).collect();
    files.extend(grid_files(grids, proved, None)?);
    Ok(files)
}
