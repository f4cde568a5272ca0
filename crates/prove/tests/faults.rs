//! Checks the lists of faults that `scripts/faults.sh` plants: each fault names a text that occurs once in its file, so
//! that a fault that no longer applies is noticed, and each list names the tests that find its faults.

use std::collections::HashSet;
use std::path::Path;

struct Fault {
    what: String,
    file: String,
    old: Vec<String>,
    new: Vec<String>,
}

/// The faults of a list, and the number of its lines that name tests.
fn list(text: &str) -> (Vec<Fault>, usize) {
    let (mut all, mut tests): (Vec<Fault>, usize) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(what) = line.strip_prefix("fault: ") {
            all.push(Fault { what: what.to_owned(), file: String::new(), old: vec![], new: vec![] });
            continue;
        }
        let Some(fault) = all.last_mut() else {
            let named = line.strip_prefix("tests: ");
            assert!(named.is_some_and(|named| !named.trim().is_empty()), "`{line}` is of no fault");
            tests += 1;
            continue;
        };
        match line.split_at(1) {
            ("-", old) => fault.old.push(old.to_owned()),
            ("+", new) => fault.new.push(new.to_owned()),
            _ => fault.file = line.strip_prefix("file: ").unwrap_or_else(|| panic!("`{line}`?")).to_owned(),
        }
    }
    (all, tests)
}

#[test]
fn every_fault_is_of_the_source_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("crates/prove/attacks/faults");
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let lists: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    assert!(!lists.is_empty(), "{} has no list", folder.display());
    let mut names = HashSet::new();
    let mut lost = Vec::new();
    for path in lists {
        let of = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let (faults, tests) = list(&text);
        assert!(tests > 0, "{of} names no tests");
        assert!(!faults.is_empty(), "{of} has no faults");
        for Fault { what, file, old, new } in faults {
            assert!(names.insert(what.clone()), "{of}: {what}: it is there twice");
            assert!(!old.is_empty() && old != new, "{of}: {what}: it changes nothing");
            let source = std::fs::read_to_string(root.join(&file));
            let source = source.unwrap_or_else(|e| panic!("{of}: {what}: {file}: {e}"));
            let lines: Vec<&str> = source.lines().collect();
            match lines.windows(old.len()).filter(|window| *window == old).count() {
                1 => {}
                found => lost.push(format!("{of}: {what}: its lines are in {file} {found} times")),
            }
        }
    }
    assert!(lost.is_empty(), "a fault's lines have to be in its file once:\n{}", lost.join("\n"));
}
