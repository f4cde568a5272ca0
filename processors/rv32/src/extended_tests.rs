//! Kernels with custom instructions, run on the RTL of the processors.

use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;

use super::CORES;
use super::dimensions::{Code, Keys, Technique};
use super::scarv;
use aesmith_arrange::Variant;
use aesmith_processor::attach::attach;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::built;
use aesmith_processor::trial::kernels::{Checks, core, steady, variants};

/// A core with the instructions of a bundled set.
fn with(base: &str, set: &str) -> &'static Core {
    let extension = Extension::parse(sets::find(set).expect("a set")).expect("parses");
    attach(core(CORES, base), Box::leak(Box::new(extension)), Unit::default()).expect("attaches")
}

#[test]
fn kernels_run_on_their_cores_with_the_unit() {
    let checks =
        Checks { bounded: false, proved: 0, judged: 1, judged_calls: 10, error: 0.01, ..Checks::PROVED };
    let problems = ["aes128-ecb", "aes128-ecb-dec", "aes128-key", "aes128-key-dec"];
    for base in ["picorv32", "vexriscv"] {
        // With smix3, only InvMixColumns of round keys is plain code; without an S-box instruction every kernel
        // has a table.
        for (set, problems, sections) in
            [("smix3", &problems[..1], 1), ("zkn", &problems[..], 1), ("mixcolumns", &problems[..2], 2)]
        {
            let core = with(base, set);
            let uses = |v: &Variant| v.is(Technique::Aes) && v.is(Keys::Plain);
            let all = problems.iter().flat_map(|p| core.table.all(p.parse().expect("a problem")));
            let all: Vec<Variant> = all.filter(|v| uses(v) && !v.is(Code::Compressed)).collect();
            for variant in &all {
                assert_eq!(built(core, variant).expect("is built").sections.len(), sections, "{variant}");
            }
            checks.of(core, &all);
        }
    }
}

#[test]
fn the_ratified_instructions_take_what_was_published() {
    // Marshall et al., TCHES 2021(1): 291 cycles with V3. Their published code is a loop of two rounds with an
    // exit in the middle, and loads the key words before each round.
    let core = with("scarv", "zkn");
    let both = variants(core, &["aes128-ecb rounds=paired", "aes128-ecb rounds=unrolled"]);
    let cycles = |v| steady(core, v, &Interpreter::new(core), 4).cycles.expect("counted");
    let (paired, unrolled) = (cycles(&both[0]), cycles(&both[1]));
    println!(
        "{paired} cycles in a loop of two rounds, {} as it was measured; {unrolled} unrolled",
        scarv::measured(paired)
    );
    assert!((scarv::measured(paired) as f64 / 291.0 - 1.0).abs() < 0.05);
    assert!(unrolled < paired);
}
