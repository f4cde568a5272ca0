//! Kernels in the interpreter, in the prover, in qemu and in GNU as.

use aesmith_arrange::Variant;
use aesmith_cipher::{KeySize, Problem};
use aesmith_processor::trial::{of_a_block, right_and_proved};

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
    let variants: Vec<Variant> = problems().into_iter().flat_map(sample).collect();
    right_and_proved(&CORES[0], &variants, &QemuPowerPc, 2);
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

#[test]
fn trial_of_vectors() {
    let core = &CORES[0];
    let only = std::env::var("ONLY").unwrap_or_default();
    let all = std::env::var("ALL").is_ok();
    for problem in problems() {
        if !only.is_empty() && !problem.to_string().starts_with(&only) {
            continue;
        }
        let mut plain =
            core.table.plain(problem).with_choice(dimensions::Technique::Vperm).expect("a choice");
        if let Ok(c) = plain.with_choice(dimensions::Rows::Fixed) {
            plain = c;
        }
        if std::env::var("CACHED").is_ok() {
            if let Ok(c) = plain.with_choice(dimensions::Counter::Cached) {
                plain = c;
            }
        }
        if let Ok(seed) = std::env::var("SEED") {
            plain.seed = seed.parse().unwrap();
        }
        let mut variants = vec![plain.clone()];
        if all {
            variants.extend(plain.neighbours().into_iter().filter(|v| v.is(dimensions::Technique::Vperm)));
        }
        for variant in variants {
            match (core.build)(&variant) {
                Err(why) => println!("{variant}: {why}"),
                Ok(kernel) => {
                    let t0 = std::time::Instant::now();
                    let ours = aesmith_processor::trial::judged(
                        core,
                        &kernel,
                        &aesmith_processor::interpreter::Interpreter::new(core),
                        5,
                    );
                    let bound = (core.bound)(&variant).expect("there is one").0;
                    println!(
                        "{variant}: {:?} block {:?} bound {bound} {:?}",
                        ours[0].cycles,
                        of_a_block(core, &variant),
                        t0.elapsed()
                    );
                    if std::env::var("NOPROOF").is_ok() {
                        continue;
                    }
                    let image = kernel.image(isa()).expect("assembles");
                    let function = image.symbol(&kernel.symbol).expect("the function");
                    let t0 = std::time::Instant::now();
                    let proof = aesmith_prove::bits::prove(
                        isa(),
                        core.convention,
                        &image,
                        function,
                        &kernel.contract,
                    );
                    match proof {
                        Ok(proof) => println!(
                            "    proved, ct {} align {} stack {} {:?}",
                            proof.constant_time,
                            proof.alignment,
                            proof.stack_bytes,
                            t0.elapsed()
                        ),
                        Err(why) => println!("    {why} {:?}", t0.elapsed()),
                    }
                }
            }
        }
    }
}
