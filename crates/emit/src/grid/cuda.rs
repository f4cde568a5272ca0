//! A kernel as a package for CUDA: its text, host code over the driver's interface that holds the text, and a self-test.

use aesmith_cipher::Direction;
use aesmith_cipher::mode::Role;
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

/// Counts a counter on by so many blocks: 128 bits, the highest byte first.
const ADVANCED: &str = "
/* Counts a counter on. */
static void advance(uint8_t counter[16], size_t by)
{
    unsigned at;
    for (at = 16; at-- && by; by >>= 8) {
        by += counter[at];
        counter[at] = (uint8_t)by;
    }
}
";

/// Lines of a text as a string of C.
fn quoted(text: &str) -> String {
    let line = |line: &str| format!("    \"{}\\n\"", line.replace('\\', "\\\\").replace('"', "\\\""));
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The files of a package.
///
/// # Errors
/// The certificate cannot be written as JSON.
pub fn cuda_files(grids: &Grids, proved: &ProvedGrid) -> Result<Vec<File>, EmitError> {
    let (program, proof) = (&proved.kernel().program, &proved.certificate().proof);
    if program.has_streams() {
        return Err(EmitError(
            "host code for several streams is not written yet: take the kernel alone, --as ptx".into(),
        ));
    }
    let contract = proved.kernel().contract;
    let problem = contract.problem;
    let published = vector(problem.key, problem.task);
    let counts = problem.has_iv();
    let decrypts = problem.mode().direction == Direction::Decrypt;
    let if_counts = |text: &str| if counts { text.to_owned() } else { String::new() };
    let argument = |role: Role| match role {
        Role::Key | Role::CipherKey => "(void *)round_keys",
        Role::Iv => "(void *)counter",
        Role::Input => "&in",
        Role::Output => "&out",
        Role::Length => "&count",
    };
    let arguments: Vec<&str> = program.parameters.iter().map(|parameter| argument(parameter.role)).collect();
    let number = |n: usize| n.to_string();
    let said = format!(
        "SPDX-License-Identifier: {}\n * {}: {}, on GPUs of NVIDIA, by aesmith {}.",
        env!("CARGO_PKG_LICENSE"),
        program.symbol,
        problem.meaning(),
        env!("CARGO_PKG_VERSION")
    );
    let values = [
        ("@SAID@", said),
        ("@GUARD@", format!("{}_H", program.symbol.to_uppercase())),
        ("@VERB@", if decrypts { "decrypt" } else { "encrypt" }.into()),
        ("@KEYS@", number(contract.key_size())),
        ("@PLAIN@", number(contract.packing.plain_keys(problem.key))),
        ("@KEY@", number(problem.key.bytes())),
        ("@ROUNDS@", number(problem.key.rounds())),
        ("@THREADS@", proof.threads.to_string()),
        ("@SHARED@", proof.shared.to_string()),
        ("@TURN@", (proof.threads * proof.a_turn).to_string()),
        ("@DECRYPTS@", u8::from(decrypts).to_string()),
        ("@ARGUMENTS@", arguments.join(", ")),
        ("@COUNTER_SAID@", if_counts(" The counter is the\n * first block's; it is not written back.")),
        ("@COUNTER@", if_counts(", const uint8_t counter[16]")),
        ("@PASSED_COUNTER@", if_counts(", counter")),
        ("@PASSED@", if_counts(", next")),
        ("@NEXT@", if_counts("\n    uint8_t next[16];\n    memcpy(next, counter, 16);")),
        ("@ADVANCE@", if_counts("\n        advance(next, now);")),
        ("@ADVANCED@", if_counts(ADVANCED)),
        ("@VECTOR_KEY@", published.key.into()),
        ("@VECTOR_IV@", published.iv.into()),
        ("@VECTOR_IN@", published.input.into()),
        ("@VECTOR_OUT@", published.output.into()),
        ("@PTX@", quoted(proved.text())),
        ("@S@", program.symbol.clone()),
    ];
    let file = |(name, template): (&str, &str)| {
        let filled =
            |text: &str| values.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        File { name: filled(name), contents: filled(template) }
    };
    let mut files: Vec<File> = FILES.into_iter().map(file).collect();
    files.extend(grid_files(grids, proved, None)?);
    Ok(files)
}
