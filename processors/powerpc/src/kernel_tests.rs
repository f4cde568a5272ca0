//! Kernels in the interpreter, in the prover, in qemu and in GNU as.

use aesmith_arrange::Variant;
use aesmith_cipher::{KeySize, Problem};
use aesmith_judge::judge::Judge;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::judged;

use super::CORES;
use super::judge::QemuPowerPc;
use super::table::isa;

fn problems() -> Vec<Problem> {
    Problem::all().into_iter().filter(|&p| (CORES[0].solves)(p)).collect()
}

/// The plain variant, and each that differs from it in one choice; with longer keys, some of these.
fn sample(problem: Problem) -> Vec<Variant> {
    let plain = CORES[0].table.plain(problem);
    let all = std::iter::once(plain.clone()).chain(plain.neighbours());
    let every = if problem.key == KeySize::Aes128 { 1 } else { 3 };
    all.step_by(every).collect()
}

#[test]
fn kernels_compute_the_cipher_in_the_interpreter() {
    for problem in problems() {
        for variant in sample(problem) {
            let kernel = (CORES[0].build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let answers = judged(&CORES[0], &kernel, &Interpreter::new(&CORES[0]), 20);
            let cycles = answers[0].cycles.expect("cycles");
            let bound = (CORES[0].bound)(&variant);
            println!("{variant}: {cycles} cycles, {bound:?}");
            assert!(bound.is_none_or(|(bound, _)| cycles as f64 >= bound), "{variant}");
        }
    }
}

#[test]
fn kernels_are_proved() {
    for problem in problems() {
        for variant in sample(problem) {
            let kernel = (CORES[0].build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let image = kernel.image(isa()).expect("assembles");
            let function = image.symbol(&kernel.symbol).expect("the function");
            let started = std::time::Instant::now();
            let proof =
                aesmith_prove::bits::prove(isa(), CORES[0].convention, &image, function, &kernel.contract);
            println!("{variant}: {:?}", started.elapsed());
            if let Err(why) = proof {
                panic!("{variant}: {why}");
            }
        }
    }
}

#[test]
fn qemu_agrees_on_a_thousand_calls() {
    if let Err(why) = QemuPowerPc.present() {
        return println!("skipped: {why}");
    }
    for problem in problems() {
        for variant in sample(problem).into_iter().step_by(2) {
            let kernel = (CORES[0].build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let ours = judged(&CORES[0], &kernel, &Interpreter::new(&CORES[0]), 1);
            let theirs = judged(&CORES[0], &kernel, &QemuPowerPc, 1000);
            assert!(theirs[0].stack <= ours[0].stack, "{variant}: {:?} {:?}", theirs[0].stack, ours[0].stack);
        }
    }
}
