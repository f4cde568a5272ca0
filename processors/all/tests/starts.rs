//! Known-good variants of processors: every line is one, and every processor has some for every problem.

use std::collections::BTreeSet;

use aesmith_arrange::Technique;
use aesmith_cipher::Problem;
use aesmith_processor::core::Core;
use aesmith_processor::starts::{starts, unused};

/// Problems of one key size: the lines hold for all.
fn problems() -> impl Iterator<Item = Problem> {
    Problem::all().into_iter().filter(|problem| problem.key.bits() == 128)
}

#[test]
fn every_processor_has_starting_points_that_are_built() {
    for core in aesmith_processors::cores() {
        for problem in problems().filter(|problem| (core.solves)(*problem)) {
            let starts = core.starting_points(problem);
            let is_built = starts.iter().any(|variant| (core.build)(variant).is_ok());
            assert!(is_built, "{problem} on {}: none of {} is built", core.name, starts.len());
        }
    }
}

#[test]
fn every_line_is_for_a_problem() {
    let all = Problem::all();
    for processor in aesmith_processors::all() {
        let of = processor.record();
        assert_eq!(unused(of.starts, &all), Vec::<&str>::new(), "{}", of.name);
    }
    let structures = |text: &str| text.lines().filter(|line| line.starts_with("    ")).count();
    assert!(structures(aesmith_processors::this_machine().starts) > 80);
}

/// With a section's technique and each of its tasks, a line is a variant of some processor of the family.
#[test]
fn every_line_is_a_variant_of_a_processor_of_its_family() {
    let families: BTreeSet<&str> = aesmith_processors::cores().map(|core| core.starts).collect();
    for text in families {
        let of_family: Vec<&Core> = aesmith_processors::cores().filter(|core| core.starts == text).collect();
        let solved = problems().filter(|problem| of_family.iter().any(|core| (core.solves)(*problem)));
        for (problem, technique) in solved.flat_map(|p| Technique::ALL.map(|technique| (p, technique))) {
            for line in starts(text, problem, technique) {
                let is_built = |core: &&&Core| {
                    let variant = core.table.read(problem, line).ok();
                    (core.solves)(problem)
                        && variant.is_some_and(|v| v.technique == technique && (core.build)(&v).is_ok())
                };
                assert!(of_family.iter().any(|core| is_built(&core)), "{problem} by {technique}: {line}");
            }
        }
    }
}
