//! Kernels in the interpreter, in the prover, in qemu and in GNU as.

use aesmith_arrange::{Choice, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_processor::core::Kernel;
use aesmith_processor::trial::{of_a_block, part, right_and_proved};

use super::CORES;
use super::dimensions;
use super::judge::QemuPowerPc;

fn problems() -> Vec<Problem> {
    Problem::all().into_iter().filter(|&p| (CORES[0].solves)(p)).collect()
}

/// A part of the kernels that differ in one choice from the plain variant or from the one with caching, and
/// these two; a smaller part with longer keys.
fn sample(problem: Problem) -> Vec<Kernel> {
    let plain = CORES[0].table.plain(problem);
    let cached = plain.with_choice(dimensions::Counter::Cached).ok();
    let mut all: Vec<Variant> = Vec::new();
    for variant in [Some(plain), cached].into_iter().flatten() {
        let near = variant.neighbours().into_iter().filter(|v| !v.is(dimensions::Technique::Vperm));
        all.extend(std::iter::once(variant.clone()).chain(near).filter(|v| v.check().is_ok()));
    }
    let mut seen: Vec<Variant> = Vec::new();
    all.retain(|v| {
        let is_new = !seen.contains(v);
        seen.push(v.clone());
        is_new
    });
    let every = if problem.key == KeySize::Aes128 { 5 } else { 15 };
    part(&all, every).filter_map(|v| (CORES[0].build)(v).ok()).collect()
}

#[test]
fn kernels_are_right_and_proved() {
    right_and_proved(&CORES[0], problems().into_iter().flat_map(sample), &QemuPowerPc, 2);
}

/// Bernstein and Schwabe state 233 cycles and 464 instructions for a PowerPC G4 (INDOCRYPT 2008, section 4).
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

fn with(variant: &Variant, choice: impl Choice) -> Variant {
    variant.with_choice(choice).unwrap_or_else(|e| panic!("{variant}: {e}"))
}

/// Vector kernels: the plain one, and those that differ from it in one choice. Proofs of counter mode in large
/// groups take long.
fn of_vectors(problem: Problem) -> Vec<Kernel> {
    let plain = with(&CORES[0].table.plain(problem), dimensions::Technique::Vperm);
    let mut all = vec![plain.clone()];
    if problem.key == KeySize::Aes128 {
        let near = plain.neighbours().into_iter().filter(|v| v.is(dimensions::Technique::Vperm));
        all.extend(part(near, 5));
    }
    if problem.task == Task::Ctr {
        all = vec![with(&plain, dimensions::Group::One)];
        if problem.key == KeySize::Aes128 {
            all.push(with(&with(&plain, dimensions::Counter::Cached), dimensions::Begun::One));
        }
        return all.iter().map(|v| (CORES[0].build)(v).unwrap_or_else(|e| panic!("{v}: {e}"))).collect();
    }
    all.iter().filter_map(|v| (CORES[0].build)(v).ok()).collect()
}

#[test]
fn kernels_of_vectors_are_right_and_proved() {
    right_and_proved(&CORES[0], problems().into_iter().flat_map(of_vectors), &QemuPowerPc, 2);
}

/// OpenSSL takes 11.9 cycles per byte for one stream on a 74x0 (vpaes-ppc); this is counter mode.
#[test]
fn counter_mode_of_vectors_by_the_block() {
    let core = &CORES[0];
    let plain = core.table.plain("aes128-ctr".parse().expect("a problem"));
    let whole = with(&plain, dimensions::Technique::Vperm);
    let cached = with(&with(&whole, dimensions::Counter::Cached), dimensions::Begun::One);
    for (variant, cycles, instructions) in [(whole, 134.5, 268.0), (cached, 112.0, 223.5)] {
        let found = of_a_block(core, &variant).unwrap_or_else(|| panic!("{variant} is built"));
        println!("{variant}: {found:?}");
        assert!(found.0 <= cycles && found.1 <= instructions, "{variant}: {found:?}");
    }
}
