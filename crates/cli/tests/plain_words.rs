//! Comments, documents, templates, scripts and the program's messages are plain English: the openings of sentences and the
//! words that CONTRIBUTING.md refuses stand in none.

use std::path::{Path, PathBuf};

/// Openings of doc comments. A doc comment begins with a noun or a verb.
const OPENINGS: &[&str] =
    &["What", "Whether", "Of", "Those", "As", "The same", "Nothing", "Nobody", "Whatever"];

/// Words that stand for a noun which the reader has to guess.
const WORDS: &[&str] = &[
    "so many",
    "nobody",
    "is said",
    "are said",
    "was said",
    "is had",
    "are had",
    "was had",
    "go round",
    "goes round",
    "gone round",
    "over again",
    "for want of",
    "another than",
    "that is none",
    "is none that",
    "is none of",
];

/// Sources with sentences of published certificates, which `verify` compares, and the number of refused words in them.
const PUBLISHED: &[(&str, usize)] =
    &[("crates/prove/src/certificate.rs", 2), ("crates/prove/src/grid/proof.rs", 1)];

/// Reasons why a line of a Rust source is refused.
fn refused(line: &str) -> Vec<String> {
    let trimmed = line.trim_start();
    let doc = trimmed.strip_prefix("///").or_else(|| trimmed.strip_prefix("//!")).map(str::trim_start);
    let begins = |doc: &str, opening: &str| {
        doc.strip_prefix(opening).is_some_and(|rest| rest.starts_with([' ', ',', '.', ':']))
    };
    let opening = doc.and_then(|doc| OPENINGS.iter().find(|opening| begins(doc, opening)));
    let mut all: Vec<String> = opening.into_iter().map(|o| format!("begins with `{o}`")).collect();
    // The text behind `//`; a line of code may have an address in a string.
    let comment = match trimmed.starts_with("//") {
        true => trimmed,
        false => line.split_once(" // ").map_or("", |(_, comment)| comment),
    };
    all.extend(words(comment));
    all
}

/// Refused words in a text.
fn words(text: &str) -> Vec<String> {
    let text = format!(" {} ", text.to_lowercase());
    let found = WORDS.iter().filter(|word| {
        text.match_indices(*word).any(|(at, _)| {
            let beside = [text[..at].chars().next_back(), text[at + word.len()..].chars().next()];
            beside.iter().flatten().all(|c| !c.is_alphanumeric())
        })
    });
    found.map(|word| format!("has `{word}`")).collect()
}

/// The code of a library without comments and tests, each string in one line.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.fold(String::new(), |all, line| match line.strip_suffix('\\') {
        Some(begin) => all + begin.trim_start(),
        None => all + line.trim_start() + "\n",
    })
}

/// Collects files below a folder by the endings of their names.
fn files(folder: &Path, ending: &str, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            files(&path, ending, all);
        } else if path.extension().is_some_and(|e| e == ending) {
            all.push(path);
        }
    }
}

/// A doc comment that goes on from the line before does not open a sentence there.
fn goes_on(before: Option<&str>, line: &str) -> bool {
    let mark = |line: &str| ["///", "//!"].into_iter().find(|mark| line.trim_start().starts_with(mark));
    let Some(before) = before else { return false };
    let text = before.trim_start().trim_start_matches(['/', '!']).trim();
    mark(before).is_some() && mark(before) == mark(line) && !text.is_empty() && !text.starts_with('#')
}

#[test]
fn comments_are_plain() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| lines[before]);
            let why =
                refused(line).into_iter().filter(|why| !(why.starts_with("begins") && goes_on(before, line)));
            found.extend(why.map(|why| format!("{path}:{} {why}", at + 1)));
        }
    }
    assert!(found.is_empty(), "{} comments:\n{}", found.len(), found.join("\n"));
}

#[test]
fn messages_are_plain() {
    let is_test = |path: &str| path.contains("/tests/") || path.ends_with("tests.rs");
    let mut found = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_test(path)) {
        let code = code(&text);
        let refused: Vec<String> = code
            .lines()
            .flat_map(|line| words(line).into_iter().map(move |why| format!("{line} {why}")))
            .collect();
        let published = PUBLISHED.iter().find(|(published, _)| *published == path);
        if refused.len() != published.map_or(0, |(_, count)| *count) {
            found.extend(refused.iter().map(|why| format!("{path}: {why}")));
        }
    }
    assert!(found.is_empty(), "{} messages:\n{}", found.len(), found.join("\n"));
}

/// All sources but this one, whose lines are planted: paths below the root, and texts.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root");
    let mut all = Vec::new();
    for folder in ["crates", "processors", "fuzz"] {
        files(&root.join(folder), "rs", &mut all);
    }
    all.retain(|path| !path.ends_with("plain_words.rs"));
    assert!(all.len() > 1000, "{} sources", all.len());
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).expect("below the root").display().to_string();
        (name, std::fs::read_to_string(path).expect("a source"))
    };
    all.into_iter().map(read).collect()
}

/// Endings of texts that are no Rust: documents, templates of what is emitted, pages, scripts, judges, cases of tests.
const TEXTS: &[&str] =
    &["md", "c", "h", "mk", "js", "css", "html", "sh", "py", "txt", "s", "inc", "v", "toml", "yml"];

/// Folders of texts of earlier versions and of others, which stay as they are.
const AS_THEY_ARE: &[&str] = &["last_release", "cases", "golden"];

#[test]
fn texts_are_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&root).expect("a folder") {
        let path = entry.expect("an entry").path();
        all.extend(path.extension().is_some_and(|e| e == "md").then_some(path));
    }
    for (folder, ending) in ["crates", "processors", "docs", "scripts", "tests"]
        .into_iter()
        .flat_map(|folder| TEXTS.iter().map(move |ending| (folder, ending)))
    {
        files(&root.join(folder), ending, &mut all);
    }
    let stays = |path: &PathBuf| {
        path.components().any(|part| AS_THEY_ARE.iter().any(|folder| part.as_os_str() == *folder))
    };
    all.retain(|path| !stays(path));
    assert!(all.len() > 500, "{} texts", all.len());
    let mut found = Vec::new();
    for path in &all {
        // Texts of other encodings are cases of tests.
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let lines = text.lines().enumerate();
        let name = path.strip_prefix(&root).expect("below the root").display();
        found.extend(
            lines
                .flat_map(|(at, line)| words(line).into_iter().map(move |w| (at + 1, w)))
                .map(|(at, w)| format!("{name}:{at} {w}")),
        );
    }
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn what_is_refused_is_found() {
    for (line, why) in [
        ("/// Whether it is there.", "begins with `Whether`"),
        ("    //! The same of others.", "begins with `The same`"),
        ("    // It loops so many times.", "has `so many`"),
        ("let a = 1; // Nobody asks.", "has `nobody`"),
    ] {
        assert_eq!(refused(line), [why], "{line}");
    }
    for line in [
        "/// Offset in bytes.",
        "let a = \"so many\";",
        "// What stands here may be code.",
        "/// Assumes one.",
    ] {
        assert!(refused(line).is_empty(), "{line}");
    }
    let planted = "let a = \"goes so \\\n         many times\"; // fine\n#[cfg(test)]\n\"nobody\"";
    assert_eq!(words(&code(planted)), ["has `so many`"]);
    assert!(goes_on(Some("/// A word, and"), "/// Whether it is"));
    assert!(
        !goes_on(Some("/// # Errors"), "/// What failed") && !goes_on(Some("fn a() {"), "/// What failed")
    );
}
