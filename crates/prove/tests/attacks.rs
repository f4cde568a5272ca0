//! The corpus of attacks: kernels made by hand that are wrong, leak, or are not what a processor would
//! run, each with the verdict that the prover has to reach, and beside them controls that it has to accept.
//!
//! A file of `attacks/` is assembly in Intel's notation for GNU as. What this test reads in it are the
//! comments that begin with `#:`, each with a word and the rest of its line:
//!
//! | word | meaning |
//! |---|---|
//! | `case` | a name: a new case begins |
//! | `why` | what is wrong, or why nothing is |
//! | `refused` | the verdict: no proof. What follows, if anything, is a part of the reason |
//! | `proved` | the verdict: a proof with each of the words that follow: `CT1`, `CT2`, `VT`, `wiped`, `unwiped` |
//! | `entry`, `body`, `block`, `exit` | the lines that follow go to this place of the template |
//! | `whole` | a problem: the lines that follow are the whole function of that problem |
//! | `constants` | the lines that follow are the constants behind the code |
//!
//! The template is AES-128-ECB, a block a pass: `entry` before anything is read; `body` before a block is loaded;
//! `block` with the result in `xmm0`, not yet stored; `exit` before the return. The pointers and the length are
//! in `rdi`, `rsi`, `rdx` and `rcx` until the exit. Labels of the template are 91 and 92.

use aesmith_cipher::Problem;
use aesmith_prove::Prover;
use object::{Object, ObjectSection};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The fewest cases that the corpus holds.
const LEAST: usize = 3;

/// What has to come of a case.
#[derive(Debug)]
enum Verdict {
    /// Refused, with this in the reason.
    Refused(String),
    /// Proved, and these words hold.
    Proved(Vec<String>),
}

#[derive(Debug)]
struct Case {
    name: String,
    why: String,
    verdict: Option<Verdict>,
    problem: Problem,
    /// Lines by place.
    entry: String,
    body: String,
    block: String,
    exit: String,
    whole: String,
    constants: String,
}

impl Case {
    fn new(name: &str) -> Case {
        let empty = String::new;
        Case {
            name: name.to_owned(),
            why: empty(),
            verdict: None,
            problem: "aes128-ecb".parse().expect("a problem"),
            entry: empty(),
            body: empty(),
            block: empty(),
            exit: empty(),
            whole: empty(),
            constants: empty(),
        }
    }

    /// The function, at a multiple of 64.
    fn text(&self) -> String {
        let Case { entry, body, block, exit, whole, constants, .. } = self;
        let rounds = (1..10).fold(String::new(), |mut text, round| {
            let _ = writeln!(text, "vaesenc xmm0, xmm0, [rdi + {}]", 16 * round);
            text
        });
        let code = match whole.is_empty() {
            false => whole.clone(),
            true => format!(
                "{entry}\nshr rcx, 4\njz 92f\n91:\n{body}\nvmovdqu xmm0, [rsi]\nvpxor xmm0, xmm0, [rdi]\n{rounds}\
                 vaesenclast xmm0, xmm0, [rdi + 160]\n{block}\nvmovdqu [rdx], xmm0\nadd rsi, 16\nadd rdx, 16\n\
                 dec rcx\njnz 91b\n92:\n{exit}\nret\n"
            ),
        };
        match constants.is_empty() {
            true => code,
            false => format!("{code}\n.p2align 6, 0xcc\n{constants}"),
        }
    }
}

/// The cases of a file.
fn cases(file: &str, text: &str) -> Vec<Case> {
    let mut all: Vec<Case> = Vec::new();
    let mut place = "";
    for (number, line) in text.lines().enumerate() {
        let at = format!("{file}:{}", number + 1);
        let Some(said) = line.trim().strip_prefix("#:") else {
            if let Some(case) = all.last_mut() {
                let into = match place {
                    "entry" => &mut case.entry,
                    "body" => &mut case.body,
                    "block" => &mut case.block,
                    "exit" => &mut case.exit,
                    "whole" => &mut case.whole,
                    "constants" => &mut case.constants,
                    _ => {
                        let code = line.split('#').next().unwrap_or_default().trim();
                        assert!(code.is_empty(), "{at}: `{code}` is in no place");
                        continue;
                    }
                };
                into.push_str(line);
                into.push('\n');
            }
            continue;
        };
        let (word, rest) = said.trim().split_once(' ').unwrap_or((said.trim(), ""));
        let rest = rest.trim();
        if word == "case" {
            all.push(Case::new(rest));
            place = "";
            continue;
        }
        let case = all.last_mut().unwrap_or_else(|| panic!("{at}: no case has begun"));
        match word {
            "why" => case.why = rest.to_owned(),
            "refused" => case.verdict = Some(Verdict::Refused(rest.to_owned())),
            "proved" => {
                case.verdict = Some(Verdict::Proved(rest.split_whitespace().map(str::to_owned).collect()));
            }
            "entry" | "body" | "block" | "exit" | "constants" => place = word,
            "whole" => {
                case.problem = rest.parse().unwrap_or_else(|e| panic!("{at}: {e}"));
                place = word;
            }
            other => panic!("{at}: `{other}` is no word of a case"),
        }
    }
    all
}

/// The bytes of each case, from one run of the assembler.
fn assembled(file: &str, cases: &[Case]) -> Vec<Vec<u8>> {
    let mut source = ".intel_syntax noprefix\n".to_owned();
    for (i, case) in cases.iter().enumerate() {
        let _ = writeln!(source, ".section .case{i}, \"ax\"\n.p2align 6\n{}", case.text());
    }
    let folder = std::env::temp_dir();
    let [text, object] =
        ["s", "o"].map(|kind| folder.join(format!("aesmith-attacks-{}-{file}.{kind}", std::process::id())));
    std::fs::write(&text, source).unwrap();
    let run = Command::new("as").arg("-o").arg(&object).arg(&text).output();
    let run = run.expect("GNU as is needed: install binutils");
    assert!(run.status.success(), "{file}: {}", String::from_utf8_lossy(&run.stderr));
    let data = std::fs::read(&object).unwrap();
    for path in [text, object] {
        std::fs::remove_file(path).unwrap();
    }
    let object = object::File::parse(&data[..]).unwrap();
    let bytes = |i: usize| {
        let section = object.section_by_name(&format!(".case{i}")).expect("the section of the case");
        assert_eq!(section.relocations().count(), 0, "{file}, {}: a relocation is left", cases[i].name);
        section.data().unwrap().to_vec()
    };
    (0..cases.len()).map(bytes).collect()
}

/// What is wrong with what a prover said of a case, if anything.
fn judged(case: &Case, prover: &mut Prover, code: &[u8]) -> Result<(), String> {
    let wanted = case.verdict.as_ref().ok_or("it has no verdict")?;
    match (prover.prove(case.problem, code), wanted) {
        (Err(refutation), Verdict::Refused(part)) if refutation.to_string().contains(part) => Ok(()),
        (Err(refutation), Verdict::Refused(part)) => Err(format!("refused without `{part}`: {refutation}")),
        (Err(refutation), Verdict::Proved(_)) => Err(format!("refused: {refutation}")),
        (Ok(proof), Verdict::Refused(_)) => Err(format!("proved, {}", proof.constant_time())),
        (Ok(proof), Verdict::Proved(words)) => {
            let wiped = if proof.wiped { "wiped" } else { "unwiped" };
            let has = [proof.constant_time(), wiped];
            match words.iter().find(|word| !has.contains(&word.as_str())) {
                None => Ok(()),
                Some(word) => Err(format!("proved, but {} and not {word}", has.join(" "))),
            }
        }
    }
}

#[test]
fn every_attack_has_its_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "s"));
    files.sort();
    let (mut wrong, mut names, mut count) = (Vec::new(), HashSet::new(), 0);
    // One prover for all, so that what it remembers of a kernel meets the next, and one for each.
    let mut shared = Prover::new();
    for path in files {
        let file = path.file_stem().unwrap().to_str().unwrap();
        let cases = cases(file, &std::fs::read_to_string(&path).unwrap());
        let (mut accepted, mut refused) = (0, 0);
        for (case, code) in cases.iter().zip(assembled(file, &cases)) {
            assert!(!case.why.is_empty(), "{file}, {}: it does not say why", case.name);
            assert!(names.insert(case.name.clone()), "{file}, {}: the name is taken", case.name);
            count += 1;
            match case.verdict {
                Some(Verdict::Proved(_)) => accepted += 1,
                _ => refused += 1,
            }
            let [alone, beside] =
                [&mut Prover::new(), &mut shared].map(|prover| judged(case, prover, &code).err());
            if alone != beside {
                wrong.push(format!("{file}, {}: {alone:?}, and beside others {beside:?}", case.name));
            } else if let Some(what) = alone {
                wrong.push(format!("{file}, {}: {what}. Why: {}", case.name, case.why));
            }
        }
        assert!(accepted > 0 && refused > 0, "{file}: attacks and controls belong beside each other");
    }
    assert!(wrong.is_empty(), "{} verdicts are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= LEAST, "the corpus has {count} cases, and had {LEAST} at least");
}
