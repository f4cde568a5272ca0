//! The finder on texts of kernels for GPUs, and the attacks on the prover of grids (processors/gpu/attacks), whose README is at the beginning
//! of processors/gpu/src/attack_tests.rs: the checker has the same verdicts, but for the reasons that are named here.

use aesmith_check::grid::{MODULE, Proof, check};
use aesmith_witness::grid::find;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Variants of attacks, with the proof about each and its contract.
const BASES: [(&str, &str, &str); 6] = [
    ("aes128-ecb threads=128", "ecb", "aes128-ecb"),
    ("aes128-ecb blocks=2 threads=128", "ecb-two", "aes128-ecb"),
    ("aes128-ctr threads=128", "ctr", "aes128-ctr"),
    ("aes128-cbc-dec threads=128 tables=1", "cbc-dec", "aes128-cbc-dec"),
    ("aes128-ecb keys=group threads=128", "group", "aes128-ecb"),
    ("aes128-cbc threads=128", "cbc", "aes128-cbc"),
];

/// Texts with another verdict: the attack, a word of its lines, and true if the checker accepts it, and why.
const OTHERS: [(&str, &str, bool, &str); 8] = [
    (
        "instructions-that-the-table-has-not",
        "bfe.u32",
        true,
        "the checker has a row of it, and it changes nothing",
    ),
    (
        "instructions-that-the-table-has-not",
        "mad.wide.u32",
        true,
        "the checker has a row of it, and nothing reads it",
    ),
    ("instructions-that-the-table-has-not", "shf.r.wrap.b32", false, "the number of places is secret"),
    (
        "rotation-by-a-secret",
        "+    shf.l.wrap.b32 %r150, %r2, %r2, %r3;",
        false,
        "the number of places is secret",
    ),
    ("register-that-nobody-wrote", "%r151, %r1, %r1, %r150", false, "the number of places is unknown"),
    ("text-that-is-read-otherwise", "-L41:\n+L41: L42:", false, "a label alone"),
    ("loops-one-after-another", "L9001", true, "the second loop is followed"),
    ("shared-memory-that-is-not-given", "1310720", false, "more than a GPU has"),
];

/// A text with replacements of lines.
fn changed(name: &str, base: &str, changes: &[(Vec<&str>, Vec<&str>)]) -> String {
    let mut lines: Vec<&str> = base.lines().collect();
    for (old, new) in changes {
        let is_line = |(old, line): (&&str, &&str)| match old.trim().strip_suffix(" ...") {
            Some(begin) => line.trim().starts_with(begin),
            None => old.trim() == line.trim(),
        };
        let places = (0..lines.len())
            .filter(|&at| lines[at..].len() >= old.len() && old.iter().zip(&lines[at..]).all(is_line));
        let place = places.into_iter().next().unwrap_or_else(|| panic!("{name}: {old:?} is not there"));
        lines.splice(place..place + old.len(), new.iter().copied());
    }
    lines.join("\n") + "\n"
}

/// The texts of an attack: verdicts, their lines, and the changes.
type Texts<'t> = Vec<(&'t str, String, Vec<(Vec<&'t str>, Vec<&'t str>)>)>;

fn texts(attack: &str) -> (&str, Texts<'_>) {
    let (mut variant, mut texts) = ("", Texts::new());
    for line in attack.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.split_at(1), line.split_once(':')) {
            ((sign @ ("-" | "+"), rest), _) => {
                let (_, lines, changes) = texts.last_mut().expect("a text");
                *lines += &format!("{line}\n");
                if changes.last().is_none_or(|(_, new)| sign == "-" && !new.is_empty()) {
                    changes.push((Vec::new(), Vec::new()));
                }
                let (old, new) = changes.last_mut().expect("a change");
                if sign == "-" { old } else { new }.push(rest);
            }
            (_, Some(("variant", rest))) => variant = rest.trim(),
            (_, Some((verdict, _))) => texts.push((verdict, String::new(), Vec::new())),
            _ => panic!("{line}"),
        }
    }
    (variant, texts)
}

#[test]
fn attacks_on_grids_have_their_verdicts() {
    let mut wrong = Vec::new();
    let (mut accepted, mut refused, mut left) = (0, 0, 0);
    let mut files: Vec<PathBuf> = fs::read_dir(folder("processors/gpu/attacks"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for path in files {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let attack = fs::read_to_string(&path).expect("a text");
        let (variant, texts) = texts(&attack);
        let Some((_, base, contract)) = BASES.iter().find(|base| base.0 == variant) else {
            left += 1;
            continue;
        };
        let proof = fs::read_to_string(folder("crates/check/tests/grids").join(format!("{base}.proof")))
            .expect("a proof");
        let (head, module) = proof.split_once(MODULE).expect("a module");
        for (verdict, lines, changes) in texts {
            let text = changed(&name, module, &changes);
            let other = OTHERS.iter().find(|other| other.0 == name && lines.contains(other.1));
            let is_right = other.map_or(verdict == "accept", |other| other.2);
            let found = find(contract, &text);
            // The statements of the kernel, around another text.
            let kept = Proof::read(&format!("{head}{MODULE}{text}")).and_then(|proof| check(&proof));
            if found.is_ok() != is_right || kept.is_ok() && !is_right {
                wrong.push(format!("{name}: {verdict}: {lines}{:?}, {kept:?}", found.map(drop)));
            }
            *if is_right { &mut accepted } else { &mut refused } += 1;
        }
    }
    println!("{accepted} texts are accepted, {refused} are refused, {left} files are about other kernels");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(accepted >= 40 && refused >= 100, "{accepted}, {refused}");
}

#[test]
fn proofs_are_found_again() {
    for name in ["ecb", "ecb-ahead", "cbc-dec", "group", "cbc", "key"] {
        let proof = fs::read_to_string(folder("crates/check/tests/grids").join(format!("{name}.proof")))
            .expect("a proof");
        let contract = proof.lines().find_map(|line| line.strip_prefix("contract ")).expect("a contract");
        let (_, module) = proof.split_once(MODULE).expect("a module");
        assert_eq!(find(contract, module).expect("a proof is found"), proof, "{name}");
    }
}
