//! Kernels with custom instructions: interpreted, proved, and run on the RTL of the processors.

use crate::dimensions;
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Packing;
use aesmith_cipher::problem::{Direction, KeySize, Task};
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::scarv;
use super::tests::{check, core, judged, proved};
use aesmith_arrange::Variant;
use aesmith_processor::attach::attach;
use aesmith_processor::core::Core;
use aesmith_processor::trial::built;

/// A core with the instructions of a bundled set.
fn with(base: &str, set: &str) -> &'static Core {
    let extension = Extension::parse(sets::find(set).expect("a set")).expect("parses");
    attach(core(base), Box::leak(Box::new(extension)), Unit::default()).expect("attaches")
}

/// A core with instructions that need the state in another order than that of FIPS-197, or tiles that the file
/// does not specify.
fn in_another_order(base: &str, text: &str) -> &'static Core {
    let extension = Extension::parse(text).expect("parses");
    attach(core(base), Box::leak(Box::new(extension)), Unit::default()).expect("attaches")
}

fn blocks_and_schedules() -> [Task; 4] {
    let directions = [Direction::Encrypt, Direction::Decrypt];
    let [e, d] = directions.map(Task::Ecb);
    let [f, g] = directions.map(Task::KeySchedule);
    [e, d, f, g]
}

/// Kernels that use the instructions.
fn variants(core: &'static Core, problem: Problem) -> Vec<Variant> {
    let all = core.table.all(problem);
    let plain = |v: &Variant| {
        v.is(dimensions::Technique::Aes) && v.is(dimensions::State::Bytes) && v.is(dimensions::Keys::Plain)
    };
    all.into_iter().filter(|v| plain(v) && !v.is(dimensions::Code::Compressed)).collect()
}

#[test]
fn kernels_run_on_their_cores_with_the_unit() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for base in ["picorv32", "vexriscv"] {
        // With smix3, only InvMixColumns of round keys is plain code; without an S-box instruction every kernel
        // has a table.
        for (set, tasks, sections) in [("smix3", 1, 1), ("zkn", 4, 1), ("mixcolumns", 2, 2)] {
            let core = with(base, set);
            for task in blocks_and_schedules().into_iter().take(tasks) {
                for variant in variants(core, Problem::new(KeySize::Aes128, task)) {
                    let kernel = built(core, &variant).expect("is built");
                    assert_eq!(kernel.sections.len(), sections, "{variant}");
                    judged(core, &variant, &mut rng);
                }
            }
        }
    }
}

#[test]
fn kernels_of_every_set_that_fits_are_proved() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for (set, _) in sets::ALL {
        let extension = Extension::parse(sets::find(set).expect("a set")).expect("parses");
        let core = match attach(core("vexriscv"), Box::leak(Box::new(extension)), Unit::default()) {
            Ok(core) => core,
            Err(why) => {
                println!("{set}: {why}");
                continue;
            }
        };
        for size in KeySize::ALL {
            // Key sizes differ in the schedule, and in whether it has a program.
            if size != KeySize::Aes128 && !["zkn", "v5"].contains(set) {
                continue;
            }
            for task in blocks_and_schedules() {
                for variant in variants(core, Problem::new(size, task)) {
                    // Loops differ by operands that are overwritten, and by tiles.
                    let loops = size == KeySize::Aes128 && ["bertoni-bytes", "v5"].contains(set);
                    if !loops && !variant.is(dimensions::Rounds::Unrolled) {
                        continue;
                    }
                    // No set can decrypt with encryption instructions: a stated reason is not an error.
                    if let Err(why) = built(core, &variant) {
                        assert!(why.contains("cannot compute"), "{variant}: {why}");
                        continue;
                    }
                    let (_, trace) = check(core, &variant, &mut rng);
                    proved(core, &variant);
                    let cycles = trace.answer.and_then(|a| a.cycles).expect("counted");
                    let (bound, _) = (core.bound)(&variant).expect("a bound");
                    println!("{variant}: {cycles} cycles, bound {bound}");
                    assert!(cycles as f64 >= bound, "{variant}: {cycles} cycles, below the bound of {bound}");
                }
            }
        }
    }
}

/// State and round keys in the order that the instructions need cost fewer cycles than words that are permuted
/// in each round.
#[test]
fn the_order_that_instructions_want_is_kept_and_proved() {
    let mut rng = ChaCha8Rng::seed_from_u64(15);
    let high = include_str!("../../../crates/extension/tests/orders/high-row.toml").to_owned();
    let tiles = sets::find("v5").expect("a set").replacen("layout = \"tiles\"\n", "", 1);
    for (text, base) in [(&high, "vexriscv"), (&tiles, "rv32i")] {
        let core = in_another_order(base, text);
        for task in blocks_and_schedules() {
            let problem = Problem::new(KeySize::Aes128, task);
            let mut least = [f64::INFINITY; 2];
            // Loops of two rounds contain the same blocks twice.
            for variant in variants(core, problem).into_iter().filter(|v| !v.is(dimensions::Rounds::Paired)) {
                let found = variant.is(dimensions::Layout::Found);
                let kernel = match built(core, &variant) {
                    Ok(kernel) => kernel,
                    Err(why) if !found && why.contains("cannot compute") => continue,
                    Err(why) => panic!("{variant}: {why}"),
                };
                let (_, trace) = check(core, &variant, &mut rng);
                let cycles = trace.answer.and_then(|a| a.cycles).expect("counted") as f64;
                let least = &mut least[usize::from(found)];
                *least = least.min(cycles);
                let plain = matches!(kernel.contract.packing, Packing::RoundKeys | Packing::CipherKey);
                assert_eq!(plain, !found || variant.is(dimensions::Schedule::Fly), "{variant}");
                if found {
                    proved(core, &variant);
                }
            }
            println!("{base} {problem}: {} cycles as the file says, {} as it is found", least[0], least[1]);
            assert!(problem.key_schedule() == problem || least[1] < least[0], "{problem}: {least:?}");
        }
    }
}

#[test]
fn the_ratified_instructions_take_what_was_published() {
    // Marshall et al., TCHES 2021(1): 291 cycles with V3. Their published code is a loop of two rounds with an
    // exit in the middle, and loads the key words before each round.
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let core = with("scarv", "zkn");
    let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
    let of = |rounds: &str, rng: &mut ChaCha8Rng| {
        let variant = core.table.read(problem, &format!("rounds={rounds}")).expect("a value");
        check(core, &variant, rng).1.answer.and_then(|a| a.cycles).expect("counted")
    };
    let (paired, unrolled) = (of("paired", &mut rng), of("unrolled", &mut rng));
    println!(
        "{paired} cycles in a loop of two rounds, {} as it was measured; {unrolled} unrolled",
        scarv::measured(paired)
    );
    assert!((scarv::measured(paired) as f64 / 291.0 - 1.0).abs() < 0.05);
    assert!(unrolled < paired);
}
