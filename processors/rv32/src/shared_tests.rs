//! Kernels in the word operations that processors share: proofs of their special features, and their cycles.

use aesmith_arrange::Variant;
use aesmith_processor::trial::cycles;

use super::dimensions::is_of_words;
use super::tests::{core, proved};

fn variant(name: &str, problem: &str, choices: &str) -> Variant {
    let problem = problem.parse().expect("a problem");
    core(name).table.read(problem, choices).unwrap_or_else(|e| panic!("{choices}: {e}"))
}

/// Features of no other kernel: key words in registers, key words computed from others, tables of
/// InvMixColumns.
#[test]
fn what_only_they_have_is_proved() {
    for (problem, choices) in [
        ("aes128-ctr", "counter=cached kept=4 remade=3"),
        ("aes256-ctr", "technique=halves counter=cached kept=2 remade=1"),
        ("aes192-cbc", "technique=table kept=4"),
        ("aes128-cbc-dec", "last=words kept=4 remade=3"),
        ("aes192-key-dec", "inverse=tables"),
        ("aes256-key-dec", "inverse=tables"),
    ] {
        let variant = variant("rv32i", problem, choices);
        assert!(is_of_words(&variant), "{variant}");
        assert!(!proved(core("rv32i"), &variant).constant_time, "{variant}");
    }
}

/// Next to each figure is that of the kernels which this family had of its own.
#[test]
fn cycles_of_a_block_or_a_key() {
    let cached = "last=words counter=cached";
    let remade = format!("{cached} kept=2 remade=3");
    let chain = "last=words kept=4 remade=3";
    for (name, problem, choices, own, most) in [
        ("rv32i", "aes128-ecb", "last=words", 856.0, 856.0),
        ("picorv32", "aes128-ecb", "last=words remade=3", 2995.0, 2947.0),
        ("rv32i", "aes128-ctr", &format!("{cached} kept=6"), 724.0, 704.0),
        ("picorv32", "aes128-ctr", &remade, 2536.0, 2432.0),
        ("ibex", "aes128-ctr", &remade, 907.0, 863.0),
        ("fe310", "aes128-ctr", &format!("{cached} kept=5"), 726.0, 705.0),
        ("rv32i", "aes128-cbc-dec", "last=words kept=8", 874.0, 856.0),
        ("ibex", "aes128-cbc-dec", chain, 1099.0, 1050.0),
        ("rv32i", "aes128-key", "", 301.0, 301.0),
        ("rv32i", "aes128-key-dec", "inverse=tables", 1565.0, 555.0),
        ("rv32i", "aes128-key-dec", "inverse=steps", 1565.0, 753.0),
        ("rv32-zkn", "aes128-key-dec", "", 427.0, 259.0),
        ("ibex", "aes256-key-dec", "inverse=tables", 2345.0, 1009.0),
    ] {
        let (core, variant) = (core(name), variant(name, problem, choices));
        let found = cycles(core, &variant);
        println!("{variant}: {found}, with its own {own}");
        assert!(found <= most, "{variant}: {found}");
    }
}
