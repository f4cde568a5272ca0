//! Kernels in the interpreter, in the prover and in qemu.

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
use super::judge::QemuSparc;
use super::table::isa;

fn problems() -> Vec<Problem> {
    Problem::all().into_iter().filter(|&p| (CORES[0].solves)(p)).collect()
}

/// Of the plain variant and two with most choices made, and each that differs from one of these in one choice, some; with
/// longer keys, fewer.
fn sample(problem: Problem) -> Vec<Variant> {
    let plain = CORES[0].table.plain(problem);
    let padded = plain.with_choice(dimensions::Words::Narrow).ok();
    let most = padded.as_ref().and_then(|padded| {
        let pairs = padded.with_choice(dimensions::Tables::Pairs).ok()?;
        let together = pairs.with_choice(dimensions::Columns::Together).unwrap_or(pairs);
        Some(together.with_choice(dimensions::Counter::Cached).unwrap_or(together))
    });
    let mut all: Vec<Variant> = Vec::new();
    for variant in [Some(plain), padded, most].into_iter().flatten() {
        let near = variant.neighbours();
        all.extend(std::iter::once(variant).chain(near).filter(|v| v.check().is_ok()));
    }
    let mut seen: Vec<Variant> = Vec::new();
    all.retain(|v| {
        let is_new = !seen.contains(v);
        seen.push(v.clone());
        is_new
    });
    let every = if problem.key == KeySize::Aes128 { 9 } else { 40 };
    all.into_iter().step_by(every).filter(|v| (CORES[0].build)(v).is_ok()).collect()
}

#[test]
fn kernels_are_right_and_proved() {
    let core = &CORES[0];
    let qemu = QemuSparc.present();
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
        if number % 4 == 0 && qemu.is_ok() {
            let theirs = judged(core, &kernel, &QemuSparc, 1000);
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

/// Bernstein and Schwabe's figure for an UltraSPARC III is 193 cycles and 505 instructions (INDOCRYPT 2008, section 4).
#[test]
fn counter_mode_by_the_block() {
    let core = &CORES[0];
    let problem = "aes128-ctr".parse().expect("a problem");
    let narrow = "words=narrow tables=2x2";
    let cached = &format!("{narrow} last=1 columns=together counter=cached");
    for (choices, cycles, instructions) in [
        ("", 318.0, 839.0),
        ("words=scaled", 275.0, 759.0),
        ("words=scaled last=parts", 271.0, 735.0),
        ("words=padded last=parts", 228.0, 667.0),
        (&format!("{narrow} last=parts"), 226.0, 639.0),
        (cached, 179.0, 490.0),
        (&format!("{cached} remade=1"), 168.0, 490.0),
    ] {
        let variant = core.table.read(problem, choices).unwrap_or_else(|e| panic!("{choices}: {e}"));
        let found = of_a_block(core, &variant).unwrap_or_else(|| panic!("{variant} is built"));
        println!("{variant}: {found:?}");
        assert!(found.0 <= cycles && found.1 <= instructions, "{variant}: {found:?}");
    }
}
