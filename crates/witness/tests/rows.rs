//! Proofs about processors with rows of instructions are found from their claims alone.

use aesmith_check::bytes::{Proof, check};
use aesmith_witness::bytes::{find, text};
use std::path::Path;

#[test]
fn proofs_by_rows_are_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/tests");
    let mut all = 0;
    for name in ["avr", "words"] {
        for entry in std::fs::read_dir(folder.join(name)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let given = std::fs::read_to_string(&path).expect("a text");
            let mut claim = Proof::read(&given).expect("a proof");
            (claim.entry, claim.heads) = (Vec::new(), Vec::new());
            (claim.lookups, claim.skips) = (false, false);
            let found = find(&claim).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
            let again = Proof::read(&text(&found)).expect("a proof");
            check(&again).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
            assert_eq!(
                (&again.code, &again.tables, &again.links),
                (&claim.code, &claim.tables, &claim.links)
            );
            assert_eq!((again.contract, again.keys), (claim.contract, claim.keys));
            all += 1;
        }
    }
    assert!(all >= 14, "{all}");
}
