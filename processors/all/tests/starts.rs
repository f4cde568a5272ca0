//! Known-good variants of processors: every line is one, and every processor has some for every problem.

use aesmith_cipher::Problem;
use aesmith_processor::core::Core;

/// Problems of one key size: the lines hold for all.
fn problems() -> impl Iterator<Item = Problem> {
    Problem::all().into_iter().filter(|problem| problem.key.bits() == 128)
}

#[test]
fn every_processor_has_starting_points_that_are_built() {
    for core in aesmith_processors::cores() {
        for problem in problems().filter(|problem| (core.solves)(*problem)) {
            let starts = core.starting_points(problem);
            let built = starts.iter().filter(|variant| (core.build)(variant).is_ok()).count();
            assert!(built > 0, "{problem} on {}: none of {} is built", core.name, starts.len());
        }
    }
}

#[test]
fn every_line_is_a_variant_of_a_processor_of_its_family() {
    let mut families: Vec<&str> = aesmith_processors::cores().map(|core| core.starts).collect();
    families.sort_unstable();
    families.dedup();
    for text in families {
        let of_family: Vec<&Core> = aesmith_processors::cores().filter(|core| core.starts == text).collect();
        let mut tasks = "";
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(named) = line.strip_suffix(':') {
                tasks = named;
                continue;
            }
            for task in tasks.split(' ') {
                let problem: Problem =
                    format!("aes128-{task}").parse().unwrap_or_else(|e| panic!("{task}: {e}"));
                let is_built = |core: &&&Core| {
                    let variant = core.table.read(problem, line).ok();
                    (core.solves)(problem) && variant.is_some_and(|variant| (core.build)(&variant).is_ok())
                };
                assert!(of_family.iter().any(|core| is_built(&core)), "{problem}: {line}");
            }
        }
    }
}
