//! The kernels to be checked, and their figures.

use aesmith_cipher::Task;
use aesmith_processor::trial::kernels::{Checks, buildable, figures, near, variants};

use super::{CORES, dimensions::Technique};

const CHECKS: Checks = Checks { judged: 2, judged_calls: 1000, ..Checks::PROVED };

#[test]
fn kernels_are_right_and_proved() {
    let mut all = near(&CORES[0], &["", "counter=cached"], [5, 15]);
    all.retain(|v| !v.is(Technique::Vperm));
    CHECKS.of(&CORES[0], &buildable(&CORES[0], all));
}

/// Proofs of counter mode in large groups take long, so few of its kernels are checked.
#[test]
fn kernels_of_vectors_are_right_and_proved() {
    let mut all = near(&CORES[0], &["technique=vperm"], [5, 100]);
    all.retain(|v| v.is(Technique::Vperm) && v.problem.task != Task::Ctr);
    all.extend(variants(
        &CORES[0],
        &[
            "aes128-ctr technique=vperm group=1",
            "aes128-ctr technique=vperm counter=cached begun=1",
            "aes192-ctr technique=vperm group=1",
            "aes256-ctr technique=vperm group=1",
        ],
    ));
    CHECKS.of(&CORES[0], &all);
}

/// Bernstein and Schwabe state 233 cycles and 464 instructions for a PowerPC G4 (INDOCRYPT 2008, section 4). OpenSSL takes
/// 11.9 cycles per byte for one stream on a 74x0 (vpaes-ppc); the vector kernels here are for counter mode.
#[test]
fn counter_mode_by_the_block() {
    let of = |text, cycles, instructions| ("ppc7410", text, cycles, instructions);
    figures(
        CORES,
        &[
            of("aes128-ctr", 284.0, 557.0),
            of("aes128-ctr counter=cached", 225.0, 446.0),
            of("aes128-ctr counter=cached ahead=yes", 224.0, 446.0),
            of("aes128-ctr counter=cached ahead=yes pointers=2 kept=6", 220.0, 440.0),
            of("aes128-ctr technique=vperm", 134.5, 268.0),
            of("aes128-ctr technique=vperm counter=cached begun=1", 112.0, 223.5),
        ],
    );
}
