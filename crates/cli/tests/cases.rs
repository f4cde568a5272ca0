//! The corpus of files that `verify` must refuse or accept: each folder `cases/KIND/NAME` is a case.
//!
//! A case has files, and three or four texts: `README` explains the fault and its evidence; `expect` is `accept` or
//! `refuse`; each line of `cmd` is a command that is run in the folder; each line of the optional `says` must occur in
//! the output of every command. A case that is refused for another reason than its own tests nothing; `says` prevents
//! it from passing. Each attack has a control, which differs from it only in the fault and is accepted.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Place, Said};

/// Exit status of a command that found something not proved.
const NOT_PROVED: i32 = 3;

/// Runs all commands of a case. Returns a sentence for each whose verdict is not the expected one.
fn wrong(place: &Place, case: &Path) -> Vec<String> {
    let text = |name: &str| fs::read_to_string(case.join(name)).ok();
    let expect = text("expect").unwrap_or_else(|| panic!("{} has no file `expect`", case.display()));
    let accept = match expect.trim() {
        "accept" => true,
        "refuse" => false,
        other => panic!("{}: `expect` is `{other}`, and must be `accept` or `refuse`", case.display()),
    };
    let says = text("says").unwrap_or_default();
    let commands = text("cmd").unwrap_or_else(|| panic!("{} has no file `cmd`", case.display()));
    assert!(text("README").is_some(), "{} has no file `README`", case.display());
    let mut wrong = Vec::new();
    let mut runs = 0;
    for line in commands.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some("aesmith"), "{}: `cmd` runs another program", case.display());
        let arguments: Vec<&str> = words.collect();
        let said: Said = place.command(&arguments).current_dir(case).output().unwrap().into();
        runs += 1;
        let all = format!("{}{}", said.out, said.err);
        if all.contains("cannot be run") {
            println!("skipped: {}: {all}", case.display());
            continue;
        }
        let right = if accept { said.code == 0 } else { said.code == NOT_PROVED };
        if !right {
            wrong.push(format!("{}: `{line}` exits with {}: {all}", case.display(), said.code));
        }
        for words in says.lines().filter(|words| !words.is_empty() && !all.contains(words)) {
            wrong.push(format!("{}: `{line}` does not say `{words}`: {all}", case.display()));
        }
    }
    assert!(runs > 0, "{} runs no command", case.display());
    wrong
}

/// Runs every case of a kind; panics with a list of all wrong ones.
fn all(kind: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(kind);
    let mut cases: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty(), "{} has no case", folder.display());
    let place = Place::new(&format!("cases-{kind}"));
    let wrong: Vec<String> = cases.iter().flat_map(|case| wrong(&place, case)).collect();
    assert!(
        wrong.is_empty(),
        "of {} cases {} verdicts are wrong:\n{}",
        cases.len(),
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn x86_64() {
    all("x86-64");
}

#[test]
fn processors_by_the_prover_of_bits() {
    all("bits");
}

#[test]
fn grids() {
    all("grids");
}
