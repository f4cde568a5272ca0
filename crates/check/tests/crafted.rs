//! Certificates that were made by hand to have a wrong claim accepted, and others beside them that differ in little and have a
//! true claim. `crafted/accept` and `crafted/refuse` hold them. The first lines of a file say what it is; a line `# refused:`
//! has words of the reason for which it is refused. A new file is read without a change here.
//!
//! `crafted/objects` has the same for comparisons of an object with a proof: assembly, with the proof beside it.

#[path = "suite/concrete.rs"]
mod concrete;
#[path = "suite/machine.rs"]
#[allow(dead_code, reason = "the suite has more use for it")]
mod machine;
#[path = "suite/word_machine.rs"]
#[allow(dead_code, reason = "the suite has more use for it")]
mod word_machine;

use aesmith_check::{Certificate, bytes, check};
use concrete::{Random, call};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crafted").join(name)
}

/// The files of a folder with this extension in order: name and text.
fn files(name: &str, extension: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder(name)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut all: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a text");
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
        })
        .collect();
    all.sort();
    all
}

/// The words of the reason for which a file is refused.
fn reason(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("# refused: "))
}

fn verdict(text: &str) -> Result<(), String> {
    if bytes::is_meant(text) {
        return bytes::Proof::read(text).and_then(|proof| bytes::check(&proof)).map(drop);
    }
    Certificate::read(text).and_then(|certificate| check(&certificate)).map(drop)
}

#[test]
fn true_claims_are_accepted_and_true() {
    let all = files("accept", "proof");
    assert!(all.len() >= 80, "{}", all.len());
    let rows = &machine::rows();
    for (name, text) in all {
        assert!(reason(&text).is_none(), "{name}");
        verdict(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut random = Random(17);
        let mut once: Box<dyn FnMut() -> Result<(), String> + '_> = if bytes::is_meant(&text) {
            let proof = bytes::Proof::read(&text).expect("it was read");
            Box::new(move || match proof.processor {
                bytes::AVR => machine::call(&proof, &mut random, rows),
                _ => word_machine::call(&proof, &mut random),
            })
        } else {
            let certificate = Certificate::read(&text).expect("it was read");
            Box::new(move || call(&certificate, &mut random))
        };
        // A call on AVR fills all of its memory.
        for _ in 0..if bytes::is_meant(&text) { 8 } else { 40 } {
            once().unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn wrong_claims_are_refused_for_their_reason() {
    let all = files("refuse", "proof");
    assert!(all.len() >= 420, "{}", all.len());
    let mut wrong = Vec::new();
    for (name, text) in all {
        let words = reason(&text).unwrap_or_else(|| panic!("{name} has no reason"));
        match verdict(&text) {
            Ok(()) => wrong.push(format!("{name} is accepted")),
            Err(said) if !said.contains(words) => wrong.push(format!("{name}: {said}")),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Proofs that the checker accepted once: the output is wrong in some calls, or secrets are seen.
#[test]
fn what_was_accepted_once_is_wrong() {
    for (name, why) in [
        ("ctr-false-inequality", "wrong output"),
        ("ctr-byte-xor-copy", "wrong output"),
        ("ctr-byte-add-copy", "wrong output"),
        ("ecb-variable-of-text", "secrets are seen"),
        ("ecb-variable-of-bytes", "secrets are seen"),
        ("ecb-variable-of-key", "secrets are seen"),
        ("ecb-variable-of-caller", "secrets are seen"),
        ("ecb-variable-as-address", "secrets are seen"),
    ] {
        let text = fs::read_to_string(folder("refuse").join(name).with_extension("proof")).expect("a text");
        let certificate = Certificate::read(&text).expect("a certificate");
        let mut random = Random(19);
        let is_wrong = |said: Result<(), String>| said.is_err_and(|said| said.contains(why));
        let wrong = (0..40).filter(|_| is_wrong(call(&certificate, &mut random))).count();
        assert!(wrong > 5, "{name}: {wrong} of 40 calls are wrong");
    }
}

#[test]
fn the_second_checker_says_the_same() {
    for (name, is_accepted) in [("accept", true), ("refuse", false)] {
        let mut all = files(name, "proof");
        all.retain(|(_, text)| !bytes::is_meant(text));
        let paths = all.iter().map(|(file, _)| folder(name).join(format!("{file}.proof")));
        let checker = folder("../second/checker.py");
        let Ok(said) = Command::new("python3").arg(checker).args(paths).output() else {
            return println!("skipped: there is no python3");
        };
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let said = String::from_utf8(said.stdout).expect("a text");
        assert_eq!(said.lines().count(), all.len(), "one line for each");
        let mut covered = 0;
        for ((file, _), line) in all.iter().zip(said.lines()) {
            let is_covered = !line.starts_with("not covered");
            covered += usize::from(is_covered);
            assert!(!is_covered || (line == "accepted") == is_accepted, "{name}/{file}: {line}");
        }
        println!("{covered} of {} files in {name} are covered by the second checker", all.len());
        // It knows nothing of bits.
        let others = all.iter().filter(|(_, text)| !text.contains("\nbits\n")).count();
        assert!(5 * covered > others, "{covered}");
    }
}

/// A folder that is removed at the end.
struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Place {
    /// A folder for a test with the proof of a function, and its assembled object; `None` if there is no assembler for
    /// x86-64.
    fn of(test: &str, kind: &str, name: &str) -> Option<Place> {
        let number = std::process::id();
        let place = std::env::temp_dir().join(format!("aesmith-crafted-{test}-{name}-{number}"));
        fs::create_dir_all(&place).expect("a folder");
        let source = folder("objects").join(kind).join(name);
        fs::copy(source.with_extension("proof"), place.join(format!("{name}.proof"))).expect("a proof");
        let mut command = Command::new("as");
        command.arg("--64").arg("-I").arg(folder("objects")).arg(source.with_extension("s"));
        let made = command.arg("-o").arg(place.join(format!("{name}.o"))).status();
        let place = Place(place);
        made.is_ok_and(|made| made.success()).then_some(place)
    }

    /// The program's message about the object.
    fn check(&self, name: &str) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aesmith-check"));
        let said = command.arg(format!("{name}.o")).current_dir(&self.0).output().expect("it runs");
        (said.status.code(), String::from_utf8([said.stdout, said.stderr].concat()).expect("a text"))
    }
}

#[test]
fn objects_are_compared_with_their_proofs() {
    for (kind, least) in [("accept", 7), ("refuse", 25)] {
        let all = files(&format!("objects/{kind}"), "s");
        assert!(all.len() >= least, "{}", all.len());
        for (name, text) in all {
            let Some(place) = Place::of("objects", kind, &name) else {
                assert_eq!(name, "apart", "the first is assembled, and {name} is not");
                return println!("skipped: there is no assembler for x86-64");
            };
            let (code, said) = place.check(&name);
            match reason(&text) {
                None => assert!(code == Some(0) && kind == "accept", "{name}: {said}"),
                Some(words) => {
                    assert!(matches!(code, Some(1 | 3)) && said.contains(words), "{name}: {said}");
                }
            }
        }
    }
}

/// A little-endian number in an object.
fn number(object: &[u8], at: usize, size: usize) -> usize {
    object[at..at + size].iter().rev().fold(0, |all, &byte| all << 8 | usize::from(byte))
}

/// The places of the heads of an object's sections, with their names.
fn sections(object: &[u8]) -> Vec<(usize, String)> {
    let (first, count, names) = (number(object, 40, 8), number(object, 60, 2), number(object, 62, 2));
    let names = number(object, first + 64 * names + 24, 8);
    let heads = (0..count).map(|index| first + 64 * index);
    heads.map(|head| (head, text_at(object, names + number(object, head, 4)))).collect()
}

/// The text up to the next zero.
fn text_at(object: &[u8], at: usize) -> String {
    let bytes = object[at..].split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

/// The place of a symbol of this name in an object.
fn symbol(object: &[u8], name: &str) -> usize {
    let all = sections(object);
    let place = |name: &str| {
        let (head, _) = all.iter().find(|section| section.1 == name).expect("a section");
        (number(object, head + 24, 8), number(object, head + 32, 8))
    };
    let ((table, size), (names, _)) = (place(".symtab"), place(".strtab"));
    let mut symbols = (table..table + size).step_by(24);
    symbols.find(|&at| text_at(object, names + number(object, at, 4)) == name).expect("a symbol")
}

/// Changes an object's bytes, which no assembler writes so.
type Change = fn(&mut Vec<u8>);

#[test]
fn objects_that_no_assembler_writes_are_refused() {
    let changes: [(&str, Change, i32, &str); 4] = [
        // The type of the section for code says that it has no contents.
        (
            "no-contents",
            |object| {
                let all = sections(object);
                let (head, _) = all.iter().find(|section| section.1 == ".text").expect("it has code");
                object[head + 4] = 8;
            },
            3,
            "in no section for code",
        ),
        // GNU ld copies relocations by another table than that of symbols as bytes, and applies none.
        (
            "relocations",
            |object| {
                let all = sections(object);
                let (head, _) = all.iter().find(|section| section.1 == ".rela.text").expect("it has some");
                let strings = all.iter().position(|section| section.1 == ".strtab").expect("it has texts");
                object[head + 40] = strings as u8;
            },
            3,
            "is damaged",
        ),
        // A weak function, and another definition of its name, which linkers prefer.
        (
            "twice",
            |object| {
                let (function, other) = (symbol(object, "beside"), symbol(object, "other"));
                object.copy_within(function..function + 4, other);
                object[function + 4] = 2 << 4 | 2;
            },
            1,
            "defines beside twice",
        ),
        (
            "nowhere",
            |object| {
                let function = symbol(object, "beside");
                object[function + 7] = 0x12;
            },
            3,
            "is damaged",
        ),
    ];
    for (what, change, expected, reason) in changes {
        let Some(place) = Place::of(what, "accept", "beside") else {
            return println!("skipped: there is no assembler for x86-64");
        };
        let path = place.0.join("beside.o");
        let mut object = fs::read(&path).expect("an object");
        assert_eq!(place.check("beside").0, Some(0), "it is accepted as it is");
        change(&mut object);
        fs::write(&path, object).expect("a file");
        let (code, said) = place.check("beside");
        assert!(code == Some(expected) && said.contains(reason), "{what}: {code:?} {said}");
    }
}
