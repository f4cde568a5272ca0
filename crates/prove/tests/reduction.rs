//! Reduction to a proved kernel is only a short cut: what it proves is also proved without it, with the same claims,
//! and what is refused without it is refused with it. Tested with the corpus of attacks, each beside every right kernel
//! of the corpus, with single faults of kernels beside the kernel, and with random orders and registers.

use crate::corpus;
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_prove::{Proof, Prover};
use aesmith_search::Neighbourhood;
use aesmith_x86::dimensions::{self, Dim};
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::mutants::mutants;
use aesmith_x86::targets;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Compares a proof by reduction to `like` with one from scratch. Returns true if there is a reduction; `Err` says what
/// is wrong.
fn judged(
    by_reduction: &mut Prover,
    plain: &mut Prover,
    (problem, code, like): (Problem, &[u8], &[u8]),
) -> Result<bool, String> {
    by_reduction.prove(problem, like).map_err(|refutation| format!("the other kernel: {refutation}"))?;
    let Some(short) = by_reduction.reduce(problem, code, like) else { return Ok(false) };
    match plain.prove(problem, code) {
        Ok(whole) => claims(&short, &whole).map(|()| true),
        Err(refutation) => Err(format!("proved by reduction, and it is not right: {refutation}")),
    }
}

/// A proof by reduction claims no more than one from scratch.
fn claims(short: &Proof, whole: &Proof) -> Result<(), String> {
    let timing = ["VT", "CT1", "CT2"];
    let rank = |proof: &Proof| timing.iter().position(|class| *class == proof.constant_time());
    let no_more = (!short.wiped || whole.wiped)
        && rank(short) <= rank(whole)
        && short.red_zone_bytes >= whole.red_zone_bytes
        && short.frame_bytes >= whole.frame_bytes
        && short.instructions == whole.instructions
        && short.coverage == whole.coverage;
    match no_more {
        true => Ok(()),
        false => Err(format!("it claims more by reduction:\n{short:?}\n{whole:?}")),
    }
}

/// The whole corpus: every case beside every right case of the same problem. Many differ from a right case in something
/// that no normal form shows: stack, saved registers, encodings, remains.
#[test]
fn no_attack_is_reduced_to_what_is_right() {
    let cases: Vec<_> = corpus::files().into_iter().flat_map(|(_, cases)| cases).collect();
    let mut plain = prover();
    let right: Vec<_> = cases.iter().filter(|(case, code)| plain.prove(case.problem, code).is_ok()).collect();
    let (mut reduced, mut refused, mut wrong) = (0, 0, Vec::new());
    let mut by_reduction = prover();
    for (like, like_code) in &right {
        for (case, code) in cases.iter().filter(|(case, _)| case.problem == like.problem) {
            match judged(&mut by_reduction, &mut plain, (case.problem, code, like_code)) {
                Ok(true) => reduced += 1,
                Ok(false) => refused += 1,
                Err(why) => wrong.push(format!("{} beside {}: {why}", case.name, like.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} verdicts are wrong:\n{}", wrong.len(), wrong.join("\n"));
    println!("{reduced} reduced, {refused} not");
    assert!(
        reduced >= 500 && refused >= 10_000,
        "{reduced} reduced, {refused} not: the corpus tests too little"
    );
}

/// The target of a pointer depends on the problem: the IV of counter mode, which is public, is passed in the register
/// of other modes' text. Knowledge about one problem must not be used for another.
#[test]
fn what_is_public_of_one_problem_is_secret_of_another() {
    let counter: Variant = dimensions::variant("aes128-ctr width=xmm interleave=2").expect("a variant");
    let kernel = build(&counter, &targets::ALL).expect("a kernel");
    let cases: Vec<_> = corpus::files().into_iter().flat_map(|(_, cases)| cases).collect();
    let of = |name: &str| cases.iter().find(|(case, _)| case.name == name).expect("a case");
    let ((case, wiped), (_, left)) = (of("text-read-first-and-wiped"), of("text-read-first-and-left"));
    let (mut by_reduction, mut plain) = (prover(), prover());
    let same = (counter.problem, &kernel.bytes[..], &kernel.bytes[..]);
    assert_eq!(judged(&mut by_reduction, &mut plain, same), Ok(true));
    assert_eq!(judged(&mut by_reduction, &mut plain, (case.problem, left, wiped)), Ok(true));
}

/// Kernels, and the step between the faults that are tried.
const KERNELS: [(&str, usize); 8] = [
    ("aes128-ecb width=zmm interleave=2 keys=0x0ff", 1),
    ("aes256-ecb-dec interleave=3", 1),
    ("aes128-cbc-dec width=ymm interleave=2 fold=yes", 1),
    ("aes128-cbc-x2 unroll=2 together=yes xor=modified", 2),
    ("aes128-ctr width=zmm interleave=2 counter=add fold=yes", 2),
    ("aes128-ctr width=zmm interleave=2 cached=1", 3),
    ("aes128-ctr technique=gfni interleave=2 wipe=yes", 7),
    ("aes128-ecb technique=table", 17),
];

/// A kernel with a fault is not reduced to the kernel, unless the fault has no effect.
#[test]
fn no_fault_is_reduced_away() {
    let (mut reduced, mut others) = (0, 0);
    for (text, step) in KERNELS {
        let variant = dimensions::variant(text).expect("a variant");
        let kernel = build(&variant, &targets::ALL).expect("a kernel");
        let (mut by_reduction, mut plain) = (prover(), prover());
        for mutant in mutants(&kernel.bytes).step_by(step) {
            let case = (variant.problem, &mutant.code[..], &kernel.bytes[..]);
            match judged(&mut by_reduction, &mut plain, case) {
                Ok(true) => reduced += 1,
                Ok(false) => others += 1,
                Err(why) => panic!("{text}, fault at {:#x}, {}: {why}", mutant.offset, mutant.fault),
            }
        }
    }
    println!("{reduced} faults that are none reduced, {others} not");
    assert!(others >= 3000, "only {others} faults");
}

/// Orders and registers around a kernel: nearly all are reduced, with the same claims as in a proof of their own.
#[test]
fn orders_and_registers_are_reduced() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (text, least) in [
        ("aes256-ctr width=zmm interleave=4 keys=0x1", 18),
        ("aes128-ctr width=zmm interleave=8 keys=0x1", 18),
        ("aes128-cbc-dec width=ymm interleave=6 keys=0x3 wipe=yes", 18),
        ("aes128-cbc-x4 unroll=2", 10),
        ("aes128-ecb technique=vperm interleave=2 keys=0x3", 18),
        ("aes128-ecb technique=bitsliced layout=sliced", 18),
    ] {
        let start: Variant = dimensions::variant(text).expect("a variant");
        let kernel = build(&start, &targets::ALL).expect("a kernel");
        let (mut by_reduction, mut plain) = (prover(), prover());
        let space = dimensions::TABLE.space_by(start.problem, start.technique, start.lanes());
        let around = Neighbourhood::new(&space);
        let (mut tried, mut reduced) = (0, 0);
        while tried < 20 {
            let mut variant = start.clone();
            for _ in 0..rng.random_range(1..=3) {
                variant = around.reorder(&variant, kernel.loop_instructions, &mut rng).expect("a loop");
            }
            if variant.has(Dim::Keys) && rng.random() {
                variant.set(Dim::Keys, variant.get(Dim::Keys) ^ 4 << rng.random_range(0..8));
            }
            let Ok(other) = build(&variant.clone().clamped(), &targets::ALL) else { continue };
            tried += 1;
            let case = (start.problem, &other.bytes[..], &kernel.bytes[..]);
            match judged(&mut by_reduction, &mut plain, case) {
                Ok(is) => reduced += usize::from(is || other.bytes == kernel.bytes),
                Err(why) => panic!("{variant}: {why}"),
            }
        }
        assert!(reduced >= least, "{text}: only {reduced} of {tried} were reduced");
    }
}
