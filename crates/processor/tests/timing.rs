//! Conditions under which the time of a kernel counts as constant on a processor.

use aesmith_processor::bits_certificate::proved;
use aesmith_processor::core::Core;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::processor::Record;
use aesmith_processor::timing::{Timing, about, class};
use aesmith_prove::bits::Proof;

fn proof(processor: &str, choices: &str) -> (&'static Core, Proof) {
    let core = aesmith_processors::core(processor).unwrap();
    let problem = "aes128-ecb".parse().unwrap();
    let variant = core.table.read(problem, choices).unwrap();
    let made = BuiltKernel::new(core, (core.build)(&variant).unwrap()).unwrap();
    (core, proved(core, &made).unwrap())
}

/// Even if both paths take three cycles: users on other processors, or after changes, would not notice the dependence.
#[test]
fn a_branch_on_secrets_is_variable_time_without_a_cache_too() {
    let (core, proof) = proof("avr", "doubling=branch rounds=looped");
    assert_eq!(class(core, &proof), "VT");
    assert!(about(core, &proof).starts_with("variable time: the branch of"), "{}", about(core, &proof));
    assert!(!Timing::Constant.admits(core, &proof) && !Timing::Proved.admits(core, &proof));
    assert!(Timing::Variable.admits(core, &proof));
}

#[test]
fn look_ups_are_constant_time_where_there_is_no_cache_and_why_is_said() {
    let (core, proof) = proof("cortex-m3", "technique=table");
    assert_eq!(class(core, &proof), "CT");
    assert!(about(core, &proof).contains("without a data cache"), "{}", about(core, &proof));
    assert!(Timing::Constant.admits(core, &proof) && !Timing::Proved.admits(core, &proof));
    // The same proof on a processor with a cache.
    let cached = Core { record: Record { cached: true, ..core.record }, ..*core };
    assert_eq!(class(&cached, &proof), "VT");
    assert!(!Timing::Constant.admits(&cached, &proof));
}

/// By its manual, no chip of the family has memory whose time depends on the address.
#[test]
fn look_ups_in_even_memory_are_constant_time_where_nothing_less_is_asked_for() {
    let (core, proof) = proof("avr", "doubling=table rounds=looped");
    assert_eq!(class(core, &proof), "CT");
    let why = about(core, &proof);
    assert!(why.contains("no cache") && why.contains("external memory"), "{why}");
    assert!(Timing::Constant.admits(core, &proof) && Timing::Proved.admits(core, &proof));
    let cached = Core { record: Record { cached: true, ..core.record }, ..*core };
    assert!(!Timing::Proved.admits(&cached, &proof));
}
