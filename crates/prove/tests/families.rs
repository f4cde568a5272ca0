//! Single faults in kernels of every processor family: each is refuted by the prover, or does the same as the kernel
//! when the interpreter runs it. No fault is proved and wrong.
//!
//! A sample of each kernel's faults is tried; with `AESMITH_SOAK` in the environment, a larger one.

mod corpus;
mod subject;

use std::collections::BTreeMap;

use aesmith_isa::convention::Convention;
use aesmith_processor::trial::is_soak;
use aesmith_prove::bits::mutants::{Fault, Mutant, Outcome, sorted};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use corpus::family;
use subject::Subject;

/// The seed of the sample.
const SEED: u64 = 197;
/// The number of faults of each kind that are tried in each kernel of a soak.
const SOAKED: usize = 60;
/// The least number of refuted faults of each kind that a family's sample must have.
const LEAST: usize = 6;

/// Faults of a kernel, `of_each` of each kind; rare instructions get as many as others.
fn chosen(subject: &Subject, of_each: usize) -> Vec<Mutant> {
    let mut all = subject.mutants();
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
    let mut alike = BTreeMap::new();
    let mut ranked: Vec<(usize, Mutant)> = Vec::new();
    for mutant in all {
        let rank = alike.entry((mutant.fault, subject.mnemonic(mutant.address))).or_insert(0);
        *rank += 1;
        ranked.push((*rank, mutant));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut taken = BTreeMap::new();
    let enough = |(_, mutant): (usize, Mutant)| {
        let count = taken.entry(mutant.fault).or_insert(0);
        *count += 1;
        (*count <= of_each).then_some(mutant)
    };
    ranked.into_iter().filter_map(enough).collect()
}

/// Tries the faults of a family's kernels, and checks the outcomes by kind.
fn tried(name: &str, absent: &[Fault]) {
    let mut kinds: BTreeMap<Fault, Outcome> = BTreeMap::new();
    for source in family(name).iter().filter(|source| is_soak() || source.of_each > 0) {
        let started = std::time::Instant::now();
        let subject = Subject::new(source);
        subject.proved(&subject.image).unwrap_or_else(|e| panic!("{}: {e}", subject.text));
        subject.agrees(&subject.image).unwrap_or_else(|e| panic!("{}: {e}", subject.text));
        let mutants = chosen(&subject, if is_soak() { SOAKED } else { source.of_each });
        let mut whole = Outcome::default();
        for fault in Fault::ALL {
            let outcome = sorted(
                &subject.image,
                mutants.iter().filter(|m| m.fault == fault),
                |image| subject.proved(image).is_ok(),
                |image| subject.agrees(image).is_ok(),
            );
            whole.add(outcome.clone());
            kinds.entry(fault).or_default().add(outcome);
        }
        println!("{}: {} in {:?}", subject.text, said(&whole), started.elapsed());
        for mutant in &whole.missed {
            println!("  PROVED AND WRONG: {mutant}");
        }
    }
    let mut whole = Outcome::default();
    for (fault, outcome) in &kinds {
        println!("{name}, {fault:?}: {}", said(outcome));
        whole.add(outcome.clone());
    }
    println!("{name}: {}", said(&whole));
    let missed: Vec<_> = whole.missed.iter().map(ToString::to_string).collect();
    assert!(missed.is_empty(), "{name}: proved and wrong: {missed:?}");
    for fault in Fault::ALL.into_iter().filter(|fault| !absent.contains(fault)) {
        let of = kinds.get(&fault).map_or(0, |o| o.refuted);
        assert!(of >= LEAST, "{name}: only {of} faults of the kind {fault:?} were refuted and wrong");
    }
    let mut meant = Outcome::default();
    for (_, outcome) in kinds.iter().filter(|(fault, _)| !absent.contains(fault)) {
        meant.add(outcome.clone());
    }
    let equal = meant.proved + meant.refuted_only;
    assert!(equal * 3 < meant.refuted, "{name}: {equal} of {} are no faults", meant.all());
}

fn said(outcome: &Outcome) -> String {
    format!(
        "{} faults: {} refuted, {} refuted and right when run, {} proved and right, {} proved and wrong",
        outcome.all(),
        outcome.refuted,
        outcome.refuted_only,
        outcome.proved,
        outcome.missed.len()
    )
}

#[test]
fn faults_of_avr_are_refuted() {
    tried("avr", &[]);
}

#[test]
fn faults_of_arm_are_refuted() {
    tried("arm", &[]);
}

#[test]
fn faults_of_thumb_are_refuted() {
    tried("thumb", &[]);
}

#[test]
fn faults_of_rv32_are_refuted() {
    tried("rv32", &[]);
}

#[test]
fn faults_of_microblaze_are_refuted() {
    tried("microblaze", &[]);
}

#[test]
fn faults_of_powerpc_are_refuted() {
    tried("powerpc", &[]);
}

#[test]
fn faults_of_custom_instructions_are_refuted() {
    // Custom instructions hold their tables themselves, so the program has no constants.
    tried("custom", &[Fault::Constant]);
}

#[test]
fn faults_of_sparc_are_refuted() {
    tried("sparc", &[]);
}

#[test]
fn faults_of_i386_are_refuted() {
    tried("i386", &[]);
}

#[test]
fn faults_of_the_spu_are_refuted() {
    // SPU functions are straight-line code in which neighbours do not depend on each other, and distances address
    // constants, whose lowest address bits are ignored.
    tried("spu", &[Fault::Target, Fault::Condition, Fault::Exchanged]);
}

/// These tests would fail with a blind prover, as runs show the faults.
#[test]
fn a_blind_prover_is_found_out() {
    for name in ["avr", "arm", "thumb", "rv32", "microblaze", "powerpc", "sparc", "spu", "i386", "custom"] {
        let subject = Subject::new(&family(name)[0]);
        let mutants = subject.mutants();
        let some: Vec<_> = mutants.iter().step_by(mutants.len() / 100).collect();
        let sees_nothing = |_: &_| subject.proved(&subject.image).is_ok();
        // One proof is enough: the program is the same each time.
        let verdict = sees_nothing(&subject.image);
        let outcome = sorted(&subject.image, some, |_| verdict, |image| subject.agrees(image).is_ok());
        assert!(outcome.missed.len() >= 70, "{}: {}", subject.text, said(&outcome));
    }
}

/// A prover that forgets just one rule, that saved registers belong to the caller, is found out, too.
#[test]
fn a_prover_that_forgets_saved_registers_is_found_out() {
    let forgetful = |convention: &Convention| Convention { saved: &[], ..*convention };
    for name in ["avr", "microblaze", "powerpc", "i386"] {
        let mut subject = Subject::new(&family(name)[0]);
        subject.convention = forgetful(&subject.convention);
        // The code that saves and restores registers is at both ends.
        let ends = subject.ends(16);
        let kinds = [Fault::Dropped, Fault::Exchanged, Fault::Register];
        let all = subject.mutants();
        let outcome = sorted(
            &subject.image,
            all.iter().filter(|m| kinds.contains(&m.fault) && ends.contains(&m.address)),
            |image| subject.proved(image).is_ok(),
            |image| subject.agrees(image).is_ok(),
        );
        println!("{}: {}", subject.text, said(&outcome));
        assert!(outcome.missed.len() >= 20, "{}: {}", subject.text, said(&outcome));
    }
}
