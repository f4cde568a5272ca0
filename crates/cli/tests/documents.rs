//! Documents agree with the program: the kernel of docs/PROOF.md and its changes, the program of docs/QUICKSTART.md,
//! the counts of docs/SOUNDNESS.md, files that documents and help pages name, and the links in all documents.

use crate::support;
use crate::support::{Place, root, sorted};

fn document(name: &str) -> String {
    let path = root().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The first code block of a language in a document.
fn block(text: &str, language: &str) -> String {
    let start = text.split_once(&format!("```{language}\n")).expect("the block is there").1;
    start.split_once("```").expect("the block ends").0.to_owned()
}

#[test]
fn the_kernel_of_the_proof_document_is_proved_and_its_changes_are_refused() {
    let place = Place::new("proof-document");
    let text = document("docs/PROOF.md");
    let file = "aesmith_aes128_ecb.S";
    let kernel = block(&text, "asm");
    place.write(file, &kernel);
    let said = place.ok(&format!("verify {file}"));
    for line in said.out.lines() {
        // The time of the check differs from run to run.
        let line = line.split_once(" paths, ").map_or(line, |(before, _)| before);
        assert!(text.contains(line), "the document does not show `{line}`");
    }
    let changes: Vec<&str> = text.lines().filter(|l| l.starts_with("| `")).collect();
    assert_eq!(changes.len(), 8, "a row for each step that refuses");
    for row in changes {
        let quoted: Vec<&str> = row.split('`').collect();
        let (change, answer) = (quoted[1], quoted[quoted.len() - 2]);
        place.write(file, &kernel);
        let changed = place.shell("sed -i \"$0\" \"$1\"", &[change, file]);
        assert_eq!(changed.code, 0, "{change}: {}", changed.err);
        assert_ne!(place.read(file), kernel, "{change} changes nothing");
        place.ends(&format!("verify {file}"), 3).says(answer);
    }
    let wiping = kernel.replace("2:  ret", "2:  vpxor xmm0, xmm0, xmm0; test rdi, rdi; ret");
    let wiped = |text: &str| {
        place.write(file, text);
        place.json(&format!("verify {file} --json"))["wiped"].clone()
    };
    assert_eq!((wiped(&kernel), wiped(&wiping)), (false.into(), true.into()));
}

#[test]
fn the_program_of_the_quickstart_is_right() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("quickstart");
    let text = document("docs/QUICKSTART.md");
    place.ok("emit aes128-ctr --as package -o aesmith-aes128-ctr");
    place.write("aesmith-aes128-ctr/app.c", block(&text, "c"));
    let line = text.lines().find(|l| l.starts_with("cc app.c")).expect("how it is compiled");
    let said = place.shell(&format!("cd aesmith-aes128-ctr && make -s check && {line}"), &[]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert_eq!(said.out.lines().last(), Some("right"), "{}", said.out);
}

/// The command writes docs/ACCOUNTING.md (AESMITH_BLESS=1 writes it again), and counts its kernels as `count
/// --processor` does.
#[test]
fn the_accounting_is_what_is_counted() {
    let place = Place::new("accounting");
    let run = ["count", "--accounting", "--markdown", "a.md", "--html", "a.html", "--json"];
    // `aesmith` passes this on to `aesmith-bench`.
    // A foreign file is kept; a file of aesmith is written again.
    place.write("a.md", "mine");
    place.refused(&run, 1, "a.md is there already");
    place.write("a.md", document("docs/ACCOUNTING.md") + "more");
    let all = place.json(&run);
    let written = place.read("a.md");
    if std::env::var_os("AESMITH_BLESS").is_some() {
        std::fs::write(root().join("docs/ACCOUNTING.md"), &written).unwrap();
    }
    assert!(document("docs/ACCOUNTING.md") == written, "it is not what AESMITH_BLESS=1 writes");
    let page = place.read("a.html");
    let targets = all["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 6);
    for target in targets {
        let (variant, name) = (target["variant"].as_str().unwrap(), target["name"].as_str().unwrap());
        assert!(page.contains(&format!("<code>{variant}</code>")), "{name}");
        let mut count = vec!["count", variant, "--json"];
        if target["level"].is_null() {
            count.extend(["--processor", target["processor"].as_str().unwrap()]);
        }
        let counted = place.json(&count);
        for class in ["instructions", "loads", "stores"] {
            assert_eq!(counted["steady"][class], target["remains"][class], "{name}: {class}");
        }
        let steps = counted["waterfall"]["steps"].as_array().unwrap();
        assert_eq!(steps.last().unwrap()[1]["instructions"], target["remains"]["instructions"], "{name}");
    }
    let wrong: [&[&str]; 3] =
        [&["count"], &["count", "aes128-ctr", "--accounting"], &["count", "aes128-ctr", "--html", "x.html"]];
    assert_eq!(wrong.map(|arguments| place.run(arguments).code), [2; 3]);
}

/// The value of a key in a line of a text: `version: 0.1.0`, `version = "0.1.0"`.
fn value<'t>(text: &'t str, key: &str, sign: char) -> Option<&'t str> {
    let of_line = |line: &'t str| line.strip_prefix(key)?.trim_start().strip_prefix(sign);
    text.lines().find_map(of_line).map(|value| value.trim().trim_matches('"'))
}

/// The citation says what Cargo and the changelog say: the version, the day of its release if it was released, and the
/// address of the repository if there is one.
#[test]
fn the_citation_is_true() {
    let (citation, cargo) = (document("CITATION.cff"), document("Cargo.toml"));
    let version = value(&citation, "version", ':').expect("a version");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert_eq!(Some(version), value(&cargo, "version", '='));
    assert_eq!(value(&citation, "repository-code", ':'), value(&cargo, "repository", '='));
    // The changelog has a section for each release: `## 0.1.0 - 2026-11-30`.
    let changelog = document("CHANGELOG.md");
    let section = changelog.lines().find_map(|line| line.strip_prefix("## ")?.strip_prefix(version));
    let released = section.map(|rest| rest.trim_matches([' ', '-', '(', ')']));
    assert_eq!(value(&citation, "date-released", ':'), released);
    if let Some(day) = released {
        let numbers: Vec<u32> = day.split('-').map(|part| part.parse().expect("a number")).collect();
        assert!(matches!(numbers[..], [2026..=2126, 1..=12, 1..=31]), "{day}");
    }
    for licence in value(&cargo, "license", '=').expect("a licence").split(" OR ") {
        assert!(citation.contains(&format!("  - {licence}\n")), "{licence}");
    }
}

/// The documents for readers of the current version; the changelog describes the past.
fn documents() -> Vec<String> {
    let mut names: Vec<String> = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "crates/prove/attacks/faults/README.md",
        "tests/vectors/README.md",
    ]
    .map(str::to_owned)
    .into();
    let docs =
        sorted(&root().join("docs")).into_iter().filter(|path| path.extension().is_some_and(|e| e == "md"));
    names.extend(docs.map(|path| format!("docs/{}", path.file_name().unwrap().to_str().unwrap())));
    names
}

/// The contents of single backquotes in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Expands `a/{b,c}.rs` to two paths.
fn paths(quoted: &str) -> Vec<String> {
    let path = quoted.split("::").next().unwrap_or(quoted);
    match path.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?))) {
        Some((head, (all, tail))) => all.split(',').map(|one| format!("{head}{one}{tail}")).collect(),
        None => vec![path.to_owned()],
    }
}

#[test]
fn every_path_that_a_document_names_is_there() {
    let folders = ["crates", "processors", "docs", "scripts", "tests", "fuzz", "recordings"];
    let mut named = 0;
    for name in documents() {
        for path in quoted(&document(&name)).flat_map(paths) {
            // A path with a name in capitals or in brackets is a pattern.
            let pattern =
                path.contains(['<', '*', '$', ' ']) || path.contains("NAME") || path.contains("FAMILY");
            let ours = path.split_once('/').is_some_and(|(folder, _)| folders.contains(&folder));
            if ours && !pattern {
                named += 1;
                assert!(root().join(&path).exists(), "{name} names {path}, which is not there");
            }
        }
    }
    assert!(named > 200, "{named} paths");
}

/// The tables of docs/SOUNDNESS.md on one engine name its files without their folder.
#[test]
fn every_short_path_of_a_table_is_there() {
    let text = document("docs/SOUNDNESS.md");
    let mut named = 0;
    for (heading, folder) in [("## Processors other than this machine\n", "bits"), ("## GPUs\n", "grid")]
        .map(|(h, f)| (h, root().join("crates/prove/src").join(f)))
    {
        let section = text.split_once(heading).expect("the section").1;
        let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
        for path in
            quoted(section).flat_map(paths).filter(|path| path.ends_with(".rs") && !path.contains('/'))
        {
            named += 1;
            assert!(
                folder.join(&path).exists(),
                "docs/SOUNDNESS.md names {path}, which is not in {}",
                folder.display()
            );
        }
    }
    assert!(named > 25, "{named} paths");
}

/// Lines of files with an ending in a folder and those below, of which `counts` is true; tests are left out.
fn lines(folder: &str, ending: &str, counts: &dyn Fn(&str) -> bool) -> usize {
    let mut count = 0;
    let mut open = vec![root().join(folder)];
    while let Some(path) = open.pop() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            open.extend(sorted(&path).into_iter().filter(|path| !path.ends_with("tests")));
        } else if name.ends_with(ending) && !name.ends_with("tests.rs") {
            count += std::fs::read_to_string(path).unwrap().lines().filter(|line| counts(line)).count();
        }
    }
    count
}

/// The number before words of a text, with its commas.
fn number_before(text: &str, words: &str) -> usize {
    let (before, _) =
        text.split_once(words).unwrap_or_else(|| panic!("docs/SOUNDNESS.md does not say `{words}`"));
    let digits: String = before.chars().rev().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
    digits.chars().rev().filter(char::is_ascii_digit).collect::<String>().parse().expect("a number")
}

#[test]
fn counts_of_cases_are_right() {
    let text = document("docs/SOUNDNESS.md");
    let begins = |words: &'static [&str]| move |line: &str| words.iter().any(|word| line.starts_with(word));
    let exact = [
        (" hand-made functions by class", lines("crates/prove/attacks", ".s", &begins(&["#: case "]))),
        (" changes, ", lines("crates/cli/tests/altered", ".txt", &begins(&["case "]))),
        (" of them controls |", lines("crates/cli/tests/altered", ".txt", &begins(&["accept"]))),
        (
            " changes of assembly of nine",
            lines("crates/cli/tests/edits/bits", ".txt", &begins(&["accept", "refuse"])),
        ),
        (" of PTX (", lines("processors/gpu/attacks", ".txt", &begins(&["accept:", "refuse:", "wrong:"]))),
        (
            " attacks with controls. Read from manuals",
            lines("crates/prove/tests", "undefined.txt", &begins(&["case "])),
        ),
    ];
    for (words, count) in exact {
        assert_eq!(number_before(&text, words), count, "docs/SOUNDNESS.md, before `{words}`");
    }
    // Lines of source change with every commit: these are about right.
    let all = |_: &str| true;
    let prover =
        ["bits", "lanes", "algebra"].map(|part| lines(&format!("crates/prove/src/{part}"), ".rs", &all));
    let own =
        |name| std::fs::read_to_string(root().join("crates/check/src").join(name)).unwrap().lines().count();
    let around = own("main.rs") + own("elf.rs");
    for (words, count) in [
        (" lines of Rust for both engines", prover.iter().sum()),
        (" lines and ", lines("crates/check/src", ".rs", &all) - around),
        (" of the program around it", around),
    ] {
        let told = number_before(&text, words);
        assert!(
            told.abs_diff(count) * 20 <= count,
            "docs/SOUNDNESS.md, before `{words}`: {told}, and it is {count}"
        );
    }
}

/// Files that help pages name are those that `emit` writes, and `make` builds.
#[test]
fn every_file_that_a_help_page_names_is_written() {
    if !support::has_aes() {
        return;
    }
    let place = Place::new("files-of-helps");
    place.ok("emit aes256-ctr --as package -o package");
    let mut written: Vec<String> = sorted(&place.path("package"))
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(place.read("package/Makefile").contains("libaesmith_aes256_ctr.a"));
    written.push("libaesmith_aes256_ctr.a".to_owned());
    let mut named = 0;
    for path in sorted(&root().join("crates/cli/src/arguments/help")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for word in text.split_whitespace().filter(|word| word.contains("aesmith_aes256_ctr.")) {
            named += 1;
            assert!(written.contains(&word.to_owned()), "{} names {word}, of {written:?}", path.display());
        }
    }
    assert!(named > 3, "{named} files");
}

/// The program and the rest of a line that shows a command.
fn shown_command(line: &str) -> Option<(&'static str, &str)> {
    let programs = [("aesmith ", support::aesmith()), ("aesmith-bench ", support::aesmith_bench())];
    programs.into_iter().find_map(|(name, program)| Some((program, line.strip_prefix(name)?)))
}

/// Each `aesmith COMMAND --option` in a document occurs in the command's help, and each of `aesmith-bench`.
#[test]
fn every_command_that_a_document_shows_is_there() {
    let place = Place::new("commands-of-documents");
    let mut helps = std::collections::BTreeMap::new();
    let mut shown = 0;
    for name in documents() {
        let text = document(&name);
        let lines = text.lines().filter_map(|line| shown_command(line.trim().trim_start_matches("$ ")));
        let quoted = quoted(&text).filter_map(shown_command);
        for (program, command) in lines.chain(quoted) {
            let command = command.split(" #").next().unwrap_or(command);
            let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
            let mut words: Vec<&str> = command.split_whitespace().take_while(is_word).take(2).collect();
            if !matches!(words.first(), Some(&("wisdom" | "isa"))) {
                words.truncate(1);
            }
            // A sentence that begins with the tool's name is not a command.
            let options = command.split_whitespace().filter_map(|word| {
                let option = word.split('=').next()?.trim_end_matches([',', '.', ';', ')', '`', '"', ':']);
                option.starts_with("--").then_some(option)
            });
            let options: Vec<&str> = options.filter(|o| o.len() > 2 && !o.contains(['|', '\\'])).collect();
            if words.is_empty() {
                continue;
            }
            let help = helps.entry((program, words.join(" "))).or_insert_with(|| {
                let command = place.command_of(program, &[&words[..], &["--help"]].concat()).output();
                let said = support::Said::from(command.unwrap());
                (said.code == 0).then_some(said.out)
            });
            let Some(help) = help else {
                assert!(options.is_empty(), "{name} shows `aesmith {command}`, and there is no such command");
                continue;
            };
            shown += 1;
            for option in options {
                assert!(
                    help.contains(option),
                    "{name} shows `aesmith {command}`, whose help has no {option}"
                );
            }
        }
    }
    assert!(shown > 100, "{shown} commands");
}

#[test]
fn every_link_leads_somewhere_and_every_document_is_listed() {
    let index = document("docs/README.md");
    for name in documents().into_iter().chain(["CHANGELOG.md".to_owned()]) {
        let folder = root().join(&name).parent().unwrap().to_owned();
        for link in document(&name).split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap();
            if !link.is_empty() && !link.contains(':') {
                assert!(folder.join(link).exists(), "{name} links to {link}, which is not there");
            }
        }
        if let Some(short) = name.strip_prefix("docs/").filter(|short| *short != "README.md") {
            assert!(index.contains(&format!("({short})")), "docs/README.md does not list {short}");
        }
    }
}
