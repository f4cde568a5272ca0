//! The kernels to be checked.

use aesmith_cipher::Task;
use aesmith_processor::trial::kernels::{Checks, buildable, near, variants};

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
    let mut all = near(&CORES[0], &["technique=vperm"], [12, 300]);
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
