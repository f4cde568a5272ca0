//! Tools that a profile needs, and how to install missing ones.

use crate::ProfileError;
use aesmith_judge::outside::not_started;
use std::path::Path;
use std::process::{Command, Output};

/// A compiler that is present.
pub struct Compiler {
    /// The program.
    pub program: String,
    /// The first line of its `--version` output.
    pub version: String,
}

/// The first line of a program's `--version` output, if the program is present.
pub fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
    output.status.success().then_some(text)
}

/// The compiler of this name; for `clang` also one with a version number in its name.
pub fn compiler(name: &str) -> Result<Compiler, ProfileError> {
    let numbered = (14..=21).rev().map(|n| format!("clang-{n}")).filter(|_| name == "clang");
    let found = std::iter::once(name.to_owned())
        .chain(numbered)
        .find_map(|program| version(&program).map(|version| Compiler { program, version }));
    found.ok_or_else(|| {
        ProfileError(format!(
            "the C forms must be compiled, and there is no {name}; apt-get install {name} brings it"
        ))
    })
}

/// The version of valgrind, or the reason why it is missing.
pub fn valgrind() -> Result<String, String> {
    version("valgrind").ok_or_else(|| "there is no valgrind; apt-get install valgrind brings it".into())
}

/// Runs a command to its end.
///
/// # Errors
/// The command cannot be run, or it fails; the message contains its output.
pub fn run(command: &mut Command) -> Result<Output, ProfileError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| {
        ProfileError(format!("{name} cannot be run: {}", not_started(Path::new(command.get_program()), &e)))
    })?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(ProfileError(format!("{name} failed ({}): {}", output.status, said.trim())))
}

/// Writes a file.
///
/// # Errors
/// The file cannot be written; the message names the path and the reason.
pub fn write(path: &Path, text: &str) -> Result<(), ProfileError> {
    std::fs::write(path, text).map_err(|e| ProfileError(format!("{} cannot be written: {e}", path.display())))
}
