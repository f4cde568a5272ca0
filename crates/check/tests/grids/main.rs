//! Tests of the checker of grids: rows of PTX, kernels, texts that are read otherwise, and wrong proofs.

mod crafted;
mod model;
mod rows;
mod rules;

use aesmith_check::grid::{MODULE, Proof, check};
use std::path::Path;

/// The text of a proof.
fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/grids/{name}.proof"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn verdict(text: &str) -> Result<(), String> {
    Proof::read(text).and_then(|proof| check(&proof)).map(drop)
}

/// A text with one place of it replaced.
fn changed(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "`{old}` stands there once");
    text.replacen(old, new, 1)
}

#[test]
fn kernels_are_accepted() {
    let kernels = [
        ("ecb", "aes128-ecb", 1),
        ("ecb-two", "aes128-ecb", 1),
        ("ecb-ahead", "aes128-ecb", 2),
        ("ecb-dec", "aes256-ecb-dec", 1),
        ("ctr", "aes128-ctr", 1),
        ("cbc-dec", "aes128-cbc-dec", 1),
        ("cbc", "aes128-cbc of many streams", 1),
        ("group", "aes128-ecb of many streams", 1),
        ("key", "aes128-key", 1),
    ];
    for (name, contract, heads) in kernels {
        let proof = Proof::read(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let accepted = check(&proof).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(accepted.heads, heads, "{name}");
        assert!(
            proof.claim().starts_with(contract) && proof.claim().ends_with("look-ups in own banks"),
            "{name}"
        );
        // The kernel has the claim.
        let (head, _) =
            text(name).split_once(MODULE).map(|(a, b)| (a.to_owned(), b.to_owned())).expect("a module");
        assert!(head.contains("\nbanks"), "{name}");
    }
}
