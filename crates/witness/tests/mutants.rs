//! Proofs of changed kernels: whatever is found and accepted is true.

use crate::concrete::{Random, call};
use aesmith_check::{Certificate, check};
use std::path::Path;

/// The certificates of the checker's tests.
fn proofs() -> Vec<(String, Certificate)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/tests/proofs");
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut all: Vec<(String, Certificate)> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, Certificate::read(&text).expect("a certificate"))
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn proofs_are_found_again() {
    for (name, given) in proofs() {
        let found = aesmith_witness::find(given.contract, &given.code, given.constants);
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = aesmith_witness::text(&found);
        let again = Certificate::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(&again).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    }
}

#[test]
fn a_changed_kernel_has_a_proof_only_if_it_computes_the_same() {
    let is_soak = std::env::var_os("AESMITH_SOAK").is_some();
    let (mut all, mut accepted) = (0, 0);
    for (name, given) in proofs() {
        // Every fifth change of the smallest kernel, and some of the others.
        let share = match &*name {
            _ if is_soak => 1,
            "aes128-ecb.proof" => 5,
            // A search takes seconds where kernels are chosen by length.
            "ctr-joined.proof" => 6007,
            _ => 1409,
        };
        for bit in (0..8 * given.code.len()).step_by(share) {
            let mut code = given.code.clone();
            code[bit / 8] ^= 1 << (bit % 8);
            all += 1;
            let Ok(found) = aesmith_witness::find(given.contract, &code, given.constants) else { continue };
            if check(&found).is_err() {
                continue;
            }
            accepted += 1;
            let mut random = Random(13);
            for _ in 0..20 {
                call(&found, &mut random)
                    .unwrap_or_else(|error| panic!("{name}, bit {bit} is accepted: {error}"));
            }
        }
    }
    println!("{accepted} of {all} changed kernels have proofs, and compute the same");
    assert!(all > 300 && accepted < all / 5, "{accepted} of {all}");
}
