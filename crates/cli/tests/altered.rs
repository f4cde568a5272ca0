//! A changed package is refused if a compiler, linker, make or a caller would notice the change, and accepted
//! otherwise. The cases are files in `tests/altered`: each changes one thing in a fresh package.
//!
//! ```text
//! case WHAT
//! package NAME        (of PACKAGES)
//! accept              or: refuse WORDS OF THE MESSAGE
//! edit FILE           then lines `- OLD` and `+ NEW`; the file contains the old ones
//! add FILE            then lines `+ TEXT`
//! run COMMAND         in the package, by bash
//! verify FILE         instead of the folder
//! ```

mod support;

use std::fs;
use std::path::Path;
use support::{Place, has_aes};

/// Packages that are emitted once each: name, arguments, the compiler that builds it.
const PACKAGES: &[(&str, &[&str], &str)] = &[
    ("x86", &["aes128-ecb", "--as", "package", "--cpu", "avx-aesni"], "cc"),
    ("levels", &["aes128-ecb", "--as", "package", "--cpu", "sse2,avx-aesni"], "cc"),
    (
        "vt",
        &["aes128-ctr", "--as", "package", "--cpu", "sse2", "--technique", "table", "--allow-variable-time"],
        "cc",
    ),
    ("avr", &["aes128-ecb", "--processor", "avr", "--as", "package", "--only", "rounds=looped"], "avr-gcc"),
    (
        "ppc",
        &[
            "aes128-ecb",
            "--processor",
            "ppc7410",
            "--as",
            "package",
            "--allow-variable-time",
            "--only",
            "technique=table",
        ],
        "powerpc-linux-gnu-gcc",
    ),
    (
        "any",
        &[
            "aes128-ecb",
            "--processor",
            "cortex-m3",
            "--as",
            "package",
            "--keys",
            "all",
            "--only",
            "rounds=unrolled",
        ],
        "arm-none-eabi-gcc",
    ),
    ("cuda", &["aes128-ctr", "--processor", "gpu", "--as", "cuda"], "cc"),
];

#[derive(Debug, Default)]
struct Case {
    what: String,
    package: String,
    /// `None` if it is accepted.
    refused: Option<String>,
    steps: Vec<Step>,
    verify: Option<String>,
}

#[derive(Debug)]
enum Step {
    Edit { file: String, old: Vec<String>, new: Vec<String> },
    Add { file: String, text: Vec<String> },
    Run(String),
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/altered");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases: Vec<Case> = Vec::new();
    for file in files {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest_of = || rest.to_owned();
            if word == "case" {
                cases.push(Case { what: rest_of(), ..Case::default() });
                continue;
            }
            if word.is_empty() || word == "#" {
                continue;
            }
            let case = cases.last_mut().unwrap_or_else(|| panic!("{}: {line}", file.display()));
            match (word, case.steps.last_mut()) {
                ("package", _) => case.package = rest_of(),
                ("accept", _) => {}
                ("refuse", _) => case.refused = Some(rest_of()),
                ("verify", _) => case.verify = Some(rest_of()),
                ("edit", _) => {
                    case.steps.push(Step::Edit { file: rest_of(), old: vec![], new: vec![] });
                }
                ("add", _) => case.steps.push(Step::Add { file: rest_of(), text: vec![] }),
                ("run", _) => case.steps.push(Step::Run(rest_of())),
                ("-", Some(Step::Edit { old, .. })) => old.push(rest_of()),
                ("+", Some(Step::Edit { new, .. })) => new.push(rest_of()),
                ("+", Some(Step::Add { text, .. })) => text.push(rest_of()),
                _ => panic!("{}: {line}", file.display()),
            }
        }
    }
    cases
}

/// The text with the first occurrence of the old lines replaced.
fn edited(text: &str, old: &[String], new: &[String]) -> Option<String> {
    let (old, new) = (old.join("\n"), new.join("\n"));
    let at = text.find(&old).filter(|_| !old.is_empty())?;
    Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
}

fn run(case: &Case, folder: &str, place: &Place) -> Result<(), String> {
    for step in &case.steps {
        match step {
            Step::Edit { file, old, new } => {
                let path = place.path(format!("{folder}/{file}"));
                let text = fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
                let text = edited(&text, old, new).ok_or_else(|| format!("{file} has no {old:?}"))?;
                fs::write(path, text).map_err(|e| e.to_string())?;
            }
            Step::Add { file, text } => {
                let path = place.path(format!("{folder}/{file}"));
                fs::create_dir_all(path.parent().ok_or("no folder")?).map_err(|e| e.to_string())?;
                fs::write(path, text.join("\n") + "\n").map_err(|e| e.to_string())?;
            }
            Step::Run(command) => {
                let said = place.shell(&format!("cd {folder} && {command}"), &[]);
                if said.code != 0 {
                    return Err(format!("{command}: {}{}", said.out, said.err));
                }
            }
        }
    }
    let target = case.verify.as_ref().map_or(folder.to_owned(), |file| format!("{folder}/{file}"));
    let said = place.run(&["verify", &target]);
    let all = format!("{}{}", said.out, said.err);
    match (&case.refused, said.code) {
        (None, 0) => Ok(()),
        (Some(words), 3) if all.contains(words.as_str()) => Ok(()),
        (wanted, code) => Err(format!("exit {code}, wanted {wanted:?}: {all}")),
    }
}

#[test]
fn what_was_changed_is_told_from_what_says_nothing() {
    if !has_aes() {
        return;
    }
    let place = Place::new("altered");
    let cases = cases();
    assert!(cases.iter().filter(|case| case.refused.is_some()).count() >= 40, "{}", cases.len());
    let mut wrong = Vec::new();
    for (name, arguments, compiler) in PACKAGES {
        let of_package: Vec<&Case> = cases.iter().filter(|case| case.package == *name).collect();
        assert!(of_package.iter().any(|case| case.refused.is_none()), "{name} has no control");
        if place.shell(&format!("command -v {compiler} make"), &[]).code != 0 {
            println!("skipped: {compiler} or make is not installed");
            continue;
        }
        let said = place.run(&[&["emit"], *arguments, &["-o", name]].concat());
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        for (number, case) in of_package.iter().enumerate() {
            let folder = format!("{name}-{number}");
            assert_eq!(place.shell(&format!("cp -r {name} {folder}"), &[]).code, 0);
            if let Err(why) = run(case, &folder, &place) {
                wrong.push(format!("{name}: {}: {why}", case.what));
            }
            fs::remove_dir_all(place.path(&folder)).unwrap();
        }
    }
    let known = |case: &&Case| PACKAGES.iter().any(|(name, ..)| *name == case.package);
    assert!(cases.iter().all(|case| known(&case)), "a case is of no package");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
