//! Proves random variants of every problem, technique and level of CPU features, and counts the outcomes:
//! `cargo run --release -p aesmith-prove --example sweep -- 200 [problem|all] [technique|all] [level|all]
//! [layout=sliced ...] [each]`; with `each`, it prints a line for each variant.

use std::time::Instant;

use aesmith_arrange::{Technique, Values, Variant};
use aesmith_cipher::Problem;
use aesmith_prove::Prover;
use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::{Target, build};
use aesmith_x86::levels::LEVELS;
use aesmith_x86::targets;

/// The outcomes of the variants of one problem and technique.
#[derive(Default)]
struct Tally {
    proved: usize,
    unfit: usize,
    refuted: Vec<String>,
    building: f64,
    seconds: f64,
    slowest: (f64, String),
    /// The most work per instruction of a kernel.
    hardest: u64,
    /// The most instructions of a kernel.
    longest: usize,
    bytes: usize,
    instructions: usize,
    steps: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(100);
    let wanted = |k: usize, name: &str| arguments.get(k).is_none_or(|a| a == "all" || a == name);
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % below
    };
    let mut targets: Vec<Target> = LEVELS
        .iter()
        .filter(|level| wanted(3, level.name))
        .map(|level| targets::of(level.features))
        .collect();
    if wanted(3, "everything") {
        targets.push(targets::ALL);
    }
    // Values that all variants must have, such as `width=zmm`.
    let only: Vec<(&str, &str)> = arguments.iter().filter_map(|a| a.split_once('=')).collect();
    let each = arguments.iter().any(|a| a == "each");
    let mut prover = prover();
    for problem in Problem::all().into_iter().filter(|p| wanted(1, &p.to_string())) {
        for technique in Technique::ALL.into_iter().filter(|t| wanted(2, t.name())) {
            let mut tally = Tally::default();
            for _ in 0..count {
                let mut variant = dimensions::plain(problem, technique);
                for d in dimensions::TABLE.dimensions(problem, technique) {
                    let value = match d.values {
                        Values::Range(low, high) => low + random(u64::from(high - low) + 1) as u16,
                        Values::Named(names) => random(names.len() as u64) as u16,
                        Values::Mask(bits) => random(1 << bits) as u16,
                    };
                    if random(2) == 0 {
                        variant.set(d.place, value);
                    }
                }
                let variant = only.iter().fold(variant, |variant, (name, text)| {
                    let place = |d: &&aesmith_arrange::Dimension| d.name == *name;
                    let d = dimensions::TABLE
                        .dimensions(problem, technique)
                        .find(place)
                        .expect("a dimension of the technique");
                    variant.with(d.place, d.read(text).expect("a value of the dimension"))
                });
                let variant = variant.clamped();
                let target = targets[random(targets.len() as u64) as usize];
                tally.add(&mut prover, &variant, &target, each);
            }
            tally.print(problem, technique);
        }
    }
}

impl Tally {
    fn add(&mut self, prover: &mut Prover, variant: &Variant, target: &Target, each: bool) {
        let start = Instant::now();
        let built = build(variant, target);
        self.building += start.elapsed().as_secs_f64();
        let Ok(kernel) = built else {
            self.unfit += 1;
            return;
        };
        let (start, before) = (Instant::now(), prover.work());
        let result = prover.prove_anew(variant.problem, &kernel.bytes);
        let seconds = start.elapsed().as_secs_f64();
        if each {
            println!("{:.0} us {variant}", 1e6 * seconds);
        }
        self.seconds += seconds;
        if seconds > self.slowest.0 {
            self.slowest = (seconds, variant.to_string());
        }
        self.bytes += kernel.bytes.len();
        match result {
            Ok(proof) => {
                self.proved += 1;
                self.hardest = self.hardest.max((prover.work() - before) / proof.instructions as u64);
                self.longest = self.longest.max(proof.instructions);
                self.instructions += proof.instructions;
                self.steps += proof.steps;
            }
            Err(refutation) => self.refuted.push(format!("{variant} on {}: {refutation}", target.set())),
        }
    }

    fn print(&self, problem: Problem, technique: Technique) {
        if self.proved + self.refuted.len() == 0 {
            return;
        }
        let tried = (self.proved + self.refuted.len()) as f64;
        println!(
            "{problem} {technique}: {} proved, {} refuted, {} unfit; built in {:.0} us, proved in {:.0} us, {:.0} bytes, {:.0} instructions and {:.0} steps a kernel; up to {} instructions, and work of {} for each; slowest {:.0} us: {}",
            self.proved,
            self.refuted.len(),
            self.unfit,
            1e6 * self.building / tried,
            1e6 * self.seconds / tried,
            self.bytes as f64 / tried,
            self.instructions as f64 / tried,
            self.steps as f64 / tried,
            self.longest,
            self.hardest,
            1e6 * self.slowest.0,
            self.slowest.1
        );
        for text in self.refuted.iter().take(3) {
            println!("    {}", text.chars().take(1500).collect::<String>());
        }
    }
}
