//! The corpus of files that `verify` must refuse or accept: each folder `cases/KIND/NAME` is a case.
//!
//! A case has files, and three or four texts: `README` explains the fault and its evidence; `expect` is `accept` or
//! `refuse`; each line of `cmd` is a command that is run in the folder; each line of the optional `says` must occur in
//! the output of every command. A case that is refused for another reason than its own tests nothing; `says` prevents
//! it from passing. Each attack has a control, which differs from it only in the fault and is accepted.

use crate::support::{Place, check_all, mistakes, of_tests, sorted};
use std::fs;
use std::path::Path;

/// Runs all commands of a case. Returns a sentence for each whose verdict is not the expected one.
fn wrong(place: &Place, case: &Path) -> Vec<String> {
    let name = case.display().to_string();
    let text = |file: &str| fs::read_to_string(case.join(file)).ok();
    let wanted = |file: &str| text(file).unwrap_or_else(|| panic!("{name} has no file `{file}`"));
    let accept = match wanted("expect").trim() {
        "accept" => true,
        "refuse" => false,
        other => panic!("{name}: `expect` is `{other}`, and must be `accept` or `refuse`"),
    };
    let (says, commands) = (text("says").unwrap_or_default(), wanted("cmd"));
    wanted("README");
    let commands: Vec<&str> = commands.lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(!commands.is_empty(), "{name} runs no command");
    let run = |line: &&str| {
        let arguments = line.strip_prefix("aesmith ");
        let arguments = arguments.unwrap_or_else(|| panic!("{name}: `cmd` runs another program"));
        mistakes(&name, place.command(arguments).current_dir(case), accept, &says)
    };
    commands.iter().flat_map(run).collect()
}

/// Runs every case of a kind; panics with a list of all wrong ones.
fn all(kind: &str) {
    let place = Place::new(&format!("cases-{kind}"));
    check_all(&sorted(&of_tests("cases").join(kind)), |case| wrong(&place, case));
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
