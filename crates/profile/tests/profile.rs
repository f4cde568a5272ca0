//! Every combination compiles, computes AES, and is counted.

use aesmith_profile::{Step, profile};
use std::path::PathBuf;

#[test]
fn every_combination_is_profiled() {
    if !cfg!(target_arch = "x86_64") {
        let refused = profile("gcc", std::path::Path::new("."), |_| {}).expect_err("it has no such counter");
        assert!(refused.0.contains("time-stamp counter of x86-64"), "{refused}");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("profile");
    std::fs::create_dir_all(&folder).unwrap();
    let report = match profile("gcc", &folder, |_| {}) {
        Ok(report) => report,
        Err(error) if error.0.contains("there is no gcc") => {
            println!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!(report.profiles.len(), 16);
    for profile in &report.profiles {
        assert!(profile.sizes.text > 256, "the S-box alone is 256 bytes: {:?}", profile.sizes);
        assert_eq!(profile.steps[Step::MixColumns as usize].1.calls, 9 * 64);
        if let Some(whole) = profile.whole.instructions {
            for (step, cost) in &profile.steps {
                // An inlined step may disappear into another one: ShiftRows of single bytes does.
                let each = cost.instructions.unwrap() / cost.calls;
                let there = each >= 4 || profile.combination.inlined;
                assert!(there, "{}: {step:?} takes {each} instructions", profile.combination);
            }
            let rest = profile.rest().unwrap();
            assert!(rest * 3 < whole, "{}: {rest} of {whole} are of no step", profile.combination);
        }
    }
    if report.profiles[0].whole.instructions.is_none() {
        println!("skipped: instructions are not counted: {}", report.instructions);
        return;
    }
    // A look-up is cheaper than three byte doublings.
    let mix = |i: usize| report.profiles[i].steps[Step::MixColumns as usize].1.instructions.unwrap();
    assert!(mix(2) < mix(0), "{} against {}", mix(2), mix(0));
}
