//! Proves random variants of every problem and counts what became of them:
//! `cargo run --release -p aesmith-prove --example sweep -- 200`.

use std::time::Instant;

use aesmith_arrange::Variant;
use aesmith_arrange::dimensions::{Values, dimensions};
use aesmith_cipher::Problem;
use aesmith_kernel::{Target, build};
use aesmith_prove::Prover;

fn main() {
    let count: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100);
    let only = std::env::args().nth(2);
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % below
    };
    let mut prover = Prover::new();
    for problem in Problem::all() {
        if only.as_ref().is_some_and(|o| *o != problem.to_string()) {
            continue;
        }
        let (mut proved, mut unfit, mut refuted, mut seconds, mut bytes) = (0, 0, Vec::new(), 0.0, 0);
        for _ in 0..count {
            let mut variant = Variant::baseline(problem);
            for d in dimensions(problem, aesmith_arrange::Technique::Aes) {
                let value = match d.values {
                    Values::Range(low, high) => low + random(u64::from(high - low) + 1) as u16,
                    Values::Named(names) => random(names.len() as u64) as u16,
                    Values::Mask(bits) => random(1 << bits) as u16,
                };
                if random(2) == 0 {
                    variant.set(d.dim, value);
                }
            }
            let variant = variant.clamped();
            let Ok(kernel) = build(&variant, &Target::ALL) else {
                unfit += 1;
                continue;
            };
            let start = Instant::now();
            let result = prover.prove_anew(problem, &kernel.bytes);
            seconds += start.elapsed().as_secs_f64();
            bytes += kernel.bytes.len();
            match result {
                Ok(_) => proved += 1,
                Err(refutation) => refuted.push(format!("{variant}: {}", refutation)),
            }
        }
        let tried = (proved + refuted.len()).max(1);
        println!(
            "{problem}: {proved} proved, {} refuted, {unfit} unfit; {:.0} us and {} bytes a kernel",
            refuted.len(),
            1e6 * seconds / tried as f64,
            bytes / tried
        );
        for text in refuted.iter().take(3) {
            println!("    {}", &text[..text.len().min(420)]);
        }
    }
}
