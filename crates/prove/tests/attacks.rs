//! The corpus of attacks (`corpus/mod.rs` describes its format): each case gets its verdict, from a fresh prover and
//! from one that has seen all other cases.

use crate::corpus;
use crate::corpus::{Case, Verdict};
use aesmith_prove::{Prover, Refutation};
use aesmith_x86::instructions::prover;
use std::collections::HashSet;

/// The least number of cases in the corpus.
const LEAST: usize = 608;

/// Compares the result of a prover with the verdict of a case. `Err` says what is wrong.
fn judged(case: &Case, prover: &mut Prover, code: &[u8]) -> Result<(), String> {
    let wanted = case.verdict.as_ref().ok_or("it has no verdict")?;
    match (prover.prove(case.problem, code), wanted) {
        (Err(refutation), Verdict::Refused(part)) if refutation.to_string().contains(part) => Ok(()),
        (Err(refutation), Verdict::Refused(part)) => Err(format!("refused without `{part}`: {refutation}")),
        (Err(refutation), Verdict::Proved(_)) => Err(format!("refused: {refutation}")),
        (Ok(proof), Verdict::Refused(_)) => Err(format!("proved, {}", proof.constant_time())),
        (Ok(proof), Verdict::Proved(words)) => {
            let wiped = if proof.wiped { "wiped" } else { "unwiped" };
            let has = [proof.constant_time(), wiped];
            match words.iter().find(|word| !has.contains(&word.as_str())) {
                None => Ok(()),
                Some(word) => Err(format!("proved, but {} and not {word}", has.join(" "))),
            }
        }
    }
}

#[test]
fn every_attack_has_its_verdict() {
    let (mut wrong, mut names, mut count) = (Vec::new(), HashSet::new(), 0);
    // One prover is shared, so that its memory of a kernel meets the next; one is fresh for each case; and one takes no
    // short cuts.
    let mut shared = prover();
    let mut plain = prover().without_short_cuts();
    for (file, cases) in corpus::files() {
        let (mut accepted, mut refused) = (0, 0);
        for (case, code) in cases {
            assert!(!case.why.is_empty(), "{file}, {}: it does not say why", case.name);
            assert!(names.insert(case.name.clone()), "{file}, {}: the name is taken", case.name);
            count += 1;
            match case.verdict {
                Some(Verdict::Proved(_)) => accepted += 1,
                _ => refused += 1,
            }
            let [alone, beside, plain] =
                [&mut prover(), &mut shared, &mut plain].map(|prover| judged(&case, prover, &code).err());
            if alone != plain {
                wrong.push(format!("{file}, {}: {alone:?}, and without short cuts {plain:?}", case.name));
            } else if alone != beside {
                wrong.push(format!("{file}, {}: {alone:?}, and beside others {beside:?}", case.name));
            } else if let Some(what) = alone {
                wrong.push(format!("{file}, {}: {what}. Why: {}", case.name, case.why));
            }
        }
        assert!(accepted > 0 && refused > 0, "{file}: attacks and controls belong beside each other");
    }
    assert!(wrong.is_empty(), "{} verdicts are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= LEAST, "the corpus has {count} cases, and had {LEAST} at least");
}

/// The prover's memory of earlier kernels does not affect the verdict on the next, in any order.
#[test]
fn the_order_of_kernels_decides_nothing() {
    let mut shared = prover();
    let cases: Vec<_> = corpus::files().into_iter().flat_map(|(_, cases)| cases).collect();
    for (case, code) in cases.iter().rev() {
        let alone = prover().prove(case.problem, code);
        let beside = shared.prove(case.problem, code);
        // Remembered results save steps and decide which summand is named first; neither is part of a verdict.
        let told = |refutation: Box<Refutation>| match refutation.reason.split_once(" after ") {
            Some(("the proof was given up", _)) => vec!["given up".to_owned()],
            _ => {
                let text = refutation.to_string().replace(['(', ')', ','], " ");
                let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                words.sort();
                words
            }
        };
        assert_eq!(alone.map_err(told), beside.map_err(told), "{}", case.name);
    }
}
