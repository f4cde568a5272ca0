//! Kernels in the interpreter, in the prover, in qemu and in GNU as.

use aesmith_arrange::Variant;
use aesmith_cipher::{KeySize, Problem};
use aesmith_judge::judge::{Answer, ExactJudge, Judge, Question};
use aesmith_processor::calls::{Layout, random_call};
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::judged;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::dimensions;
use super::judge::QemuPowerPc;
use super::table::isa;

fn problems() -> Vec<Problem> {
    Problem::all().into_iter().filter(|&p| (CORES[0].solves)(p)).collect()
}

/// The plain variant, and each that differs from it in one choice; with longer keys, some of these.
fn sample(problem: Problem) -> Vec<Variant> {
    let plain = CORES[0].table.plain(problem);
    let all =
        std::iter::once(plain.clone()).chain(plain.neighbours()).filter(|v| (CORES[0].build)(v).is_ok());
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

/// Cycles and instructions of a block in a long message, by the difference of two that are short enough for a judge.
fn of_a_block(core: &'static Core, variant: &Variant) -> Option<(f64, f64)> {
    let kernel = (core.build)(variant).ok()?;
    let image = kernel.image(isa()).expect("assembles");
    let layout = Layout::new(core, &image, kernel.contract).expect("has room");
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut call = |blocks: usize| {
        let mut given = random_call(&mut random, kernel.contract, blocks, blocks);
        given.iv[15] = 0;
        layout.call(&given).call
    };
    let calls = vec![call(16), call(32)];
    let function = image.symbol(&kernel.symbol).expect("the function");
    let question = Question { image: &image, function, calls, limit: 1_000_000 };
    let answers = Interpreter::new(core).answer(&question).expect("runs");
    let each = |of: fn(&Answer) -> Option<u64>| {
        let [short, long] = [0, 1].map(|k| of(&answers[k]).expect("counted") as f64);
        (long - short) / 16.0
    };
    Some((each(|a| a.cycles), each(|a| a.instructions)))
}

/// Bernstein and Schwabe's figure for a PowerPC G4 is 233 cycles and 464 instructions (INDOCRYPT 2008, section 4).
#[test]
fn counter_mode_by_the_block() {
    let core = &CORES[0];
    let plain = core.table.plain("aes128-ctr".parse().expect("a problem"));
    let each = plain.with_choice(dimensions::Counter::Each).expect("a choice");
    let ahead = plain.with_choice(dimensions::Ahead::Yes).expect("a choice");
    let pointers = ahead.with_choice(dimensions::Pointers::Two).expect("a choice");
    let best = pointers.with_choice(dimensions::Kept::Six).expect("a choice");
    for (variant, cycles, instructions) in
        [(each, 284.0, 557.0), (plain, 225.0, 446.0), (ahead, 224.0, 446.0), (best, 220.0, 440.0)]
    {
        let found = of_a_block(core, &variant).unwrap_or_else(|| panic!("{variant} is built"));
        println!("{variant}: {found:?}");
        assert!(found.0 <= cycles && found.1 <= instructions, "{variant}: {found:?}");
    }
}
