//! Proves variants of a kernel that differ in the order of instructions and in which round keys stay in registers, by
//! reduction and from scratch, compares the two results, and prints how long each took:
//! `cargo run --release -p aesmith-prove --example walk -- 500 "aes256-ctr width=zmm interleave=4"`.

use std::time::Instant;

use aesmith_arrange::Variant;
use aesmith_search::Neighbourhood;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(100);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for text in &arguments[1..] {
        let start: Variant = dimensions::variant(text).expect("a variant");
        let kernel = build(&start, &targets::ALL).expect("a kernel");
        let space = dimensions::TABLE.space_by(start.problem, start.technique, start.lanes());
        let around = Neighbourhood::new(&space);
        let (mut prover, mut plain) = (prover(), prover());
        prover.prove(start.problem, &kernel.bytes).expect("it is right");
        plain.prove(start.problem, &kernel.bytes).expect("it is right");
        let (mut times, mut reduced, mut tried) = ([0.0; 3], 0, 0);
        for _ in 0..count {
            let mut variant = start.clone();
            for _ in 0..rng.random_range(1..=3) {
                variant = around.reorder(&variant, kernel.loop_instructions, &mut rng).expect("a loop");
            }
            if rng.random() && variant.has(Dim::Keys) {
                variant.set(Dim::Keys, variant.get(Dim::Keys) ^ 1 << rng.random_range(0..11));
            }
            let begin = Instant::now();
            let variant = variant.clamped();
            let Ok(other) = build(&variant, &targets::ALL) else { continue };
            times[0] += begin.elapsed().as_secs_f64();
            if other.bytes == kernel.bytes {
                continue;
            }
            tried += 1;
            let begin = Instant::now();
            let by_reduction = prover.prove_like(start.problem, &other.bytes, &kernel.bytes);
            times[1] += begin.elapsed().as_secs_f64();
            let begin = Instant::now();
            let from_nothing = plain.prove_anew(start.problem, &other.bytes);
            times[2] += begin.elapsed().as_secs_f64();
            match (by_reduction, from_nothing) {
                (Ok(mut a), Ok(b)) => {
                    reduced += usize::from(a.reduced_to.take().is_some());
                    a.paths = b.paths;
                    a.steps = b.steps;
                    if a != b {
                        println!("{variant}:\n  {a:?}\n  {b:?}");
                    }
                }
                (Err(_), Err(_)) => {}
                (a, b) => println!("{variant}: {a:?}, {b:?}"),
            }
        }
        let [building, by_reduction, from_nothing] = times.map(|t| 1e6 * t / f64::from(tried));
        println!(
            "{text}: {tried} kernels, {reduced} reduced; built in {building:.0} us, proved in {by_reduction:.0} us, \
             from nothing in {from_nothing:.0} us"
        );
    }
}
