//! Kernels with custom instructions: what they compute, their proofs, and what they cost.

use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;
use aesmith_prove_cores::prove;

use crate::arm::CORES;
use crate::arm::tests::judged;
use crate::attach::attach;
use crate::core::{Core, Kernel};
use crate::interpreter::Interpreter;
use crate::variant::Variant;

/// The base of a number with an extension that comes along.
fn extended(base: usize, set: &str) -> &'static Core {
    let extension = Extension::parse(sets::find(set).expect("it is there")).expect("parses");
    let extension: &'static Extension = Box::leak(Box::new(extension));
    attach(&CORES[base], extension, Unit::default()).unwrap_or_else(|m| panic!("{set}.toml, {m}"))
}

/// Every kernel that can be built; why the others cannot goes to the second list.
fn kernels(core: &'static Core) -> (Vec<Kernel>, Vec<String>) {
    let problems = Problem::all().into_iter().filter(|p| (core.solves)(*p));
    let variants = problems.flat_map(|p| Variant::all(p, core.name, core.dimensions));
    let (mut built, mut refused) = (Vec::new(), Vec::new());
    for variant in variants {
        match (core.build)(&variant) {
            Ok(kernel) => built.push(kernel),
            Err(why) => refused.push(format!("{variant}: {why}")),
        }
    }
    (built, refused)
}

#[test]
fn kernels_compute_the_cipher() {
    for (name, _) in sets::ALL {
        let core = extended(0, name);
        let (built, refused) = kernels(core);
        assert!(!built.is_empty(), "{name}: {refused:?}");
        refused.iter().for_each(|why| println!("{why}"));
        for kernel in built {
            let answer = &judged(core, &kernel, &Interpreter::new(core), 4)[0];
            println!("{}: {} cycles", kernel.variant, answer.cycles.unwrap());
        }
    }
}

#[test]
fn every_kernel_is_proved() {
    for (name, _) in sets::ALL {
        let core = extended(1, name);
        for kernel in kernels(core).0 {
            let image = kernel.image((core.isa)()).unwrap();
            let function = image.symbol(&kernel.symbol).unwrap();
            let proof = prove((core.isa)(), core.convention, &image, function, &kernel.contract)
                .unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
            let judged = judged(core, &kernel, &Interpreter::new(core), 1);
            assert_eq!(Some(proof.stack_bytes), judged[0].stack, "{}", kernel.variant);
            assert!(proof.constant_time, "{}", kernel.variant);
        }
    }
}

/// The three-operand byte SMix, saved registers, call and return counted: the first published goal,
/// and what the loads and instructions of this dataflow come to.
#[test]
fn the_third_operand_pays() {
    for (base, goal) in [(0, 264), (1, 238)] {
        let core = extended(base, "smix3");
        let problem = Problem::new(KeySize::Aes128, Task::Ecb(Direction::Encrypt));
        let cycles = |variant: &Variant| {
            let kernel = (core.build)(variant).unwrap();
            judged(core, &kernel, &Interpreter::new(core), 1)[0].cycles.unwrap()
        };
        let best = Variant::all(problem, core.name, core.dimensions).iter().map(cycles).min().unwrap();
        println!("{}: {best} cycles", core.name);
        assert!(best <= goal, "{best}");
    }
}
