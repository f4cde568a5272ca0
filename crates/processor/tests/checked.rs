//! The verdict of the checker of proofs on kernels, found proofs and given proofs.

use aesmith_check::Certificate as Proof;
use aesmith_processor::checked::{Claim, GridClaim, Refused, Stated, Verdict};
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processors::this_machine;
use aesmith_prove::certificate::sha256;

fn claim<'a>(problem: &str, wiped: bool, bytes: &'a [u8]) -> Claim<'a> {
    Claim { dialect: this_machine().dialect, problem: problem.parse().unwrap(), wiped, lookups: false, bytes }
}

/// The proof that a verdict refuses.
fn refused(verdict: Verdict) -> Refused {
    match verdict {
        Verdict::Refused(refused) => *refused,
        other => panic!("no proof is refused: {other:?}"),
    }
}

fn example() -> (String, Vec<u8>) {
    let text = include_str!("../../check/tests/proofs/aes128-ecb.proof").to_owned();
    let code = Proof::read(&text).unwrap().code;
    (text, code)
}

#[test]
fn a_proof_is_found_and_accepted() {
    let (_, code) = example();
    let verdict = claim("aes128-ecb", false, &code).judge();
    let accepted = verdict.accepted().expect("it is accepted");
    assert_eq!((&*accepted.checked.contract, &*accepted.checked.by), ("aes128-ecb", aesmith_check::NAME));
    assert_eq!(accepted.checked.proof_sha256, sha256(accepted.text.as_bytes()));
    let again = claim("aes128-ecb", false, &code).judge_given(&accepted.text).unwrap();
    assert_eq!(again.checked, accepted.checked);
    let json = serde_json::to_value(Stated::new(&accepted.checked, &verdict)).unwrap();
    assert!(json["checked"]["paths"] == accepted.checked.paths && json.get("unchecked").is_none(), "{json}");
}

#[test]
fn kernels_without_a_proof_rest_on_the_prover_alone() {
    let (_, code) = example();
    let refused = refused(claim("aes128-ecb", true, &code).judge());
    assert!(refused.reason.contains("may hold a secret at the return"), "{}", refused.reason);
    // The kernel computes another problem, is cut, or computes what the checker does not know.
    for (problem, wiped, bytes) in
        [("aes256-ecb", false, &code[..]), ("aes128-ecb", false, &code[..30]), ("aes128-key", false, &code)]
    {
        let verdict = claim(problem, wiped, bytes).judge();
        let why = verdict.unchecked().expect("no proof is found");
        assert!(why.starts_with("it rests on the prover alone: ") && verdict.proof().is_none(), "{why}");
        let json = serde_json::to_value(Stated::new(&(), &verdict)).unwrap();
        assert!(json["checked"].is_null() && json["unchecked"] == why, "{json}");
    }
}

#[test]
fn a_given_proof_is_about_the_bytes_and_the_claim() {
    let (text, code) = example();
    let refused = |problem: &str, wiped: bool, bytes: &[u8]| {
        claim(problem, wiped, bytes).judge_given(&text).unwrap_err()
    };
    let mut other = code.clone();
    other[20] ^= 1;
    assert_eq!(refused("aes128-ecb", false, &other), "it is about other bytes");
    assert_eq!(refused("aes128-ctr", false, &code), "it is a proof of aes128-ecb");
    assert!(refused("aes128-ecb", true, &code).contains("does not claim that the kernel is wiped"));
    let moved = text.replacen("head loop", "constants 0x60\nhead loop", 1);
    let moved = claim("aes128-ecb", false, &code).judge_given(&moved).unwrap_err();
    assert_eq!(moved, "its constants begin at another place");
}

#[test]
fn a_found_proof_may_be_refused() {
    let (text, code) = example();
    let wrong = text.replacen("to loop p=0", "to loop p=1", 1);
    let verdict = claim("aes128-ecb", false, &code).judge_found(Ok(wrong.clone()));
    assert!(verdict.accepted().is_none() && verdict.unchecked().is_some());
    let no = refused(verdict);
    assert_eq!(no.text, wrong);
    assert!(no.to_string().contains("refuses the proof that was found"), "{no}");
    assert!(no.reason.contains("is not as loop states"), "{no}");
    let none = claim("aes128-ecb", false, &code).judge_found(Err("0x10: a reason\nmore".into()));
    assert!(none.unchecked().is_some_and(|why| why.ends_with("0x10: a reason")), "{none:?}");
}

/// A compiler may take a line for a part of the comment above it: such a text was not proved.
#[test]
fn a_text_for_gpus_is_a_module_as_the_checker_reads_it() {
    let grids = aesmith_processors::grids().next().expect("a GPU");
    let variant =
        "aes128-ctr processor=gpu technique=table tables=4 replicas=32 threads=128 counter=cached blocks=1";
    let kernel = (grids.build)(&grids.table.parse(variant).unwrap()).unwrap();
    let proved = ProvedGrid::again(grids, kernel).unwrap();
    let claim = GridClaim::of(grids, &proved);
    let verdict = claim.judge();
    let proof = verdict.proof().expect("it is accepted");
    for (comment, is_read) in [("// More.", true), ("// It goes on \\", false), ("// It ends\r", false)] {
        let text = format!("{comment}\n{}", proved.text());
        let given = GridClaim { text: &text, ..claim }.judge_given(proof);
        assert_eq!(given.is_ok(), is_read, "{comment:?}: {given:?}");
    }
}
