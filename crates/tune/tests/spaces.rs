//! Random variants for processors other than this machine: a variant becomes a program that is proved, or a
//! message says why not. Half of the variants are the same in every run, the others are drawn from a seed
//! that is printed: `AESMITH_SEED=N` repeats them.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::bits_certificate::proved;
use aesmith_processor::core::Core;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::timing::{Timing, class};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The seed of the half that is the same in every run.
const SEED: u64 = 197;
/// One of this many built programs is proved.
const PROVED_OF: usize = 6;

fn variant(random: &mut ChaCha8Rng, core: &Core, problem: Problem) -> Variant {
    let mut variant = core.table.plain(problem);
    for dimension in core.table.dimensions {
        let value = dimension.values.at(random.random_range(0..dimension.values.count()));
        variant = variant.with(dimension, value).clamped();
    }
    variant
}

#[test]
fn every_variant_is_built_and_proved_or_refused_by_a_sentence() {
    let fresh = std::env::var("AESMITH_SEED").ok().and_then(|n| n.parse().ok());
    let fresh = fresh.unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
    println!("AESMITH_SEED={fresh} repeats the half of the variants that differs between runs");
    let (mut built, mut refused, mut wrong) = (0, 0, Vec::new());
    for seed in [SEED, fresh] {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for core in aesmith_processors::cores() {
            for problem in Problem::all().into_iter().filter(|p| (core.solves)(*p)) {
                // The seed selects some tasks and sizes of key.
                if !random.random_ratio(1, 8) {
                    continue;
                }
                let variant = variant(&mut random, core, problem);
                let text = variant.to_string();
                let start = format!("{problem} processor={} ", core.name);
                let choices = text.strip_prefix(&start).unwrap_or_default();
                let read = core.table.read(problem, choices);
                assert_eq!(read.as_ref(), Ok(&variant), "{text}");
                let build = || (core.build)(&variant).and_then(|kernel| BuiltKernel::new(core, kernel));
                // State that a panicking build leaves behind is not used again.
                let made = catch_unwind(AssertUnwindSafe(build));
                match made {
                    Err(_) => wrong.push(format!("{text} panics")),
                    Ok(Err(why)) => {
                        refused += 1;
                        if why.split_whitespace().count() < 5 {
                            wrong.push(format!("{text} is refused without a sentence: `{why}`"));
                        }
                    }
                    Ok(Ok(made)) => {
                        built += 1;
                        if built % PROVED_OF == 0 {
                            wrong.extend(unproved(core, &made));
                        }
                    }
                }
            }
        }
    }
    println!("{built} variants were built, {refused} refused");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(built > 50 && built > refused, "{built} built, {refused} refused");
}

/// The fault in a program's proof, if any.
fn unproved(core: &Core, made: &BuiltKernel) -> Option<String> {
    let text = &made.kernel.variant;
    match proved(core, made) {
        Err(why) => Some(format!("{text} is built and not proved: {why}")),
        Ok(proof) => {
            let admitted = Timing::Constant.admits(core, &proof);
            (admitted != (class(core, &proof) == "CT"))
                .then(|| format!("{text}: its class is not its time's"))
        }
    }
}
