//! The kernels to be checked, and their figures.

use aesmith_processor::trial::kernels::{Checks, buildable, figures, near};

use super::CORES;

#[test]
fn kernels_are_right_and_proved() {
    let bases = ["", "words=narrow", "words=narrow tables=2x2 columns=together counter=cached"];
    let checks = Checks { judged: 4, judged_calls: 1000, ..Checks::PROVED };
    checks.of(&CORES[0], &buildable(&CORES[0], near(&CORES[0], &bases, [9, 40])));
}

/// Bernstein and Schwabe state 193 cycles and 505 instructions for an UltraSPARC III (INDOCRYPT 2008, section
/// 4).
#[test]
fn counter_mode_by_the_block() {
    let of = |text, cycles, instructions| ("ultrasparc3", text, cycles, instructions);
    let cached = "aes128-ctr words=narrow tables=2x2 last=1 columns=together counter=cached";
    figures(
        CORES,
        &[
            of("aes128-ctr", 318.0, 839.0),
            of("aes128-ctr words=scaled", 275.0, 759.0),
            of("aes128-ctr words=scaled last=parts", 271.0, 735.0),
            of("aes128-ctr words=padded last=parts", 228.0, 667.0),
            of("aes128-ctr words=narrow tables=2x2 last=parts", 226.0, 639.0),
            of(cached, 179.0, 490.0),
            of(&format!("{cached} remade=1"), 168.0, 490.0),
        ],
    );
}
