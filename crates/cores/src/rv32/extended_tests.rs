//! Kernels with custom instructions: interpreted, proved, and run on the processors' own RTL.

use aesmith_cipher::Problem;
use aesmith_cipher::problem::{Direction, KeySize, Task};
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::tests::{check, core, judged, proved};
use crate::attach::attach;
use crate::core::Core;
use crate::variant::Variant;

/// A core with the instructions of a set that comes along.
fn with(base: &str, set: &str) -> &'static Core {
    let extension = Extension::parse(sets::find(set).expect("a set")).expect("parses");
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
    let all = Variant::all(problem, core.name, core.dimensions);
    let plain = |v: &Variant| v.is("technique", "aes") && v.is("state", "bytes") && v.is("keys", "plain");
    all.into_iter().filter(|v| plain(v) && !v.is("code", "compressed")).collect()
}

#[test]
fn kernels_with_smix_are_the_cipher_and_proved() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let core = with("picorv32", "smix3");
    for size in KeySize::ALL {
        for task in blocks_and_schedules() {
            for variant in variants(core, Problem::new(size, task)) {
                match (core.build)(&variant) {
                    Err(why) => println!("{variant}: {why}"),
                    Ok(kernel) => {
                        let (_, trace) = check(core, &variant, &mut rng);
                        let proof = proved(core, &variant);
                        let cycles = trace.answer.and_then(|a| a.cycles).expect("counted");
                        let bound = (core.bound)(&variant).map(|(b, _)| b);
                        println!(
                            "{variant}: {cycles} cycles, bound {bound:?}, {} bytes, constant time {}",
                            kernel.flash((core.isa)()),
                            proof.constant_time
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn kernels_run_on_their_cores_with_the_unit() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for base in ["picorv32", "vexriscv"] {
        for (set, tasks) in [("smix3", 1), ("zkn", 4)] {
            let core = with(base, set);
            for task in blocks_and_schedules().into_iter().take(tasks) {
                for variant in variants(core, Problem::new(KeySize::Aes128, task)) {
                    judged(core, &variant, &mut rng);
                }
            }
        }
    }
}
