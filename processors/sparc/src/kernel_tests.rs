//! Kernels in the interpreter, in the prover and in qemu.

use aesmith_arrange::Variant;
use aesmith_cipher::{KeySize, Problem};
use aesmith_processor::core::Kernel;
use aesmith_processor::trial::{of_a_block, right_and_proved};

use super::CORES;
use super::dimensions;
use super::judge::QemuSparc;

fn problems() -> Vec<Problem> {
    Problem::all().into_iter().filter(|&p| (CORES[0].solves)(p)).collect()
}

/// A part of the kernels that differ in one choice from the plain variant or from two with most choices made,
/// and these; a smaller part with longer keys.
fn sample(problem: Problem) -> Vec<Kernel> {
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
    all.iter().step_by(every).filter_map(|v| (CORES[0].build)(v).ok()).collect()
}

#[test]
fn kernels_are_right_and_proved() {
    right_and_proved(&CORES[0], problems().into_iter().flat_map(sample), &QemuSparc, 4);
}

/// Bernstein and Schwabe state 193 cycles and 505 instructions for an UltraSPARC III (INDOCRYPT 2008, section
/// 4).
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
