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

/// What the self-test gives a block of a text that is alone: its counter, or the block before it.
const COUNTED: &str = "            size_t carry = block;
            memcpy(own, counter, 16);
            for (at = 16; at-- && carry; carry >>= 8) {
                carry += own[at];
                own[at] = (uint8_t)carry;
            }
";
const CHAINED: &str = "            memcpy(own, block ? in + 16 * (block - 1) : counter, 16);
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
    if contract.problem.mode().writes.is_some() {
        return Err(EmitError(
            "host code for key schedules is not written yet: take the kernel alone, --as ptx".into(),
        ));
    }
    let problem = contract.problem;
    let published = vector(problem.key, problem.task);
    let (counts, has_iv) = (problem.mode().counts(), problem.has_iv());
    let apart = !problem.mode().is_in_place_by_threads();
    let iv = if counts { "counter" } else { "iv" };
    let decrypts = problem.mode().direction == Direction::Decrypt;
    let only = |holds: bool, text: &str| if holds { text.to_owned() } else { String::new() };
    let argument = |role: Role| match role {
        Role::Key | Role::CipherKey => "(void *)round_keys",
        Role::Iv if counts => "(void *)counter",
        Role::Iv => "(void *)iv",
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
        ("@APART@", u8::from(apart).to_string()),
        ("@PLACE@", if apart { "the result apart from the text" } else { "in place or apart" }.into()),
        (
            "@OVERLAP_SAID@",
            match apart {
                true => "the result overlaps the text",
                false => "the result overlaps the text and does not take its place",
            }
            .into(),
        ),
        (
            "@COUNTER_SAID@",
            match (counts, has_iv) {
                (true, _) => " The counter is the\n * first block's; it is not written back.".into(),
                (false, true) => {
                    " The initial\n * vector is that of the first block; it is not written back.".into()
                }
                _ => String::new(),
            },
        ),
        ("@COUNTER@", only(has_iv, &format!(", const uint8_t {iv}[16]"))),
        ("@PASSED_COUNTER@", only(has_iv, ", counter")),
        ("@PASSED@", only(has_iv, ", next")),
        ("@NEXT@", only(has_iv, &format!("\n    uint8_t next[16];\n    memcpy(next, {iv}, 16);"))),
        (
            "@ADVANCE@",
            match (counts, has_iv) {
                (true, _) => "\n        advance(next, now);".into(),
                // The text's last block, which a result in the host's memory may overwrite later.
                (false, true) => "\n        memcpy(next, in + 16 * (done + now) - 16, 16);".into(),
                _ => String::new(),
            },
        ),
        ("@ADVANCED@", only(counts, ADVANCED)),
        ("@OWN@", if counts || !has_iv { COUNTED } else { CHAINED }.into()),
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
