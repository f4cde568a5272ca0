//! Attacks on requirements of platforms other than x86-64: reserved registers, unaligned words, stack pointers that are
//! set in halves, products that end early. A case is a folder: `kernel` names a processor, restricts its kernels to a
//! few and may name a problem; each file in `accept` and in `refuse` contains instructions that are put before the
//! first one of a proved kernel. A comment in its first line is part of the output of `verify`.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::Place;

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut all: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// The path and the text of a kernel's assembly for the processor.
fn emitted(place: &Place, processor: &str, only: &str, problem: &str) -> (PathBuf, String) {
    let folder = format!("{processor}-{problem}");
    let arguments = ["emit", problem, "--processor", processor, "--as", "asm"];
    let more = ["--allow-variable-time", "--only", only, "-o", &folder];
    let said = place.run(&[&arguments[..], &more].concat());
    assert_eq!(said.code, 0, "{processor}: {}", said.err);
    let sources = sorted(&place.path(&folder));
    let name = |p: &PathBuf| p.file_stem().unwrap().to_string_lossy().into_owned();
    let begin = if problem == "aes128-ecb" { "aesmith_aes128_encrypt" } else { "aesmith_aes128_ctr" };
    let is_block = |p: &PathBuf| name(p).starts_with(begin) && p.extension().is_some();
    let source = sources.into_iter().find(|p| is_block(p) && p.extension().unwrap() == "S").unwrap();
    let symbol = name(&source);
    (source, symbol)
}

#[test]
fn what_the_platform_asks_for_is_kept() {
    let place = Place::new("bits-platform");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks/bits-platform");
    let mut wrong = Vec::new();
    for case in sorted(&corpus) {
        let kernel = fs::read_to_string(case.join("kernel")).unwrap();
        let words: Vec<&str> = kernel.split_whitespace().collect();
        let (processor, only, problem) = match words[..] {
            [processor, only] => (processor, only, "aes128-ecb"),
            [processor, only, problem] => (processor, only, problem),
            _ => panic!("{}: a processor, a restriction and maybe a problem", case.display()),
        };
        let (source, symbol) = emitted(&place, processor, only, problem);
        let text = fs::read_to_string(&source).unwrap();
        let label = format!("\n{symbol}:\n");
        let (head, body) = text.split_once(&label).expect("the function's label");
        let mut seen = 0;
        for (verdict, code) in [("accept", 0), ("refuse", 3)] {
            for file in sorted(&case.join(verdict)) {
                let lines = fs::read_to_string(&file).unwrap();
                let says = lines.strip_prefix("# ").and_then(|rest| rest.split_once('\n'));
                let (says, lines) = says.map_or((None, &*lines), |(says, lines)| (Some(says), lines));
                // This folder contains no certificate.
                let attack = place.path(format!("{symbol}.S"));
                fs::write(&attack, format!("{head}{label}{lines}{body}")).unwrap();
                let path = attack.display().to_string();
                let said = place.run(&["verify", &path, "--processor", processor]);
                if said.err.contains("cannot be run") {
                    println!("skipped: {}", said.err);
                    continue;
                }
                let all = format!("{}{}", said.out, said.err);
                seen += 1;
                if said.code != code || says.is_some_and(|says| !all.contains(says)) {
                    wrong.push(format!("{}: exits {}: {all}", file.display(), said.code));
                }
            }
        }
        println!("{processor}: {seen} cases of {}", case.display());
    }
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
