//! A changed package is refused if a compiler, linker, make or a caller would notice the change, and accepted
//! otherwise. The cases are files in `tests/altered`: each changes one thing in a fresh package.
//!
//! ```text
//! case WHAT
//! package NAME        (of PACKAGES)
//! accept              or: accept, refuse WORDS OF THE OUTPUT
//! edit FILE           then lines `- OLD` and `+ NEW`; the file contains the old ones
//! add FILE            then lines `+ TEXT`
//! append FILE         then lines `+ TEXT`
//! run COMMAND         in the package, by bash
//! verify FILE         instead of the folder
//! ```

use crate::support::{Place, has_aes, none_wrong, of_tests, sorted};
use std::fs;

/// Packages that are emitted once each: name, arguments, the compiler that builds it.
const PACKAGES: &[(&str, &str, &str)] = &[
    ("x86", "aes128-ecb --as package --cpu avx-aesni", "cc"),
    ("levels", "aes128-ecb --as package --cpu sse2,avx-aesni", "cc"),
    ("several", "aes128-ecb,aes128-ctr --as package --cpu avx-aesni --prefix aes256_ctr", "cc"),
    ("named", "aes128-ecb --as package --cpu avx-aesni --prefix selftest_", "cc"),
    ("vt", "aes128-ctr --as package --cpu sse2 --technique table --allow-variable-time", "cc"),
    ("avr", "aes128-ecb --processor avr --as package --only rounds=looped", "avr-gcc"),
    ("registers", "aes128-ecb --processor avr --as package --only convention=registers", "avr-gcc"),
    (
        "ppc",
        "aes128-ecb --processor ppc7410 --as package --allow-variable-time --only technique=table",
        "powerpc-linux-gnu-gcc",
    ),
    (
        "any",
        "aes128-ecb --processor cortex-m3 --as package --keys all --only rounds=unrolled",
        "arm-none-eabi-gcc",
    ),
    ("cuda", "aes128-ctr --processor gpu --as cuda", "cc"),
    ("ctr", "aes128-ctr --as package --cpu avx-aesni --variant ctr.variants", "cc"),
];

/// The kernel of the package `ctr`.
const VARIANTS: &str = "aes128-ctr width=xmm keys=0x07ff interleave=2\naes128-key schedule=aesenclast\n";
/// Copies the kernel of the package `ctr` into a folder where nothing is beside it, without the line that holds its length:
/// cases add instructions to it.
const ALONE: &str = "mkdir ctr/k && sed '/^\\t[.]org /d' ctr/aesmith_aes128_ctr_avx_aesni.S >ctr/k/kernel.S";

#[derive(Debug, Default)]
struct Case {
    what: String,
    package: String,
    is_refused: bool,
    /// Words of the output.
    says: String,
    steps: Vec<Step>,
    verify: Option<String>,
}

#[derive(Debug)]
enum Step {
    Edit { file: String, old: Vec<String>, new: Vec<String> },
    Add { file: String, append: bool, text: Vec<String> },
    Run(String),
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for file in sorted(&of_tests("altered")) {
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
                ("accept" | "refuse", _) => (case.is_refused, case.says) = (word == "refuse", rest_of()),
                ("verify", _) => case.verify = Some(rest_of()),
                ("edit", _) => {
                    case.steps.push(Step::Edit { file: rest_of(), old: vec![], new: vec![] });
                }
                ("add" | "append", _) => {
                    let append = word == "append";
                    case.steps.push(Step::Add { file: rest_of(), append, text: vec![] });
                }
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
            Step::Add { file, append, text } => {
                let path = place.path(format!("{folder}/{file}"));
                fs::create_dir_all(path.parent().ok_or("no folder")?).map_err(|e| e.to_string())?;
                let before = if *append { place.read(&path) } else { String::new() };
                fs::write(path, before + &text.join("\n") + "\n").map_err(|e| e.to_string())?;
            }
            Step::Run(command) => {
                let said = place.shell(&format!("cd {folder} && {command}"), &[]);
                if said.code != 0 {
                    return Err(format!("{command}: {}", said.all()));
                }
            }
        }
    }
    let target = case.verify.as_ref().map_or(folder.to_owned(), |file| format!("{folder}/{file}"));
    let said = place.run(&format!("verify {target}"));
    match said.code == (if case.is_refused { 3 } else { 0 }) && said.all().contains(&case.says) {
        true => Ok(()),
        false => Err(format!("exit {}, wanted `{}`: {}", said.code, case.says, said.all())),
    }
}

#[test]
fn what_was_changed_is_told_from_what_says_nothing() {
    if !has_aes() {
        return;
    }
    let place = Place::new("altered");
    place.write("ctr.variants", VARIANTS);
    let cases = cases();
    assert!(cases.iter().filter(|case| case.is_refused).count() >= 120, "{}", cases.len());
    let mut wrong = Vec::new();
    for (name, arguments, compiler) in PACKAGES {
        let of_package: Vec<&Case> = cases.iter().filter(|case| case.package == *name).collect();
        assert!(of_package.iter().any(|case| !case.is_refused), "{name} has no control");
        if place.shell(&format!("command -v {compiler} make"), &[]).code != 0 {
            println!("skipped: {compiler} or make is not installed");
            continue;
        }
        place.ok(&format!("emit {arguments} -o {name}"));
        if *name == "ctr" {
            assert_eq!(place.shell(ALONE, &[]).code, 0);
        }
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
    none_wrong(&wrong);
}
