//! Helpers of the tests of packages for GPUs.

use aesmith_processor::grid::Grids;
use aesmith_processor::trial::is_soak;
use std::process::{Command, Output};

/// The grids of GPUs.
pub fn gpu() -> &'static Grids {
    aesmith_processors::grids().find(|grids| grids.name == "gpu").expect("there is one")
}

/// Returns the first few variants; in a soak all of them.
pub fn tried<'v>(variants: &[&'v str], few: usize) -> Vec<&'v str> {
    variants.iter().copied().take(if is_soak() { variants.len() } else { few }).collect()
}

/// Runs a command and returns its output.
pub fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// Runs a command that must succeed and write nothing to standard error.
pub fn quiet(command: &mut Command) {
    let output = run(command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
}
