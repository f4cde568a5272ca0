//! Compares emitted text of a few small variants byte by byte. The first line of a file of `golden` has a variant, after
//! `portable` if it is of portable C; the rest is its text, which contains every difference from the baseline. For a
//! new case, add a file with that line. `AESMITH_BLESS=1 cargo test -p aesmith-emit --test suite golden` writes the texts; the
//! change is then reviewed in the diff. (The assembly of tables is not printed without a proof.)

use aesmith_emit::c::{Place, Program, portable};
use aesmith_emit::{Function, assembly};
use aesmith_x86::dimensions;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use std::path::Path;

/// The text of a case, by its first line and the ending of its file.
fn emitted(case: &str, ending: &str) -> String {
    let (is_portable, variant) =
        case.strip_prefix("portable ").map_or((false, case), |variant| (true, variant));
    let variant = dimensions::variant(variant).unwrap();
    match (ending, is_portable) {
        ("s", false) => assembly::file(&[Function::new(&build(&variant, &targets::ALL).unwrap())]).unwrap(),
        ("c", false) => Program::of(&variant).file(Place::Alone).unwrap(),
        ("c", true) => portable::file(&Program::of(&variant), Place::Alone).unwrap(),
        _ => panic!("`{case}` has no text in .{ending}"),
    }
}

#[test]
fn emitted_text_is_as_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut cases = 0;
    // Folders are packages, which other tests compare.
    for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).filter(|path| path.is_file()) {
        let held = std::fs::read_to_string(&path).unwrap();
        let first = held.lines().next().unwrap_or_default();
        let case = first.strip_prefix("/* ").and_then(|rest| rest.strip_suffix(" */"));
        let case = case.unwrap_or_else(|| panic!("{}: `{first}` has no variant", path.display()));
        let text = format!("{first}\n{}", emitted(case, path.extension().unwrap().to_str().unwrap()));
        cases += 1;
        if std::env::var_os("AESMITH_BLESS").is_some() {
            std::fs::write(&path, text).unwrap();
            continue;
        }
        let line = held.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
        assert!(
            held == text,
            "{} differs from what is emitted, first at line {line}; if the change is meant, run AESMITH_BLESS=1 cargo test \
             -p aesmith-emit --test suite golden",
            path.display()
        );
    }
    assert!(cases > 20, "{cases} cases");
}
