//! The corpus of attacks: handwritten kernels that are wrong, leak, or are not what a processor would run, each with
//! the verdict that the prover has to reach, and controls that it has to accept.
//!
//! A file of `attacks/` is assembly in Intel's notation for GNU as. This test reads the comments in it that begin with
//! `#:`; each has a word and an argument, the rest of the line:
//!
//! | word | meaning |
//! |---|---|
//! | `case` | a name: a new case begins |
//! | `why` | the fault, or why there is none |
//! | `refused` | the verdict: no proof. What follows, if anything, is a part of the reason |
//! | `proved` | the verdict: a proof with each of the words that follow: `CT1`, `CT2`, `VT`, `wiped`, `unwiped` |
//! | `entry`, `body`, `block`, `exit` | the lines that follow go to this place of the template |
//! | `whole` | a problem: the lines that follow are the whole function of that problem |
//! | `constants` | the lines that follow are the constants behind the code |
//!
//! The template is AES-128-ECB, one block an iteration: `entry` comes before anything is read, `body` before a block is
//! loaded, `block` with the result in `xmm0` and not yet stored, and `exit` before the return. The pointers and the
//! length are in `rdi`, `rsi`, `rdx` and `rcx` until the exit. Labels 91 and 92 belong to the template. Code that
//! several cases share is a macro of `attacks/macros.inc`.

use aesmith_cipher::Problem;
use object::{Object, ObjectSection};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The required outcome of a case.
#[derive(Debug)]
pub enum Verdict {
    /// Refused, with this text in the reason.
    Refused(String),
    /// Proved, and each of these words holds.
    Proved(Vec<String>),
}

/// A case of the corpus.
#[derive(Debug)]
pub struct Case {
    /// The unique name.
    pub name: String,
    /// The fault, or the reason why there is none.
    pub why: String,
    /// The required verdict.
    pub verdict: Option<Verdict>,
    /// The problem that the kernel claims to solve.
    pub problem: Problem,
    /// The lines for each place.
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

    /// A case of the template with these lines in its places.
    pub fn of_places(name: &str, [entry, body, block, exit]: [String; 4]) -> Case {
        Case { entry, body, block, exit, ..Case::new(name) }
    }

    /// The text of the function, which starts at a multiple of 64.
    pub fn text(&self) -> String {
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

/// The code of each case, from one run of the assembler.
pub fn assembled(file: &str, cases: &[Case]) -> Vec<Vec<u8>> {
    let mut source = format!(".intel_syntax noprefix\n{}", include_str!("../../attacks/macros.inc"));
    for (i, case) in cases.iter().enumerate() {
        let _ = writeln!(source, ".section .case{i}, \"ax\"\n.p2align 6\n{}", case.text());
    }
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let (folder, run) = (std::env::temp_dir(), RUNS.fetch_add(1, Ordering::Relaxed));
    let [text, object] = ["s", "o"]
        .map(|kind| folder.join(format!("aesmith-attacks-{}-{run}-{file}.{kind}", std::process::id())));
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

/// A case and its bytes.
pub type Assembled = (Case, Vec<u8>);

/// The files of the corpus, each with its cases and their bytes.
pub fn files() -> Vec<(String, Vec<Assembled>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("attacks");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "s"));
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let cases = cases(&file, &std::fs::read_to_string(path).unwrap());
        let codes = assembled(&file, &cases);
        (file, cases.into_iter().zip(codes).collect())
    };
    files.iter().map(read).collect()
}
