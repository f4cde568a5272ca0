//! The corpus of small changes: texts that are emitted, with a line or two changed, which `verify` must refuse or accept.
//!
//! A file of `edits/bits` is an attack with its control, found by being there. It has these lines:
//!
//! | line | meaning |
//! |---|---|
//! | `# TEXT` | what is wrong, and what shows it |
//! | `base: FILE` | the text of `edits/bases` that is changed |
//! | `processor: NAME` | for which processor it is verified |
//! | `refuse: WORDS` | the lines that follow make a text that must be refused, with these words |
//! | `accept: WORDS` | the lines that follow make a text that must be proved, with these words |
//! | `-LINE` | a line of the text, spaces around it apart; lines that follow each other stand so in the text once |
//! | `+LINE` | a line in their place |
//!
//! Every file has both verdicts: what is accepted differs from what is refused in the fault alone.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Place, Said};

/// Exit status of a command that found something not proved.
const NOT_PROVED: i32 = 3;

/// Lines of a text, and those that stand in their place.
type Change = (Vec<String>, Vec<String>);

/// A text that is made by changes, and its verdict.
struct Text {
    accept: bool,
    says: String,
    changes: Vec<Change>,
}

/// An attack and its control.
struct Case {
    base: String,
    processor: String,
    texts: Vec<Text>,
}

fn read(path: &Path) -> Case {
    let name = path.display();
    let (mut base, mut processor, mut why) = (None, None, false);
    let mut texts: Vec<Text> = Vec::new();
    for line in fs::read_to_string(path).unwrap().lines().filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(':').unwrap_or((line, ""));
        let rest = rest.trim().to_owned();
        match (line.split_at(1), word) {
            (("#", _), _) => why = true,
            ((sign @ ("-" | "+"), of), _) => {
                let text = texts.last_mut().unwrap_or_else(|| panic!("{name}: `{line}` is of no text"));
                if text.changes.last().is_none_or(|(_, new)| sign == "-" && !new.is_empty()) {
                    text.changes.push(Change::default());
                }
                let (old, new) = text.changes.last_mut().expect("one is there");
                if sign == "-" { old } else { new }.push(of.to_owned());
            }
            (_, "base") => base = Some(rest),
            (_, "processor") => processor = Some(rest),
            (_, "refuse" | "accept") => {
                texts.push(Text { accept: word == "accept", says: rest, changes: Vec::new() });
            }
            _ => panic!("{name}: `{line}` is none of the lines that a case has"),
        }
    }
    assert!(why, "{name} does not say what is wrong");
    for accept in [true, false] {
        assert!(texts.iter().any(|text| text.accept == accept), "{name} has no attack, or no control");
    }
    Case {
        base: base.unwrap_or_else(|| panic!("{name} names no base")),
        processor: processor.unwrap_or_else(|| panic!("{name} names no processor")),
        texts,
    }
}

/// The text with changes made, each of lines that stand there once.
fn changed(name: &str, base: &str, changes: &[Change]) -> String {
    let mut lines: Vec<String> = base.lines().map(str::to_owned).collect();
    for (old, new) in changes {
        let is_here = |at: &usize| {
            lines[*at..].len() >= old.len()
                && old.iter().zip(&lines[*at..]).all(|(a, b)| a.trim() == b.trim())
        };
        let places: Vec<usize> = (0..lines.len()).filter(is_here).collect();
        assert!(!old.is_empty() && places.len() == 1, "{name}: {old:?} stands there {} times", places.len());
        lines.splice(places[0]..places[0] + old.len(), new.iter().cloned());
    }
    lines.join("\n") + "\n"
}

/// Verifies what a case makes. Gives a sentence for each verdict that is not the expected one.
fn wrong(place: &Place, path: &Path) -> Vec<String> {
    let case = read(path);
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edits/bases");
    let base =
        fs::read_to_string(folder.join(&case.base)).unwrap_or_else(|e| panic!("{name}: {}: {e}", case.base));
    let mut wrong = Vec::new();
    for (number, text) in case.texts.iter().enumerate() {
        let file = place.path(format!("{name}-{number}.S"));
        fs::write(&file, changed(&name, &base, &text.changes)).unwrap();
        let file = file.display().to_string();
        let said: Said = place.run(&["verify", &file, "--processor", &case.processor]);
        let all = format!("{}{}", said.out, said.err);
        if all.contains("cannot be run") {
            println!("skipped: {name}: {all}");
            continue;
        }
        let right = if text.accept { said.code == 0 } else { said.code == NOT_PROVED };
        if !right || !all.contains(&text.says) {
            let wanted = if text.accept { "accept" } else { "refuse" };
            wrong.push(format!("{name}: {wanted}: {}: exit {}: {all}", text.says, said.code));
        }
    }
    wrong
}

#[test]
fn changes_of_emitted_assembly_have_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edits/bits");
    let mut cases: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty(), "{} has no case", folder.display());
    let place = Place::new("edits-bits");
    // Each is a process that assembles and proves.
    let each = |cases: &[PathBuf]| cases.iter().flat_map(|case| wrong(&place, case)).collect::<Vec<String>>();
    let each = &each;
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let half = cases.chunks(cases.len().div_ceil(2));
        let parts: Vec<_> = half.map(|part| scope.spawn(move || each(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(
        wrong.is_empty(),
        "of {} cases {} verdicts are wrong:\n{}",
        cases.len(),
        wrong.len(),
        wrong.join("\n")
    );
}
