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

/// Of the plain variant and that with caching, and each that differs from one of these in one choice, every second; with
/// longer keys, fewer.
fn sample(problem: Problem) -> Vec<Variant> {
    let plain = CORES[0].table.plain(problem);
    let cached = plain.with_choice(dimensions::Counter::Cached).ok();
    let mut all: Vec<Variant> = Vec::new();
    for variant in [Some(plain), cached].into_iter().flatten() {
        let near = variant.neighbours();
        all.extend(std::iter::once(variant).chain(near).filter(|v| v.check().is_ok()));
    }
    let mut seen = Vec::new();
    all.retain(|v| {
        !seen.contains(v) && (CORES[0].build)(v).is_ok() && {
            seen.push(v.clone());
            true
        }
    });
    let every = if problem.key == KeySize::Aes128 { 2 } else { 9 };
    all.into_iter().step_by(every).collect()
}

#[test]
fn kernels_are_right_and_proved() {
    let core = &CORES[0];
    let qemu = QemuPowerPc.present();
    if let Err(why) = &qemu {
        println!("not in qemu: {why}");
    }
    for (number, variant) in problems().into_iter().flat_map(sample).enumerate() {
        let kernel = (core.build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
        let ours = judged(core, &kernel, &Interpreter::new(core), 5);
        let (bound, _) = (core.bound)(&variant).expect("there is one");
        let cycles = ours[0].cycles.expect("cycles");
        println!("{variant}: {cycles} cycles, bound {bound}");
        assert!(cycles as f64 >= bound, "{variant}");
        let image = kernel.image(isa()).expect("assembles");
        let function = image.symbol(&kernel.symbol).expect("the function");
        let proof = aesmith_prove::bits::prove(isa(), core.convention, &image, function, &kernel.contract);
        if let Err(why) = proof {
            panic!("{variant}: {why}");
        }
        if number % 2 == 0 && qemu.is_ok() {
            let theirs = judged(core, &kernel, &QemuPowerPc, 1000);
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
    let cached = plain.with_choice(dimensions::Counter::Cached).expect("a choice");
    let ahead = cached.with_choice(dimensions::Ahead::Yes).expect("a choice");
    let pointers = ahead.with_choice(dimensions::Pointers::Two).expect("a choice");
    let best = pointers.with_choice(dimensions::Kept::Six).expect("a choice");
    for (variant, cycles, instructions) in
        [(plain, 284.0, 557.0), (cached, 225.0, 446.0), (ahead, 224.0, 446.0), (best, 220.0, 440.0)]
    {
        let found = of_a_block(core, &variant).unwrap_or_else(|| panic!("{variant} is built"));
        println!("{variant}: {found:?}");
        assert!(found.0 <= cycles && found.1 <= instructions, "{variant}: {found:?}");
    }
}
