//! The kernels to be checked.

use aesmith_processor::trial::kernels::{Checks, thirds};

use super::CORES;

#[test]
fn kernels_are_right_and_proved() {
    Checks { judged: 2, judged_calls: 1000, ..Checks::PROVED }.of(&CORES[0], &thirds(&CORES[0]));
}
