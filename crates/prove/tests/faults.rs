//! The list of faults that `scripts/faults.sh` plants in the prover: each names a text that is in its file
//! once, so that a fault that no longer applies is seen before it is missed.

use std::collections::HashSet;
use std::path::Path;

struct Fault {
    what: String,
    file: String,
    old: Vec<String>,
    new: Vec<String>,
}

fn faults(text: &str) -> Vec<Fault> {
    let mut all: Vec<Fault> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(what) = line.strip_prefix("fault: ") {
            all.push(Fault { what: what.to_owned(), file: String::new(), old: vec![], new: vec![] });
            continue;
        }
        let fault = all.last_mut().unwrap_or_else(|| panic!("`{line}` is of no fault"));
        match line.split_at(1) {
            ("-", old) => fault.old.push(old.to_owned()),
            ("+", new) => fault.new.push(new.to_owned()),
            _ => fault.file = line.strip_prefix("file: ").unwrap_or_else(|| panic!("`{line}`?")).to_owned(),
        }
    }
    all
}

#[test]
fn every_fault_is_of_the_source_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = std::fs::read_to_string(root.join("crates/prove/attacks/faults.txt")).unwrap();
    let mut names = HashSet::new();
    for Fault { what, file, old, new } in faults(&list) {
        assert!(names.insert(what.clone()), "{what}: it is there twice");
        assert!(!old.is_empty() && old != new, "{what}: it changes nothing");
        let source =
            std::fs::read_to_string(root.join(&file)).unwrap_or_else(|e| panic!("{what}: {file}: {e}"));
        let lines: Vec<&str> = source.lines().collect();
        let found = lines.windows(old.len()).filter(|window| *window == old).count();
        assert_eq!(found, 1, "{what}: its lines are in {file} {found} times, and have to be there once");
    }
    assert!(!names.is_empty());
}
