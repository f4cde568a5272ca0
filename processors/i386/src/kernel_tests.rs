//! Kernels in the interpreter, in the prover and in qemu.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::trial::{of_a_block, part, right_and_proved};

use super::CORES;
use super::dimensions;
use super::judge::QemuI386;

fn variants() -> Vec<Variant> {
    let problems = Problem::all().into_iter().filter(|&p| (CORES[0].solves)(p));
    problems.flat_map(|problem| CORES[0].table.all(problem)).collect()
}

#[test]
fn kernels_are_right_and_proved() {
    let built = |v: Variant| (CORES[0].build)(&v).unwrap_or_else(|e| panic!("{v}: {e}"));
    right_and_proved(&CORES[0], part(variants(), 3).map(built), &QemuI386, 2);
}

/// The number of instructions per block of a long message, and the static figure of each processor. Bernstein
/// and Schwabe state 415 instructions on a Pentium 4 (INDOCRYPT 2008, section 4).
#[test]
fn counter_mode_by_the_block() {
    let plain = CORES[0].table.plain("aes128-ctr".parse().expect("a problem"));
    let cached = plain.with_choice(dimensions::Counter::Cached).expect("a choice");
    let memory = cached.with_choice(dimensions::Bytes::Memory).expect("a choice");
    for (variant, instructions) in [(plain, 496.0), (cached, 385.0), (memory, 353.0)] {
        for core in CORES {
            let (figure, counted) = of_a_block(core, &variant).expect("is built");
            println!("{} {variant}: {counted} instructions, static figure {figure}", core.name);
            assert!(counted <= instructions, "{variant}: {counted}");
        }
    }
}
