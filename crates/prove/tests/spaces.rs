//! Random variants: each becomes a kernel that is proved, or is refused with a sentence. Nothing panics, and no wrong
//! kernel is built.
//!
//! Half of the variants are the same in every run; the others are drawn from a seed that is printed: `AESMITH_SEED=N`
//! repeats them, and `AESMITH_VARIANTS=N` sets the number of variants.

use aesmith_arrange::variant::Move;
use aesmith_arrange::{Dimension, Technique, Values, Variant};
use aesmith_cipher::{Problem, Task};
use aesmith_prove::Prover;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{Kernel, Target, build, dispatch};
use aesmith_x86::levels::LEVELS;
use aesmith_x86::targets;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::panic::catch_unwind;

/// The number of variants in a run.
const VARIANTS: usize = 7_000;
/// The seed of the half that is the same in every run.
const SEED: u64 = 197;
/// The longest kernel that is proved, in bytes.
const MOST_BYTES: usize = 40_000;

/// The interval between the proved kernels of a problem and technique, of which the first is always proved: proofs of
/// rounds with many instructions take longer than all else here.
fn proved_of(technique: Technique) -> usize {
    match technique {
        Technique::Aes => 4,
        Technique::Gfni | Technique::Table | Technique::Bytewise => 10,
        Technique::Vbmi | Technique::Vperm => 30,
        Technique::Bitsliced => 100,
    }
}

/// True if there can be no kernel: registers of four blocks need a multiple of four streams, and GCM and XTS AES instructions.
fn has_no_kernel(problem: Problem, technique: Technique) -> bool {
    let cbc = matches!(problem.task, Task::CbcEncrypt { .. });
    let needs_instructions = matches!(problem.task, Task::Gcm(_) | Task::GcmTable | Task::Xts(_));
    needs_instructions && technique != Technique::Aes
        || technique == Technique::Vbmi && cbc && !problem.streams().is_multiple_of(4)
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// A random value of a dimension: often the default or an end of its range.
fn value(random: &mut ChaCha8Rng, d: &Dimension) -> u16 {
    let count = d.values.count();
    match random.random_range(0..8) {
        0..4 => d.default,
        4 => d.values.at(count - 1),
        5 => d.values.at(0),
        _ => match d.values {
            // Half of the masks have just their lowest bits set, and the others are arbitrary.
            Values::Mask(bits) if random.random() => ((1u32 << random.random_range(0..=bits)) - 1) as u16,
            values => values.at(random.random_range(0..count)),
        },
    }
}

fn variant(random: &mut ChaCha8Rng, problem: Problem, technique: Technique) -> Variant {
    let mut variant = dimensions::plain(problem, technique);
    for d in dimensions::TABLE.dimensions(problem, technique) {
        let value = value(random, d);
        variant.set(d.place, value);
    }
    if random.random_range(0..4) == 0 {
        let mut index = || if random.random() { random.random_range(0..80) } else { random.random() };
        variant.order = (0..3).map(|_| Move { from: index(), to: index() }).collect();
    }
    if variant.check().is_ok() { variant } else { variant.clamped() }
}

/// A random set of CPU features, mostly one in which the technique has the variant's width.
fn target(random: &mut ChaCha8Rng, variant: &Variant) -> Target {
    let levels = LEVELS.iter().map(|level| targets::of(level.features));
    let all: Vec<Target> = levels.chain([targets::ALL, targets::NONE]).collect();
    let able = |t: &&Target| t.lanes_of(variant.technique) >= variant.lanes();
    let able: Vec<Target> = all.iter().filter(able).copied().collect();
    match random.random_range(0..10) {
        0 => all[random.random_range(0..all.len())],
        1 => all[random.random_range(0..all.len())].up_to(1 << random.random_range(0..2)),
        _ => able[random.random_range(0..able.len())],
    }
}

/// Every problem with every technique; those with more choices occur more often.
fn spaces() -> Vec<(Problem, Technique)> {
    let all = Problem::all().into_iter().flat_map(|p| Technique::ALL.into_iter().map(move |t| (p, t)));
    all.flat_map(|(p, t)| std::iter::repeat_n((p, t), 1 + dimensions::TABLE.dimensions(p, t).count() / 6))
        .collect()
}

#[derive(Default)]
struct Tally {
    built: BTreeMap<(Problem, Technique), usize>,
    proved: usize,
    refused: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn one(&mut self, prover: &mut Prover, variant: &Variant, target: &Target) {
        let name = format!("`{variant}` on {}", target.set());
        if let Err(error) = dimensions::variant(&variant.to_string()) {
            self.wrong.push(format!("{name} does not read its own text: {error}"));
            return;
        }
        match catch_unwind(|| build(variant, target)) {
            Err(_) => self.wrong.push(format!("{name} panics")),
            Ok(Err(unfit)) => {
                let sentence = unfit.to_string();
                if sentence.split_whitespace().count() < 5 {
                    self.wrong.push(format!("{name} is refused without a sentence: `{sentence}`"));
                }
                *self.refused.entry(kind(&sentence)).or_default() += 1;
            }
            Ok(Ok(kernel)) => self.built(prover, &kernel, &name),
        }
    }

    fn built(&mut self, prover: &mut Prover, kernel: &Kernel, name: &str) {
        let of = self.built.entry((kernel.variant.problem, kernel.variant.technique)).or_default();
        *of += 1;
        let turn = *of % proved_of(kernel.variant.technique) == 1;
        if !turn || kernel.bytes.len() > MOST_BYTES {
            return;
        }
        match prover.prove_anew(kernel.variant.problem, &kernel.bytes) {
            Ok(_) => self.proved += 1,
            Err(refutation) => self.wrong.push(format!("{name} is built and not proved: {refutation}")),
        }
    }
}

/// The start of a sentence without digits.
fn kind(sentence: &str) -> String {
    sentence.chars().filter(|c| !c.is_ascii_digit()).take(40).collect()
}

#[test]
fn every_variant_is_built_and_proved_or_refused_by_a_sentence() {
    let fresh = number("AESMITH_SEED").unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
    let count = number("AESMITH_VARIANTS").map_or(VARIANTS, |n| n as usize);
    println!("AESMITH_SEED={fresh} repeats the half of the variants that differs between runs");
    let mut tally = Tally::default();
    let mut prover = prover();
    let spaces = spaces();
    for seed in [SEED, fresh] {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for i in 0..count / 2 {
            let (problem, technique) = spaces[i % spaces.len()];
            let variant = variant(&mut random, problem, technique);
            let target = target(&mut random, &variant);
            tally.one(&mut prover, &variant, &target);
        }
    }
    let built: usize = tally.built.values().sum();
    println!("{built} of {count} variants were built, {} of them proved; the others:", tally.proved);
    for (reason, times) in &tally.refused {
        println!("{times:6} {reason}");
    }
    assert!(tally.wrong.is_empty(), "{} are wrong:\n{}", tally.wrong.len(), tally.wrong.join("\n"));
    // A space without any built kernel would not be tested at all. Few variants fit where there are many streams.
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    for &(problem, technique) in &spaces {
        let is_built = || {
            let variant = variant(&mut random, problem, technique);
            build(&variant, &target(&mut random, &variant)).is_ok()
        };
        let built = tally.built.contains_key(&(problem, technique))
            || !has_no_kernel(problem, technique)
                && std::iter::repeat_with(is_built).take(2000).any(|built| built);
        assert_eq!(built, !has_no_kernel(problem, technique), "{problem} by {technique}");
    }
}

/// Kernels that are each built for a range of lengths are proved together. Their loops begin with least lengths far
/// above those that the loops compare with.
#[test]
fn kernels_behind_a_choice_by_length_are_proved() {
    const PLANS: usize = 250;
    let (random, mut prover) = (&mut ChaCha8Rng::seed_from_u64(SEED), prover());
    let problem: Problem = "aes256-ctr".parse().expect("a problem");
    let mut proved = 0;
    while proved < PLANS {
        let variants: [Variant; 3] = std::array::from_fn(|_| {
            // Pipelined kernels and tails by halves compare the length most often.
            let (blocks, interval) = (random.random_range(2..15), random.random_range(0..18));
            let variant = variant(random, problem, Technique::Aes).with(Dim::Tail, 1);
            variant.with(Dim::Interleave, blocks).with(Dim::Interval, interval).clamped()
        });
        let small = random.random_range(1000..5000);
        let limits = [Some(small), Some(small + random.random_range(16..7000)), None];
        let plan: Vec<_> = limits.into_iter().zip(&variants).collect();
        let Ok(kernels) = targets::ALL.parts(&plan) else { continue };
        let chosen: Vec<_> = limits.into_iter().zip(&kernels).collect();
        let Ok(joined) = dispatch(&chosen) else { continue };
        if let Err(refutation) = prover.prove(problem, &joined.bytes) {
            panic!("{refutation}\n{plan:#?}");
        }
        proved += 1;
    }
}
