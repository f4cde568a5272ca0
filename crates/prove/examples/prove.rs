//! Proves the kernels of variants given as text, and prints how long each proof took:
//! `cargo run --release -p aesmith-prove --example prove -- "aes256-ctr width=zmm interleave=4"`.

use std::time::Instant;

use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;

fn main() {
    let mut prover = prover();
    for text in std::env::args().skip(1) {
        let variant = match aesmith_x86::dimensions::variant(&text) {
            Ok(variant) => variant,
            Err(error) => {
                println!("{text}: {error}");
                continue;
            }
        };
        let kernel = match build(&variant, &targets::ALL) {
            Ok(kernel) => kernel,
            Err(unfit) => {
                println!("{text}: {unfit}");
                continue;
            }
        };
        let mut best = f64::INFINITY;
        let mut result = prover.prove_anew(variant.problem, &kernel.bytes);
        for _ in 0..50 {
            let start = Instant::now();
            result = prover.prove_anew(variant.problem, &kernel.bytes);
            best = best.min(start.elapsed().as_secs_f64());
        }
        match result {
            Ok(proof) => println!("{text}: proved in {:.0} us: {proof:?}", best * 1e6),
            Err(refutation) => println!("{text}: {refutation}"),
        }
    }
}
