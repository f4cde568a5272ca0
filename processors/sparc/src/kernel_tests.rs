//! The kernels to be checked.

use aesmith_processor::trial::kernels::{Checks, buildable, near};

use super::CORES;

#[test]
fn kernels_are_right_and_proved() {
    let bases = ["", "words=narrow", "words=narrow tables=2x2 columns=together counter=cached"];
    let checks = Checks { judged: 4, judged_calls: 1000, ..Checks::PROVED };
    checks.of(&CORES[0], &buildable(&CORES[0], near(&CORES[0], &bases, [9, 40])));
}
