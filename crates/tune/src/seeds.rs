//! Starting points of searches.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::measured::Target;
use aesmith_processor::starts::starts;

/// The starting points of a problem with a technique on a target; for key set-ups and tasks without a row,
/// the plain variant alone.
pub fn seeds(problem: Problem, technique: Technique, target: &Target) -> Vec<Variant> {
    let lanes = target.lanes_of(technique);
    starts(target.processor.starts, problem, technique)
        .into_iter()
        .map(|text| {
            let text = format!("{problem} technique={technique} {text}");
            target.processor.table.parse(&text).expect("the table holds variants")
        })
        .filter(|v| v.lanes() <= lanes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::targets;

    #[test]
    fn every_row_is_a_variant() {
        for problem in Problem::all().into_iter().filter(Problem::is_message) {
            for technique in Technique::ALL {
                let (all, few) =
                    (seeds(problem, technique, &targets::ALL), seeds(problem, technique, &targets::AESNI));
                assert!(all.len() >= few.len(), "{problem} {technique}");
                assert!(technique != Technique::Aes || !few.is_empty(), "{problem}");
            }
        }
    }
}
