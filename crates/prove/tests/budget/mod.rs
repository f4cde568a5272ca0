//! Proofs end soon, whatever the bytes and their number: work is counted, not time. The hardest kernels that are
//! generated need less than half of the allowed work.

use crate::corpus::{Case, assembled};
use aesmith_prove::lanes::explore::{most_steps, most_work};
use aesmith_x86::dimensions;
use aesmith_x86::instructions::prover;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;

/// The template's code with these lines before a block is stored.
fn beside_a_block(name: &str, lines: String) -> (Case, Vec<u8>) {
    let case = Case::of_places(name, [String::new(), String::new(), lines, String::new()]);
    let code = assembled(name, std::slice::from_ref(&case)).remove(0);
    (case, code)
}

/// 1.9 MB of functions of bytes of a round key, none of them used, and all of them tried for an S-box.
#[test]
fn the_search_for_s_boxes_is_counted() {
    let (case, code) = beside_a_block("functions", "byte_functions 190000".to_owned());
    assert!(code.len() > 1_900_000);
    let mut first = prover();
    let refutation = first.prove(case.problem, &code).expect_err("it takes too much");
    assert!(refutation.reason.starts_with("the proof was given up"), "{refutation}");
    // The proof stops soon after the allowed work, and does not repeat all of it.
    let (work, most) = (first.work(), most_work(400_000));
    assert!(work > most && work < most + most / 10, "{work} of {most}");
    // Here the search alone exceeds the allowed work.
    let (case, code) = beside_a_block("some-functions", "byte_functions 2000".to_owned());
    let refutation = prover().prove(case.problem, &code).expect_err("it takes too much");
    assert!(refutation.reason.starts_with("the proof was given up"), "{refutation}");
    let (case, code) = beside_a_block("few-functions", "byte_functions 100".to_owned());
    prover().prove(case.problem, &code).unwrap_or_else(|r| panic!("a hundred times: {r}"));
}

/// Code with more instructions than any kernel is not even decoded.
#[test]
fn instructions_without_end_are_refused() {
    let (case, code) = beside_a_block("nops", ".fill 0x200000, 1, 0x90".to_owned());
    let refutation = prover().prove(case.problem, &code).expect_err("it is too long");
    assert!(refutation.reason.contains("instructions, which no kernel has"), "{refutation}");
    let (case, code) = beside_a_block("few-nops", ".fill 0x10000, 1, 0x90".to_owned());
    prover().prove(case.problem, &code).unwrap_or_else(|r| panic!("{r}"));
}

#[test]
fn the_hardest_kernels_need_less_than_half_of_what_is_allowed() {
    for text in [
        "aes128-cbc technique=bitsliced unroll=12 xor=modified circuit=1",
        "aes128-cbc-x8 technique=vperm width=xmm unroll=6 together=yes xor=modified gather=insert",
        "aes128-cbc-dec technique=vperm width=ymm interleave=4",
        "aes192-cbc-x16 technique=vperm width=ymm unroll=5 together=yes xor=folded gather=insert wipe=yes",
        "aes128-ctr technique=table extract=registers roundkeys=vectors cached=2 interleave=2",
        "aes128-ctr-table technique=bytewise",
        "aes256-key technique=table",
        "aes256-gcm width=zmm interleave=8 counter=add",
        "aes256-gcm width=zmm interleave=8 cached=2",
    ] {
        let variant = dimensions::variant(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let kernel = build(&variant, &targets::ALL).unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut prover = prover();
        let proof = prover.prove(variant.problem, &kernel.bytes).unwrap_or_else(|r| panic!("{text}: {r}"));
        let (work, steps) = (prover.work(), proof.steps);
        let (most, most_steps) = (most_work(proof.instructions), most_steps(proof.instructions));
        assert!(2 * work < most, "{text}: {work} of {most}");
        assert!(2 * steps < most_steps, "{text}: {steps} steps of {most_steps}");
    }
}
