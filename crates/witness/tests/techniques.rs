//! Kernels by other techniques than AES instructions, and with cached rounds: variants that were drawn at random, of which all
//! have proofs. Every second one is tried outside the soak.

use aesmith_check::{Certificate, check};
use std::path::Path;
use std::time::Instant;

/// The most bytes of a certificate. The largest is that of the widest bit slices, whose code has 147,056 bytes.
const MOST_BYTES: usize = 108_000;

#[test]
fn kernels_of_other_techniques_have_proofs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/techniques");
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<_> = entries.collect();
    all.sort();
    let mut accepted = 0;
    let step = if std::env::var_os("AESMITH_SOAK").is_some() { 1 } else { 2 };
    for path in all.iter().step_by(step) {
        let text = std::fs::read_to_string(path).expect("a text");
        // The second line is the variant.
        let name = text.lines().nth(1).unwrap_or_default();
        let claim = Certificate::read(&text).expect("a claim");
        let found = aesmith_witness::find(claim.contract, &claim.code, claim.constants);
        let found = found.unwrap_or_else(|reason| panic!("{name}: {reason}"));
        let proof = aesmith_witness::text(&found);
        assert!(proof.len() <= MOST_BYTES, "{name}: {} bytes", proof.len());
        let again = Certificate::read(&proof).unwrap_or_else(|reason| panic!("{name}: {reason}"));
        let begin = Instant::now();
        check(&again).unwrap_or_else(|reason| panic!("{name}: {reason}"));
        assert_eq!((again.contract, &again.code), (found.contract, &found.code), "{name}");
        println!("{name}: {} bytes, checked in {:?}", proof.len(), begin.elapsed());
        accepted += 1;
    }
    println!("{accepted} of {} kernels are accepted", all.len());
    assert!(accepted >= 40 / step, "{accepted}");
}
