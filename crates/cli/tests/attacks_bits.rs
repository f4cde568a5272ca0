//! Attacks on the proofs for the other processors: behaviour that a manual leaves open, forbids or defines for other
//! processors only.
//!
//! A case is a file in `attacks/bits/NAME/refuse` or `accept`: lines of assembly that are put into a kernel that is
//! emitted for it. Its first comments say why they are wrong, or right, on which processor, with which choices of a
//! kernel, and after which line they are inserted (default: the function's label). Every file in these folders is
//! verified.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::Place;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/attacks/bits");

/// A case.
struct Case {
    file: PathBuf,
    what: String,
    processor: String,
    choices: String,
    behind: Option<String>,
    lines: String,
}

fn read(file: &Path) -> Case {
    let text = fs::read_to_string(file).unwrap();
    let comments: Vec<&str> =
        text.lines().map_while(|line| line.strip_prefix("/* ")?.strip_suffix(" */")).collect();
    let said = |name: &str| comments.iter().find_map(|c| c.strip_prefix(name)?.strip_prefix(": "));
    let wanted =
        |name: &str| said(name).unwrap_or_else(|| panic!("{}: no `{name}`", file.display())).to_owned();
    Case {
        file: file.to_owned(),
        what: (*comments.first().expect("a comment on what it is")).to_owned(),
        processor: wanted("on"),
        choices: wanted("with"),
        behind: said("behind").map(str::to_owned),
        lines: text.lines().skip(comments.len()).fold(String::new(), |all, line| all + line + "\n"),
    }
}

/// All files in the `refuse` or `accept` folders, sorted by name.
fn cases(kind: &str) -> Vec<Case> {
    let mut files = Vec::new();
    for folder in fs::read_dir(FOLDER).unwrap() {
        let folder = folder.unwrap().path().join(kind);
        let inside = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        files.extend(inside.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

/// The name of a kernel and of its file, and its assembly.
type Kernel = (String, String);

/// The kernel that a case is put into.
fn kernel(place: &Place, case: &Case) -> Kernel {
    let folder = format!("{}-{}", case.processor, case.choices.replace('=', "-"));
    let said = place.run(&[
        "emit",
        "aes128-ecb",
        "--processor",
        &case.processor,
        "--as",
        "asm",
        "--allow-variable-time",
        "--only",
        &case.choices,
        "-o",
        &folder,
    ]);
    assert_eq!(said.code, 0, "{}: {}", case.processor, said.err);
    let names =
        fs::read_dir(place.path(&folder)).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let name = names.into_iter().find(|n| n.starts_with("aesmith_aes128_encrypt") && n.ends_with(".S"));
    let name = name.expect("a kernel of blocks");
    let text = fs::read_to_string(place.path(format!("{folder}/{name}"))).unwrap();
    (name.trim_end_matches(".S").to_owned(), text)
}

/// Verifies all cases of a kind. Returns those with the wrong verdict, and the number of cases.
fn verified(kind: &str, as_it_should: impl Fn(i32, &str) -> bool) -> (Vec<String>, usize) {
    let place = Place::new(&format!("attacks-bits-{kind}"));
    let mut kernels: BTreeMap<(String, String), Kernel> = BTreeMap::new();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (number, case) in cases(kind).iter().enumerate() {
        let of = (case.processor.clone(), case.choices.clone());
        let (symbol, text) = kernels.entry(of).or_insert_with(|| kernel(&place, case));
        let line = case.behind.clone().unwrap_or(format!("{symbol}:"));
        let mut lines = text.lines();
        let before: Vec<&str> = lines.by_ref().take_while(|l| l.trim() != line).collect();
        let after: Vec<&str> = lines.collect();
        assert!(!after.is_empty(), "{}: no `{line}`", case.file.display());
        let (before, after) = (before.join("\n"), after.join("\n"));
        let folder = format!("{number}");
        fs::create_dir(place.path(&folder)).unwrap();
        let file = format!("{folder}/{symbol}.S");
        fs::write(place.path(&file), format!("{before}\n{line}\n{}{after}\n", case.lines)).unwrap();
        let said = place.run(&["verify", &file, "--processor", &case.processor]);
        if said.err.contains("cannot be run") {
            println!("skipped: {}: {}", case.file.display(), said.err);
            continue;
        }
        count += 1;
        let all = format!("{}{}", said.out, said.err);
        if !as_it_should(said.code, &all) {
            wrong.push(format!("{} ({}): exit {}: {all}", case.file.display(), case.what, said.code));
        }
    }
    (wrong, count)
}

#[test]
fn attacks_are_refused() {
    // The prover must refuse it: an assembler that refuses a line shows nothing about the prover.
    let (wrong, count) = verified("refuse", |code, said| code == 3 && said.contains("with round keys: "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{count} attacks");
}

#[test]
fn controls_are_accepted() {
    let (wrong, count) = verified("accept", |code, _| code == 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{count} controls");
}
