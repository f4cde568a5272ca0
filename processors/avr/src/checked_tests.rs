//! The checker of proofs accepts the kernels that it knows.

use aesmith_processor::checked::BytesClaim;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::trial::built;
use aesmith_processor::trial::kernels::buildable;
use std::collections::BTreeMap;

use super::CORES;

/// Kernels of a problem that the checker accepts, and the reasons for all others with their numbers; outside a soak only one
/// of some.
fn accepted(problem: &str, step: usize) -> (usize, BTreeMap<String, usize>) {
    let core = &CORES[0];
    let step = if std::env::var_os("AESMITH_SOAK").is_some() { 1 } else { step };
    let (mut count, mut others) = (0, BTreeMap::new());
    for variant in
        buildable(core, core.table.all(problem.parse().expect("a problem"))).into_iter().step_by(step)
    {
        let kernel = built(core, &variant).expect("a kernel");
        let made = BuiltKernel::new(core, kernel).expect("a program");
        let contract = made.kernel.contract;
        let claim = BytesClaim { core, image: &made.image, function: made.function, contract, wiped: false };
        let verdict = claim.judge();
        match verdict.accepted() {
            Some(accepted) => {
                count += 1;
                assert_eq!(
                    claim.judge_given(&accepted.text).expect("it is accepted again").checked,
                    accepted.checked
                );
            }
            None => {
                *others
                    .entry(format!("{} ({variant})", verdict.unchecked().unwrap_or_default()))
                    .or_default() += 1
            }
        }
    }
    println!("{problem}: {count} accepted; others: {others:#?}");
    (count, others)
}

#[test]
fn the_checker_accepts_kernels_on_blocks() {
    for problem in ["aes128-ecb", "aes128-ecb-dec"] {
        let (count, others) = accepted(problem, 5);
        assert!(count > 10 && others.is_empty(), "{problem}: {count}");
    }
    for problem in ["aes192-ecb", "aes256-ecb", "aes192-ecb-dec", "aes256-ecb-dec"] {
        let (count, others) = accepted(problem, 17);
        assert!(count > 1 && others.is_empty(), "{problem}: {count}");
    }
}

#[test]
fn the_checker_accepts_kernels_on_messages_but_for_cached_counters() {
    for problem in ["aes128-ctr", "aes128-cbc", "aes128-cbc-dec", "aes256-ctr"] {
        let (count, others) = accepted(problem, 7);
        let is_known = |why: &&String| why.contains("counter=cached");
        assert!(count > 1 && others.keys().all(|why| is_known(&why)), "{problem}: {count}");
    }
}
