//! Kernels in the word operations that processors share: proofs of their special features, and their cycles.

use aesmith_arrange::Variant;
use aesmith_processor::core::Core;
use aesmith_processor::trial::{cycles, right_and_proved};

use super::CORES;
use super::dimensions::is_of_words;
use super::judge::QemuMicroBlaze;

fn core(name: &str) -> &'static Core {
    CORES.iter().find(|core| core.name == name).expect("a core of this family")
}

fn variant(name: &str, problem: &str, choices: &str) -> Variant {
    let problem = problem.parse().expect("a problem");
    core(name).table.read(problem, choices).unwrap_or_else(|e| panic!("{choices}: {e}"))
}

/// Features of no other kernel: counters that share two rounds, key words computed from others, tables of
/// InvMixColumns.
#[test]
fn what_only_they_have_is_right_and_proved() {
    let all = [
        ("aes128-ctr", "counter=cached"),
        ("aes256-ctr", "counter=cached barrel=no remade=1 tables=2"),
        ("aes192-cbc-dec", "tables=1 last=words"),
        ("aes128-cbc-dec", "extract=memory remade=2"),
        ("aes192-key-dec", "inverse=tables barrel=no"),
        ("aes256-key-dec", "inverse=tables"),
    ];
    let variants = all.map(|(problem, choices)| variant("microblaze-5", problem, choices));
    assert!(variants.iter().all(is_of_words));
    let core = core("microblaze-5");
    let kernels = variants.map(|v| (core.build)(&v).unwrap_or_else(|e| panic!("{v}: {e}")));
    right_and_proved(core, kernels, &QemuMicroBlaze, 1);
}

/// Next to each figure is that of the kernels which this family had of its own.
#[test]
fn cycles_of_a_block_or_a_key() {
    for (name, problem, choices, own, most) in [
        ("microblaze-5", "aes128-ecb", "saved=7", 718.0, 716.0),
        ("microblaze-3", "aes128-ecb", "last=words remade=3 join=shifts", 1114.0, 1080.0),
        ("microblaze-5", "aes128-ctr", "counter=cached extract=memory", 751.0, 607.0),
        ("microblaze-3", "aes128-ctr", "counter=cached join=shifts", 1108.0, 899.0),
        ("microblaze-5", "aes128-cbc", "", 748.0, 705.0),
        ("microblaze-3", "aes128-cbc", "last=words", 1109.0, 1073.0),
        ("microblaze-5", "aes128-cbc-dec", "", 753.0, 709.0),
        ("microblaze-3", "aes128-cbc-dec", "last=words", 1117.0, 1081.0),
        ("microblaze-5", "aes128-key", "", 270.0, 262.0),
        ("microblaze-5", "aes128-key-dec", "inverse=tables", 1470.0, 497.0),
        ("microblaze-5", "aes128-key-dec", "inverse=steps", 1470.0, 706.0),
        ("microblaze-3", "aes256-key-dec", "inverse=tables", 2552.0, 1075.0),
    ] {
        let (core, variant) = (core(name), variant(name, problem, choices));
        let found = cycles(core, &variant);
        println!("{name} {variant}: {found}, with its own {own}");
        assert!(found <= most, "{variant}: {found}");
    }
}
