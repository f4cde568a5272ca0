//! The corpus of small changes: emitted texts with a line or two changed, which `verify` must refuse or accept.
//!
//! A file of `edits/bits` contains an attack and its control, and is found by its presence. It has these lines:
//!
//! | line | meaning |
//! |---|---|
//! | `# TEXT` | the fault and its evidence |
//! | `base: FILE` | the text of `edits/bases` that is changed |
//! | `processor: NAME` | the processor for which it is verified |
//! | `refuse: WORDS` | the lines after it make a text that must be refused, with these words |
//! | `accept: WORDS` | the lines after it make a text that must be proved, with these words |
//! | `-LINE` | a line of the text, ignoring spaces around it; consecutive ones must occur once as consecutive lines |
//! | `+LINE` | a line that replaces them |
//!
//! Every file has both verdicts: the accepted text differs from the refused one only in the fault.

use crate::support::{Place, check_all, mistakes, of_tests, sorted};
use std::fs;
use std::path::Path;

/// Lines of a text, and their replacement.
type Change = (Vec<String>, Vec<String>);

/// A text made by changes, and its verdict.
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

/// The base text with the changes made; the old lines of each must occur exactly once.
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

/// Verifies the texts of a case. Returns a sentence for each verdict that is not the expected one.
fn wrong(place: &Place, path: &Path) -> Vec<String> {
    let case = read(path);
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let base = of_tests("edits/bases").join(&case.base);
    let base = fs::read_to_string(base).unwrap_or_else(|e| panic!("{name}: {}: {e}", case.base));
    let verify = |(number, text): (usize, &Text)| {
        let file = format!("{name}-{number}.S");
        place.write(&file, changed(&name, &base, &text.changes));
        let mut command = place.command(&format!("verify {file} --processor {}", case.processor));
        mistakes(&name, &mut command, text.accept, &text.says)
    };
    case.texts.iter().enumerate().flat_map(verify).collect()
}

#[test]
fn changes_of_emitted_assembly_have_their_verdicts() {
    let place = Place::new("edits-bits");
    check_all(&sorted(&of_tests("edits/bits")), |case| wrong(&place, case));
}
