//! The program `aesmith-bench`.

use std::process::ExitCode;

fn main() -> ExitCode {
    aesmith_cli::aesmith_bench()
}
