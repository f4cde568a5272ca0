//! The kernels to be checked, and their figures.

use aesmith_processor::trial::kernels::{Checks, figures, thirds};

use super::CORES;

#[test]
fn kernels_are_right_and_proved() {
    Checks { judged: 2, judged_calls: 1000, ..Checks::PROVED }.of(&CORES[0], &thirds(&CORES[0]));
}

/// The number of instructions per block of a long message. Bernstein and Schwabe state 415 instructions on a Pentium 4
/// (INDOCRYPT 2008, section 4).
#[test]
fn counter_mode_by_the_block() {
    let any = f64::INFINITY;
    for core in CORES {
        figures(
            CORES,
            &[
                (core.name, "aes128-ctr", any, 496.0),
                (core.name, "aes128-ctr counter=cached", any, 385.0),
                (core.name, "aes128-ctr counter=cached bytes=memory", any, 353.0),
            ],
        );
    }
}
