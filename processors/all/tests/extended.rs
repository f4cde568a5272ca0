//! Kernels with custom instructions on every kind of base: what they compute, their proofs, and the order of the state.

use aesmith_arrange::Variant;
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::problem::{KeySize, Problem, Task};
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use aesmith_processor::attach::attach;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::kernels::{Checks, buildable, problems, proved};
use aesmith_processor::trial::{built, judged};

/// A base with the instructions of a file, if they fit.
fn with(base: &str, text: &str) -> Result<&'static Core, String> {
    let extension = Box::leak(Box::new(Extension::parse(text).expect("parses")));
    let base = aesmith_processors::core(base).expect("it is registered");
    attach(base, extension, Unit::default()).map_err(|mistake| mistake.to_string())
}

/// The variants for blocks and key schedules that use the instructions.
fn variants(core: &'static Core) -> impl Iterator<Item = Variant> {
    let is_block = |p: &Problem| matches!(p.task, Task::Ecb(_) | Task::KeySchedule(_));
    let others = ["table", "bytewise", "bitsliced", "sliced", "compressed"];
    let dimensions = ["technique", "keys", "code"];
    let uses =
        move |v: &Variant| !dimensions.iter().any(|d| v.text_of(d).is_some_and(|t| others.contains(&t)));
    problems(core).filter(is_block).flat_map(|problem| core.table.all(problem)).filter(uses)
}

/// Checks the kernels of all sets that fit on a base; those that cannot be built for a reason that is given are left out.
fn every_set(base: &str, proved: usize, takes: fn(&str, &Variant) -> bool) {
    for (set, text) in sets::ALL {
        let core = match with(base, text) {
            Ok(core) => core,
            Err(why) => {
                println!("{set}: {why}");
                continue;
            }
        };
        // Outside of a soak, a third of many.
        let all: Vec<Variant> = variants(core).filter(|v| takes(set, v)).collect();
        let every = if aesmith_processor::trial::is_soak() || all.len() < 24 { 1 } else { 3 };
        let all: Vec<Variant> = all.into_iter().step_by(every).collect();
        // No set can decrypt with instructions for encryption; on ARM a kernel may also lack registers.
        for why in all.iter().filter_map(|v| built(core, v).err()).filter(|_| base == "vexriscv") {
            assert!(why.contains("cannot compute"), "{set}: {why}");
        }
        let all = buildable(core, all);
        // Beside a table every kernel looks secrets up.
        let constant =
            if *set == "mixcolumns" { |_: &Variant| Some(false) } else { |_: &Variant| Some(true) };
        let stack_proved = true;
        Checks { calls: 4, bounded: false, proved, stack_proved, constant, ..Checks::PROVED }.of(core, &all);
    }
}

#[test]
fn kernels_of_every_set_are_right_and_proved() {
    every_set("arm7tdmi", 0, |_, _| true);
    every_set("arm9tdmi", 1, |_, _| true);
    every_set("vexriscv", 1, |set, v| {
        // Key sizes differ in the schedule, and in whether it has a program; loops by operands that are overwritten, and by tiles.
        let is_short = v.problem.key == KeySize::Aes128;
        let has_loops = is_short && ["bertoni-bytes", "v5"].contains(&set);
        (is_short || ["zkn", "v5"].contains(&set)) && (has_loops || v.text_of("rounds") == Some("unrolled"))
    });
}

/// State and round keys in the order that the instructions need cost fewer cycles than words that are permuted in each round.
#[test]
fn the_order_that_instructions_want_is_kept_and_proved() {
    let high = include_str!("../../../crates/extension/tests/orders/high-row.toml");
    let tiles = &sets::find("v5").expect("it is there").replacen("layout = \"tiles\"\n", "", 1);
    for (base, text, longest) in [
        ("arm7tdmi", high, KeySize::Aes256),
        ("arm7tdmi", tiles, KeySize::Aes256),
        ("vexriscv", high, KeySize::Aes128),
        ("rv32i", tiles, KeySize::Aes128),
    ] {
        let core = with(base, text).expect("attaches");
        let mut least = std::collections::BTreeMap::<String, [u64; 2]>::new();
        // Loops of two rounds contain the same blocks twice.
        let is_taken = |v: &Variant| {
            (v.problem.key == KeySize::Aes128 || v.problem.key == longest)
                && v.text_of("rounds") != Some("paired")
        };
        for variant in variants(core).filter(is_taken) {
            let found = variant.text_of("layout") == Some("found");
            let fly = variant.text_of("schedule") == Some("fly");
            let kernel = match built(core, &variant) {
                Ok(kernel) => kernel,
                // A state in FIPS-197's order needs more, and keys in registers leave less.
                Err(why) if !found || fly => {
                    println!("{variant}: {why}");
                    continue;
                }
                Err(why) => panic!("{variant}: {why}"),
            };
            let plain = matches!(kernel.contract.packing, Packing::RoundKeys | Packing::CipherKey);
            assert_eq!(plain, !found || fly, "{variant}");
            let cycles = judged(core, &kernel, &Interpreter::new(core), 4)[0].cycles.expect("counted");
            if variant.problem.key == KeySize::Aes128 && !fly {
                let least = least.entry(variant.problem.to_string()).or_insert([u64::MAX; 2]);
                least[usize::from(found)] = least[usize::from(found)].min(cycles);
            }
            if found {
                proved(core, &kernel);
            }
        }
        assert_eq!(least.len(), 4);
        for (problem, [stated, found]) in least {
            println!("{base} {problem}: {stated} cycles as the file says, {found} as it is found");
            assert!(problem.contains("key") || found < stated, "{problem}: {stated}, {found}");
        }
    }
}
