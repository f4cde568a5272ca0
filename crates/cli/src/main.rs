//! The program `aesmith`.

use std::process::ExitCode;

fn main() -> ExitCode {
    aesmith_cli::aesmith()
}
