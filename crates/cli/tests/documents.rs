//! What documents show is what happens: the kernel of docs/PROOF.md and its changes, the program of
//! docs/QUICKSTART.md, and the links of all of them.

mod support;

use std::path::{Path, PathBuf};
use support::Place;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    let path = root().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The first block of a language in a document.
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
    std::fs::write(place.path(file), &kernel).unwrap();
    let said = place.run(&["verify", file]);
    assert_eq!(said.code, 0, "{}", said.err);
    for line in said.out.lines() {
        assert!(text.contains(line), "the document does not show `{line}`");
    }
    let changes: Vec<&str> = text.lines().filter(|l| l.starts_with("| `")).collect();
    assert_eq!(changes.len(), 8, "a row for each step that refuses");
    for row in changes {
        let quoted: Vec<&str> = row.split('`').collect();
        let (change, answer) = (quoted[1], quoted[quoted.len() - 2]);
        std::fs::write(place.path(file), &kernel).unwrap();
        let changed = place.shell("sed -i \"$0\" \"$1\"", &[change, file]);
        assert_eq!(changed.code, 0, "{change}: {}", changed.err);
        assert_ne!(std::fs::read_to_string(place.path(file)).unwrap(), kernel, "{change} changes nothing");
        let said = place.run(&["verify", file]);
        assert_eq!(said.code, 3, "{change}: {}{}", said.out, said.err);
        assert!(said.out.contains(answer), "{change}: {}", said.out);
    }
    let wiping = kernel.replace("2:  ret", "2:  vpxor xmm0, xmm0, xmm0; test rdi, rdi; ret");
    let wiped = |text: &str| {
        std::fs::write(place.path(file), text).unwrap();
        place.json(&["verify", file, "--json"])["wiped"].clone()
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
    let emitted = place.run(&["emit", "aes128-ctr", "--as", "package", "-o", "aesmith-aes128-ctr"]);
    assert_eq!(emitted.code, 0, "{}", emitted.err);
    std::fs::write(place.path("aesmith-aes128-ctr/app.c"), block(&text, "c")).unwrap();
    let line = text.lines().find(|l| l.starts_with("cc app.c")).expect("how it is compiled");
    let said = place.shell(&format!("cd aesmith-aes128-ctr && make -s check && {line}"), &[]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert_eq!(said.out.lines().last(), Some("right"), "{}", said.out);
}

#[test]
fn every_link_leads_somewhere_and_every_document_is_listed() {
    let mut names: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(str::to_owned).into();
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        names.extend(name.ends_with(".md").then(|| format!("docs/{name}")));
    }
    let index = document("docs/README.md");
    for name in names {
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
