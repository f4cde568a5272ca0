//! Commands of `aesmith` that the program for developers does: they keep their names, and few users need them.

use crate::failure::Failure;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The program for developers, which a build leaves beside this one.
const PROGRAM: &str = "aesmith-bench";

/// Replaces this process by the program for developers, which reads the same command line. Returns only if there is no such
/// program.
pub fn pass_on() -> Result<(), Failure> {
    let own = std::env::current_exe()
        .map_err(|why| Failure::Other(format!("the place of this program cannot be found: {why}")))?;
    let program = own.with_file_name(PROGRAM);
    let why = Command::new(&program).args(std::env::args_os().skip(1)).exec();
    Err(match why.kind() {
        ErrorKind::NotFound => Failure::Missing(format!(
            "{PROGRAM}, the program for developers, does this, and it is not beside aesmith ({}); `cargo build --release \
             --package aesmith-cli` in aesmith's sources builds both",
            program.display()
        )),
        _ => Failure::Other(format!("{} cannot be started: {why}", program.display())),
    })
}
