//! What tests of packages for GPUs have in common.

use aesmith_processor::grid::Grids;
use aesmith_processor::trial::is_soak;
use std::process::{Command, Output};

/// GPUs.
pub fn gpu() -> &'static Grids {
    aesmith_processors::grids().find(|grids| grids.name == "gpu").expect("there is one")
}

/// The first few variants; in a soak all of them.
pub fn tried<'v>(variants: &[&'v str], few: usize) -> Vec<&'v str> {
    variants.iter().copied().take(if is_soak() { variants.len() } else { few }).collect()
}

/// What a command says.
pub fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// A command that must succeed and say nothing on standard error.
pub fn quiet(command: &mut Command) {
    let output = run(command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
}
