//! The corpus of small changes of texts: each attack must be refused, and its control proved.
//!
//! Every file in `attacks/` is an attack with its control. It has these lines:
//!
//! | line | meaning |
//! |---|---|
//! | `# TEXT` | the defect, and what reveals it |
//! | `variant: TEXT` | the variant whose text is changed |
//! | `refuse: WORDS` | the following lines make a text that must be refused, with these words |
//! | `wrong: WORDS` | as `refuse`, and the text computes something else, which the interpreter shows |
//! | `accept: CLASS` | the following lines make a text that must be proved `CT` or `VT`, and computes the cipher |
//! | `-LINE` | a line of the text, without surrounding spaces; `-LINE ...` is the first line that begins so |
//! | `+LINE` | a replacement line |
//!
//! Consecutive `-` lines must be consecutive in the text, and occur once.

use std::fs;
use std::path::Path;

use aesmith_processor::trial::is_soak;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::kernel_tests::launched;
use crate::proof_tests::{printed, proved};
use crate::text;

/// Lines of a text, and their replacements.
type Change = (Vec<String>, Vec<String>);

/// A text made by changes.
struct Text {
    verdict: String,
    says: String,
    changes: Vec<Change>,
}

fn read(path: &Path) -> (String, Vec<Text>) {
    let name = path.display();
    let (mut variant, mut why) = (None, false);
    let mut texts: Vec<Text> = Vec::new();
    for line in fs::read_to_string(path).expect("is there").lines().filter(|line| !line.is_empty()) {
        if let Some(sign @ ('-' | '+')) = line.chars().next() {
            let text = texts.last_mut().unwrap_or_else(|| panic!("{name}: `{line}` is of no text"));
            if text.changes.last().is_none_or(|(_, new)| sign == '-' && !new.is_empty()) {
                text.changes.push(Change::default());
            }
            let (old, new) = text.changes.last_mut().expect("one is there");
            if sign == '-' { old } else { new }.push(line[1..].to_owned());
            continue;
        }
        let (word, rest) = line.split_once(':').unwrap_or((line, ""));
        let rest = rest.trim().to_owned();
        match word {
            _ if line.starts_with('#') => why = true,
            "variant" => variant = Some(rest),
            "refuse" | "wrong" | "accept" => {
                texts.push(Text { verdict: word.to_owned(), says: rest, changes: Vec::new() });
            }
            _ => panic!("{name}: `{line}` is none of the lines that a case has"),
        }
    }
    assert!(why, "{name} does not say what is wrong");
    for accept in [true, false] {
        let has = texts.iter().any(|text| (text.verdict == "accept") == accept);
        assert!(has, "{name} has no attack, or no control");
    }
    (variant.unwrap_or_else(|| panic!("{name} names no variant")), texts)
}

/// The text after the changes, each of lines that occur once.
fn changed(name: &str, base: &str, changes: &[Change]) -> String {
    let mut lines: Vec<String> = base.lines().map(str::to_owned).collect();
    for (old, new) in changes {
        let is_line = |(old, line): (&String, &String)| match old.trim().strip_suffix(" ...") {
            Some(begin) => line.trim().starts_with(begin),
            None => old.trim() == line.trim(),
        };
        let is_here =
            |at: &usize| lines[*at..].len() >= old.len() && old.iter().zip(&lines[*at..]).all(is_line);
        let mut places: Vec<usize> = (0..lines.len()).filter(is_here).collect();
        if old.first().is_some_and(|line| line.ends_with(" ...")) {
            places.truncate(1);
        }
        assert!(!old.is_empty() && places.len() == 1, "{name}: {old:?} stands there {} times", places.len());
        lines.splice(places[0]..places[0] + old.len(), new.iter().cloned());
    }
    lines.join("\n") + "\n"
}

/// True if a text is the cipher in the interpreter. It runs more than one iteration if the text must be shown
/// wrong or in a soak, and otherwise one block.
fn is_cipher(text: &str, variant: &str, is_long: bool) -> bool {
    let (blocks, count) = if is_long { (2, 300) } else { (1, 1) };
    let launch = || launched(text, variant, blocks, count, &mut ChaCha8Rng::seed_from_u64(17));
    std::panic::catch_unwind(launch).is_ok()
}

/// A sentence for each unexpected verdict of a case.
fn wrong(path: &Path) -> Vec<String> {
    let name = path.file_stem().expect("has a name").to_string_lossy().into_owned();
    let (variant, texts) = read(path);
    let (base, contract) = printed(&variant);
    // The interpreter's launches here have one stream.
    let has_streams = text::read(&base).expect("is read").has_streams();
    let mut wrong = Vec::new();
    for Text { verdict, says, changes } in texts {
        let changed = changed(&name, &base, &changes);
        assert!(changes.is_empty() || changed != base, "{name}: {says}: nothing is changed");
        let found = match text::read(&changed) {
            Ok(_) => proved(&changed, &contract).map_err(|refuted| refuted.to_string()),
            Err(sentence) => Err(sentence),
        };
        let told = match &found {
            Ok(proof) => if proof.constant_time { "CT" } else { "VT" }.to_owned(),
            Err(why) => why.clone(),
        };
        let is_run = verdict != "refuse" && !has_streams;
        if found.is_ok() != (verdict == "accept") || !told.contains(&says) {
            wrong.push(format!("{name}: {verdict}: {says}: {told}"));
        } else if is_run
            && is_cipher(&changed, &variant, verdict == "wrong" || is_soak()) != (verdict == "accept")
        {
            wrong.push(format!("{name}: {verdict}: {says}: the interpreter says otherwise"));
        }
    }
    wrong
}

#[test]
fn changes_of_texts_have_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks");
    let entries = fs::read_dir(&folder).expect("is there");
    let mut cases: Vec<_> = entries.map(|entry| entry.expect("is read").path()).collect();
    cases.sort();
    assert!(!cases.is_empty(), "{} has no case", folder.display());
    let found: Vec<String> = std::thread::scope(|scope| {
        let half = cases.chunks(cases.len().div_ceil(2));
        let each: Vec<_> = half
            .map(|cases| scope.spawn(|| cases.iter().flat_map(|case| wrong(case)).collect::<Vec<_>>()))
            .collect();
        each.into_iter().flat_map(|part| part.join().expect("every case can be read")).collect()
    });
    assert!(
        found.is_empty(),
        "of {} cases {} verdicts are wrong:\n{}",
        cases.len(),
        found.len(),
        found.join("\n")
    );
}
